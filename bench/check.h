/* Whether the answers are right. */
#ifndef BENCH_CHECK_H
#define BENCH_CHECK_H

#include "run.h"

/* What the output buffers hold before the library writes to them, in every byte. */
#define CHECK_FILLER 0xA5

/* How this problem's answers are known: the oracle works them out, or they are planted in large inputs. */
check_result check_method(const problem_line *p);

/* The oracle on all cores; value may be NULL. */
void check_solve(const problem_line *p, const void *input, void *index, void *value);

/* Compare the whole output buffers with what they should hold; value may be NULL. */
check_result check_answers_of(const problem_line *p, const void *input, const void *index, size_t index_bytes,
                              const void *value, size_t value_bytes);

#endif
