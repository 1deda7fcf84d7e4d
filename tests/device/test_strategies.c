/* Every strategy on every problem that it accepts, under both tuning rows: every input type with each operator,
 * direction and NaN mode, and those with each other, index types and value outputs pairwise (kinds.h). The shapes are
 * one of each class that a strategy may be made for, with sizes on both sides of the blocks that kernels walk in.
 * Shares are of input types, so that no two processes compile the same program. */
#include "internal.h"
#include "kinds.h"
#include "suite.h"

typedef struct shape {
    uint32_t rank, axes; /* axes: a bit mask */
    uint64_t size[5];
    data_kind data;
    uint64_t seed; /* the place of a peak */
} shape;

/* Widths of vectors, lanes and strips follow the sizes and make programs of their own: the shapes of the first group,
 * which every strategy finds its own in, run on all kinds that are dealt to the strategy, the others on a few: one
 * kind under both tuning rows, these under one. */
#define EVERYWHERE 2
#define BOTH_TUNINGS 5
static bool has_all_shapes(uint32_t kind) {
    return kind == 27 || kind == 49;
}

static bool is_in_share(uint32_t kind) {
    const uint32_t type = kind_type(kind), half = PROBLEM_DTYPE_COUNT * 2 / 3;
    return suite_has_share(type + type / half); /* each with types of every size, and with as many long programs */
}

#define FIRST 1u
#define SECOND 2u
#define THIRD 4u
#define FOURTH 8u

static const shape shapes[] = {
    {2, SECOND, {67, 257}, DATA_SPECIAL, 8},
    {2, FIRST, {257, 67}, DATA_SPECIAL, 11},
    /* one output */
    {1, FIRST, {1}, DATA_SPECIAL, 0},
    {1, FIRST, {17}, DATA_SPECIAL, 2},
    {1, FIRST, {255 * 16 + 1}, DATA_PAIR, 254},
    {1, FIRST, {65537}, DATA_PEAK, 65536},
    {1, FIRST, {70001}, DATA_NAN, 3},
    {1, FIRST, {300007}, DATA_PAIR, 300006},
    {1, FIRST, {100000}, DATA_ALLNAN, 4},
    /* rows: tiny, short and many, long and few */
    {2, SECOND, {1000, 2}, DATA_SPECIAL, 5},
    {2, SECOND, {500, 7}, DATA_TIES, 6},
    {2, SECOND, {67, 16}, DATA_TIES, 1},
    {2, SECOND, {301, 33}, DATA_NUMBER, 7},
    {2, SECOND, {257, 256}, DATA_PEAK, 0},
    {2, SECOND, {5, 4097}, DATA_PAIR, 4079},
    {2, SECOND, {3, 66000}, DATA_NANPAIR, 65535},
    {2, SECOND, {2, 66001}, DATA_WORST, 0},
    /* columns */
    {2, FIRST, {2, 1000}, DATA_SPECIAL, 9},
    {2, FIRST, {33, 301}, DATA_NUMBER, 10},
    {2, FIRST, {256, 1025}, DATA_PEAK, 0},
    {2, FIRST, {4097, 5}, DATA_PAIR, 4079},
    {2, FIRST, {20000, 3}, DATA_NANPAIR, 19999},
    {2, FIRST, {3000, 17}, DATA_WORST, 0},
    /* (K1, R, K2) and two reduced axes that do not merge */
    {3, SECOND, {7, 65, 33}, DATA_PAIR, 60},
    {3, SECOND, {33, 300, 4}, DATA_SPECIAL, 12},
    {3, SECOND, {300, 3, 5}, DATA_ALLNAN, 13},
    {3, FIRST | THIRD, {17, 9, 31}, DATA_PAIR, 30},
    {3, FIRST | THIRD, {300, 3, 257}, DATA_PEAK, 256},
    {4, SECOND | FOURTH, {3, 17, 5, 65}, DATA_NANPEAK, 64},
    {4, FIRST | THIRD, {9, 5, 11, 7}, DATA_SPECIAL, 14},
    {5, FIRST | THIRD | 16u, {5, 3, 4, 6, 7}, DATA_TIES, 15},
};
#define SHAPE_COUNT (sizeof shapes / sizeof shapes[0])

static problem_line problem_of(const shape *one, const problem_line *kind) {
    problem_line p = kind_shape(kind, one->rank, one->size, one->axes);
    p.data = one->data;
    p.seed = one->seed;
    return p;
}

/* Stored column by column, all axes reduced: what permuted-columns is for, and no other shape here. */
static problem_line column_major(const problem_line *kind) {
    const uint64_t sizes[2] = {67, 257};
    problem_line p = kind_shape(kind, 2, sizes, FIRST | SECOND);
    p.input.has_strides = true;
    p.input.stride[0] = 1;
    p.input.stride[1] = 67;
    p.data = DATA_SPECIAL;
    p.seed = 16;
    return p;
}

/* Rows short enough to be held in registers, of a whole number of vectors and not. */
static void sweep_register_rows(sweep *s, const problem_line *kind, uint32_t number, bool odd) {
    const uint64_t sizes[2] = {301, odd ? 15 : 12};
    problem_line p = kind_shape(kind, 2, sizes, SECOND);
    p.data = DATA_SPECIAL;
    p.seed = 18;
    sweep_dealt_strategy(s, &p, number, "register-rows", SWEEP_DEALT_TUNING);
}

/* Blocks of rows and columns that fit even what one work-item holds, and blocks of one column. */
static void sweep_tiled_blocks(sweep *s, const problem_line *kind, uint32_t number, bool row) {
    const uint64_t sizes[3] = {301, row ? 13 : 4, row ? 1 : 3};
    problem_line p = kind_shape(kind, 3, sizes, SECOND);
    p.data = DATA_SPECIAL;
    p.seed = 20;
    sweep_dealt_strategy(s, &p, number, "tiled-blocks", SWEEP_DEALT_TUNING);
}

