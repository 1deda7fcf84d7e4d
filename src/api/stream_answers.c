/* A block's answers: see stream_parts.h. */
#include "api/stream_parts.h"

#include "api/handle.h"
#include "api/host_arrays.h"
#include "problem/partial.h"

/* Kernels of two slots may wait for each other: only what comes after the other's end counts. */
static argmax_cl_status take_time(stream *s, const slot *t) {
    cl_ulong from = 0, to = 0;
    cl_int code = clGetEventProfilingInfo(t->ready, CL_PROFILING_COMMAND_END, sizeof from, &from, NULL);
    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(t->done, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL);
    if (code != CL_SUCCESS)
        return fail_opencl("clGetEventProfilingInfo", code);
    if (from < s->last_end)
        from = s->last_end;
    if (to > from) {
        s->compute += (double)(to - from) * 1e-9;
        s->last_end = to;
    }
    return ARGMAX_CL_SUCCESS;
}

/* Into the caller's array where the block's answers lie there as one run. */
static argmax_cl_status read_answers(const slot *t, cl_mem buffer, uint64_t bytes, void *to) {
    const cl_int code = clEnqueueReadBuffer(t->queue, buffer, CL_TRUE, 0, (size_t)bytes, to, 0, NULL, NULL);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clEnqueueReadBuffer", code);
}

static argmax_cl_status read_direct(const stream *s, const slot *t, cl_mem buffer, const tensor_view *whole,
                                    void *array, void *scratch) {
    const tensor_view view = stream_output_view(s, &t->block, whole);
    const bool packed = host_is_packed(&view);
    const argmax_cl_status status = read_answers(t, buffer, t->block.points * (view.type->bits / 8),
                                                 packed ? host_element(array, &view, view.offset) : scratch);
    if (!status && !packed)
        host_scatter(array, &view, scratch);
    return status;
}

static void scatter_partials(const stream *s, const cut_block *b) {
    uint64_t at[MAX_RANK] = {0}, stride[MAX_RANK], next = 1;
    for (uint32_t axis = s->p->rank; axis-- > 0;) {
        stride[axis] = s->p->reduced[axis] ? 0 : next;
        next *= s->p->reduced[axis] ? 1 : s->p->input.size[axis];
    }
    for (uint64_t point = 0; point < b->points; point++) {
        uint64_t place = 0;
        for (uint32_t axis = 0; axis < s->p->rank; axis++)
            place += (b->start[axis] + at[axis]) * stride[axis];
        s->task->partials[place] = s->tile[point];
        for (uint32_t axis = s->p->rank; axis-- > 0;) {
            if (s->p->reduced[axis])
                continue;
            if (++at[axis] < b->extent[axis])
                break;
            at[axis] = 0;
        }
    }
}

/* The tile is complete: its answers go where the caller wants them. */
static void deliver_tile(stream *s, slot *t) {
    if (s->task->partials) {
        scatter_partials(s, &t->block);
        return;
    }
    const tensor_view index = stream_output_view(s, &t->block, &s->p->index);
    partials_to_answers(s->p, t->block.points, s->tile, t->index, s->p->value.type ? t->value : NULL);
    host_scatter(s->task->index, &index, t->index);
    if (s->p->value.type) {
        const tensor_view value = stream_output_view(s, &t->block, &s->p->value);
        host_scatter(s->task->value, &value, t->value);
    }
}

static argmax_cl_status merge_block(stream *s, slot *t) {
    const cut_block *const b = &t->block;
    argmax_cl_status status = read_answers(t, t->buffers.index, b->points * (s->index_type->bits / 8), t->index);
    if (!status)
        status = read_answers(t, t->buffers.value, b->points * (s->value_type->bits / 8), t->value);
    if (status)
        return status;
    uint64_t start[MAX_RANK];
    for (uint32_t axis = 0; axis < s->p->rank; axis++)
        start[axis] = s->origin[axis] + b->start[axis];
    const partial_place place = partial_place_of(s->p, start, b->extent, s->whole);
    partials_from_answers(s->p, &place, s->index_type, b->points, t->index, t->value, b->first, s->tile);
    if (b->last)
        deliver_tile(s, t);
    return ARGMAX_CL_SUCCESS;
}

argmax_cl_status stream_collect(stream *s, slot *t) {
    t->busy = false;
    const cl_int code = clWaitForEvents(1, &t->done);
    argmax_cl_status status = code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clWaitForEvents", code);
    if (!status && t->ready)
        status = take_time(s, t);
    stream_end_block(s, t);
    if (!status && !s->direct)
        status = merge_block(s, t);
    if (!status && s->direct)
        status = read_direct(s, t, t->buffers.index, &s->p->index, s->task->index, t->index);
    if (!status && s->direct && s->p->value.type)
        status = read_direct(s, t, t->buffers.value, &s->p->value, s->task->value, t->value);
    if (!status) {
        s->elements_done += t->block.elements;
        stream_tell(s->task->options, s->p, s->elements_done);
    }
    return status;
}
