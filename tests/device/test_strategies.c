/* Every strategy on every problem that it accepts: shapes of its own with every input type, operator, direction and NaN
 * mode, and those with each other, index types, value outputs and tuning rows pairwise (kinds.h); and one shape of each
 * class that a strategy may be made for, with sizes on both sides of the blocks that kernels walk in. Widths of
 * vectors, lanes and strips follow the sizes and make programs of their own, so that a kind takes one of a strategy's
 * shapes. */
#include "internal.h"
#include "kinds.h"
#include "suite.h"

#include <string.h>

/* Where both of two axes are reduced, stored column by column: what permuted rows are for, and no other shape here. */
typedef struct extent {
    uint32_t rank, axes; /* axes: a bit mask */
    uint64_t size[5];
} extent;

typedef struct shape {
    extent extent;
    data_kind data;
    uint64_t seed; /* the place of a peak */
} shape;

/* Shares are of input types, so that two processes compile hardly any program both. */
static bool is_in_share(uint32_t kind) {
    const uint32_t type = kind_type(kind), half = PROBLEM_DTYPE_COUNT * 2 / 3;
    return suite_has_share(type + type / half); /* each with types of every size, and with as many long programs */
}

#define FIRST 1u
#define SECOND 2u
#define THIRD 4u
#define FOURTH 8u

/* Shapes that a strategy accepts and that show all of it. A type takes the first and the third, or the others. Without
 * a line here, a strategy takes the first of `shapes` that it accepts. */
#define OWN_SHAPES 4
static const struct {
    const char *strategy;
    extent shapes[OWN_SHAPES];
} own_shapes[] = {
    /* blocks of rows and columns that fit even what one work-item holds, and blocks of one column */
    {"tiled-blocks",
     {{3, SECOND, {301, 4, 3}}, {3, SECOND, {300, 3, 5}}, {3, SECOND, {301, 13, 1}}, {3, SECOND, {301, 13, 1}}}},
    /* blocks of several columns, and of one, that are no whole vectors of elements; the last vector is moved back */
    {"transposed-blocks",
     {{3, SECOND, {301, 7, 3}}, {3, SECOND, {300, 3, 5}}, {3, SECOND, {301, 19, 1}}, {2, SECOND, {67, 16}}}},
    /* one dim, and neighbours of an output on another; rows of whole vectors and not */
    {"few-rows",
     {{3, FIRST, {19, 66, 5}}, {2, FIRST, {33, 301}}, {3, FIRST | THIRD, {7, 67, 3}}, {3, SECOND, {300, 3, 5}}}},
    {"stream", {{2, SECOND, {67, 257}}, {2, FIRST, {33, 301}}, {2, FIRST, {257, 301}}, {2, SECOND, {5, 4097}}}},
    {"split-stream", {{2, SECOND, {67, 257}}, {2, FIRST, {33, 301}}, {2, FIRST, {257, 301}}, {2, SECOND, {5, 4097}}}},
    {"gathered-rows",
     {{2, FIRST, {257, 67}}, {3, SECOND, {7, 65, 33}}, {3, SECOND, {33, 300, 4}}, {4, FIRST | THIRD, {9, 5, 11, 7}}}},
    {"columns",
     {{2, FIRST, {257, 67}}, {3, SECOND, {7, 65, 33}}, {3, SECOND, {33, 300, 4}}, {4, FIRST | THIRD, {9, 5, 11, 7}}}},
    {"split-columns",
     {{2, FIRST, {257, 67}}, {3, SECOND, {7, 65, 33}}, {4, FIRST | THIRD, {9, 5, 11, 7}}, {2, FIRST, {256, 1025}}}},
    {"permuted-rows",
     {{2, FIRST | SECOND, {67, 257}},
      {2, FIRST | SECOND, {67, 257}},
      {2, FIRST | SECOND, {40, 301}},
      {2, FIRST | SECOND, {40, 301}}}},
    {"strided-columns",
     {{2, SECOND, {67, 257}},
      {3, FIRST | THIRD, {17, 9, 31}},
      {4, SECOND | FOURTH, {3, 17, 5, 65}},
      {3, FIRST | THIRD, {300, 3, 257}}}},
    {"split-strided-columns",
     {{2, SECOND, {67, 257}},
      {3, FIRST | THIRD, {17, 9, 31}},
      {4, SECOND | FOURTH, {3, 17, 5, 65}},
      {3, FIRST | THIRD, {300, 3, 257}}}},
    /* several neighbouring outputs, with a last vector that is moved back, and more than 8 bits count */
    {"segment-rows",
     {{2, SECOND, {67, 257}},
      {3, FIRST | THIRD, {17, 9, 31}},
      {4, SECOND | FOURTH, {3, 150, 5, 37}},
      {4, SECOND | FOURTH, {3, 150, 5, 37}}}},
    {"split-segment-rows",
     {{3, FIRST | THIRD, {170, 9, 31}},
      {4, FIRST | FOURTH, {300, 3, 7, 37}},
      {4, SECOND | FOURTH, {3, 150, 5, 37}},
      {4, FIRST | FOURTH, {40, 3, 9, 66}}}},
    /* rows of a whole number of vectors and not */
    {"register-rows", {{2, SECOND, {301, 12}}, {2, SECOND, {500, 7}}, {2, SECOND, {301, 15}}, {2, SECOND, {67, 16}}}},
    {"short-rows",
     {{2, SECOND, {67, 257}},
      {2, SECOND, {257, 256}},
      {2, SECOND, {301, 33}},
      {5, FIRST | THIRD | 16u, {5, 3, 4, 6, 7}}}},
    {"long-rows",
     {{2, SECOND, {67, 257}},
      {4, SECOND | FOURTH, {3, 17, 5, 65}},
      {2, SECOND, {5, 4097}},
      {3, FIRST | THIRD, {17, 9, 31}}}},
    {"split-rows",
     {{2, SECOND, {67, 257}},
      {4, SECOND | FOURTH, {3, 17, 5, 65}},
      {3, FIRST | THIRD, {17, 9, 31}},
      {2, SECOND, {257, 256}}}},
    {"strided-rows",
     {{2, FIRST, {257, 67}}, {3, SECOND, {7, 65, 33}}, {3, SECOND, {33, 300, 4}}, {4, FIRST | THIRD, {9, 5, 11, 7}}}},
    {"split-strided-rows",
     {{2, FIRST, {257, 67}}, {3, SECOND, {7, 65, 33}}, {3, SECOND, {33, 300, 4}}, {4, FIRST | THIRD, {9, 5, 11, 7}}}},
    {"split-permuted-rows",
     {{2, FIRST | SECOND, {67, 257}},
      {2, FIRST | SECOND, {67, 257}},
      {2, FIRST | SECOND, {40, 301}},
      {2, FIRST | SECOND, {40, 301}}}},
};

