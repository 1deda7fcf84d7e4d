/* The contract once more, as plainly as it can be written: one thread, one element after the other. It shares no code
 * with the library, and decides what is right where the two differ. */
#ifndef ARGMAX_CL_TESTS_ORACLE_H
#define ARGMAX_CL_TESTS_ORACLE_H

#include "problem.h"

/* What a problem reads and writes: each starts at element 0 of its buffer, NULL where the problem has none. */
typedef struct oracle_arrays {
    const void *input;
    const uint8_t *mask;
    void *index, *value, *max_index, *max_value;
} oracle_arrays;

/* Solve a resolved problem. Writes the addressed output elements alone. */
void oracle_solve_all(const problem_line *p, const oracle_arrays *arrays);

/* The same of a problem without a mask and with one extreme. `input` starts at element 0 of the input's buffer; `index`
 * and `value` likewise (`value` NULL when the problem has no value output). Writes the addressed output elements alone.
 */
void oracle_solve(const problem_line *p, const void *input, void *index, void *value);

#endif
