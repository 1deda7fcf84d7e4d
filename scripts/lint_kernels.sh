#!/usr/bin/env bash
# Compile every kernel as strict OpenCL C 1.2 (or as what its options name) for a 64-bit device, those with inline PTX for
# NVIDIA's, without a device, once for each set of options that holds a pair of options not seen before: all dtypes, and
# whatever else the library may ask for. No double, half, 64-bit atomics or subgroups, which devices may lack; no option
# that gives the compiler leave to change answers.
# usage: lint_kernels.sh BUILD_FOLDER        (with print_options built; environment: CLANG)
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
clang=${CLANG:-clang}

combinations=$build/kernel_options.txt
"$build/tests/print_options" | awk '
    $0 in lines { next }
    {
        lines[$0]
        fresh = 0
        for (i = 2; i <= NF; ++i)
            for (j = i; j <= NF; ++j)
                if (!(($1, $i, $j) in pairs)) {
                    pairs[$1, $i, $j]
                    fresh = 1
                }
        if (fresh)
            print
    }' >"$combinations"

if strange=$(grep -m 1 -vE '^[a-z_]+ -cl-std=CL[123]\.[0-9]( -D[A-Z_]+(=[A-Za-z0-9_]+)?)*$' "$combinations"); then
    echo "lint_kernels: an option other than -cl-std and -D: $strange"
    exit 1
fi
if grep -nE '\batom_|[0-9][uU]?[lL][lL]\b|\bprintf\b' -r kernels; then
    echo "lint_kernels: names and suffixes that strict compilers refuse"
    exit 1
fi

# Every kernel file must be reached.
for file in kernels/families/*.cl; do
    name=$(basename "$file" .cl)
    grep -q "^$name " "$combinations" || { echo "lint_kernels: no options for $file"; exit 1; }
done

lint() { # lines "KERNEL OPTIONS"
    local line words target failed=0
    local never=-cl_khr_fp64,-__opencl_c_fp64,-cl_khr_fp16,-cl_khr_subgroups without
    for line; do
        read -ra words <<<"$line"
        without=$never
        [[ $line == *_PARTIAL=1* ]] || without+=,-cl_khr_int64_base_atomics,-cl_khr_int64_extended_atomics
        target=spir64
        [[ $line != *-DNV_PTX* ]] || target=nvptx64-nvidia-nvcl
        "$CLANG" -x cl -I kernels --target=$target -Xclang -finclude-default-header -fsyntax-only -Wall -Wextra -Wundef -Werror \
            -Xclang -cl-ext=$without "${words[@]:1}" "kernels/families/${words[0]}.cl" ||
            { echo "lint_kernels: failed with $line"; failed=1; }
    done
    return $failed
}
export -f lint
export CLANG=$clang
# shellcheck disable=SC2016 # the inner shell expands it
xargs -d '\n' -P "$(nproc)" -n 24 bash -c 'lint "$@"' lint <"$combinations" || exit 1
echo "lint_kernels: $(wc -l <"$combinations") programs compiled from $(echo kernels/families/*.cl)"
