#!/usr/bin/env bash
# site.sh <folder> <python package> <tests of the page> - builds the documentation's site and tries it in a browser.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
for program in mkdocs doxygen codespell; do
  if ! command -v "$program" >/dev/null; then
    if [[ -n ${REEL_REQUIRE_DEVICES:-} ]]; then
      echo "There is no $program, and it is required." >&2
      exit 1
    fi
    echo "$program is not here, so the site is not tested."
    exit 0
  fi
done
rm -rf "$1"
"$here/../../docs/site/build.sh" "$1" "$2"
node "$here/site_test.mjs" --site "$1/site" --tests "$3"
