/* Problems with more elements than anyone wants to look at: what an element is worth follows from its place in the
 * buffer alone, and so does every answer, without reading the data.
 *
 * An element is worth its place modulo 61, or 100 where an extremum was planted: the greatest values in argmax, the
 * smallest in argmin. */
#ifndef ARGMAX_CL_TESTS_BIG_ANSWERS_H
#define ARGMAX_CL_TESTS_BIG_ANSWERS_H

#include "problem.h"

#define BIG_PERIOD 61
#define BIG_PEAK 100
#define BIG_PLANTED_MAX 8

typedef struct big_problem {
    problem_line p;
    uint64_t planted[BIG_PLANTED_MAX]; /* places in the buffer, in elements; those that the problem lacks do no harm */
    size_t planted_count;
} big_problem;

/* Bits of the element that is worth so much, 0..BIG_PEAK. */
uint64_t big_bits(const problem_dtype *type, argmax_cl_operator op, uint32_t worth);

/* The answer of one output by its number: the index, and the bits of the value. */
typedef struct big_answer {
    uint64_t index, value;
} big_answer;
big_answer big_solve(const big_problem *b, uint64_t output);

/* Compare the answers of outputs [first, first + count) of a packed problem with what `index` and `value` (or NULL)
 * hold, which start with output `first`. Some threads share the work. Returns how many are wrong, and one of them. */
uint64_t big_check(const big_problem *b, uint64_t first, uint64_t count, const void *index, const void *value,
                   uint64_t *example);

#endif
