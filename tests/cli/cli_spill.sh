#!/usr/bin/env bash
# argmax-cl with results that are larger than --memory-limit: the same files, summary and JSON as with room for all; an
# error where there is no room for them in $TMPDIR either; nothing left behind.
# usage: cli_spill.sh ARGMAX_CL
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/f" "$folder/tmp"
cd "$folder/f"
export TMPDIR=$folder/tmp
fail() {
    echo "cli_spill: $1"
    exit 1
}

# 1.5 million points of 12 bytes, so that no walk over them is in one piece.
{ printf '\x93NUMPY\x01\x00v\x00%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1500, 2, 1000), }"
    head -c 12000000 /dev/zero | tr '\0' '?'; } >x.npy
printf '\x40' | dd of=x.npy bs=1 seek=$((128 + 4 * 2999003 + 3)) conv=notrunc 2>/dev/null # the last row's (1, 3)
for way in "-a 1 x.npy" "-a 1 --json x.npy" "-a 1 --both x.npy"; do
    # shellcheck disable=SC2086 # words
    "$program" $way >all
    # shellcheck disable=SC2086
    "$program" --memory-limit 4M $way >limited
    cmp <(grep -vE '^time|"seconds"' all) <(grep -vE '^time|"seconds"' limited) || fail "$way: another answer"
done
for way in "" --both; do
    # shellcheck disable=SC2086
    "$program" $way -a 1 -o all.npy --values all_values.npy x.npy
    # shellcheck disable=SC2086
    "$program" $way --memory-limit 4M -a 1 -o limited.npy --values limited_values.npy x.npy
    cmp all.npy limited.npy
    cmp all_values.npy limited_values.npy
done
if ! "$program" --version | grep -q 'without NetCDF'; then
    "$program" -a 1 -o all.nc x.npy
    "$program" --memory-limit 4M -a 1 -o limited.nc x.npy
    for variable in value value_argmax; do
        for file in all limited; do
            "$program" -a 0 --json $file.nc:$variable | grep -vE '"(seconds|input)"' >$file
        done
        cmp all limited
    done
fi
[ -z "$(ls -A "$TMPDIR")" ] || fail "left: $(ls -A "$TMPDIR")"

# ---- a full disk, where the system lets us mount one ----
if unshare -rm mount -t tmpfs none "$TMPDIR" 2>/dev/null; then
    status=0
    unshare -rm sh -c 'mount -t tmpfs -o size=1M none "$TMPDIR" && exec "$1" --memory-limit 4M -a 1 x.npy' sh "$program" \
        >output 2>error || status=$?
    [ $status = 1 ] && grep -q '^argmax-cl: x.npy: no room in a file for [0-9]* bytes of results: No space left' error ||
        fail "a full disk: status $status, $(cat error)"
fi
echo "cli_spill: all as it should be"
