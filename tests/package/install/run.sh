#!/usr/bin/env bash
# What a user does with the library: install it into a folder, move that folder, and build and run a program against it,
# through the CMake package and through pkg-config, shared and static, as C11, as C++17 and as Fortran; take the sources
# into a project of one's own; make packages.
# usage: run.sh installed|sources|packages BUILD_FOLDER SOURCE_FOLDER C_COMPILER CXX_COMPILER
#        environment: CMAKE_COMMAND
# "installed" leaves its files for "packages" to compare with.
set -euo pipefail
what=$1 build=$2 sources=$3 cc=$4 cxx=$5
cmake=${CMAKE_COMMAND:-cmake}
here=$(cd "$(dirname "$0")" && pwd)
work=$build/outside/$what
strict=(-Wall -Wextra -Wpedantic -Werror)
rm -rf "$work"
mkdir -p "$work"

quietly() { # LOG COMMAND...
    "${@:2}" >"$work/$1.log" 2>&1 || { cat "$work/$1.log"; exit 1; }
}

# The CMake project here, with these compilers and all warnings, its programs run.
project() { # NAME C_COMPILER CXX_COMPILER OPTIONS...
    echo "-- $1"
    quietly "$1" "$cmake" -S "$here" -B "$work/$1" -DCMAKE_C_COMPILER="$2" -DCMAKE_CXX_COMPILER="$3" \
        -DCMAKE_C_FLAGS="${strict[*]}" -DCMAKE_CXX_FLAGS="${strict[*]}" "${@:4}"
    quietly "$1" "$cmake" --build "$work/$1" -j 2
    for program in c_argmax_cl c_argmax_cl_static cxx_argmax_cl cxx_argmax_cl_static; do
        "$work/$1/$program"
    done
}

