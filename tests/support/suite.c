#include "suite.h"

#include <stdio.h>
#include <stdlib.h>

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
    for (size_t i = 0; i < count; i++) {
        TCase *const single = tcase_create(tests[i]->name);
        tcase_add_test(single, tests[i]);
        suite_add_tcase(suite, single);
    }
    SRunner *const all = srunner_create(suite);
    srunner_set_fork_status(all, CK_NOFORK);
    srunner_run_all(all, CK_ENV);
    const int failed = srunner_ntests_failed(all);
    srunner_free(all);
    if (runner_is_open)
        runner_close(&the_runner);
    return failed ? 1 : 0;
}
