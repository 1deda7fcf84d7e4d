/* Threads that send blocks of host memory to a device together. Each packs pieces into pinned memory of its own and has
 * them on their way at once: one thread alone packs slower than a link takes, and pieces that are packed and sent again
 * and again stay in the processor's cache. */
#ifndef ARGMAX_CL_SENDER_H
#define ARGMAX_CL_SENDER_H

#include "internal.h"

typedef struct sender sender;

/* What blocks of up to so many bytes are sent in: transfers of several pieces, packed in turn. */
typedef struct sender_sizes {
    uint64_t piece_bytes, transfer_bytes;
    uint32_t transfers;
} sender_sizes;
sender_sizes sender_sizes_for(const tuning_row *tuning, uint64_t bytes);

/* For blocks of up to so many bytes; *out is NULL after a failure. */
argmax_cl_status sender_open(cl_context context, cl_device_id device, const tuning_row *tuning, uint64_t bytes,
                             sender **out);

/* Begin to send a view of an array, packed in row-major order, to the start of a buffer: one at a time. */
void sender_start(sender *team, const void *array, const tensor_view *view, cl_command_queue queue, cl_mem buffer);

/* Take part until all of it is on its way, in that queue. Does nothing where nothing was begun. */
argmax_cl_status sender_wait(sender *team);

/* Whether all that was sent has arrived; waits for it. */
argmax_cl_status sender_finish(sender *team);

/* Once the queues that it sent to are finished. NULL is fine. */
void sender_close(sender *team);

#endif
