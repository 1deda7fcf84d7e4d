/* Partials without a device: the answers of blocks are the oracle's, and what is made, merged and finished of them must
 * be the oracle's answer for the whole, bit for bit, whatever the split, the order and the grouping. */
#include "internal.h"
#include "oracle.h"
#include "problem/partial.h"
#include "random_problem.h"
#include "unit.h"

#define ELEMENTS 720
#define OUTPUTS 720

typedef struct whole {
    problem_line p; /* packed */
    unsigned char input[ELEMENTS * 8], index[OUTPUTS * 8], value[OUTPUTS * 8];
    argmax_cl_partial sum[OUTPUTS];
    uint64_t blocks;
} whole;

typedef struct box {
    uint64_t start[PROBLEM_MAX_RANK], size[PROBLEM_MAX_RANK];
} box;

static void expect_ok(argmax_cl_status status) {
    ck_assert_msg(status == ARGMAX_CL_SUCCESS, "%s", argmax_cl_last_error());
}

static uint64_t count_of(const box *b, const problem_line *p, bool kept_only) {
    uint64_t count = 1;
    for (uint32_t d = 0; d < p->rank; d++)
        count *= kept_only && problem_axis_reduced(p, d) ? 1 : b->size[d];
    return count;
}

/* Partials of a block by way of the public call, from an oracle's answers to the block alone. */
static void solve_block(const whole *w, const box *b, argmax_cl_partial *partials) {
    static unsigned char input[ELEMENTS * 8], index[OUTPUTS * 8], value[OUTPUTS * 8];
    const size_t element = argmax_cl_dtype_size(w->p.dtype);
    problem_line p = w->p;
    problem_desc d;
    memcpy(p.size, b->size, sizeof b->size);
    problem_resolve(&p);
    const uint64_t count = count_of(b, &p, false);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t from = 0, rest = i, weight = 1;
        for (uint32_t a = p.rank; a-- > 0; rest /= b->size[a], weight *= w->p.size[a])
            from += (b->start[a] + rest % b->size[a]) * weight;
        memcpy(input + i * element, w->input + from * element, element);
    }
    oracle_solve(&p, input, index, value);
    problem_describe(&p, &d);
    argmax_cl_block block = ARGMAX_CL_BLOCK_INIT;
    block.sizes = w->p.size;
    block.start = b->start;
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.index = index;
    arrays.value = value;
    expect_ok(argmax_cl_partials_add(p.op, &d.desc, &block, &arrays, partials));
}

/* Cut a box until chance ends it, or nothing but elements is left; merge the halves in either order. What it returns
 * are the box's own partials, row-major over its outputs. */
static void solve(whole *w, random_source *s, const box *b, uint64_t patience, argmax_cl_partial *out) {
    uint32_t axis = (uint32_t)random_below(s, w->p.rank);
    for (uint32_t i = 0; i < w->p.rank && b->size[axis] < 2; i++)
        axis = (axis + 1) % w->p.rank;
    if (b->size[axis] < 2 || random_one_in(s, patience)) {
        w->blocks++;
        solve_block(w, b, out);
        return;
    }
    box half[2] = {*b, *b};
    half[0].size[axis] = 1 + random_below(s, b->size[axis] - 1);
    half[1].start[axis] += half[0].size[axis];
    half[1].size[axis] -= half[0].size[axis];
    const uint32_t first = (uint32_t)random_below(s, 2);
    argmax_cl_partial *const parts[] = {calloc(OUTPUTS, sizeof *out), calloc(OUTPUTS, sizeof *out)};
    solve(w, s, &half[first], patience, parts[first]);
    solve(w, s, &half[!first], patience, parts[!first]);
    const uint64_t counts[] = {count_of(&half[0], &w->p, true), count_of(&half[1], &w->p, true)};
    if (problem_axis_reduced(&w->p, axis)) {
        expect_ok(argmax_cl_partials_merge(counts[0], parts[first], parts[!first]));
        memcpy(out, parts[first], (size_t)counts[0] * sizeof *out);
    } else { /* side by side: rows of the one and of the other in turn */
        uint64_t inner[2] = {half[0].size[axis], half[1].size[axis]}, done[2] = {0, 0};
        for (uint32_t d = axis + 1; d < w->p.rank; d++)
            for (int k = 0; k < 2; k++)
                inner[k] *= problem_axis_reduced(&w->p, d) ? 1 : b->size[d];
        while (done[0] < counts[0])
            for (int k = 0; k < 2; k++) {
                memcpy(out, parts[k] + done[k], (size_t)inner[k] * sizeof *out);
                out += inner[k];
                done[k] += inner[k];
            }
    }
    free(parts[0]);
    free(parts[1]);
}

static void check_whole(whole *w, const char *line) {
    static unsigned char index[OUTPUTS * 8], value[OUTPUTS * 8];
    problem_desc d;
    const size_t outputs = (size_t)problem_output_count(&w->p);
    problem_describe(&w->p, &d);
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.index = index;
    arrays.value = value;
    expect_ok(argmax_cl_partials_finish(w->p.op, &d.desc, w->sum, &arrays));
    ck_assert_msg(memcmp(index, w->index, outputs * argmax_cl_dtype_size(w->p.index_type)) == 0, "indices of %s", line);
    ck_assert_msg(memcmp(value, w->value, outputs * argmax_cl_dtype_size(w->p.dtype)) == 0, "values of %s", line);
}

