#!/usr/bin/env bash
# packages.sh <build> <work> <version> <forward_pass> - makes the packages of a build twice, looks into them, and uses each from where it was
# unpacked. What needs a whole system (apt, removal) is bare_root.sh.
set -euo pipefail
build=$(realpath "$1") work=$2 version=$3 program=$4
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
make=$here/../../cmake/package/make.sh
rm -rf "$work"
mkdir -p "$work"
cd "$work"
export SOURCE_DATE_EPOCH=1700000000
fail() {
  echo "packages.sh: $*" >&2
  exit 1
}
has() { grep -qE "$2" <<<"$1" || fail "no '$2' in: $1"; }
has_not() { if grep -qE "$2" <<<"$1"; then fail "'$2' in: $1"; fi; }

# The same twice: in another folder, a second later, with other rights for new files.
"$make" "$build" "$work/first" gzip
sleep 1
(umask 077 && "$make" "$build" "$work/second" gzip)
diff -r first second || fail "the same build gave two different packages"

# --- what is in them
for package in libreel0 libreel-dev reel python3-reel; do
  deb=$(echo first/"${package}"_*.deb)
  [[ -f $deb ]] || fail "there is no $package"
  control=$(dpkg-deb -f "$deb")
  contents=$(dpkg-deb -c "$deb")
  has "$control" "^Version: $version\$"
  [[ $package == libreel0 ]] || has "$control" "libreel0 \(= $version\)"
  has "$contents" "root/root .* ./usr/share/doc/$package/copyright"
  has "$contents" "./usr/share/doc/$package/changelog.gz"
  has_not "$(sed 's| root/root ||' <<<"$contents")" '^[-dlrwx]{10} [^ ]+/[^ ]+ ' # whoever builds, root owns
  has_not "$contents" '^-[rwx-]*w[rwx-]*(..w|.w.)' # others may not write
  dpkg-deb -x "$deb" root
done
has "$(dpkg-deb -f first/libreel0_*.deb Depends)" 'libc6 .*libzstd1'
minor=$(/usr/bin/python3 -c 'import sys; print(sys.version_info.minor)')
has "$(dpkg-deb -f first/python3-reel_*.deb Depends)" "python3 \(>= 3\.$minor~\), python3 \(<< 3\.$((minor + 1))\), python3-numpy"
has "$(dpkg-deb -I first/libreel0_*.deb)" 'triggers'
for verb in $("$build/bin/reel" help --json | sed -n 's/^      "name": "\([a-z]*\)",$/\1/p'); do
  [[ -f root/usr/share/man/man1/reel-$verb.1.gz ]] || fail "reel-$verb(1) is not in the package"
done
triplet=$(dpkg-architecture -q DEB_HOST_MULTIARCH)
for file in share/man/man7/reel-environment.7.gz share/bash-completion/completions/reel share/zsh/vendor-completions/_reel \
  share/fish/vendor_completions.d/reel.fish share/vulkan/implicit_layer.d/VkLayer_reel_implicit.json "lib/$triplet/libreel.so.0" include/reel/reel.hpp include/reel_app.h "lib/$triplet/libreel.so" "lib/$triplet/cmake/reel/reelConfig.cmake" \
  lib/python3/dist-packages/reel/__init__.py share/doc/libreel0/third-party-notices.txt.gz; do
  [[ -e root/usr/$file ]] || fail "/usr/$file is in no package"
