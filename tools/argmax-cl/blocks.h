/* An array cut into blocks that fit memory and device: whole chunks of its file, each in one block alone. Blocks with
 * the same place on the kept axes, a tile, come one after the other, so that one tile of results is enough. */
#ifndef ARGMAX_CL_TOOL_BLOCKS_H
#define ARGMAX_CL_TOOL_BLOCKS_H

#include "reader.h"

typedef struct blocks {
    uint32_t rank;
    uint32_t order[ARGMAX_CL_MAX_RANK]; /* the axes as they are walked: kept ones first, each in memory order */
    bool reduced[ARGMAX_CL_MAX_RANK];
    uint64_t sizes[ARGMAX_CL_MAX_RANK], extent[ARGMAX_CL_MAX_RANK]; /* of the array; of a block, but at the far ends */
    uint64_t count;                                                 /* of blocks */
    uint64_t block_elements, tile_points;                           /* of the largest block and tile */
} blocks;

typedef struct blocks_limits {
    uint64_t memory;        /* bytes for blocks and results together */
    uint64_t block;         /* bytes beyond which a block need not grow */
    uint64_t element_bytes; /* of memory for an element of a block: twice read, with its mask */
    uint64_t point_bytes;   /* of memory for a point of a tile */
} blocks_limits;

/* False: not even one chunk fits; *needed is the memory that it takes. */
bool blocks_plan(blocks *p, const reader *s, const bool reduced[ARGMAX_CL_MAX_RANK], const blocks_limits *limits,
                 uint64_t *needed);

/* The block of a number; *first and *last tell whether its tile begins and ends with it. */
void blocks_get(const blocks *p, uint64_t which, box *b, bool *first, bool *last);

#endif
