#!/usr/bin/env bash
# Measure a device for docs/benchmarks.md: the library, its first results, the peers; then draw its page.
#
# usage: benchmark.sh NAME cpu|gpu [OPTION...]
#   NAME               the lines are added to bench/results/NAME.jsonl; plot.py takes those of the latest commit
#   --device SELECTOR  index or part of the device's name; default: the fastest
#   --title TEXT       heading of its section, when the file is new; default: the device's name
#   --link             with --title: the page only links to bench/results/NAME.md, which has the pictures
#   --seconds S        for each problem; default: 0.3
#   --realtime         at real-time priority (needs root): for a machine with other load
#   --no-peers         the library alone
# environment: BUILD, the build folder (default: build); PYTHON (default: python3)
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    sed -n '2,/^set/{/^#/p}' "$0"
    exit 2
}
[ $# -ge 2 ] || usage
name=$1 kind=$2
shift 2
case $kind in cpu | gpu) ;; *) usage ;; esac
device=() seconds=0.3 realtime='' peers=1 title='' link=''
while [ $# -gt 0 ]; do
    case $1 in
        --device) device=(--device "$2"); shift ;;
        --title) title=$2; shift ;;
        --link) link=', "page": "link"' ;;
        --seconds) seconds=$2; shift ;;
        --realtime) realtime=1 ;;
        --no-peers) peers='' ;;
        *) usage ;;
    esac
    shift
done
build=${BUILD:-build} python=${PYTHON:-python3}
bench=$build/bench/argmax-cl-bench
results=bench/results/$name.jsonl

cmake -S . -B "$build" >/dev/null # so that the lines name this commit
cmake --build "$build" --target argmax-cl-bench >/dev/null
mkdir -p bench/results
[ -z "$title" ] || [ -e "$results" ] || printf '{"about": "%s"%s}\n' "$title" "$link" >"$results"
measure() {
    ${realtime:+chrt -f 10} "$bench" "${device[@]}" --seconds "$seconds" --json "$results" "$@" ||
        echo "benchmark.sh: not all answers could be had or were right: $*" >&2
}

# Problems that nobody chose: the commit's hash is the seed.
case $kind in cpu) bytes=192M..768M problems=200 ;; gpu) bytes=64M..512M problems=500 ;; esac
seed=$(git rev-parse --short=10 HEAD)
draw=(--random "$problems" --seed "$seed" --bytes "$bytes")
"$bench" "${device[@]}" "${draw[@]}" --json "$results" || echo "benchmark.sh: not all answers were right" >&2
measure --filter "$kind"
measure --filter sweep
for filter in flat rows columns middle; do
    "$bench" "${device[@]}" --first --filter "$kind $filter" >/dev/null # to warm the driver's cache
    for _ in 1 2 3; do measure --first --filter "$kind $filter"; done
done
if [ -n "$peers" ]; then
    gpu=()
    [ "$kind" = cpu ] || gpu=(--gpu)
    "$python" bench/compare.py --bench "$bench" "${gpu[@]}" "${device[@]}" ${realtime:+--realtime} --rounds 2 \
        --seconds "$seconds" --problems "bench/peers_$kind.txt" --json "$results"
    draw[1]=70
    "$python" bench/compare.py --bench "$bench" "${gpu[@]}" "${device[@]}" "${draw[@]}" --json "$results"
fi
"$python" bench/plot.py "$results"
