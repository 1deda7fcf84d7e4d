/* The oracle and the problem grammar against answers written out by hand. Needs no device. */
#include "kinds.h"
#include "oracle.h"
#include "suite.h"

#include <string.h>

/* Elements as bits of one type, and the answers for argmax and argmin, first and last, in both NaN modes; NONE: no
 * winner. */
#define NONE UINT64_MAX
typedef struct answers {
    uint64_t max_first, max_last, min_first, min_last;
} answers;

typedef struct list {
    argmax_cl_dtype dtype;
    uint32_t count;
    uint64_t bits[6];
    answers propagate, ignore;
} list;

static const list lists[] = {
    /* the contract's ties */
    {ARGMAX_CL_INT32, 5, {3, 2, 1, 2, 3}, {0, 4, 2, 2}, {0, 4, 2, 2}},
    {ARGMAX_CL_INT32, 5, {1, 2, 3, 2, 1}, {2, 2, 0, 4}, {2, 2, 0, 4}},
    /* integer extremes, and what is negative in one type and large in the other */
    {ARGMAX_CL_INT8, 4, {0x80, 0x7F, 0xFF, 0x00}, {1, 1, 0, 0}, {1, 1, 0, 0}},
    {ARGMAX_CL_UINT8, 4, {0x80, 0x7F, 0xFF, 0x00}, {2, 2, 3, 3}, {2, 2, 3, 3}},
    {ARGMAX_CL_INT16, 4, {0x8000, 0x7FFF, 0xFFFF, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}},
    {ARGMAX_CL_UINT16, 4, {0x8000, 0x7FFF, 0xFFFF, 0}, {2, 2, 3, 3}, {2, 2, 3, 3}},
    {ARGMAX_CL_UINT32, 4, {0x80000000, 0x7FFFFFFF, 0xFFFFFFFF, 0}, {2, 2, 3, 3}, {2, 2, 3, 3}},
    {ARGMAX_CL_INT64, 4, {0x8000000000000000, 0x7FFFFFFFFFFFFFFF, NONE, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}},
    {ARGMAX_CL_UINT64, 4, {0x8000000000000000, 0x7FFFFFFFFFFFFFFF, NONE, 0}, {2, 2, 3, 3}, {2, 2, 3, 3}},
    /* -0 ties with +0; the smallest denormals do not */
    {ARGMAX_CL_FLOAT32, 3, {0x80000000, 0, 0x80000000}, {0, 2, 0, 2}, {0, 2, 0, 2}},
    {ARGMAX_CL_FLOAT32, 4, {0x80000000, 1, 0x80000001, 0}, {1, 1, 2, 2}, {1, 1, 2, 2}},
    {ARGMAX_CL_FLOAT64, 3, {0, 1, 0x8000000000000001}, {1, 1, 2, 2}, {1, 1, 2, 2}},
    {ARGMAX_CL_FLOAT16, 3, {0x8000, 0x0001, 0x8001}, {1, 1, 2, 2}, {1, 1, 2, 2}},
    /* negative numbers, infinities */
    {ARGMAX_CL_FLOAT32, 3, {0xBF800000, 0xC0000000, 0xBF800000}, {0, 2, 1, 1}, {0, 2, 1, 1}},
    {ARGMAX_CL_FLOAT16, 4, {0xFC00, 0x7BFF, 0x7C00, 0xFBFF}, {2, 2, 0, 0}, {2, 2, 0, 0}},
    {ARGMAX_CL_BFLOAT16, 2, {0xFF80, 0xFF80}, {0, 1, 0, 1}, {0, 1, 0, 1}},
    /* a NaN beats every number; NaNs tie whatever their sign and payload */
    {ARGMAX_CL_FLOAT32, 4, {0x7F800000, 0x7FC00000, 0xFF800000, 0xFF800001}, {1, 3, 1, 3}, {0, 0, 2, 2}},
    {ARGMAX_CL_FLOAT64, 3, {0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF, 0}, {0, 1, 0, 1}, {2, 2, 2, 2}},
    {ARGMAX_CL_BFLOAT16, 3, {0x7F80, 0x7F81, 0xFF80}, {1, 1, 1, 1}, {0, 0, 2, 2}},
    /* the contract's {NaN, -inf}, and a slice of NaNs alone */
    {ARGMAX_CL_FLOAT16, 2, {0x7E00, 0xFC00}, {0, 0, 0, 0}, {1, 1, 1, 1}},
    {ARGMAX_CL_FLOAT16, 2, {0x7C01, 0xFE00}, {0, 1, 0, 1}, {NONE, NONE, NONE, NONE}},
    {ARGMAX_CL_BFLOAT16, 1, {0xFFFF}, {0, 0, 0, 0}, {NONE, NONE, NONE, NONE}},
    {ARGMAX_CL_FLOAT32, 1, {0x7F800001}, {0, 0, 0, 0}, {NONE, NONE, NONE, NONE}},
    {ARGMAX_CL_FLOAT64, 1, {0xFFF0000000000001}, {0, 0, 0, 0}, {NONE, NONE, NONE, NONE}},
};

