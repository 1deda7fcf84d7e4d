/* How kernels/families/blocks.cl lies over blocks that a work-group holds several of. */
#include "families/geometry.h"

#include <inttypes.h>

#define TOO_LARGE "it takes blocks short enough for local memory"

static bool has_columns(const layout *l) {
    return l->kept_count > 1 && l->kept[l->kept_count - 1].in == 1;
}

block_run block_run_of(const layout *l) {
    const layout_dim *row = &l->reduced[l->reduced_count - 1];
    const uint64_t columns = has_columns(l) ? l->kept[l->kept_count - 1].size : 1;
    block_run run = {.columns = columns, .blocks = 1, .outer_dims = l->kept_count - has_columns(l)};
    if (row->in != (int64_t)columns || row->size > INT32_MAX / columns)
        return (block_run){0};
    while (run.outer_dims > 0) {
        const layout_dim *dim = &l->kept[run.outer_dims - 1];
        if (dim->in != (int64_t)(row->size * columns * run.blocks))
            break;
        run.blocks *= dim->size;
        --run.outer_dims;
    }
    return run;
}

#define BANK_BYTES 4

/* The conflicts of neighbouring work-items with `pad` elements behind each block. */
static uint32_t conflicts_of(const geometry_request *r, const geometry *g, uint64_t block, uint64_t vectors,
                             uint32_t pad) {
    uint64_t words[BANKS_MOST];
    for (uint32_t i = 0; i < r->tuning->tile_banks; ++i) {
        const uint64_t v = i % g->blocks.pass, element = v / vectors * (block + pad) + v % vectors * g->vector;
        words[i] = element * element_bytes(r->problem) / BANK_BYTES;
    }
    return bank_conflicts(r, words);
}

/* The pad of whole wide loads, and of whole vectors, with the fewest bank conflicts; none where blocks are not whole
 * ones themselves. */
static uint32_t choose_pad(const geometry_request *r, const geometry *g, uint64_t block, uint64_t vectors) {
    const uint32_t line = r->tuning->tile_banks * BANK_BYTES / element_bytes(r->problem);
    const uint32_t step = max_u32(g->wide, g->vector);
    uint32_t best = 0, least = conflicts_of(r, g, block, vectors, 0);
    for (uint32_t pad = step; block % step == 0 && pad < line && least > 1; pad += step) {
        const uint32_t most = conflicts_of(r, g, block, vectors, pad);
        if (most < least) {
            least = most;
            best = pad;
        }
    }
    return best;
}

/* Blocks of a job: as many as there is room for, of which jobs start at whole wide loads; fewer where the device would
 * have too little to do. 0 where wide loads of that size do not do. */
static uint32_t blocks_of_job(const geometry_request *r, uint64_t block, uint32_t group, uint32_t tile_bytes,
                              geometry *g) {
    const uint64_t step = max_u64(1, g->wide / greatest_divisor(g->wide, block));
    g->loads = min_u32(tile_bytes / (group * g->wide * element_bytes(r->problem)), r->tuning->tile_loads);
    if (r->layout->in_offset % (int64_t)g->wide != 0)
        return 0;
    uint64_t blocks = (uint64_t)group * g->loads * g->wide / (block + g->blocks.pad) / step * step;
    while (blocks > step && ceil_div(g->outers, blocks) < wanted_groups(r, g))
        blocks = ceil_div(blocks / 2, step) * step;
    return (uint32_t)blocks;
}

/* Vectors of columns that a work-group takes at once, `lanes` work-items each: of whole blocks where rows are fused. */
static uint64_t vectors_at_once(const geometry *g, uint32_t group, uint32_t lanes, uint64_t vectors) {
    return g->fused > 1 ? group / lanes / vectors * vectors : group / lanes;
}

/* Work-items that share a vector of columns: as many as make the passes over the job the shortest, and enough for the
 * counters of their accumulators. 0 where none do. */
