#!/usr/bin/env bash
# argmax-cl-bench --json: whole lines alone, on a full disk and when it is interrupted; and a full standard output.
# usage: bench_json.sh ARGMAX_CL_BENCH
set -euo pipefail
bench=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "bench_json: $1"
    exit 1
}
for columns in 120 121 122 123 124 125 126 127; do
    echo "argmax float32 4096x$columns axes=1"
done >"$folder/problems"
measure() { # SECONDS OPTION...
    "$bench" --problems "$folder/problems" --seconds "$1" "${@:2}" 2>"$folder/error"
}
whole_lines() { # TITLE
    [ ! -s "$file" ] || [ "$(tail -c 1 "$file" | od -An -c)" = "  \n" ] || fail "$1: the last line is cut"
    ! grep -qv '^{"problem": ".*}$' "$file" || fail "$1: $(grep -v '^{"problem": ".*}$' "$file")"
}

measure 0 --json /dev/full >"$folder/log" && fail "success on a full device"
grep -q '/dev/full: No space left on device' "$folder/error" || fail "a full device: $(cat "$folder/error")"

# A disk that takes some lines and a part of the next, where the system lets us mount one.
mkdir "$folder/small"
small='mount -t tmpfs -o size=4k none "$1/small" &&
    { "$2" --problems "$1/problems" --seconds 0 --json "$1/small/f" >"$1/log" 2>"$1/error"; status=$?
      cp "$1/small/f" "$1/full.jsonl"; exit $status; }'
if unshare -rm mount -t tmpfs none "$folder/small" 2>/dev/null; then
    file=$folder/full.jsonl
    status=0
    unshare -rm sh -c "$small" sh "$folder" "$bench" || status=$?
    [ $status = 1 ] || fail "a full disk: status $status"
    grep -q 'small/f: No space left on device' "$folder/error" || fail "a full disk: $(cat "$folder/error")"
    whole_lines "a full disk"
    lines=$(wc -l <"$file")
    { [ "$lines" -gt 0 ] && [ "$lines" -lt 8 ]; } || fail "a full disk has $lines lines"
fi
for way in '' '--json -'; do
    status=0
    # shellcheck disable=SC2086 # words
    measure 0 $way >/dev/full || status=$?
    [ $status = 1 ] || fail "a full output $way: status $status"
    grep -q 'standard output: No space left' "$folder/error" || fail "a full output $way: $(cat "$folder/error")"
done

# Interrupts, after the first line.
set -m # without it, what runs in the background ignores SIGINT from the start
for delay in 0 0.11 0.23; do
    file=$folder/$delay.jsonl
    "$bench" --problems "$folder/problems" --seconds 0.05 --json "$file" >/dev/null 2>&1 &
    pid=$!
    until [ -s "$file" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
    sleep $delay
    status=0
    kill -INT $pid 2>/dev/null || true
    wait $pid || status=$?
    [ $status = 130 ] || { [ $status = 0 ] && [ "$(wc -l <"$file")" = 8 ]; } || fail "an interrupt: status $status"
    whole_lines "an interrupt"
done
echo "bench_json: all as it should be"
