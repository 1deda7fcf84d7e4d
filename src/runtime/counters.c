/* Counters of the kernels that scan and merge in one launch (kernels/workgroup/finish.clh): memory of the handle, zero
 * before and after each launch.
 *
 * Two launches that run at the same time must not count on the same ones. An in-order queue runs one kernel at a time,
 * so each has a share of its own. A queue is known by its address alone, since the handle keeps no queue: OpenCL
 * deletes a queue, and so may give its address to another one, only after all its commands have finished. Queues beyond
 * QUEUES_KEPT and out-of-order ones get none; there plans make two launches. */
#include "api/handle.h"

#include <stdlib.h>

argmax_cl_status counters_prepare(argmax_cl_handle handle) {
    const size_t count = (size_t)QUEUES_KEPT * COUNTERS_A_QUEUE;
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    pthread_mutex_lock(&handle->build_lock);
    if (!handle->counters) {
        cl_int code;
        cl_uint *const zeros = calloc(count, sizeof *zeros);
        if (!zeros) {
            status = fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for %zu counters", count);
        } else {
            handle->counters = clCreateBuffer(handle->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                              count * sizeof *zeros, zeros, &code);
            if (code != CL_SUCCESS)
                status = fail_buffer("counters", count * sizeof *zeros, code);
        }
        free(zeros);
    }
    pthread_mutex_unlock(&handle->build_lock);
    return status;
}

bool counters_lend(argmax_cl_handle handle, cl_command_queue queue, cl_ulong *first) {
    uint32_t i = 0;
    pthread_mutex_lock(&handle->lend_lock);
    while (i < handle->lent && handle->lent_to[i] != queue)
        ++i;
    if (i == handle->lent && i < QUEUES_KEPT)
        handle->lent_to[handle->lent++] = queue;
    pthread_mutex_unlock(&handle->lend_lock);
    if (i == QUEUES_KEPT)
        return false;
    *first = (cl_ulong)i * COUNTERS_A_QUEUE;
    return true;
}

void counters_release(argmax_cl_handle handle) {
    if (handle->counters)
        clReleaseMemObject(handle->counters);
}
