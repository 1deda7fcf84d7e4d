#!/usr/bin/env bash
# The library's kernels under compute-sanitizer, on a GPU of NVIDIA's: sanitizers.sh [COUNT] [SEED]; 1000 problems a tool
# unless given
#
# Random problems whose launches go through the CUDA driver API (tests/cuda/on_cuda.c), under memcheck, racecheck,
# initcheck and synccheck, in as many processes as there are cores. Before that each tool must report a fault that is
# planted in the kernels. Logs stay in build/sanitizers; exit status 1 when a tool reports anything or an answer is wrong.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
count=${1:-1000} seed=${2:-$(date +%s)} logs=$PWD/build/sanitizers
PATH=$PATH:/usr/local/cuda/bin
command -v compute-sanitizer >/dev/null || { echo "compute-sanitizer is missing: it comes with CUDA" >&2; exit 1; }
rm -rf "$logs" && mkdir -p "$logs"
build_in build -DARGMAX_CL_BUILD_TESTS=ON -- fuzz_problems_cuda run_problem_cuda

export CUDA_CACHE_PATH=$logs/cache ARGMAX_CL_TUNING=
tools=(memcheck racecheck initcheck synccheck)
# What a log holds besides reports.
banner='COMPUTE-SANITIZER|ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards'

run() { # LOG TOOL PROGRAM ARGUMENT...
    local padding=()
    [ "$2" != memcheck ] || padding=(--padding 512) # so that buffers are no neighbours
    timeout "${limit:-300}" compute-sanitizer --tool "$2" "${padding[@]}" "build/tests/$3" "${@:4}" >"$1" 2>&1 ||
        echo "exit status $?" >>"$1"
}
reports() { # LOG...: the lines of what was reported
    grep -hE '^=========|^exit status|^on CUDA: [^0-9]' "$@" | grep -vE "$banner" || true
}

planted() { # TOOL FILE SED_SCRIPT PROBLEM: the tool reports it, and nothing before it is planted
    local log=$logs/planted-$1
    cp -r kernels "$log.kernels"
    sed -i "$3" "$log.kernels/$2"
    ! cmp -s "kernels/$2" "$log.kernels/$2" || { echo "planted nothing in $2"; return 1; }
    run "$log-not.txt" "$1" run_problem_cuda "$4"
    ARGMAX_CL_KERNELS=$log.kernels run "$log.txt" "$1" run_problem_cuda "$4"
    grep -q '^ok' "$log-not.txt" && [ -z "$(reports "$log-not.txt")" ] && grep -q '^on CUDA: [1-9]' "$log-not.txt" ||
        { echo "$1 reports without a fault:"; head -n 40 "$log-not.txt"; return 1; }
    reports "$log.txt" | grep -v '^exit status' | sed -n 1p | grep . ||
        { echo "$1 does not report a planted fault:"; head -n 40 "$log.txt"; return 1; }
}
long='argmax float32 3x100000 axes=1 tuning=gpu fields=part_bytes:16777216,row_part_bytes:16777216'
failed=0
limit=60
echo "== planted faults"
planted memcheck memory/index.clh 's/index\[index_at\] =/index[index_at + 1] =/' "$long" || failed=1
planted racecheck workgroup/reduce.clh '/^ *barrier(CLK_LOCAL_MEM_FENCE); *\\$/d' "$long" || failed=1
planted initcheck workgroup/finish.clh '0,/if (get_local_id(0) == 0) *\\$/s//if (get_local_id(0) == 0 \&\& (part) != 1) \\/' \
    'argmax float32 3000000 tuning=gpu fields=one_launch:0' || failed=1
planted synccheck workgroup/reduce.clh 's/^            barrier(CLK_LOCAL_MEM_FENCE); *\\$/if ((rank) < 40) &/' "$long" || failed=1

echo "== $count random problems a tool, seed $seed"
limit=300
kinds=$(((count + 24) / 25))
export -f run
export logs limit
for tool in "${tools[@]}"; do
    for ((batch = 0; batch < kinds; ++batch)); do
        echo "$logs/$tool-$batch.txt" "$tool" fuzz_problems_cuda --batch "$batch" --seed "$seed" --count "$count" \
            --kinds "$kinds" --programs 3 --elements 65536
    done
done | xargs -P "$(nproc)" -L 1 bash -c 'run "$@"' run
for tool in "${tools[@]}"; do
    cat "$logs/$tool"-*.txt >"$logs/$tool.txt"
    awk -v tool="$tool" '/problems drawn/ { right += $4; wrong += $6 } /^on CUDA: / { launches += $3 }
        END { printf "%-10s %d problems right, %d wrong, %d launches\n", tool, right, wrong, launches }' "$logs/$tool.txt"
    reports "$logs/$tool.txt" >"$logs/$tool-reports.txt"
    if [ -s "$logs/$tool-reports.txt" ] || grep -q '^FAIL' "$logs/$tool.txt"; then
        failed=1
        head -n 30 "$logs/$tool-reports.txt"
    fi
done
exit $failed
