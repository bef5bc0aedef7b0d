#!/usr/bin/env bash
# paths.sh <root> - every file or folder of ours that a document names in backquotes or links to
# is there, so that moving one doesn't leave the documents behind.
set -euo pipefail
cd "${1:?the repository}"

status=0
for document in *.md docs/*.md src/backends/*/README.md; do
  [[ -f $document ]] || continue
  while read -r path; do
    # A program is named without its .cpp.
    [[ -e $path || -e $path.cpp || -e $(dirname "$document")/$path ]] && continue
    echo "$document names $path, which isn't there."
    status=1
  done < <(
    # shellcheck disable=SC2016 # backquotes are what is looked for
    # `src/graph/order/plan.hpp`, `tests/docs/`: from the top; build/ and patterns are left out.
    grep -oE '`(include|src|layers|cli|ops|examples|python|tests|bench|fuzz|docs|cmake|\.ci)/[^` *<…]*`' "$document" | tr -d '`' || true
    # [text](target) within the repository, without its #part.
    grep -oE '\]\([^)#: ]+[)#]' "$document" | sed 's/^](//; s/[)#]$//' || true
  )
done
exit "$status"
