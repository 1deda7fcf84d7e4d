#!/usr/bin/env bash
# Install what is missing, build, and run every check: format, lints, all tests, and the device-free tests and one case
# a strategy under sanitizers. Needs Debian 12 or alike, as root or with sudo, where something is missing.
#
# usage: test.sh               everything
#        test.sh --coverage    the tests alone, and the lines and branches of src/ that they reach: at least 98 and 92 %
#        test.sh --matrix      the whole suite on every OpenCL implementation, and what needs no device as 32-bit and as
#                              big-endian code (docs/portability.md); on Debian
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh

jobs=$(nproc)
results=()
failed=0

step() { # TITLE COMMAND...: run it, and remember how it went
    local title=$1 start=$SECONDS outcome=passed
    shift
    echo "== $title"
    "$@" </dev/null || { outcome=FAILED; failed=1; }
    results+=("$(printf '%-6s  %4d s  %s' "$outcome" $((SECONDS - start)) "$title")")
    [ "$outcome" = passed ]
}

summary() {
    echo
    echo "== Summary, after $SECONDS s on $jobs cores"
    printf '%s\n' "${results[@]}"
    if [ $failed -eq 0 ]; then echo "All passed."; else echo "FAILED."; fi
    exit $failed
}

# As the tests want it: warnings are errors.
build_tests_in() { # FOLDER CMAKE_OPTION... [-- TARGET...]
    build_in "$1" -DARGMAX_CL_WERROR=ON -DARGMAX_CL_BUILD_TESTS=ON "${@:2}"
}

folders=(include src kernels tests tools bench examples bindings)

format() {
    local wrong
    wrong=$(find "${folders[@]}" -regextype egrep -regex '.*\.(c|h|cpp|hpp|cl|clh)' -print0 |
        xargs -0 build/venv/bin/clang-format --dry-run 2>&1 | sed -n 's/^\([^: ]*\):.*clang-format-violations.*/\1/p' | uniq)
    [ -z "$wrong" ] || { echo "Mend with: build/venv/bin/clang-format -i ${wrong//$'\n'/ }"; return 1; }
}

# In the sanitizer build, where assertions are alive and tell the analyser what always holds.
tidy() {
    find "${folders[@]}" -name '*.c' -not -path 'tests/package/install/*' -print0 |
        xargs -0 -P "$jobs" -n 1 build/venv/bin/clang-tidy -p build-asan --quiet >build-asan/tidy.txt 2>&1 ||
        { grep -v 'warnings\? generated' build-asan/tidy.txt; return 1; }
}

# The pinned linters live below the build folder.
linters() {
    cmp -s scripts/requirements.txt build/venv/installed.txt && return 0
    python3 -m venv build/venv &&
        build/venv/bin/pip install -q --disable-pip-version-check -r scripts/requirements.txt &&
        cp scripts/requirements.txt build/venv/installed.txt
}

run_tests() { # FOLDER CTEST_OPTION...
    ctest --test-dir "$1" --output-on-failure "${@:2}" && tests_and_checks "$1"
}

# Check writes one line a suite into the log.
tests_and_checks() {
    awk '/%: Checks: [0-9]+, Failures:/ { match($0, /Checks: [0-9]+/); n += substr($0, RSTART + 8, RLENGTH - 8); ++s }
         END { printf "%d cases of Check in %d programs\n", n, s }' "$1/Testing/Temporary/LastTest.log"
}

sanitizer_tests() {
    # Leaks of drivers and compilers are not ours.
    export ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=suppressions=$PWD/tests/support/leaks.txt:print_suppressions=0
    export UBSAN_OPTIONS=print_stacktrace=1
    # The leak checker's own tracer dies now and then, which is no verdict on a test: then those that failed run again.
    run_tests build-asan -L 'unit|smoke' || {
        grep -q 'LeakSanitizer has encountered a fatal error' build-asan/Testing/Temporary/LastTest.log &&
            ctest --test-dir build-asan --rerun-failed --output-on-failure
    }
}

