#!/usr/bin/env bash
# Files larger than memory, beside libnetcdf alone, dask and xarray: files.sh [GIB [LIMIT [PYTHON]]]
#
# Makes a .npy and a compressed, chunked NetCDF file of GIB (12) in build/files, which takes 1.3 times that, and reduces
# both along each axis with --memory-limit LIMIT (512M): seconds and peak memory of argmax-cl, how often chunks were
# decompressed, whether both files have the same answer, and the time in which libnetcdf alone reads the file. PYTHON is
# an interpreter with numpy, dask, xarray and netCDF4, which then reduce the same files; without it they are left out.
# The table stays in build/files.txt; the files are deleted.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
need_packages "${build_packages[@]}"
prepare_pocl "$PWD/build"
build_in build -DARGMAX_CL_BUILD_TESTS=ON -- argmax-cl run_large count_inflates
gib=${1:-12} limit=${2:-512M} python=${3:-}
program=$PWD/build/tools/argmax-cl/argmax-cl large=$PWD/build/tests/run_large
counter=$PWD/build/tests/libcount_inflates.so peers=$PWD/scripts/campaigns/files.py
folder=$PWD/build/files table=$PWD/build/files.txt
mkdir -p "$folder"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export ARGMAX_CL_TUNING=

timed() { # LABEL COMMAND...: seconds and peak, into the table
    local label=$1
    shift
    /usr/bin/time -f '%e %M' -o time "$@" >output 2>error || { cat error; exit 1; }
    awk -v label="$label" -v gib="$gib" '{ printf "%-44s %7.2f s  %6.3f GB/s  peak %6.0f MiB  ", label, $1, gib * 1.073741824 / $1, $2 / 1024 }' time
    grep -h '^inflated' error || echo
}
"$large" make x.npy $((gib * 1024))
"$large" make x.nc $((gib * 1024))
{
    "$program" --list-devices
    grep -m 1 'model name' /proc/cpuinfo
    for file in x.npy x.nc; do
        for axis in 0 1 2; do
            answer=(--memory-limit "$limit" -a "$axis" -o "$axis.$file.npy" "$file")
            [ $file = x.nc ] || "$program" "${answer[@]}" # compiles
            [ $file = x.npy ] || timed "libnetcdf alone" "$large" read x.nc
            timed "argmax-cl --memory-limit $limit -a $axis $file" env LD_PRELOAD="$counter" "$program" "${answer[@]}"
            cmp "$axis.$file.npy" "$axis.x.npy.npy"
        done
    done
    for task in "dask x.npy" "xarray x.nc"; do
        for axis in 0 1 2; do
            # shellcheck disable=SC2086 # two words
            [ -z "$python" ] || timed "$task, axis $axis" "$python" "$peers" $task $axis "$axis.x.npy.npy"
        done
    done
} | tee "$table"
