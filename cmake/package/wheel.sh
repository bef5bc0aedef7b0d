#!/usr/bin/env bash
# wheel.sh <build> <folder> - the Python package of a build as a wheel that brings its libraries along, into the folder.
#
# Debian's interpreter builds it. Libraries that every system has (the C and C++ ones) stay the system's own.
set -euo pipefail
build=$(realpath "${1:?the build}")
mkdir -p "${2:?the folder}"
folder=$(realpath "$2")
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-315532800} # the first that a zip file can hold

cp -r "$source/python" "$work/python" # pip leaves folders behind where it builds
cp "$source/CMakeLists.txt" "$work/"
REEL_BUILD_DIR=$build /usr/bin/python3 -m pip wheel --quiet --no-deps --no-build-isolation --no-index --disable-pip-version-check \
  --wheel-dir "$work/bare" "$work/python"
/usr/bin/python3 -m wheel unpack --dest "$work/tree" "$work"/bare/*.whl >/dev/null
tree=$(echo "$work"/tree/*)

rm "$tree"/reel/libreel.so.*.*.* # a wheel has no links: what libreel.so.0 pointed to would be there twice
for binary in "$tree"/reel/*.so*; do
  strip --strip-unneeded "$binary"
  while read -r library; do
    name=$(basename "$library")
    [[ $name =~ ^(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+|libreel)\.so || -e $tree/reel/$name ]] ||
      cp --dereference "$library" "$tree/reel/$name"
  done < <(ldd "$binary" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }')
done
# RPATH, not RUNPATH: it counts for the libraries of libraries, too.
for binary in "$tree"/reel/*.so*; do
  chmod 644 "$binary"
  patchelf --force-rpath --set-rpath "\$ORIGIN" "$binary"
done
cp "$source/LICENSE" "$build/third-party-notices.txt" "$tree"/*.dist-info/
find "$tree" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
/usr/bin/python3 -m wheel pack --dest-dir "$folder" "$tree" >/dev/null
ls "$folder"/*.whl
