/* How the two scanning kernels lie over a collapsed problem: vectors, lanes, parts and work-groups. */
#include "internal.h"

#include <assert.h>

/* A candidate's place within its part has 31 bits (kernels/order.clh). */
#define PART_ELEMENTS_MAX (UINT64_C(1) << 30)

static uint64_t min_u64(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}
static uint64_t max_u64(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}
static uint64_t ceil_div(uint64_t a, uint64_t b) {
    assert(b > 0);
    return a / b + (a % b != 0);
}

/* Largest power of two not above n; n >= 1. */
static uint32_t floor_power(uint64_t n, uint32_t limit) {
    uint32_t power = 1;
    while (power < limit && (uint64_t)power * 2 <= n)
        power *= 2;
    return power;
}

static uint32_t element_bytes(const problem *p) {
    return p->input.type->bits / 8;
}

static uint32_t widest_vector(const geometry_request *r, uint32_t bytes) {
    const uint32_t fitting = bytes / element_bytes(r->problem);
    return floor_power(fitting ? fitting : 1, r->tuning->vector_elements);
}

static bool all_divide(uint32_t vector, const layout_dim *dims, uint32_t count, const layout_dim *skip) {
    for (uint32_t i = 0; i < count; ++i)
        if (&dims[i] != skip && dims[i].size > 1 && dims[i].in % (int64_t)vector != 0)
            return false;
    return true;
}

/* Widest vector for which the offset and all strides but that of `skip` are multiples; an aligned load needs that. */
static uint32_t aligned_vector(const layout *l, uint32_t vector, const layout_dim *skip) {
    while (vector > 1 && !(l->in_offset % (int64_t)vector == 0 && all_divide(vector, l->kept, l->kept_count, skip) &&
                           all_divide(vector, l->reduced, l->reduced_count, skip)))
        vector /= 2;
    return vector;
}

static uint64_t wanted_groups(const geometry_request *r) {
    return (uint64_t)r->device->compute_units * r->tuning->groups_per_unit;
}

/* Jobs to work-groups, in runs where there are more jobs than groups that pay: `most`, or on devices with one work-item
 * a group as many as keep the compute units busy. */
static launch_grid deal(const geometry_request *r, uint32_t group, uint64_t jobs, uint64_t most) {
    launch_grid grid = {group, jobs, jobs, 1};
    const uint64_t groups = min_u64(group == 1 ? wanted_groups(r) : most, r->tuning->groups_max);
    if (jobs > groups) {
        grid.jobs_per_group = ceil_div(jobs, groups);
        grid.groups = ceil_div(jobs, grid.jobs_per_group);
    }
    return grid;
}

/* Cut `units` of each output into parts, so that the device has enough work-groups and no part is too long to count.
 * `least` units are the smallest part worth a work-group. False when it must be split and cannot. */
static bool cut(const geometry_request *r, uint64_t groups, uint64_t least, uint64_t most, geometry *g) {
    const uint64_t wanted = wanted_groups(r);
    uint64_t parts = 1;
    g->least = least;
    if (r->split) {
        if (g->units < 2)
            return false;
        parts = max_u64(2, min_u64(ceil_div(wanted, groups), g->units / least));
        parts = max_u64(parts, ceil_div(g->units, most));
    } else if (g->units > most) {
        return false;
    }
    g->chunk = ceil_div(g->units, parts);
    if (g->chunk > least)
        g->chunk = min_u64(ceil_div(g->chunk, least) * least, most);
    g->parts = ceil_div(g->units, g->chunk);
    return !r->split || g->parts > 1;
}

/* The second launch: as many lanes an output as its parts keep busy. */
static void plan_merge(const geometry_request *r, geometry *g) {
    const uint32_t group = g->scan.group;
    g->merge_lanes = floor_power(g->parts, group);
    const uint64_t outputs_a_group = group / g->merge_lanes;
    g->merge = deal(r, group, ceil_div(r->layout->outputs, outputs_a_group), r->tuning->groups_max);
}

static load_kind kind_of_load(const geometry_request *r, bool unit, uint32_t vector) {
    if (!unit)
        return LOAD_STRIDED;
    return r->tuning->aligned && r->device->aligned_buffers && vector > 1 ? LOAD_ALIGNED : LOAD_UNALIGNED;
}

