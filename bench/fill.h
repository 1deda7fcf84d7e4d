/* The data that is measured on, and answers that are known because they were planted. */
#ifndef BENCH_FILL_H
#define BENCH_FILL_H

#include "problem.h"

/* Fill problem_input_extent(p) elements on all cores; the array must be a multiple of 8 bytes. Random numbers stay in
 * the middle half of the type's range, so that a planted extreme beats them all; other kinds of data are those of
 * problem_fill, the steady ones made faster. */
void fill_data(const problem_line *p, void *elements);

/* Whether answers can be planted: random data, no two positions at one element. */
bool fill_can_plant(const problem_line *p);
/* Put the same extreme at two places of each reduction: which of them is right depends on the direction. */
void fill_plant(const problem_line *p, void *elements);
/* Number of outputs that are not the planted ones; the arrays are problem_output_extent elements, value may be NULL. */
uint64_t fill_count_wrong(const problem_line *p, const void *index, const void *value);

/* Bytes of the cache lines that hold the input's elements: what any reader must fetch. */
uint64_t fill_bytes_touched(const problem_line *p, uint64_t line_bytes);

#endif
