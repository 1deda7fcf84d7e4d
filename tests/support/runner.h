/* Runs problems through the library on one device and compares every byte of the outputs with the oracle: the addressed
 * elements, the gaps between them and guard zones around. Inputs and the workspace have guard zones too. */
#ifndef ARGMAX_CL_TESTS_RUNNER_H
#define ARGMAX_CL_TESTS_RUNNER_H

#include "problem.h"

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
    cl_command_queue loose_queue; /* out-of-order; NULL where the device has none: `queue` stands in */
    bool trace;                   /* runner_report prints each line before it runs, for what ends in a crash */
    /* Of the host route; 0: the device's own, none. The environment variable ARGMAX_CL_TEST_STREAM ("4096,16384", or
     * "4096,16384,copies") sets these, and then every problem takes that route. */
    uint64_t largest_buffer, memory_limit;
    bool copies; /* nothing is used in place */
    bool streams;
    /* Where the environment variable ARGMAX_CL_TEST_KILLS is set, launches die, and a problem whose operation fails for
     * that is run again. */
    bool kills, died;
    unsigned long deaths;
    size_t guard;            /* bytes of a guard zone */
    bool aligned_host;       /* host memory in place must lie where kernels read whole vectors */
    char message[1024];      /* of the last failure */
    argmax_cl_status status; /* of the last run: SUCCESS unless the library refused or failed */
    unsigned long runs[3];   /* by run_result */
} runner;

/* The selector is argmax_cl_create_default's. False, with a message, when there is no such device. */
bool runner_open(runner *r, const char *selector);
void runner_close(runner *r);

/* The route counts where the problem names none. */
run_result runner_run(runner *r, const problem_line *p, run_route route);

/* Run the problem on `input` (problem_input_extent elements) instead of its data, and hand out what the outputs'
 * buffers hold, instead of comparing. `value` NULL: not wanted. False, with a message, when the library fails. */
bool runner_solve(runner *r, const problem_line *p, run_route route, const void *input, void *index, void *value);

/* Whether a problem that every other device takes may be refused: where the device ends loops early, one that its loops
 * cannot finish, and one with a mask or both extrema. */
bool runner_may_refuse(const runner *r);

/* As runner_run, and a failure is printed to stderr with the line that runs the problem again. */
run_result runner_report(runner *r, const problem_line *p, run_route route);

/* One line to stdout: the device, its platform and driver, and how many problems were right, wrong and refused. */
void runner_print(const runner *r);

#endif
