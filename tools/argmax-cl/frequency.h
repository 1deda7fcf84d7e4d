/* Which indices an answer has most often. */
#ifndef ARGMAX_CL_TOOL_FREQUENCY_H
#define ARGMAX_CL_TOOL_FREQUENCY_H

#include "answer.h"

#include <stddef.h>

typedef struct frequency {
    uint64_t index, count;
} frequency;

/* Fill up to `capacity` entries, the most frequent index first, the lower one of equally frequent ones. *distinct gets
 * the number of different indices, *losers that of points without a winner. Returns the entries filled; 0 with *losers
 * 0 and a message when memory is short. */
size_t frequency_top(const answer *r, frequency *top, size_t capacity, uint64_t *distinct, uint64_t *losers,
                     message *m);

#endif
