/* The ways in which kernels compare two elements, each with a problem, a strategy and a tuning row that lead to it. */
#ifndef ARGMAX_CL_TESTS_PAIR_SCENARIOS_H
#define ARGMAX_CL_TESTS_PAIR_SCENARIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a reduction's elements lie: side by side; `columns` apart, with neighbours of other reductions between them;
 * side by side in the order of columns, two reduced dims of which the first one is the nearer in memory. */
typedef enum pair_layout { PAIR_ROWS, PAIR_COLUMNS, PAIR_PERMUTED } pair_layout;

/* What a device must have, or the comparison does not exist there. */
typedef enum pair_need { NEEDS_NOTHING, NEEDS_PTX, NEEDS_CLANG, NEEDS_ORDERING } pair_need;

/* Which pairs of 16-bit elements there is time for: all of them; all where a single work-item is fast; a sample. */
typedef enum pair_extent { PAIRS_ALL, PAIRS_ALL_ON_CPUS, PAIRS_SAMPLED } pair_extent;

#define PAIR_WIDTHS 2 /* 8 bits, 16 bits */

typedef struct pair_scenario {
    const char *name;
    pair_layout layout;
    const char *strategy; /* NULL: as chosen */
    const char *tuning;   /* fields, beside those of pair_tuning_base; NULL: the rows as they are built in */
    pair_need need;
    const char *plan; /* words that the plan's description must have, and with ! those that it must not have */
    /* Reductions, in the order of memory, one after the other: a and b are the pair, w loses to both or ties. `*N` is
     * a and b at every two of N places, w elsewhere. By width. */
    const char *patterns[PAIR_WIDTHS];
    uint32_t run[PAIR_WIDTHS]; /* each letter so many times */
    uint32_t columns;
    pair_extent extent;
    uint64_t most; /* pairs at once; 0: any number */
} pair_scenario;

extern const pair_scenario pair_scenarios[];
extern const size_t pair_scenario_count;
extern const char pair_tuning_base[];

/* Pattern `i` of a list, without runs; its length, 0 when there are not so many. */
#define PAIR_PATTERN_MAX 64
size_t pair_pattern(const char *patterns, uint32_t i, char text[PAIR_PATTERN_MAX]);

/* Whether a description has all the words. */
bool pair_plan_fits(const pair_scenario *s, const char *description);

#endif
