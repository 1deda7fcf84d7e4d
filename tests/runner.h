/* Runs problems through the library on one device and compares every byte of the outputs with the oracle: the addressed
 * elements, the gaps between them and guard zones around. Inputs and the workspace have guard zones too. */
#ifndef ARGMAX_CL_TESTS_RUNNER_H
#define ARGMAX_CL_TESTS_RUNNER_H

#include "problem.h"

/* Which of the library's three calls runs the problem. */
typedef enum run_route { ROUTE_PLAN, ROUTE_CALL, ROUTE_HOST, ROUTE_COUNT } run_route;
extern const char *const run_route_names[ROUTE_COUNT];

typedef enum run_result {
    RUN_OK,
    RUN_REFUSED, /* the forced strategy or tuning row does not apply to this problem */
    RUN_FAILED   /* anything else; runner.message says what */
} run_result;

typedef struct runner {
    argmax_cl_handle handle;
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    bool trace;            /* runner_report prints each line before it runs, for what ends in a crash */
    size_t guard;          /* bytes of a guard zone */
    char message[1024];    /* of the last failure */
    unsigned long runs[3]; /* by run_result */
} runner;

/* The selector is argmax_cl_create_default's. False, with a message, when there is no such device. */
bool runner_open(runner *r, const char *selector);
void runner_close(runner *r);

run_result runner_run(runner *r, const problem_line *p, run_route route);

/* The same, and a failure is printed to stderr with the line that runs the problem again. */
run_result runner_report(runner *r, const problem_line *p, run_route route);

/* One line to stdout: the device, its platform and driver, and how many problems were right, wrong and refused. */
void runner_print(const runner *r);

#endif
