#!/usr/bin/env bash
# sysroot.sh - what Reel is compiled against for arm64, in a folder: Debian's arm64 packages, unpacked, not installed.
#
# Usage: sysroot.sh FOLDER
# apt gets a configuration of its own (architecture, lists, state), so that this machine's stays what it is: it learns no
# second architecture. Nothing is done when the folder holds what is asked for already.
set -euo pipefail

root=$(mkdir -p "$1" && cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# What the compiler of this machine doesn't run itself: libraries and headers. Tools such as flatc and npm stay this machine's.
mapfile -t packages < <(awk '$1 == "arm64-root" { print $2 }' "$here/../packages.txt")
((${#packages[@]})) || {
  echo "sysroot.sh: cmake/packages.txt has no packages for 'arm64-root'." >&2
  exit 1
}

stamp=$root/packages.stamp
if [[ -f $stamp && $(<"$stamp") == "${packages[*]}" ]]; then exit 0; fi

state=$root.apt
mkdir -p "$state/lists/partial" "$state/archives/partial"
: >"$state/status"
apt=(apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$state" -o Dir::State::status="$state/status"
  -o Dir::State::lists="$state/lists" -o Dir::Cache::archives="$state/archives" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
  -o Debug::NoLocking=1 -o APT::Sandbox::User= -o Binary::apt-get::APT::Keep-Downloaded-Packages=1)
"${apt[@]}" update >"$state/log" 2>&1 || {
  tail -n 15 "$state/log" >&2
  echo "sysroot.sh: apt-get update for arm64 failed (above). Check the network, and that the sources of /etc/apt have arm64." >&2
  exit 1
}
# The status of dpkg is empty, so that all they depend on comes too, libc6 and libstdc++ among it.
"${apt[@]}" install -y --download-only --no-install-recommends "${packages[@]}" >>"$state/log" 2>&1 || {
  tail -n 15 "$state/log" >&2
  echo "sysroot.sh: the arm64 packages can't be had (above): ${packages[*]}" >&2
  exit 1
}
rm -rf "$root"
mkdir -p "$root"
for archive in "$state"/archives/*.deb; do dpkg-deb --fsys-tarfile "$archive" | tar -x -C "$root" --no-same-owner; done
# Links to absolute paths would lead to this machine's files.
find "$root" -type l -lname '/*' -printf '%p %l\n' | while read -r link target; do ln -sfn --relative "$root$target" "$link"; done
echo "${packages[*]}" >"$stamp"
