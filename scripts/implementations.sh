#!/usr/bin/env bash
# The library on other implementations of OpenCL than PoCL, and under Oclgrind; all are installed where they are
# missing. The last line of each run counts the answers and names the device.
#
# usage: implementations.sh BUILD_FOLDER                       every strategy under both tuning rows, and 100 random
#                                                              problems
#        implementations.sh BUILD_FOLDER --matrix [NAME...]    the whole suite and 2000 random problems, on PoCL too;
#                                                              NAME: pocl, intel, rusticl, oclgrind, otherwise all
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
matrix=${2:-}
names=("${@:3}")
[ ${#names[@]} -gt 0 ] || names=(pocl intel rusticl oclgrind)
logs=$build/implementations
mkdir -p "$logs"
failed=0

# Run commands at the same time, each with its own log, and show the logs in their order.
titles=()
pids=()
start() { # TITLE COMMAND...
    titles+=("$1")
    "${@:2}" >"$logs/${#titles[@]}.txt" 2>&1 </dev/null &
    pids+=($!)
}
finish() {
    local i
    for i in "${!pids[@]}"; do
        local outcome=passed
        wait "${pids[$i]}" || { outcome=FAILED; failed=1; }
        echo "-- ${titles[$i]}: $outcome"
        if [ $outcome = passed ]; then
            grep -E '^[0-9]+ problems|tests passed|cases of Check' "$logs/$((i + 1)).txt" || true
        else
            grep -v '^ok ' "$logs/$((i + 1)).txt" | tail -n 100
        fi
    done
    titles=()
    pids=()
}

with=scripts/with_opencl.sh
lines() { # IMPLEMENTATION FILE [OPTIONS...]
    $with "$1" "$build/tests/run_problem" "${@:3}" --file "$2"
}

# Random problems after the fixed ones: twenty of a kind, with two compiled programs or three.
on_device() { # IMPLEMENTATION COUNT SEED
    lines "$1" tests/device/lists/strategies.txt &&
        $with "$1" "$build/tests/fuzz_problems" --count "$2" --kinds $(($2 / 20)) --programs 3 --seed "$3"
}

# Without the random problems of the suite, as there are others; on rusticl without reductions that llvmpipe's loops are
# too short for (also one that test_smoke and stress need of each strategy), pairs that compare in work-groups of 64
# where llvmpipe's kernels take 32, masks and both extrema, which are refused there, files with missing data among them,
# times of a clock that stands still (test_stream), a message that must be alone on stderr, and a heap that must not
# swing.
suite() { # IMPLEMENTATION
    local without=differential
    local refused='|test_smoke|(watched_)?stress.*|(watched|test)_stream|test_cli_(both|mask)|cli_plot|cli_spill'
    [ "$1" != rusticl ] || without+="|big_views|pairs_.*|test_cli_netcdf|enqueues$refused"
    $with "$1" ctest --test-dir "$build" -j "$(nproc)" -L 'device|smoke|cli' -E "^($without)\$" --output-on-failure \
        --timeout 7200
}

# Oclgrind's silence says something only if it reports kernels without their barriers, loads outside a buffer, and an
# uninitialised operand.
spoiled() { # IMPLEMENTATION SED_COMMAND REPORT
    local folder report
    folder=$(mktemp -d)
    cp -r kernels/. "$folder"
    sed -i "$2" "$folder"/*/*
    report=$(ARGMAX_CL_KERNELS=$folder $with "$1" "$build/tests/run_problem" \
        'argmax float32 2x1025 axes=1 strategy=long-rows tuning=gpu' || true)
    rm -r "$folder"
    grep -m 1 "$3" <<<"$report"
}
mistakes_are_seen() {
    spoiled races 's/barrier(CLK_LOCAL_MEM_FENCE)/(void)0/' 'data race' &&
        spoiled races 's/return \*p;/return p[4096];/; s/(__global, T, VEC, p)/(__global, T, VEC, p + 4096)/' 'Invalid read' &&
        spoiled oclgrind 's/return max(v4, v4.s1032).s0/type none; return max(v4.s0, none)/' 'depends on uninitialized'
}

# Those that are small enough, and of strategies without any the lines of strategies.txt.
for_oclgrind() {
    awk '{ name = match($0, /strategy=[a-z-]+/) ? substr($0, RSTART, RLENGTH) : "" }
         NR == FNR { print; known[name] = 1; next }
         !/^#/ && !(name in known)' tests/device/lists/simulated.txt tests/device/lists/strategies.txt
}

# The three calls: Oclgrind does not see that memory of the host, used in place, has been written, nor that a workspace
# at the place of an earlier, smaller buffer is larger.
all_calls() {
    local route
    for route in plan call host; do
        sed -n "3~3p" tests/device/lists/simulated.txt | $with races "$build/tests/run_problem" --route $route --file - || return 1
    done
}

$with install
if [ "$matrix" != --matrix ]; then
    for_oclgrind >"$logs/simulated.txt"
    start "Oclgrind, all checks" lines oclgrind "$logs/simulated.txt"
    start "Intel's runtime" on_device intel 100 1
    start "rusticl" on_device rusticl 100 1
    start "Oclgrind, all calls" all_calls
    start "Oclgrind sees mistakes" mistakes_are_seen
    finish
    exit $failed
fi

whole_suite() { # IMPLEMENTATION
    start "$1, the suite" suite "$1"
    finish
    start "$1, random" on_device "$1" 2000 2
    finish
}
simulated() {
    sed -n '2~2p' tests/device/lists/strategies.txt >"$logs/even.txt"
    sed -n '1~2p' tests/device/lists/strategies.txt >"$logs/odd.txt"
    start "Oclgrind, all checks" lines oclgrind "$logs/even.txt"
    start "Oclgrind, all checks" lines oclgrind "$logs/odd.txt"
    start "Oclgrind, all checks, aligned loads" env ARGMAX_CL_TUNING="$PWD/tests/device/lists/aligned.tuning" \
        $with oclgrind "$build/tests/run_problem" --file tests/device/lists/narrow.txt
    start "Oclgrind, random" \
        $with races "$build/tests/fuzz_problems" --count 200 --kinds 40 --programs 2 --elements 4096 --seed 3
    start "Oclgrind, all calls" all_calls
    start "Oclgrind sees mistakes" mistakes_are_seen
    finish
}
for name in "${names[@]}"; do
    case $name in
        pocl | intel | rusticl) whole_suite "$name" ;;
        oclgrind) simulated ;;
        *) echo "$name: expected pocl, intel, rusticl or oclgrind" >&2; exit 2 ;;
    esac
done
exit $failed
