/* Reducing a block of which some elements are missing, with an operator that knows no masks: missing elements become
 * the worst value of the type, which loses to every other; where that value wins all the same, the host looks again. */
#ifndef ARGMAX_CL_TOOL_MASKED_H
#define ARGMAX_CL_TOOL_MASKED_H

#include "blocks.h"

typedef struct masked_rule {
    argmax_cl_operator op;
    argmax_cl_direction direction;
    argmax_cl_dtype dtype;
} masked_rule;

/* Put the worst value in the place of every element whose mask is 0. */
void masked_fill(const masked_rule *rule, const uint8_t *mask, void *data, uint64_t count);

/* Correct the block's answers, row-major over its points: indices in the block, and values. A point without a winner
 * gets the index -1. */
void masked_repair(const masked_rule *rule, const blocks *p, const box *b, bool fortran_order, const uint8_t *mask,
                   const void *data, int64_t *index, const void *value);

#endif