static const char *const shapes[] = {
    "1 axes=0",       "37 axes=0",    "9x11 axes=1",      "11x9 axes=0",        "6x7x5",
    "5x6x7 axes=0,2", "5x6x7 axes=1", "3x4x5x6 axes=1,3", "2x3x1x5 axes=0,2,3", "2x2x2x2x2x2x2x2 axes=1,4,5,7"};
#define SHAPES (sizeof shapes / sizeof shapes[0])

/* Every dtype by every operator, direction and NaN mode. */
START_TEST(any_split_gives_the_same_bits) {
    static whole w;
    const problem_dtype *const type = &problem_dtypes[_i / 8];
    const char *const index_types[] = {"int64", "int32", "uint64", "uint32"};
    random_source s = {(uint64_t)_i + 1};
    uint64_t blocks = 0;
    for (int turn = 0; turn < 30; turn++) {
        char line[300], error[300];
        snprintf(line, sizeof line, "%s %s %s%s nan=%s index=%s value data=%s seed=%d", _i & 1 ? "argmin" : "argmax",
                 type->name, shapes[random_below(&s, SHAPES)], _i & 2 ? " last" : "", _i & 4 ? "ignore" : "propagate",
                 index_types[turn % 4], data_kind_names[random_below(&s, DATA_KIND_COUNT)], turn);
        ck_assert_msg(problem_parse(line, &w.p, error, sizeof error), "%s: %s", line, error);
        problem_fill(&w.p, w.input);
        oracle_solve(&w.p, w.input, w.index, w.value);
        box all = {{0}, {0}};
        memcpy(all.size, w.p.size, sizeof all.size);
        w.blocks = 0;
        memset(w.sum, 0, sizeof w.sum);
        solve(&w, &s, &all, turn % 3 ? 2 + random_below(&s, 8) : UINT64_MAX, w.sum);
        if (turn % 3 == 0)
            ck_assert_uint_eq(w.blocks, problem_input_count(&w.p));
        blocks += w.blocks;
        check_whole(&w, line);
    }
    ck_assert_uint_ge(blocks, 500);
}
END_TEST

/* Every 16-bit float against every class of order: greater keys are what the oracle prefers. */
static void order_of(const problem_line *p) {
    problem_line pair = *p;
    problem q;
    problem_desc d;
    pair.size[0] = 2;
    problem_resolve(&pair);
    problem_describe(&pair, &d);
    ck_assert_int_eq(check_desc(p->op, &d.desc, &q), ARGMAX_CL_SUCCESS);
    static const uint16_t some[] = {0,      0x8000, 1,      0x8001, 0x7C00, 0xFC00, 0x7F80, 0xFF80, 0x7C01,
                                    0xFC01, 0x7FFF, 0xFFFF, 0x3C00, 0xBC00, 0x7BFF, 0xFBFF, 0x7F7F, 0xFF7F};
    for (uint32_t a = 0; a < 65536; a++)
        for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
            const uint16_t two[] = {(uint16_t)a, some[i]}, swapped[] = {some[i], (uint16_t)a};
            int64_t won[2];
            oracle_solve(&pair, two, &won[0], NULL);
            oracle_solve(&pair, swapped, &won[1], NULL);
            const uint64_t x = partial_key(&q, a), y = partial_key(&q, some[i]);
            const int expected = won[0] == won[1] ? 0 : won[0] == 0 ? 1 : -1;
            ck_assert_msg((x > y) - (x < y) == expected, "0x%04X, 0x%04X: %llX, %llX", a, some[i],
                          (unsigned long long)x, (unsigned long long)y);
        }
}

START_TEST(keys_order_as_the_oracle_does) {
    problem_line p;
    char line[100], error[300];
    snprintf(line, sizeof line, "%s %s 2 axes=0", _i & 1 ? "argmin" : "argmax", _i & 2 ? "bfloat16" : "float16");
    ck_assert_msg(problem_parse(line, &p, error, sizeof error), "%s", error);
    order_of(&p);
}
END_TEST

