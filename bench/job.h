/* A problem between its preparation (run.c) and its figures (measure.c). */
#ifndef BENCH_JOB_H
#define BENCH_JOB_H

#include "run.h"

/* What one problem holds while it runs. */
typedef struct job {
    workbench *bench;
    const problem_line *p;
    const run_options *options;
    run_result *result;
    problem_desc desc;
    argmax_cl_plan plan;
    argmax_cl_buffers buffers;
    cl_mem workspace;
    size_t input_bytes, index_bytes, value_bytes, mask_bytes, max_index_bytes, max_value_bytes; /* 0: none */
    limit_traffic traffic;                                                                      /* of the limit */
    int limit_form;
    naive_run naive;
    bool naive_turns; /* it is quick enough to be measured over and over */
    bool flush;       /* before each repetition */
} job;

/* Note why the job failed; returns false. */
bool fail_run(job *j, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Enqueue the library's work. */
bool job_enqueue(job *j, cl_command_queue queue);

/* Fill in the result's times. False after noting why not. */
bool job_measure(job *j);

#endif
