#include "answer.h"

#include <inttypes.h>
#include <stdlib.h>

bool answer_shape(answer *r, const options *o, const array *input, message *m) {
    const int64_t rank = input->rank;
    for (uint32_t i = 0; i < o->axis_count; ++i) {
        const int64_t axis = o->axes[i] < 0 ? o->axes[i] + rank : o->axes[i];
        if (axis < 0 || axis >= rank)
            return complain(m, "--axis: axis %" PRId64 ", expected %" PRId64 "..%" PRId64 " for %s of rank %" PRId64,
                            o->axes[i], -rank, rank - 1, o->input, rank);
        if (r->reduced[axis])
            return complain(m, "--axis: axis %" PRId64 " twice, expected each axis once", axis);
        r->reduced[axis] = true;
    }
    r->points = r->reduction = 1;
    for (uint32_t axis = 0; axis < input->rank; ++axis) {
        r->reduced[axis] |= o->axis_count == 0;
        r->reduced_count += r->reduced[axis];
        r->sizes[axis] = r->reduced[axis] ? 1 : input->sizes[axis];
        /* The array's bytes fit, sizes of 0 aside, so no product here can wrap. */
        *(r->reduced[axis] ? &r->reduction : &r->points) *= input->sizes[axis];
    }
    r->index_type = o->index_type;
    return true;
}

static void fortran_strides(const array *input, int64_t strides[ARGMAX_CL_MAX_RANK]) {
    int64_t stride = 1;
    for (uint32_t axis = 0; axis < input->rank; ++axis) {
        strides[axis] = stride;
        stride *= input->sizes[axis] ? (int64_t)input->sizes[axis] : 1;
    }
}

static bool describe(answer *r, const options *o, const argmax_cl_desc *desc, argmax_cl_handle handle) {
    argmax_cl_plan plan = NULL;
    size_t length = 0;
    bool good = argmax_cl_plan_create(&plan, handle, o->op, desc) == ARGMAX_CL_SUCCESS &&
                argmax_cl_plan_describe(plan, NULL, 0, &length) == ARGMAX_CL_SUCCESS;
    r->plan = good ? malloc(length + 1) : NULL;
    if (r->plan)
        good = argmax_cl_plan_describe(plan, r->plan, length + 1, NULL) == ARGMAX_CL_SUCCESS;
    argmax_cl_plan_destroy(plan);
    return good;
}

/* One element at least: an empty result still has memory to point to. */
static void *allocate(uint64_t count, size_t size) {
    return count <= (SIZE_MAX - 1) / size ? malloc((size_t)count * size + 1) : NULL;
}

bool answer_compute(answer *r, const options *o, const array *input, bool with_value, argmax_cl_handle handle,
                    message *m) {
    int64_t strides[ARGMAX_CL_MAX_RANK];
    uint32_t axes[ARGMAX_CL_MAX_RANK];
    uint32_t axis_count = 0;
    for (uint32_t axis = 0; axis < input->rank; ++axis)
        if (r->reduced[axis])
            axes[axis_count++] = axis;
    fortran_strides(input, strides);

    argmax_cl_tensor in = ARGMAX_CL_TENSOR_INIT, index = ARGMAX_CL_TENSOR_INIT, value = ARGMAX_CL_TENSOR_INIT;
    in.dtype = value.dtype = input->dtype;
    in.rank = input->rank;
    in.sizes = input->sizes;
    in.strides = input->fortran_order ? strides : NULL;
    index.dtype = r->index_type;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    desc.input = &in;
    desc.index = &index;
    desc.value = with_value ? &value : NULL;
    desc.axis_count = axis_count;
    desc.axes = axes;
    desc.axis_direction = o->direction;
    desc.nan_mode = o->nan_mode;

    r->index = allocate(r->points, argmax_cl_dtype_size(r->index_type));
    r->value = with_value ? allocate(r->points, argmax_cl_dtype_size(input->dtype)) : NULL;
    if (!r->index || (with_value && !r->value))
        return complain(m, "%s: %" PRIu64 " results, expected as many as fit this machine's memory", o->input,
                        r->points);
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.input = input->data;
    arrays.index = r->index;
    arrays.value = r->value;
    argmax_cl_host_options host = ARGMAX_CL_HOST_OPTIONS_INIT;
    host.seconds_compute = &r->seconds;
    const bool good = (!o->explain || describe(r, o, &desc, handle)) &&
                      (o->op == ARGMAX_CL_ARGMIN ? argmin_cl_host : argmax_cl_host)(handle, &desc, &arrays, &host) ==
                          ARGMAX_CL_SUCCESS;
    return good || complain(m, "%s: %s", o->input, argmax_cl_last_error());
}

bool answer_index(const answer *r, uint64_t point, uint64_t *index) {
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

uint32_t answer_file_shape(const answer *r, const array *input, bool squeeze, uint64_t sizes[ARGMAX_CL_MAX_RANK]) {
    uint32_t rank = 0;
    for (uint32_t axis = 0; axis < input->rank; ++axis)
        if (!squeeze || !r->reduced[axis])
            sizes[rank++] = r->sizes[axis];
    return rank;
}

void answer_free(answer *r) {
    free(r->index);
    free(r->value);
    free(r->plan);
    *r = (answer){0};
}
