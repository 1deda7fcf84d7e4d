# shellcheck shell=bash
# Sourced by the other scripts: install what is missing, and nothing when nothing is; build.
#
#   need_packages NAME...   Debian's and Ubuntu's packages; each has a probe below, so that a compiler or a library from
#                           elsewhere counts too. As root or with sudo. On other systems: says what to install, and ends.

compiles() { # HEADER [LINKER FLAGS...]
    local header=$1
    shift
    printf '#include <%s>\nint main(void) { return 0; }\n' "$header" |
        cc -DCL_TARGET_OPENCL_VERSION=120 -x c - -o /dev/null "$@" >/dev/null 2>&1
}

# shellcheck disable=SC2046 # pkg-config's words are separate arguments
is_there() {
    case $1 in
        build-essential) command -v cc c++ make >/dev/null && compiles stdio.h ;;
        opencl-headers) compiles CL/cl.h ;;
        ocl-icd-opencl-dev) compiles CL/cl.h -lOpenCL ;;
        libnetcdf-dev) pkg-config --exists netcdf 2>/dev/null && compiles netcdf.h $(pkg-config --cflags --libs netcdf) ;;
        libudunits2-dev) compiles udunits2.h -ludunits2 ;;
        opencl-clhpp-headers) echo '#include <CL/opencl.hpp>' | c++ -DCL_HPP_TARGET_OPENCL_VERSION=120 \
            -DCL_HPP_MINIMUM_OPENCL_VERSION=120 -x c++ -fsyntax-only - >/dev/null 2>&1 ;;
        check) pkg-config --exists check 2>/dev/null && compiles check.h $(pkg-config --cflags --libs check) ;;
        pocl-opencl-icd) grep -qs pocl /etc/OpenCL/vendors/*.icd ;;
        mesa-opencl-icd) /sbin/ldconfig -p | grep -q libRusticlOpenCL.so.1 ;;
        python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
        libclang-rt-dev)
            echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' |
                clang -fsanitize=fuzzer,address -x c - -o /dev/null >/dev/null 2>&1
            ;;
        gnuplot-nox) command -v gnuplot >/dev/null ;;
        gcc-*-linux-gnu) command -v "${1#gcc-}-gcc" >/dev/null ;;
        gcc-mingw-w64-x86-64-posix) command -v x86_64-w64-mingw32-gcc-posix >/dev/null ;;
        libc6-dev-*-cross) dpkg -s "$1" >/dev/null 2>&1 ;;
        musl-tools) command -v musl-gcc >/dev/null ;;
        qemu-user) command -v qemu-s390x >/dev/null ;;
        *) command -v "$1" >/dev/null ;; # a package named like its program
    esac
}

need_packages() {
    local package missing=() log
    for package; do
        is_there "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if ! command -v apt-get >/dev/null; then
        echo "Missing: ${missing[*]} (the names of Debian's packages): please install them and run this again." >&2
        exit 1
    fi
    local as_root=(env DEBIAN_FRONTEND=noninteractive)
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || { echo "Missing: ${missing[*]}; run this as root, or install sudo." >&2; exit 1; }
        as_root=(sudo "${as_root[@]}")
    fi
    echo "Installing ${missing[*]}"
    log=$(mktemp)
    if ! { "${as_root[@]}" apt-get update -qq &&
        "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm -f "$log"
        echo "Could not install: ${missing[*]}" >&2
        exit 1
    fi
    rm -f "$log"
}

# Debian's packages, of any architecture, unpacked into a folder; the machine's own packages stay as they are.
unpack() { # ARCHITECTURE FOLDER PACKAGES...
    local architecture=$1 folder=$2 apt=$2/apt options deb
    [ -e "$folder/complete" ] && return 0
    rm -rf "$folder"
    mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$folder/root"
    : >"$apt/status"
    options=(-qq -o APT::Architecture="$architecture" -o APT::Architectures="$architecture"
        -o Dir::State="$apt" -o Dir::State::lists="$apt/lists" -o Dir::State::status="$apt/status"
        -o Dir::Cache="$apt" -o APT::Sandbox::User="$(id -un)")
    apt-get "${options[@]}" update || true # packages of other sources may have no such architecture
    (cd "$apt" && apt-get "${options[@]}" download "${@:3}") || return 1
    for deb in "$apt"/*.deb; do dpkg-deb -x "$deb" "$folder/root"; done
    rm -rf "$apt"
    touch "$folder/complete"
}

# What the library and its program are built with.
# shellcheck disable=SC2034 # used by those who source this
build_packages=(build-essential cmake pkg-config opencl-headers ocl-icd-opencl-dev libnetcdf-dev libudunits2-dev)

# Configure and build quietly: the log stays in FOLDER/log.txt, and its end is shown when that fails.
build_in() { # FOLDER CMAKE_OPTION... [-- TARGET...]
    local folder=$1 options=() targets=()
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
    [ $# -lt 2 ] || targets=(--target "${@:2}")
    mkdir -p "$folder"
    cmake -S . -B "$folder" "${options[@]}" >"$folder/log.txt" 2>&1 &&
        cmake --build "$folder" -j "$(nproc)" "${targets[@]}" >>"$folder/log.txt" 2>&1 ||
        { tail -n 60 "$folder/log.txt"; return 1; }
}

# What PoCL, the OpenCL device for processors, needs of its surroundings.
prepare_pocl() { # BUILD_FOLDER
    # It keeps compiled kernels below HOME; where that cannot be written, below the build folder.
    if [ ! -w "${XDG_CACHE_HOME:-${HOME:-/nonexistent}}" ]; then
        export XDG_CACHE_HOME=$1/cache
        mkdir -p "$XDG_CACHE_HOME"
    fi
    # It takes the machine's memory and cores from /sys, which bare chroots lack: then tell it.
    if [ ! -d /sys/devices/system/cpu ]; then
        HWLOC_SYNTHETIC=$(awk -v cores="$(nproc)" '/^MemTotal/ {
            printf "numa:1(memory=%.0f) core:%d pu:1", $2 * 1024, cores }' /proc/meminfo)
        export HWLOC_SYNTHETIC
    fi
}

# The compiler for ThreadSanitizer: Clang where it links, since GCC 12's sees no race in memcpy.
thread_compiler() {
    if clang -fsanitize=thread -x c -o /dev/null - <<<'int main(void) { return 0; }' 2>/dev/null; then
        echo clang
    else
        echo cc
    fi
}

# Run with addresses that are not random, as ThreadSanitizer wants on some kernels, where the system allows it.
with_fixed_addresses() { # COMMAND...
    if setarch "$(uname -m)" -R true 2>/dev/null; then
        setarch "$(uname -m)" -R "$@"
    else
        "$@"
    fi
}
