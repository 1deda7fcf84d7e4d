/* How kernels/families/transposed.cl lies over blocks of a few elements. */
#include "families/geometry.h"

#include <inttypes.h>

/* Blocks that a work-item takes at once: it transposes as many of their elements in its registers, which are few, and
 * each doubling is one more pass over these. */
static uint32_t blocks_together(const geometry_request *r, uint64_t blocks) {
    const tuning_row *t = r->tuning;
    const uint32_t bytes = element_bytes(r->problem);
    const bool wide = bytes >= WORD_BYTES && !comes_from_memory(r);
    const uint32_t most = (wide ? t->transposed_cached_bytes : t->transposed_bytes) / bytes;
    return floor_power(blocks, min_u32(widest_vector(r, t->vector_bytes, false), most));
}

/* Rows of a block whose code is written out: all, or as few as are whole vectors and worth a turn of a loop. No fewer
 * than have a vector's elements, since the field allows 32. */
static uint32_t rows_at_once(const tuning_row *t, uint64_t rows, uint64_t columns, uint32_t vector) {
    uint64_t step = vector / greatest_divisor(vector, columns);
    if (rows * columns <= t->transposed_unrolled)
        return (uint32_t)rows;
    while (step * columns < t->transposed_turn)
        step *= 2;
    if (step * columns > t->transposed_unrolled)
        step = max_u64(1, t->transposed_unrolled / columns);
    return (uint32_t)min_u64(step, rows);
}

/* A place in the reduction is told by a signed element. */
static bool places_fit(const geometry_request *r) {
    return r->layout->reduction < UINT64_C(1) << (r->problem->input.type->bits - 1);
}

/* Vectors of blocks that are read of a layer before the next one: enough bytes of it in a row. */
static uint32_t strip_of_layer(const geometry_request *r, uint64_t elements) {
    return max_u32(1, (uint32_t)(r->tuning->transposed_panel_bytes / (elements * element_bytes(r->problem))));
}

/* As many of them in a job as leave enough jobs for little to be idle in the end. */
static uint64_t strip_of_job(const geometry_request *r, uint64_t run, const geometry *g) {
    const uint64_t waves = 100 / max_u32(r->tuning->idle_percent, 1), jobs = r->device->compute_units * (waves + 1);
    return min_u64(g->panel, max_u64(1, min_u64(g->outers / jobs, run) / g->vector));
}

static const char *lay_out_transposed(const geometry_request *r, geometry *g) {
    const layout *l = r->layout;
    const block_run run = block_run_of(l);
    const uint64_t columns = run.columns;
    g->tuning = r->tuning->name;
    if (!columns)
        return NO_BLOCKS;
    const uint64_t rows = l->reduced[l->reduced_count - 1].size, elements = rows * columns;
    const uint64_t layers = l->reduction / rows;
    if (elements > r->tuning->transposed_elements || !places_fit(r))
        return "it takes blocks of few elements";
    g->outers = l->outputs / columns;
    g->vector = blocks_together(r, run.blocks);
    if (g->vector == 1)
        return "it takes several blocks";
    g->load = r->device->clang_cpu ? LOAD_PACKED : LOAD_UNALIGNED;
    choose_arithmetic(r, g);
    g->swar = g->nv_ptx = false;
    g->hint = 0;
    g->far_hint = g->load == LOAD_PACKED ? r->tuning->far_hint : 0;
    g->length = g->part_length = rows;
    g->panel = layers > 1 ? strip_of_layer(r, elements * g->vector) : 1;
    g->transposed.job_vectors = strip_of_job(r, run.blocks, g);
    g->prefetch_distance = g->far_hint ? r->tuning->prefetch_transposed : 0;
    g->rows_ahead = max_u32(1, g->prefetch_distance / (uint32_t)(elements * g->vector * g->transposed.job_vectors *
                                                                 element_bytes(r->problem)));
    g->transposed.block_rows = (uint32_t)rows;
    g->transposed.columns = (uint32_t)columns;
    g->transposed.step = rows_at_once(r->tuning, g->length, columns, g->vector);
    if (layers > most_part_length(r, rows, g->transposed.job_vectors * ceil_div(rows, g->transposed.step)))
        return "it takes fewer layers of blocks on this device";
    g->lanes = 1;
    g->parts = 1;
    g->tiles = ceil_div(run.blocks, g->vector * g->transposed.job_vectors);
    g->scan = distribute(r, 1, g->tiles * (g->outers / run.blocks), r->tuning->groups_max);
    g->non_temporal = l->kept_count == (columns > 1 ? 2 : 1) && stores_non_temporal(r, g);
    return plan_merge(r, l->outputs, 1, g);
}

