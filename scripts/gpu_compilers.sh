#!/usr/bin/env bash
# Kernels through the compilers of GPUs that are not here, which run without one: Clang with ROCm's device libraries for
# AMD's, and on x86-64 ocloc for Intel's. The programs are those of 50 random problems with layouts of the benchmark and
# 50 with wider ones (--random, --wide), of the seed "gpus", every fifth with a mask as well, with --all every fifth
# with both extrema too, under the rows that such devices get. A program that does not compile, that spills or has private
# memory, or that reads less at once than its vectors have, is a failure.
#
# usage: gpu_compilers.sh BUILD_FOLDER          a sample, each program for one target
#        gpu_compilers.sh BUILD_FOLDER --all    every program for all targets, and the table of docs/portability.md
#
# With argmax-cl-bench and print_geometry built; environment: PROBLEMS, another number than 50. Needs Debian.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath -m "$1")
# shellcheck source=scripts/packages.sh
. scripts/packages.sh

# From packages that are not installed: an OpenCL device more, and a second LLVM beside PoCL's in each process, would be in
# the way of the tests. ocloc needs all of these, also those that it loads at run time. Clang 15 would do, but for gfx1100 it
# keeps to half the registers.
architecture=$(dpkg --print-architecture)
packages=(rocm-device-libs clang-19 libclang-common-19-dev libclang-cpp19 libllvm19) ocloc=
[ "$architecture" != amd64 ] || packages+=(intel-opencl-icd libigc1 libigdfcl1 libigdgmm12 libopencl-clang14 libllvmspirvlib14
    libclang-cpp14 libllvm14)
need_packages clang # and what that needs of other packages
unpack "$architecture" "$build/gpus" "${packages[@]}"
root=$(realpath "$build/gpus/root")
[ "$architecture" != amd64 ] || ocloc=$root/usr/bin/ocloc
libraries=$root/usr/lib/$(gcc -print-multiarch)
bitcode=$(find "$root" -type d -path '*/amdgcn/bitcode')

# Lines "DEVICE KERNEL OPTIONS".
programs() {
    local device wide list=$build/gpus/problems.txt
    for device in amd tgllp dg2 pvc; do
        for wide in '' --wide; do
            # shellcheck disable=SC2086 # an option, or none
            "$build/bench/argmax-cl-bench" --random "${PROBLEMS:-50}" --seed gpus $wide --print |
                awk -v device="$device" -v all="${2:-}" '
                    /^arg/ {
                        sub(/ *#.*/, "")
                        print device " | " $0
                        if (NR % 5 == 0)
                            print device " | " $0 " mask=half"
                        if (all != "" && NR % 5 == 1) {
                            sub(/^[a-z]+/, "argminmax")
                            print device " | " $0
                        }
                    }' >"$list"
            "$build/tests/print_geometry" --write /dev/null "$list" | awk -v device="$device" '
                /^    [a-z_]+ -cl-std=/ {
                    printf "%s %s %s", device, $1, $2
                    for (i = 3; i <= NF; ++i)
                        printf " -D%s", $i
                    print ""
                }'
        done
    done
}

programs "$@" | python3 scripts/gpu_compilers.py "${@:2}" "$root/usr/lib/llvm-19/bin/clang" "$bitcode" "$ocloc" "$libraries"
