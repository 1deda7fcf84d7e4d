/* The naive kernel: what a user would write by hand in ten lines, as a peer and as a second opinion on the answers. */
#ifndef BENCH_NAIVE_H
#define BENCH_NAIVE_H

#include "device.h"
#include "problem.h"

enum { NAIVE_KERNELS_MOST = 512, NAIVE_SHAPE_MOST = 4 + 4 * PROBLEM_MAX_RANK };

/* Kernels that were built, for problems of the same kind. */
typedef struct naive_kernels {
    const bench_device *device;
    cl_mem shape; /* of the problem that is prepared */
    size_t count;
    struct {
        char macros[400];
        cl_kernel kernel;
    } built[NAIVE_KERNELS_MOST];
} naive_kernels;

/* One problem. */
typedef struct naive_run {
    cl_kernel kernel;
    size_t global, local;
} naive_run;

bool naive_open(naive_kernels *kernels, const bench_device *device);
void naive_close(naive_kernels *kernels);

/* Only one problem is prepared at a time. `value` NULL: the problem has none. */
bool naive_prepare(naive_kernels *kernels, const problem_line *p, cl_mem input, cl_mem index, cl_mem value,
                   naive_run *run);
bool naive_enqueue(const naive_run *run, cl_command_queue queue);

#endif
