/* The strategies, in the order of preference: the first that suits the problem is taken. */
#include "geometry.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEGMENT_BYTES_MOST 32768 /* of abreast-rows */

typedef struct strategy_row {
    const char *name;
    kernel_family family;
    bool strided, split;
    lane_rule lanes; /* rows: work-items of an output */
    /* Whether the geometry fits the problem well; the order of the table decides among those that do. */
    bool (*suits)(const geometry_request *r, const geometry *g);
} strategy_row;

/* Without cutting reductions into parts there are enough work-groups, or there is nothing to gain by cutting. */
static bool whole_reductions_do(const geometry_request *r, const geometry *g) {
    const uint64_t wanted = wanted_groups(r, g->family);
    return g->scan.jobs * 2 >= wanted || g->units < 2 * g->least;
}

static bool always(const geometry_request *r, const geometry *g) {
    (void)r;
    (void)g;
    return true;
}

/* Blocks with few neighbours that one work-item could read at once: longer rows are as fast for themselves, and so are
 * columns whose rows are whole lines, or wide. So many of them that a program for each shape is worth it. */
#define TRANSPOSED_BYTES_LEAST 262144
#define TRANSPOSED_ROW_MOST 40
#define TRANSPOSED_COLUMN_BYTES 128
#define LINE_BYTES 64
static bool blocks_are_narrow(const geometry_request *r, const geometry *g) {
    const uint32_t element = element_bytes(r->problem);
    const uint64_t bytes = (uint64_t)g->columns * element;
    if (r->tuning->group > 1 || r->layout->outputs < TRANSPOSED_BYTES_LEAST / element / r->layout->reduction)
        return false;
    if (g->columns == 1)
        return g->units <= TRANSPOSED_ROW_MOST;
    return bytes < TRANSPOSED_COLUMN_BYTES && bytes % LINE_BYTES != 0;
}

/* With one work-item a group, walking rows is as good. */
static bool groups_hold_rows(const geometry_request *r, const geometry *g) {
    (void)r;
    return g->scan.group > 1;
}

/* Columns of few rows, for which a work-group alone has little to do; and rows of which only narrow vectors could be
 * loaded, neither so short that a few work-items hold them nor so long that the loads are the least of it. */
#define ROW_BYTES_LEAST 64
#define ROW_BYTES_MOST 1100
#define NARROW_ROW_LEAST 32 /* elements of 8 and 16 bits */
#define BYTE_ROW_MOST 128   /* elements of 8 bits */
static bool blocks_are_small(const geometry_request *r, const geometry *g) {
    const uint64_t row = r->layout->reduction, bytes = element_bytes(r->problem);
    if (g->scan.group == 1)
        return false;
    if (r->layout->kept_count == 2)
        return true;
    return g->wide > 1 && row % 4 != 0 && (bytes <= 2 ? row >= NARROW_ROW_LEAST : row * bytes >= ROW_BYTES_LEAST) &&
           (bytes == 1 ? row <= BYTE_ROW_MOST : row * bytes <= ROW_BYTES_MOST);
}

/* A row that one work-item reads in a few loads. */
static bool rows_are_tiny(const geometry_request *r, const geometry *g) {
    return g->scan.group > 1 && g->units <= r->tuning->tiny_loads;
}

static bool rows_are_short(const geometry_request *r, const geometry *g) {
    return g->units <= r->tuning->short_units && whole_reductions_do(r, g);
}

/* Columns suit when the kept dim is the nearer one, and when single vectors would be too short along the rows. */
static bool columns_are_nearer(const geometry_request *r, const geometry *g) {
    const layout *l = r->layout;
    const int64_t column = l->kept[l->kept_count - 1].in;
    const layout_dim *last = &l->reduced[l->reduced_count - 1];
    const int64_t row = last->in < 0 ? -last->in : last->in;
    (void)g;
    return l->kept[l->kept_count - 1].size > 1 && column > 0 && (row > column || row == 0 || last->size == 1);
}

/* Folding suits when nothing else has neighbours side by side. */
static bool fold_is_nearest(const geometry_request *r, const geometry *g) {
    const layout *l = r->layout;
    (void)g;
    const layout_dim *const column = &l->kept[l->kept_count - 1];
    return l->reduced[l->reduced_count - 1].in != 1 && (column->size == 1 || column->in != 1);
}

