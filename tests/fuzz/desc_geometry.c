/* What holds of every geometry that is chosen or forced, family by family. */
#include "desc_geometry.h"

#include "choose.h"
#include "families/geometry.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_power(uint64_t n) {
    return n != 0 && (n & (n - 1)) == 0;
}

/* Every job is some group's, and no group is without one. */
static void check_grid(const launch_grid *grid, uint32_t group_limit) {
    REQUIRE(is_power(grid->group) && grid->group <= group_limit, "group %" PRIu32, grid->group);
    REQUIRE(grid->groups >= 1 && grid->jobs_per_group >= 1 && grid->jobs >= 1, "%" PRIu64 " groups", grid->groups);
    REQUIRE(ceil_div(grid->jobs, grid->jobs_per_group) == grid->groups, "%" PRIu64 " jobs in %" PRIu64 " groups",
            grid->jobs, grid->groups);
}

/* A mask that comes with the blocks lies as they do, by wide loads at multiples of these; rows that are fused have such
 * a one. */
static void check_block_mask(const layout *l, const geometry *g) {
    const bool comes = g->mask == MASK_ALIGNED || g->mask == MASK_UNALIGNED;
    REQUIRE(g->fused == 1 || comes || g->mask == MASK_NONE, "%" PRIu32 " fused", g->fused);
    REQUIRE(g->mask != MASK_ALIGNED || (g->wide > 1 && g->aligned_mask % g->wide == 0 && l->mask_offset % g->wide == 0),
            "mask from %" PRId64, l->mask_offset);
    for (uint32_t i = 0; comes && i < l->kept_count; ++i)
        REQUIRE(l->kept[i].size == 1 || l->kept[i].mask == l->kept[i].in, "mask %" PRId64 " apart", l->kept[i].mask);
    REQUIRE(!comes || l->reduction == 1 || l->reduced[0].mask == l->reduced[0].in, "mask %" PRId64 " apart",
            l->reduced[0].mask);
}

/* Blocks and what lies between them fit the tile, jobs start at whole wide loads, vectors lie at multiples of their
 * size in local memory, and no accumulator counts more rows than it can. */
static void check_blocks(const layout *l, uint32_t bits, const geometry *g) {
    const uint64_t columns = l->kept_count == 2 ? l->kept[1].size : 1, block = l->reduction * columns;
    const bool shifted = g->load == LOAD_SHIFTED;
    const uint64_t vectors = shifted ? 1 : columns * g->fused / g->vector,
                   tile = (uint64_t)g->scan.group * g->loads * g->wide;
    const uint64_t run = ceil_div(g->length, g->lanes);
    REQUIRE(l->reduced_count == 1 && l->kept_count <= 2 && g->parts == 1, "%" PRIu32 " kept", l->kept_count);
    REQUIRE(l->reduced[0].in == (int64_t)columns && l->kept[0].in == (int64_t)block, "rows %" PRId64 " apart",
            l->reduced[0].in);
    REQUIRE(g->length == (shifted ? ceil_div(block, g->vector) : l->reduction / g->fused) &&
                l->reduction % g->fused == 0,
            "%" PRIu64 " rows of %" PRIu32, g->length, g->fused);
    REQUIRE(vectors >= 1 && (shifted || columns * g->fused % g->vector == 0), "vectors of %" PRIu32, g->vector);
    REQUIRE(!shifted || (columns == 1 && block >= g->vector), "words of rows of %" PRIu64, block);
    REQUIRE(shifted || (block + g->blocks.pad) % g->vector == 0, "blocks of %" PRIu64 " and %" PRIu32, block,
            g->blocks.pad);
    REQUIRE(g->batch >= 1 && g->batch * (block + g->blocks.pad) <= tile, "%" PRIu32 " blocks of %" PRIu64, g->batch,
            block);
    REQUIRE(g->batch * block % g->wide == 0 && l->in_offset % g->wide == 0, "wide loads of %" PRIu32, g->wide);
    REQUIRE(g->blocks.pad == 0 || (block % g->wide == 0 && g->blocks.pad % g->wide == 0), "pad %" PRIu32,
            g->blocks.pad);
    REQUIRE(bits > 16 || run < UINT64_C(1) << bits, "runs of %" PRIu64, run);
    REQUIRE(g->blocks.pass >= 1 && g->blocks.pass <= g->scan.group / g->lanes &&
                (g->fused == 1 || g->blocks.pass % vectors == 0),
            "%" PRIu32 " at once", g->blocks.pass);
    REQUIRE(g->outers * columns == l->outputs, "%" PRIu64 " outers", g->outers);
    check_block_mask(l, g);
}

