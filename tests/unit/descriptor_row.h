/* A descriptor on one line, and what check_desc must say of it. */
#ifndef ARGMAX_CL_TESTS_DESCRIPTOR_ROW_H
#define ARGMAX_CL_TESTS_DESCRIPTOR_ROW_H

#include "internal.h"
#include "unit.h"

#define SIZES(...)                                                                                                     \
    (const uint64_t[]) {                                                                                               \
        __VA_ARGS__                                                                                                    \
    }
#define STRIDES(...)                                                                                                   \
    (const int64_t[]) {                                                                                                \
        __VA_ARGS__                                                                                                    \
    }
#define OVER(count, ...)                                                                                               \
    .axis_count = (count), .axes = (const uint32_t[]) {                                                                \
        __VA_ARGS__                                                                                                    \
    }
#define TENSOR(dtype, rank, sizes, strides, offset)                                                                    \
    {sizeof(argmax_cl_tensor), ARGMAX_CL_##dtype, rank, sizes, strides, offset}
#define FOLLOWS(dtype) TENSOR(dtype, 0, NULL, NULL, 0) /* an output whose shape follows from the input */
#define INPUT_3_4_5 TENSOR(FLOAT32, 3, SIZES(3, 4, 5), NULL, 0)
#define NONE {0, (argmax_cl_dtype)0, 0, NULL, NULL, 0} /* a NULL tensor */

#define LARGEST UINT64_C(0x7FFFFFFFFFFFFFFF)
#define P(exponent) (UINT64_C(1) << (exponent))

typedef struct row {
    const char *label;
    argmax_cl_status status;
    const char *parts; /* of the message */
    argmax_cl_tensor input, index, value;
    uint32_t axis_count;
    const uint32_t *axes;
    int op, direction, nan_mode;
    argmax_cl_tensor mask, max_index, max_value;
    int max_direction;
} row;

#define OK ARGMAX_CL_SUCCESS, NULL
#define INVALID(what) ARGMAX_CL_ERROR_INVALID_##what
#define OVERFLOW ARGMAX_CL_ERROR_OVERFLOW
#define TOO_SMALL ARGMAX_CL_ERROR_BUFFER_TOO_SMALL
#define RANGE ARGMAX_CL_ERROR_INDEX_RANGE
#define IGNORE .nan_mode = ARGMAX_CL_NAN_IGNORE
#define INT64_INDEX FOLLOWS(INT64), NONE

static inline argmax_cl_desc descriptor(const row *r) {
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    desc.input = r->input.struct_size ? &r->input : NULL;
    desc.index = r->index.struct_size ? &r->index : NULL;
    desc.value = r->value.struct_size ? &r->value : NULL;
    desc.axis_count = r->axis_count;
    desc.axes = r->axes;
    desc.mask = r->mask.struct_size ? &r->mask : NULL;
    desc.max_index = r->max_index.struct_size ? &r->max_index : NULL;
    desc.max_value = r->max_value.struct_size ? &r->max_value : NULL;
    desc.max_direction = (argmax_cl_direction)r->max_direction;
    desc.axis_direction = (argmax_cl_direction)r->direction;
    desc.nan_mode = (argmax_cl_nan_mode)r->nan_mode;
    return desc;
}

#endif
