#!/usr/bin/env bash
# environment.sh <root> - the environment is read through base/process/environment_variable.hpp, which leaves a program with
# foreign rights alone. Prints every other place in the library and the layers that reads it.
set -euo pipefail
cd "${1:?the repository}"
if grep -rnE '\b(secure_)?getenv *\(|\benviron\b' src layers --include='*.cpp' --include='*.hpp' --include='*.h' |
  grep -vE '^src/base/os/os_(linux|macos)\.cpp:'; then
  echo "Read variables with environment_variable() of base/process/environment_variable.hpp."
  exit 1
fi