/* Whole blocks, of which there is a vector at least and each place fits a signed element; those whose elements are not
 * all written out go in turns of whole rows, and those in layers a panel at a time. */
static void check_transposed(const layout *l, uint32_t bits, const geometry *g) {
    const layout_dim *const row = &l->reduced[l->reduced_count - 1];
    const uint64_t block = row->size * g->transposed.columns;
    const uint32_t outers = l->kept_count - (g->transposed.columns > 1);
    uint64_t run = 1;
    REQUIRE(l->reduced_count >= 1 && outers >= 1 && g->parts == 1, "%" PRIu32 " kept", l->kept_count);
    REQUIRE(row->in == (int64_t)g->transposed.columns && g->length == row->size &&
                g->transposed.block_rows == row->size,
            "rows %" PRId64 " apart", row->in);
    REQUIRE(g->transposed.columns == 1 || (l->kept[outers].in == 1 && g->transposed.columns == l->kept[outers].size),
            "%" PRIu32 " columns", g->transposed.columns);
    for (uint32_t i = outers; i > 0; --i) {
        if (l->kept[i - 1].in != (int64_t)(block * run))
            break;
        run *= l->kept[i - 1].size;
    }
    REQUIRE(g->vector > 1 && g->vector <= 16 && run >= g->vector, "vectors of %" PRIu32, g->vector);
    REQUIRE(g->tiles == ceil_div(run, (uint64_t)g->vector * g->transposed.job_vectors) &&
                g->scan.jobs == g->tiles * (g->outers / run),
            "%" PRIu64 " tiles, %" PRIu64 " jobs", g->tiles, g->scan.jobs);
    REQUIRE(g->outers * g->transposed.columns == l->outputs && g->scan.group == 1, "%" PRIu64 " outers", g->outers);
    REQUIRE(g->transposed.job_vectors >= 1 && g->transposed.job_vectors <= g->panel &&
                (l->reduced_count > 1 || g->panel == 1),
            "%" PRIu64 " vectors of a layer", g->transposed.job_vectors);
    REQUIRE(l->reduction < UINT64_C(1) << (bits - 1) && l->reduction <= PART_ELEMENTS_MAX, "%" PRIu64 " rows",
            l->reduction);
    REQUIRE(g->transposed.step >= 1 && g->transposed.step <= g->length &&
                (uint64_t)g->transposed.step * g->transposed.columns >= (block < g->vector ? block : g->vector),
            "%" PRIu32 " rows at once", g->transposed.step);
    REQUIRE(!g->swar && !g->nv_ptx && g->load != LOAD_ALIGNED && g->load != LOAD_STRIDED, "load %d", (int)g->load);
}

/* Outputs of a row of columns: of the last kept dim, and of the one before where columns of each are apart; or of
 * several dims that go on where the next one ends, or the last but one at a distance that leaves no line out. */
static uint64_t outputs_of_row(const layout *l, const geometry *g) {
    const layout_dim *last = &l->kept[l->kept_count - 1];
    uint64_t outputs = last->size * (g->apart > 1 ? l->kept[l->kept_count - 2].size : 1);
    int64_t pitch = g->row_dims > 1 ? g->pitch : 0;
    REQUIRE(g->apart >= 1 && (g->apart == 1 || (g->inner > 1 && l->kept_count > 1 && last->size == g->apart)),
            "%" PRIu32 " apart", g->apart);
    REQUIRE(g->row_dims <= l->kept_count && (g->row_dims <= 1 || g->inner == 1), "rows of %" PRIu32 " dims",
            g->row_dims);
    REQUIRE(g->row_dims <= 1 || (g->pitch >= last->size && g->pitch < last->size + 4096), "pitch %" PRIu32, g->pitch);
    for (uint32_t i = 1; i < g->row_dims; ++i, --last, pitch = (int64_t)last->size) {
        REQUIRE(last[-1].in == last->in * pitch && last[-1].mask == last->mask * pitch,
                "dim %" PRIu32 " goes on elsewhere", i);
        outputs *= last[-1].size;
    }
    return outputs;
}

static uint64_t columns_of(const layout *l, uint64_t outputs, const geometry *g) {
    const uint64_t size = l->kept[l->kept_count - 1].size;
    return g->row_dims > 1 ? (outputs / size - 1) * g->pitch + size : outputs * g->inner;
}

/* The same of the stream: one output where no dim is in the row; gaps behind the columns of an output, or behind those
 * of the last kept dim. */
