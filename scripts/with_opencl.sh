#!/usr/bin/env bash
# Run a command with one OpenCL implementation alone. What it needs is installed first where it is missing.
#
# usage: with_opencl.sh IMPLEMENTATION COMMAND...
#
#   pocl      PoCL, on the processor
#   intel     Intel's runtime for processors, which is put below build/
#   rusticl   Mesa's rusticl on llvmpipe: a GPU made of software
#   oclgrind  Oclgrind, a simulator that looks for data races, accesses out of bounds, uninitialised values and wrong
#             calls; a report is printed, and the exit status is then 1 at least. The kernels are those of
#             ARGMAX_CL_KERNELS, where that is set, with what it cannot run said otherwise
#   races     the same without the search for uninitialised values, for what that search cannot follow
#   install   install them all, run nothing
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=scripts/packages.sh
. "$root/scripts/packages.sh"

install() { # IMPLEMENTATION
    case $1 in
        pocl) need_packages pocl-opencl-icd ;;
        rusticl) need_packages mesa-opencl-icd ;;
        oclgrind | races) need_packages oclgrind ;;
        intel)
            cmp -s "$root/scripts/requirements-intel.txt" "$root/build/intel/installed.txt" && return 0
            need_packages python3-venv
            python3 -m venv "$root/build/intel" &&
                "$root/build/intel/bin/pip" install -q --disable-pip-version-check \
                    -r "$root/scripts/requirements-intel.txt" &&
                cp "$root/scripts/requirements-intel.txt" "$root/build/intel/installed.txt"
            ;;
        *) sed -n '2,/^set/{/^#/p}' "$0"; exit 2 ;;
    esac
}

# The loader sees a folder with one implementation in it.
only() { # NAME LIBRARY
    export OCL_ICD_VENDORS=$root/build/icd/$1
    mkdir -p "$OCL_ICD_VENDORS"
    echo "$2" >"$OCL_ICD_VENDORS/$1.icd"
}

# Oclgrind 21.10 takes element 11 of a shuffled vector for undefined (it compares the index with the number 11, LLVM's
# mark for something else): here the components of 16-wide vectors are named one by one. Nor does it know the marks that
# an inlined function leaves behind. Its search for uninitialised values ends with a segmentation fault where two vectors
# are put together: blocks are transposed in whole vectors then, and in halves without that search.
kernels_it_can_run() { # FOLDER
    local folder=$1 halves='const PASTE(type, 8) v8 = max(v.lo, v.hi);' low high
    low='(PASTE(type, 8))(v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7)'
    high='(PASTE(type, 8))(v.s8, v.s9, v.sa, v.sb, v.sc, v.sd, v.se, v.sf)'
    cp -r "${ARGMAX_CL_KERNELS:-$root/kernels}"/. "$folder"
    grep -qF "$halves" "$folder/memory/vector.clh" || { echo "with_opencl: kernels/memory/vector.clh has no line '$halves'"; exit 1; }
    sed -i 's/__attribute__((always_inline))//' "$folder"/*/*
    sed -i "s/v8 = max(v\.lo, v\.hi)/v8 = max($low, $high)/" "$folder/memory/vector.clh"
    [ "$name" = races ] || sed -i 's/^#define HALVES (.*/#define HALVES 0/' "$folder/families/transposed.cl"
}

# Its compiler, of LLVM 14, writes instructions that it cannot run unless told not to optimise.
simulate() { # OPTIONS... -- COMMAND...
    local options=() log status=0
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    log=$(mktemp)
    oclgrind --build-options -O0 --log "$log" "${options[@]}" "$@" || status=$?
    if [ -s "$log" ]; then
        echo "Oclgrind's report, $(wc -l <"$log") lines"
        head -n 60 "$log"
        [ $status -ne 0 ] || status=1
    fi
    rm -f "$log"
    exit $status
}

name=${1:-}
[ $# -gt 1 ] || [ "$name" = install ] || name=help
if [ "$name" = install ]; then
    for name in pocl intel rusticl oclgrind; do install $name; done
    exit 0
fi
install "$name"
shift
case $name in
    pocl)
        prepare_pocl "$root/build"
        only pocl "$(cat /etc/OpenCL/vendors/pocl*.icd)"
        ;;
    intel)
        export LD_LIBRARY_PATH=$root/build/intel/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        only intel "$root/build/intel/lib/libintelocl.so"
        ;;
    rusticl)
        export RUSTICL_ENABLE=llvmpipe
        only rusticl libRusticlOpenCL.so.1
        ;;
    oclgrind | races)
        kernels=$(mktemp -d)
        # shellcheck disable=SC2064 # of now
        trap "rm -r '$kernels'" EXIT
        kernels_it_can_run "$kernels"
        export ARGMAX_CL_KERNELS=$kernels
        checks=(--data-races --check-api)
        [ "$name" = races ] || checks+=(--uninitialized)
        simulate "${checks[@]}" -- "$@"
        ;;
esac
exec "$@"
