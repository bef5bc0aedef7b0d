#!/usr/bin/env bash
# make.sh <build> <folder> [compression] - all packages of a build (its target reel_packaged), into the folder. Debian packages are
# compressed with xz, or with gzip, which takes a third of the time.
set -euo pipefail
build=$(realpath "${1:?the build}")
mkdir -p "${2:?the folder}"
folder=$(realpath "$2")
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
for generator in DEB TGZ; do
  (cd "$work" && cpack --config "$build/CPackConfig.cmake" -D "CPACK_DEBIAN_COMPRESSION_TYPE=${3:-xz}" -G "$generator" -B "$work/$generator" >"$work/log" 2>&1) || {
    tail -n 20 "$work/log" >&2
    exit 1
  }
done
mv "$work"/DEB/*.deb "$work"/TGZ/*.tar.gz "$folder"
"$here/wheel.sh" "$build" "$folder" >/dev/null
(cd "$folder" && sha256sum -- *.deb *.tar.gz *.whl >SHA256SUMS)