static uint64_t outputs_of_stream(const layout *l, const geometry *g) {
    const layout_dim *last = &l->kept[l->kept_count - 1];
    const uint32_t used = g->inner * g->apart;
    const bool joined = g->row_dims == 2;
    REQUIRE(g->pitch >= used && (g->pitch == used || g->fused == 1), "%" PRIu32 " of %" PRIu32, used, g->pitch);
    if (g->row_dims == 0) {
        REQUIRE(g->inner > 1 && g->pitch == g->inner, "%" PRIu32 " of %" PRIu32, g->inner, g->pitch);
        return 1;
    }
    if (!joined && g->pitch == used)
        return outputs_of_row(l, g);
    REQUIRE(joined ? l->kept_count > 1 && g->inner == 1 && g->apart == last->size : g->apart == 1, "%" PRIu32 " apart",
            g->apart);
    const layout_dim *const outer = joined ? last - 1 : last, *const inner =
                                                                  joined ? last : &l->reduced[l->reduced_count - 1];
    REQUIRE(inner->in == 1 && inner->size == used && outer->in == (int64_t)g->pitch &&
                outer->mask == inner->mask * (int64_t)g->pitch,
            "pitch %" PRIu32, g->pitch);
    return joined ? last->size * outer->size : last->size;
}

/* Tiles cover the columns, work-items a tile whatever its vectors begin with, and those that share a column have rows
 * that begin at the same place. */
static void check_stream(const layout *l, const geometry *g) {
    const uint64_t windows = max_u64(1, g->stream.windows), parts = g->parts / windows; /* of rows */
    const uint64_t inner = g->stream.windows ? l->reduced[l->reduced_count - 1].size : g->inner;
    const uint64_t its = outputs_of_stream(l, g), used = (uint64_t)g->inner * g->apart;
    const uint64_t columns = ((its / g->apart - 1) * g->pitch + used) * g->fused,
                   room = (uint64_t)g->across * g->vector;
    REQUIRE(g->across * g->stream.sharing <= g->scan.group, "%" PRIu32 " x %" PRIu32, g->across, g->stream.sharing);
    REQUIRE(g->unroll >= 1 && g->unroll <= UNROLL_MAX, "%" PRIu32 " rows in flight", g->unroll);
    REQUIRE(g->stream.period >= 1 && g->stream.sharing >= 1 && g->stream.sharing % g->stream.period == 0,
            "period %" PRIu32, g->stream.period);
    REQUIRE(g->tile_columns >= 1 && g->tiles == ceil_div(columns, g->tile_columns), "%" PRIu64 " tiles", g->tiles);
    REQUIRE(g->tile_columns + (g->stream.phased ? g->vector - 1 : 0) <= room, "%" PRIu64 " columns", g->tile_columns);
    REQUIRE((g->stream.phased || columns >= g->vector) && g->tile_columns % g->pitch == 0, "%" PRIu64 " columns",
            columns);
    REQUIRE(g->fused == 1 || (g->tiles == 1 && g->tile_columns == columns), "%" PRIu32 " fused", g->fused);
    /* Fused rows are of one segment, and of several parts are segments. */
    const uint64_t rows = l->reduction / inner;
    const uint64_t row = g->fused == 1 ? rows : l->reduced[l->reduced_count - (g->inner > 1 ? 2 : 1)].size;
    REQUIRE(g->length == rows / row * (row / g->fused) && g->length >= 1, "%" PRIu64 " rows", g->length);
    REQUIRE(row == rows || (g->stream.interleaved && parts == rows / row * g->stream.interleaved),
            "%" PRIu64 " parts of %" PRIu64 " segments", parts, rows / row);
    REQUIRE(parts * windows == g->parts && ceil_div(inner, g->inner) == windows, "%" PRIu64 " windows", windows);
    REQUIRE(windows == 1 || (g->inner_first && g->row_dims == 0 && !g->tail_chunks), "%" PRIu64 " windows", windows);
    REQUIRE(g->outers * its == l->outputs, "%" PRIu64 " outers", g->outers);
    REQUIRE(g->scan.jobs == g->tiles * g->outers * g->parts, "%" PRIu64 " jobs", g->scan.jobs);
    REQUIRE(g->part_length <= PART_ELEMENTS_MAX / g->fused / g->inner, "chunk %" PRIu64, g->part_length);
    /* Parts that take turns at a segment have each a row of it, and places of all of it. */
    if (g->stream.interleaved) {
        const uint64_t segment = g->length / (parts / g->stream.interleaved);
        REQUIRE(g->constant_stride && parts % g->stream.interleaved == 0, "%" PRIu64 " parts interleaved",
                g->stream.interleaved);
        REQUIRE((g->stream.interleaved - 1) * g->stream.sharing < segment &&
                    (g->tail_chunks || ceil_div(segment, g->stream.interleaved) <= g->part_length),
                "%" PRIu64 " parts of %" PRIu64, g->stream.interleaved, segment);
        REQUIRE(segment <= PART_ELEMENTS_MAX / g->fused / g->inner, "segment of %" PRIu64, segment);
        REQUIRE(g->stream.interleaved == parts ||
                    segment == l->reduced[l->reduced_count - (g->inner > 1 ? 2 : 1)].size / g->fused,
                "segment of %" PRIu64, segment);
    }
    REQUIRE(g->load != LOAD_ALIGNED || g->stream.phased ||
                (l->in_offset % g->vector == 0 && g->tile_columns % g->vector == 0),
            "vectors of %" PRIu32, g->vector);
}