/* What narrow types alone have: rows long enough for wide vectors, and rows whose places fit beside keys of 8 bits. */
static const extent narrow_shapes[] = {{2, SECOND, {9, 700}}, {2, SECOND, {64, 255}}, {2, SECOND, {33, 128}}};

/* Shapes that every strategy takes once, unless they are its own. */
static const shape shapes[] = {
    {{2, SECOND, {67, 257}}, DATA_SPECIAL, 8},
    {{2, FIRST, {257, 67}}, DATA_SPECIAL, 11},
    /* one output */
    {{1, FIRST, {1}}, DATA_SPECIAL, 0},
    {{1, FIRST, {17}}, DATA_SPECIAL, 2},
    {{1, FIRST, {255 * 16 + 1}}, DATA_PAIR, 254},
    {{1, FIRST, {65537}}, DATA_PEAK, 65536},
    {{1, FIRST, {70001}}, DATA_NAN, 3},
    {{1, FIRST, {300007}}, DATA_PAIR, 300006},
    {{1, FIRST, {100000}}, DATA_ALLNAN, 4},
    /* rows: tiny, short and many, long and few */
    {{2, SECOND, {1000, 2}}, DATA_SPECIAL, 5},
    {{2, SECOND, {500, 7}}, DATA_TIES, 6},
    {{2, SECOND, {67, 16}}, DATA_TIES, 1},
    {{2, SECOND, {301, 33}}, DATA_NUMBER, 7},
    {{2, SECOND, {257, 256}}, DATA_PEAK, 0},
    {{2, SECOND, {5, 4097}}, DATA_PAIR, 4079},
    {{2, SECOND, {3, 66000}}, DATA_NANPAIR, 65535},
    {{2, SECOND, {2, 66001}}, DATA_WORST, 0},
    /* columns */
    {{2, FIRST, {2, 1000}}, DATA_SPECIAL, 9},
    {{2, FIRST, {33, 301}}, DATA_NUMBER, 10},
    {{2, FIRST, {256, 1025}}, DATA_PEAK, 0},
    {{2, FIRST, {4097, 5}}, DATA_PAIR, 4079},
    {{2, FIRST, {20000, 3}}, DATA_NANPAIR, 19999},
    {{2, FIRST, {3000, 17}}, DATA_WORST, 0},
    /* (K1, R, K2) and two reduced axes that do not merge */
    {{3, SECOND, {7, 65, 33}}, DATA_PAIR, 60},
    {{3, SECOND, {33, 300, 4}}, DATA_SPECIAL, 12},
    {{3, SECOND, {300, 3, 5}}, DATA_ALLNAN, 13},
    {{3, FIRST | THIRD, {17, 9, 31}}, DATA_PAIR, 30},
    {{3, FIRST | THIRD, {300, 3, 257}}, DATA_PEAK, 256},
    {{4, SECOND | FOURTH, {3, 17, 5, 65}}, DATA_NANPEAK, 64},
    {{4, FIRST | THIRD, {9, 5, 11, 7}}, DATA_SPECIAL, 14},
    {{5, FIRST | THIRD | 16u, {5, 3, 4, 6, 7}}, DATA_TIES, 15},
};
#define SHAPE_COUNT (sizeof shapes / sizeof shapes[0])

