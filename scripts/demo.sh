#!/usr/bin/env bash
# Install what is missing, build, and answer: which year was the warmest, and which the coldest, at each grid point of
# North America, from 1860 to 2099 in a climate model's scenario A1B?
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh

need_packages "${build_packages[@]}"
echo "Building into build/"
build_in build -- argmax-cl
prepare_pocl "$PWD/build"
argmax_cl=build/tools/argmax-cl/argmax-cl
# A driver for the processor, where there is no other device.
"$argmax_cl" --list-devices >/dev/null 2>&1 || need_packages pocl-opencl-icd

data=examples/data/A1B_north_america.nc
ask() { # TITLE OPTION...
    echo
    echo "== $1"
    echo "\$ argmax-cl ${*:2} $data:air_temperature"
    "$argmax_cl" "${@:2}" "$data:air_temperature"
}
ask "Which year is the warmest at each grid point?" -a time
ask "Which year is the coldest at each grid point?" -a time --min
