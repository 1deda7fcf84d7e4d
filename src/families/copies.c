/* The launch that copies answers from the workspace to their outputs: all those along kept dims along which nothing of
 * the input moves, of which one was computed, and those in another order than the input's (layout.c). */
#include "families/geometry.h"

#include <assert.h>
#include <inttypes.h>

static int64_t stride_in(const layout_dim *d, output_tensor output) {
    const int64_t strides[OUTPUT_TENSORS] = {d->index, d->value, d->max_index, d->max_value};
    return strides[output];
}

typedef struct {
    uint32_t count;
    layout_dim dims[MAX_RANK]; /* of the tensors */
    int64_t from[MAX_RANK];    /* of what is copied: 0 along dims that are */
} output_dims;

/* By falling distance of indices: what lies side by side comes last. */
static void insert(output_dims *all, const layout_dim *d, int64_t from) {
    uint32_t at = all->count++;
    for (; at > 0 && magnitude(all->dims[at - 1].index) < magnitude(d->index); --at) {
        all->dims[at] = all->dims[at - 1];
        all->from[at] = all->from[at - 1];
    }
    all->dims[at] = *d;
    all->from[at] = from;
}

static output_dims dims_of(const layout *l) {
    output_dims all = {0};
    int64_t from = 1;
    for (uint32_t i = l->stored_count; i-- > 0; from *= (int64_t)l->stored[i].size)
        if (l->stored[i].size > 1)
            insert(&all, &l->stored[i], from);
    for (uint32_t i = 0; i < l->copied_count; ++i)
        insert(&all, &l->copied[i], 0);
    assert(all.count > 0);
    return all;
}

uint32_t copies_dims(const layout *l) {
    return dims_of(l).count;
}

static uint64_t elements_of(const output_dims *all) {
    uint64_t elements = 1;
    for (uint32_t i = 0; i < all->count; ++i)
        elements *= all->dims[i].size;
    return elements;
}

static uint64_t runs_of(const output_dims *all, uint64_t length) {
    const uint64_t row = all->dims[all->count - 1].size;
    return elements_of(all) / row * ceil_div(row, length);
}

void lay_out_copies(const geometry_request *r, geometry *g) {
    if (!r->layout->stored_count)
        return;
    const output_dims all = dims_of(r->layout);
    const uint32_t group = floor_power(r->tuning->group, r->group_limit);
    const uint64_t row = all.dims[all.count - 1].size;
    g->copied_lanes = floor_power(row, group);
    g->copied_length = min_u64(row, (uint64_t)g->copied_lanes * r->tuning->copied_elements);
    const uint64_t jobs = ceil_div(runs_of(&all, g->copied_length), group / g->copied_lanes);
    g->copies = distribute(r, group, jobs, r->tuning->groups_max);
}

/* Partial answers come first. */
#define ALIGNMENT 16
uint64_t answers_offset(const problem *p, const layout *l, const geometry *g, output_tensor output) {
    uint64_t bytes = g->parts > 1 ? l->outputs * g->parts * partial_bytes(p) : 0;
    for (output_tensor before = 0; before < output; ++before) {
        const tensor_view *const view = output_view(p, before);
        if (view->type)
            bytes += ceil_div(l->outputs * (view->type->bits / 8), ALIGNMENT) * ALIGNMENT;
    }
    return bytes;
}

copies_t copies_argument(const problem *p, const layout *l, const geometry *g, output_tensor output) {
    const output_dims all = dims_of(l);
    const uint64_t bytes = output_view(p, output)->type->bits / 8;
    copies_t c = {.jobs = g->copies.jobs,
                  .jobs_per_group = g->copies.jobs_per_group,
                  .runs = runs_of(&all, g->copied_length),
                  .row_runs = ceil_div(all.dims[all.count - 1].size, g->copied_length),
                  .length = g->copied_length,
                  .lanes = g->copied_lanes,
                  .offset = l->stored_offset[output],
                  .answers = (int64_t)(answers_offset(p, l, g, output) / bytes)};
    c.per_row_runs = reciprocal(c.row_runs);
    for (uint32_t i = 0; i < all.count; ++i) {
        c.size[i] = all.dims[i].size;
        c.per_size[i] = reciprocal(all.dims[i].size);
        c.stride[i] = stride_in(&all.dims[i], output);
        c.from[i] = all.from[i];
    }
    return c;
}
