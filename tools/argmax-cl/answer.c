#include "answer.h"
#include "axes.h"

#include <inttypes.h>
#include <stdlib.h>

/* Of results in a file, so many points are in memory while they are walked over. */
#define POINTS_KEPT ((uint64_t)1 << 20)

/* "No winner" is all bits set, above every index. */
static bool holds_indices(const answer *r, const char *input, message *m) {
    const bool narrow = argmax_cl_dtype_size(r->index_type) == 4;
    const uint64_t most = !narrow ? UINT64_MAX : r->index_type == ARGMAX_CL_INT32 ? INT32_MAX : UINT32_MAX - 1;
    return r->reduction == 0 || r->reduction - 1 <= most ||
           complain(m, "--index-type: %s, expected int64: %s has indices up to %" PRIu64,
                    argmax_cl_dtype_name(r->index_type), input, r->reduction - 1);
}

bool answer_shape(answer *r, const options *o, const array *input, message *m) {
    if (!axes_select(o->axes, input, o->input, r->reduced, m))
        return false;
    r->op = o->op;
    r->extrema = o->op == ARGMAX_CL_ARGMINMAX ? 2 : 1;
    r->points = r->reduction = 1;
    for (uint32_t axis = 0; axis < input->rank; ++axis) {
        r->reduced_count += r->reduced[axis];
        r->sizes[axis] = r->reduced[axis] ? 1 : input->sizes[axis];
        /* The array's bytes fit, sizes of 0 aside, so no product here can wrap. */
        *(r->reduced[axis] ? &r->reduction : &r->points) *= input->sizes[axis];
    }
    r->index_type = o->index_type;
    r->value_type = packing_dtype(&input->packing, input->dtype);
    return holds_indices(r, o->input, m);
}

answer answer_of(const answer *r, uint32_t which) {
    answer one = *r;
    if (r->extrema == 1)
        return one;
    one.op = which == 0 ? ARGMAX_CL_ARGMIN : ARGMAX_CL_ARGMAX;
    one.extrema = 1;
    one.index = (char *)r->index + which * r->points * argmax_cl_dtype_size(r->index_type);
    one.value = (char *)r->value + which * r->points * argmax_cl_dtype_size(r->value_type);
    return one;
}

const char *answer_operator(const answer *r) {
    return r->op == ARGMAX_CL_ARGMIN ? "argmin" : r->op == ARGMAX_CL_ARGMAX ? "argmax" : "argminmax";
}

bool answer_index(const answer *r, uint64_t point, uint64_t *index) {
    if (point % POINTS_KEPT == 0)
        answer_forget(r);
    if (argmax_cl_dtype_size(r->index_type) == 4)
        *index = ((const uint32_t *)r->index)[point];
    else
        *index = ((const uint64_t *)r->index)[point];
    /* "No winner" is all bits set, above every index of every type. */
    return *index < r->reduction;
}

void answer_position(const answer *r, const array *input, uint64_t point, const uint64_t *index,
                     uint64_t position[ARGMAX_CL_MAX_RANK]) {
    uint64_t kept = point, reduced = index ? *index : 0;
    for (uint32_t axis = input->rank; axis-- > 0;) {
        uint64_t *rest = r->reduced[axis] ? &reduced : &kept;
        position[axis] = *rest % input->sizes[axis];
        *rest /= input->sizes[axis];
    }
}

void answer_forget(const answer *r) {
    spill_forget(&r->index_room);
    spill_forget(&r->value_room);
}

uint32_t answer_file_shape(const answer *r, const array *input, bool squeeze, uint64_t sizes[ANSWER_RANK_MAX]) {
    uint32_t rank = 0;
    if (r->extrema > 1)
        sizes[rank++] = r->extrema;
    for (uint32_t axis = 0; axis < input->rank; ++axis)
        if (!squeeze || !r->reduced[axis])
            sizes[rank++] = r->sizes[axis];
    return rank;
}

void answer_free(answer *r) {
    spill_free(&r->index_room);
    spill_free(&r->value_room);
    free(r->plan);
    *r = (answer){0};
}
