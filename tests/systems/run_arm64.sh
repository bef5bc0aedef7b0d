#!/usr/bin/env bash
# run_arm64.sh <build here> <build for arm64> <root of arm64> - tests of tests/systems/arm64_tests.txt by emulation, then documents of this
# machine replayed there, and the other way round. Prints how long each took.
set -euo pipefail
here=$1 there=$2 root=$3
emulator=(qemu-aarch64-static -L "$root")
work=$there/emulated
mkdir -p "$work"
failed=0

timed() { # <name> <command...>
  local name=$1 begin=$SECONDS status=0
  shift
  "$@" >"$work/$name.log" 2>&1 || status=$?
  printf '    %-28s %4d s  %s\n' "$name" $((SECONDS - begin)) "$( ((status)) && echo "FAILED ($status), $work/$name.log" || echo passed)"
  ((status == 0)) || {
    tail -n 15 "$work/$name.log"
    failed=1
  }
}

while read -r program options; do
  # shellcheck disable=SC2086 # options are words
  timed "$program" "${emulator[@]}" "$there/bin/$program" $options
done < <(grep -v '^#' tests/systems/arm64_tests.txt)

"$here/bin/bits" capture "$work/x86.reel"
timed "x86-64 document on arm64" "${emulator[@]}" "$there/bin/bits" replay "$work/x86.reel"
timed "capture on arm64" "${emulator[@]}" "$there/bin/bits" capture "$work/arm64.reel"
timed "arm64 document on x86-64" "$here/bin/bits" replay "$work/arm64.reel"

# One kernel of these rounds a product and a sum together there: it must be found, and nothing else.
"$here/bin/bits" capture "$work/contracted.reel" contracted
if "${emulator[@]}" "$there/bin/bits" replay "$work/contracted.reel" >"$work/contracted.log" 2>&1; then
  echo "    contracted sums                     FAILED: they are equal; is -ffp-contract=off set for all?"
  failed=1
elif grep -q '^  w: .* [1-9][0-9]* different' "$work/contracted.log" && ! grep -qE '^  [xyz]: .* [1-9][0-9]* different' "$work/contracted.log"; then
  echo "    contracted sums differ in w, and only there, as they must"
else
  echo "    contracted sums                     FAILED:"
  cat "$work/contracted.log"
  failed=1
fi
exit "$failed"
