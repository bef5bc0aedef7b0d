#!/usr/bin/env bash
# bare_root.sh <packages> - installs the packages on a bare Debian 12, without a compiler, uses them as the README does, removes them, and looks for
# what stayed. As root, with a network; the bare system is kept in build/bare, so that the next time takes a minute.
set -euo pipefail
packages=$(realpath "${1:?the folder of packages}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
((EUID == 0)) || {
  echo "bare_root.sh needs root: debootstrap and chroot do." >&2
  exit 1
}
base=$PWD/build/bare
root=$base/root
mkdir -p "$base"
if [[ ! -f $base/minbase.tar ]]; then
  rm -rf "$base/new"
  debootstrap --variant=minbase bookworm "$base/new" "${REEL_DEV_MIRROR:-http://deb.debian.org/debian}" >"$base/debootstrap.log"
  tar -C "$base/new" -cf "$base/minbase.tar" .
  rm -rf "$base/new"
fi

leave() {
  local mounted
  for mounted in dev/pts dev proc sys; do if mountpoint -q "$root/$mounted"; then umount "$root/$mounted"; fi; done
  rm -rf "$root"
}
trap leave EXIT
mkdir -p "$root"
system=$base/minbase.tar
if [[ -f $base/system.tar ]]; then system=$base/system.tar; fi
tar -C "$root" -xf "$system"
cp /etc/resolv.conf "$root/etc/"
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/" # a proxy, where this machine has one
for mounted in proc sys dev dev/pts; do mount --bind "/$mounted" "$root/$mounted"; done
mkdir "$root/packages"
cp "$packages"/* "$root/packages/"

in_root() { chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8 bash -euc "$1"; }
# Files of the system, without what apt and drivers keep for themselves.
files() {
  (cd "$root" && find . -xdev \( -path ./packages -o -path ./proc -o -path ./sys -o -path ./dev -o -path ./var/lib -o -path ./var/cache -o -path ./var/log -o -path ./tmp \
    -o -path ./root/.cache \) -prune -o -print | sort)
}
say() { printf '==> %s\n' "$*"; }

if [[ $system != "$base/system.tar" ]]; then
  say "Drivers, and the programs that are captured and run"
  in_root 'apt-get update -q >/dev/null && apt-get install -y -q --no-install-recommends pocl-opencl-icd mesa-vulkan-drivers \
  clpeak man-db bash-completion ocl-icd-libopencl1 libvulkan1 python3-numpy python3-pip python3-venv >/dev/null'
  tar -C "$root" --one-file-system --exclude=./packages -cf "$base/system.tar" .
fi
say "What the packages depend on, so that only what is ours comes and goes"
# shellcheck disable=SC2016 # the shell of the bare system expands it
in_root 'cd /packages && apt-get install -y -q --no-install-recommends $(for deb in *.deb; do dpkg-deb -f "$deb" Depends; done |
  tr , "\n" | awk "{ print \$1 }" | grep -v libreel | sort -u) >/dev/null'
before=$(files)

say "apt installs them, with their dependencies"
in_root 'cd /packages && apt-get install -y -q ./libreel0_*.deb ./reel_*.deb ./libreel-dev_*.deb ./python3-reel_*.deb >/dev/null'
say "The README's commands"
in_root 'cd /tmp && reel devices && reel capture -o run.reel -- clpeak --kernel-latency && reel info run.reel && reel insights run.reel >/dev/null &&
  reel replay run.reel && reel view run.reel --html run.html && reel export run.reel --to perfetto && reel sql run.reel "select count(*) from commands"'
in_root 'man -P cat reel-replay | grep -q -- --device && man -P cat reel | grep -q reel-capture'
# shellcheck disable=SC2016 # the shell of the bare system expands it
in_root 'source /usr/share/bash-completion/completions/reel; COMP_WORDS=(reel source /tmp/run.reel k); COMP_CWORD=3; _reel; [[ ${#COMPREPLY[@]} -gt 0 ]]'
say "From Python"
in_root 'cd /tmp && python3 -c "import reel; trace = reel.load(\"run.reel\"); print(len(trace.commands), \"commands in Python\")"'
say "Tutorials, as they stand, without a compiler"
in_root '! command -v cc && ! command -v gcc && ! command -v clang' >/dev/null
mkdir "$root/tutorials"
cp tests/docs/run_tutorial.py docs/tutorials/*.md "$root/tutorials/"
for tutorial in slow-pass from-python graph-from-streams wrong-result regression-in-ci; do
  in_root "python3 /tutorials/run_tutorial.py /tutorials/$tutorial.md" >"$base/tutorial.log" || {
    tail -n 20 "$base/tutorial.log" >&2
    exit 1
  }
  echo "    $tutorial: $(tail -n 1 "$base/tutorial.log")"
done
say "The wheel in an environment of its own, and the tar.gz beside the package"
# shellcheck disable=SC2016 # the shell of the bare system expands it
in_root 'python3 -m venv --system-site-packages /tmp/env && /tmp/env/bin/pip install -q --no-index /packages/*.whl &&
  cd /tmp && env/bin/python -c "import reel, sys; assert reel.__file__.startswith(\"/tmp/env\"); print(len(reel.load(\"run.reel\").commands), \"commands\")" &&
  PATH=/tmp/env/bin:$PATH python3 /tutorials/run_tutorial.py /tutorials/from-python.md | tail -n 1'
rm -r "$root/tutorials"
in_root 'mkdir "/tmp/any folder" && tar -C "/tmp/any folder" -xf /packages/reel-*.tar.gz && cd "/tmp/any folder"/reel-* && bin/reel devices >/dev/null &&
  bin/reel capture -q -o /tmp/two.reel -- clpeak --kernel-latency && bin/reel replay /tmp/two.reel >/dev/null'

say "Removed: what stayed"
in_root 'apt-get purge -y -q reel libreel0 libreel-dev python3-reel >/dev/null; rm -rf /tmp/* /root/.cache'
after=$(files)
if ! diff <(echo "$before") <(echo "$after"); then
  echo "These files stayed (>), or went (<)." >&2
  exit 1
fi
# The tar.gz needs nothing of ours that was installed.
in_root 'mkdir /tmp/alone && tar -C /tmp/alone -xf /packages/reel-*.tar.gz && /tmp/alone/reel-*/bin/reel devices >/dev/null'
say "Nothing."
