/* What every element of an 8- or 16-bit type is worth, as a table, and pairs of elements to compare. It is made from
 * the meaning of the bits, in floating point, and shares nothing with the library nor with the oracle. */
#ifndef ARGMAX_CL_TESTS_PAIR_RANKS_H
#define ARGMAX_CL_TESTS_PAIR_RANKS_H

#include "problem.h"

#define PAIR_VALUES 65536 /* entries of a table; types of 8 bits use the first 256 */

/* An element's rank: better elements have greater ones, elements that tie equal ones, and those that must not win 0. */
typedef struct pair_ranks {
    uint16_t rank[PAIR_VALUES];
    uint16_t worst; /* an element of the lowest rank there is */
} pair_ranks;

void pair_ranks_fill(const problem_dtype *type, argmax_cl_operator op, argmax_cl_nan_mode nan_mode, pair_ranks *out);

/* A pair as one number: its first element above its second, each as wide as the type.
 *
 * A sample of a 16-bit type's 2^32 pairs: every special value (zeros, ones, the smallest and largest of each sort,
 * infinities, NaNs) with every special value at the start; then, mixed, every value with itself, with its negative,
 * with its neighbours and with `specials` of the special ones, both ways round, and one in `stride` of all pairs.
 * Returns their number; to be freed. */
uint32_t *pair_sample(const problem_dtype *type, uint64_t specials, uint64_t stride, size_t *count);

#endif