static void choose_arithmetic(const geometry_request *r, geometry *g) {
    const uint32_t bits = r->problem->input.type->bits;
    g->words = r->tuning->words && r->device->little_endian && bits <= 16 && g->vector * bits >= 32;
    g->ptx = g->words && r->device->ptx_pairs;
}

static void choose_row_vector(const geometry_request *r, geometry *g) {
    const layout *l = r->layout;
    const layout_dim *last = &l->reduced[l->reduced_count - 1];
    const bool unit = last->in == 1;
    const uint32_t widest = widest_vector(r, r->tuning->vector_bytes);
    g->overlap = g->peel = false;
    if (!r->tuning->aligned) {
        g->vector = floor_power(last->size, widest);
        g->overlap = last->size % g->vector != 0;
    } else if (!unit) {
        g->vector = 1;
    } else {
        g->vector = aligned_vector(l, widest, last);
        while (last->size % g->vector)
            g->vector /= 2;
        if (g->vector < widest && l->reduced_count == 1 && last->size >= 4 * (uint64_t)widest) {
            g->vector = widest;
            g->peel = true;
        }
    }
    g->load = kind_of_load(r, unit, g->vector);
}

/* Work-items that share a short row: two as soon as it is worth it, then more for longer rows. */
static uint32_t lanes_along(const geometry_request *r, uint64_t units) {
    const uint64_t wanted = units / r->tuning->row_loads;
    return floor_power(max_u64(wanted, units > r->tuning->tiny_loads ? 2 : 1), r->tuning->short_lanes);
}

/* Lanes and work-group for rows of g->units vectors. A small work-group meets cheaply; with few vectors in flight for
 * each lane it takes more lanes to keep the memory busy. */
static uint32_t choose_row_lanes(const geometry_request *r, lane_rule rule, geometry *g) {
    const tuning_row *t = r->tuning;
    uint32_t group = floor_power(t->group, r->group_limit);
    g->lanes = rule == LANES_ONE ? 1 : group;
    if (rule == LANES_FEW) {
        const uint32_t lanes = lanes_along(r, g->units);
        const bool few_loads = t->group_short > 1 && g->units / lanes < t->unroll_rows;
        group = floor_power((uint64_t)t->group_short * (few_loads ? 2 : 1), r->group_limit);
        g->lanes = floor_power(lanes, group);
    }
    return group;
}

bool geometry_rows(const geometry_request *r, lane_rule rule, geometry *g) {
    const layout *l = r->layout;
    const uint64_t segment = l->reduced[l->reduced_count - 1].size;
    g->family = FAMILY_ROWS;
    g->tuning = r->tuning->name;
    g->unroll = r->tuning->unroll_rows;
    choose_row_vector(r, g);
    choose_arithmetic(r, g);
    if ((g->load == LOAD_STRIDED) != r->strided)
        return false;
    g->segment_vectors = g->overlap ? ceil_div(segment, g->vector) : segment / g->vector;
    g->units = l->reduction / segment * g->segment_vectors;
    const uint32_t group = choose_row_lanes(r, rule, g);
    const uint64_t rows = group / g->lanes;
    const uint64_t least =
        max_u64((uint64_t)g->lanes * g->unroll, r->tuning->part_bytes / (g->vector * element_bytes(r->problem)));
    if (r->split && rows != 1)
        return false;
    if (!cut(r, ceil_div(l->outputs, rows), least, PART_ELEMENTS_MAX / g->vector, g))
        return false;
    const uint64_t most =
        rule == LANES_ONE ? (uint64_t)r->device->compute_units * r->tuning->groups_tiny : r->tuning->groups_max;
    g->scan = deal(r, group, ceil_div(l->outputs, rows) * g->parts, most);
    plan_merge(r, g);
    return true;
}

/* Lanes side by side over `vectors` of columns: as many as the work-group has, if they fill the device. Else narrower,
 * so that lanes share a column's rows and merge in local memory, which is cheaper than parts that merge in the second
 * launch; but with little idle at the end, wide enough for the memory, and rows enough for those who share them. */
static uint32_t lanes_across(const geometry_request *r, uint32_t group, uint64_t vectors, uint64_t outers,
                             uint64_t rows) {
    const uint64_t wanted = wanted_groups(r);
    uint32_t lanes = group;
    while (lanes > 1) {
        const uint32_t half = lanes / 2;
        const uint64_t idle = ceil_div(vectors, lanes) * lanes - vectors;
        const bool wasteful = idle * 8 > vectors;
        const bool scarce = ceil_div(vectors, lanes) * outers < wanted && lanes > r->tuning->across_least;
        if (!(wasteful || scarce) || (uint64_t)(group / half) * r->tuning->unroll_columns > rows)
            break;
        lanes = half;
    }
    return lanes;
}