/* Blocks of several columns, and of one, that are no whole vectors of elements; the last vector of blocks is moved
 * back. */
static void sweep_transposed_blocks(sweep *s, const problem_line *kind, uint32_t number, bool row) {
    const uint64_t sizes[3] = {301, row ? 19 : 7, row ? 1 : 3};
    problem_line p = kind_shape(kind, 3, sizes, SECOND);
    p.data = DATA_SPECIAL;
    p.seed = 21;
    sweep_dealt_strategy(s, &p, number, "transposed-blocks", SWEEP_DEALT_TUNING);
}

/* Segments of several neighbouring outputs, with a last vector that is moved back, and more of them than an accumulator
 * of 8 bits counts. */
static void sweep_segment_rows(sweep *s, const problem_line *kind, uint32_t number) {
    static const uint64_t sizes[] = {3, 150, 5, 37};
    problem_line p = kind_shape(kind, 4, sizes, SECOND | FOURTH);
    p.data = DATA_SPECIAL;
    p.seed = 19;
    sweep_dealt_strategy(s, &p, number, "segment-rows", SWEEP_DEALT_TUNING);
}

/* What narrow types alone have: rows long enough for wide vectors, and rows whose places fit beside keys of 8 bits. */
static void sweep_narrow_rows(sweep *s, const problem_line *kind, uint32_t number) {
    static const uint64_t sizes[][2] = {{9, 700}, {64, 255}, {33, 128}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        problem_line p = kind_shape(kind, 2, sizes[i], SECOND);
        p.data = i == 1 ? DATA_PAIR : DATA_SPECIAL;
        p.seed = 17;
        if (problem_dtype_find(p.dtype)->bits <= 16)
            sweep_dealt_strategy(s, &p, number, "short-rows", SWEEP_BOTH_TUNINGS);
    }
}

/* A strategy that takes nothing would pass unseen: each takes a shape of each kind that is dealt to it. */
static void check_accepted(const sweep *s) {
    if (runner_may_refuse(s->r))
        return;
    for (uint32_t i = 0; i < strategy_count(); i++) {
        const unsigned long accepted = s->accepted[i][0] + s->accepted[i][1];
        unsigned long dealt = 0;
        for (uint32_t k = 0; k < KIND_COUNT; k++)
            dealt += is_in_share(k) && kind_is_dealt(k, i);
        ck_assert_msg(accepted >= dealt, "%s ran %lu problems: expected %lu or more", strategy_name(i), accepted,
                      dealt);
        for (size_t t = 0; t < SWEEP_TUNINGS; t++)
            ck_assert_msg(s->accepted[i][t] > 0, "%s (%s) ran nothing", strategy_name(i), sweep_tunings[t]);
    }
}

START_TEST(all_strategies_agree) {
    sweep s = {.r = suite_runner()};
    for (uint32_t k = 0; k < KIND_COUNT; k++) {
        const problem_line kind = kind_at(k);
        if (!is_in_share(k))
            continue;
        for (size_t i = 0; i < SHAPE_COUNT; i++) {
            const problem_line p = problem_of(&shapes[i], &kind);
            if (has_all_shapes(k))
                sweep_problem(&s, &p, SWEEP_DEALT_TUNING);
            else if (i < EVERYWHERE)
                sweep_dealt(&s, &p, k);
        }
        const problem_line folded = column_major(&kind);
        sweep_dealt_strategy(&s, &folded, k, "permuted-columns", SWEEP_DEALT_TUNING);
        sweep_register_rows(&s, &kind, k, k % 4 >= 2);
        sweep_tiled_blocks(&s, &kind, k, k % 4 >= 2);
        sweep_transposed_blocks(&s, &kind, k, k % 4 < 2);
        sweep_segment_rows(&s, &kind, k);
        sweep_narrow_rows(&s, &kind, k);
    }
    sweep_print(&s, "strategies");
    ck_assert_uint_eq(s.failures, 0);
    check_accepted(&s);
}
END_TEST

/* Every kind of data, in shapes whose programs the test before has compiled. */
START_TEST(every_data_on_every_kind) {
    static const shape classes[] = {
        {2, SECOND, {67, 257}, DATA_RANDOM, 0},
        {2, FIRST, {257, 67}, DATA_RANDOM, 0},
    };
    sweep s = {.r = suite_runner()};
    for (uint32_t k = 0; k < KIND_COUNT; k++) {
        const problem_line kind = kind_at(k);
        for (int data = 0; data < DATA_KIND_COUNT && is_in_share(k); data++)
            for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
                problem_line p = problem_of(&classes[i], &kind);
                p.data = (data_kind)data;
                p.seed = k + 3;
                sweep_dealt(&s, &p, k);
            }
    }
    sweep_print(&s, "every data");
    ck_assert_uint_eq(s.failures, 0);
}
END_TEST

/* Both tuning rows of every strategy, on one kind. */
START_TEST(both_tunings_agree) {
    sweep s = {.r = suite_runner()};
    const problem_line kind = kind_at(BOTH_TUNINGS);
    for (size_t i = 0; i < SHAPE_COUNT && is_in_share(BOTH_TUNINGS); i++) {
        const problem_line p = problem_of(&shapes[i], &kind);
        sweep_problem(&s, &p, SWEEP_BOTH_TUNINGS);
    }
    sweep_print(&s, "both tunings");
    ck_assert_uint_eq(s.failures, 0);
}
END_TEST

SUITE_MAIN("strategies", all_strategies_agree, every_data_on_every_kind, both_tunings_agree)
