#include "unit.h"

void add_case(Suite *suite, const listed_test *single, SFun set_up, SFun tear_down) {
    TCase *const of_one = tcase_create(single->test->name);
    tcase_add_checked_fixture(of_one, set_up, tear_down);
    tcase_add_loop_test(of_one, single->test, 0, single->times);
    suite_add_tcase(suite, of_one);
}

int run_suite(Suite *suite) {
    SRunner *const all = srunner_create(suite);
    srunner_set_fork_status(all, CK_NOFORK);
    srunner_run_all(all, CK_ENV);
    const int failed = srunner_ntests_failed(all);
    srunner_free(all);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int run_tests(const char *name, const listed_test *tests, size_t count, SFun set_up, SFun tear_down) {
    Suite *const suite = suite_create(name);
    for (size_t i = 0; i < count; i++)
        add_case(suite, &tests[i], set_up, tear_down);
    return run_suite(suite);
}

void expect_status(const char *label, argmax_cl_status got, argmax_cl_status expected, const char *parts) {
    ck_assert_msg(got == expected, "%s: status %d, expected %d; message: %s", label, (int)got, (int)expected,
                  argmax_cl_last_error());
    if (expected == ARGMAX_CL_SUCCESS || !parts)
        return;
    char copy[512];
    snprintf(copy, sizeof copy, "%s", parts);
    for (char *part = copy; part;) {
        char *const bar = strchr(part, '|');
        if (bar)
            *bar = '\0';
        ck_assert_msg(strstr(argmax_cl_last_error(), part) != NULL, "%s: no \"%s\" in the message: %s", label, part,
                      argmax_cl_last_error());
        part = bar ? bar + 1 : NULL;
    }
}
