#!/usr/bin/env bash
# Install into a folder, move that folder, and build and run a user's program against it: through the CMake package and
# through pkg-config, shared and static, as C11 and as C++17.
# usage: run.sh BUILD_FOLDER C_COMPILER CXX_COMPILER      (environment: CMAKE_COMMAND)
set -euo pipefail
build=$1 cc=$2 cxx=$3
cmake=${CMAKE_COMMAND:-cmake}
here=$(cd "$(dirname "$0")" && pwd)
work=$build/outside
rm -rf "$work"
mkdir -p "$work"

# Moved, so that nothing can depend on where it was installed.
"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/stage"
stage=$work/stage
library=$(find "$stage" -name 'libargmax_cl.so*' -printf '%h\n' | head -n 1)
export LD_LIBRARY_PATH=$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH=$library/pkgconfig

# What must be there, whatever the programs below happen to need.
for file in include/argmax_cl/argmax_cl.h bin/argmax-cl share/doc/argmax_cl/LICENSE; do
    [ -e "$stage/$file" ] || { echo "not installed: $file"; exit 1; }
done
readelf -d "$library/libargmax_cl.so" | grep -q 'SONAME.*\[libargmax_cl\.so\.[0-9]*\]' || { echo "no SONAME"; exit 1; }
"$stage/bin/argmax-cl" --version

echo "-- CMake package"
"$cmake" -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$stage" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_CXX_COMPILER="$cxx" >"$work/configure.log" || { cat "$work/configure.log"; exit 1; }
"$cmake" --build "$work/cmake" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
for program in c_argmax_cl c_argmax_cl_static cxx_argmax_cl cxx_argmax_cl_static; do
    "$work/cmake/$program"
done

echo "-- pkg-config $(pkg-config --modversion argmax_cl)"
read -ra cflags <<<"$(pkg-config --cflags argmax_cl)"
read -ra libs <<<"$(pkg-config --libs argmax_cl)"
read -ra static_libs <<<"$(pkg-config --libs --static argmax_cl | sed "s|-largmax_cl|$library/libargmax_cl.a|")"
"$cc" -std=c11 "${cflags[@]}" "$here/main.c" -o "$work/c" "${libs[@]}"
"$cxx" -std=c++17 "${cflags[@]}" "$here/main.cpp" -o "$work/cxx" "${libs[@]}"
"$cc" -std=c11 "${cflags[@]}" "$here/main.c" -o "$work/c_static" "${static_libs[@]}"
for program in c cxx c_static; do
    "$work/$program"
done
