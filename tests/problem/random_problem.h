/* Random problems over the whole contract, biased to ties, boundaries and special values. */
#ifndef ARGMAX_CL_TESTS_RANDOM_PROBLEM_H
#define ARGMAX_CL_TESTS_RANDOM_PROBLEM_H

#include "problem.h"

typedef struct random_source {
    uint64_t state;
} random_source;

uint64_t random_next(random_source *s);
/* In 0..n-1; n must not be 0. */
uint64_t random_below(random_source *s, uint64_t n);
/* True once in n times. */
bool random_one_in(random_source *s, uint64_t n);
void random_shuffle(random_source *s, uint32_t count, uint32_t *list);

/* Number `turn` of an endless list in which each run of n numbers, from a multiple of n on, holds 0..n-1 once. */
#define RANDOM_DEALT_MOST 160
uint64_t random_dealt(uint64_t seed, uint64_t turn, uint32_t n);

/* Kind `turn` of the list that belongs to the seed: element type, index type, operator, direction, NaN mode, value
 * output, strategy or none, tuning row or none, and changes to its fields or none: what a compiled program depends on.
 * A device spends a tenth of a second on each program, and microseconds on a shape: draw few kinds and many problems of
 * each. `tuning` NULL, or the row that every kind gets as it is. */
void random_kind(uint64_t seed, uint64_t turn, const char *tuning, problem_line *p);

/* Draw everything else: shape, axes, layout, data, way. Keeps the kind, and at most about `elements` elements. */
void random_problem(random_source *s, problem_line *p, uint64_t elements);

/* Draw the data alone; and how the problem is run. */
void random_data(random_source *s, problem_line *p);
void random_way(random_source *s, problem_line *p);

/* Make an axis shorter, so that it ends at a multiple of `unit`, one before, or one after. What was valid stays so. */
void random_shrink_to(random_source *s, problem_line *p, uint32_t axis, uint64_t unit);

#endif
