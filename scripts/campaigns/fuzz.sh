#!/usr/bin/env bash
# Hostile input by libFuzzer, for so many seconds (default 1800) on each target at once: fuzz.sh [SECONDS] [TARGET...]
#
# Targets: desc (descriptors, layout, geometry), npy (the .npy reader), options (the command line of argmax-cl),
# problem (problem lines), tuning (tuning files); tests/fuzz/target_*.c say what must hold. With address and undefined
# sanitizers and assertions. What it learns stays in build-fuzz/corpus/TARGET, a finding in build-fuzz/findings;
# exit status 1 when there is one. Needs Clang.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
need_packages "${build_packages[@]}" clang libclang-rt-dev

seconds=${1:-1800}
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(desc npy options problem tuning)
build=$PWD/build-fuzz

mkdir -p "$build/findings"
build_in "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O1 -g" -DARGMAX_CL_FUZZ=ON \
    "-DARGMAX_CL_SANITIZE=address;undefined" -DARGMAX_CL_WERROR=ON -DARGMAX_CL_BUILD_BENCH=OFF \
    -DARGMAX_CL_BUILD_EXAMPLES=OFF -DARGMAX_CL_INSTALL=OFF -- "${targets[@]/#/fuzz_}"

pids=()
trap '[ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null || true' EXIT
for target in "${targets[@]}"; do
    mkdir -p "$build/corpus/$target"
    nice -n 5 "$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -use_value_profile=1 -print_final_stats=1 -artifact_prefix="$build/findings/$target-" \
        "$build/corpus/$target" "tests/fuzz/seeds/$target" >"$build/fuzz_$target.txt" 2>&1 &
    pids+=($!)
done

failed=0
for i in "${!targets[@]}"; do
    outcome=clean
    wait "${pids[$i]}" || { outcome=FINDING; failed=1; }
    awk -v target="${targets[$i]}" -v outcome=$outcome -v seconds="$seconds" '
        /^stat::number_of_executed_units/ { inputs = $2 }
        / cov: / { for (i = 1; i < NF; ++i) { if ($i == "cov:") edges = $(i + 1); if ($i == "corp:") corpus = $(i + 1) } }
        END { printf "%-8s %-8s %11d inputs in %d s, %d edges, corpus %s\n", outcome, target, inputs, seconds, edges, corpus }
        ' "$build/fuzz_${targets[$i]}.txt"
    [ $outcome = clean ] || grep -a -m 3 -E 'does not hold|ERROR|runtime error|Test unit written' "$build/fuzz_${targets[$i]}.txt" || true
done
pids=()
exit $failed
