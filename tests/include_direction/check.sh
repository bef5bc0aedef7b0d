#!/usr/bin/env bash
# check.sh <root> - who may include whom. Prints each include that goes the wrong way.
#
#   base <- graph <- runtime <- backends;  cli, ops, examples, python, tests, bench, fuzz on top
#            graph <- document <- analysis <- export
#          runtime <- capture, replay;  document <- capture, replay
#          capture <- layers <- cli;  replay/script <- export
#
# A file may include its own module and those left of it; public headers belong to the module
# that implements them, and never include src/. Nobody includes cli, tests, bench or fuzz; ops is for
# examples, tests and bench; the forward pass of examples is for bench and tests, and what bench
# concludes is for its test. What stands for a user's program (cli, ops, examples, python) sees
# public headers only; cli also src/base/os, since it starts processes as the library does.
set -euo pipefail
rules=$(cd "$(dirname "$0")" && pwd)/rules.awk
cd "${1:?the repository}"

# Declarations with the names of a system's headers are nobody's.
find include src layers cli ops examples python tests bench fuzz -name '*.hpp' -o -name '*.h' -o -name '*.cpp' -o -name '*.c' |
  grep -v '^tests/systems/macos_headers/' | LC_ALL=C sort | xargs -r awk -f "$rules"