static bool columns_do(const geometry_request *r, const geometry *g) {
    return columns_are_nearer(r, g) && whole_reductions_do(r, g);
}

/* Without lanes to share, a row shorter than a vector costs more to fold than to gather. */
static bool strided_columns_do(const geometry_request *r, const geometry *g) {
    const layout *l = r->layout;
    const bool short_rows = g->scan.group == 1 && l->reduction < 16 && l->kept[l->kept_count - 1].size >= 16;
    return short_rows || columns_do(r, g);
}

/* One work-item reads short segments, which lie apart, with those of neighbouring outputs in between; where tiles of
 * several outputs are enough for the device, and no reduction would be cut into parts otherwise. */
static bool segments_are_abreast(const geometry_request *r, const geometry *g) {
    const layout *l = r->layout;
    const layout_dim *column = &l->kept[l->kept_count - 1], *last = &l->reduced[l->reduced_count - 1];
    if (r->tuning->group > 1 || r->tuning->group_short > 1 || l->reduced_count < 2 || g->tiles == column->size)
        return false;
    const int64_t outer = l->reduced[l->reduced_count - 2].in;
    return last->size * element_bytes(r->problem) <= SEGMENT_BYTES_MOST && column->in < (outer < 0 ? -outer : outer) &&
           g->scan.jobs * 2 >= wanted_groups(r, g->family) && l->outputs * 2 >= wanted_groups(r, FAMILY_ROWS);
}

static const strategy_row strategies[] = {
    {"held-blocks", FAMILY_BLOCKS, false, false, LANES_FEW, blocks_are_small},
    {"transposed-blocks", FAMILY_TRANSPOSED, false, false, LANES_ONE, blocks_are_narrow},
    {"columns", FAMILY_COLUMNS, false, false, LANES_ALL, columns_do},
    {"split-columns", FAMILY_COLUMNS, false, true, LANES_ALL, columns_are_nearer},
    {"folded-columns", FAMILY_FOLDED, false, true, LANES_ALL, fold_is_nearest},
    {"strided-columns", FAMILY_COLUMNS, true, false, LANES_ALL, strided_columns_do},
    {"split-strided-columns", FAMILY_COLUMNS, true, true, LANES_ALL, columns_are_nearer},
    {"abreast-rows", FAMILY_ABREAST, false, false, LANES_ONE, segments_are_abreast},
    {"held-rows", FAMILY_HELD, false, false, LANES_FEW, groups_hold_rows},
    {"tiny-rows", FAMILY_ROWS, false, false, LANES_ONE, rows_are_tiny},
    {"short-rows", FAMILY_ROWS, false, false, LANES_FEW, rows_are_short},
    {"long-rows", FAMILY_ROWS, false, false, LANES_ALL, whole_reductions_do},
    {"split-rows", FAMILY_ROWS, false, true, LANES_ALL, always},
    {"strided-rows", FAMILY_ROWS, true, false, LANES_ALL, whole_reductions_do},
    {"split-strided-rows", FAMILY_ROWS, true, true, LANES_ALL, always},
};

#define STRATEGY_COUNT ((uint32_t)(sizeof strategies / sizeof strategies[0]))

uint32_t strategy_count(void) {
    return STRATEGY_COUNT;
}

const char *strategy_name(uint32_t i) {
    return i < STRATEGY_COUNT ? strategies[i].name : NULL;
}

static bool lay_out(const strategy_row *row, const problem *p, const layout *l, const device_facts *device,
                    const tuning_row *tuning, uint32_t group_limit, geometry *g, bool *suits) {
    const geometry_request request = {p, l, device, tuning, group_limit, row->strided, row->split};
    bool possible;
    memset(g, 0, sizeof *g);
    g->strategy = row->name;
    if (row->family == FAMILY_COLUMNS)
        possible = geometry_columns(&request, g);
    else if (row->family == FAMILY_FOLDED)
        possible = geometry_folded(&request, g);
    else if (row->family == FAMILY_TRANSPOSED)
        possible = geometry_transposed(&request, g);
    else if (row->family == FAMILY_ABREAST)
        possible = geometry_abreast(&request, g);
    else if (row->family == FAMILY_HELD)
        possible = geometry_held(&request, g);
    else if (row->family == FAMILY_BLOCKS)
        possible = geometry_blocks(&request, g);
    else
        possible = geometry_rows(&request, row->lanes, g);
    *suits = possible && row->suits(&request, g);
    return possible;
}

