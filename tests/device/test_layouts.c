/* Where the elements lie: strides of every sort on the input, permuted, padded and negative outputs, offsets. Gaps and
 * guard zones must stay intact. */
#include "internal.h"
#include "kinds.h"
#include "suite.h"

/* Type, operator and the other properties of a kind replace what stands in the line. A NULL ends each sort. */
static const char *const lines[] = {
    /* contiguous, of every rank, with axes of size 1 anywhere */
    "argmax int8 1x1x1x1x1x1x1x1 axes=0,1,2,3,4,5,6,7",
    "argmax int8 2x3x2x3x2x3x2x3 axes=7,6,1,0",
    "argmax int8 3x2x4x3x2x2x3 axes=2",
    "argmax int8 1x70x1x19x1 axes=3,0",
    "argmax int8 70x1x19 axes=1",
    NULL, /* more dims than kernels know by name */
    "argmax int8 2x3x2x3x2x3x2x3 axes=0,2,4,6",
    "argmax int8 2x3x2x3x2x3x2x3 axes=1,3,5,7",
    NULL, /* transposed */
    "argmax int8 70x30 axes=0 strides=1,70",
    "argmax int8 70x30 axes=1 strides=1,70",
    "argmax int8 70x30 axes=0,1 strides=1,70 data=ties",
    "argmax int8 9x10x11 axes=1 strides=1,99,9",
    "argmax int8 9x10x11 axes=0,2 strides=10,1,90 data=pair seed=7",
    "argmax int8 9x10x11 axes=2,1 strides=1,9,90 data=ties",
    NULL, /* negative along what is kept, and along what is reduced */
    "argmax int8 70x30 axes=1 strides=-30,1",
    NULL,
    "argmax int8 300 axes=0 strides=-1",
    "argmax int8 300 axes=0 strides=-3 data=ties",
    "argmax int8 70x30 axes=1 strides=30,-1 data=ties",
    "argmax int8 70x30 axes=0 strides=-30,-1 offset=2150",
    "argmax int8 70x30 axes=0,1 strides=30,-1 data=ties",
    "argmax int8 9x10x11 axes=0,2 strides=-110,11,-1",
    NULL, /* broadcast: no stride at all on kept and on reduced axes */
    "argmax int8 70x30 axes=1 strides=0,1",
    "argmax int8 70x30 axes=0 strides=0,1",
    "argmax int8 70x30 axes=1 strides=1,0",
    "argmax int8 70x30 axes=0,1 strides=0,0",
    "argmax int8 70x30 axes=0,1 strides=0,1 data=ties",
    "argmax int8 5000 axes=0 strides=0",
    "argmax int8 6x50x70 axes=1 strides=70,0,1",
    NULL, /* padded */
    "argmax int8 70x30 axes=1 strides=32,1",
    "argmax int8 70x30 axes=0 strides=64,1",
    "argmax int8 70x30 axes=0,1 strides=33,1 data=ties",
    "argmax int8 70x30 axes=1 strides=93,3",
    "argmax int8 700 axes=0 strides=2 data=peak seed=699",
    "argmax int8 6x50x70 axes=1 strides=4000,80,1",
    "argmax int8 6x50x70 axes=0,2 strides=4000,80,1 data=pair seed=69",
    NULL, /* overlapping: a moving window, and two axes along one diagonal */
    "argmax int8 70x30 axes=1 strides=1,1",
    "argmax int8 70x30 axes=0 strides=1,1",
    "argmax int8 70x30 axes=0,1 strides=1,1 data=ties",
    "argmax int8 70x30 axes=0,1 strides=2,-1 data=ties",
    "argmax int8 6x50x70 axes=1 strides=3,2,1",
    NULL, /* offsets that no vector is aligned to */
    "argmax int8 1000 axes=0 offset=1",
    "argmax int8 1000 axes=0 offset=13",
    "argmax int8 70x30 axes=1 offset=3",
    "argmax int8 70x30 axes=0 offset=7 ioffset=5 voffset=3",
    "argmax int8 70x30 axes=0,1 offset=31 ioffset=1 voffset=2",
    NULL, /* outputs: permuted, padded, negative, with offsets */
    "argmax int8 7x30x9 axes=1 istrides=1,1,7 vstrides=1,1,7",
    "argmax int8 7x30x9 axes=1 istrides=9,7,1 vstrides=1,3,7",
    "argmax int8 7x30x9 axes=1 istrides=20,1,2 vstrides=30,1,3 ioffset=4",
    "argmax int8 7x30x9 axes=1 istrides=-9,1,1 vstrides=9,1,-1",
    "argmax int8 7x30x9 axes=1 istrides=-1,1,-7 vstrides=-2,1,-14 ioffset=99 voffset=130",
    "argmax int8 70x30 axes=1 istrides=-1,1 vstrides=5,1",
    "argmax int8 30x70 axes=0 istrides=1,-1 vstrides=1,5",
    "argmax int8 70x30 axes=1 istrides=3,1 vstrides=-3,1",
    "argmax int8 30x70 axes=0 istrides=1,3 vstrides=1,-3",
    "argmax int8 3x4x5x6 axes=2 istrides=1,3,0,12 vstrides=24,-6,0,1",
    "argmax int8 3x4x5x6 axes=0,2 istrides=0,1,0,4 vstrides=0,-6,0,1",
    NULL, /* the input and the outputs permuted differently */
    "argmax int8 7x30x9 axes=1 strides=1,63,7 istrides=1,1,7 vstrides=9,1,1",
    "argmax int8 7x30x9 axes=1 strides=-30,1,-210 istrides=1,1,-7 vstrides=9,1,1",
    "argmax int8 4x5x6x7x2 axes=3,1 strides=1,28,280,4,140 istrides=2,1,8,1,1 vstrides=-1,1,4,1,24",
    "argmax int8 2x2x2x2x2x2x2x2 axes=1,2,6 strides=1,-4,2,64,8,-16,128,32 istrides=16,1,1,8,4,-2,1,1",
    NULL, /* nothing to do */
    "argmax int8 0x30 axes=1",
    "argmax int8 7x0x9 axes=0,2 strides=1,2,3",
};
#define LINE_COUNT (sizeof lines / sizeof lines[0])