/* Every output is in one vector of its row, which has no more of the one before than that has, and no element of a
 * reduction lies beyond what an int tells. */
static void check_few_rows(const layout *l, const geometry *g) {
    const layout_dim *const column = &l->kept[l->kept_count - 1];
    const uint64_t vectors = g->outers * g->tiles * g->across, job = (uint64_t)g->scan.group * g->batch;
    const uint32_t outputs = g->vector / g->fused * g->across;
    int64_t farthest = 0;
    for (uint32_t i = 0; i < l->reduced_count; ++i)
        farthest += (int64_t)(l->reduced[i].size - 1) * llabs(l->reduced[i].in);
    REQUIRE(g->outers * column->size == l->outputs && g->tiles == ceil_div(column->size, outputs),
            "%" PRIu64 " vectors", vectors);
    REQUIRE(is_power(g->across) && (g->across == 1 || g->vector == g->fused || g->load == LOAD_STRIDED),
            "%" PRIu32 " across", g->across);
    REQUIRE(g->few_rows.in_turn == l->both_orders, "%" PRIu32 " across", g->across);
    REQUIRE(outputs <= column->size && (g->vector == g->fused || (column->in == 1 && g->fused == 1)),
            "vectors of %" PRIu32, g->vector);
    const layout_dim *const last = &l->reduced[l->reduced_count - 1];
    REQUIRE(g->fused == 1 || g->load != LOAD_ALIGNED || (last->in == 1 && last->size % g->fused == 0),
            "words of %" PRIu32, g->fused);
    REQUIRE(g->length == l->reduction && g->length <= FEW_ELEMENTS_MOST && g->unroll >= 1 && g->unroll <= g->length,
            "%" PRIu64 " elements", g->length);
    REQUIRE(farthest <= INT32_MAX, "elements %" PRId64 " apart", farthest);
    REQUIRE(g->batch >= 1 && g->scan.jobs == ceil_div(vectors, job), "%" PRIu64 " jobs", g->scan.jobs);
    REQUIRE(!g->one_job || g->scan.jobs * job <= UINT64_C(1) << 31, "%" PRIu64 " jobs", g->scan.jobs);
}

