/* How kernels/families/permuted.cl lies over a collapsed problem: a reduced dim takes the place of the columns. */
#include "families/columns.h"

#include <stddef.h>

/* The reduced dim, other than the last one, that has neighbours side by side; reduced_count when there is none. */
static uint32_t fold_dim(const layout *l) {
    uint32_t i = 0;
    while (i + 1 < l->reduced_count && l->reduced[i].in != 1)
        ++i;
    return i + 1 < l->reduced_count ? i : l->reduced_count;
}

static const char *lay_out_permuted(const geometry_request *r, geometry *g) {
    const layout *l = r->layout;
    geometry_request whole = *r;
    g->fused = g->inner = g->apart = 1;
    g->fold = fold_dim(l);
    if (g->fold == l->reduced_count)
        return "it takes a reduced dim other than the last one without gaps";
    const layout_dim *column = &l->reduced[g->fold];
    const uint64_t rows = l->reduction / column->size;
    /* Tiles are parts already: the rows are cut only where these are too few jobs, or values want parts to merge. */
    const bool merges = has_values(r->problem);
    whole.split = false;
    const char *refused = lay_column_tiles(&whole, column, rows, l->outputs, g);
    if (refused || (rows > 1 && (g->scan.jobs < wanted_groups(r, g->family) || (merges && g->tiles == 1)))) {
        whole.split = true;
        refused = lay_column_tiles(&whole, column, rows, l->outputs, g);
    }
    if (refused)
        return refused;
    g->parts *= g->tiles;
    if (merges && g->parts == 1)
        return "with values it takes reductions of at least two pieces to share out";
    return plan_merge(r, g->outers, 1, g);
}

/* The columns' dim leaves the list of reduced dims; what a step along each of them adds to the index goes along. */
static void set_permuted(const layout *l, const geometry *g, uint64_t jobs, kernel_arguments *arguments) {
    dims_t *const dims = &arguments->dims;
    weights_t weights = {{0}, 0};
    uint64_t weight = l->reduction;
    dims->reduced_count = 0;
    for (uint32_t i = 0; i < l->reduced_count; ++i) {
        weight /= l->reduced[i].size;
        if (i == g->fold) {
            weights.column = (cl_long)weight;
            continue;
        }
        dims->reduced_size[dims->reduced_count] = l->reduced[i].size;
        dims->reduced_in[dims->reduced_count] = l->reduced[i].in;
        dims->mask.reduced[dims->reduced_count] = l->reduced[i].mask;
        weights.row[dims->reduced_count++] = (cl_long)weight;
    }
    set_column_tiles(&l->reduced[g->fold], g, jobs, arguments);
    set_argument(arguments, 1, &weights, sizeof weights);
}

const family family_permuted = {
    .name = "permuted",
    .kernel = "permuted",
    .structs = 2,
    .struct_bytes = {offsetof(columns_t, segment_rows), sizeof(weights_t)},
    .folds = true,
    .over_columns = true,
    .general = true,
    .lay_out = lay_out_permuted,
    .options = column_options,
    .arguments = set_permuted,
    .describe = describe_columns,
};

/* Folding suits when outputs have lines of their own, and no gather is faster: of a few lines, without one for each
 * column, one pass has all in a cache. */
static bool fold_is_nearest(const geometry_request *r, const geometry *g) {
    const layout *l = r->layout;
    const layout_dim *const column = &l->kept[l->kept_count - 1];
    const uint32_t line = max_u32(r->tuning->line_bytes / element_bytes(r->problem), 1);
    const bool few = l->reduced[g->fold].size < line && l->reduction <= r->tuning->gathered_lines * (uint64_t)line;
    const bool alone = column->size == 1 || column->in >= (int64_t)line || column->in <= -(int64_t)line;
    return alone && !(g->parts == 1 && few);
}

const strategy strategy_permuted_columns = {"permuted-columns", &family_permuted, false, true,
                                            LANES_ALL,          fold_is_nearest};
