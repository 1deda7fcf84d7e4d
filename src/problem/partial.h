/* Partial answers: argmax_cl_partial of the public header, made from answers and turned into them. No OpenCL. */
#ifndef ARGMAX_CL_PARTIAL_H
#define ARGMAX_CL_PARTIAL_H

#include "internal.h"

/* Where a block lies among the reduced axes of the whole, in ascending axis order. */
typedef struct partial_place {
    uint32_t count;
    uint64_t start[MAX_RANK], extent[MAX_RANK], size[MAX_RANK];
} partial_place;

/* The place of a block that begins at `start` and goes `extent` far in a tensor of `size`, each by axis. */
partial_place partial_place_of(const problem *p, const uint64_t *start, const uint64_t *extent, const uint64_t *size);

/* The key of a value of p's input type under p's operator and NaN mode: greater is better, and equal is equal. */
uint64_t partial_key(const problem *p, uint64_t bits);

/* A block's answers (packed, indices of index_type within the block) become its partials; those of `into` stay where
 * they are better, or are replaced when the block is the `first` one. */
void partials_from_answers(const problem *p, const partial_place *place, const dtype_info *index_type, uint64_t count,
                           const void *index, const void *value, bool first, argmax_cl_partial *into);

/* The better of each pair into `into`. */
void partials_merge(uint64_t count, argmax_cl_partial *into, const argmax_cl_partial *from);

/* Packed indices of p->index.type and, unless `value` is NULL, packed values. */
void partials_to_answers(const problem *p, uint64_t count, const argmax_cl_partial *partials, void *index, void *value);

#endif