static void check_units(const layout *l, uint32_t bits, const geometry *g) {
    const layout_dim *const last = &l->reduced[l->reduced_count - 1];
    if (is_of(g, "rows")) {
        const bool anywhere = g->overlap && g->load == LOAD_ALIGNED;
        const uint64_t whole = last->size / g->vector; /* what is peeled off is read apart */
        REQUIRE(g->unroll >= 1, "unroll %" PRIu32, g->unroll);
        REQUIRE(g->segment_vectors == (anywhere ? ceil_div(last->size + g->vector - 1, g->vector)
                                                : whole + (g->overlap && last->size % g->vector)),
                "%" PRIu64 " vectors", g->segment_vectors);
        REQUIRE(!anywhere || (last->size >= g->vector && g->scan.group > 1), "aligned vectors of %" PRIu32, g->vector);
        REQUIRE(g->overlap || g->peel || last->size % g->vector == 0, "vectors of %" PRIu32, g->vector);
        REQUIRE(g->length == l->reduction / last->size * g->segment_vectors, "%" PRIu64 " units", g->length);
        REQUIRE(g->part_length <= PART_ELEMENTS_MAX / g->vector, "chunk %" PRIu64, g->part_length);
        REQUIRE(!g->rows.local_index || (g->parts == 1 && g->lanes == 1 && g->vector > 1), "%" PRIu64 " parts",
                g->parts);
        REQUIRE(g->vector <= 16 || g->scan.group == 1, "%" PRIu32 " work-items over wide vectors", g->scan.group);
        REQUIRE(!g->rows.local_index || bits <= 16, "places beside %" PRIu32 " bits", bits);
        REQUIRE(!g->one_block || (g->rows.local_index && l->reduction >> bits == 0), "%" PRIu64 " in a block",
                l->reduction);
        REQUIRE(bits != 8 || g->unroll * g->vector < 255, "unroll %" PRIu32 " of %" PRIu32, g->unroll, g->vector);
    } else if (is_of(g, "register_rows")) {
        const bool shifted = g->load == LOAD_SHIFTED;
        REQUIRE(g->parts == 1 && g->length == ceil_div(l->reduction, g->vector), "%" PRIu64 " units", g->length);
        REQUIRE(shifted ? g->lanes == 1 || l->reduction >= (uint64_t)g->loads * g->vector
                        : l->reduction % g->vector == 0,
                "vectors of %" PRIu32, g->vector);
        REQUIRE((uint64_t)g->lanes * g->loads >= g->length, "%" PRIu32 " loads", g->loads);
    } else if (is_of(g, "blocks")) {
        check_blocks(l, bits, g);
    } else if (is_of(g, "transposed")) {
        check_transposed(l, bits, g);
    } else if (is_of(g, "stream")) {
        check_stream(l, g);
    } else if (is_of(g, "few_rows")) {
        check_few_rows(l, g);
    } else if (is_of(g, "permuted")) {
        REQUIRE(g->segment_vectors >= 1 && g->length % g->segment_vectors == 0, "%" PRIu64 " units of %" PRIu64,
                g->length, g->segment_vectors);
        REQUIRE(l->reduced_count > 1 && g->vector <= VECTOR_MAX, "vectors of %" PRIu32, g->vector);
        REQUIRE(!g->permuted.straight || bits <= 16, "straight runs of %" PRIu32 " bits", bits);
    } else if (is_of(g, "segments")) {
        REQUIRE(g->scan.group == 1 && g->part_length <= PART_ELEMENTS_MAX / last->size, "chunk %" PRIu64,
                g->part_length);
        REQUIRE(g->overlap == (last->size % g->vector != 0) && g->segment_vectors == ceil_div(last->size, g->vector) &&
                    g->length == l->reduction / last->size,
                "%" PRIu64 " vectors", g->segment_vectors);
    } else if (g->fused) {
        REQUIRE(g->unroll >= 1, "unroll %" PRIu32, g->unroll);
        REQUIRE(g->part_length <= PART_ELEMENTS_MAX / g->fused, "chunk %" PRIu64, g->part_length);
    }
}

/* Fused rows are whole vectors of one tile, and follow each other in memory. */
static void check_fused(uint64_t row_size, const layout_dim *column, const layout_dim *row, const geometry *g) {
    const uint64_t pitch = (uint64_t)row->in, width = pitch * g->fused;
    REQUIRE(is_of(g, "columns") && g->scan.group == 1 && g->load != LOAD_ALIGNED, "%" PRIu32 " fused", g->fused);
    REQUIRE(is_power(g->fused) && g->panel > 1 && width <= (uint64_t)g->panel * g->vector && g->tiles == 1,
            "%" PRIu64 " columns of %" PRIu32 " x %" PRIu32, width, g->vector, g->panel);
    REQUIRE(width % g->vector == 0 || (pitch == row_size && width > g->vector && 2 * pitch < g->vector),
            "%" PRIu64 " columns in vectors of %" PRIu32, width, g->vector);
    REQUIRE(g->panel == 2 || ceil_div(width, g->vector) == g->panel, "a panel of %" PRIu32 " vectors", g->panel);
    REQUIRE((column->size == 1 || column->in == (int64_t)(g->apart > 1 ? 1 : g->inner)) && row->in > 0 &&
                pitch >= row_size,
            "rows %" PRId64 " apart", row->in);
    REQUIRE(pitch == row_size || (g->apart == 1 && g->row_dims <= 1 && pitch - row_size < g->vector),
            "gaps of %" PRIu64, pitch - row_size);
    REQUIRE(g->apart > 1 || g->row_dims > 1 || g->pitch == pitch, "pitch %" PRIu32, g->pitch);
    REQUIRE(row->size >= g->fused, "%" PRIu64 " rows", row->size);
}