static uint64_t no_winner(argmax_cl_dtype dtype) {
    return dtype == ARGMAX_CL_FLOAT16    ? 0x7E00
           : dtype == ARGMAX_CL_BFLOAT16 ? 0x7FC0
           : dtype == ARGMAX_CL_FLOAT32  ? 0x7FC00000
                                         : 0x7FF8000000000000;
}

static void check_list(const list *l, uint32_t way, uint64_t expected) {
    const problem_dtype *const type = problem_dtype_find(l->dtype);
    uint64_t input[6], index = 77, value = 0;
    problem_line p;
    problem_init(&p);
    p.dtype = l->dtype;
    p.index_type = ARGMAX_CL_UINT64;
    p.direction = way & 1 ? ARGMAX_CL_DECREASING : ARGMAX_CL_INCREASING;
    p.op = way & 2 ? ARGMAX_CL_ARGMIN : ARGMAX_CL_ARGMAX;
    p.nan_mode = way & 4 ? ARGMAX_CL_NAN_IGNORE : ARGMAX_CL_NAN_PROPAGATE;
    p.rank = p.axis_count = 1;
    p.size[0] = l->count;
    problem_resolve(&p);
    for (uint32_t i = 0; i < l->count; i++)
        problem_store(type, input, i, l->bits[i]);
    oracle_solve(&p, input, &index, &value);
    ck_assert_msg(index == expected, "list %d, way %u: index %d", (int)(l - lists), way, (int)index);
    ck_assert_uint_eq(problem_load(type, &value, 0), expected == NONE ? no_winner(l->dtype) : l->bits[expected]);
}

START_TEST(lists_give_the_written_answers) {
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (uint32_t mode = 0; mode < 2; mode++) {
            const answers *const a = mode ? &lists[i].ignore : &lists[i].propagate;
            const uint64_t expected[4] = {a->max_first, a->max_last, a->min_first, a->min_last};
            for (uint32_t way = 0; way < 4; way++)
                check_list(&lists[i], way + 4 * mode, expected[way]);
        }
}
END_TEST

/* Indices and addresses, on int8 tensors that count up along the buffer: argmax and argmin show the place. */
typedef struct walk {
    const char *line;
    uint32_t count; /* elements of the output's buffer */
    uint64_t answer[8];
} walk;
#define KEEP 9 /* an element of the output's buffer that is not addressed */

static const walk walks[] = {
    {"argmax int8 2x3 axes=0", 3, {1, 1, 1}},
    {"argmax int8 2x3 axes=1", 2, {2, 2}},
    {"argmax int8 2x3x2 axes=2,0", 3, {3, 3, 3}},
    {"argmax int8 2x3x2 axes=1,0", 2, {5, 5}},
    {"argmax int8 2x3 axes=1 strides=1,2", 2, {2, 2}}, /* transposed */
    {"argmax int8 2x3 axes=0,1 strides=1,2", 1, {5}},  /* the index is by position, */
    {"argmax int8 2x3 axes=0,1 strides=3,-1", 1, {3}}, /* not by address */
    {"argmax int8 2x3 axes=0,1 strides=-3,1", 1, {2}},
    {"argmax int8 2x3 axes=0,1 strides=0,1", 1, {2}}, /* broadcast: the same elements twice */
    {"argmax int8 2x3 axes=0,1 strides=0,1 last", 1, {5}},
    {"argmax int8 2x3 axes=0,1 strides=1,1", 1, {5}}, /* overlapping */
    {"argmin int8 2x3 axes=1 istrides=-1,5", 2, {0, 0}},
    {"argmax int8 2x3 axes=1 istrides=2,0 ioffset=1", 4, {KEEP, 2, KEEP, 2}},
    {"argmax int8 3x2 axes=1 istrides=-1,0 strides=-2,-1", 3, {0, 0, 0}},
    {"argmax int8 4 axes=0 strides=0", 1, {0}},
    {"argmax int8 4 axes=0 strides=0 last", 1, {3}},
    {"argmax int8 1x1x1 axes=1", 1, {0}},
    {"argmax int8 2x0 axes=0", 1, {KEEP}}, /* an output without elements */
};

