/* An input cut into blocks that fit a device, a buffer and a limit of memory, each in as long runs of memory as there
 * are. Blocks with the same place on the kept axes, a tile, come one after the other, so that the partial answers of
 * one tile are all that is kept. No OpenCL. */
#ifndef ARGMAX_CL_CUT_H
#define ARGMAX_CL_CUT_H

#include "internal.h"

typedef struct cut_limits {
    bool in_place;        /* blocks are ranges of the caller's memory; else they are packed copies */
    uint64_t buffer;      /* bytes of any one buffer */
    uint64_t wanted;      /* bytes of input beyond which a block need not grow */
    uint64_t memory;      /* bytes of all memory taken */
    uint64_t copies;      /* how often a packed block is held */
    uint64_t point_bytes; /* taken for each output of a block */
    uint64_t run;         /* bytes in a run of memory, at least, which are then read at full speed */
    uint64_t reduced;     /* elements for each output, at least: the host merges outputs, some 15 ns each */
} cut_limits;

typedef struct cut {
    uint32_t rank;
    uint32_t order[MAX_RANK]; /* the axes as they are walked: kept ones first, each outermost in memory first */
    bool reduced[MAX_RANK];
    uint64_t size[MAX_RANK], extent[MAX_RANK]; /* of the input; of a block, but at the far ends */
    uint64_t count;                            /* of blocks */
    uint64_t input_bytes, mask_bytes, points;  /* of the largest block: its buffers, its outputs */
    bool whole_reductions;                     /* no reduction is in two blocks */
} cut;

typedef struct cut_block {
    uint64_t start[MAX_RANK], extent[MAX_RANK];
    uint64_t points, elements;
    bool first, last; /* of its tile */
} cut_block;

/* False: not even one element fits; *needed is the memory that it takes. p->outputs must not be 0. */
bool cut_plan(const problem *p, const cut_limits *limits, cut *c, uint64_t *needed);

cut_block cut_get(const cut *c, uint64_t which);

#endif
