#!/usr/bin/env bash
# Tensors of more than 2^31 and 2^32 elements: big.sh [--memory]
#
# Over small buffers, by zero and overlapping strides (tests/exhaustive/big_views.txt); with --memory, which takes a device with
# 60 GB, also in memory of their own: 2^31 - 1 to 2^32 + 2 million elements of 1 byte, and more than 4 and 8 GiB of 2
# and 4 bytes. On the OpenCL device that is there (ARGMAX_CL_TEST_DEVICE selects one). The tables stay in build/big.txt.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
need_packages "${build_packages[@]}"
prepare_pocl "$PWD/build"
build_in build -DARGMAX_CL_BUILD_TESTS=ON -- run_big

memory=()
if [ "${1:-}" = --memory ]; then
    two=$((1 << 31)) four=$((1 << 32))
    for elements in $((four + 2000000)) $((two - 1)) $two $((two + 1)) $((four - 1)) $four $((four + 1)); do
        memory+=(--memory int8 "$elements")
    done
    memory+=(--memory uint8 $((four + 1)) --memory float16 $((four + 2000000)) --memory float16 $((two + 1))
        --memory float32 $((four + 1)) --memory float32 $((two - 1)) --memory bfloat16 $((two + 1)))
fi
export ARGMAX_CL_TUNING=
build/tests/run_big --device "${ARGMAX_CL_TEST_DEVICE:-}" --file tests/exhaustive/big_views.txt "${memory[@]}" | tee build/big.txt
