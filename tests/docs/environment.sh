#!/usr/bin/env bash
# environment.sh <root> - docs/environment.md names exactly the variables that are read.
set -euo pipefail
cd "${1:?the repository}"

# In C++ and Python a variable is a name in quotes; REEL_TEST_... are between tests alone.
read_by_code=$(
  {
    grep -rhoE '"REEL_[A-Z_]+"' --include='*.cpp' --include='*.hpp' --include='*.py' src layers cli ops examples python bench tests
    grep -oE 'REEL_DEV_[A-Z]+' dev
  } | grep -oE 'REEL_[A-Z_]+' | grep -v '^REEL_TEST_' | sort -u
)
# shellcheck disable=SC2016 # backquotes are what is looked for
documented=$(grep -oE '^\| `REEL_[A-Z_]+`' docs/environment.md | grep -oE 'REEL_[A-Z_]+' | sort -u)

differences=$(diff <(echo "$documented") <(echo "$read_by_code") | grep '^[<>]' || true)
[[ -z $differences ]] && exit 0
echo "docs/environment.md (<) and the code (>) name different variables:"
echo "$differences"
exit 1