# The wheel, in an environment of its own: NumPy's tests and ours, what the page shows, the types.
python_tests() {
    cmp -s scripts/requirements-python.txt build/python/installed.txt || {
        python3 -m venv build/python &&
            build/python/bin/pip install -q --disable-pip-version-check -r scripts/requirements-python.txt &&
            cp scripts/requirements-python.txt build/python/installed.txt
    } || return 1
    build/python/bin/pip install -q --disable-pip-version-check --force-reinstall --no-deps ./bindings/python &&
        ARGMAX_CL_TUNING='' build/python/bin/python -m pytest -q -p no:cacheprovider -c bindings/python/pyproject.toml \
            --doctest-glob='*.md' bindings/python/tests docs/python.md &&
        ARGMAX_CL_TUNING='' build/python/bin/python -m pytest -q -p no:cacheprovider --doctest-modules --pyargs argmax_cl &&
        (cd bindings/python && ../../build/python/bin/mypy --cache-dir ../../build/python/mypy)
}

# A driver is not ours to look into: the library on an OpenCL of its own (tests/stub/), on eight threads.
thread_tests() {
    build_tests_in build-tsan "-DCMAKE_C_COMPILER=$(thread_compiler)" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DARGMAX_CL_SANITIZE=thread -DARGMAX_CL_BUILD_BENCH=OFF -DARGMAX_CL_BUILD_TOOLS=OFF \
        -DARGMAX_CL_BUILD_EXAMPLES=OFF -- run_threads_stub test_counters test_hostile test_hostile_devices &&
        with_fixed_addresses ctest --test-dir build-tsan --output-on-failure -L stub
}

# Counts are files that each program writes at its end, also where the disk is made full: two tests, which watch what
# the program writes, are left out.
coverage() {
    build_tests_in build-coverage -DCMAKE_BUILD_TYPE=Debug -DARGMAX_CL_COVERAGE=ON &&
        find build-coverage -name '*.gcda' -delete &&
        GCOV_ERROR_FILE=/dev/null run_tests build-coverage -E '^(cli_syscalls|cli_writes)$' &&
        gcovr --root . --filter src/ --exclude-lines-by-pattern '.*\bassert\(.*' --print-summary \
            --fail-under-line 98 --fail-under-branch 92 build-coverage/CMakeFiles/argmax_cl_objects.dir
}

packages=("${build_packages[@]}" check opencl-clhpp-headers gfortran gnuplot-nox lintian mkdocs \
    pocl-opencl-icd python3-venv clang libclang-rt-dev shellcheck strace)
[ "${1:-}" != --coverage ] || packages+=(gcovr)
need_packages "${packages[@]}"
prepare_pocl "$PWD/build"
# PoCL alone, also where the last steps of an earlier run have installed others, unless OCL_ICD_VENDORS says otherwise.
if [ -z "${OCL_ICD_VENDORS:-}" ]; then
    export OCL_ICD_VENDORS=$PWD/build/icd/test
    mkdir -p "$OCL_ICD_VENDORS"
    grep -l pocl /etc/OpenCL/vendors/*.icd | xargs cp -t "$OCL_ICD_VENDORS"
fi

case ${1:-} in
    --coverage) step "coverage" coverage || true; summary ;;
    --matrix)
        step "build" build_tests_in build || summary
        step "compilers and machines" scripts/compilers.sh build --matrix || true
        step "OpenCL implementations" scripts/implementations.sh build --matrix || true
        summary
        ;;
    '') ;;
    *) sed -n '2,/^set/{/^#/p}' "$0"; exit 2 ;;
esac

step "build" build_tests_in build || summary
step "sanitizer build (address, undefined)" \
    build_tests_in build-asan -DCMAKE_BUILD_TYPE=Debug "-DARGMAX_CL_SANITIZE=address;undefined" || summary
if step "linters" linters; then
    step "format" format || true
    step "clang-tidy" tidy || true
fi
step "shellcheck" shellcheck -x -S warning scripts/*.sh scripts/campaigns/*.sh tests/*/*.sh tests/*/*/*.sh .ci/run || true
step "kernels as OpenCL C 1.2" scripts/lint_kernels.sh build || true
step "tests" run_tests build -j "$jobs" || true
step "Python" python_tests || true
step "tests under sanitizers" sanitizer_tests || true
step "threads under thread sanitizer" thread_tests || true
step "fuzzers, 10 s each" scripts/campaign.sh fuzz 10 || true
step "other compilers" scripts/compilers.sh build || true
step "other OpenCL implementations" scripts/implementations.sh build || true
summary
