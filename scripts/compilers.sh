#!/usr/bin/env bash
# The host code without a warning on other compilers, C libraries and machines, which are installed where they are
# missing.
#
# usage: compilers.sh BUILD_FOLDER            clang; musl; mingw-w64, the library linked; some of the kernels' programs for
#                                             GPUs of AMD and Intel (gpu_compilers.sh)
#        compilers.sh BUILD_FOLDER --matrix   all of these; and 32-bit x86 and big-endian s390x, where the tests that need
#                                             no device run and the plans are those of the first build. Needs Debian.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$PWD/$1
matrix=${2:-}
# shellcheck source=scripts/packages.sh
. scripts/packages.sh

library_only=(-DARGMAX_CL_INSTALL=OFF)
for part in TESTS TOOLS BENCH EXAMPLES BINDINGS; do library_only+=("-DARGMAX_CL_BUILD_$part=OFF"); done

# OpenCL's headers without those of this machine's C library beside them.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
loader=$(cached OpenCL_LIBRARY)
headers=$build/headers
mkdir -p "$headers"
ln -sfn "$(cached OpenCL_INCLUDE_DIR)/CL" "$headers/CL"

build_strictly() { build_in "$@" -DARGMAX_CL_WERROR=ON; } # FOLDER OPTIONS...

with_clang() {
    need_packages clang
    build_strictly "$build-clang" -DCMAKE_C_COMPILER=clang -DARGMAX_CL_BUILD_TESTS=ON -DARGMAX_CL_INSTALL=OFF
}

# The ICD loader needs glibc: the library is linked against it, and not run.
with_musl() {
    need_packages musl-tools
    build_strictly "$build-musl" -DCMAKE_C_COMPILER=musl-gcc "${library_only[@]}" -DOpenCL_INCLUDE_DIR="$headers" \
        -DOpenCL_LIBRARY="$loader"
}

# Windows has the loader as OpenCL.dll, which the functions that ours has are taken from.
with_mingw() {
    local folder=$build-mingw compiler=x86_64-w64-mingw32
    need_packages gcc-mingw-w64-x86-64-posix
    mkdir -p "$folder"
    nm -D --defined-only "$loader" |
        awk 'BEGIN {print "LIBRARY OpenCL.dll\nEXPORTS"} $3 ~ /^cl/ {sub("@.*", "", $3); print $3}' >"$folder/OpenCL.def"
    $compiler-dlltool -d "$folder/OpenCL.def" -l "$folder/libOpenCL.dll.a" || return 1
    build_strictly "$folder" -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=$compiler-gcc-posix \
        -DCMAKE_RC_COMPILER=$compiler-windres "${library_only[@]}" -DOpenCL_INCLUDE_DIR="$headers" \
        -DOpenCL_LIBRARY="$folder/libOpenCL.dll.a"
}

# The device-free tests on another machine, and its plans and answers beside this one's.
foreign() { # ARCHITECTURE TRIPLET TRIPLET_OF_ITS_LIBRARIES EMULATOR...
    local folder=$build-$1 triplet=$2 libraries
    unpack "$1" "$folder/system" check libsubunit0 libsubunit-dev ocl-icd-libopencl1 || return 1
    libraries=$folder/system/root/usr/lib/$3
    export PKG_CONFIG_LIBDIR=$libraries/pkgconfig PKG_CONFIG_SYSROOT_DIR=$folder/system/root
    build_strictly "$folder" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_C_COMPILER="$triplet-gcc" \
        "-DCMAKE_CROSSCOMPILING_EMULATOR=$(IFS=';'; echo "${*:4}")" -DARGMAX_CL_BUILD_TESTS=ON \
        -DARGMAX_CL_BUILD_BENCH=OFF -DARGMAX_CL_BUILD_EXAMPLES=OFF -DARGMAX_CL_BUILD_BINDINGS=OFF \
        -DARGMAX_CL_INSTALL=OFF \
        -DOpenCL_INCLUDE_DIR="$headers" -DOpenCL_LIBRARY="$libraries/libOpenCL.so.1" &&
        ctest --test-dir "$folder" -L unit --output-on-failure || return 1
    "$build/tests/print_plans" >"$folder/plans_here.txt"
    "${@:4}" "$folder/tests/print_plans" >"$folder/plans.txt" && cmp "$folder/plans_here.txt" "$folder/plans.txt" &&
        echo "$(grep -cE '^arg(max|min) ' "$folder/plans.txt") problems with the same plans and answers"
}

with_i386() {
    local libraries=/usr/i686-linux-gnu/lib:$build-i386/system/root/usr/lib/i386-linux-gnu
    need_packages gcc-i686-linux-gnu libc6-dev-i386-cross
    foreign i386 i686-linux-gnu i386-linux-gnu /usr/i686-linux-gnu/lib/ld-linux.so.2 --library-path "$libraries"
}

with_s390x() {
    need_packages gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user
    foreign s390x s390x-linux-gnu s390x-linux-gnu qemu-s390x -L /usr/s390x-linux-gnu
}

with_gpus() { scripts/gpu_compilers.sh "$build" ${matrix:+--all}; }

compilers=(clang musl mingw gpus)
[ "$matrix" != --matrix ] || compilers+=(i386 s390x)
failed=0
for name in "${compilers[@]}"; do
    echo "-- $name"
    (set -e; "with_$name") || { echo "-- $name: FAILED"; failed=1; }
done
exit $failed
