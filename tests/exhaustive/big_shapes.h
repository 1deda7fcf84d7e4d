/* Every class of problems over one large buffer, with extrema and ties where counters and offsets of 31 to 33 bits end.
 */
#ifndef ARGMAX_CL_TESTS_BIG_SHAPES_H
#define ARGMAX_CL_TESTS_BIG_SHAPES_H

#include "big_answers.h"

/* Problem i over a buffer of that many elements: a shape, a strategy, and a set of planted places. False when there are
 * not so many. Shapes with hundreds of millions of outputs are there for 1-byte types with more than 2^32 + 2^20
 * elements alone. */
bool big_shape(size_t i, const problem_dtype *type, argmax_cl_operator op, uint64_t elements, big_problem *out);

#endif