/* The parts of an output cover it, with the runs behind them where there are some, and none is empty. */
static void check_parts(const layout *l, uint32_t bits, const geometry *g) {
    const bool columns = is_of(g, "columns");
    REQUIRE(g->length >= 1 && g->part_length >= 1 && g->parts >= 1, "%" PRIu64 " parts", g->parts);
    REQUIRE(!g->one_job || (g->scan.jobs < UINT64_C(1) << 31 && l->outputs < UINT64_C(1) << 31),
            "%" PRIu64 " jobs of %" PRIu64 " outputs", g->scan.jobs, l->outputs);
    if (g->tail_chunks) {
        const uint64_t before = g->parts * g->part_length;
        REQUIRE((columns || is_of(g, "stream")) && g->finish && g->tail_chunk >= 1, "runs of %" PRIu64, g->tail_chunk);
        REQUIRE(before < g->length && ceil_div(g->length - before, g->tail_chunk) == g->tail_chunks,
                "%" PRIu64 " runs of %" PRIu64, g->tail_chunks, g->tail_chunk);
        /* A work-item of columns counts on from chunk to chunk; one of the stream counts what a part may claim. */
        const uint64_t sharing = columns ? g->scan.group / g->across : g->stream.sharing;
        const uint64_t counted = bits == 8 ? UINT8_MAX / g->unroll : STREAM_CHUNKS_MOST;
        REQUIRE(g->part_length % sharing == 0 && g->tail_chunk % sharing == 0 && !g->one_block,
                "%" PRIu64 " rows of %" PRIu64, g->part_length, g->tail_chunk);
        REQUIRE(columns || (g->tail_chunk == sharing * g->unroll && g->part_length % g->tail_chunk == 0 &&
                            ceil_div(g->tail_chunks, g->word_sets) <=
                                g->parts / g->word_sets * min_u64(counted, STREAM_CHUNKS_MOST)),
                "%" PRIu64 " batches of %" PRIu64, g->tail_chunks, g->tail_chunk);
    } else {
        const uint64_t parts = g->parts / (is_of(g, "stream") ? max_u64(1, g->stream.windows) : 1);
        const bool segments = is_of(g, "stream") && g->stream.interleaved && g->stream.interleaved < parts;
        REQUIRE(segments || ceil_div(g->length, g->part_length) == parts, "%" PRIu64 " parts of %" PRIu64, parts,
                g->part_length);
    }
    if (columns) {
        const layout_dim *const column = &l->kept[l->kept_count - 1];
        const layout_dim *const row = &l->reduced[l->reduced_count - (g->inner > 1 ? 2 : 1)];
        const uint64_t rows = l->reduction / g->inner / row->size * ceil_div(row->size, g->fused);
        const uint64_t its = outputs_of_row(l, g), columns_of_row = columns_of(l, its, g);
        if (g->fused != 1)
            check_fused(columns_of_row, column, row, g);
        REQUIRE(g->tile_columns <= (uint64_t)g->across * g->vector * g->panel &&
                    g->tile_columns % (g->inner > 1 && g->fused == 1 ? (uint64_t)g->inner * g->apart : g->vector) == 0,
                "%" PRIu64 " columns", g->tile_columns);
        /* Vectors may begin before the first column. */
        REQUIRE(g->tiles ==
                    ceil_div(columns_of_row * g->fused + (g->whole_lines ? VECTOR_MAX - 1 : 0), g->tile_columns),
                "%" PRIu64 " tiles", g->tiles);
        REQUIRE(g->outers == l->outputs / its, "%" PRIu64 " outers", g->outers);
        REQUIRE(g->length == rows, "%" PRIu64 " rows", g->length);
        REQUIRE(g->scan.jobs == g->tiles * g->outers * g->parts, "%" PRIu64 " jobs", g->scan.jobs);
        REQUIRE(!g->non_temporal || (g->scan.group == 1 && g->vector > 1 && g->parts == 1), "%" PRIu64 " parts",
                g->parts);
    } else if (is_of(g, "segments")) {
        REQUIRE(l->outputs % g->outers == 0 && g->tile_columns <= g->segments.tile_outputs, "%" PRIu64 " outers",
                g->outers);
        REQUIRE(ceil_div(l->outputs / g->outers, g->tile_columns) == g->tiles, "%" PRIu64 " tiles", g->tiles);
        REQUIRE(g->scan.jobs == g->tiles * g->outers * g->parts, "%" PRIu64 " jobs", g->scan.jobs);
    } else if (is_of(g, "blocks")) {
        REQUIRE(g->scan.jobs == ceil_div(g->outers, g->batch), "%" PRIu64 " jobs", g->scan.jobs);
    } else if (is_of(g, "rows") || is_of(g, "permuted") || is_of(g, "register_rows")) {
        const uint64_t rows = (uint64_t)(g->scan.group / g->lanes) * (is_of(g, "register_rows") ? g->batch : 1);
        REQUIRE(g->scan.jobs == ceil_div(l->outputs, rows) * g->parts, "%" PRIu64 " jobs", g->scan.jobs);
    }
}

