/* What tests with Check on a device need: one runner for the whole process, and a main. */
#ifndef ARGMAX_CL_TESTS_SUITE_H
#define ARGMAX_CL_TESTS_SUITE_H

#include "sweep.h"

#include <check.h>

/* The runner on the device that the environment variable ARGMAX_CL_TEST_DEVICE selects (a selector; unset: the one
 * thought fastest), opened once. Ends the process with a message when there is no such device. With
 * ARGMAX_CL_TEST_TRACE=1 each problem is printed before it runs. */
runner *suite_runner(void);

/* The value of an environment variable as a number, or `otherwise`. */
uint64_t suite_number(const char *variable, uint64_t otherwise);

/* Whether this process has number i of what it takes turns at with others: compiling is what takes time, and so
 * ARGMAX_CL_TEST_SHARES processes take one number in as many each, from ARGMAX_CL_TEST_SHARE on; a lone one has all. */
bool suite_has_share(uint32_t i);

/* As run_tests of unit.h, each test once, so that programs compiled once serve all of them; then close the runner. */
int suite_run(const char *name, const TTest *const *tests, size_t count);

/* The main of a program whose tests are listed. */
#define SUITE_MAIN(name, ...)                                                                                          \
    int main(void) {                                                                                                   \
        const TTest *const tests[] = {__VA_ARGS__};                                                                    \
        return suite_run(name, tests, sizeof tests / sizeof tests[0]);                                                 \
    }

#endif
