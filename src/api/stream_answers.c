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

static void scatter_partials(const stream *s, const cut_block *b, const argmax_cl_partial *tile,
                             argmax_cl_partial *partials) {
    uint64_t at[MAX_RANK] = {0}, stride[MAX_RANK], next = 1;
    for (uint32_t axis = s->p->rank; axis-- > 0;) {
        stride[axis] = s->p->reduced[axis] ? 0 : next;
        next *= s->p->reduced[axis] ? 1 : s->p->input.size[axis];
    }
    for (uint64_t point = 0; point < b->points; point++) {
        uint64_t place = 0;
        for (uint32_t axis = 0; axis < s->p->rank; axis++)
            place += (b->start[axis] + at[axis]) * stride[axis];
        partials[place] = tile[point];
        for (uint32_t axis = s->p->rank; axis-- > 0;) {
            if (s->p->reduced[axis])
                continue;
            if (++at[axis] < b->extent[axis])
                break;
            at[axis] = 0;
        }
    }
}

/* The tile of extreme x is complete: its answers go where the caller wants them. */
static void deliver_tile(stream *s, slot *t, uint32_t x) {
    const problem *const p = &s->extreme[x];
    const argmax_cl_partial *const tile = s->tile + x * s->cut.points;
    void *const *const answers = &t->answers[(size_t)2 * x];
    if (s->task->partials) {
        scatter_partials(s, &t->block, tile, s->task->partials + x * p->outputs);
        return;
    }
    partials_to_answers(p, t->block.points, tile, answers[0], p->value.type ? answers[1] : NULL);
    for (uint32_t i = 2 * x; i < 2 * x + 2; i++) {
        const tensor_view *const whole = stream_output_tensor(s, i);
        const tensor_view view = stream_output_view(s, &t->block, whole);
        if (whole->type)
            host_scatter(stream_output_array(s, i), &view, t->answers[i]);
    }
}

static argmax_cl_status merge_block(stream *s, slot *t) {
    const cut_block *const b = &t->block;
    uint64_t start[MAX_RANK];
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    for (uint32_t i = 0; i < OUTPUTS_MOST && !status; i++)
        if (s->output[i])
            status = read_answers(t, *stream_output_buffer(t, i), b->points * (s->output[i]->bits / 8), t->answers[i]);
    if (status)
        return status;
    for (uint32_t axis = 0; axis < s->p->rank; axis++)
        start[axis] = s->origin[axis] + b->start[axis];
    const partial_place place = partial_place_of(s->p, start, b->extent, s->whole);
    for (uint32_t x = 0; x < extremes_of(s->p); x++) {
        const uint32_t i = 2 * x;
        partials_from_answers(&s->extreme[x], &place, s->output[i], b->points, t->answers[i], t->answers[i + 1],
                              b->first, s->tile + x * s->cut.points);
        if (b->last)
            deliver_tile(s, t, x);
    }
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
    for (uint32_t i = 0; i < OUTPUTS_MOST && s->direct && !status; i++)
        if (s->output[i])
            status = read_direct(s, t, *stream_output_buffer(t, i), stream_output_tensor(s, i),
                                 stream_output_array(s, i), t->answers[i]);
    if (!status) {
        s->elements_done += t->block.elements;
        stream_tell(s->task->options, s->p, s->elements_done);
    }
    return status;
}
