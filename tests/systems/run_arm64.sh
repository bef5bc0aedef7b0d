#!/usr/bin/env bash
# run_arm64.sh <build here> <build for arm64> <root of arm64> - by emulation: the tests of tests/systems/arm64_tests.txt, then documents of this
# machine replayed there and the other way round, with exact comparison, and what `reel` says of a document on both. Prints the CPU time that each took.
set -euo pipefail
here=$(cd "$1" && pwd) there=$(cd "$2" && pwd) root=$(cd "$3" && pwd)
emulator=(qemu-aarch64-static -L "$root")
work=$there/emulated
rm -rf "$work"
mkdir -p "$work"
failed=0

failure() { # <name> <what>
  printf '    %-36s FAILED: %s\n' "$1" "$2"
  failed=1
}

# timed <name> <command...>: its seconds of CPU time, and how many tests a test program says it ran.
TIMEFORMAT=%0U
timed() {
  local name=$1 log="$work/${1// /_}.log" status=0 words seconds
  shift
  seconds=$( { time timeout 900 "$@" >"$log" 2>&1; } 2>&1) || status=$?
  if ((status)); then
    failure "$name" "exit code $status after $seconds s; $log ends with"
    tail -n 15 "$log"
    return
  fi
  words=$(sed -nE 's/^\[  (PASSED|SKIPPED)  ?\] ([0-9]+) tests?.*/\2 \L\1/p' "$log" | paste -sd, | sed 's/,/, /')
  printf '    %-36s %4s s  %s\n' "$name" "$seconds" "${words:-equal}"
}

while read -r -a words; do
  timed "${words[0]}" "${emulator[@]}" "$there/bin/${words[0]}" "${words[@]:1}"
done < <(grep -v '^#' tests/systems/arm64_tests.txt)

# What is recorded on one processor gives the same bytes on the other. forward_pass runs all operations of ops/.
captured() { # <document> <command...>
  REEL_CAPTURE_ENABLED=1 REEL_CAPTURE_PASS='*' REEL_CAPTURE_CONTENTS=all REEL_CAPTURE=$1 "${@:2}" >"${1%.reel}.log" 2>&1 ||
    failure "capture of $1" "${1%.reel}.log"
}
pass=(--device host --mode all --layers 2 --tokens 4 --prompt words)
for weights in f32 q8; do
  if [[ $weights == q8 ]]; then pass+=(--quantised); fi
  captured "$work/x86_$weights.reel" "$here/bin/forward_pass" "${pass[@]}"
  captured "$work/arm64_$weights.reel" "${emulator[@]}" "$there/bin/forward_pass" "${pass[@]}"
  timed "pass of x86-64 on arm64, $weights" "${emulator[@]}" "$there/bin/reel" replay --device host --tolerance 0 "$work/x86_$weights.reel"
  timed "pass of arm64 on x86-64, $weights" "$here/bin/reel" replay --device host --tolerance 0 "$work/arm64_$weights.reel"
done
"$here/bin/bits" capture "$work/x86.reel"
"${emulator[@]}" "$there/bin/bits" capture "$work/arm64.reel"
timed "kernels of x86-64 on arm64" "${emulator[@]}" "$there/bin/bits" replay "$work/x86.reel"
timed "kernels of arm64 on x86-64" "$here/bin/bits" replay "$work/arm64.reel"

# One kernel of these is compiled to round a product and a sum together where the processor can: it must be found, and nothing else.
"$here/bin/bits" capture "$work/contracted.reel" contracted
if "${emulator[@]}" "$there/bin/bits" replay "$work/contracted.reel" >"$work/contracted.log" 2>&1; then
  failure "contracted sums" "they are equal"
elif grep -q '^  w: .* [1-9][0-9]* different' "$work/contracted.log" && ! grep -qE '^  [xyz]: .* [1-9][0-9]* different' "$work/contracted.log"; then
  echo "    contracted sums differ in w, and only there, as they must: $(sed -n 's/^  w: //p' "$work/contracted.log")"
else
  failure "contracted sums" "$work/contracted.log"
  cat "$work/contracted.log"
fi

# The same answers, to the letter: analysis counts with doubles, too. Of p 12 digits are compared: lgamma(), exp() and erfc() of
# the C library, which it is made of, differ in the last ones from processor to processor.
asked() { # <command...>
  "$@" 2>&1 | sed -E 's/("p": [0-9.]{14})[0-9]*/\1/'
}
same=0
cd "$work"
while read -r line; do
  eval "words=($line)"
  here_status=0 there_status=0
  asked "$here/bin/reel" "${words[@]}" >here.txt || here_status=$?
  asked "${emulator[@]}" "$there/bin/reel" "${words[@]}" >there.txt || there_status=$?
  if [[ -s here.txt && $here_status == "$there_status" ]] && cmp -s here.txt there.txt; then
    same=$((same + 1))
  else
    failure "reel $line" "the answers differ (exit codes $here_status and $there_status)"
    diff here.txt there.txt | head -n 6 || true
  fi
done <<'LINES'
--version
--help
info x86_f32.reel
info x86_f32.reel --json
info arm64_q8.reel --json
commands x86_f32.reel --json
commands arm64_f32.reel
commands x86_f32.reel c12
kernels x86_f32.reel --json
insights x86_f32.reel
insights x86_f32.reel --json
gaps arm64_q8.reel --json
deps x86_q8.reel --json
memory arm64_f32.reel --json
scopes x86_f32.reel --json
calls x86_f32.reel --json
buffers arm64_q8.reel --json
buffer x86_f32.reel b3 --at c12
diff x86_f32.reel arm64_f32.reel
diff x86_f32.reel x86_q8.reel --json
sql arm64_f32.reel "select * from kernel_usage"
verify arm64_q8.reel
info contracted.log
LINES
echo "    $same questions to reel have the same answers on both"
exit "$failed"
