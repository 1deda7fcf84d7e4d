/* What every test with Check needs: one way to run a program's tests, one way to expect an error. */
#ifndef ARGMAX_CL_TESTS_UNIT_H
#define ARGMAX_CL_TESTS_UNIT_H

#include <argmax_cl/argmax_cl.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef fail /* a macro of Check's old interface, and a function of ours */

/* A test, and how often it runs: with _i from 0 on. */
typedef struct listed_test {
    const TTest *test;
    int times;
} listed_test;

#define TIMES(test, count) {test, (int)(count)}
#define ONCE(test) TIMES(test, 1)
#define EACH(test, table) TIMES(test, sizeof(table) / sizeof(table)[0])

/* Run the tests in this process (OpenCL does not survive a fork), each between set_up and tear_down, of which NULL is
 * nothing; returns main's exit status. CK_RUN_CASE and the other variables of Check work: every test is a case. */
int run_tests(const char *name, const listed_test *tests, size_t count, SFun set_up, SFun tear_down);

/* The main of a program whose tests are listed, as ONCE(test), EACH(test, table) or TIMES(test, count). */
#define TESTS_MAIN(name, set_up, tear_down, ...)                                                                       \
    int main(void) {                                                                                                   \
        const listed_test tests[] = {__VA_ARGS__};                                                                     \
        return run_tests(name, tests, sizeof tests / sizeof tests[0], set_up, tear_down);                              \
    }

/* The parts of run_tests: a case of one test, and the run that ends the suite. */
void add_case(Suite *suite, const listed_test *single, SFun set_up, SFun tear_down);
int run_suite(Suite *suite);

/* The status and, for an error, each of the '|'-separated parts in the message. `label` names the case. */
void expect_status(const char *label, argmax_cl_status got, argmax_cl_status expected, const char *parts);

#endif
