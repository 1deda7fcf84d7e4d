/* The contract's worked example, with its answers written out: every input type x operator x direction, with every
 * index type in the oracle; on the device with an index type and axes dealt, so that each input type meets all index
 * types, and each example four input types. */
#include "oracle.h"
#include "suite.h"

#include <string.h>

static const int64_t numbers[9] = {1, 2, 3, 3, 0, 4, 2, 5, 2};

typedef struct example {
    argmax_cl_operator op;
    argmax_cl_direction direction;
    uint32_t axis_count, axes[2];
    uint32_t count; /* of outputs */
    uint64_t answer[3];
    int64_t extreme[3];
} example;

static const example examples[] = {
    {ARGMAX_CL_ARGMAX, ARGMAX_CL_INCREASING, 1, {0}, 3, {1, 2, 1}, {3, 5, 4}},
    {ARGMAX_CL_ARGMAX, ARGMAX_CL_INCREASING, 1, {1}, 3, {2, 2, 1}, {3, 4, 5}},
    {ARGMAX_CL_ARGMAX, ARGMAX_CL_INCREASING, 2, {0, 1}, 1, {7}, {5}},
    {ARGMAX_CL_ARGMAX, ARGMAX_CL_INCREASING, 2, {1, 0}, 1, {7}, {5}},
    {ARGMAX_CL_ARGMIN, ARGMAX_CL_INCREASING, 1, {0}, 3, {0, 1, 2}, {1, 0, 2}},
    {ARGMAX_CL_ARGMIN, ARGMAX_CL_INCREASING, 1, {1}, 3, {0, 1, 0}, {1, 0, 2}},
    {ARGMAX_CL_ARGMIN, ARGMAX_CL_INCREASING, 2, {0, 1}, 1, {4}, {0}},
    {ARGMAX_CL_ARGMAX, ARGMAX_CL_DECREASING, 1, {0}, 3, {1, 2, 1}, {3, 5, 4}},
    {ARGMAX_CL_ARGMAX, ARGMAX_CL_DECREASING, 1, {1}, 3, {2, 2, 1}, {3, 4, 5}},
    {ARGMAX_CL_ARGMAX, ARGMAX_CL_DECREASING, 2, {1, 0}, 1, {7}, {5}},
    {ARGMAX_CL_ARGMIN, ARGMAX_CL_DECREASING, 1, {0}, 3, {0, 1, 2}, {1, 0, 2}},
    {ARGMAX_CL_ARGMIN, ARGMAX_CL_DECREASING, 1, {1}, 3, {0, 1, 2}, {1, 0, 2}},
    {ARGMAX_CL_ARGMIN, ARGMAX_CL_DECREASING, 2, {0, 1}, 1, {4}, {0}},
};

static const argmax_cl_dtype index_types[] = {ARGMAX_CL_INT64, ARGMAX_CL_INT32, ARGMAX_CL_UINT64, ARGMAX_CL_UINT32};

/* The bits of a whole number of 0 to 5 in any type. */
static uint64_t bits_of(const problem_dtype *type, int64_t number) {
    const uint32_t m = type->mantissa_bits;
    if (m == 0 || number == 0)
        return (uint64_t)number;
    uint32_t power = 0;
    while (number >> power > 1)
        power++;
    const uint64_t bias = ((uint64_t)1 << (type->bits - m - 2)) - 1;
    return ((bias + power) << m) + ((((uint64_t)number << m) >> power) - ((uint64_t)1 << m));
}

static problem_line line_of(const example *e, const problem_dtype *type, argmax_cl_dtype index_type) {
    problem_line p;
    problem_init(&p);
    p.op = e->op;
    p.direction = e->direction;
    p.dtype = type->dtype;
    p.index_type = index_type;
    p.rank = 2;
    p.size[0] = p.size[1] = 3;
    p.axis_count = e->axis_count;
    memcpy(p.axes, e->axes, sizeof e->axes);
    problem_resolve(&p);
    return p;
}

static void check_answers(const example *e, const problem_dtype *type, argmax_cl_dtype index_type, const void *index,
                          const void *value) {
    for (uint32_t i = 0; i < e->count; i++) {
        ck_assert_uint_eq(problem_load(problem_dtype_find(index_type), index, i), e->answer[i]);
        ck_assert_uint_eq(problem_load(type, value, i), bits_of(type, e->extreme[i]));
    }
}

static void fill(const problem_dtype *type, void *input) {
    for (uint32_t i = 0; i < 9; i++)
        problem_store(type, input, i, bits_of(type, numbers[i]));
}

START_TEST(numbers_have_the_known_bits) {
    ck_assert_uint_eq(bits_of(problem_dtype_find(ARGMAX_CL_FLOAT32), 5), 0x40A00000);
    ck_assert_uint_eq(bits_of(problem_dtype_find(ARGMAX_CL_FLOAT16), 3), 0x4200);
    ck_assert_uint_eq(bits_of(problem_dtype_find(ARGMAX_CL_BFLOAT16), 1), 0x3F80);
    ck_assert_uint_eq(bits_of(problem_dtype_find(ARGMAX_CL_FLOAT64), 4), 0x4010000000000000);
}
END_TEST

START_TEST(oracle_agrees) {
    for (size_t t = 0; t < PROBLEM_DTYPE_COUNT; t++)
        for (size_t e = 0; e < sizeof examples / sizeof examples[0]; e++)
            for (size_t x = 0; x < 4; x++) {
                uint64_t input[9], index[3], value[3];
                const problem_line p = line_of(&examples[e], &problem_dtypes[t], index_types[x]);
                fill(&problem_dtypes[t], input);
                oracle_solve(&p, input, index, value);
                check_answers(&examples[e], &problem_dtypes[t], index_types[x], index, value);
            }
}
END_TEST

static void run_on_device(const example *e, const problem_dtype *type, argmax_cl_dtype index_type) {
    uint64_t input[9], index[3], value[3];
    problem_line p = line_of(e, type, index_type);
    p.has_value = true;
    problem_desc d;
    problem_describe(&p, &d);
    fill(type, input);
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.input = input;
    arrays.index = index;
    arrays.value = value;
    const argmax_cl_status status =
        (p.op == ARGMAX_CL_ARGMIN ? argmin_cl_host : argmax_cl_host)(suite_runner()->handle, &d.desc, &arrays, NULL);
    char line[PROBLEM_LINE_SIZE];
    problem_print(&p, line, sizeof line);
    ck_assert_msg(status == ARGMAX_CL_SUCCESS, "%s: %s", line, argmax_cl_last_error());
    check_answers(e, type, index_type, index, value);
}

START_TEST(device_agrees) {
    for (size_t t = 0; t < PROBLEM_DTYPE_COUNT; t++)
        for (size_t e = 0; e < sizeof examples / sizeof examples[0]; e++) {
            const size_t way = (size_t)examples[e].op * 2 + (size_t)examples[e].direction;
            if (e % 3 == t % 3)
                run_on_device(&examples[e], &problem_dtypes[t], index_types[(t + t / 4 + way) % 4]);
        }
}
END_TEST

SUITE_MAIN("worked_example", numbers_have_the_known_bits, oracle_agrees, device_agrees)
