/* Kinds of problems: what a compiled program depends on. Many drivers take a tenth of a second to compile one and
 * microseconds to run a shape, so that tests loop over kinds first and over shapes inside. */
#ifndef ARGMAX_CL_TESTS_KINDS_H
#define ARGMAX_CL_TESTS_KINDS_H

#include "problem.h"

/* Every input type x operator x direction, x NaN mode for floats; index types and value outputs are dealt out so that
 * each pair with another property occurs. */
#define KIND_COUNT 64
problem_line kind_at(uint32_t i);

/* A short list with every input type once, every index type, and both of everything else. */
#define KIND_SAMPLE_COUNT 12
problem_line kind_sample(uint32_t i);

/* A problem of a kind: its sizes, and the axes of a bit mask (bit d: axis d). */
problem_line kind_shape(const problem_line *kind, uint32_t rank, const uint64_t *sizes, uint32_t axes_mask);

#endif