installed() {
    # Moved, so that nothing can depend on where it was installed.
    quietly install "$cmake" --install "$build" --prefix "$work/first"
    mv "$work/first" "$work/stage"
    stage=$work/stage
    library=$(find "$stage" -name 'libargmax_cl.so*' -printf '%h\n' | head -n 1)
    export LD_LIBRARY_PATH=$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export PKG_CONFIG_PATH=$library/pkgconfig

    # What must be there, whatever the programs below happen to need.
    for file in include/argmax_cl/argmax_cl.h include/argmax_cl/argmax_cl.hpp bin/argmax-cl bin/argmax-cl-bench \
        share/man/man1/argmax-cl.1 share/man/man1/argmax-cl-bench.1 share/doc/argmax_cl/LICENSE \
        share/bash-completion/completions/argmax-cl share/bash-completion/completions/argmax-cl-bench; do
        [ -e "$stage/$file" ] || { echo "not installed: $file"; exit 1; }
    done
    readelf -d "$library/libargmax_cl.so" | grep -q 'SONAME.*\[libargmax_cl\.so\.[0-9]*\]' || { echo "no SONAME"; exit 1; }
    "$stage/bin/argmax-cl" --version
    pages
    completions
    # The tuner beside the program, and the problems that are built in.
    "$stage/bin/argmax-cl" tune --help | grep -q -- --tune
    [ "$("$stage/bin/argmax-cl-bench" --print | wc -l)" -gt 100 ] || { echo "argmax-cl-bench has no problems"; exit 1; }

    fortran=()
    [ ! -e "$library/libargmax_cl_fortran.a" ] || fortran=(-DFORTRAN=ON)
    project find_package "$cc" "$cxx" -DCMAKE_PREFIX_PATH="$stage" "${fortran[@]}"
    [ ${#fortran[@]} -eq 0 ] || "$work/find_package/fortran"

    echo "-- pkg-config $(pkg-config --modversion argmax_cl)"
    read -ra cflags <<<"$(pkg-config --cflags argmax_cl)"
    read -ra libs <<<"$(pkg-config --libs argmax_cl)"
    read -ra static_libs <<<"$(pkg-config --libs --static argmax_cl | sed "s|-largmax_cl|$library/libargmax_cl.a|")"
    for compiler in "$cc" gcc clang; do
        command -v "$compiler" >/dev/null || continue
        "$compiler" "${strict[@]}" -std=c11 "${cflags[@]}" "$here/main.c" -o "$work/c" "${libs[@]}"
        "$compiler" "${strict[@]}" -std=c11 "${cflags[@]}" "$here/main.c" -o "$work/c_static" "${static_libs[@]}"
        "$work/c"
        "$work/c_static"
    done
    for compiler in "$cxx" g++ clang++; do
        command -v "$compiler" >/dev/null || continue
        "$compiler" "${strict[@]}" -std=c++17 "${cflags[@]}" "$here/main.cpp" -o "$work/cxx" "${libs[@]}"
        "$work/cxx"
    done
    if [ ${#fortran[@]} -gt 0 ]; then
        read -ra libs <<<"$(pkg-config --cflags --libs argmax_cl_fortran)"
        gfortran "${strict[@]}" "$here/main.f90" -o "$work/fortran" "${libs[@]}"
        "$work/fortran"
    fi
}

# A manual page has every option of --help.
pages() {
    local program option
    for program in argmax-cl argmax-cl-bench; do
        while read -r option; do
            grep -qF -- "\\fB${option//-/\\-}\\fR" "$stage/share/man/man1/$program.1" ||
                { echo "$program.1 lacks $option"; exit 1; }
        done < <("$stage/bin/$program" --help | grep -oE '^  (-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+')
    done
}

# bash offers the options, and an option's words.
completions() {
    local found
    found=$(PATH=$stage/bin:$PATH && . "$stage/share/bash-completion/completions/argmax-cl" &&
        _argmax_cl argmax-cl --in argmax-cl && echo "${COMPREPLY[*]}" &&
        _argmax_cl argmax-cl i --nan && echo "${COMPREPLY[*]}" &&
        _argmax_cl argmax-cl-bench --tu argmax-cl-bench && echo "${COMPREPLY[*]}")
    [ "$found" = $'--index-type\nignore\n--tune' ] || { echo "completion: $found"; exit 1; }
}

sources() {
    project add_subdirectory "$cc" "$cxx" -DHOW=add_subdirectory -DSOURCES="$sources"
    [ ! -e "$work/add_subdirectory/argmax_cl/tests" ] || { echo "its tests came too"; exit 1; }
    if command -v clang clang++ >/dev/null; then
        project FetchContent clang clang++ -DHOW=FetchContent -DSOURCES="$sources"
    else
        project FetchContent "$cc" "$cxx" -DHOW=FetchContent -DSOURCES="$sources"
    fi
}

packages() {
    (umask 022 && cd "$build" && quietly cpack cpack -B "$work" -D "CPACK_PACKAGE_CONTACT=A packager <packager@packages.debian.org>")
    mkdir "$work/tar"
    tar -C "$work/tar" --strip-components 1 -xf "$work"/*.tar.gz
    diff <(cd "$work/tar" && find . | sort) <(cd "$build/outside/installed/stage" && find . | sort)
    "$work/tar/bin/argmax-cl" --version
    command -v dpkg-deb >/dev/null || return 0
    mkdir "$work/deb"
    for package in "$work"/libargmax-cl[0-9]*.deb "$work"/libargmax-cl-dev_*.deb "$work"/argmax-cl_*.deb; do
        dpkg-deb -x "$package" "$work/deb"
    done
    # The same files, but for Debian's own below share/doc and its compressed manual pages.
    diff <(cd "$work/tar" && find . -not -path './share/doc*' | sort) \
        <(cd "$work/deb/usr" && find . -not -path './share/doc*' | sed 's/\.1\.gz$/.1/' | sort)
    if command -v lintian >/dev/null; then
        lintian --allow-root --fail-on error "$work"/*.deb
    else
        echo "lintian is not installed: not run"
    fi
}

"$what"
