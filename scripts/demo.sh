#!/usr/bin/env bash
# Install what is missing, build, and answer: which year was the warmest, and which the coldest, at each grid point of
# North America, from 1860 to 2099 in a climate model's scenario A1B?
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh

need_packages "${build_packages[@]}"
echo "Building into build/"
build_in build -- argmax-cl name_years
prepare_pocl "$PWD/build"
argmax_cl=build/tools/argmax-cl/argmax-cl
# A driver for the processor, where there is no other device.
"$argmax_cl" --list-devices >/dev/null 2>&1 || need_packages pocl-opencl-icd

data=examples/data/A1B_north_america.nc
ask() { # TITLE NAME OPTION...
    local title=$1 indices=build/$2.npy
    shift 2
    echo
    echo "== $title"
    echo "\$ argmax-cl $* $data:air_temperature"
    "$argmax_cl" "$@" "$data:air_temperature"
    "$argmax_cl" "$@" -o "$indices" "$data:air_temperature"
    echo "\$ argmax-cl $* -o $indices $data:air_temperature; build/examples/name_years $data $indices"
    build/examples/name_years "$data" "$indices"
}
ask "Which year is the warmest at each grid point?" warmest -a 0
ask "Which year is the coldest at each grid point?" coldest -a 0 --min
