/* Descriptors of blocks, with all that they point to: a question must stay where it is. */
#ifndef ARGMAX_CL_TOOL_QUESTION_H
#define ARGMAX_CL_TOOL_QUESTION_H

#include "answer.h"
#include "blocks.h"

/* What is asked of every block, and in which order its elements lie. */
typedef struct question_rule {
    argmax_cl_operator op; /* on the stored elements */
    argmax_cl_direction direction;
    argmax_cl_nan_mode nan_mode;
    argmax_cl_dtype dtype;
    bool fortran_order;
} question_rule;

typedef struct question {
    argmax_cl_desc desc;
    argmax_cl_tensor in, index, value, mask;
    uint64_t sizes[ARGMAX_CL_MAX_RANK], answer_sizes[ARGMAX_CL_MAX_RANK];
    int64_t strides[ARGMAX_CL_MAX_RANK], answer_strides[ARGMAX_CL_MAX_RANK];
    uint32_t axes[ARGMAX_CL_MAX_RANK];
} question;

/* A block in memory, packed in the order of its file, with packed answers of each extremum: int64 and values. */
void question_of_block(question *q, const blocks *p, const box *b, const question_rule *rule);

/* The block's tile: its place on the kept axes, whole on the reduced ones. There is no such input. */
void question_of_tile(question *q, const blocks *p, const box *b, const question_rule *rule);

/* The block has a mask: with strides and the offset of the block's first element, or, strides NULL, packed as the block
 * is. */
void question_with_mask(question *q, const int64_t *strides, uint64_t offset);

/* Put what is asked of a block or its tile where it belongs among all answers, of the answer's index type. */
void question_into_answer(question *q, const blocks *p, const box *b, const answer *r);

#endif
