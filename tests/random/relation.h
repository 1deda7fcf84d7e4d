/* Pairs of problems whose answers follow from each other, whatever the oracle thinks. */
#ifndef ARGMAX_CL_TESTS_RELATION_H
#define ARGMAX_CL_TESTS_RELATION_H

#include "random_problem.h"

/* A problem on an input of its own. Strides and offsets are all given, so that changes to the axes leave the memory as
 * it is. */
typedef struct relation_side {
    problem_line p;
    void *input;             /* problem_input_extent elements */
    uint64_t *index, *value; /* answers, by output in row-major order; value all 0 without a value output */
} relation_side;

typedef struct relation {
    const char *name;
    /* From `a` make `b`, which has a copy of the same input: change b->p and both inputs. False where it does not
     * apply. */
    bool (*make)(random_source *s, relation_side *a, relation_side *b);
    /* Whether answer j of `b` follows from answer i of `a`; `reduction` is a's. */
    bool (*follows)(const relation_side *a, uint64_t i, const relation_side *b, uint64_t j, uint64_t reduction);
    /* The answer of `a` that belongs to answer j of `b`; NULL: the one in the same place of the outputs' memory. */
    uint64_t (*partner)(const relation_side *a, const relation_side *b, uint64_t j);
} relation;

extern const relation relations[];
extern const uint32_t relation_count;

/* The address of output i, in row-major order. */
uint64_t relation_address(const problem_line *p, const problem_tensor *output, uint64_t i);

#endif
