#!/usr/bin/env bash
# argmax-cl while INPUT goes through in ten blocks and more, or a mask is read: at each of the reads the read fails or is
# interrupted, the file gets shorter or changes, or a signal comes. The result files are whole and right, or there is one
# error and both are as before; nothing else is left.
# usage: cli_reads.sh ARGMAX_CL LIBREAD_FAULTS EXAMPLE_DATA      argmax-cl on the tests' own OpenCL
set -euo pipefail
program=$1 faults=$2 data=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/f" "$folder/tmp"
cd "$folder/f"
export TMPDIR=$folder/tmp READ_FAULT_MARK=$folder/mark

fail() {
    echo "cli_reads: ${1//$'\n'/ }"
    exit 1
}
run() { # WHERE WHAT ARGUMENTS...: with a fresh input and old results; the status
    cp -p "$folder/input" input
    rm -f new.npy "$READ_FAULT_MARK"
    printf old >old.npy
    LD_PRELOAD=$faults READ_FAULT=$1:$2:input "$program" -o old.npy --values new.npy "${@:3}" >"$folder/output" 2>"$folder/error"
}
each_read() { # WHAT STATUS TEXT ARGUMENTS...: the status of every run, and what its error says
    local what=$1 expected=$2 text=$3 n=0 status forgiven=0
    shift 3
    while :; do
        n=$((n + ${every:-1})) status=0
        run $n "$what" "$@" 2>/dev/null || status=$?
        [ -e "$READ_FAULT_MARK" ] || break
        [ "$what$status" != error0 ] || forgiven=$((forgiven + 1)) # libnetcdf does without some reads when it opens a file
        [ $status = "$expected" ] || [ "$what$status" = error0 ] || fail "$what at read $n, $*: status $status, $(cat "$folder/error")"
        if [ $status = 0 ]; then
            cmp old.npy "$folder/indices"
            cmp new.npy "$folder/values"
        else
            [ "$(cat old.npy)" = old ] && [ ! -e new.npy ] || fail "$what at read $n: files were written"
        fi
        [ $status != 1 ] || { [ "$(wc -l <"$folder/error")" = 1 ] && grep -qE "^argmax-cl: input.*($text)" "$folder/error"; } ||
            fail "$what at read $n: $(cat "$folder/error")"
        [ "$(ls -A | wc -l)" = $((status ? 2 : 3)) ] && [ -z "$(ls -A "$TMPDIR")" ] || fail "$what at read $n: left $(ls -A . "$TMPDIR")"
    done
    [ $((n - 1 - forgiven)) -ge "$least" ] || fail "$what: $((n - 1)) reads, $forgiven forgiven, expected $least or more"
    echo "$what: $((n - 1)) reads${every:+, every $every. of them}, $forgiven forgiven, $*"
}
all_faults() { # LEAST ARGUMENTS...: at least so many reads
    local least=$1
    shift
    run 0 none "$@" || fail "$(cat "$folder/error")"
    cp old.npy "$folder/indices"
    cp new.npy "$folder/values"
    local every=
    each_read error 1 'cannot be (read|understood)' "$@"
    each_read signal 130 '' "$@"
    [ "$least" -lt 50 ] || every=7
    each_read again 0 '' "$@"
    each_read short 1 'bytes of data|cannot be (read|understood)|changed while' "$@"
    each_read change 1 'changed while' "$@"
}

{ printf '\x93NUMPY\x01\x00v\x00%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (10, 60000), }"
    head -c 600000 "$program"; } >"$folder/input"
touch -d "1 hour ago" "$folder/input"
all_faults 11 --memory-limit 150K -a 1 input
all_faults 11 --memory-limit 2M -a 0 input # results that lie in their files
cp -p "$folder/input" "$folder/x.npy" # the same as a mask: its header, and its bytes
all_faults 3 --mask input -a 1 "$folder/x.npy"
if ! "$program" --version | grep -q 'without NetCDF'; then
    cp "$data/ostia_monthly.nc" "$folder/input"
    touch -d "1 hour ago" "$folder/input"
    all_faults 54 --memory-limit 1M -a 0 input:surface_temperature
fi
