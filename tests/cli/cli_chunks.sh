#!/usr/bin/env bash
# argmax-cl reads a compressed NetCDF file in blocks: each chunk is decompressed once, whatever the axis and the limit.
# usage: cli_chunks.sh ARGMAX_CL RUN_LARGE LIBCOUNT_INFLATES
# Exit status 77 where libnetcdf does not call zlib by its usual name.
set -euo pipefail
program=$1 large=$2 counter=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$large" make x.nc 256
chunks=$((2 * 8 * 8))
LD_PRELOAD=$counter "$large" read x.nc 2>alone >output
grep -qx "inflated $chunks" alone || { echo "cli_chunks: libnetcdf does not use zlib where it can be counted"; exit 77; }
for run in '40M 0' '40M 1' '40M 2' '40M 0,1,2' '1G 0'; do
    limit=${run% *} axis=${run#* }
    LD_PRELOAD=$counter "$program" --memory-limit "$limit" -a "$axis" -o "$axis.npy" x.nc 2>count
    grep -qx "inflated $chunks" count ||
        { echo "cli_chunks: --memory-limit $limit -a $axis: $(cat count), expected $chunks, the file's chunks"; exit 1; }
done
echo "cli_chunks: each of $chunks chunks once"
