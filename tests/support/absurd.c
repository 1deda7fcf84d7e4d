#include "absurd.h"

#include <time.h>

#define SIZES(...) ((const uint64_t[]){__VA_ARGS__})
#define STRIDES(...) ((const int64_t[]){__VA_ARGS__})
#define AXES(...) ((const uint32_t[]){__VA_ARGS__})
#define TENSOR(dtype, rank, sizes, strides, offset)                                                                    \
    (&(const argmax_cl_tensor){sizeof(argmax_cl_tensor), ARGMAX_CL_##dtype, rank, sizes, strides, offset})
#define PLAIN TENSOR(FLOAT32, 2, SIZES(3, 4), NULL, 0)
#define INDEX TENSOR(INT64, 0, NULL, NULL, 0)
#define DESC(in, idx, val, count, list)                                                                                \
    (&(const argmax_cl_desc){.struct_size = sizeof(argmax_cl_desc),                                                    \
                             .input = (in),                                                                            \
                             .index = (idx),                                                                           \
                             .value = (val),                                                                           \
                             .axis_count = (count),                                                                    \
                             .axes = (list)})
#define INPUT(dtype, rank, sizes, strides, offset)                                                                     \
    DESC(TENSOR(dtype, rank, sizes, strides, offset), INDEX, NULL, 1, AXES(0))
#define OUTPUT(dtype, rank, sizes, strides, offset)                                                                    \
    DESC(TENSOR(INT8, 3, SIZES(3, 4, 5), NULL, 0), TENSOR(dtype, rank, sizes, strides, offset), NULL, 1, AXES(1))

#define INVALID(what) ARGMAX_CL_ERROR_INVALID_##what
#define OVERFLOW ARGMAX_CL_ERROR_OVERFLOW
#define TOO_SMALL ARGMAX_CL_ERROR_BUFFER_TOO_SMALL
#define P(exponent) (UINT64_C(1) << (exponent))
#define MINUS(n) (0 - UINT64_C(n)) /* a negative size, as C converts it */

const absurd_row absurd_rows[] = {
    {"no descriptor", INVALID(ARGUMENT), "desc = NULL", NULL},
    {"zeros", INVALID(ARGUMENT), "desc->struct_size = 0", &(const argmax_cl_desc){0}},
    {"no input", INVALID(ARGUMENT), "input = NULL", DESC(NULL, INDEX, NULL, 1, AXES(0))},
    {"no index", INVALID(ARGUMENT), "index = NULL", DESC(PLAIN, NULL, NULL, 1, AXES(0))},
    {"no axes", INVALID(ARGUMENT), "axes = NULL", DESC(PLAIN, INDEX, NULL, 2, NULL)},
    {"no sizes", INVALID(ARGUMENT), "input->sizes = NULL|8 sizes", INPUT(FLOAT32, 8, NULL, NULL, 0)},
    {"zeroed input", INVALID(ARGUMENT), "input->struct_size = 0",
     DESC(&(const argmax_cl_tensor){0}, INDEX, NULL, 1, AXES(0))},
    {"dtype 0", INVALID(DTYPE), "input->dtype = 0",
     DESC((&(const argmax_cl_tensor){.struct_size = sizeof(argmax_cl_tensor), .rank = 1, .sizes = SIZES(3)}), INDEX,
          NULL, 1, AXES(0))},
    {"rank 0", INVALID(RANK), "input->rank = 0", INPUT(FLOAT32, 0, SIZES(3), NULL, 0)},
    {"rank 9", INVALID(RANK), "input->rank = 9", INPUT(FLOAT32, 9, SIZES(1, 1, 1, 1, 1, 1, 1, 1, 1), NULL, 0)},
    {"rank -1", INVALID(RANK), "input->rank = 4294967295", INPUT(FLOAT32, UINT32_MAX, SIZES(1), NULL, 0)},
    {"axis -1", INVALID(AXES), "axes[0] = 4294967295", DESC(PLAIN, INDEX, NULL, 1, AXES(UINT32_MAX))},
    {"2^32-1 axes", INVALID(AXES), "axis_count = 4294967295", DESC(PLAIN, INDEX, NULL, UINT32_MAX, AXES(0))},
    {"an axis twice", INVALID(AXES), "axes[1] = 1", DESC(PLAIN, INDEX, NULL, 2, AXES(1, 1))},
    {"size -1", OVERFLOW, "input->sizes[0] = 18446744073709551615", INPUT(INT8, 1, SIZES(MINUS(1)), NULL, 0)},
    {"sizes -1 and -1, whose product wraps to 1", OVERFLOW, "input->sizes[0]",
     INPUT(INT8, 2, SIZES(MINUS(1), MINUS(1)), STRIDES(0, 0), 0)},
    {"sizes whose product wraps to 0", OVERFLOW, "input->sizes[1] = 4294967296",
     INPUT(INT8, 2, SIZES(P(32), P(32)), STRIDES(0, 0), 0)},
    {"sizes whose product wraps to 1", OVERFLOW, "input->sizes[1] = 67280421310721",
     INPUT(INT8, 2, SIZES(274177, UINT64_C(67280421310721)), STRIDES(0, 0), 0)},
    {"eight sizes of 2^63", OVERFLOW, "input->sizes[0]",
     INPUT(INT8, 8, SIZES(P(63), P(63), P(63), P(63), P(63), P(63), P(63), P(63)), STRIDES(0, 0, 0, 0, 0, 0, 0, 0), 0)},
    {"strides whose extents wrap to 0", OVERFLOW, "input->offset = 0",
     INPUT(INT8, 2, SIZES(5, 5), STRIDES(INT64_C(1) << 62, INT64_C(1) << 62), 0)},
    {"stride 2^63-1", OVERFLOW, "input->offset = 0", INPUT(INT8, 1, SIZES(3), STRIDES(INT64_MAX), 0)},
    {"stride -2^63", TOO_SMALL, "input->offset = 7|9223372036854775808 elements below",
     INPUT(INT8, 1, SIZES(2), STRIDES(INT64_MIN), 7)},
    {"stride -2^63, whose extent wraps to 0", TOO_SMALL, "input->offset = 7|at least",
     INPUT(INT8, 1, SIZES(3), STRIDES(INT64_MIN), 7)},
    {"offset 2^63", OVERFLOW, "input->offset = 9223372036854775808", INPUT(INT8, 1, SIZES(2), NULL, P(63))},
    {"offset -1", OVERFLOW, "input->offset = 18446744073709551615", INPUT(INT8, 1, SIZES(2), NULL, MINUS(1))},
    {"offset 2^63-1, the second element beyond", OVERFLOW, "input->offset = 9223372036854775807",
     INPUT(INT8, 1, SIZES(2), NULL, P(63) - 1)},
    {"bytes that wrap to 0", OVERFLOW, "input->offset = 2305843009213693951|byte",
     INPUT(FLOAT64, 1, SIZES(1), NULL, P(61) - 1)},
    {"index at 2^63", OVERFLOW, "index->offset = 9223372036854775808", OUTPUT(INT64, 0, NULL, NULL, P(63))},
    {"index on one address", INVALID(STRIDES), "index->strides[0] = 0",
     OUTPUT(INT64, 3, SIZES(3, 1, 5), STRIDES(0, 0, 0), 0)},
    {"index with equal strides", INVALID(STRIDES), "index->strides[2] = 1",
     OUTPUT(INT64, 3, SIZES(3, 1, 5), STRIDES(1, 0, 1), 0)},
    {"index that meets itself", INVALID(STRIDES), "index->strides[0] = 4",
     OUTPUT(INT64, 3, SIZES(3, 1, 5), STRIDES(4, 0, 1), 0)},
    {"index that runs into itself", INVALID(STRIDES), "index->strides[0] = -4",
     OUTPUT(INT64, 3, SIZES(3, 1, 5), STRIDES(-4, 0, 1), 8)},
    {"index below its buffer", TOO_SMALL, "index->offset = 3|4 elements below",
     OUTPUT(INT64, 3, SIZES(3, 1, 5), STRIDES(5, 0, -1), 3)},
    {"index of another shape", INVALID(SIZE), "index->sizes[1] = 4", OUTPUT(INT64, 3, SIZES(3, 4, 5), NULL, 0)},
    {"index of another rank", INVALID(RANK), "index->rank = 4294967295", OUTPUT(INT64, UINT32_MAX, NULL, NULL, 0)},
    {"index of floats", INVALID(DTYPE), "index->dtype = float64", OUTPUT(FLOAT64, 0, NULL, NULL, 0)},
    {"index too narrow", ARGMAX_CL_ERROR_INDEX_RANGE, "index->dtype = int32",
     DESC(TENSOR(INT8, 1, SIZES(P(62)), STRIDES(0), 0), TENSOR(INT32, 0, NULL, NULL, 0), NULL, 1, AXES(0))},
    {"nothing to reduce", ARGMAX_CL_ERROR_EMPTY_REDUCTION, "input->sizes[0] = 0", INPUT(INT8, 1, SIZES(0), NULL, 0)},
};
const size_t absurd_count = sizeof absurd_rows / sizeof absurd_rows[0];

double least_microseconds(argmax_cl_status (*call)(void *), void *context) {
    enum { CALLS = 201 };
    double least = 0;
    for (size_t i = 0; i < CALLS; i++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        (void)call(context);
        clock_gettime(CLOCK_MONOTONIC, &to);
        const double took = 1e6 * (double)(to.tv_sec - from.tv_sec) + 1e-3 * (double)(to.tv_nsec - from.tv_nsec);
        least = i == 0 || took < least ? took : least;
    }
    return least;
}