START_TEST(walks_give_the_written_answers) {
    for (size_t i = 0; i < sizeof walks / sizeof walks[0]; i++) {
        const walk *const w = &walks[i];
        problem_line p;
        char error[300];
        int8_t input[32];
        int64_t index[8] = {KEEP, KEEP, KEEP, KEEP, KEEP, KEEP, KEEP, KEEP};
        ck_assert_msg(problem_parse(w->line, &p, error, sizeof error), "%s: %s", w->line, error);
        for (int8_t e = 0; e < 32; e++)
            input[e] = e;
        oracle_solve(&p, input, index, NULL);
        for (uint32_t o = 0; o < 8; o++)
            ck_assert_msg(index[o] == (int64_t)(o < w->count ? w->answer[o] : KEEP), "%s: [%u] = %d", w->line, o,
                          (int)index[o]);
    }
}
END_TEST

/* ---- The grammar ---------------------------------------------------------------------------------------------- */

START_TEST(lines_survive_printing) {
    static const char *const lines[] = {
        "argmax float32 8192x8192 axes=1 index=int64 data=random seed=0",
        "argmin uint8 1x2x3x4x5x6x7x8 axes=7,0,3 last nan=ignore index=uint32 value strides=0,-1,2,3,4,5,6,7 offset=9"
        " istrides=1,1,2,3,4,5,6,7 ioffset=2 vstrides=1,1,2,3,4,5,6,-7 voffset=1 data=pair seed=18446744073709551615"
        " strategy=some-name tuning=gpu fields=group:64,unroll_rows:3 route=call queue=out memory=host",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        problem_line p;
        char text[PROBLEM_LINE_SIZE], error[300];
        ck_assert_msg(problem_parse(lines[i], &p, error, sizeof error), "%s", error);
        problem_print(&p, text, sizeof text);
        ck_assert_str_eq(text, lines[i]);
    }
}
END_TEST

START_TEST(wrong_lines_name_the_word) {
    static const struct {
        const char *line, *word;
    } wrong[] = {
        {"argmix int8 3", "argmix"},
        {"argmax int9 3", "int9"},
        {"argmax int8", "end of line"},
        {"argmax int8 3x", "3x"},
        {"argmax int8 1x1x1x1x1x1x1x1x1", "1x1x1x1x1x1x1x1x1"},
        {"argmax int8 3x-4", "3x-4"},
        {"argmax int8 3 axes=1", "axes=1"},
        {"argmax int8 3 axes=", "axes="},
        {"argmax int8 3 strides=1,2", "strides=1,2"},
        {"argmax int8 3 strides=-1 offset=1", "offset"},
        {"argmax int8 3 index=int8", "index=int8"},
        {"argmax int8 3 data=good", "data=good"},
        {"argmax int8 3 seed=-1", "seed=-1"},
        {"argmax int8 3 seed=99999999999999999999", "seed=99999999999999999999"},
        {"argmax int8 3 nan=maybe", "nan=maybe"},
        {"argmax int8 3 route=mail", "route=mail"},
        {"argmax int8 3 queue=", "queue="},
        {"argmax int8 3 fields=", "fields="},
        {"argmax int8 3 strategy=a-name-of-more-than-thirty-one-letters", "a-name-of-more"},
        {"argmax int8 3 first", "first"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        problem_line p;
        char error[300] = "";
        ck_assert_msg(!problem_parse(wrong[i].line, &p, error, sizeof error), "%s", wrong[i].line);
        ck_assert_msg(strstr(error, wrong[i].word) != NULL, "%s: %s", wrong[i].line, error);
    }
    ck_assert(problem_is_blank("  # only a comment\n") && problem_is_blank("") && !problem_is_blank(" x"));
}
END_TEST

/* ---- What the tables of the other tests rest on ---------------------------------------------------------------- */

/* Kinds pair every two properties; counted by dtype (12), index type (9..12 are free) and four two-way ones. */
static void properties_of(const problem_line *p, uint32_t property[6]) {
    property[0] = (uint32_t)p->dtype;
    property[1] = 20 + (uint32_t)p->index_type;
    property[2] = 40 + (uint32_t)p->op;
    property[3] = 42 + (uint32_t)p->direction;
    property[4] = 44 + (uint32_t)p->nan_mode;
    property[5] = 46 + (uint32_t)p->has_value;
}

START_TEST(kinds_are_pairwise) {
    static bool seen[64][64];
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < KIND_COUNT; i++) {
        const problem_line p = kind_at(i);
        uint32_t property[6];
        properties_of(&p, property);
        for (uint32_t a = 0; a < 6; a++)
            for (uint32_t b = a + 1; b < 6; b++) {
                pairs += !seen[property[a]][property[b]];
                seen[property[a]][property[b]] = true;
            }
    }
    /* dtype with index, op, direction, NaN mode (floats have two), value; index with the rest; the rest in pairs */
    ck_assert_uint_eq(pairs, 12 * 4 + 12 * 2 + 12 * 2 + (4 * 2 + 8) + 12 * 2 + 4 * 8 + 6 * 4);
}
END_TEST