static uint32_t lanes_of_vector(const geometry_request *r, const geometry *g, uint32_t group, uint64_t vectors) {
    const uint32_t bits = r->problem->input.type->bits;
    const uint64_t longest = bits <= 16 ? (UINT64_C(1) << bits) - 1 : PART_ELEMENTS_MAX;
    const uint32_t pass = r->tuning->tile_pass_rows;
    uint64_t best = UINT64_MAX;
    uint32_t lanes = 0;
    for (uint32_t n = 1; n <= group && n <= g->length; n *= 2) {
        const uint64_t run = ceil_div(g->length, n), at_once = vectors_at_once(g, group, n, vectors);
        const uint64_t merging = n > 1 ? pass : 0;
        if (run > longest || at_once == 0)
            continue;
        const uint64_t cost = ceil_div(g->batch * vectors, at_once) * (run + pass + merging);
        if (cost < best) {
            best = cost;
            lanes = n;
        }
    }
    return lanes;
}

/* Vectors: words along rows of narrow elements. Of columns, a word of narrow elements, where rows are whole ones, or so
 * many that are do as one and enough of those are left for what it costs to bring them together. */
static void choose_block_vector(const geometry_request *r, uint64_t rows, uint64_t columns, uint32_t group,
                                geometry *g) {
    const uint32_t bytes = element_bytes(r->problem);
    const uint32_t word = r->tuning->swar && bytes < BANK_BYTES ? BANK_BYTES / bytes : 1;
    g->vector = word;
    g->fused = 1;
    if (columns == 1 && word > 1 && rows >= word && r->device->little_endian) {
        g->load = LOAD_SHIFTED;
        return;
    }
    g->fused = (uint32_t)(word / greatest_divisor(word, columns));
    if (g->fused > 1 && (!is_mask_alike(r) || rows % g->fused ||
                         !reaches(rows / g->fused, r->tuning->tile_fused_rows) || columns * g->fused / word > group))
        g->vector = g->fused = 1;
}

/* A mask that does not lie as the input does is read where it is. */
static bool stages_mask(const geometry_request *r) {
    return is_masked(r->problem) && is_mask_alike(r);
}

static void choose_block_mask(const geometry_request *r, geometry *g) {
    const layout *l = r->layout;
    if (!is_masked(r->problem) || stages_mask(r)) {
        choose_mask(r, 1, g->wide == 1, g);
        return;
    }
    g->mask_along = has_columns(l) ? l->kept[l->kept_count - 1].mask : l->reduced[0].mask;
    g->mask = g->mask_along == 0 ? MASK_SAME : MASK_STRIDED;
}

/* Bytes of local memory for the elements of blocks, beside those of their mask and the candidates of a work-group, of
 * which a work-item has `own`. */
static uint32_t choose_tile(const geometry_request *r, uint32_t group, uint32_t own) {
    const uint64_t candidates = (uint64_t)(group + 16) * own * candidate_bytes(r->problem);
    const uint64_t bytes = element_bytes(r->problem), local = r->device->local_bytes;
    const uint64_t room = local > candidates ? (local - candidates) / (bytes + stages_mask(r)) * bytes : 0;
    return r->tuning->tile_bytes && room ? floor_power(room, r->tuning->tile_bytes) : 0;
}

static const char *lay_out_blocks(const geometry_request *r, geometry *g) {
    const layout *l = r->layout;
    const tuning_row *t = r->tuning;
    const uint32_t group = floor_power(t->group_register, r->group_limit);
    const block_run run = block_run_of(l);
    const uint64_t columns = run.columns, rows = l->reduced[0].size;
    const uint64_t block = rows * columns;
    g->tuning = t->name;
    if (!columns || l->reduced_count > 1 || run.outer_dims > 0)
        return NO_BLOCKS;
    if (l->kept_count - has_columns(l) > 1)
        return "it takes blocks along one kept dim";
    choose_block_vector(r, rows, columns, group, g);
    const bool shifted = g->load == LOAD_SHIFTED;
    const uint32_t tile = choose_tile(r, group, shifted ? 1 : g->vector);
    if (block > tile / element_bytes(r->problem))
        return TOO_LARGE;
    const uint64_t vectors = shifted ? 1 : columns * g->fused / g->vector;
    g->outers = l->outputs / columns;
    g->length = g->part_length = shifted ? ceil_div(rows, g->vector) : rows / g->fused;
    g->parts = 1;
    g->wide = kind_of_load(r, true, 2) == LOAD_ALIGNED ? widest_vector(r, t->vector_bytes, false) : 1;
    g->batch = blocks_of_job(r, block, group, tile, g);
    while (g->batch == 0 && g->wide > 1) {
        g->wide /= 2;
        g->batch = blocks_of_job(r, block, group, tile, g);
    }
    g->lanes = g->batch ? lanes_of_vector(r, g, group, vectors) : 0;
    if (g->lanes == 0)
        return TOO_LARGE;
    g->blocks.pass = (uint32_t)vectors_at_once(g, group, g->lanes, vectors);
    g->blocks.pad = choose_pad(r, g, block, vectors);
    const uint32_t batch = blocks_of_job(r, block, group, tile, g);
    if (batch)
        g->batch = batch;
    else /* no room for it */
        g->blocks.pad = 0;
    g->load = g->wide > 1 ? LOAD_ALIGNED : LOAD_UNALIGNED;
    choose_block_mask(r, g);
    choose_arithmetic(r, g);
    if (shifted)
        g->load = LOAD_SHIFTED;
    g->scan = distribute(r, group, ceil_div(g->outers, g->batch), t->groups_max);
    g->one_job = has_one_job(r, g);
    return plan_merge(r, l->outputs, 1, g);
}

