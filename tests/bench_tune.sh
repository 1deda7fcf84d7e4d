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
printf 'device "Another"\n# kept: third' >>"$file"
tune >"$folder/log"
grep -q '^written for' "$folder/log" || fail "does not start from $file: $(cat "$folder/log")"
[ "$(grep -c '# kept' "$file")" = 3 ] || fail "lost lines of others: $(cat "$file")"
[ "$(grep -c '^# argmax-cl-bench --tune' "$file")" = 1 ] || fail "left its old section: $(cat "$file")"
plan | grep -q '+file' || fail "the library does not read the second $file"

# An interrupt leaves it alone, and so does a broken start; neither leaves files behind.
cp "$file" "$folder/before"
"$bench" --tune --bytes 262144 --seconds 60 >"$folder/log" 2>&1 &
pid=$!
for _ in $(seq 100); do
    grep -q 'steps of' "$folder/log" && break
    sleep 0.1
done
kill -INT $pid
wait $pid && fail "an interrupt counts as success"
cmp "$file" "$folder/before" || fail "an interrupt changed the file"
echo 'cpu group=3
gpu group=3' >"$folder/broken"
tune --from "$folder/broken" >"$folder/log" 2>&1 && fail "takes a broken start"
grep -q 'line 1' "$folder/log" || fail "does not say where the start is broken: $(cat "$folder/log")"
cmp "$file" "$folder/before" || fail "a broken start changed the file"
[ "$(ls "$folder/config/argmax_cl")" = tuning ] || fail "left $(ls "$folder/config/argmax_cl")"
compgen -G "$folder/argmax_cl_tune_*" && fail "left a temporary file"

# A candidate whose answers are wrong is refused, and the run ends with status 1: kernels with a defect that other values
# of unroll_rows bring out.
cp -r "$(dirname "$0")/../kernels" "$folder/kernels"
sed -i 's/? (IDX_T)at :/? (IDX_T)(at ^ (UNROLL == 16 || UNROLL == 32)) :/' "$folder/kernels/index.clh"
grep -q 'UNROLL == 16' "$folder/kernels/index.clh" || fail "the kernels have no place for the defect"
export ARGMAX_CL_KERNELS=$folder/kernels
tune --fields unroll_rows --from /dev/null --to "$folder/refused" >"$folder/log" 2>&1 && fail "wrong answers count as success"
grep -q 'WRONG ANSWERS: argmax' "$folder/log" || fail "says nothing of wrong answers: $(cat "$folder/log")"
grep -q 'unroll_rows=\(16\|32\) ' "$folder/refused" 2>/dev/null && fail "wrote a row with wrong answers"
echo "bench_tune: all as it should be"
