#!/usr/bin/env bash
# Do the tests bite? Change kernels and host code on purpose, a line at a time, and see that a fast part of the tests fails.
#
# usage: campaign.sh mutation [--list] [--seed N] [--count N] [--file TEXT] [--jobs N] [--seconds N] [--keep killed|all]
#        --help tells more
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
need_packages "${build_packages[@]}" check pocl-opencl-icd clang oclgrind python3
prepare_pocl "$PWD/build"

exec nice -n 5 python3 tests/mutation/mutate.py --folder "${MUTATION_FOLDER:-build-mutation}" "$@"
