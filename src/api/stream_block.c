/* Where a block lies in the caller's arrays, and the plan that computes on it: see stream_parts.h. */
#include "api/stream_parts.h"

#include "api/handle.h"

#include <string.h>

cl_mem *stream_output_buffer(slot *t, uint32_t i) {
    cl_mem *const buffers[OUTPUTS_MOST] = {&t->buffers.index, &t->buffers.value, &t->buffers.max_index,
                                           &t->buffers.max_value};
    return buffers[i];
}

void *stream_output_array(const stream *s, uint32_t i) {
    const argmax_cl_host_arrays *const a = &s->task->arrays;
    void *const arrays[OUTPUTS_MOST] = {a->index, a->value, a->max_index, a->max_value};
    return arrays[i];
}

tensor_view stream_input_view(const stream *s, const cut_block *b, const tensor_view *whole) {
    tensor_view view = *whole;
    int64_t first = (int64_t)view.offset, below = 0, above = 0;
    for (uint32_t axis = 0; axis < s->p->rank; axis++) {
        if (s->p->input.size[axis] < 2)
            continue; /* the stride of such an axis may be any number */
        first += (int64_t)b->start[axis] * view.stride[axis];
        const int64_t reach = (int64_t)(b->extent[axis] - 1) * view.stride[axis];
        *(reach < 0 ? &below : &above) += reach;
    }
    memcpy(view.size, b->extent, sizeof view.size);
    view.offset = (uint64_t)first;
    view.first = (uint64_t)(first + below);
    view.last = (uint64_t)(first + above);
    return view;
}

tensor_view stream_output_view(const stream *s, const cut_block *b, const tensor_view *whole) {
    tensor_view view = *whole;
    for (uint32_t axis = 0; axis < s->p->rank; axis++) {
        if (s->p->reduced[axis] || s->p->input.size[axis] < 2)
            continue;
        view.offset = (uint64_t)((int64_t)view.offset + (int64_t)b->start[axis] * view.stride[axis]);
        view.size[axis] = b->extent[axis];
    }
    view.first = 0;
    view.last = 0; /* not used from here on */
    return view;
}

void stream_pack_order(const tensor_view *block, uint32_t rank, tensor_view *memory, int64_t packed[MAX_RANK],
                       uint64_t *offset) {
    uint32_t axes[MAX_RANK], count = 0, used = 0;
    for (uint32_t axis = 0; axis < rank; axis++) {
        packed[axis] = 0;
        if (block->size[axis] < 2 || block->stride[axis] == 0)
            continue;
        uint32_t at = count++;
        for (; at > 0 && magnitude(block->stride[axes[at - 1]]) < magnitude(block->stride[axis]); at--)
            axes[at] = axes[at - 1];
        axes[at] = axis;
    }
    uint64_t run = 1;
    *offset = 0;
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t axis = axes[i];
        packed[axis] = block->stride[axis] < 0 ? -(int64_t)run : (int64_t)run;
        *offset += block->stride[axis] < 0 ? (block->size[axis] - 1) * run : 0;
        run *= block->size[axis];
    }
    *memory = *block;
    memory->offset = block->first;
    for (uint32_t i = 0; i < MAX_RANK; i++)
        memory->size[i] = 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t size = block->size[axes[i]];
        const int64_t stride = (int64_t)magnitude(block->stride[axes[i]]);
        if (used && memory->stride[used - 1] % stride == 0 && (uint64_t)(memory->stride[used - 1] / stride) == size) {
            memory->size[used - 1] *= size;
            memory->stride[used - 1] = stride;
        } else {
            memory->size[used] = size;
            memory->stride[used++] = stride;
        }
    }
}

/* What a block's buffer holds of the input or of the mask: it starts at the lowest element, or with the copy. */
typedef struct placed {
    argmax_cl_tensor tensor;
    tensor_view view;
    int64_t packed[MAX_RANK];
} placed;

static void place_input(const stream *s, const cut_block *b, const tensor_view *whole, placed *out) {
    tensor_view memory;
    out->tensor = (argmax_cl_tensor)ARGMAX_CL_TENSOR_INIT;
    if (!whole->type)
        return;
    out->view = stream_input_view(s, b, whole);
    out->tensor.dtype = whole->type->dtype;
    out->tensor.rank = s->p->rank;
    out->tensor.sizes = out->view.size;
    out->tensor.strides = out->view.stride;
    out->tensor.offset = out->view.offset - out->view.first;
    if (!s->in_place) {
        stream_pack_order(&out->view, s->p->rank, &memory, out->packed, &out->tensor.offset);
        out->tensor.strides = out->packed;
    }
}

/* A block as a problem of its own, with packed outputs. */
static argmax_cl_status block_problem(const stream *s, const cut_block *b, problem *out) {
    argmax_cl_tensor outputs[OUTPUTS_MOST];
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    placed input, mask;
    uint32_t axes[MAX_RANK];
    place_input(s, b, &s->p->input, &input);
    place_input(s, b, &s->p->mask, &mask);
    for (uint32_t i = 0; i < OUTPUTS_MOST; i++) {
        outputs[i] = (argmax_cl_tensor)ARGMAX_CL_TENSOR_INIT;
        outputs[i].dtype = s->output[i] ? s->output[i]->dtype : (argmax_cl_dtype)0;
    }
    desc.input = &input.tensor;
    desc.mask = is_masked(s->p) ? &mask.tensor : NULL;
    desc.index = &outputs[0];
    desc.value = s->output[1] ? &outputs[1] : NULL;
    desc.max_index = s->output[2] ? &outputs[2] : NULL;
    desc.max_value = s->output[3] ? &outputs[3] : NULL;
    for (uint32_t axis = 0; axis < s->p->rank; axis++)
        if (s->p->reduced[axis])
            axes[desc.axis_count++] = axis;
    desc.axes = axes;
    desc.axis_direction = s->p->direction;
    desc.max_direction = s->p->max_direction;
    desc.nan_mode = s->p->nan_mode;
    const argmax_cl_status status = check_desc(s->p->op, &desc, out);
    out->tuning = s->p->tuning;
    out->strategy = s->p->strategy;
    out->strategy_source = s->p->strategy_source;
    return status;
}

/* A strategy that is forced for the whole need not be possible for every block. */
static argmax_cl_status make_plan(const stream *s, const cut_block *b, argmax_cl_plan *plan) {
    problem p;
    argmax_cl_status status = block_problem(s, b, &p);
    if (!status)
        status = plan_create(plan, s->task->handle, &p);
    if (p.strategy && (status == ARGMAX_CL_ERROR_INVALID_STRATEGY || status == ARGMAX_CL_ERROR_DEVICE_LIMIT)) {
        p.strategy = p.strategy_source = NULL;
        status = plan_create(plan, s->task->handle, &p);
    }
    return status;
}

argmax_cl_status stream_find_plan(stream *s, slot *t) {
    const uint64_t *const extent = t->block.extent;
    for (uint32_t i = 0; i < PLANS; i++)
        if (s->plans[i].plan && memcmp(s->plans[i].extent, extent, sizeof s->plans[i].extent) == 0) {
            t->plan = s->plans[i].plan;
            return ARGMAX_CL_SUCCESS;
        }
    shaped_plan *const place = &s->plans[s->next_plan++ % PLANS];
    plan_release(place->plan);
    place->plan = NULL;
    argmax_cl_status status = make_plan(s, &t->block, &place->plan);
    if (!status && s->task->options->seconds_compute)
        status = argmax_cl_plan_warm_up(place->plan, t->queue);
    memcpy(place->extent, extent, sizeof place->extent);
    t->plan = place->plan;
    return status;
}
