#include "blocks.h"

#include <string.h>

/* A run of memory that is long enough to be read at full speed, and enough reduced elements a point for merging to
 * cost little beside reading. */
#define RUN_BYTES ((uint64_t)1 << 20)
#define REDUCED_ENOUGH 16u

static uint64_t round_up(uint64_t value, uint64_t unit, uint64_t most) {
    const uint64_t rounded = unit > 1 ? (value + unit - 1) / unit * unit : value;
    return rounded < most ? rounded : most;
}

static uint64_t product(const blocks *p, bool kept_only) {
    uint64_t all = 1;
    for (uint32_t axis = 0; axis < p->rank; ++axis)
        all *= kept_only && p->reduced[axis] ? 1 : p->extent[axis];
    return all;
}

static uint64_t memory_of(const blocks *p, const blocks_limits *l) {
    return product(p, false) * l->element_bytes + product(p, true) * l->point_bytes;
}

/* Lengthen the block on an axis, in whole chunks, while it fits and is below the wanted bytes. */
static void grow(blocks *p, const reader *s, const blocks_limits *l, uint32_t axis, uint64_t wanted) {
    const uint64_t size = argmax_cl_dtype_size(s->a.dtype), chunk = s->chunk[axis];
    const uint64_t from = p->extent[axis], most = p->sizes[axis];
    uint64_t low = from, high = most; /* low fits */
    while (low < high) {
        p->extent[axis] = low + (high - low + 1) / 2;
        const bool good = memory_of(p, l) <= l->memory && product(p, false) <= wanted / size;
        *(good ? &low : &high) = good ? p->extent[axis] : p->extent[axis] - 1;
    }
    if (low < most) { /* whole chunks, and blocks of one length, not a long and a short one */
        low = low < chunk || chunk < 2 ? (low > from ? low : from) : low / chunk * chunk;
        const uint64_t pieces = low ? (most + low - 1) / low : 1;
        low = round_up((most + pieces - 1) / pieces, chunk, most);
    }
    p->extent[axis] = low > from ? low : from;
}

static uint32_t axis_in_memory(const reader *s, uint32_t i) { /* 0: the contiguous one */
    return s->a.fortran_order ? i : s->a.rank - 1 - i;
}

static void grow_all(blocks *p, const reader *s, const blocks_limits *l) {
    for (uint32_t i = 0; i < p->rank; ++i)
        grow(p, s, l, axis_in_memory(s, i), l->block);
}

/* A run first, then reduced axes, so that fewer partial answers are to be merged. */
static void grow_reduced(blocks *p, const reader *s, const blocks_limits *l) {
    for (uint32_t i = 0; i < p->rank; ++i)
        grow(p, s, l, axis_in_memory(s, i), RUN_BYTES < l->block ? RUN_BYTES : l->block / 16 + 1);
    for (uint32_t i = 0; i < p->rank; ++i)
        if (p->reduced[axis_in_memory(s, i)])
            grow(p, s, l, axis_in_memory(s, i), l->block);
    grow_all(p, s, l);
}

static void start_small(blocks *p, const reader *s) {
    for (uint32_t axis = 0; axis < p->rank; ++axis)
        p->extent[axis] = round_up(1, s->chunk[axis], p->sizes[axis] ? p->sizes[axis] : 1);
}

/* How many blocks there are along an axis; an empty axis has one, which is empty. */
static uint64_t pieces_along(const blocks *p, uint32_t axis) {
    return p->sizes[axis] ? (p->sizes[axis] + p->extent[axis] - 1) / p->extent[axis] : 1;
}

static bool reduces_little(const blocks *p) {
    const uint64_t points = product(p, true);
    const uint64_t reduced = points ? product(p, false) / points : 0;
    bool whole = true;
    for (uint32_t axis = 0; axis < p->rank; ++axis)
        whole &= !p->reduced[axis] || p->extent[axis] >= p->sizes[axis];
    return !whole && reduced < REDUCED_ENOUGH;
}

static void set_order(blocks *p, const reader *s) {
    uint32_t used = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (uint32_t i = p->rank; i-- > 0;)
            if (p->reduced[axis_in_memory(s, i)] == (pass == 1))
                p->order[used++] = axis_in_memory(s, i);
}

bool blocks_plan(blocks *p, const reader *s, const bool reduced[ARGMAX_CL_MAX_RANK], const blocks_limits *limits,
                 uint64_t *needed) {
    *p = (blocks){.rank = s->a.rank};
    memcpy(p->sizes, s->a.sizes, sizeof p->sizes);
    memcpy(p->reduced, reduced, sizeof p->reduced);
    start_small(p, s);
    *needed = memory_of(p, limits);
    if (*needed > limits->memory)
        return false;
    grow_all(p, s, limits);
    if (reduces_little(p)) {
        start_small(p, s);
        grow_reduced(p, s, limits);
    }
    set_order(p, s);
    p->count = 1;
    for (uint32_t axis = 0; axis < p->rank; ++axis)
        p->count *= pieces_along(p, axis);
    p->block_elements = product(p, false);
    p->tile_points = product(p, true);
    return true;
}

void blocks_get(const blocks *p, uint64_t which, box *b, bool *first, bool *last) {
    *first = *last = true;
    for (uint32_t i = p->rank; i-- > 0;) {
        const uint32_t axis = p->order[i];
        const uint64_t pieces = pieces_along(p, axis);
        const uint64_t piece = which % pieces;
        which /= pieces;
        b->start[axis] = piece * p->extent[axis];
        b->size[axis] = p->sizes[axis] - b->start[axis];
        if (b->size[axis] > p->extent[axis])
            b->size[axis] = p->extent[axis];
        if (p->reduced[axis]) {
            *first &= piece == 0;
            *last &= piece + 1 == pieces;
        }
    }
}
