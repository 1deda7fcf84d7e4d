#include "problem/cut.h"

#include <string.h>

/* An index and a value of an output are at most so long each. */
#define ANSWER_BYTES 8u

static uint64_t times(uint64_t a, uint64_t b) {
    uint64_t product;
    return multiply_u64(a, b, &product) ? product : UINT64_MAX;
}

static uint64_t plus(uint64_t a, uint64_t b) {
    uint64_t sum;
    return add_u64(a, b, &sum) ? sum : UINT64_MAX;
}

static uint64_t product_of(const cut *c, bool kept_only) {
    uint64_t all = 1; /* at most the product of the sizes, which fits 63 bits */
    for (uint32_t axis = 0; axis < c->rank; axis++)
        all *= kept_only && c->reduced[axis] ? 1 : c->extent[axis];
    return all;
}

/* Of the buffer that holds a block of the input or of the mask: a range, or a copy in which broadcast elements stand
 * once. */
static uint64_t block_bytes(const cut *c, const tensor_view *view, const cut_limits *l) {
    uint64_t range = 1, packed = 1;
    if (!view->type)
        return 0;
    for (uint32_t axis = 0; axis < c->rank; axis++) {
        if (c->extent[axis] < 2 || view->stride[axis] == 0)
            continue;
        range = plus(range, times(c->extent[axis] - 1, magnitude(view->stride[axis])));
        packed = times(packed, c->extent[axis]);
    }
    return times(l->in_place ? range : packed, view->type->bits / 8);
}

static uint64_t memory_of(const cut *c, const problem *p, const cut_limits *l) {
    const uint64_t block = plus(block_bytes(c, &p->input, l), block_bytes(c, &p->mask, l));
    return plus(l->in_place ? 0 : times(block, l->copies), times(product_of(c, true), l->point_bytes));
}

static bool fits(const cut *c, const problem *p, const cut_limits *l) {
    return block_bytes(c, &p->input, l) <= l->buffer && block_bytes(c, &p->mask, l) <= l->buffer &&
           product_of(c, true) <= l->buffer / ANSWER_BYTES && memory_of(c, p, l) <= l->memory;
}

static bool within(const cut *c, const problem *p, uint64_t wanted) {
    return product_of(c, false) <= wanted / (p->input.type->bits / 8) && product_of(c, true) <= wanted / ANSWER_BYTES;
}

/* Lengthen the block on an axis while it fits and is below the wanted bytes, but not so that a short block is left at
 * the end where all could be of one length. */
static void grow(cut *c, const problem *p, const cut_limits *l, uint32_t axis, uint64_t wanted) {
    const uint64_t from = c->extent[axis], most = c->size[axis];
    uint64_t low = from, high = most; /* low fits */
    while (low < high) {
        c->extent[axis] = low + (high - low + 1) / 2;
        const bool good = fits(c, p, l) && within(c, p, wanted);
        *(good ? &low : &high) = good ? c->extent[axis] : c->extent[axis] - 1;
    }
    if (low < most) {
        const uint64_t pieces = (most - 1) / low + 1;
        low = (most - 1) / pieces + 1;
    }
    c->extent[axis] = low > from ? low : from;
}

/* The axes as they lie in memory, the nearest elements first. */
static void sort_axes(const cut *c, const problem *p, uint32_t axes[MAX_RANK]) {
    for (uint32_t axis = 0; axis < c->rank; axis++) {
        uint32_t at = axis;
        for (; at > 0 && magnitude(p->input.stride[axes[at - 1]]) >= magnitude(p->input.stride[axis]); at--)
            axes[at] = axes[at - 1];
        axes[at] = axis;
    }
}

static void grow_all(cut *c, const problem *p, const cut_limits *l, const uint32_t axes[MAX_RANK]) {
    for (uint32_t i = 0; i < c->rank; i++)
        grow(c, p, l, axes[i], l->wanted);
}

/* A run first, then reduced axes, so that fewer partial answers are to be merged. */
static void grow_reduced(cut *c, const problem *p, const cut_limits *l, const uint32_t axes[MAX_RANK]) {
    const uint64_t most = l->wanted < l->buffer ? l->wanted : l->buffer, share = most / l->reduced + 1;
    for (uint32_t i = 0; i < c->rank; i++)
        grow(c, p, l, axes[i], l->run < share ? l->run : share);
    for (uint32_t i = 0; i < c->rank; i++)
        if (c->reduced[axes[i]])
            grow(c, p, l, axes[i], l->wanted);
    grow_all(c, p, l, axes);
}

static void start_small(cut *c) {
    for (uint32_t axis = 0; axis < MAX_RANK; axis++)
        c->extent[axis] = 1;
}

static bool reductions_are_whole(const cut *c) {
    for (uint32_t axis = 0; axis < c->rank; axis++)
        if (c->reduced[axis] && c->extent[axis] < c->size[axis])
            return false;
    return true;
}

static uint64_t pieces_along(const cut *c, uint32_t axis) {
    return (c->size[axis] - 1) / c->extent[axis] + 1;
}

bool cut_plan(const problem *p, const cut_limits *limits, cut *c, uint64_t *needed) {
    uint32_t axes[MAX_RANK] = {0};
    memset(c, 0, sizeof *c);
    c->rank = p->rank;
    memcpy(c->size, p->input.size, sizeof c->size);
    memcpy(c->reduced, p->reduced, sizeof c->reduced);
    sort_axes(c, p, axes);
    start_small(c);
    *needed = memory_of(c, p, limits);
    if (!fits(c, p, limits))
        return false;
    grow_all(c, p, limits, axes);
    if (!reductions_are_whole(c) && product_of(c, false) / product_of(c, true) < limits->reduced) {
        start_small(c);
        grow_reduced(c, p, limits, axes);
    }
    uint32_t used = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = c->rank; i-- > 0;)
            if (c->reduced[axes[i]] == (pass == 1))
                c->order[used++] = axes[i];
    c->count = 1;
    for (uint32_t axis = 0; axis < c->rank; axis++)
        c->count *= pieces_along(c, axis);
    c->input_bytes = block_bytes(c, &p->input, limits);
    c->mask_bytes = block_bytes(c, &p->mask, limits);
    c->points = product_of(c, true);
    c->whole_reductions = reductions_are_whole(c);
    return true;
}

cut_block cut_get(const cut *c, uint64_t which) {
    cut_block b = {.points = 1, .elements = 1, .first = true, .last = true};
    for (uint32_t axis = 0; axis < MAX_RANK; axis++)
        b.extent[axis] = 1;
    for (uint32_t i = c->rank; i-- > 0;) {
        const uint32_t axis = c->order[i];
        const uint64_t pieces = pieces_along(c, axis), piece = which % pieces;
        which /= pieces;
        b.start[axis] = piece * c->extent[axis];
        const uint64_t left = c->size[axis] - b.start[axis];
        b.extent[axis] = left < c->extent[axis] ? left : c->extent[axis];
        b.elements *= b.extent[axis];
        b.points *= c->reduced[axis] ? 1 : b.extent[axis];
        if (c->reduced[axis]) {
            b.first = b.first && piece == 0;
            b.last = b.last && piece + 1 == pieces;
        }
    }
    return b;
}
