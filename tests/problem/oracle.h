/* The contract once more, as plainly as it can be written: one thread, one element after the other. It shares no code
 * with the library, and decides what is right where the two differ. */
#ifndef ARGMAX_CL_TESTS_ORACLE_H
#define ARGMAX_CL_TESTS_ORACLE_H

#include "problem.h"

/* Solve a resolved problem. `input` starts at element 0 of the input's buffer; `index` and `value` likewise (`value`
 * NULL when the problem has no value output). Writes the addressed output elements alone. */
void oracle_solve(const problem_line *p, const void *input, void *index, void *value);

#endif
