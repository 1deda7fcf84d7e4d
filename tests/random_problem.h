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

/* What a compiled program depends on. A device spends a tenth of a second on each one, and microseconds on a shape:
 * draw few kinds and many problems of each. */
void random_kind(random_source *s, problem_line *p);

/* Everything else: shape, axes, layout, data. Keeps the kind, and at most about `elements` elements. */
void random_problem(random_source *s, problem_line *p, uint64_t elements);

#endif
