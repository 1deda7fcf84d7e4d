#!/usr/bin/env bash
# Compile every kernel as strict OpenCL C 1.2 (or as what its options name) for a 64-bit device, those with inline PTX for
# NVIDIA's, without a device, once for each set of options that holds a pair of options not seen before: all dtypes, and
# whatever else the library may ask for.
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

# Every kernel file must be reached.
for file in kernels/*.cl; do
    name=$(basename "$file" .cl)
    grep -q "^$name " "$combinations" || { echo "lint_kernels: no options for $file"; exit 1; }
done

lint() { # lines "KERNEL OPTIONS"
    local line words target failed=0
    for line; do
        read -ra words <<<"$line"
        target=spir64
        [[ $line != *-DPTX* ]] || target=nvptx64-nvidia-nvcl
        "$CLANG" -x cl --target=$target -Xclang -finclude-default-header -fsyntax-only -Wall -Wextra -Wundef -Werror \
            "${words[@]:1}" "kernels/${words[0]}.cl" || { echo "lint_kernels: failed with $line"; failed=1; }
    done
    return $failed
}
export -f lint
export CLANG=$clang
# shellcheck disable=SC2016 # the inner shell expands it
xargs -d '\n' -P "$(nproc)" -n 24 bash -c 'lint "$@"' lint <"$combinations" || exit 1
echo "lint_kernels: $(wc -l <"$combinations") programs compiled from $(echo kernels/*.cl)"
