/* Every rule on descriptors: a table of descriptors with the status each must give and what the message must name. */
#include "descriptor_row.h"

static const row rows[] = {
    {"plain", OK, INPUT_3_4_5, INT64_INDEX, OVER(1, 1)},
    {"all axes in any order", OK, INPUT_3_4_5, INT64_INDEX, OVER(3, 2, 0, 1)},
    {"rank 8", OK, TENSOR(INT8, 8, SIZES(1, 2, 1, 2, 1, 2, 1, 2), NULL, 0), INT64_INDEX, OVER(1, 7)},
    {"value", OK, INPUT_3_4_5, FOLLOWS(INT32), FOLLOWS(FLOAT32), OVER(1, 0)},
    {"shape given", OK, INPUT_3_4_5, TENSOR(UINT32, 3, SIZES(3, 1, 5), NULL, 0), NONE, OVER(1, 1)},

    /* Enumerators and NULLs. */
    {"operator 3", INVALID(ARGUMENT), "operator = 3|ARGMAX_CL_ARGMINMAX (2)", INPUT_3_4_5, INT64_INDEX, OVER(1, 1),
     .op = 3},
    {"operator -1", INVALID(ARGUMENT), "operator = -1", INPUT_3_4_5, INT64_INDEX, OVER(1, 1), .op = -1},
    {"direction 2", INVALID(ARGUMENT), "axis_direction = 2|ARGMAX_CL_DECREASING", INPUT_3_4_5, INT64_INDEX, OVER(1, 1),
     .direction = 2},
    {"nan mode 2", INVALID(ARGUMENT), "nan_mode = 2|ARGMAX_CL_NAN_IGNORE", INPUT_3_4_5, INT64_INDEX, OVER(1, 1),
     .nan_mode = 2},
    {"nan mode 2 on integers", INVALID(ARGUMENT), "nan_mode = 2", TENSOR(INT8, 1, SIZES(3), NULL, 0), INT64_INDEX,
     OVER(1, 0), .nan_mode = 2},
    {"no input", INVALID(ARGUMENT), "input = NULL", NONE, INT64_INDEX, OVER(1, 1)},
    {"no index", INVALID(ARGUMENT), "index = NULL", INPUT_3_4_5, NONE, NONE, OVER(1, 1)},
    {"input sizes", INVALID(ARGUMENT), "input->sizes = NULL|3 sizes", TENSOR(FLOAT32, 3, NULL, NULL, 0), INT64_INDEX,
     OVER(1, 1)},
    {"index sizes", INVALID(ARGUMENT), "index->sizes = NULL|3 sizes|rank 0", INPUT_3_4_5,
     TENSOR(INT64, 3, NULL, NULL, 0), NONE, OVER(1, 1)},
    {"axes NULL", INVALID(ARGUMENT), "axes = NULL|2 axes", INPUT_3_4_5, INT64_INDEX, .axis_count = 2},

    /* Dtypes. */
    {"input dtype 0",
     INVALID(DTYPE),
     "input->dtype = 0",
     {sizeof(argmax_cl_tensor), (argmax_cl_dtype)0, 1, SIZES(3), NULL, 0},
     INT64_INDEX,
     OVER(1, 0)},
    {"input dtype 13",
     INVALID(DTYPE),
     "input->dtype = 13",
     {sizeof(argmax_cl_tensor), (argmax_cl_dtype)13, 1, SIZES(3), NULL, 0},
     INT64_INDEX,
     OVER(1, 0)},
    {"index float32", INVALID(DTYPE), "index->dtype = float32|uint64", INPUT_3_4_5, FOLLOWS(FLOAT32), NONE, OVER(1, 1)},
    {"index int16", INVALID(DTYPE), "index->dtype = int16|int64", INPUT_3_4_5, FOLLOWS(INT16), NONE, OVER(1, 1)},
    {"value float16", INVALID(DTYPE), "value->dtype = float16|float32", INPUT_3_4_5, FOLLOWS(INT64), FOLLOWS(FLOAT16),
     OVER(1, 1)},

    /* Ranks. */
    {"input rank 0", INVALID(RANK), "input->rank = 0|1..8", TENSOR(FLOAT32, 0, SIZES(3), NULL, 0), INT64_INDEX,
     OVER(1, 0)},
    {"input rank 9", INVALID(RANK), "input->rank = 9|1..8",
     TENSOR(FLOAT32, 9, SIZES(1, 1, 1, 1, 1, 1, 1, 1, 1), NULL, 0), INT64_INDEX, OVER(1, 0)},
    {"input rank 2^32-1", INVALID(RANK), "input->rank = 4294967295", TENSOR(FLOAT32, UINT32_MAX, SIZES(3), NULL, 0),
     INT64_INDEX, OVER(1, 0)},
    {"index rank 2", INVALID(RANK), "index->rank = 2|rank 3", INPUT_3_4_5, TENSOR(INT64, 2, SIZES(3, 5), NULL, 0), NONE,
     OVER(1, 1)},
    {"index rank 0 with sizes", INVALID(RANK), "index->rank = 0|sizes|rank 3", INPUT_3_4_5,
     TENSOR(INT64, 0, SIZES(3, 1, 5), NULL, 0), NONE, OVER(1, 1)},
    {"value rank 0 with strides", INVALID(RANK), "value->rank = 0|strides|rank 3", INPUT_3_4_5, FOLLOWS(INT64),
     TENSOR(FLOAT32, 0, NULL, STRIDES(5, 5, 1), 0), OVER(1, 1)},

    /* Axes. */
    {"no axis", INVALID(AXES), "axis_count = 0|1..3|rank 3", INPUT_3_4_5, INT64_INDEX, OVER(0, 0)},
    {"four axes", INVALID(AXES), "axis_count = 4|1..3|rank 3", INPUT_3_4_5, INT64_INDEX, OVER(4, 0, 1, 2, 3)},
    {"axis 3", INVALID(AXES), "axes[1] = 3|0..2|rank 3", INPUT_3_4_5, INT64_INDEX, OVER(2, 0, 3)},
    {"axis 2^32-1", INVALID(AXES), "axes[0] = 4294967295|0..2", INPUT_3_4_5, INT64_INDEX, OVER(1, UINT32_MAX)},
    {"axis twice", INVALID(AXES), "axes[2] = 1|once", INPUT_3_4_5, INT64_INDEX, OVER(3, 1, 0, 1)},

    /* Output sizes. */
    {"reduced axis kept", INVALID(SIZE), "index->sizes[1] = 4|1|reduced", INPUT_3_4_5,
     TENSOR(INT64, 3, SIZES(3, 4, 5), NULL, 0), NONE, OVER(1, 1)},
    {"kept axis cut", INVALID(SIZE), "value->sizes[2] = 6|5|input", INPUT_3_4_5, FOLLOWS(INT64),
     TENSOR(FLOAT32, 3, SIZES(3, 1, 6), NULL, 0), OVER(1, 1)},
    {"reduced axis of size 0", INVALID(SIZE), "index->sizes[1] = 0|1", INPUT_3_4_5,
     TENSOR(INT64, 3, SIZES(3, 0, 5), NULL, 0), NONE, OVER(1, 1)},

    /* Sizes of 0. */
    {"empty reduction", ARGMAX_CL_ERROR_EMPTY_REDUCTION, "input->sizes[1] = 0|maximum",
     TENSOR(FLOAT32, 2, SIZES(3, 0), NULL, 0), INT64_INDEX, OVER(1, 1)},
    {"empty reduction, argmin", ARGMAX_CL_ERROR_EMPTY_REDUCTION, "input->sizes[0] = 0|minimum",
     TENSOR(FLOAT32, 1, SIZES(0), NULL, 0), INT64_INDEX, OVER(1, 0), .op = 1},
    {"empty reduction of one of two axes", ARGMAX_CL_ERROR_EMPTY_REDUCTION, "input->sizes[2] = 0",
     TENSOR(FLOAT32, 3, SIZES(2, 3, 0), NULL, 0), INT64_INDEX, OVER(2, 2, 0)},
    {"empty output", OK, TENSOR(FLOAT32, 2, SIZES(0, 3), NULL, 0), INT64_INDEX, OVER(1, 1)},
    {"both empty", OK, TENSOR(FLOAT32, 2, SIZES(0, 0), NULL, 0), INT64_INDEX, OVER(1, 1)},
    {"empty output, absurd input", OK, TENSOR(FLOAT32, 3, SIZES(P(62), 0, 3), STRIDES(INT64_MIN, 1, INT64_MAX), 5),
     INT64_INDEX, OVER(1, 2)},
    {"empty output, packed strides beyond 2^64", OK, TENSOR(FLOAT32, 4, SIZES(P(62), P(62), 0, 3), NULL, 0),
     INT64_INDEX, OVER(1, 3)},
    {"empty output, wrong axis", INVALID(AXES), "axes[0] = 2", TENSOR(FLOAT32, 2, SIZES(0, 3), NULL, 0), INT64_INDEX,
     OVER(1, 2)},
    {"empty output, wrong strides", INVALID(STRIDES), "index->strides[1] = 0",
     TENSOR(FLOAT32, 3, SIZES(0, 3, 2), NULL, 0), TENSOR(INT64, 3, SIZES(0, 3, 1), STRIDES(3, 0, 1), 0), NONE,
     OVER(1, 2)},
    {"empty output, index too small", RANGE, "index->dtype = int32", TENSOR(FLOAT32, 2, SIZES(0, P(31) + 1), NULL, 0),
     FOLLOWS(INT32), NONE, OVER(1, 1)},
    {"empty output, absurd reduction", RANGE, "index->dtype = int64",
     TENSOR(FLOAT32, 3, SIZES(0, P(40), P(40)), NULL, 0), INT64_INDEX, OVER(2, 1, 2)},
    {"empty output, reduction beyond every index", RANGE, "index->dtype = uint64|2^64-1 elements",
     TENSOR(FLOAT32, 3, SIZES(P(40), P(40), 0), NULL, 0), FOLLOWS(UINT64), NONE, OVER(2, 0, 1)},
    {"empty output, reduction of 2^63", OK, TENSOR(FLOAT32, 2, SIZES(P(63), 0), NULL, 0), FOLLOWS(UINT64), NONE,
     OVER(1, 0)},
    {"empty output, absurd offset", OVERFLOW, "index->offset = 9223372036854775808",
     TENSOR(FLOAT32, 2, SIZES(0, 3), NULL, 0), TENSOR(INT64, 2, SIZES(0, 1), NULL, P(63)), NONE, OVER(1, 1)},

    /* Products of sizes, at 2^63-1 and beyond. A broadcast needs no memory, but counts. */
    {"2^63-1 elements", OK, TENSOR(INT8, 1, SIZES(LARGEST), STRIDES(0), 0), INT64_INDEX, OVER(1, 0)},
    {"2^63 elements", OVERFLOW, "input->sizes[0] = 9223372036854775808|2^63-1",
     TENSOR(INT8, 1, SIZES(P(63)), STRIDES(0), 0), INT64_INDEX, OVER(1, 0)},
    {"2^32 * 2^31 elements", OVERFLOW, "input->sizes[1] = 2147483648|2^63-1",
     TENSOR(INT8, 2, SIZES(P(32), P(31)), STRIDES(0, 0), 0), INT64_INDEX, OVER(1, 0)},
    {"2^32 * (2^31-1) elements", OK, TENSOR(INT8, 2, SIZES(P(32), P(31) - 1), STRIDES(0, 0), 0), INT64_INDEX,
     OVER(2, 0, 1)},
    {"2^64 elements", OVERFLOW, "input->sizes[1]", TENSOR(INT8, 2, SIZES(P(32), P(32)), STRIDES(0, 0), 0), INT64_INDEX,
     OVER(1, 0)},
    {"2^128 elements", OVERFLOW, "input->sizes", TENSOR(INT8, 2, SIZES(UINT64_MAX, UINT64_MAX), STRIDES(0, 0), 0),
     INT64_INDEX, OVER(1, 0)},

    /* Addresses: of elements 0..2^63-1, and of bytes. */
    {"last element 2^63-2 of int8", OK, TENSOR(INT8, 1, SIZES(2), NULL, LARGEST - 2), INT64_INDEX, OVER(1, 0)},
    {"2^63 bytes of int8", OVERFLOW, "input->offset = 9223372036854775806|byte",
     TENSOR(INT8, 1, SIZES(2), NULL, LARGEST - 1), INT64_INDEX, OVER(1, 0)},
    {"element 2^63", OVERFLOW, "input->offset = 9223372036854775807|1 elements above",
     TENSOR(INT8, 1, SIZES(2), NULL, LARGEST), INT64_INDEX, OVER(1, 0)},
    {"offset 2^63", OVERFLOW, "input->offset = 9223372036854775808|2^63-1", TENSOR(INT8, 1, SIZES(2), NULL, P(63)),
     INT64_INDEX, OVER(1, 0)},
    {"offset 2^64-1", OVERFLOW, "index->offset = 18446744073709551615|2^63-1", INPUT_3_4_5,
     TENSOR(INT64, 3, SIZES(3, 1, 5), NULL, UINT64_MAX), NONE, OVER(1, 1)},
    {"2^63-8 bytes of float64", OK, TENSOR(FLOAT64, 1, SIZES(1), NULL, P(60) - 2), INT64_INDEX, OVER(1, 0)},
    {"2^63 bytes of float64", OVERFLOW, "input->offset = 1152921504606846975|float64|byte",
     TENSOR(FLOAT64, 1, SIZES(1), NULL, P(60) - 1), INT64_INDEX, OVER(1, 0)},
    {"packed float64 of 2^60 elements", OVERFLOW, "input->offset = 0|byte",
     TENSOR(FLOAT64, 2, SIZES(P(30), P(30)), NULL, 0), INT64_INDEX, OVER(1, 0)},
    {"stride 2^63-1 twice", OVERFLOW, "input->offset = 0|above", TENSOR(INT8, 1, SIZES(3), STRIDES(INT64_MAX), 0),
     INT64_INDEX, OVER(1, 0)},
    {"strides that wrap to 0", OVERFLOW, "input->offset = 0|above",
     TENSOR(INT8, 2, SIZES(5, 5), STRIDES(INT64_C(1) << 62, INT64_C(1) << 62), 0), INT64_INDEX, OVER(1, 0)},
    {"absurd stride of a size 1", OK, TENSOR(INT8, 2, SIZES(1, 5), STRIDES(INT64_MIN, 1), 0), INT64_INDEX, OVER(1, 1)},
    {"negative stride", OK, TENSOR(INT8, 1, SIZES(5), STRIDES(-3), 12), INT64_INDEX, OVER(1, 0)},
    {"negative stride, one short", TOO_SMALL, "input->offset = 11|12 elements below",
     TENSOR(INT8, 1, SIZES(5), STRIDES(-3), 11), INT64_INDEX, OVER(1, 0)},
    {"positive strides do not help", TOO_SMALL, "input->offset = 2|4 elements below",
     TENSOR(INT8, 2, SIZES(5, 5), STRIDES(10, -1), 2), INT64_INDEX, OVER(1, 0)},
    {"stride -2^63", TOO_SMALL, "input->offset = 5|9223372036854775808 elements below",
     TENSOR(INT8, 1, SIZES(2), STRIDES(INT64_MIN), 5), INT64_INDEX, OVER(1, 0)},
    {"stride -2^63 twice", TOO_SMALL, "input->offset = 5|at least", TENSOR(INT8, 1, SIZES(3), STRIDES(INT64_MIN), 5),
     INT64_INDEX, OVER(1, 0)},
    {"negative output", TOO_SMALL, "value->offset = 0|14 elements below", INPUT_3_4_5, FOLLOWS(INT64),
     TENSOR(FLOAT32, 3, SIZES(3, 1, 5), STRIDES(-5, 9, -1), 0), OVER(1, 1)},

    /* Inputs may overlap themselves, outputs must not: sorted by |stride|, each exceeds the extent of those before. */
    {"broadcast input", OK, TENSOR(FLOAT32, 2, SIZES(3, 4), STRIDES(0, 0), 0), INT64_INDEX, OVER(1, 1)},
    {"overlapping input", OK, TENSOR(FLOAT32, 2, SIZES(3, 4), STRIDES(1, 1), 0), INT64_INDEX, OVER(1, 1)},
    {"broadcast output", INVALID(STRIDES), "index->strides[0] = 0|0", INPUT_3_4_5,
     TENSOR(INT64, 3, SIZES(3, 1, 5), STRIDES(0, 5, 1), 0), NONE, OVER(1, 1)},
    {"equal strides", INVALID(STRIDES), "value->strides[2] = 1|more than 2", INPUT_3_4_5, FOLLOWS(INT64),
     TENSOR(FLOAT32, 3, SIZES(3, 1, 5), STRIDES(1, 9, 1), 0), OVER(1, 1)},
    {"stride at the extent", INVALID(STRIDES), "index->strides[0] = 4|more than 4", INPUT_3_4_5,
     TENSOR(INT64, 3, SIZES(3, 1, 5), STRIDES(4, 0, 1), 0), NONE, OVER(1, 1)},
    {"stride above the extent", OK, INPUT_3_4_5, TENSOR(INT64, 3, SIZES(3, 1, 5), STRIDES(5, 0, 1), 0), NONE,
     OVER(1, 1)},
    {"distinct, but not by the rule", INVALID(STRIDES), "index->strides[1] = 3|more than 4",
     TENSOR(INT8, 3, SIZES(3, 2, 2), NULL, 0), TENSOR(INT64, 3, SIZES(3, 2, 1), STRIDES(2, 3, 1), 0), NONE, OVER(1, 2)},
    {"permuted and padded", OK, TENSOR(INT8, 4, SIZES(2, 3, 4, 5), NULL, 0),
     TENSOR(INT64, 4, SIZES(2, 3, 4, 1), STRIDES(5, 10, 1, 0), 0), NONE, OVER(1, 3)},
    {"negative strides count by size", INVALID(STRIDES), "index->strides[0] = -4|more than 4", INPUT_3_4_5,
     TENSOR(INT64, 3, SIZES(3, 1, 5), STRIDES(-4, 0, 1), 8), NONE, OVER(1, 1)},
    {"negative output in place", OK, INPUT_3_4_5, TENSOR(INT64, 3, SIZES(3, 1, 5), STRIDES(-5, 0, -1), 14), NONE,
     OVER(1, 1)},

    /* The index type holds every index; unsigned and IGNORE, also "no winner". */
    {"2^31 in int32", OK, TENSOR(FLOAT32, 1, SIZES(P(31)), STRIDES(0), 0), FOLLOWS(INT32), NONE, OVER(1, 0), IGNORE},
    {"2^31+1 in int32", RANGE, "index->dtype = int32|2147483647|2147483648|2147483649",
     TENSOR(FLOAT32, 1, SIZES(P(31) + 1), STRIDES(0), 0), FOLLOWS(INT32), NONE, OVER(1, 0)},
    {"2^32 in uint32", OK, TENSOR(FLOAT32, 1, SIZES(P(32)), STRIDES(0), 0), FOLLOWS(UINT32), NONE, OVER(1, 0)},
    {"2^32 in uint32 with no winner", RANGE, "index->dtype = uint32|4294967295|4294967296|no winner",
     TENSOR(FLOAT32, 1, SIZES(P(32)), STRIDES(0), 0), FOLLOWS(UINT32), NONE, OVER(1, 0), IGNORE},
    {"2^32-1 in uint32 with no winner", OK, TENSOR(FLOAT32, 1, SIZES(P(32) - 1), STRIDES(0), 0), FOLLOWS(UINT32), NONE,
     OVER(1, 0), IGNORE},
    {"2^32 integers have a winner", OK, TENSOR(INT8, 1, SIZES(P(32)), STRIDES(0), 0), FOLLOWS(UINT32), NONE, OVER(1, 0),
     IGNORE},
    {"2^32+1 in uint32", RANGE, "index->dtype = uint32|4294967297", TENSOR(INT8, 1, SIZES(P(32) + 1), STRIDES(0), 0),
     FOLLOWS(UINT32), NONE, OVER(1, 0)},
    {"only the reduced axes count", OK, TENSOR(INT8, 2, SIZES(P(31) + 1, 2), STRIDES(0, 0), 0), FOLLOWS(INT32), NONE,
     OVER(1, 1)},
    {"2^63-1 in uint64 with no winner", OK, TENSOR(FLOAT32, 1, SIZES(LARGEST), STRIDES(0), 0), FOLLOWS(UINT64), NONE,
     OVER(1, 0), IGNORE},

    /* A mask has the input's shape and one type; with one a slice may have no winner. */
    {"mask", OK, INPUT_3_4_5, INT64_INDEX, OVER(1, 1), .mask = FOLLOWS(UINT8)},
    {"mask with the shape", OK, INPUT_3_4_5, INT64_INDEX, OVER(1, 1),
     .mask = TENSOR(UINT8, 3, SIZES(3, 4, 5), NULL, 7)},
    {"broadcast mask", OK, INPUT_3_4_5, INT64_INDEX, OVER(1, 1),
     .mask = TENSOR(UINT8, 3, SIZES(3, 4, 5), STRIDES(0, 5, 1), 0)},
    {"mask of int8", INVALID(DTYPE), "mask->dtype = int8|uint8", INPUT_3_4_5, INT64_INDEX, OVER(1, 1),
     .mask = FOLLOWS(INT8)},
    {"mask of another rank", INVALID(RANK), "mask->rank = 2|rank 3", INPUT_3_4_5, INT64_INDEX, OVER(1, 1),
     .mask = TENSOR(UINT8, 2, SIZES(4, 5), NULL, 0)},
    {"mask of another size", INVALID(SIZE), "mask->sizes[1] = 1|expected 4, the input's size", INPUT_3_4_5, INT64_INDEX,
     OVER(1, 1), .mask = TENSOR(UINT8, 3, SIZES(3, 1, 5), NULL, 0)},
    {"mask without sizes", INVALID(ARGUMENT), "mask->sizes = NULL|3 sizes", INPUT_3_4_5, INT64_INDEX, OVER(1, 1),
     .mask = TENSOR(UINT8, 3, NULL, NULL, 0)},
    {"mask before its buffer", TOO_SMALL, "mask->offset = 1|2 elements below", INPUT_3_4_5, INT64_INDEX, OVER(1, 1),
     .mask = TENSOR(UINT8, 3, SIZES(3, 4, 5), STRIDES(-1, 0, 0), 1)},
    {"2^32 masked in uint32", RANGE, "index->dtype = uint32|4294967296|no winner",
     TENSOR(INT8, 1, SIZES(P(32)), STRIDES(0), 0), FOLLOWS(UINT32), NONE, OVER(1, 0),
     .mask = TENSOR(UINT8, 1, SIZES(P(32)), STRIDES(0), 0)},

    /* Both extrema: outputs of the maximum's own, which nobody else has. */
    {"both", OK, INPUT_3_4_5, INT64_INDEX, OVER(1, 1), .op = 2, .max_index = FOLLOWS(UINT32)},
    {"both with values", OK, INPUT_3_4_5, FOLLOWS(INT32), FOLLOWS(FLOAT32), OVER(1, 1), .op = 2,
     .max_index = FOLLOWS(UINT32), .max_value = FOLLOWS(FLOAT32), .max_direction = ARGMAX_CL_DECREASING},
    {"both without the maximum", INVALID(ARGUMENT), "max_index = NULL", INPUT_3_4_5, INT64_INDEX, OVER(1, 1), .op = 2},
    {"a maximum's index of floats", INVALID(DTYPE), "max_index->dtype = float32", INPUT_3_4_5, INT64_INDEX, OVER(1, 1),
     .op = 2, .max_index = FOLLOWS(FLOAT32)},
    {"a maximum's value of another type", INVALID(DTYPE), "max_value->dtype = float64|float32", INPUT_3_4_5,
     INT64_INDEX, OVER(1, 1), .op = 2, .max_index = FOLLOWS(INT64), .max_value = FOLLOWS(FLOAT64)},
    {"a maximum's index that overlaps itself", INVALID(STRIDES), "max_index->strides[0] = 0", INPUT_3_4_5, INT64_INDEX,
     OVER(1, 1), .op = 2, .max_index = TENSOR(INT64, 3, SIZES(3, 1, 5), STRIDES(0, 5, 1), 0)},
    {"the maximum in int32", RANGE, "max_index->dtype = int32|2147483648",
     TENSOR(FLOAT32, 1, SIZES(P(31) + 1), STRIDES(0), 0), INT64_INDEX, OVER(1, 0), .op = 2,
     .max_index = FOLLOWS(INT32)},
    {"direction 2 of the maximum", INVALID(ARGUMENT), "max_direction = 2", INPUT_3_4_5, INT64_INDEX, OVER(1, 1),
     .op = 2, .max_index = FOLLOWS(INT64), .max_direction = 2},
    {"a maximum of argmax", INVALID(ARGUMENT), "max_index is set|ARGMAX_CL_ARGMINMAX", INPUT_3_4_5, INT64_INDEX,
     OVER(1, 1), .max_index = FOLLOWS(INT64)},
    {"a maximum's value of argmin", INVALID(ARGUMENT), "max_value is set|NULL", INPUT_3_4_5, INT64_INDEX, OVER(1, 1),
     .op = 1, .max_value = FOLLOWS(FLOAT32)},
    {"a maximum's direction of argmax", INVALID(ARGUMENT), "max_direction is set|expected 0", INPUT_3_4_5, INT64_INDEX,
     OVER(1, 1), .max_direction = ARGMAX_CL_DECREASING},

    /* The first rule broken is the one that is told, with the first tensor that breaks it. */
    {"input before index", INVALID(RANK), "input->rank", TENSOR(FLOAT32, 0, NULL, NULL, 0), FOLLOWS(FLOAT32), NONE,
     .axis_count = 0},
};

