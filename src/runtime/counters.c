/* Counters of the kernels that scan and merge in one launch (kernels/workgroup/finish.clh): memory of the handle that
 * is zero when such a launch begins.
 *
 * Each launch has counters that no launch before it had, so one that dies half-way leaves nothing behind for the next:
 * an in-order queue has a block of them, which its launches use up from the front, and then another block. Blocks are
 * memory objects of their own, since two queues must not write one without synchronisation (OpenCL 1.2, appendix A).
 *
 * A queue is known by its address alone, since the handle keeps no queue. One that got nothing for long makes room for
 * another. Where QUEUES_KEPT others are in use, on out-of-order queues, and where there is no memory for a block, plans
 * make two launches. */
#include "api/handle.h"

#include <stdlib.h>

/* What a block has room for. A queue's first one is small, since queues may live for one call; of the others each
 * serves so many counters, and launches, that the time to make it is nothing to each of them. */
#define FIRST_COUNTERS 1024
#define BLOCK_COUNTERS (UINT64_C(1) << 16)
#define BLOCK_LAUNCHES 64
/* Other queues' loans after which a queue may be gone. */
#define LOANS_KEPT 1024
/* Two launches share no sector of a GPU's cache. */
#define COUNTERS_TOGETHER 8

static uint64_t choose_room(bool first, uint64_t count) {
    if (first)
        return count > FIRST_COUNTERS ? count : FIRST_COUNTERS;
    return count * BLOCK_LAUNCHES > BLOCK_COUNTERS ? count * BLOCK_LAUNCHES : BLOCK_COUNTERS;
}

/* Under the lend lock: a new block in place of the old one, which OpenCL keeps until the launches that use it are done.
 */
static bool renew(argmax_cl_handle handle, counter_block *block, uint64_t count) {
    const uint64_t room = choose_room(!block->buffer, count);
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    cl_mem fresh = NULL;
    cl_uint *const zeros = calloc((size_t)room, sizeof *zeros);
    if (zeros)
        fresh = clCreateBuffer(handle->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, (size_t)room * sizeof *zeros,
                               zeros, &code);
    free(zeros);
    if (code != CL_SUCCESS)
        return false;
    if (block->buffer)
        clReleaseMemObject(block->buffer);
    block->buffer = fresh;
    block->number = ++handle->blocks_made;
    block->room = room;
    block->used = 0;
    return true;
}

/* Under the lend lock. NULL when others have all places. */
static counter_block *find_block(argmax_cl_handle handle, cl_command_queue queue) {
    uint32_t oldest = 0;
    for (uint32_t i = 0; i < handle->lent; ++i) {
        if (handle->blocks[i].queue == queue)
            return &handle->blocks[i];
        if (handle->blocks[i].last_loan < handle->blocks[oldest].last_loan)
            oldest = i;
    }
    if (handle->lent < QUEUES_KEPT)
        oldest = handle->lent++;
    else if (handle->loans - handle->blocks[oldest].last_loan < LOANS_KEPT)
        return NULL;
    counter_block *const block = &handle->blocks[oldest];
    if (block->buffer)
        clReleaseMemObject(block->buffer);
    *block = (counter_block){.queue = queue};
    return block;
}

bool counters_lend(argmax_cl_handle handle, cl_command_queue queue, uint64_t count, counter_loan *loan) {
    const uint64_t taken = (count + COUNTERS_TOGETHER - 1) / COUNTERS_TOGETHER * COUNTERS_TOGETHER;
    pthread_mutex_lock(&handle->lend_lock);
    ++handle->loans;
    counter_block *const block = find_block(handle, queue);
    const bool has = block && (taken <= block->room - block->used || renew(handle, block, taken));
    if (has) {
        *loan = (counter_loan){block->buffer, block->number, block->used};
        block->used += taken;
        block->last_loan = handle->loans;
    }
    pthread_mutex_unlock(&handle->lend_lock);
    return has;
}

void counters_release(argmax_cl_handle handle) {
    for (uint32_t i = 0; i < handle->lent; ++i)
        if (handle->blocks[i].buffer)
            clReleaseMemObject(handle->blocks[i].buffer);
}
