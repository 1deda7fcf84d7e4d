/* Batches of random problems against the oracle. A batch has one kind and a few compiled programs: problems are drawn
 * and looked at without running them until they need no other program, for a program costs as much as hundreds of
 * problems. */
#ifndef ARGMAX_CL_TESTS_DIFFERENTIAL_H
#define ARGMAX_CL_TESTS_DIFFERENTIAL_H

#include "histogram.h"

typedef struct batch_plan {
    uint64_t seed;
    uint64_t problems;  /* of a batch */
    uint32_t programs;  /* of a batch, at most BATCH_PROGRAMS_MOST */
    uint64_t elements;  /* of the largest problems */
    const char *tuning; /* NULL, or the tuning row of every problem */
} batch_plan;

#define BATCH_PROGRAMS_MOST 64

/* What came of it; others may read it meanwhile. */
typedef struct batch_result {
    uint64_t batches, drawn, right, wrong, programs;
    uint64_t steps; /* grows as long as there is life in it */
    histogram histogram;
    char running[PROBLEM_LINE_SIZE]; /* the line that runs now */
} batch_result;

/* Run batch `number`, add to the result. A failure is printed to stderr, made small, printed as a line that runs it
 * again, and ends the batch. */
void differential_batch(runner *r, const batch_plan *plan, uint64_t number, batch_result *result);

#endif
