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
    choose_mask(r, last->mask, false, g);
}

/* Tiles over the outputs side by side, all alike but for the last, as wide as their accumulators allow (see
 * accumulator_times): a tile that has only some of them reads little in a row. */
static void lay_tiles(const geometry_request *r, uint64_t turns, geometry *g) {
    const uint64_t columns = r->layout->outputs / g->outers, most = min_u64(SIDE_MAX, most_part_length(r, 1, turns));
    const uint32_t accumulator = 2 * g->vector * element_bytes(r->problem) * accumulator_times(r->problem);
    g->segments.tile_outputs = floor_power(max_u64(1, r->tuning->panel_bytes / accumulator), (uint32_t)most);
    g->tiles = ceil_div(columns, g->segments.tile_outputs);
    g->tile_columns = ceil_div(columns, g->tiles);
}

/* Segments of a part, at least: the partial answer of an output costs as much as many of its vectors. */
static uint64_t least_segments(const geometry_request *r, uint64_t segment, const geometry *g) {
    const uint64_t bytes = segment * element_bytes(r->problem);
    return max_u64(ceil_div(r->tuning->column_part_bytes, bytes),
                   ceil_div(r->tuning->part_bytes, bytes * g->tile_columns));
}

static const char *lay_out_segments(const geometry_request *r, geometry *g) {
    const layout *l = r->layout;
    const layout_dim *last = &l->reduced[l->reduced_count - 1];
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
    g->length = l->reduction / last->size;
    g->outers = l->outputs / outputs_inside(l, ceil_div(r->tuning->segment_row_bytes, last->size * (bits / 8)));
    lay_tiles(r, g->length * g->segment_vectors, g);
    g->least = least_segments(r, last->size, g);
    const uint64_t most = most_part_length(r, last->size, g->segment_vectors * g->tile_columns);
    const char *const refused = split_reduction(r, g->tiles * g->outers, g->least, 1, most, g);
    if (refused)
        return refused;
    g->scan = distribute(r, 1, g->tiles * g->outers * g->parts, r->tuning->groups_max);
    return plan_merge(r, g->tiles * g->outers, g->tile_columns, g);
}

static void add_options(const geometry *g, writer *out) {
    text_add(out, " -DTILE_OUTPUTS=%" PRIu32 "%s", g->segments.tile_outputs, g->overlap ? " -DOVERLAP=1" : "");
}

static void set_segments(const layout *l, const geometry *g, uint64_t jobs, kernel_arguments *arguments) {
    const layout_dim *const column = &l->kept[l->kept_count - 1];
    const segments_t segments = {.jobs = jobs,
                                 .jobs_per_group = g->scan.jobs_per_group,
                                 .parts = g->parts,
                                 .part_length = g->part_length,
                                 .columns = l->outputs / g->outers,
                                 .tiles = g->tiles,
                                 .tile_columns = g->tile_columns,
                                 .segments = g->length,
                                 .segment = l->reduced[l->reduced_count - 1].size,
                                 .segment_vectors = g->segment_vectors,
                                 .length = column->size,
                                 .column_stride = column->in,
                                 .column_mask = column->mask};
    set_argument(arguments, 0, &segments, sizeof segments);
}

static void describe(const geometry *g, writer *out) {
    text_add(out, "tiles of %" PRIu64 " outputs, vectors of %" PRIu32, g->tile_columns, g->vector);
}

const family family_segments = {
    .name = "segments",
    .kernel = "segments",
    .structs = 1,
    .struct_bytes = {sizeof(segments_t)},
    .groups = GROUPS_OF_COLUMNS,
    .merges_tiles = true,
    .takes_mask = true,
    .takes_both = true,
    .lay_out = lay_out_segments,
    .options = add_options,
    .arguments = set_segments,
    .describe = describe,
};

/* One work-item reads short segments, which lie apart, with those of other outputs in between. */
static bool are_interleaved(const geometry_request *r, const geometry *g) {
    const layout *l = r->layout;
    const layout_dim *last = &l->reduced[l->reduced_count - 1];
    return r->tuning->group == 1 && r->tuning->group_short == 1 && l->reduced_count > 1 && g->tile_columns > 1 &&
           last->size <= r->tuning->segment_bytes / element_bytes(r->problem);
}

static bool whole_segments_do(const geometry_request *r, const geometry *g) {
    return are_interleaved(r, g) && whole_reductions_do(r, g);
}

const strategy strategy_segment_rows = {"segment-rows", &family_segments, false, false, LANES_ONE, whole_segments_do};
const strategy strategy_split_segment_rows = {"split-segment-rows", &family_segments, false, true, LANES_ONE,
                                              are_interleaved};
