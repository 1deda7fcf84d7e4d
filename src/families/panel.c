/* What a work-item that works alone holds of a row of columns (kernels/families/panel.clh): how much, how many rows at
 * once, and what it asks for ahead. */
#include "families/columns.h"

#include <assert.h>
#include <stddef.h>

/* Whether a work-item alone reads rows that are wide. */
static bool rows_are_wide(const geometry_request *r, const layout_dim *column) {
    return r->tuning->narrow_row_bytes && column->size > r->tuning->narrow_row_bytes / element_bytes(r->problem);
}

uint32_t panel_room(const geometry_request *r) {
    const uint32_t bytes = max_u32(r->tuning->panel_bytes / accumulator_times(r->problem), 1);
    const uint32_t limit = r->device->loop_limit;
    return limit ? min_u32(bytes, limit / LOOPS_AN_OUTPUT * element_bytes(r->problem)) : bytes;
}

/* Bytes below which a panel is not halved: of rows that come from memory, which are then read in long runs, more. */
static uint32_t narrowest_panel(const geometry_request *r) {
    return comes_from_memory(r) ? r->tuning->panel_memory_bytes_least : r->tuning->panel_bytes_least;
}

/* Vectors of a tile at most: no more than about the columns need. Narrower ones leave pages early: only where tiles are
 * too few for the device, each cut into as many parts as its rows are worth (see cut). */
static uint32_t tile_vectors(const geometry_request *r, const geometry *g, const layout_dim *column, uint64_t outers,
                             uint64_t rows, uint64_t least_rows) {
    const uint32_t vector_bytes = load_bytes(r, g);
    const uint64_t vectors = ceil_div(column->size, g->vector), enough = enough_groups(r, g);
    const uint64_t parts = rows < 2 * least_rows ? 1 : (rows + least_rows / 2) / least_rows;
    const uint32_t narrowest = narrowest_panel(r);
    uint32_t bytes = panel_room(r);
    assert(vector_bytes > 0);
    if (g->fused > 1)
        return max_u32((uint32_t)vectors, 2);
    while (bytes > narrowest && bytes > vector_bytes &&
           (bytes / 2 / vector_bytes >= vectors ||
            ceil_div(vectors, bytes / vector_bytes) * outers < ceil_div(enough, parts)))
        bytes /= 2;
    /* A wide vector is always part of a panel (kernels/families/panel_wide.clh). */
    return max_u32(bytes / vector_bytes, g->vector > VECTOR_MAX ? 2 : 1);
}

/* Vectors that a work-item has room for: all that any tile has, so that each width needs no program of its own; those
 * that there are of rows that are read as one; or one, in registers. */
static uint32_t panel_vectors(const geometry_request *r, const geometry *g, uint32_t tile) {
    return tile == 1 || g->fused > 1 ? tile : max_u32(panel_room(r) / load_bytes(r, g), tile);
}

/* Whether a work-item alone reads rows in the order of memory: narrow ones that follow each other closely there. */
static bool reads_in_order(const geometry_request *r, const layout_dim *column) {
    return !rows_are_wide(r, column) && !r->strided && comes_from_memory(r);
}

/* Rows that one work-item reduces at once into its panel, for one load and store of that: few where they are read in
 * the order of memory, but for those whose accumulators are in registers. Up to so many as of wide ones are
 * reduced all at once, and else in shares of about the same size. */
static uint32_t rows_together(const geometry_request *r, const layout_dim *column, uint64_t rows, uint64_t row_bytes,
                              const geometry *g) {
    const tuning_row *t = r->tuning;
    const bool wide = rows_are_wide(r, column);
    const uint32_t batch = wide || g->columns.held ? t->unroll_wide : t->unroll_columns;
    const uint32_t most = min_u32(wide ? batch + batch / 4 : 2 * batch, UNROLL_MAX);
    if (g->panel > 1 && !g->columns.held && reads_in_order(r, column))
        return (uint32_t)max_u64(1, min_u64(min_u64(rows, UNROLL_MAX), t->narrow_batch_bytes / row_bytes));
    if (rows <= min_u32(t->unroll_wide + (wide ? batch / 2 : 0), UNROLL_MAX))
        return (uint32_t)rows;
    return rows < (uint64_t)t->many_batches * batch ? (uint32_t)ceil_div(rows, ceil_div(rows, most)) : batch;
}

