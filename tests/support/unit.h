/* What every unit test with Check needs: one way to run a suite, one way to expect an error. */
#ifndef ARGMAX_CL_TESTS_UNIT_H
#define ARGMAX_CL_TESTS_UNIT_H

#include <argmax_cl/argmax_cl.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef fail /* a macro of Check's old interface, and a function of ours */

/* Without fork: OpenCL does not survive it. Returns main's exit status. */
static inline int run_suite(Suite *suite) {
    SRunner *const suite_runner = srunner_create(suite);
    srunner_set_fork_status(suite_runner, CK_NOFORK);
    srunner_run_all(suite_runner, CK_ENV);
    const int failed = srunner_ntests_failed(suite_runner);
    srunner_free(suite_runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* The status and, for an error, each of the '|'-separated parts in the message. `label` names the case. */
static inline void expect_status(const char *label, argmax_cl_status got, argmax_cl_status expected,
                                 const char *parts) {
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

#endif
