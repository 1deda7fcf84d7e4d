/* One problem with its OpenCL objects, for tests of the calls themselves. Every function fails the test that uses it
 * when OpenCL fails, unless its comment says otherwise. */
#ifndef ARGMAX_CL_TESTS_JOB_H
#define ARGMAX_CL_TESTS_JOB_H

#include "suite.h"

#define OUTPUTS_MAX 1024

#define ONE_STAGE "argmax float32 500x300 axes=1"
#define TWO_STAGES "argmax float32 1000000 axes=0 data=pair seed=777777 strategy=split-rows"

typedef struct job {
    problem_line p;
    problem_desc d;
    argmax_cl_buffers buffers;
    void *input;
    int64_t expected[OUTPUTS_MAX]; /* indices: every job has packed int64 outputs */
} job;

/* A buffer of the suite's context, with that content unless it is NULL. */
cl_mem buffer_of(const runner *r, cl_mem_flags flags, size_t bytes, void *content);

/* From a problem line of at most OUTPUTS_MAX packed int64 outputs: input, oracle's answer, buffers. */
void job_open(job *j, const char *line);
void job_close(job *j);
/* Outputs that no problem gives, so that a stale answer cannot pass. */
void job_spoil(const job *j, cl_command_queue queue);
/* Whether the outputs are right; reads them after `event`. Usable outside the main thread, unlike Check's macros. */
bool job_is_right(const job *j, cl_command_queue queue, cl_event event);
/* By the plan, or without one by the one-call function. */
argmax_cl_status job_enqueue(const job *j, argmax_cl_plan plan, cl_command_queue queue, cl_mem workspace, cl_uint count,
                             const cl_event *list, cl_event *event);

cl_command_queue queue_of(const runner *r, bool out_of_order);
argmax_cl_plan plan_of(const job *j);
size_t workspace_bytes(argmax_cl_plan plan);
/* NULL when the plan needs none. */
cl_mem workspace_of(argmax_cl_plan plan);

#endif
