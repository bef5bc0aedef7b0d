#!/usr/bin/env bash
# set_user_id.sh <intruder> <own program> <OpenCL program> <layer> - a program that is owned by root and runs
# with its rights for another user obeys none of that user's variables.
set -euo pipefail
intruder=$1 own=$2 opencl=$3 layer=$4
if [[ $EUID -ne 0 ]]; then
  echo "Skipped: only root can make a program that runs with the rights of root."
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 711 "$folder"
mkdir -m 777 "$folder/out"
fails=0

# as_nobody <program> <words> …: an unprivileged user's call, with the variables in `attack`.
as_nobody() {
  (cd "$folder/out" && env "${attack[@]}" HOME="$folder/out" POCL_CACHE_DIR="$folder/out" \
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@" 2>&1) || true
}
# probe <title> <program> <what tells that it obeyed> <words> …: plain it must obey, else the test can't fail.
probe() {
  local title=$1 program=$2 obeyed=$3
  shift 3
  for mode in 755 4755; do
    rm -rf "${folder:?}/program" "$folder"/out/*
    cp "$program" "$folder/program"
    chmod "$mode" "$folder/program"
    said=$(as_nobody "$folder/program" "$@")
    if [[ $said == *"$obeyed"* || -e $folder/out/$obeyed ]]; then found=yes; else found=no; fi
    if [[ $mode == 755 && $found == no ]]; then
      echo "FAILED: $title: a plain program does not obey ${attack[*]}, so this test says nothing: $said" && fails=1
    elif [[ $mode == 4755 && $found == yes ]]; then
      echo "FAILED: $title: a set-user-id program obeys ${attack[*]}: $said" && fails=1
    fi
  done
}

attack=("REEL_OPENCL_LIBRARY=$intruder")
probe "the OpenCL library" "$own" "intruder loaded" --device opencl --layers 1
attack=("REEL_VULKAN_LIBRARY=$intruder")
probe "the Vulkan library" "$own" "intruder loaded" --device vulkan --layers 1
attack=(REEL_CAPTURE=own.reel REEL_CAPTURE_ENABLED=1)
probe "a capture" "$own" own.reel --device host --layers 1
attack=("OPENCL_LAYERS=$layer" REEL_LAYER_CAPTURE=layer.reel REEL_CAPTURE_ENABLED=1)
probe "a capture by the layer" "$opencl" layer.reel
exit "$fails"
