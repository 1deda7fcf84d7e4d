#!/usr/bin/env bash
# Each OpenCL call and allocation fails with each error, objects go in each order; also under sanitizers: faults.sh
#
# On the device that ARGMAX_CL_TEST_DEVICE selects (an index or a part of its name), or the one thought fastest.
# The tables stay in build/faults.txt.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh

need_packages "${build_packages[@]}"
prepare_pocl "$PWD/build"
export ARGMAX_CL_TUNING=
# Leaks of drivers and compilers are not ours.
export LSAN_OPTIONS=suppressions=$PWD/tests/support/leaks.txt:print_suppressions=0 UBSAN_OPTIONS=print_stacktrace=1

run_in() { # FOLDER ALL CMAKE_OPTION...
    local folder=$1 all=$2 program
    build_in "$folder" -DARGMAX_CL_BUILD_TESTS=ON "${@:3}" -- argmax_cl_test_layer run_faults run_lifetimes run_limits
    export OPENCL_LAYERS=$PWD/$folder/tests/libargmax_cl_test_layer.so
    for program in "run_faults $all" "run_lifetimes $all" run_limits; do
        echo "== $folder: $program"
        # shellcheck disable=SC2086 # a program and at most one option
        $folder/tests/$program
    done
}

mkdir -p build
{
    run_in build --all
    run_in build-asan "" -DCMAKE_BUILD_TYPE=Debug "-DARGMAX_CL_SANITIZE=address;undefined"
} | tee build/faults.txt
