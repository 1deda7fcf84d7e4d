/* How kernels/families/segments.cl lies over segments that are short and lie beside those of other outputs. */
#include "families/geometry.h"

#include <inttypes.h>

/* Outputs of a tile at most: the answers and the state of that many are one work-item's own memory. */
#define SIDE_MAX 1024

static void choose_segment_vector(const geometry_request *r, const layout_dim *last, geometry *g) {
    const uint32_t widest = widest_vector(r, r->tuning->vector_bytes, r->tuning->group == 1);
    if (r->tuning->aligned) {
        g->vector = aligned_vector(r->layout, widest, last);
        while (last->size % g->vector)
            g->vector /= 2;
    } else {
        g->vector = floor_power(last->size, widest);
    }
    g->overlap = last->size % g->vector != 0;
    g->load = kind_of_load(r, true, g->vector);
}

/* Whether a segment has vectors enough for its value first (kernels/families/segments.cl), and its places fit an
 * element. */
static bool is_by_value(const geometry_request *r, const geometry *g) {
    const dtype_info *type = r->problem->input.type;
    const tuning_row *t = r->tuning;
    const uint32_t least = type->kind == KIND_FLOAT ? t->segment_floats_by_value : t->segment_integers_by_value;
    return can_be_by_value(r, g) && reaches(g->segment_vectors, least) &&
           g->segment_vectors * g->vector < (UINT64_C(1) << min_u32(type->bits, 31)) - 1;
}

/* Tiles over `size` neighbours, all alike but for the last, as wide as their accumulators allow, a key and a count for
 * each component: a tile that has only some of them reads little in a row. Narrower where that leaves too few for the
 * device. */
static void lay_tiles(const geometry_request *r, uint64_t size, geometry *g) {
    g->side = min_u64(size, g->strip);
    while (g->side > 1 && ceil_div(size, g->side) * g->outers < wanted_groups(r, g->family))
        g->side = ceil_div(g->side, 2);
    g->side = ceil_div(size, ceil_div(size, g->side));
    g->tiles = ceil_div(size, g->side);
}

static const char *lay_out_segments(const geometry_request *r, geometry *g) {
    const layout *l = r->layout;
    const layout_dim *last = &l->reduced[l->reduced_count - 1], *column = &l->kept[l->kept_count - 1];
    const uint32_t bits = r->problem->input.type->bits;
    g->tuning = r->tuning->name;
    if (last->in != 1)
        return "it takes a last reduced dim without gaps";
    choose_segment_vector(r, last, g);
    choose_arithmetic(r, g);
    g->lanes = 1;
    g->segment_vectors = ceil_div(last->size, g->vector);
    /* An accumulator counts at least one segment's vectors (kernels/order/order.clh). */
    if (g->segment_vectors >= UINT64_C(1) << min_u32(bits, 16))
        return "it takes a last reduced dim of fewer vectors than 2^8 (8-bit elements) or 2^16";
    g->unroll = (uint32_t)min_u64(r->tuning->unroll_rows, g->segment_vectors);
    g->by_value = is_by_value(r, g);
    if (g->by_value && !comes_from_memory(r))
        g->ahead = 0; /* so short a loop reaches far ahead by itself */
    g->units = l->reduction / last->size * g->segment_vectors;
    g->least = 1;
    const char *const refused = cut(r, l->outputs, 1, 1, part_units(r, g->vector, 1), g);
    if (refused)
        return refused;
    const uint64_t most = min_u64(SIDE_MAX, part_units(r, 1, g->units));
    g->strip =
        floor_power(max_u64(1, r->tuning->strip_bytes / (2 * g->vector * element_bytes(r->problem))), (uint32_t)most);
    g->outers = l->outputs / column->size;
    lay_tiles(r, column->size, g);
    g->scan = distribute(r, 1, g->tiles * g->outers, r->tuning->groups_max);
    return plan_merge(r, l->outputs, 1, g);
}

static void add_options(const geometry *g, writer *out) {
    text_add(out, " -DUNROLL=%" PRIu32 " -DSIDE=%" PRIu32 "%s%s", g->unroll, g->strip, g->overlap ? " -DOVERLAP=1" : "",
             g->by_value ? " -DBY_VALUE=1" : "");
}

static void set_segments(const layout *l, const geometry *g, uint64_t jobs, kernel_arguments *arguments) {
    const layout_dim *column = &l->kept[l->kept_count - 1];
    const uint64_t segment = l->reduced[l->reduced_count - 1].size;
    const segments_t segments = {.jobs = jobs,
                                 .jobs_per_group = g->scan.jobs_per_group,
                                 .columns = column->size,
                                 .tiles = g->tiles,
                                 .side = g->side,
                                 .segments = l->reduction / segment,
                                 .segment = segment,
                                 .segment_vectors = g->segment_vectors,
                                 .column_stride = column->in};
    set_argument(arguments, 0, &segments, sizeof segments);
}

static void describe(const geometry *g, writer *out) {
    text_add(out, "tiles of %" PRIu64 " outputs, vectors of %" PRIu32, g->side, g->vector);
}

const family family_segments = {
    .name = "segments",
    .kernel = "segments",
    .structs = 1,
    .struct_bytes = {sizeof(segments_t)},
    .over_columns = true,
    .lay_out = lay_out_segments,
    .options = add_options,
    .arguments = set_segments,
    .describe = describe,
};

extern const family family_rows;

/* One work-item reads short segments, which lie apart, with those of neighbouring outputs in between; where tiles of
 * several outputs are enough for the device, and no reduction would be cut into parts otherwise. */
static bool segments_are_interleaved(const geometry_request *r, const geometry *g) {
    const layout *l = r->layout;
    const layout_dim *column = &l->kept[l->kept_count - 1], *last = &l->reduced[l->reduced_count - 1];
    if (r->tuning->group > 1 || r->tuning->group_short > 1 || l->reduced_count < 2 || g->tiles == column->size)
        return false;
    const int64_t outer = l->reduced[l->reduced_count - 2].in;
    return last->size <= r->tuning->segment_bytes / element_bytes(r->problem) &&
           column->in < (outer < 0 ? -outer : outer) && g->scan.jobs >= enough_groups(r, g->family) &&
           l->outputs >= enough_groups(r, &family_rows);
}

const strategy strategy_segment_rows = {"segment-rows", &family_segments, false,
                                        false,          LANES_ONE,        segments_are_interleaved};
