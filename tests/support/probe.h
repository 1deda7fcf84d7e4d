/* What the library would do with a problem, without compiling or running anything. */
#ifndef ARGMAX_CL_TESTS_PROBE_H
#define ARGMAX_CL_TESTS_PROBE_H

#include "internal.h"
#include "runner.h"

typedef struct probe {
    argmax_cl_status status; /* of its checks and decisions; what follows is unset unless it is SUCCESS */
    bool empty;              /* no outputs: what follows is unset too */
    geometry geometry;
    uint32_t kept_dims, reduced_dims; /* after collapsing */
    uint64_t programs;                /* a number that stands for the kernels and their build options; 0: none */
} probe;

void probe_problem(runner *r, const problem_line *line, probe *out);

#endif
