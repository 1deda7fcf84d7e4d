#!/usr/bin/env bash
# The shared and the static library give away the functions of the public header and no other name.
# usage: exports.sh NM HEADER SHARED_LIBRARY STATIC_LIBRARY
set -euo pipefail
nm=$1 header=$2 shared=$3 static=$4

# A declaration starts with ARGMAX_CL_API; the function's name is the first word before a parenthesis.
declared=$(sed -nE 's/^ARGMAX_CL_API [^(]*\<(arg(max|min|minmax)_cl[a-z0-9_]*)\(.*/\1/p' "$header" | sort)
[ "$(wc -w <<<"$declared")" -ge 20 ] || { echo "exports: found too few declarations in $header"; exit 1; }

failed=0
compare() { # LIBRARY NAMES
    if difference=$(diff <(echo "$declared") <(echo "$2")); then
        echo "exports: $1: the $(wc -w <<<"$declared") functions of the header"
    else
        echo "exports: $1: < declared but not exported, > exported but not declared"
        grep '^[<>]' <<<"$difference"
        failed=1
    fi
}
# GCC puts helpers of 32-bit x86 code, for position-independent calls, into every object.
names=$("$nm" -g --defined-only "$static" | awk 'NF == 3 && $3 !~ /^__x86\.get_pc_thunk\./ {print $3}' | sort)
compare "$static" "$names"
compare "$shared" "$("$nm" -D --defined-only "$shared" | awk 'NF == 3 {print $3}' | sort)"
exit $failed
