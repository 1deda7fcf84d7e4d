/* One run of a problem, for the runner: its memory between guard zones, the library's call, what became of every byte.
 */
#ifndef ARGMAX_CL_TESTS_TRIAL_H
#define ARGMAX_CL_TESTS_TRIAL_H

#include "arena.h"
#include "runner.h"

/* Of zeros but for the problem before trial_run; trial_close in any case. */
typedef struct trial {
    const problem_line *p;
    problem_desc d;
    arena input, index, value, mask, max_index, max_value, workspace;
    argmax_cl_plan plan;
    cl_command_queue queue;
    cl_uint written_count; /* transfers under way */
    cl_event written[6], done;
} trial;

/* By that route, on `content` or, without, the problem's data. False, with the runner's message, when that fails. A
 * plan is made for every forced problem, so that a refusal costs no data. */
bool trial_run(runner *r, trial *t, run_route route, const void *content);
void trial_close(trial *t);

/* Whether every byte is what the oracle says, or as it was; judge.c. False, with the runner's message. */
bool trial_judge(runner *r, trial *t);

/* False; the message is the runner's. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool runner_failed(runner *r, const char *format, ...);
bool opencl_ok(runner *r, cl_int code, const char *what);

#endif
