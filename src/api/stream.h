/* Host arrays that go through a device in blocks: two in flight, cut by problem/cut.c, merged by problem/partial.c. */
#ifndef ARGMAX_CL_STREAM_H
#define ARGMAX_CL_STREAM_H

#include "internal.h"

/* Blocks of an input that somebody wants to hear of, or to be able to end, are no larger. */
#define WATCHED_BYTES ((uint64_t)256 << 20)

/* What to stream and where the answers go. */
typedef struct stream_task {
    argmax_cl_handle handle;
    const problem *problem;       /* checked, its strategy requested; outputs is not 0 */
    argmax_cl_host_arrays arrays; /* the problem's; with partials no outputs */
    argmax_cl_partial *partials;  /* NULL, or where the outputs' partials go, in row-major order, extreme by extreme */
    const uint64_t *whole, *origin; /* sizes and start of argmax_cl_block; NULL: the input is the whole */
    const argmax_cl_host_options *options;
    const tuning_row *tuning; /* the fields for host arrays count */
} stream_task;

/* Returns when all is done. The times go to *compute and *total, in seconds; *compute is measured only when the options
 * ask for it. */
argmax_cl_status stream_run(const stream_task *task, double *compute, double *total);

/* Whether the options want to hear of blocks or be able to end the call between them. */
static inline bool stream_is_watched(const argmax_cl_host_options *options) {
    return options->progress || options->cancel;
}

/* ARGMAX_CL_ERROR_CANCELLED, with a message, when the caller wants an end. */
argmax_cl_status stream_check_cancel(const argmax_cl_host_options *options, uint64_t done, uint64_t count);
/* Tell the caller that so many elements of the problem's input are done. */
void stream_tell(const argmax_cl_host_options *options, const problem *p, uint64_t elements);

double host_clock(void);

#endif
