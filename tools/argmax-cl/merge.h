/* Answers of blocks made one answer, by value and index. */
#ifndef ARGMAX_CL_TOOL_MERGE_H
#define ARGMAX_CL_TOOL_MERGE_H

#include "blocks.h"

/* Results of so many points. */
typedef struct partial {
    void *index, *value;
} partial;

typedef struct merge_rule {
    argmax_cl_operator op;
    argmax_cl_direction direction;
    argmax_cl_dtype dtype, index_type;
} merge_rule;

/* Indices within the block become indices within the array's reduced axes; "no winner" stays. */
void merge_make_global(const merge_rule *rule, const blocks *p, const box *b, partial block, uint64_t points);

/* Each point of the tile takes the block's answer where that is the better one. Any order of blocks gives the same. */
void merge_into(const merge_rule *rule, partial tile, partial block, uint64_t points);

#endif
