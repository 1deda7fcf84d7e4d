/* What the elements hold: ties, NaNs, zeros, denormals, infinities, integer extremes. Every kind of data on every kind
 * of problem, and extrema and NaNs on both sides of each boundary that a kernel may have. */
#include "kinds.h"
#include "suite.h"

/* Lengths of what kernels walk in: vectors, work-groups, counters of 8 and 16 bits times vectors, blocks and chunks. */
static const uint64_t boundaries[] = {2,    4,    8,    16,   32,   64,   128,  255,  256,   510,   512,   765,
                                      1020, 1024, 2040, 2048, 4080, 4096, 8160, 8192, 16384, 65280, 65535, 65536};
#define BOUNDARY_COUNT (sizeof boundaries / sizeof boundaries[0])

static void around_boundaries(sweep *s, const problem_line *kind, data_kind data) {
    for (size_t i = 0; i < BOUNDARY_COUNT; i++)
        for (uint32_t c = 0; c < 3; c++) { /* flat, rows, columns */
            const uint64_t length = 3 * boundaries[i] + 5;
            const uint64_t sizes[2] = {c == 2 ? length : 2, c == 2 ? 2 : length};
            problem_line p = c == 0 ? kind_shape(kind, 1, &length, 1) : kind_shape(kind, 2, sizes, c == 1 ? 2 : 1);
            p.data = data;
            p.seed = boundaries[i] - 1; /* the outputs' places: b-1 and b, a pair on both sides */
            sweep_chosen(s, &p, SWEEP_DEALT_TUNING);
            p.seed = 2 * boundaries[i] - 1;
            sweep_chosen(s, &p, SWEEP_DEALT_TUNING);
            p.seed = length - 1; /* the last; a pair's other one is the first */
            sweep_chosen(s, &p, SWEEP_DEALT_TUNING);
        }
}

START_TEST(pairs_around_boundaries) {
    sweep s = {.r = suite_runner()};
    for (uint32_t k = 0; k < KIND_SAMPLE_COUNT; k += 4) { /* float32, int8, uint8: 32 and 8 bits, both tuning rows */
        const problem_line kind = kind_sample(k);
        around_boundaries(&s, &kind, DATA_PAIR);
    }
    sweep_print(&s, "pairs around boundaries");
    ck_assert_uint_eq(s.failures, 0);
}
END_TEST

START_TEST(nans_around_boundaries) {
    sweep s = {.r = suite_runner()};
    for (uint32_t k = 0; k < KIND_SAMPLE_COUNT; k++) {
        const problem_line kind = kind_sample(k);
        if (problem_dtype_find(kind.dtype)->mantissa_bits)
            around_boundaries(&s, &kind, kind.nan_mode == ARGMAX_CL_NAN_IGNORE ? DATA_NUMBER : DATA_NANPAIR);
    }
    sweep_print(&s, "NaNs around boundaries");
    ck_assert_uint_eq(s.failures, 0);
}
END_TEST

/* The smallest differences there are: one denormal among zeros, at each place of each vector width, in both operators.
 */
START_TEST(one_denormal_among_zeros) {
    sweep s = {.r = suite_runner()};
    for (uint32_t i = 0; i < KIND_COUNT; i++) {
        const problem_line kind = kind_at(i);
        const problem_dtype *const type = problem_dtype_find(kind.dtype);
        if (!type->mantissa_bits || kind.direction == ARGMAX_CL_DECREASING)
            continue;
        const uint64_t count = 40;
        problem_line p = kind_shape(&kind, 1, &count, 1);
        const uint64_t smallest = 1 | (p.op == ARGMAX_CL_ARGMIN ? (uint64_t)1 << (type->bits - 1) : 0);
        for (uint32_t place = 0; place < count; place++) {
            uint64_t input[40] = {0}, index = 0, value = 0;
            problem_store(type, input, place, smallest);
            problem_desc d;
            argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
            arrays.input = input;
            arrays.index = &index;
            arrays.value = p.has_value ? &value : NULL;
            problem_describe(&p, &d);
            ck_assert_int_eq(
                (p.op == ARGMAX_CL_ARGMIN ? argmin_cl_host : argmax_cl_host)(s.r->handle, &d.desc, &arrays, NULL),
                ARGMAX_CL_SUCCESS);
            ck_assert_uint_eq(problem_load(problem_dtype_find(p.index_type), &index, 0), place);
            ck_assert(!p.has_value || problem_load(type, &value, 0) == smallest);
        }
    }
}
END_TEST

SUITE_MAIN("values", pairs_around_boundaries, nans_around_boundaries, one_denormal_among_zeros)