void strategy_names(char *text, size_t capacity) {
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < STRATEGY_COUNT; ++i) {
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", i ? ", " : "", strategies[i].name);
        if (used >= capacity)
            return;
    }
}

static const strategy_row *strategy_find(const char *name) {
    for (uint32_t i = 0; i < STRATEGY_COUNT; ++i)
        if (strcmp(strategies[i].name, name) == 0)
            return &strategies[i];
    return NULL;
}

static argmax_cl_status obey(const problem *p, const layout *l, const device_facts *device, const tuning_row *tuning,
                             uint32_t group_limit, geometry *out) {
    const strategy_row *row = strategy_find(p->strategy);
    bool suits;
    assert(row);
    if (lay_out(row, p, l, device, tuning, group_limit, out, &suits))
        return ARGMAX_CL_SUCCESS;
    return fail(ARGMAX_CL_ERROR_INVALID_STRATEGY, "%s = \"%s\": does not apply to this problem; it takes %s and %s",
                p->strategy_source, p->strategy,
                row->family == FAMILY_HELD
                    ? "one reduced dim without gaps, short enough for the registers of a few work-items"
                : row->family == FAMILY_BLOCKS
                    ? "one reduced dim of neighbours or of columns without gaps, short enough for local memory"
                : row->family == FAMILY_TRANSPOSED
                    ? "one reduced dim of neighbours or of columns without gaps, few of them and several times"
                : row->family == FAMILY_ABREAST
                    ? "a last reduced dim without gaps, of fewer vectors than 2^8 (8-bit elements) or 2^16"
                : row->family == FAMILY_FOLDED ? "a reduced dim other than the last one without gaps"
                : row->strided                 ? "neighbours with gaps"
                                               : "neighbours without gaps",
                row->split           ? "at least two pieces to share out"
                : device->loop_limit ? "reductions that loops which end early can do"
                                     : "reductions of at most 2^30 elements");
}

/* Refuse unknown names. Known ones become ours, which outlive the caller's. */
static argmax_cl_status resolve_names(problem *p) {
    char names[256];
    if (p->strategy) {
        const strategy_row *row = strategy_find(p->strategy);
        strategy_names(names, sizeof names);
        if (!row)
            return fail(ARGMAX_CL_ERROR_INVALID_STRATEGY, "%s = \"%.80s\": expected one of %s", p->strategy_source,
                        p->strategy, names);
        p->strategy = row->name;
    }
    if (p->tuning) {
        const tuning_row *row = tuning_find(p->tuning);
        if (!row)
            return fail(ARGMAX_CL_ERROR_INVALID_STRATEGY, "tuning = \"%.80s\": expected one of %s", p->tuning,
                        tuning_names());
        p->tuning = row->name;
    }
    return ARGMAX_CL_SUCCESS;
}

argmax_cl_status strategy_request(problem *p) {
    p->strategy_source = "strategy";
    if (!p->strategy) {
        p->strategy = getenv("ARGMAX_CL_STRATEGY");
        p->strategy_source = "ARGMAX_CL_STRATEGY";
    }
    if (p->strategy && !*p->strategy)
        p->strategy = NULL;
    return resolve_names(p);
}

argmax_cl_status strategy_choose(const problem *p, const layout *l, const device_facts *device, uint32_t group_limit,
                                 geometry *out) {
    tuning_row tuning;
    const argmax_cl_status status = tuning_choose(p->tuning, device, &tuning);
    if (status)
        return status;
    if (p->strategy)
        return obey(p, l, device, &tuning, group_limit, out);
    for (uint32_t i = 0; i < STRATEGY_COUNT; ++i) {
        bool suits;
        if (lay_out(&strategies[i], p, l, device, &tuning, group_limit, out, &suits) && suits)
            return ARGMAX_CL_SUCCESS;
    }
    if (device->loop_limit)
        return fail(ARGMAX_CL_ERROR_DEVICE_LIMIT,
                    "%llu reductions of %llu elements: the device %s ends loops after %u iterations, too few for these",
                    (unsigned long long)l->outputs, (unsigned long long)l->reduction, device->name, device->loop_limit);
    return fail(ARGMAX_CL_ERROR_INVALID_STRATEGY, "no strategy suits %llu reductions of %llu elements",
                (unsigned long long)l->outputs, (unsigned long long)l->reduction);
}