static problem_line problem_of(const extent *one, const problem_line *kind, data_kind data, uint64_t seed) {
    problem_line p = kind_shape(kind, one->rank, one->size, one->axes);
    if (one->rank == 2 && one->axes == (FIRST | SECOND)) {
        p.input.has_strides = true;
        p.input.stride[0] = 1;
        p.input.stride[1] = (int64_t)one->size[0];
    }
    p.data = data;
    p.seed = seed;
    return p;
}

/* Every kind of data in a shape, which is one program. */
static void sweep_data(sweep *s, const extent *one, const problem_line *kind, uint32_t number, const char *strategy) {
    for (int data = 0; data < DATA_KIND_COUNT; data++) {
        const problem_line p = problem_of(one, kind, (data_kind)data, number + 3);
        sweep_dealt_strategy(s, &p, number, strategy, SWEEP_DEALT_TUNING);
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
            dealt += is_in_share(k) && kind_is_dealt(k, i) ? DATA_KIND_COUNT : 0;
        ck_assert_msg(accepted >= dealt, "%s ran %lu problems: expected %lu or more", strategy_name(i), accepted,
                      dealt);
        for (size_t t = 0; t < SWEEP_TUNINGS; t++)
            ck_assert_msg(s->accepted[i][t] > 0, "%s (%s) ran nothing", strategy_name(i), sweep_tunings[t]);
    }
}

static const extent *own_shape(sweep *s, uint32_t strategy, const problem_line *kind, uint32_t turn) {
    for (size_t i = 0; i < sizeof own_shapes / sizeof own_shapes[0]; i++)
        if (strcmp(own_shapes[i].strategy, strategy_name(strategy)) == 0)
            return &own_shapes[i].shapes[(turn + i / 2) % OWN_SHAPES];
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        const problem_line p = problem_of(&shapes[i].extent, kind, DATA_RANDOM, 0);
        uint64_t programs;
        if (sweep_accepts(s, &p, strategy, &programs))
            return &shapes[i].extent;
    }
    return &shapes[0].extent;
}

/* A type's two kinds take one shape each. */
START_TEST(all_strategies_agree) {
    sweep s = {.r = suite_runner()};
    for (uint32_t k = 0; k < KIND_COUNT; k++) {
        const problem_line kind = kind_at(k);
        const uint32_t turn = 2 * (uint32_t)kind.op + kind_type(k) + kind_type(k) / 4;
        if (!is_in_share(k))
            continue;
        for (uint32_t i = 0; i < strategy_count(); i++)
            if (kind_is_dealt(k, i))
                sweep_data(&s, own_shape(&s, i, &kind, turn), &kind, k, strategy_name(i));
        if (problem_dtype_find(kind.dtype)->bits <= 16)
            sweep_data(&s, &narrow_shapes[(kind_type(k) + (uint32_t)kind.op) % 3], &kind, k, "short-rows");
    }
    sweep_print(&s, "strategies");
    ck_assert_uint_eq(s.failures, 0);
    check_accepted(&s);
}
END_TEST

/* A strategy's kinds in turn, so that many of these programs are compiled already. */
static uint32_t kind_in_turn(uint32_t strategy, uint32_t turn) {
    uint32_t k = 0;
    for (turn %= KINDS_DEALT; !kind_is_dealt(k, strategy) || turn-- > 0; k++) {
    }
    return k;
}

static bool is_own(uint32_t strategy, const extent *one) {
    for (size_t i = 0; i < sizeof own_shapes / sizeof own_shapes[0]; i++)
        for (size_t j = 0; j < OWN_SHAPES && strcmp(own_shapes[i].strategy, strategy_name(strategy)) == 0; j++)
            if (memcmp(&own_shapes[i].shapes[j], one, sizeof *one) == 0)
                return true;
    return false;
}

/* Shared by shapes, as this is about all types. */
START_TEST(every_shape_through_every_strategy) {
    sweep s = {.r = suite_runner()};
    for (uint32_t i = 0; i < SHAPE_COUNT; i++) {
        const unsigned long runs = s.runs;
        bool own = !suite_has_share(i);
        for (uint32_t strategy = 0; strategy < strategy_count() && suite_has_share(i); strategy++) {
            const problem_line kind = kind_at(kind_in_turn(strategy, 5 * i + strategy));
            const problem_line p = problem_of(&shapes[i].extent, &kind, shapes[i].data, shapes[i].seed);
            if (is_own(strategy, &shapes[i].extent))
                own = true;
            else
                sweep_one(&s, &p, strategy, SWEEP_DEALT_TUNING);
        }
        ck_assert_msg(own || s.runs > runs, "no strategy accepts shape %u", i);
    }
    sweep_print(&s, "shapes");
    ck_assert_uint_eq(s.failures, 0);
}
END_TEST

SUITE_MAIN("strategies", all_strategies_agree, every_shape_through_every_strategy)
