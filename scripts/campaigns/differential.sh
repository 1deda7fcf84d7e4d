#!/usr/bin/env bash
# Random problems against the serial oracle: differential.sh [COUNT] [SEED] [OPTION...]; a million unless given
#
# OPTION as for build/tests/fuzz_problems, --device SELECTOR for one. As many processes as there are cores, 3000 problems
# of a kind. The log stays in build/differential-SEED.txt; what the drivers keep of compiled programs does not.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
need_packages "${build_packages[@]}"
prepare_pocl "$PWD/build"
count=${1:-1000000} seed=${2:-$(date +%s)}

build_in build -DARGMAX_CL_BUILD_TESTS=ON -- fuzz_problems run_problem

programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
export TMPDIR=$programs POCL_CACHE_DIR=$programs CUDA_CACHE_PATH=$programs ARGMAX_CL_TUNING=
build/tests/fuzz_problems --count "$count" --seed "$seed" --jobs "$(nproc)" --kinds $(((count + 2999) / 3000)) \
    --complete $((count >= 500000)) "${@:3}" 2>&1 | tee "build/differential-$seed.txt"