/* Whatever number a strategy has: each type, and each tuning row, with every operator, direction and NaN mode. All
 * kinds are dealt, with both tuning rows, to any 16 strategies that follow each other. */
START_TEST(dealt_kinds_cover) {
    for (uint32_t strategy = 0; strategy < SWEEP_MAX_STRATEGIES; strategy++) {
        bool seen[16][64] = {{false}}; /* by dtype, and by tuning row from 12 on */
        uint32_t pairs = 0, dealt = 0;
        for (uint32_t i = 0; i < KIND_COUNT; i++) {
            const problem_line p = kind_at(i);
            uint32_t property[6];
            properties_of(&p, property);
            if (!kind_is_dealt(i, strategy))
                continue;
            dealt++;
            const size_t rows[2] = {kind_type(i), 12 + sweep_dealt_tuning(&p, strategy)};
            for (uint32_t row = 0; row < 2; row++)
                for (uint32_t a = 2; a < 5; a++) {
                    pairs += !seen[rows[row]][property[a]];
                    seen[rows[row]][property[a]] = true;
                }
        }
        ck_assert_uint_eq(dealt, KINDS_DEALT);
        /* operator and direction with 12 types and 2 rows; NaN mode with 4 float types and 8 others, and 2 rows */
        ck_assert_uint_eq(pairs, 2 * 2 * (12 + 2) + 4 * 2 + 8 + 2 * 2);
    }
    for (uint32_t i = 0; i < KIND_COUNT; i++) {
        const problem_line p = kind_at(i);
        bool rows[SWEEP_TUNINGS] = {false};
        for (uint32_t strategy = 3; strategy < 3 + 16; strategy++)
            if (kind_is_dealt(i, strategy))
                rows[sweep_dealt_tuning(&p, strategy)] = true;
        ck_assert_msg(rows[0] && rows[1], "kind %u", i);
    }
}
END_TEST

START_TEST(data_kinds_hold_what_they_say) {
    const problem_line kind = kind_at(0); /* float32, PROPAGATE, INCREASING, argmax */
    const uint64_t sizes[] = {5, 3};
    problem_line p = kind_shape(&kind, 2, sizes, 2);
    uint32_t elements[15];
    int64_t index[5];
    p.index_type = ARGMAX_CL_INT64;
    p.seed = 1;
    static const struct {
        data_kind data;
        int64_t answer[5];
    } rows[] = {
        {DATA_CONSTANT, {0, 0, 0, 0, 0}}, {DATA_INCREASING, {2, 2, 2, 2, 2}}, {DATA_DECREASING, {0, 0, 0, 0, 0}},
        {DATA_ALLNAN, {0, 0, 0, 0, 0}},   {DATA_ZEROS, {0, 0, 0, 0, 0}},      {DATA_WORST, {0, 0, 0, 0, 0}},
        {DATA_PEAK, {1, 2, 0, 1, 2}},     {DATA_PAIR, {1, 0, 0, 1, 0}},       {DATA_NANPEAK, {1, 2, 0, 1, 2}},
        {DATA_NANPAIR, {1, 0, 0, 1, 0}},  {DATA_FAR, {1, 0, 0, 1, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        p.data = rows[i].data;
        problem_fill(&p, elements);
        oracle_solve(&p, elements, index, NULL);
        for (uint32_t o = 0; o < 5; o++)
            ck_assert_msg(index[o] == rows[i].answer[o], "%s: [%u] = %d", data_kind_names[p.data], o, (int)index[o]);
    }
    p.data = DATA_NUMBER;
    p.nan_mode = ARGMAX_CL_NAN_IGNORE;
    problem_fill(&p, elements);
    oracle_solve(&p, elements, index, NULL);
    for (uint32_t o = 0; o < 5; o++)
        ck_assert_int_eq(index[o], (o + 1) % 3);
}
END_TEST

SUITE_MAIN("oracle", lists_give_the_written_answers, walks_give_the_written_answers, lines_survive_printing,
           wrong_lines_name_the_word, kinds_are_pairwise, dealt_kinds_cover, data_kinds_hold_what_they_say)
