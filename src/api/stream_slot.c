/* A block's way to the device: see stream_parts.h. Copies go by way of pinned memory, each slot in a queue of its own,
 * so that one slot's transfer runs beside the other's kernel. Blocks that are used in place need no transfer and share
 * a queue. */
#include "api/stream_parts.h"

#include "api/handle.h"
#include "api/host_arrays.h"

#include <inttypes.h>
#include <stdlib.h>

static argmax_cl_status create_buffer(const stream *s, const char *name, cl_mem_flags flags, uint64_t bytes, void *host,
                                      cl_mem *out) {
    cl_int code = CL_SUCCESS;
    *out = clCreateBuffer(s->context, flags, (size_t)bytes, host, &code);
    if (code == CL_SUCCESS)
        return ARGMAX_CL_SUCCESS;
    *out = NULL;
    return fail_buffer(name, bytes, code);
}

static argmax_cl_status open_queue(stream *s, slot *t) {
    cl_int code = CL_SUCCESS;
    t->queue = clCreateCommandQueue(s->context, s->task->handle->device,
                                    s->task->options->seconds_compute ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    t->owns_queue = code == CL_SUCCESS;
    if (code == CL_SUCCESS)
        return ARGMAX_CL_SUCCESS;
    t->queue = NULL;
    return fail_opencl("clCreateCommandQueue", code);
}

argmax_cl_status stream_open_slot(stream *s, slot *t) {
    const uint64_t index_bytes = s->cut.points * (s->index_type->bits / 8);
    const uint64_t value_bytes = s->value_type ? s->cut.points * (s->value_type->bits / 8) : 0;
    t->buffers = (argmax_cl_buffers)ARGMAX_CL_BUFFERS_INIT;
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    if (s->in_place && t != s->slots)
        t->queue = s->slots->queue;
    else
        status = open_queue(s, t);
    if (!status && !s->in_place)
        status =
            create_buffer(s, "a block of the input", CL_MEM_READ_ONLY, s->cut.input_bytes, NULL, &t->buffers.input);
    if (!status)
        status = create_buffer(s, "the index", CL_MEM_READ_WRITE, index_bytes, NULL, &t->buffers.index);
    if (!status && value_bytes)
        status = create_buffer(s, "the value", CL_MEM_READ_WRITE, value_bytes, NULL, &t->buffers.value);
    if (status)
        return status;
    t->index = malloc((size_t)index_bytes);
    t->value = value_bytes ? malloc((size_t)value_bytes) : NULL;
    return t->index && (t->value || !value_bytes)
               ? ARGMAX_CL_SUCCESS
               : fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for the answers of a block, %" PRIu64 " bytes",
                      index_bytes + value_bytes);
}

static void release_memory(cl_mem *memory) {
    if (*memory)
        clReleaseMemObject(*memory);
    *memory = NULL;
}

static void release_event(cl_event *event) {
    if (*event)
        clReleaseEvent(*event);
    *event = NULL;
}

void stream_finish_slot(slot *t) {
    if (t->queue && clFinish(t->queue) != CL_SUCCESS)
        clFinish(t->queue); /* nothing may be under way any more when the caller gets the arrays back */
}

void stream_close_slot(slot *t) {
    release_event(&t->ready);
    release_event(&t->done);
    release_memory(&t->buffers.input);
    release_memory(&t->buffers.index);
    release_memory(&t->buffers.value);
    release_memory(&t->workspace);
    if (t->owns_queue)
        clReleaseCommandQueue(t->queue);
    free(t->index);
    free(t->value);
}

static argmax_cl_status need_workspace(const stream *s, slot *t) {
    size_t bytes = 0;
    const argmax_cl_status status = argmax_cl_plan_workspace_size(t->plan, &bytes);
    if (status || bytes <= t->workspace_bytes)
        return status;
    release_memory(&t->workspace);
    t->workspace_bytes = bytes;
    return create_buffer(s, "a workspace", CL_MEM_READ_WRITE, bytes, NULL, &t->workspace);
}

/* The range of the caller's memory that the block addresses; a copy of it where the kernels want another alignment. */
static argmax_cl_status send_in_place(const stream *s, slot *t) {
    const tensor_view view = stream_input_view(s, &t->block);
    const uint32_t element = view.type->bits / 8;
    unsigned char *const from = host_element(s->task->input, &view, view.first);
    const uint64_t bytes = (view.last - view.first + 1) * element;
    if ((uintptr_t)from % ((uintptr_t)plan_input_vector(t->plan) * element) == 0)
        return create_buffer(s, "a block of the input", CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, from,
                             &t->buffers.input);
    const argmax_cl_status status =
        create_buffer(s, "a block of the input", CL_MEM_READ_ONLY, bytes, NULL, &t->buffers.input);
    if (status)
        return status;
    const cl_int code =
        clEnqueueWriteBuffer(t->queue, t->buffers.input, CL_TRUE, 0, (size_t)bytes, from, 0, NULL, NULL);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clEnqueueWriteBuffer", code);
}

static void begin_copy(const stream *s, const slot *t) {
    const tensor_view view = stream_input_view(s, &t->block);
    tensor_view memory;
    int64_t packed[MAX_RANK];
    uint64_t offset;
    stream_pack_order(&view, s->p->rank, &memory, packed, &offset);
    sender_start(s->sender, s->task->input, &memory, t->queue, t->buffers.input);
}

argmax_cl_status stream_begin(stream *s, slot *t, uint64_t which) {
    t->block = cut_get(&s->cut, which);
    argmax_cl_status status = stream_find_plan(s, t);
    if (!status)
        status = need_workspace(s, t);
    if (!status && !s->in_place)
        begin_copy(s, t);
    return status;
}

argmax_cl_status stream_submit(stream *s, slot *t) {
    argmax_cl_status status = s->in_place ? send_in_place(s, t) : sender_wait(s->sender);
    if (!status && s->task->options->seconds_compute) {
        const cl_int code = clEnqueueMarkerWithWaitList(t->queue, 0, NULL, &t->ready);
        if (code != CL_SUCCESS)
            t->ready = NULL;
        status = code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clEnqueueMarkerWithWaitList", code);
    }
    if (!status)
        status = argmax_cl_plan_enqueue(t->plan, t->queue, &t->buffers, t->workspace, 0, NULL, &t->done);
    if (status)
        return status;
    t->busy = true;
    const cl_int code = clFlush(t->queue);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clFlush", code);
}

void stream_end_block(const stream *s, slot *t) {
    release_event(&t->ready);
    release_event(&t->done);
    if (s->in_place)
        release_memory(&t->buffers.input);
}
