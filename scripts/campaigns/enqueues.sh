#!/usr/bin/env bash
# A million enqueues, after which nothing has grown: enqueues.sh [COUNT]
#
# Heap, resident memory, threads, open files and, on the tests' own OpenCL, OpenCL objects, after the first tenth and at the
# end: on the OpenCL device that is there (ARGMAX_CL_TEST_DEVICE selects one) and on the tests' own.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
need_packages "${build_packages[@]}"
prepare_pocl "$PWD/build"
count=${1:-1000000}
build_in build -DARGMAX_CL_BUILD_TESTS=ON -- run_enqueues run_enqueues_stub
export ARGMAX_CL_TUNING=
echo "== the tests' own OpenCL"
build/tests/run_enqueues_stub "$count"
echo "== the OpenCL device"
build/tests/run_enqueues "$count" "${ARGMAX_CL_TEST_DEVICE:-}"
