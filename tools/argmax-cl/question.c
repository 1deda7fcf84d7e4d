#include "question.h"

#include <string.h>

static void fortran_strides(question *q, uint32_t rank) {
    int64_t stride = 1;
    for (uint32_t axis = 0; axis < rank; ++axis) {
        q->strides[axis] = stride;
        stride *= q->sizes[axis] ? (int64_t)q->sizes[axis] : 1;
    }
}

void question_of_block(question *q, const blocks *p, const box *b, const question_rule *rule) {
    *q = (question){.desc = ARGMAX_CL_DESC_INIT,
                    .in = ARGMAX_CL_TENSOR_INIT,
                    .index = ARGMAX_CL_TENSOR_INIT,
                    .value = ARGMAX_CL_TENSOR_INIT,
                    .mask = ARGMAX_CL_TENSOR_INIT};
    memcpy(q->sizes, b->size, sizeof q->sizes);
    for (uint32_t axis = 0; axis < p->rank; ++axis)
        if (p->reduced[axis])
            q->axes[q->desc.axis_count++] = axis;
    fortran_strides(q, p->rank);
    q->in.dtype = q->value.dtype = rule->dtype;
    q->in.rank = p->rank;
    q->in.sizes = q->sizes;
    q->in.strides = rule->fortran_order ? q->strides : NULL;
    q->index.dtype = ARGMAX_CL_INT64;
    q->desc.input = &q->in;
    q->desc.index = &q->index;
    q->desc.value = &q->value;
    q->desc.axes = q->axes;
    q->desc.axis_direction = rule->direction;
    q->desc.nan_mode = rule->nan_mode;
    if (rule->op == ARGMAX_CL_ARGMINMAX) {
        q->desc.max_index = &q->index;
        q->desc.max_value = &q->value;
        q->desc.max_direction = rule->direction;
    }
}

void question_of_tile(question *q, const blocks *p, const box *b, const question_rule *rule) {
    question_of_block(q, p, b, rule);
    for (uint32_t axis = 0; axis < p->rank; ++axis)
        if (p->reduced[axis])
            q->sizes[axis] = p->sizes[axis];
    q->in.strides = NULL;
}

void question_with_mask(question *q, const int64_t *strides, uint64_t offset) {
    q->mask = q->in;
    q->mask.dtype = ARGMAX_CL_UINT8;
    if (strides) {
        q->mask.strides = strides;
        q->mask.offset = offset;
    }
    q->desc.mask = &q->mask;
}

void question_into_answer(question *q, const blocks *p, const box *b, const answer *r) {
    uint64_t offset = 0;
    int64_t stride = 1;
    for (uint32_t axis = p->rank; axis-- > 0;) {
        q->answer_sizes[axis] = p->reduced[axis] ? 1 : q->sizes[axis];
        q->answer_strides[axis] = stride;
        if (p->reduced[axis])
            continue;
        offset += b->start[axis] * (uint64_t)stride;
        stride *= r->sizes[axis] ? (int64_t)r->sizes[axis] : 1;
    }
    q->index.dtype = r->index_type;
    q->index.rank = q->value.rank = p->rank;
    q->index.sizes = q->value.sizes = q->answer_sizes;
    q->index.strides = q->value.strides = q->answer_strides;
    q->index.offset = q->value.offset = offset;
}
