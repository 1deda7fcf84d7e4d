#include "suite.h"

#include "unit.h"

static runner the_runner;
static bool runner_is_open;

runner *suite_runner(void) {
    if (!runner_is_open && !runner_open(&the_runner, getenv("ARGMAX_CL_TEST_DEVICE"))) {
        fprintf(stderr, "no device to test on (ARGMAX_CL_TEST_DEVICE selects one): %s\n", the_runner.message);
        exit(1);
    }
    runner_is_open = true;
    the_runner.trace = suite_number("ARGMAX_CL_TEST_TRACE", 0) != 0;
    return &the_runner;
}

uint64_t suite_number(const char *variable, uint64_t otherwise) {
    const char *const text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

bool suite_has_share(uint32_t i) {
    const uint64_t shares = suite_number("ARGMAX_CL_TEST_SHARES", 1), share = suite_number("ARGMAX_CL_TEST_SHARE", 0);
    ck_assert_uint_lt(share, shares);
    return i % shares == share;
}

int suite_run(const char *name, const TTest *const *tests, size_t count) {
    Suite *const suite = suite_create(name);
    for (size_t i = 0; i < count; i++)
        add_case(suite, &(listed_test)ONCE(tests[i]), NULL, NULL);
    const int status = run_suite(suite);
    if (runner_is_open)
        runner_close(&the_runner);
    return status;
}
