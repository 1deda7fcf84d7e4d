/* Where a block lies in the caller's arrays, and the plan that computes on it: see stream_parts.h. */
#include "api/stream_parts.h"

#include "api/handle.h"

#include <string.h>

static uint64_t magnitude(int64_t stride) {
    return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

tensor_view stream_input_view(const stream *s, const cut_block *b) {
    tensor_view view = s->p->input;
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

/* A block as a problem of its own: the input's buffer starts at its lowest element, the outputs are packed. */
static argmax_cl_status block_problem(const stream *s, const cut_block *b, problem *out) {
    argmax_cl_tensor input = ARGMAX_CL_TENSOR_INIT, index = ARGMAX_CL_TENSOR_INIT, value = ARGMAX_CL_TENSOR_INIT;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    uint32_t axes[MAX_RANK];
    int64_t packed[MAX_RANK];
    tensor_view view = stream_input_view(s, b), memory;
    input.dtype = value.dtype = view.type->dtype;
    input.rank = s->p->rank;
    input.sizes = view.size;
    input.strides = view.stride;
    input.offset = view.offset - view.first;
    if (!s->in_place) {
        stream_pack_order(&view, s->p->rank, &memory, packed, &input.offset);
        input.strides = packed;
    }
    index.dtype = s->index_type->dtype;
    desc.input = &input;
    desc.index = &index;
    desc.value = s->value_type ? &value : NULL;
    for (uint32_t axis = 0; axis < s->p->rank; axis++)
        if (s->p->reduced[axis])
            axes[desc.axis_count++] = axis;
    desc.axes = axes;
    desc.axis_direction = s->p->direction;
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
