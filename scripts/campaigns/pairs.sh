#!/usr/bin/env bash
# All 2^32 pairs of float16 and of bfloat16 elements, and of 8-bit ones: pairs.sh [OPTION...]
#
# Through every way in which the kernels compare two elements, both operators, directions and NaN modes. OPTION as for
# build/tests/run_pairs; `--only TEXT` takes the ways with that in their names. On the OpenCL device that is there
# (ARGMAX_CL_TEST_DEVICE selects one). A minute or two on a large GPU; on a CPU device hours, but for `--only "columns
# as chosen"`. The tables stay in build/pairs-TYPE.txt.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
need_packages "${build_packages[@]}"
prepare_pocl "$PWD/build"
build_in build -DARGMAX_CL_BUILD_TESTS=ON -- run_pairs

compare() { # TYPE OPTION...
    build/tests/run_pairs --device "${ARGMAX_CL_TEST_DEVICE:-}" --all --elements $((1 << 33)) "${@:2}" "$1" \
        >"build/pairs-$1.txt" 2>&1
}
failed=0
running=()
for type in float16 bfloat16 int8 uint8; do
    compare "$type" "$@" &
    running+=($!)
    # Types side by side, so that one compiles while another one runs; on few cores one after the other.
    [ "$(nproc)" -ge 8 ] || wait $! || failed=1
done
for process in "${running[@]}"; do
    wait "$process" || failed=1
done
cat build/pairs-{float16,bfloat16,int8,uint8}.txt
exit $failed
