/* Every rule of the contract that needs no OpenCL: a descriptor in, a problem or a message out. */
#include "api/structs.h"
#include "internal.h"
#include "problem/tensor.h"

#include <inttypes.h>
#include <string.h>

static argmax_cl_status check_enum(const char *name, int value, int count, const char *expected) {
    return value >= 0 && value < count
               ? ARGMAX_CL_SUCCESS
               : fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "%s = %d: expected %s", name, value, expected);
}

static argmax_cl_status check_options(argmax_cl_operator op, const argmax_cl_desc *desc, problem *p) {
    argmax_cl_status status =
        check_enum("operator", (int)op, 3, "ARGMAX_CL_ARGMAX (0), ARGMAX_CL_ARGMIN (1) or ARGMAX_CL_ARGMINMAX (2)");
    if (!status)
        status = check_enum("axis_direction", (int)desc->axis_direction, 2,
                            "ARGMAX_CL_INCREASING (0) or ARGMAX_CL_DECREASING (1)");
    if (!status)
        status = check_enum("max_direction", (int)desc->max_direction, 2,
                            "ARGMAX_CL_INCREASING (0) or ARGMAX_CL_DECREASING (1)");
    if (!status)
        status =
            check_enum("nan_mode", (int)desc->nan_mode, 2, "ARGMAX_CL_NAN_PROPAGATE (0) or ARGMAX_CL_NAN_IGNORE (1)");
    if (status)
        return status;
    p->op = op;
    p->direction = desc->axis_direction;
    p->max_direction = desc->max_direction;
    p->nan_mode = desc->nan_mode;
    p->strategy = desc->strategy;
    p->tuning = desc->tuning;
    return ARGMAX_CL_SUCCESS;
}

static argmax_cl_status check_axes(const argmax_cl_desc *desc, problem *p) {
    if (desc->axis_count < 1 || desc->axis_count > p->rank)
        return fail(ARGMAX_CL_ERROR_INVALID_AXES, "axis_count = %" PRIu32 ": expected 1..%" PRIu32 " for rank %" PRIu32,
                    desc->axis_count, p->rank, p->rank);
    if (!desc->axes)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "axes = NULL: expected %" PRIu32 " axes", desc->axis_count);
    for (uint32_t i = 0; i < desc->axis_count; i++) {
        const uint32_t axis = desc->axes[i];
        if (axis >= p->rank)
            return fail(ARGMAX_CL_ERROR_INVALID_AXES,
                        "axes[%" PRIu32 "] = %" PRIu32 ": expected 0..%" PRIu32 " for rank %" PRIu32, i, axis,
                        p->rank - 1, p->rank);
        if (p->reduced[axis])
            return fail(ARGMAX_CL_ERROR_INVALID_AXES,
                        "axes[%" PRIu32 "] = %" PRIu32 ": expected each axis once, and it was given before", i, axis);
        p->reduced[axis] = true;
    }
    return ARGMAX_CL_SUCCESS;
}

/* Number of outputs and of elements in each reduction. With no output the reduction may be beyond 2^64-1 and is then
 * UINT64_MAX; else both are at most the product of all sizes. */
static argmax_cl_status check_extents(problem *p) {
    bool no_outputs = false, nothing_to_reduce = false;
    for (uint32_t i = 0; i < p->rank; i++) {
        no_outputs = no_outputs || (!p->reduced[i] && p->input.size[i] == 0);
        nothing_to_reduce = nothing_to_reduce || (p->reduced[i] && p->input.size[i] == 0);
    }
    p->outputs = no_outputs ? 0 : 1;
    p->reduction = nothing_to_reduce ? 0 : 1;
    for (uint32_t i = 0; i < p->rank; i++) {
        uint64_t *const product = p->reduced[i] ? &p->reduction : &p->outputs;
        if (!multiply_u64(*product, p->input.size[i], product))
            *product = UINT64_MAX;
    }
    for (uint32_t i = 0; i < p->rank && !no_outputs; i++)
        if (p->reduced[i] && p->input.size[i] == 0)
            return fail(ARGMAX_CL_ERROR_EMPTY_REDUCTION,
                        "input->sizes[%" PRIu32 "] = 0: nothing to take the %s of on this reduced axis; expected "
                        "at least 1",
                        i, p->op == ARGMAX_CL_ARGMAX ? "maximum" : "minimum");
    return ARGMAX_CL_SUCCESS;
}

/* The largest index must fit. All bits set means "no winner": of an unsigned type that is one value fewer where a
 * slice may have none. */
static argmax_cl_status check_index_range(const char *name, const dtype_info *type, const problem *p) {
    const bool is_signed = type->kind == KIND_SIGNED;
    const uint64_t largest = UINT64_MAX >> (64 - type->bits + (is_signed ? 1 : 0));
    const bool may_lack = p->nan_mode == ARGMAX_CL_NAN_IGNORE || is_masked(p);
    const uint64_t needed = may_lack && !is_signed ? p->reduction : p->reduction ? p->reduction - 1 : 0;
    if (p->reduction == UINT64_MAX) /* or beyond: it was cut off there */
        return fail(ARGMAX_CL_ERROR_INDEX_RANGE,
                    "%s->dtype = %s: expected less than 2^64-1 elements in each reduction, also without outputs", name,
                    type->name);
    if (needed > largest)
        return fail(ARGMAX_CL_ERROR_INDEX_RANGE,
                    "%s->dtype = %s: holds up to %" PRIu64 ", expected %" PRIu64 " for %" PRIu64
                    " elements in each reduction%s",
                    name, type->name, largest, needed, p->reduction,
                    needed == p->reduction ? " and \"no winner\"" : "");
    return ARGMAX_CL_SUCCESS;
}

