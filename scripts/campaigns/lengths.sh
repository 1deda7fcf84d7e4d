#!/usr/bin/env bash
# Every length to twice the widest block, every subset of axes of every rank: lengths.sh [LONGEST] [TYPE...]
#
# Reductions of 1 to LONGEST elements (65536 unless given) with the extremum at every place, up to 2048 elements, and at
# 16 places beyond; every pair of equal extrema up to 64 elements; then all subsets of axes of ranks 1 to 8 on four sets
# of sizes. TYPE is int8 and float32 unless given. On the OpenCL device that is there (ARGMAX_CL_TEST_DEVICE selects
# one). Hours on a CPU device: int8 alone, from 2049 elements on, took one core half an hour.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
need_packages "${build_packages[@]}"
prepare_pocl "$PWD/build"
build_in build -DARGMAX_CL_BUILD_TESTS=ON -- run_lengths run_axes
longest=${1:-65536}
types=("${@:2}")
[ ${#types[@]} -gt 0 ] || types=(int8 float32)
export ARGMAX_CL_TUNING=
build/tests/run_lengths --device "${ARGMAX_CL_TEST_DEVICE:-}" --to $((longest < 64 ? longest : 64)) --ties 64 \
    --strategies 1 "${types[@]}"
[ "$longest" -le 64 ] || build/tests/run_lengths --device "${ARGMAX_CL_TEST_DEVICE:-}" --from 65 --to "$longest" \
    --places 2048 --ties 2 "${types[@]}"
build/tests/run_axes --device "${ARGMAX_CL_TEST_DEVICE:-}" --seeds 4 float32 int8 float16
