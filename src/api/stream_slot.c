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

static argmax_cl_status open_output(const stream *s, slot *t, uint32_t i) {
    static const char *const names[OUTPUTS_MOST] = {"the index", "the value", "the maximum's index",
                                                    "the maximum's value"};
    const uint64_t bytes = s->cut.points * (s->output[i]->bits / 8);
    const argmax_cl_status status =
        create_buffer(s, names[i], CL_MEM_READ_WRITE, bytes, NULL, stream_output_buffer(t, i));
    if (status)
        return status;
    t->answers[i] = malloc((size_t)bytes);
    return t->answers[i] ? ARGMAX_CL_SUCCESS
                         : fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY,
                                "no memory for the answers of a block, %" PRIu64 " bytes", bytes);
}

argmax_cl_status stream_open_slot(stream *s, slot *t) {
    t->buffers = (argmax_cl_buffers)ARGMAX_CL_BUFFERS_INIT;
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    if (s->in_place && t != s->slots)
        t->queue = s->slots->queue;
    else
        status = open_queue(s, t);
    if (!status && !s->in_place)
        status =
            create_buffer(s, "a block of the input", CL_MEM_READ_ONLY, s->cut.input_bytes, NULL, &t->buffers.input);
    if (!status && !s->in_place && is_masked(s->p))
        status = create_buffer(s, "a block of the mask", CL_MEM_READ_ONLY, s->cut.mask_bytes, NULL, &t->buffers.mask);
    for (uint32_t i = 0; i < OUTPUTS_MOST && !status; i++)
        if (s->output[i])
            status = open_output(s, t, i);
    return status;
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
    release_memory(&t->buffers.mask);
    for (uint32_t i = 0; i < OUTPUTS_MOST; i++) {
        release_memory(stream_output_buffer(t, i));
        free(t->answers[i]);
    }
    release_memory(&t->workspace);
    if (t->owns_queue)
        clReleaseCommandQueue(t->queue);
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
static argmax_cl_status send_in_place(const stream *s, const slot *t, const char *name, const tensor_view *whole,
                                      uint32_t vector, const void *array, cl_mem *buffer) {
    const tensor_view view = stream_input_view(s, &t->block, whole);
    const uint32_t element = view.type->bits / 8;
    unsigned char *const from = host_element(array, &view, view.first);
    const uint64_t bytes = (view.last - view.first + 1) * element;
    if ((uintptr_t)from % ((uintptr_t)vector * element) == 0)
        return create_buffer(s, name, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, from, buffer);
    const argmax_cl_status status = create_buffer(s, name, CL_MEM_READ_ONLY, bytes, NULL, buffer);
    if (status)
        return status;
    const cl_int code = clEnqueueWriteBuffer(t->queue, *buffer, CL_TRUE, 0, (size_t)bytes, from, 0, NULL, NULL);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clEnqueueWriteBuffer", code);
}

static argmax_cl_status send_both_in_place(const stream *s, slot *t) {
    const argmax_cl_status status = send_in_place(s, t, "a block of the input", &s->p->input,
                                                  plan_input_vector(t->plan), s->task->arrays.input, &t->buffers.input);
    return status || !is_masked(s->p)
               ? status
               : send_in_place(s, t, "a block of the mask", &s->p->mask, plan_mask_vector(t->plan),
                               s->task->arrays.mask, &t->buffers.mask);
}

static void begin_copy(const stream *s, const slot *t, const tensor_view *whole, const void *array, cl_mem buffer) {
    const tensor_view view = stream_input_view(s, &t->block, whole);
    tensor_view memory;
    int64_t packed[MAX_RANK];
    uint64_t offset;
    stream_pack_order(&view, s->p->rank, &memory, packed, &offset);
    sender_start(s->sender, array, &memory, t->queue, buffer);
}

/* The mask follows the input, which is sent first: they are sent one at a time. */
static argmax_cl_status end_copies(const stream *s, const slot *t) {
    const argmax_cl_status status = sender_wait(s->sender);
    if (status || !is_masked(s->p))
        return status;
    begin_copy(s, t, &s->p->mask, s->task->arrays.mask, t->buffers.mask);
    return sender_wait(s->sender);
}

argmax_cl_status stream_begin(stream *s, slot *t, uint64_t which) {
    t->block = cut_get(&s->cut, which);
    argmax_cl_status status = stream_find_plan(s, t);
    if (!status)
        status = need_workspace(s, t);
    if (!status && !s->in_place)
        begin_copy(s, t, &s->p->input, s->task->arrays.input, t->buffers.input);
    return status;
}

argmax_cl_status stream_submit(stream *s, slot *t) {
    argmax_cl_status status = s->in_place ? send_both_in_place(s, t) : end_copies(s, t);
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
    if (s->in_place) {
        release_memory(&t->buffers.input);
        release_memory(&t->buffers.mask);
    }
}