/* Tiles of a row, all of about the same width: no more vectors each than `tile`, and as many as whole waves of the
 * compute units, where these work alone, leave little idle: after n waves it is less than 1 / n. */
static uint64_t tiles_of_row(const geometry_request *r, const layout_dim *column, uint64_t vectors, uint64_t outers,
                             uint32_t tile, const geometry *g) {
    const uint64_t units = r->device->compute_units, least = ceil_div(vectors, tile);
    const uint64_t narrowest = max_u32(narrowest_panel(r) / (g->vector * element_bytes(r->problem)), 1);
    const uint64_t most = max_u64(least, vectors / narrowest), idle = r->tuning->idle_percent;
    uint64_t best = least;
    if (g->panel == 1 || r->split || g->fused > 1 || reads_in_order(r, column))
        return least;
    for (uint64_t waves = ceil_div(least * outers, units);
         idle_share(best * outers, units) > idle && waves <= 100 / max_u64(idle, 1); ++waves) {
        const uint64_t tiles = min_u64(waves * units / outers, most);
        if (idle_share(tiles * outers, units) < idle_share(best * outers, units))
            best = tiles;
    }
    return best;
}

/* What is asked for while rows of `row_bytes` in a tile are read. Few vectors of rows that are one are read straight
 * on, as rows along the reduction are, and asked for by their hint; others come to the second-level cache, wide ones
 * where that has room for the next batch; else what follows in each wide row comes near. */
static void choose_panel_prefetch(const geometry_request *r, const layout_dim *column, uint64_t row_bytes,
                                  geometry *g) {
    const tuning_row *t = r->tuning;
    const bool wide = rows_are_wide(r, column), straight = g->fused > 1 && g->panel <= t->held_vectors;
    const bool asks = g->load == LOAD_PACKED && (!wide || g->unroll * row_bytes <= t->prefetch_batch_bytes);
    g->far_hint = asks && !straight && t->prefetch_narrow ? t->far_hint : 0;
    g->prefetch_distance = g->far_hint || (asks && straight && g->hint) ? t->prefetch_narrow : 0;
    g->prefetch_row = wide && g->hint && !g->prefetch_distance ? t->prefetch_columns : 0;
    g->hint = g->prefetch_row || (straight && g->prefetch_distance) ? g->hint : 0;
}

const char *lay_panel(const geometry_request *r, const layout_dim *column, uint64_t rows, uint64_t outers,
                      uint64_t least_rows, geometry *g) {
    g->whole_lines = !r->split && g->inner == 1 && g->fused == 1 && magnitude(column->index) == 1 && g->vector > 1 &&
                     rows_are_wide(r, column) && may_store_non_temporal(r);
    const uint64_t columns = column->size + (g->whole_lines ? VECTOR_MAX - 1 : 0),
                   vectors = ceil_div(columns, g->vector);
    g->across = 1;
    const uint32_t tile = tile_vectors(r, g, column, outers, rows, least_rows);
    g->panel = panel_vectors(r, g, tile);
    g->columns.held = g->fused > 1 && g->panel > 2 && g->panel <= r->tuning->held_vectors;
    g->tile_columns = ceil_div(vectors, tiles_of_row(r, column, vectors, outers, tile, g)) * g->vector;
    const uint64_t step = (uint64_t)g->inner * g->apart;
    if (g->inner > 1 && g->fused == 1)
        g->tile_columns = max_u64(g->tile_columns / step, 1) * step;
    if (g->inner > 1 && (g->panel == 1 || g->tile_columns > tile * (uint64_t)g->vector))
        return "it takes no more neighbours of an output than a panel has room for";
    g->tiles = ceil_div(columns, g->tile_columns);
    const uint64_t row_bytes = ceil_div(g->tile_columns, g->vector) * g->vector * element_bytes(r->problem);
    g->unroll = rows_together(r, column, rows, row_bytes, g);
    choose_panel_prefetch(r, column, row_bytes, g);
    g->rows_ahead = max_u32(g->unroll, (uint32_t)(g->prefetch_distance / row_bytes));
    return NULL;
}