START_TEST(refusals_name_the_reason) {
    const uint64_t sizes[] = {4, 5}, whole_sizes[] = {8, 5}, start[] = {4, 0}, beyond[] = {5, 0};
    const uint64_t huge[] = {UINT64_C(1) << 62, 8};
    const uint32_t axis = 1;
    int64_t index[4] = {0};
    float value[4] = {0};
    argmax_cl_partial partials[4] = {{0, 0, 0}}, other[4];
    argmax_cl_tensor in = ARGMAX_CL_TENSOR_INIT, out = ARGMAX_CL_TENSOR_INIT, best = ARGMAX_CL_TENSOR_INIT;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    argmax_cl_block block = ARGMAX_CL_BLOCK_INIT;
    in.dtype = best.dtype = ARGMAX_CL_FLOAT32;
    in.rank = 2;
    in.sizes = sizes;
    out.dtype = ARGMAX_CL_INT64;
    desc.input = &in;
    desc.index = &out;
    desc.value = &best;
    desc.axis_count = 1;
    desc.axes = &axis;
    arrays.index = index;
    arrays.value = value;
    block.sizes = whole_sizes;
    block.start = start;
#define MAKE() argmax_cl_partials_add(ARGMAX_CL_ARGMAX, &desc, &block, &arrays, partials)
    expect_status("right", MAKE(), ARGMAX_CL_SUCCESS, NULL);
    block.start = beyond;
    expect_status("beyond", MAKE(), ARGMAX_CL_ERROR_INVALID_BLOCK, "block->start[0] = 5|block->sizes[0] = 8");
    block.start = NULL;
    expect_status("no start", MAKE(), ARGMAX_CL_ERROR_INVALID_ARGUMENT, "block->start = NULL");
    block.start = start;
    block.sizes = huge;
    expect_status("too large", MAKE(), ARGMAX_CL_ERROR_OVERFLOW, "block->sizes[1] = 8|2^63-1");
    block.sizes = whole_sizes;
    block.struct_size = 3;
    expect_status("size", MAKE(), ARGMAX_CL_ERROR_INVALID_ARGUMENT, "block->struct_size = 3");
    block.struct_size = sizeof block;
    desc.value = NULL;
    expect_status("no value", MAKE(), ARGMAX_CL_ERROR_INVALID_ARGUMENT, "desc->value = NULL");
    desc.value = &best;
    arrays.index = NULL;
    expect_status("no index", MAKE(), ARGMAX_CL_ERROR_INVALID_BUFFER, "arrays->index = NULL");
    arrays.index = index;
    expect_status("no partials", argmax_cl_partials_add(ARGMAX_CL_ARGMAX, &desc, NULL, &arrays, NULL),
                  ARGMAX_CL_ERROR_INVALID_BUFFER, "partials = NULL|4 partials");
    expect_status("merge", argmax_cl_partials_merge(4, other, NULL), ARGMAX_CL_ERROR_INVALID_BUFFER, "from = NULL");
    expect_status("nothing", argmax_cl_partials_merge(0, NULL, NULL), ARGMAX_CL_SUCCESS, NULL);
}
END_TEST

/* The bytes that docs/partials.md promises. */
START_TEST(format_is_as_documented) {
    ck_assert_uint_eq(sizeof(argmax_cl_partial), 24);
    ck_assert_uint_eq(offsetof(argmax_cl_partial, key), 0);
    ck_assert_uint_eq(offsetof(argmax_cl_partial, tie), 8);
    ck_assert_uint_eq(offsetof(argmax_cl_partial, bits), 16);
    const uint64_t one = 1, sizes[] = {10}, start[] = {7};
    const uint32_t axis = 0;
    int64_t index = 0;
    float value = 1;
    argmax_cl_partial partial = {0, 0, 0};
    argmax_cl_tensor in = ARGMAX_CL_TENSOR_INIT, out = ARGMAX_CL_TENSOR_INIT, best = ARGMAX_CL_TENSOR_INIT;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    const argmax_cl_block block = {sizeof block, sizes, start, NULL};
    in.dtype = best.dtype = ARGMAX_CL_FLOAT32;
    in.rank = 1;
    in.sizes = &one;
    out.dtype = ARGMAX_CL_INT64;
    desc.input = &in;
    desc.index = &out;
    desc.value = &best;
    desc.axis_count = 1;
    desc.axes = &axis;
    arrays.index = &index;
    arrays.value = &value;
    expect_ok(argmax_cl_partials_add(ARGMAX_CL_ARGMAX, &desc, &block, &arrays, &partial));
    ck_assert(partial.key == 0x3F800000u + 0x80000000u - 0x800000u && partial.tie == ~UINT64_C(7) &&
              partial.bits == 0x3F800000u);
    index = -1; /* no winner adds nothing */
    expect_ok(argmax_cl_partials_add(ARGMAX_CL_ARGMAX, &desc, &block, &arrays, &partial));
    ck_assert(partial.tie == ~UINT64_C(7) && partial.bits == 0x3F800000u);
    memset(&partial, 0, sizeof partial);
    expect_ok(argmax_cl_partials_add(ARGMAX_CL_ARGMAX, &desc, &block, &arrays, &partial));
    ck_assert(partial.key == 0 && partial.tie == 0 && partial.bits == 0);
    expect_ok(argmax_cl_partials_finish(ARGMAX_CL_ARGMAX, &desc, &partial, &arrays));
    ck_assert(index == -1 && memcmp(&value, &(uint32_t){0x7FC00000}, 4) == 0);
}
END_TEST

TESTS_MAIN("partials", NULL, NULL, TIMES(any_split_gives_the_same_bits, PROBLEM_DTYPE_COUNT * 8),
           TIMES(keys_order_as_the_oracle_does, 4), ONCE(refusals_name_the_reason), ONCE(format_is_as_documented))