START_TEST(each_row) {
    const row *const r = &rows[_i];
    const argmax_cl_desc desc = descriptor(r);
    problem p, untouched;
    memset(&p, 0xA5, sizeof p);
    memset(&untouched, 0xA5, sizeof untouched);
    expect_status(r->label, check_desc((argmax_cl_operator)r->op, &desc, &p), r->status, r->parts);
    ck_assert_msg((memcmp(&p, &untouched, sizeof p) != 0) == (r->status == ARGMAX_CL_SUCCESS), "%s: problem", r->label);
}
END_TEST

START_TEST(sizes_of_structs) {
    const row plain = {"", OK, INPUT_3_4_5, FOLLOWS(INT64), FOLLOWS(FLOAT32), OVER(1, 1)};
    const argmax_cl_status refused = ARGMAX_CL_ERROR_INVALID_ARGUMENT;
    problem p;
    expect_status("NULL", check_desc(ARGMAX_CL_ARGMAX, NULL, &p), refused, "desc = NULL");
    const size_t sizes[] = {0, 8, offsetof(argmax_cl_desc, mask) - 1, offsetof(argmax_cl_desc, mask) + 3, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        argmax_cl_desc desc = descriptor(&plain);
        char parts[64];
        desc.struct_size = sizes[i];
        snprintf(parts, sizeof parts, "desc->struct_size = %zu|expected %zu", sizes[i], sizeof desc);
        expect_status("desc", check_desc(ARGMAX_CL_ARGMAX, &desc, &p), refused, parts);
    }
    const struct {
        const char *name;
        size_t place;
    } tensors[] = {{"input", offsetof(row, input)}, {"index", offsetof(row, index)}, {"value", offsetof(row, value)}};
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
        row changed = plain;
        char parts[64];
        ((argmax_cl_tensor *)(void *)((char *)&changed + tensors[i].place))->struct_size = 7;
        const argmax_cl_desc desc = descriptor(&changed);
        snprintf(parts, sizeof parts, "%s->struct_size = 7|expected %zu", tensors[i].name, sizeof(argmax_cl_tensor));
        expect_status(tensors[i].name, check_desc(ARGMAX_CL_ARGMAX, &desc, &p), refused, parts);
    }
}
END_TEST

/* A struct of a later version: what this one does not know must be at its default. */
START_TEST(structs_of_a_later_version) {
    const row plain = {"", OK, INPUT_3_4_5, INT64_INDEX, OVER(1, 1)};
    struct {
        argmax_cl_desc desc;
        uint64_t more[2];
    } later = {descriptor(&plain), {0, 0}};
    problem p;
    later.desc.struct_size = sizeof later;
    expect_status("at its default", check_desc(ARGMAX_CL_ARGMAX, &later.desc, &p), ARGMAX_CL_SUCCESS, NULL);
    later.more[1] = UINT64_MAX;
    expect_status("asks for more", check_desc(ARGMAX_CL_ARGMAX, &later.desc, &p), ARGMAX_CL_ERROR_INVALID_ARGUMENT,
                  "desc->struct_size|is set");
}
END_TEST

TESTS_MAIN("check", NULL, NULL, EACH(each_row, rows), ONCE(sizes_of_structs), ONCE(structs_of_a_later_version))
