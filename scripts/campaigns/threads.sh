#!/usr/bin/env bash
# Eight threads on one handle, its plans and queues: threads.sh [SECONDS]; a minute each unless given
#
# On an OpenCL of the tests' own under ThreadSanitizer, whose reports end it, with plans of one launch and of two; then on
# the OpenCL device that is there (ARGMAX_CL_TEST_DEVICE selects one). Every answer is compared with the oracle's.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
need_packages "${build_packages[@]}"
prepare_pocl "$PWD/build"
seconds=${1:-60}
compiler=$(thread_compiler)

run() { # TITLE COMMAND...
    echo "== $1"
    "${@:2}"
}

build_in build-tsan -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DARGMAX_CL_BUILD_TESTS=ON \
    -DARGMAX_CL_SANITIZE=thread -DARGMAX_CL_BUILD_BENCH=OFF -DARGMAX_CL_BUILD_TOOLS=OFF \
    -DARGMAX_CL_BUILD_EXAMPLES=OFF -- run_threads_stub
build_in build -DARGMAX_CL_BUILD_TESTS=ON -- run_threads
for launches in one_launch two_launches; do
    export ARGMAX_CL_TUNING=$PWD/build-tsan/tests/$launches.tuning
    TSAN_OPTIONS=halt_on_error=1 run "ThreadSanitizer ($compiler), $launches" \
        with_fixed_addresses build-tsan/tests/run_threads_stub "$seconds"
done
export ARGMAX_CL_TUNING=
run "the OpenCL device" build/tests/run_threads "$seconds" "$(date +%s)" "${ARGMAX_CL_TEST_DEVICE:-}"
