/* From a source and options to indices and values. */
#ifndef ARGMAX_CL_TOOL_ANSWER_H
#define ARGMAX_CL_TOOL_ANSWER_H

#include "mask.h"
#include "options.h"
#include "reader.h"
#include "spill.h"

#define ANSWER_RANK_MAX (ARGMAX_CL_MAX_RANK + 1)

typedef struct answer {
    argmax_cl_operator op;              /* on what the elements mean */
    bool reduced[ARGMAX_CL_MAX_RANK];   /* by axis of the input */
    uint64_t sizes[ARGMAX_CL_MAX_RANK]; /* of the results, the reduced axes kept with size 1 */
    uint32_t reduced_count;
    uint32_t extrema;   /* 2: of both, index and value have all points of the minimum, then all of the maximum */
    uint64_t points;    /* elements of each result of one extremum */
    uint64_t reduction; /* input elements behind each of them */
    argmax_cl_dtype index_type, value_type;
    void *index;                          /* row-major, extrema x points */
    void *value;                          /* the same; packed data are unpacked */
    spill index_room, value_room;         /* where they are; owned */
    spill_place index_place, value_place; /* where they go when they are too large for memory */
    double seconds;                       /* the kernels' time on the device */
    char *plan;                           /* owned; what ran, in the library's words; NULL when not asked for */
    uint64_t blocks;                      /* that the input was read in */
    uint64_t missing, masked;             /* elements that were left out: by the file's marks, by --mask */
} answer;

/* Which axes the options ask for; sizes and counts follow. Refuses axes that the array does not have, and an index type
 * that cannot hold every index. */
bool answer_shape(answer *r, const options *o, const array *input, message *m);

/* Compute on the handle's device, once the shape is known. The mask is read; a zeroed one is none. */
bool answer_compute(answer *r, const options *o, reader *s, mask_file *mask, argmax_cl_handle handle, message *m);

/* One of the extrema, 0 being the first, as an answer of its own. The results stay r's: it is not to be freed. */
answer answer_of(const answer *r, uint32_t which);

/* "argmax", "argmin" or "argminmax". */
const char *answer_operator(const answer *r);

/* The index at a point; false when the point has no winner. Of results in a file, those before the point may leave the
 * memory. */
bool answer_index(const answer *r, uint64_t point, uint64_t *index);

/* Let results that are in a file leave the memory. */
void answer_forget(const answer *r);

/* Where in the input a point's winner lies: rank coordinates. Reduced axes get no coordinate without an index. */
void answer_position(const answer *r, const array *input, uint64_t point, const uint64_t *index,
                     uint64_t position[ARGMAX_CL_MAX_RANK]);

/* The shape that the result files have: without the reduced axes when squeezed; of both extrema, with an axis of size 2
 * first. Returns the rank. */
uint32_t answer_file_shape(const answer *r, const array *input, bool squeeze, uint64_t sizes[ANSWER_RANK_MAX]);

/* Frees what the answer owns; a zeroed answer is fine. */
void answer_free(answer *r);

#endif
