#!/usr/bin/env bash
# build.sh <folder> <python package> - the documentation as one site in <folder>/site. Links that lead nowhere, words that are misspelt and
# public names without a word of explanation end it with 1.
set -euo pipefail
folder=$(realpath -m "${1:?the folder}")
package=$(realpath "${2:?the folder with the Python package}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
fail() {
  echo "build.sh: $*" >&2
  exit 1
}
mkdir -p "$folder"
codespell -L inout,iif docs README.md CONTRIBUTING.md CHANGELOG.md include || fail "Some words are misspelt, above."
/usr/bin/python3 docs/site/stage.py . "$folder/pages" || fail "Some links lead nowhere, above."
PYTHONPATH=$package /usr/bin/python3 docs/site/python_reference.py "$folder/pages/python-api.md" || fail "Some names of the Python package are not explained, above."
export REEL_DOCS=$folder REEL_DOCS_PAGES=$folder/pages REEL_DOCS_SITE=$folder/site
doxygen docs/site/Doxyfile
/usr/bin/python3 docs/site/api_check.py "$folder/xml" || fail "Some names of the headers are not explained, above."
mkdocs build --quiet --strict -f docs/site/mkdocs.yml
