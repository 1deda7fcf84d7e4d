#include "frequency.h"

#include <inttypes.h>
#include <stdlib.h>

/* The best entries so far, in order. */
typedef struct ranking {
    frequency *top;
    size_t used, capacity;
    uint64_t distinct;
} ranking;

/* Indices arrive in rising order, so an equal count stays behind those before it. */
static void rank_index(ranking *k, uint64_t index, uint64_t count) {
    if (count == 0)
        return;
    ++k->distinct;
    if (k->used == k->capacity && k->top[k->used - 1].count >= count)
        return;
    size_t place = k->used < k->capacity ? k->used++ : k->used - 1;
    for (; place > 0 && k->top[place - 1].count < count; --place)
        k->top[place] = k->top[place - 1];
    k->top[place] = (frequency){index, count};
}

static int compare(const void *a, const void *b) {
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* One counter for each index. */
static uint64_t count_indices(const answer *r, uint64_t *counters, ranking *k) {
    uint64_t losers = 0, index;
    for (uint64_t point = 0; point < r->points; ++point)
        if (answer_index(r, point, &index))
            ++counters[index];
        else
            ++losers;
    for (index = 0; index < r->reduction; ++index)
        rank_index(k, index, counters[index]);
    return losers;
}

/* Sort the indices, count the runs. */
static uint64_t sort_indices(const answer *r, uint64_t *sorted, ranking *k) {
    uint64_t winners = 0;
    for (uint64_t point = 0; point < r->points; ++point)
        if (answer_index(r, point, &sorted[winners]))
            ++winners;
    qsort(sorted, (size_t)winners, sizeof *sorted, compare);
    for (uint64_t start = 0, end; start < winners; start = end) {
        for (end = start + 1; end < winners && sorted[end] == sorted[start]; ++end)
            continue;
        rank_index(k, sorted[start], end - start);
    }
    return r->points - winners;
}

size_t frequency_top(const answer *r, frequency *top, size_t capacity, uint64_t *distinct, uint64_t *losers,
                     message *m) {
    ranking k = {top, 0, capacity, 0};
    /* Whichever needs less memory; the counters are also the faster way. */
    const bool counters = r->reduction <= r->points;
    uint64_t *memory = calloc((size_t)(counters ? r->reduction : r->points), sizeof *memory);
    *losers = 0;
    if (memory)
        *losers = counters ? count_indices(r, memory, &k) : sort_indices(r, memory, &k);
    else
        (void)complain(m, "summary: no memory to count %" PRIu64 " indices", r->points);
    free(memory);
    *distinct = k.distinct;
    return k.used;
}