/* The outputs that share a counter, at most. */
static uint64_t unit_outputs(const layout *l, const geometry *g) {
    if (is_of(g, "stream"))
        return g->tile_columns / g->pitch * g->apart / g->fused;
    if (!is_of(g, "columns"))
        return 1;
    const uint64_t row = l->outputs / g->outers;
    return g->tile_columns < row ? g->tile_columns : row;
}

/* Counters of each unit: what came, what was drawn, and words of the best so far, where they hold key and tie. */
static void check_counters(const problem *p, const layout *l, const device_facts *device, const geometry *g) {
    const bool tiles = g->family->merges_tiles;
    const uint64_t units = tiles ? g->tiles * g->outers : l->outputs;
    REQUIRE(g->finish == device->ordering, "ordering %d", (int)g->finish);
    const uint64_t sets = g->word_sets;
    REQUIRE(sets && sets <= WORD_SETS && (sets & (sets - 1)) == 0, "%" PRIu64 " sets of words", sets);
    REQUIRE(sets == 1 || (g->atomic_partial && tiles && g->parts > sets / 2), "%" PRIu64 " sets of words", sets);
    const uint64_t each = g->atomic_partial    ? 2 + 2 * sets * g->set_words
                          : g->flagged_partial ? 2 + 4 * g->parts
                          : g->tail_chunks     ? 2
                                               : 1;
    const uint64_t words = unit_outputs(l, g) * extremes_of(p) + (g->tail_chunks ? 1 : 0);
    REQUIRE(g->set_words == (g->atomic_partial ? words : 0), "%" PRIu32 " words", g->set_words);
    REQUIRE(g->unit_counters == each && g->counters == units * each, "%" PRIu64 " counters", g->counters);
    REQUIRE(g->counters <= COUNTERS_A_QUEUE, "%" PRIu64 " counters", g->counters);
    if (has_words(g))
        REQUIRE(device->wide_atomics && (tiles ? g->scan.group > 1 : g->nv_ptx || g->scan.group == 1),
                "words by ordering %d", (int)g->finish);
    if (g->flagged_partial) {
        REQUIRE(!g->atomic_partial && !g->tail_chunks && g->parts <= 1023, "two words of %" PRIu64 " parts", g->parts);
        REQUIRE(is_of(g, "rows") && l->reduction < INT32_MAX, "two words of %" PRIu64, l->reduction);
    }
    if (g->atomic_partial) {
        REQUIRE(p->input.type->bits <= 32 && l->reduction < UINT32_MAX, "one word of %" PRIu32 " bits and %" PRIu64,
                p->input.type->bits, l->reduction);
    }
}

/* Aligned loads start at multiples of the vector. */
static void check_alignment(const layout *l, const geometry *g) {
    const layout_dim *const last = &l->reduced[l->reduced_count - 1], *const column = &l->kept[l->kept_count - 1];
    const layout_dim *const nearest = g->inner > 1 && g->apart == 1 ? last : column;
    const layout_dim *const along = is_of(g, "columns") ? nearest : last;
    const int64_t vector = g->vector;
    if (!is_of(g, "columns") && !is_of(g, "rows") && !is_of(g, "register_rows") && !is_of(g, "segments"))
        return; /* check_blocks, check_transposed, check_stream, check_few_rows, check_units */
    REQUIRE((g->load == LOAD_STRIDED) == (along->in != 1), "stride %" PRId64, along->in);
    if (g->load != LOAD_ALIGNED || g->overlap || g->peel)
        return;
    REQUIRE(l->in_offset % vector == 0, "offset %" PRId64, l->in_offset);
    for (uint32_t i = 0; i < l->kept_count; ++i)
        REQUIRE(&l->kept[i] == along || l->kept[i].size == 1 || l->kept[i].in % vector == 0, "kept %" PRIu32, i);
    for (uint32_t i = 0; i < l->reduced_count; ++i)
        REQUIRE(&l->reduced[i] == along || l->reduced[i].size == 1 || l->reduced[i].in % vector == 0, "reduced");
}