static argmax_cl_status check_input(const argmax_cl_desc *desc, problem *p) {
    argmax_cl_tensor tensor;
    argmax_cl_status status = tensor_read("input", desc->input, &tensor, &p->input);
    if (!status)
        status = tensor_shape("input", &tensor, &p->input);
    if (status)
        return status;
    p->rank = tensor.rank;
    if (p->input.type->kind != KIND_FLOAT)
        p->nan_mode = ARGMAX_CL_NAN_PROPAGATE;
    status = check_axes(desc, p);
    if (!status)
        status = tensor_addresses("input", &tensor, p->rank, &p->input);
    return status ? status : check_extents(p);
}

static argmax_cl_status check_mask(const argmax_cl_desc *desc, problem *p) {
    argmax_cl_tensor tensor;
    argmax_cl_status status = tensor_read("mask", desc->mask, &tensor, &p->mask);
    if (!status && p->mask.type->dtype != ARGMAX_CL_UINT8)
        status = fail(ARGMAX_CL_ERROR_INVALID_DTYPE, "mask->dtype = %s: expected uint8", p->mask.type->name);
    if (!status)
        status = tensor_given_shape("mask", &tensor, p, false, &p->mask);
    return status ? status : tensor_addresses("mask", &tensor, p->rank, &p->mask);
}

static argmax_cl_status check_output_dtype(const char *name, bool is_index, const tensor_view *view, const problem *p) {
    if (is_index && !view->type->index_type)
        return fail(ARGMAX_CL_ERROR_INVALID_DTYPE, "%s->dtype = %s: expected int32, int64, uint32 or uint64", name,
                    view->type->name);
    if (!is_index && view->type != p->input.type)
        return fail(ARGMAX_CL_ERROR_INVALID_DTYPE, "%s->dtype = %s: expected the input's, %s", name, view->type->name,
                    p->input.type->name);
    return ARGMAX_CL_SUCCESS;
}

static argmax_cl_status check_output(const char *name, const argmax_cl_tensor *given, bool is_index, const problem *p,
                                     tensor_view *view) {
    argmax_cl_tensor tensor;
    argmax_cl_status status = tensor_read(name, given, &tensor, view);
    if (!status)
        status = check_output_dtype(name, is_index, view, p);
    if (!status)
        status = tensor_given_shape(name, &tensor, p, true, view);
    if (!status)
        status = tensor_addresses(name, &tensor, p->rank, view);
    /* Packed strides are distinct by construction. */
    if (!status && tensor.strides)
        status = tensor_distinct(name, p->rank, view);
    if (!status && is_index)
        status = check_index_range(name, view->type, p);
    return status;
}

/* The second pair of outputs, which argminmax alone has. */
static argmax_cl_status check_maximum(const argmax_cl_desc *desc, problem *p) {
    if (!wants_both(p)) {
        const char *const given = desc->max_index ? "max_index" : desc->max_value ? "max_value" : NULL;
        return given || desc->max_direction
                   ? fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "%s is set: expected %s unless the operator is %s",
                          given ? given : "max_direction", given ? "NULL" : "0", "ARGMAX_CL_ARGMINMAX (2)")
                   : ARGMAX_CL_SUCCESS;
    }
    argmax_cl_status status = check_output("max_index", desc->max_index, true, p, &p->max_index);
    if (!status && desc->max_value)
        status = check_output("max_value", desc->max_value, false, p, &p->max_value);
    return status;
}

problem problem_of_extreme(const problem *p, uint32_t x) {
    problem one = *p;
    if (!wants_both(p))
        return one;
    one.op = x ? ARGMAX_CL_ARGMAX : ARGMAX_CL_ARGMIN;
    if (x) {
        one.direction = p->max_direction;
        one.index = p->max_index;
        one.value = p->max_value;
    }
    one.max_index.type = one.max_value.type = NULL;
    one.max_direction = ARGMAX_CL_INCREASING;
    return one;
}

argmax_cl_status check_desc(argmax_cl_operator op, const argmax_cl_desc *given, problem *out) {
    argmax_cl_desc desc;
    problem p;
    memset(&p, 0, sizeof p);
    argmax_cl_status status = STRUCT_READ("desc", argmax_cl_desc, tuning, given, &desc);
    if (!status)
        status = check_options(op, &desc, &p);
    if (!status)
        status = check_input(&desc, &p);
    if (!status && desc.mask)
        status = check_mask(&desc, &p);
    if (!status)
        status = check_output("index", desc.index, true, &p, &p.index);
    if (!status && desc.value)
        status = check_output("value", desc.value, false, &p, &p.value);
    if (!status)
        status = check_maximum(&desc, &p);
    if (!status)
        *out = p;
    return status;
}
