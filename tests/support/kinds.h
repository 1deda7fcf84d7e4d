/* Kinds of problems: what a compiled program depends on. Many drivers take a tenth of a second to compile one and
 * microseconds to run a shape, so that tests loop over kinds first and over shapes inside. */
#ifndef ARGMAX_CL_TESTS_KINDS_H
#define ARGMAX_CL_TESTS_KINDS_H

#include "problem.h"

/* Every input type x operator x direction, x NaN mode for floats; index types and value outputs are dealt out so that
 * each pair with another property occurs. */
#define KIND_COUNT 64
problem_line kind_at(uint32_t i);

/* Whether kind i is one of those dealt to a strategy by its number: two of each type, in every other property opposite,
 * so that each strategy meets each type with each operator, direction and NaN mode, and neighbours meet other pairs. */
bool kind_is_dealt(uint32_t i, uint32_t strategy);

/* The number of an input type of kind i, and the kinds that are dealt to each strategy. */
uint32_t kind_type(uint32_t i);
#define KINDS_DEALT 24

/* A short list with every input type once, every index type, and both of everything else. */
#define KIND_SAMPLE_COUNT 12
problem_line kind_sample(uint32_t i);

/* A problem of a kind: its sizes, and the axes of a bit mask (bit d: axis d). */
problem_line kind_shape(const problem_line *kind, uint32_t rank, const uint64_t *sizes, uint32_t axes_mask);

#endif