/* Every element of an output tensor has its piece, and is within the tensor. */
static void check_copies(const problem *p, const layout *l, uint32_t group_limit, const geometry *g) {
    char options[OPTIONS_CAPACITY];
    check_grid(&g->copies, group_limit);
    for (output_tensor output = 0; output < OUTPUT_TENSORS; ++output) {
        const tensor_view *const view = output_view(p, output);
        if (!view->type)
            continue;
        const copies_t c = copies_argument(p, l, g, output);
        const uint32_t dims = copies_dims(l);
        const uint64_t bytes = view->type->bits / 8, before = answers_offset(p, l, g, output) / bytes;
        uint64_t rows = 1, first = (uint64_t)c.offset, last = first, answers = 1;
        for (uint32_t i = 0; i < dims; ++i) {
            const uint64_t reach = (c.size[i] - 1) * (uint64_t)c.stride[i];
            *(c.stride[i] < 0 ? &first : &last) += reach;
            rows *= i + 1 < dims ? c.size[i] : 1;
            answers += (c.size[i] - 1) * (uint64_t)c.from[i];
            REQUIRE(c.per_size[i] == reciprocal(c.size[i]), "dim %" PRIu32, i);
        }
        REQUIRE(rows * c.size[dims - 1] == p->outputs, "%" PRIu64 " rows", rows);
        REQUIRE(c.length && c.row_runs == ceil_div(c.size[dims - 1], c.length), "runs of %" PRIu64, (uint64_t)c.length);
        REQUIRE(is_power(c.lanes) && c.lanes <= g->copies.group && c.lanes <= c.length, "%" PRIu32 " lanes", c.lanes);
        REQUIRE(c.runs == rows * c.row_runs && g->copies.jobs == ceil_div(c.runs, g->copies.group / c.lanes),
                "%" PRIu64 " runs", (uint64_t)c.runs);
        REQUIRE(answers == l->outputs && (uint64_t)c.answers == before &&
                    (before + answers) * bytes <= answers_offset(p, l, g, OUTPUT_TENSORS),
                "%" PRIu64 " answers", answers);
        REQUIRE(first == view->first && last == view->last, "%" PRIu64 " to %" PRIu64, first, last);
        memset(options, 'x', sizeof options);
        options_copies(p, l, g, output, options);
        REQUIRE(memchr(options, 0, sizeof options), "options");
    }
}

/* Whether work-items share a row of the family, not a row of columns. */
static bool has_lanes(const geometry *g) {
    return !is_of(g, "columns") && !is_of(g, "stream");
}

void check_geometry(const problem *p, const layout *l, const device_facts *device, uint32_t group_limit,
                    const geometry *g) {
    char options[OPTIONS_CAPACITY];
    check_grid(&g->scan, group_limit);
    REQUIRE(is_power(g->vector) && g->vector <= 32, "vectors of %" PRIu32, g->vector);
    REQUIRE(has_lanes(g) ? is_power(g->lanes) && (g->across == 0 || is_of(g, "few_rows")) : g->lanes == 0,
            "%" PRIu32 " lanes", g->lanes);
    REQUIRE(!is_of(g, "columns") || is_power(g->across), "%" PRIu32 " across", g->across);
    REQUIRE(max_u32(g->lanes, g->across) <= g->scan.group, "%" PRIu32 " lanes", g->lanes);
    const layout turned = with_first_last(l), *const told = g->inner_first ? &turned : l;
    const bool in_windows = is_of(g, "stream") && g->stream.windows > 1;
    REQUIRE(!g->inner_first || (l->reduced[0].in == 1 && l->reduced_count > 1 &&
                                (in_windows ? g->inner < l->reduced[0].size : g->inner == l->reduced[0].size)),
            "%" PRIu32 " neighbours first", g->inner);
    REQUIRE(g->load != LOAD_SHIFTED ||
                (g->vector * p->input.type->bits % 32 == 0 && g->vector * p->input.type->bits <= 128),
            "%s: shifted vectors of %" PRIu32, g->family->name, g->vector);
    check_units(told, p->input.type->bits, g);
    check_parts(told, p->input.type->bits, g);
    check_alignment(told, g);
    if (g->parts > 1) {
        check_grid(&g->merge, group_limit);
        REQUIRE(is_power(g->merge_lanes) && g->merge_lanes <= g->merge.group, "%" PRIu32 " lanes", g->merge_lanes);
        if (g->finish != ORDERING_NONE)
            check_counters(p, l, device, g);
        REQUIRE(g->parts <= UINT64_MAX / l->outputs, "%" PRIu64 " parts", g->parts);
    }
    if (l->stored_count)
        check_copies(p, l, group_limit, g);
    memset(options, 'x', sizeof options);
    options_scan(p, l, g, options);
    REQUIRE(memchr(options, 0, sizeof options), "options");
    memset(options, 'x', sizeof options);
    options_merge(p, l, g, options);
    REQUIRE(memchr(options, 0, sizeof options), "options");
}
