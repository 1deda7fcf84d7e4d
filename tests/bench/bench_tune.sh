#!/usr/bin/env bash
# argmax-cl-bench --tune, of a few fields on small inputs: what it writes, keeps and refuses.
# usage: bench_tune.sh ARGMAX_CL_BENCH
set -euo pipefail
bench=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset ARGMAX_CL_TUNING
export XDG_CONFIG_HOME=$folder/config TMPDIR=$folder
file=$folder/config/argmax_cl/tuning

fail() {
    echo "bench_tune: $1"
    exit 1
}
tune() {
    "$bench" --tune --bytes 262144 --filter "short rows" --seconds 60 --fields groups_per_unit,vector_bytes "$@"
}
echo "argmax float32 4096x128 axes=1" >"$folder/problems"
plan() { # the plan of a problem, as the library makes it now
    "$bench" --problems "$folder/problems" --seconds 0 --json -
}

slow='groups_per_unit=1 vector_bytes=1'
echo "cpu $slow
gpu $slow" >"$folder/slow"

# The user's folder and file are made, and the library reads it.
tune --from "$folder/slow" >"$folder/log"
grep -q '^written for' "$folder/log" || fail "finds nothing faster than a slow row: $(cat "$folder/log")"
[ "$(grep -c '^device "' "$file")" = 1 ] || fail "no section in $file"
plan | grep -q '+file' || fail "the library does not read $file"
ARGMAX_CL_TUNING='' plan | grep -q '+file' && fail "an empty ARGMAX_CL_TUNING does not switch it off"

# A second run starts from its own section, made slow, and replaces that alone.
sed -i "s/groups_per_unit=[0-9]*/$slow/" "$file"
sed -i '1i # kept: first\ngpu group=256\ndevice "No Such Device"\ncpu no matter what\n# kept: second' "$file"
printf 'vendor "Another"\n# kept: third' >>"$file"
tune >"$folder/log"
grep -q '^written for' "$folder/log" || fail "does not start from $file: $(cat "$folder/log")"
[ "$(grep -c '# kept' "$file")" = 3 ] || fail "lost lines of others: $(cat "$file")"
[ "$(grep -c '^# argmax-cl-bench --tune' "$file")" = 1 ] || fail "left its old section: $(cat "$file")"
plan | grep -q '+file' || fail "the library does not read the second $file"

# An interrupt leaves it alone, and so do a full disk and a broken start; none leaves files behind.
cp "$file" "$folder/before"
as_before() { # TITLE
    cmp "$file" "$folder/before" || fail "$1 changed the file"
    [ "$(ls -A "$folder/config/argmax_cl")" = tuning ] || fail "$1 left $(ls -A "$folder/config/argmax_cl")"
    if compgen -G "$folder/argmax_cl_tune_*"; then fail "$1 left a temporary file"; fi
}
set -m # without it, what runs in the background ignores SIGINT from the start
for signal in INT HUP; do
    "$bench" --tune --bytes 262144 --filter "short rows" --seconds 60 >"$folder/log" 2>&1 &
    pid=$!
    for _ in $(seq 300); do
        grep -q 'steps of' "$folder/log" && break
        sleep 0.1
    done
    kill -$signal $pid
    status=0
    wait $pid 2>/dev/null || status=$?
    [ $status = $((128 + $(kill -l $signal))) ] || fail "SIG$signal: status $status"
    as_before "SIG$signal"
done
set +m
# With --seccomp-bpf it stops at these calls alone, or launches would take longer than the kernels.
if strace -f --seccomp-bpf -o "$folder/trace" -e trace=fsync true 2>/dev/null; then
    full=(strace -f --seccomp-bpf -qq -o "$folder/trace" -e trace=fsync -e inject=fsync:error=ENOSPC)
    "${full[@]}" "$bench" --tune --bytes 262144 --filter "short rows" --seconds 60 --fields groups_per_unit,vector_bytes \
        --from "$folder/slow" >"$folder/log" 2>&1 && fail "success on a full disk: $(cat "$folder/log")"
    grep -q 'tuning: No space left on device' "$folder/log" || fail "does not say that the disk is full: $(cat "$folder/log")"
    as_before "a full disk"
fi
echo 'cpu group=3
gpu group=3' >"$folder/broken"
tune --from "$folder/broken" >"$folder/log" 2>&1 && fail "takes a broken start"
grep -q 'line 1' "$folder/log" || fail "does not say where the start is broken: $(cat "$folder/log")"
as_before "a broken start"

# A candidate whose answers are wrong is refused, and the run ends with status 1: kernels with a defect that other values
# of unroll_rows bring out. A defect that no measured problem shows is found before the row is written.
defect() { # CONDITION: wrong indices where it holds
    rm -rf "$folder/kernels"
    cp -r "$(dirname "$0")/../../kernels" "$folder/kernels"
    sed -i "s/(IDX_T)at) :/(IDX_T)(at ^ ($1))) :/" "$folder/kernels/memory/index.clh"
    grep -qF "$1" "$folder/kernels/memory/index.clh" || fail "the kernels have no place for the defect"
}
export ARGMAX_CL_KERNELS=$folder/kernels
defect 'UNROLL == 16 || UNROLL == 32'
tune --fields unroll_rows --from /dev/null --to "$folder/refused" >"$folder/log" 2>&1 && fail "wrong answers count as success"
grep -q 'WRONG ANSWERS: argmax' "$folder/log" || fail "says nothing of wrong answers: $(cat "$folder/log")"
grep -q 'unroll_rows=\(16\|32\) ' "$folder/refused" 2>/dev/null && fail "wrote a row with wrong answers"
defect 'LAST'
tune --from "$folder/slow" --to "$folder/last" >"$folder/log" 2>&1 && fail "wrong answers in the end count as success"
grep -q 'WRONG ANSWERS.* last ' "$folder/log" || fail "says nothing of wrong answers in the end: $(cat "$folder/log")"
[ ! -e "$folder/last" ] || fail "wrote a row that is wrong elsewhere"
echo "bench_tune: all as it should be"