done
has "$(zcat root/usr/share/doc/libreel0/third-party-notices.txt.gz)" 'preact'
private=$(dirname "$(find root/usr/lib -name libreel_layer.so)")
[[ -z $(find root/usr/lib -maxdepth 1 -name 'libreel*') ]] || fail "libraries are in /usr/lib itself"
[[ $private == root/usr/lib/$triplet/reel && -f $private/libreel_layer.so && -f $private/vulkan/VkLayer_reel.json ]] || fail "the layer and its manifest are not in $private"
has "$(cat root/usr/share/vulkan/implicit_layer.d/VkLayer_reel_implicit.json)" "\"/usr/lib/.*/reel/libreel_layer.so\""
for binary in root/usr/bin/reel "root/usr/lib/$triplet"/libreel.so.0 "$private"/*.so; do
  has_not "$(readelf -d "$binary")" 'R(UN)?PATH'
done

# --- they run. A home that can't be written, not even by root, and a locale that nobody has, are no reason not to.
clean() { env -i PATH=/usr/bin:/bin HOME=/dev/null LC_ALL=xx_YY.broken REEL_DEVICE=host "$@"; }
captured() { env -i PATH=/usr/bin:/bin HOME=/dev/null REEL_CAPTURE_ENABLED=1 REEL_CAPTURE="$1" LD_LIBRARY_PATH="$2" "$program" --device host --mode direct --tokens 1 >/dev/null; }
installed() { clean env LD_LIBRARY_PATH="$work/root/usr/lib/$triplet" "$work/root/usr/bin/reel" "$@"; }
has "$(installed --version)" "^reel $version\$"
installed devices >/dev/null
captured "$work/pass.reel" "$work/root/usr/lib/$triplet"
installed info pass.reel >/dev/null
has "$(installed capture -- /bin/true 2>&1)" 'no call of OpenCL or Vulkan'
installed replay pass.reel >/dev/null
installed view pass.reel --html pass.html >/dev/null
clean env LD_LIBRARY_PATH="$work/root/usr/lib/$triplet" PYTHONPATH="$work/root/usr/lib/python3/dist-packages" PYTHONDONTWRITEBYTECODE=1 \
  /usr/bin/python3 -c 'import reel; assert len(reel.load("pass.reel").commands)'

# A program of a stranger finds the library of libreel-dev by CMake.
cmake -G Ninja -S "$here/consumer" -B "$work/consumer" -D CMAKE_PREFIX_PATH="$work/root/usr" -D WANTED_VERSION="$version" >/dev/null
cmake --build "$work/consumer" >/dev/null
has "$(clean env LD_LIBRARY_PATH="$work/root/usr/lib/$triplet" "$work/consumer/consumer")" '^1 2 3 4 on host$'
has "$(ldd "$work/consumer/consumer")" "libreel.so.0 => $work/root/usr/lib/$triplet/libreel.so.0"

# The tar.gz, from a folder with blanks, beside the package: each takes its own library and layer.
mkdir 'any folder'
tar -C 'any folder' -xf first/reel-*.tar.gz
mv 'any folder'/reel-* 'any folder/moved here'
tree="$work/any folder/moved here"
has "$(clean "$tree/bin/reel" --version)" "^reel $version\$"
has "$(clean ldd "$tree/bin/reel")" "libreel.so.0 => .*any folder"
has "$(clean ldd "$tree/lib/libreel.so.0")" "libfmt.so.9 => .*any folder"
clean "$tree/bin/reel" replay pass.reel >/dev/null
has "$(clean "$tree/bin/reel" capture -- /bin/true 2>&1)" 'no call of OpenCL or Vulkan'
[[ -f $tree/share/doc/reel/LICENSE && -f $tree/share/doc/reel/third-party-notices.txt ]] || fail "the tar.gz has no licences"

# A layer of another version, and a file that is none.
sed 's/reel layer of version [0-9.]*/reel layer of version 9.9.9/' "$tree/lib/libreel_layer.so" >other_layer.so
if said=$(clean env REEL_LAYER="$work/other_layer.so" "$tree/bin/reel" capture -- /bin/true 2>&1); then fail "a layer of another version was taken"; fi
has "$said" "is of version 9.9.9, and this is reel $version"
if said=$(clean env REEL_LAYER=/bin/true "$tree/bin/reel" capture -- /bin/true 2>&1); then fail "a program was taken for a layer"; fi
has "$said" 'is not a layer of Reel'

# The wheel brings its libraries along.
clean /usr/bin/python3 -m pip install --quiet --no-index --no-deps --disable-pip-version-check --no-cache-dir --target "$work/wheel" first/*.whl
has "$(clean ldd wheel/reel/libreel.so.0)" 'libfmt.so.9 => .*/wheel/reel'
clean env PYTHONPATH="$work/wheel" /usr/bin/python3 -c '
import reel, sys
assert reel.__file__.startswith(sys.argv[1]), reel.__file__
assert reel.replay(reel.load("pass.reel")).verified' "$work/wheel"
find wheel -name LICENSE | grep -q . || fail "the wheel has no licence"

if find . -newer pass.html -name '.cache' | grep -q .; then fail "something was cached"; fi
echo "packages.sh: all packages are as they should be"
