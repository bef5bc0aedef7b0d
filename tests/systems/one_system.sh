#!/usr/bin/env bash
# one_system.sh <root> - calls that one system alone has stay in the files of that system: names that end in _linux.cpp or
# _macos.cpp, headers of src/base/os, and what cmake/linux_only.txt lists. Prints each that is elsewhere in the library, its headers, ops and `reel`.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:?the repository}"

# A line that names nothing would leave out nothing, and nobody would see it.
grep -v '^#' cmake/linux_only.txt | cut -d' ' -f1 | while read -r path; do
  [[ -e $path ]] || {
    echo "cmake/linux_only.txt names $path, which doesn't exist."
    exit 1
  }
done

find include src cli ops layers -name '*.hpp' -o -name '*.h' -o -name '*.cpp' -o -name '*.c' | LC_ALL=C sort |
  grep -vE '_(linux|macos)\.cpp$|^src/base/os/[a-z]+\.hpp$' |
  awk 'NR == FNR { if ($0 !~ /^#/ && NF) only[$1]; next }
       { for (path in only) if ($0 == path || (path ~ /\/$/ && index($0, path) == 1)) next
         # Headers go with their sources.
         header = $0; sub(/\.hpp$/, ".cpp", header); if (header in only) next
         print }' cmake/linux_only.txt - |
  xargs -r awk -f "$here/one_system.awk" "$here/words.txt"