static problem_line line_of_kind(const char *line, const problem_line *kind) {
    problem_line p;
    char error[300];
    ck_assert_msg(problem_parse(line, &p, error, sizeof error), "%s: %s", line, error);
    p.op = kind->op;
    p.dtype = kind->dtype;
    p.index_type = kind->index_type;
    p.direction = kind->direction;
    p.nan_mode = kind->nan_mode;
    p.has_value = kind->has_value;
    return p;
}

/* What a strategy has met so far, to tell whether a line brings anything new. */
typedef struct progress {
    uint64_t programs[LINE_COUNT]; /* that are compiled */
    size_t count;
    uint32_t sort; /* of the last line that it ran */
    uint32_t turn;
} progress;

/* One line of each sort, all lines that the programs are there for, and every fifth of the others. */
static bool is_wanted(progress *g, uint64_t programs, uint32_t sort) {
    size_t i = 0;
    while (i < g->count && g->programs[i] != programs)
        i++;
    if (i == g->count) {
        if (g->turn++ % 5 != 0 && g->sort == sort)
            return false;
        g->programs[g->count++] = programs;
    }
    g->sort = sort;
    return true;
}

/* Addresses do not depend on what is compared: one kind shows them all, and random problems mix. */
START_TEST(every_layout_through_every_strategy) {
    sweep s = {.r = suite_runner()};
    progress all[SWEEP_MAX_STRATEGIES] = {{{0}, 0, 0, 0}};
    const problem_line kind = kind_sample(1);
    uint32_t sort = 1;
    for (size_t i = 0; i < LINE_COUNT; i++) {
        bool accepted = false;
        sort += !lines[i];
        for (uint32_t strategy = 0; strategy < strategy_count() && lines[i]; strategy++) {
            const problem_line p = line_of_kind(lines[i], &kind);
            uint64_t programs;
            if (!sweep_accepts(&s, &p, strategy, &programs))
                continue;
            accepted = true;
            if (is_wanted(&all[strategy], programs, sort))
                sweep_one(&s, &p, strategy, SWEEP_DEALT_TUNING);
        }
        ck_assert_msg(accepted || !lines[i], "no strategy accepts %s", lines[i]);
    }
    sweep_print(&s, "layouts through every strategy");
    ck_assert_uint_eq(s.failures, 0);
    for (uint32_t i = 0; i < strategy_count() && !runner_may_refuse(s.r); i++)
        ck_assert_msg(all[i].count > 1 && s.accepted[i][0] + s.accepted[i][1] >= all[i].count,
                      "%s ran %lu of %zu programs", strategy_name(i), s.accepted[i][0] + s.accepted[i][1],
                      all[i].count);
}
END_TEST

/* The same on arrays in host memory, where bytes between the outputs must not be touched either. */
START_TEST(every_layout_by_every_call) {
    sweep s = {.r = suite_runner()};
    const problem_line kind = kind_sample(4);
    for (size_t i = 0; i < LINE_COUNT; i++)
        for (int route = 0; route < ROUTE_COUNT && lines[i]; route++) {
            const problem_line p = line_of_kind(lines[i], &kind);
            ck_assert_int_eq(runner_report(s.r, &p, (run_route)route), RUN_OK);
        }
}
END_TEST

SUITE_MAIN("layouts", every_layout_through_every_strategy, every_layout_by_every_call)