static void add_options(const geometry *g, writer *out) {
    add_fused(g, out);
    text_add(out, " -DLANES=%" PRIu32 " -DWIDE=%" PRIu32 " -DLOADS=%" PRIu32, g->lanes, g->wide, g->loads);
}

static void set_blocks(const layout *l, const geometry *g, uint64_t jobs, kernel_arguments *arguments) {
    const uint64_t answers = l->outputs / g->outers, columns = answers * g->fused;
    const uint64_t vectors = g->load == LOAD_SHIFTED ? 1 : columns / g->vector, size = l->reduction * answers;
    const uint64_t wides = size / g->wide;
    const blocks_t blocks = {.jobs = jobs,
                             .jobs_per_group = g->scan.jobs_per_group,
                             .outers = g->outers,
                             .blocks = g->batch,
                             .rows = (cl_uint)g->length,
                             .columns = (cl_uint)columns,
                             .answers = (cl_uint)answers,
                             .per_answers = short_reciprocal(answers),
                             .vectors = (cl_uint)vectors,
                             .per_vectors = short_reciprocal(vectors),
                             .wides = (cl_uint)wides,
                             .per_wides = g->blocks.pad ? short_reciprocal(wides) : 0,
                             .pad = g->blocks.pad,
                             .pass = g->blocks.pass,
                             .size = (cl_uint)size};
    set_argument(arguments, 0, &blocks, sizeof blocks);
}

static void describe(const geometry *g, writer *out) {
    text_add(out, "%" PRIu32 " lanes a vector of %s, vectors of %" PRIu32 ", %" PRIu32 " blocks at once", g->lanes,
             g->load == LOAD_SHIFTED ? "rows" : "columns", g->vector, g->batch);
}

const family family_blocks = {
    .name = "blocks",
    .kernel = "blocks",
    .structs = 1,
    .struct_bytes = {sizeof(blocks_t)},
    .takes_mask = true,
    .takes_both = true,
    .lay_out = lay_out_blocks,
    .options = add_options,
    .arguments = set_blocks,
    .describe = describe,
};

/* Columns of few rows, for which a work-group alone has little to do; and rows of which only narrow vectors could be
 * loaded, neither so short that a few work-items hold them nor so long that the loads are the least of it. */
static bool blocks_are_small(const geometry_request *r, const geometry *g) {
    const uint64_t row = r->layout->reduction, bytes = element_bytes(r->problem);
    const tuning_row *t = r->tuning;
    if (g->scan.group == 1)
        return false;
    if (r->layout->kept_count == 2)
        return true;
    if (word_of(r) > 1 && !is_masked(r->problem)) /* registers do (register_rows.c) */
        return false;
    return g->wide > 1 && row % t->odd_row_vector != 0 &&
           row * bytes >= (g->load == LOAD_SHIFTED ? t->odd_row_least : t->odd_row_least_bytes) &&
           (bytes == 1 ? row <= t->odd_row_most_8 : row * bytes <= t->odd_row_most_bytes);
}

const strategy strategy_tiled_blocks = {"tiled-blocks", &family_blocks, false, false, LANES_FEW, blocks_are_small};