static void choose_column_vector(const geometry_request *r, const layout_dim *column, geometry *g) {
    const uint32_t widest = widest_vector(r, r->tuning->column_bytes);
    const bool unit = column->in == 1;
    if (!r->tuning->aligned) {
        g->vector = floor_power(column->size, widest);
    } else if (!unit) {
        g->vector = 1;
    } else {
        g->vector = aligned_vector(r->layout, widest, column);
        while (column->size % g->vector)
            g->vector /= 2;
    }
    g->load = kind_of_load(r, unit, g->vector);
}

/* Lay tiles over a dim as columns and cut its rows into parts of the reduction. */
static bool lay_tiles(const geometry_request *r, const layout_dim *column, uint64_t rows, uint64_t outers,
                      geometry *g) {
    g->tuning = r->tuning->name;
    g->unroll = r->tuning->unroll_columns;
    g->overlap = g->peel = false;
    choose_column_vector(r, column, g);
    choose_arithmetic(r, g);
    if ((g->load == LOAD_STRIDED) != r->strided)
        return false;
    const uint32_t group = floor_power(r->tuning->group_columns, r->group_limit);
    const uint32_t vector_bytes = g->vector * element_bytes(r->problem);
    g->strip = group == 1 && r->tuning->strip_bytes > vector_bytes ? r->tuning->strip_bytes / vector_bytes : 1;
    g->units = rows;
    g->lanes = lanes_across(r, group, ceil_div(column->size, g->vector), outers, rows);
    const uint64_t tile = (uint64_t)g->lanes * g->vector * g->strip;
    g->tiles = ceil_div(column->size, tile);
    g->outers = outers;
    const uint64_t sharing = group / g->lanes;
    const uint64_t row_bytes = min_u64(column->size, tile) * element_bytes(r->problem);
    const uint64_t least = max_u64(sharing * g->unroll, r->tuning->part_bytes / row_bytes);
    if (!cut(r, g->tiles * g->outers, least, PART_ELEMENTS_MAX, g))
        return false;
    /* Rows that an accumulator of this width counts (kernels/order.clh). */
    const uint32_t bits = r->problem->input.type->bits;
    g->one_block = bits <= 16 && ceil_div(g->chunk, sharing) <= ((UINT64_C(1) << bits) - 1) / g->unroll * g->unroll;
    g->scan = deal(r, group, g->tiles * g->outers * g->parts, r->tuning->groups_max);
    return true;
}

bool geometry_columns(const geometry_request *r, geometry *g) {
    const layout *l = r->layout;
    const layout_dim *column = &l->kept[l->kept_count - 1];
    g->family = FAMILY_COLUMNS;
    if (!lay_tiles(r, column, l->reduction, l->outputs / column->size, g))
        return false;
    plan_merge(r, g);
    return true;
}

/* The reduced dim, other than the last one, that has neighbours side by side; reduced_count when there is none. */
static uint32_t fold_dim(const layout *l) {
    uint32_t i = 0;
    while (i + 1 < l->reduced_count && l->reduced[i].in != 1)
        ++i;
    return i + 1 < l->reduced_count ? i : l->reduced_count;
}

bool geometry_folded(const geometry_request *r, geometry *g) {
    const layout *l = r->layout;
    geometry_request whole = *r;
    g->family = FAMILY_FOLDED;
    g->fold = fold_dim(l);
    if (g->fold == l->reduced_count)
        return false;
    const layout_dim *column = &l->reduced[g->fold];
    const uint64_t rows = l->reduction / column->size;
    /* Tiles are parts already: the rows are cut only where that leaves too few. */
    whole.split = false;
    bool possible = lay_tiles(&whole, column, rows, l->outputs, g);
    if (!possible || (rows > 1 && g->scan.jobs < wanted_groups(r))) {
        whole.split = true;
        possible = lay_tiles(&whole, column, rows, l->outputs, g);
    }
    if (!possible)
        return false;
    g->parts *= g->tiles;
    plan_merge(r, g);
    return g->parts > 1;
}