static void add_options(const geometry *g, writer *out) {
    text_add(out, " -DBLOCK_ROWS=%" PRIu32 " -DCOLUMNS=%" PRIu32 " -DSTEP=%" PRIu32, g->transposed.block_rows,
             g->transposed.columns, g->transposed.step);
    if (g->panel > 1)
        text_add(out, " -DPANEL=%" PRIu32, g->panel);
}

static void set_transposed(const layout *l, const geometry *g, uint64_t jobs, kernel_arguments *arguments) {
    const block_run run = block_run_of(l);
    const layout_dim *column = &l->kept[l->kept_count - 1], *block = run.columns > 1 ? column - 1 : column;
    const transposed_t transposed = {.jobs = jobs,
                                     .jobs_per_group = g->scan.jobs_per_group,
                                     .blocks = run.blocks,
                                     .length = block->size,
                                     .tiles = g->tiles,
                                     .per_tiles = reciprocal(g->tiles),
                                     .layers = (cl_uint)(l->reduction / g->length),
                                     .job_vectors = (cl_uint)g->transposed.job_vectors,
                                     .prefetch_layers = g->rows_ahead,
                                     .outer_dims = run.outer_dims,
                                     .block_index = block->index,
                                     .block_value = block->value,
                                     .column_index = column->index,
                                     .column_value = column->value};
    set_argument(arguments, 0, &transposed, sizeof transposed);
}

static void describe(const geometry *g, writer *out) {
    text_add(out, "vectors of %" PRIu32 " blocks", g->vector);
    if (g->panel > 1)
        text_add(out, ", %" PRIu64 " of each layer", g->transposed.job_vectors);
}

const family family_transposed = {
    .name = "transposed",
    .kernel = "transposed",
    .structs = 1,
    .struct_bytes = {sizeof(transposed_t)},
    .lay_out = lay_out_transposed,
    .options = add_options,
    .arguments = set_transposed,
    .describe = describe,
};

/* Whether runs are so long that vectors are as wide as without them, and little is read twice at their ends. */
static bool runs_are_long(const geometry_request *r, const geometry *g) {
    const block_run run = block_run_of(r->layout);
    const uint64_t twice = ceil_div(run.blocks, g->vector) * g->vector - run.blocks;
    return run.outer_dims == 0 || (g->vector == blocks_together(r, g->outers) &&
                                   twice * 100 <= run.blocks * r->tuning->transposed_twice_percent);
}

/* Blocks with few neighbours that one work-item could read at once: longer rows are as fast for themselves, rows that
 * come in many layers as columns, and so are columns whose rows are whole lines, or wide. So many of them that a
 * program for each shape is worth it. */
static bool blocks_are_narrow(const geometry_request *r, const geometry *g) {
    const uint32_t element = element_bytes(r->problem);
    const uint64_t bytes = (uint64_t)g->transposed.columns * element;
    const tuning_row *t = r->tuning;
    if (t->group > 1 || !runs_are_long(r, g) ||
        r->layout->outputs < t->transposed_input_bytes / element / r->layout->reduction)
        return false;
    const uint64_t layers = r->layout->reduction / g->length;
    if (layers > 1 && layers > (g->transposed.columns == 1 ? t->transposed_layers : t->transposed_block_layers))
        return false;
    if (g->transposed.columns == 1)
        return g->length <= t->transposed_row;
    return bytes < t->transposed_row_bytes && bytes % t->line_bytes != 0;
}

const strategy strategy_transposed_blocks = {"transposed-blocks", &family_transposed, false, false,
                                             LANES_ONE,           blocks_are_narrow};
