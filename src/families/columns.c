/* How kernels/families/columns.cl lies over a collapsed problem. */
#include "families/columns.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* Whether these are whole columns that lie side by side, with rows of one dim: with several, more work-items to a
 * column would break the runs of them (kernels/families/column.clh). */
static bool columns_end_here(const geometry_request *r) {
    return !r->split && !r->strided && r->layout->reduced_count == 1;
}

/* Whether so many lanes share rows of which each has a batch at least. */
static bool rows_suffice(uint32_t group, uint32_t lanes, uint64_t rows, const geometry *g) {
    assert(lanes > 0);
    return (uint64_t)(group / lanes) * g->unroll <= rows;
}

/* Whole columns need no merge where tiles are narrower, but still whole lines, and come to about as many as the device
 * runs at once. */
static uint32_t lanes_without_parts(const geometry_request *r, uint32_t group, uint32_t lanes, uint64_t vectors,
                                    uint64_t outers, uint64_t rows, const geometry *g) {
    const tuning_row *t = r->tuning;
    const uint64_t wanted = wanted_groups(r, g);
    const uint32_t vector_bytes = load_bytes(r, g);
    if (group == 1 || !columns_end_here(r) || t->wave_percent == 0)
        return lanes;
    for (uint32_t some = lanes; some * vector_bytes >= t->tile_row_bytes && rows_suffice(group, some, rows, g);
         some /= 2) {
        const uint64_t tiles = ceil_div(vectors, some) * outers;
        if (tiles <= wanted && tiles * 100 >= wanted * t->wave_percent)
            return some;
    }
    return lanes;
}

/* Lanes side by side over the columns: as many as the work-group has, if they fill the device. Else narrower, so that
 * lanes share a column's rows and merge in local memory, which is cheaper than parts that merge at the end; but with
 * little idle, wide enough for the memory, and rows enough for those who share them. Where the parts would be too many
 * for one work-group to merge, half as wide as the memory likes best: so are then its outputs. */
static uint32_t lanes_across(const geometry_request *r, uint32_t group, const layout_dim *column, uint64_t outers,
                             uint64_t rows, const geometry *g) {
    const uint64_t vectors = ceil_div(column->size, g->vector);
    const uint64_t wanted = wanted_groups(r, g);
    uint32_t lanes = group;
    while (lanes > 1) {
        const uint32_t half = lanes / 2;
        const uint64_t idle = ceil_div(vectors, lanes) * lanes - vectors;
        const uint64_t tiles = ceil_div(vectors, lanes) * outers;
        const uint64_t partials = wanted / tiles * lanes * g->vector / group;
        const uint32_t least = r->tuning->across_least / (partials > r->tuning->one_launch_columns ? 2 : 1);
        const bool wasteful = idle * r->tuning->idle_share > vectors;
        const bool scarce = tiles < enough_groups(r, g) && lanes > least;
        if (!(wasteful || scarce) || !rows_suffice(group, half, rows, g))
            break;
        lanes = half;
    }
    return lanes_without_parts(r, group, lanes, vectors, outers, rows, g);
}

static void choose_column_vector(const geometry_request *r, const layout_dim *column, geometry *g) {
    const bool adjacent = column->in == 1;
    const uint32_t widest = widest_vector(r, r->tuning->column_bytes, adjacent && r->tuning->group_columns == 1);
    if (!r->tuning->aligned) {
        g->vector = floor_power(column->size, widest);
    } else if (!adjacent) {
        g->vector = 1;
    } else {
        g->vector = aligned_vector(r->layout, widest, column);
        while (column->size % g->vector)
            g->vector /= 2;
    }
    g->load = kind_of_load(r, adjacent, g->vector);
    choose_mask(r, column->mask, false, g);
}

/* Work-items of a work-group, of which each has a vector of candidates in local memory (kernels/families/columns.cl).
 */
static uint32_t column_group(const geometry_request *r, uint32_t vector) {
    const uint64_t candidates = vector * candidate_bytes(r->problem);
    uint32_t group = floor_power(r->tuning->group_columns, r->group_limit);
    while (group > 1 && (uint64_t)(group + 16) * candidates > r->device->local_bytes)
        group /= 2;
    return group;
}

/* Half as many where that fills the device and 8-bit columns end there: that takes long beside what there is to read,
 * and the more work-groups there are the less all of them end at once. */
static uint32_t ending_group(const geometry_request *r, uint32_t group, uint64_t vectors, const geometry *g) {
    const bool byte = r->problem->input.type->bits == 8;
    return group > r->tuning->at_once_group && byte && !r->split && vectors >= wanted_groups(r, g) * (group / 2)
               ? group / 2
               : group;
}

/* The rows in flight with which a work-item for each of all vectors of columns has as many bytes on their way as the
 * device wants, so that all of them run at once, in small work-groups, and no wave of these waits for the one before; 0
 * where they are too few or too many, or the rows are. */
static uint32_t rows_at_once(const geometry_request *r, uint32_t group, uint64_t columns, uint64_t outers,
                             uint64_t rows, const geometry *g) {
    const tuning_row *t = r->tuning;
    const uint64_t wanted = (uint64_t)t->groups_columns * group, vectors = ceil_div(columns, g->vector);
    const uint64_t items = ceil_div(vectors * outers, r->device->compute_units);
    const uint32_t most = t->unroll_columns * (load_bytes(r, g) < t->column_bytes ? 2 : 1);
    const uint64_t row_bytes = items * load_bytes(r, g);
    const uint64_t wanted_bytes = wanted * max_u32(t->column_bytes, element_bytes(r->problem));
    if (group <= t->at_once_group || !columns_end_here(r) || vectors < t->at_once_group ||
        items * t->at_once_factor < wanted || items > wanted * t->at_once_factor)
        return 0;
    const uint32_t unroll = floor_power(t->unroll_columns * wanted_bytes / 2 / row_bytes, min_u32(most, UNROLL_MAX));
    return rows >= (uint64_t)t->column_batches * unroll ? unroll : 0;
}

/* Rows that a work-item of a GPU loads before it reduces them: fewer where it has not many such batches, and where the
 * winners of blocks of 8-bit elements and the merge of parts take the registers; narrow vectors leave some. */
static uint32_t rows_in_flight(const geometry_request *r, uint32_t vector_bytes, uint64_t rows) {
    const bool narrow = r->problem->input.type->bits == 8, crowded = r->split && narrow;
    const uint32_t most = r->tuning->unroll_columns;
    const uint32_t least = max_u32(min_u32(most * (narrow ? 2 : 1) / r->tuning->unroll_share, most), 1);
    uint32_t some = crowded ? max_u32(most / 2, 1) : most;
    while (some > least && rows < r->tuning->column_batches * (uint64_t)some)
        some /= 2;
    return loads_in_flight(r, vector_bytes < r->tuning->column_bytes ? min_u32(2 * some, UNROLL_MAX) : some,
                           r->tuning->unroll_mask_percent, 100);
}

/* Lanes of a work-group side by side, a vector each. */
static void lay_lanes(const geometry_request *r, uint32_t group, uint32_t at_once, const layout_dim *column,
                      uint64_t rows, uint64_t outers, geometry *g) {
    g->panel = 1;
    g->prefetch_distance = g->hint = 0;
    g->unroll = at_once ? at_once : rows_in_flight(r, load_bytes(r, g), rows);
    g->across = lanes_across(r, group, column, outers, rows, g);
    g->tile_columns = (uint64_t)g->across * g->vector;
    g->tiles = ceil_div(column->size, g->tile_columns);
}

/* Vectors of a tile that a work-item takes. */
static uint64_t lane_vectors(const geometry *g) {
    return ceil_div(g->tile_columns, (uint64_t)g->across * g->vector);
}

static const char *lay_column_tiles(const geometry_request *r, const layout_dim *column, uint64_t rows, uint64_t outers,
                                    geometry *g) {
    const layout *l = r->layout;
    const uint32_t row_dims = l->reduced_count - (g->inner > 1 ? 1 : 0);
    g->tuning = r->tuning->name;
    g->overlap = g->peel = false;
    choose_column_vector(r, column, g);
    choose_arithmetic(r, g);
    if ((g->load == LOAD_STRIDED) != r->strided)
        return wrong_stride(r);
    uint32_t group = column_group(r, g->vector);
    const uint32_t at_once = rows_at_once(r, group, column->size, outers, rows, g);
    group = at_once ? r->tuning->at_once_group : ending_group(r, group, ceil_div(column->size, g->vector) * outers, g);
    const uint32_t bytes = element_bytes(r->problem);
    /* The partial answer of a column costs as much as many of its rows, unless work-items share them. */
    const uint64_t least_rows = group > 1 ? 1 : ceil_div(r->tuning->column_part_bytes, (uint64_t)bytes * g->fused);
    const char *refused = NULL;
    if (group == 1)
        refused = lay_panel(r, column, rows, outers, least_rows, g);
    else
        lay_lanes(r, group, at_once, column, rows, outers, g);
    if (refused)
        return refused;
    g->length = rows;
    g->outers = outers;
    const uint64_t sharing = group / g->across;
    const uint64_t row_bytes = min_u64(column->size, g->tile_columns) * bytes;
    const uint64_t run = sharing * g->unroll;
    const uint64_t least = ceil_div(max_u64(max_u64(run, least_rows), r->tuning->part_bytes / row_bytes), run) * run;
    /* With several dims, parts of whole runs are what `constant_stride` below asks for. */
    const uint64_t step = group > 1 && row_dims == 1 ? sharing : run;
    g->least = least;
    /* In the end of fused rows each of their columns has a place (kernels/families/columns_alone.clh). */
    const uint64_t places = g->fused > 1 ? column->size : g->inner;
    refused = split_reduction(r, g->tiles * g->outers, least, step, most_part_length(r, places, lane_vectors(g)), g);
    if (refused)
        return refused;
    g->constant_stride =
        g->panel == 1 &&
        (row_dims == 1 || (l->reduced[row_dims - 1].size % run == 0 && (g->parts == 1 || g->part_length % run == 0)));
    /* Rows that an accumulator of this width counts (kernels/order/order.clh). */
    const uint32_t bits = r->problem->input.type->bits;
    g->one_block =
        bits <= 16 && ceil_div(g->part_length, sharing) <= ((UINT64_C(1) << bits) - 1) / g->unroll * g->unroll;
    g->scan = distribute(r, group, g->tiles * g->outers * g->parts, r->tuning->groups_max);
    g->one_job = has_one_job(r, g);
    return NULL;
}

/* Rows that a work-item alone reads as one, where they follow each other in memory, with gaps of less than a vector and
 * of some times their own width, and are less than a few vectors: as many as are whole vectors, where such wide rows
 * are not too few and hardly a row is read twice; of narrow elements more, if there are many. Rows without gaps of less
 * than half a vector may be half as many, or a quarter, of which the last vector is moved back. */
static uint32_t rows_fused(const geometry_request *r, const layout_dim *column, const layout_dim *row, bool gaps,
                           uint64_t inner) {
    const layout_dim any = {.size = UINT32_MAX, .in = 1};
    const uint64_t size = column->size, columns = row->in > 0 ? (uint64_t)row->in : 0;
    geometry g = {0};
    if (r->tuning->aligned || column->in != 1 || columns < size ||
        columns - size > (gaps ? r->tuning->fused_gaps * size : 0) || !continues(row->mask, column->mask, columns))
        return 1;
    choose_column_vector(r, &any, &g);
    const tuning_row *t = r->tuning;
    const uint64_t few = t->fused_vectors * (uint64_t)g.vector;
    if (column_group(r, g.vector) > 1 || columns >= few || columns - size >= g.vector ||
        columns * g.vector * element_bytes(r->problem) > panel_room(r))
        return 1;
    uint32_t fused = g.vector;
    while (fused > 1 && columns * (fused / 2) % g.vector == 0)
        fused /= 2;
    while (fused > 1 && columns * fused < few && row->size >= 2 * (uint64_t)t->fused_rows_many * fused)
        fused *= 2;
    if (columns > size && columns * fused == g.vector) /* the last vector is moved back by the last gap */
        fused *= 2;
    for (; columns * fused >= g.vector; fused /= 2) {
        /* The last wide row of a dim is moved back to end with it. */
        const uint64_t twice = ceil_div(row->size, fused) * fused - row->size, all = r->layout->reduction / inner;
        if (row->size >= fused && twice <= row->size / 8 && all >= t->fused_rows * (uint64_t)fused)
            return fused;
        if (columns > size || 2 * columns >= g.vector)
            break;
    }
    return 1;
}

/* Rows at the end of each part for whoever is done first, in chunks (kernels/workgroup/tail.clh), where parts are many
 * batches and the scan merges: about a batch stays, and a step at least, since the fields allow 75 percent of four
 * batches. The accumulators count on from one chunk to the next, whose rows are many enough for each work-item to be
 * worth the drawing and the closing of a block. None with both extrema, which lose more by it than they gain. */
static void leave_tail(const geometry_request *r, geometry *g) {
    const tuning_row *t = r->tuning;
    const uint64_t sharing = g->scan.group / g->across, step = r->layout->reduced_count == 1 ? sharing : g->least;
    const uint64_t smallest = ceil_div(t->tail_rows * sharing, g->least) * g->least, units = g->tiles * g->outers;
    if (!can_claim(units, g) || wants_both(r->problem) || g->parts * t->tail_columns < 100 ||
        g->part_length < t->many_batches * g->least)
        return;
    g->part_length = g->part_length * (100 - t->tail_columns) / 100 / step * step;
    const uint64_t tail = g->length - g->parts * g->part_length, each = tail / g->parts / t->tail_chunks;
    g->one_block = false;
    claim_chunks(units, max_u64(each / g->least * g->least, smallest), g);
}

/* Rows that are worth it to put the columns of an output together in the end: where those of others lie in between as
 * many more as these are wide, up to a line. */
static uint32_t rows_of_outputs(const geometry_request *r, uint32_t apart) {
    const tuning_row *t = r->tuning;
    const uint32_t bytes = min_u32(apart * element_bytes(r->problem), t->line_bytes);
    return apart == 1 ? t->inner_rows : max_u32(t->inner_rows, t->apart_rows * bytes / t->line_bytes);
}

/* The most neighbours of an output that are columns: more where the memory does not bound what they cost and the
 * elements of a column, on which that is spent, would fill a line. */
static uint32_t most_neighbours(const geometry_request *r) {
    const tuning_row *t = r->tuning;
    const layout *l = r->layout;
    const uint64_t bytes = element_bytes(r->problem), rows = l->reduction / l->reduced[l->reduced_count - 1].size;
    if (is_masked(r->problem))
        return t->inner_mask_bytes / (uint32_t)bytes;
    const bool more = !comes_from_memory(r) && rows * bytes >= t->line_bytes;
    return (more ? t->inner_cached_bytes : t->inner_bytes) / (uint32_t)bytes;
}

/* Whether all elements are one output's, in narrow rows with gaps between them. */
static bool are_rows_of_one(const layout *l, uint32_t most) {
    const layout_dim *last = &l->reduced[l->reduced_count - 1];
    return l->outputs == 1 && l->reduced_count > 1 && last->in == 1 && last->size > 1 && last->size <= most &&
           last[-1].in > (int64_t)last->size;
}

/* The outputs in a row that a work-item alone takes as one: neighbours of an output among those of others as long as no
 * segments are worth it; others' in between as long as both are few bytes, which columns of their own would leave for
 * the next far row; or those of several dims where one has few. */
static output_row row_of_outputs(const geometry_request *r) {
    const tuning_row *t = r->tuning;
    const layout *l = r->layout;
    const uint32_t bytes = element_bytes(r->problem), most = min_u32(t->apart_bytes, panel_room(r) / 2) / bytes;
    const uint32_t neighbours = most_neighbours(r);
    const output_row its = output_row_of(l, neighbours, most);
    const uint32_t gap = max_u32(t->line_bytes / bytes, 1) - 1; /* which leaves no line out */
    if (t->group_columns == 1 && !r->strided && are_rows_of_one(l, neighbours))
        return (output_row){(uint32_t)l->reduced[l->reduced_count - 1].size, 1, 1, 1, 0};
    if (t->group_columns > 1 || l->kept[l->kept_count - 1].size == 1)
        return joined_outputs(l, 0, 0);
    return r->strided || its.inner == 1 || l->reduction / its.inner < rows_of_outputs(r, its.apart)
               ? joined_outputs(l, min_u64(t->joined_bytes * l->reduction, t->narrow_row_bytes) / bytes, gap)
               : its;
}

/* Whether a work-item alone takes the first reduced dim as neighbours, of the layout in which that is the last one. */
static bool neighbours_are_first(const geometry_request *r, layout *turned) {
    geometry_request seen = *r;
    if (r->tuning->group_columns > 1 || !may_be_first(r))
        return false;
    *turned = with_first_last(r->layout);
    seen.layout = turned;
    const output_row its = row_of_outputs(&seen);
    return its.inner > 1 && its.apart == 1 && turned->outputs > 1 &&
           lines_are_shared(r, turned, columns_of_block(&its));
}

bool columns_come_first(const geometry_request *r) {
    layout turned;
    return neighbours_are_first(r, &turned);
}

static const char *lay_out_columns(const geometry_request *request, geometry *g) {
    geometry_request seen = *request;
    const geometry_request *const r = &seen;
    layout turned;
    g->inner_first = neighbours_are_first(request, &turned);
    if (g->inner_first)
        seen.layout = &turned;
    const layout *l = r->layout;
    const layout_dim *kept = &l->kept[l->kept_count - 1];
    layout_dim column = *kept;
    const output_row its = row_of_outputs(r);
    g->inner = its.inner;
    g->apart = its.apart;
    g->row_dims = its.inner == 1 ? its.dims : 1;
    g->pitch = its.pitch;
    column.size = columns_of_row(l, its.outputs, its.inner, its.pitch);
    if (g->row_dims > 1)
        column.index = 0; /* answers do not follow each other */
    if (g->inner > 1) {
        column.in = 1;
        column.mask = its.apart > 1 ? kept->mask : l->reduced[l->reduced_count - 1].mask;
    }
    const layout_dim *row = &l->reduced[l->reduced_count - (g->inner > 1 ? 2 : 1)];
    assert(row->size > 0 && g->inner > 0);
    const bool gaps = g->apart == 1 && g->row_dims == 1;
    g->fused = rows_fused(r, &column, row, gaps, g->inner);
    if (g->fused == 1 && g->inner > 1 && l->outputs == 1)
        return "it takes neighbours of a single output in rows that are read several as one";
    const uint64_t rows = l->reduction / g->inner / row->size * ceil_div(row->size, g->fused);
    if (g->fused > 1)
        column.size = (uint64_t)row->in * g->fused;
    if (g->fused > 1 && gaps)
        g->pitch = (uint32_t)row->in;
    assert(column.size > 0);
    /* Whether vectors are aligned is told of a dim of the layout itself. */
    const bool is_kept = g->inner == 1 && g->fused == 1 && g->row_dims == 1;
    const char *refused = lay_column_tiles(r, is_kept ? kept : &column, rows, l->outputs / its.outputs, g);
    if (refused)
        return refused;
    /* All of them or none: where rows have many ends, lines that are stored in both ways cost more than these save. */
    const bool by_vectors = g->outers == 1 || kept->size % min_u32(g->vector, VECTOR_MAX) == 0;
    g->non_temporal = g->fused == 1 && g->inner == 1 && magnitude(column.index) == 1 &&
                      (g->whole_lines || by_vectors) && stores_non_temporal(r, g);
    assert(g->non_temporal || !g->whole_lines); /* tiles have room for what is before the first column */
    refused = plan_merge(r, g->tiles * g->outers, min_u64(its.outputs, g->tile_columns / g->inner), g);
    if (!refused)
        leave_tail(r, g);
    return refused;
}

static void column_options(const geometry *g, writer *out) {
    add_fused(g, out);
    add_inner_first(g, out);
    text_add(out, " -DUNROLL=%" PRIu32 " -DACROSS=%" PRIu32 " -DPANEL=%" PRIu32, g->unroll, g->across, g->panel);
    if (g->row_dims > 1)
        text_add(out, " -DROW_DIMS=%" PRIu32, g->row_dims);
    text_add(out, "%s%s%s%s%s%s%s", g->whole_lines ? " -DWHOLE_LINES=1" : "", g->inner > 1 ? " -DINNER=1" : "",
             g->apart > 1 ? " -DAPART=1" : "", g->one_block ? " -DONE_BLOCK=1" : "", g->columns.held ? " -DHELD=1" : "",
             g->constant_stride ? " -DCONSTANT_STRIDE=1" : "", g->tail_chunks ? " -DTAIL=1" : "");
}

/* What lies g->rows_ahead rows on. */
static columns_prefetch_t rows_ahead(const dims_t *dims, const layout_dim *column, const geometry *g) {
    const cl_ulong outer_dims = dims->kept_count - g->row_dims - (g->apart > 1);
    const bool is_outer = g->tiles == 1 && outer_dims;
    return (columns_prefetch_t){
        .rows_ahead = (cl_uint)(g->rows_ahead % g->length),
        .jobs_ahead = (cl_uint)(g->rows_ahead / g->length),
        .next = is_outer ? dims->kept_in[outer_dims - 1] : (int64_t)g->tile_columns * column->in,
    };
}

static void set_column_tiles(const layout_dim *column, const geometry *g, uint64_t jobs, kernel_arguments *arguments) {
    dims_t *const dims = &arguments->dims;
    const cl_ulong last = dims->reduced_count - (g->inner > 1 ? 2 : 1), fused = g->fused;
    const cl_ulong width = fused > 1 ? (cl_ulong)dims->reduced_in[last] : column->size; /* of a row, with its gap */
    columns_t columns = {.jobs = jobs,
                         .jobs_per_group = g->scan.jobs_per_group,
                         .parts = g->parts,
                         .rows = g->length,
                         .part_length = g->part_length,
                         .columns = width * (fused - 1) + column->size,
                         .tiles = g->tiles,
                         .tile_columns = g->tile_columns,
                         .inner = g->inner,
                         .apart = g->pitch ? g->pitch : g->apart,
                         .outers = g->outers,
                         .per_tiles = reciprocal(g->tiles),
                         .per_outers = reciprocal(g->outers),
                         .segment = (dims->reduced_size[last] + fused - 1) / fused,
                         .stride = dims->reduced_in[last],
                         .column_stride = column->in,
                         .column_index = column->index,
                         .column_value = column->value};
    char argument[sizeof columns];
    size_t bytes = offsetof(columns_t, prefetch);
    dims->mask.step = dims->mask.reduced[last];
    dims->maximum.column_index = column->max_index;
    dims->maximum.column_value = column->max_value;
    if (g->prefetch_distance) {
        columns.prefetch = rows_ahead(dims, column, g);
        bytes += sizeof columns.prefetch;
    } else if (g->tail_chunks) {
        columns.tail = (columns_tail_t){(cl_uint)g->tail_chunks, (cl_uint)g->tail_chunk};
        bytes += sizeof columns.tail;
    }
    memcpy(argument, &columns, bytes);
    if (fused > 1) { /* behind whichever of these there is */
        memcpy(argument + bytes, &dims->reduced_size[last], sizeof dims->reduced_size[last]);
        bytes += sizeof dims->reduced_size[last];
    }
    set_argument(arguments, 0, argument, bytes);
}

static void set_columns(const layout *given, const geometry *g, uint64_t jobs, kernel_arguments *arguments) {
    layout turned;
    const layout *const l = layout_told(given, g, &turned, &arguments->dims);
    layout_dim column = l->kept[l->kept_count - 1];
    column.size = columns_of_row(l, l->outputs / g->outers, g->inner, g->pitch);
    set_column_tiles(&column, g, jobs, arguments);
}

static void describe_columns(const geometry *g, writer *out) {
    text_add(out, "%" PRIu32 " lanes across, vectors of %" PRIu32 " x %" PRIu64, g->across, g->vector, lane_vectors(g));
    if (g->inner > 1)
        text_add(out, ", %" PRIu32 " columns an output", g->inner);
    if (g->apart > 1)
        text_add(out, ", %" PRIu32 " apart", g->apart);
    if (g->row_dims > 1)
        text_add(out, ", rows of %" PRIu32 " dims", g->row_dims);
}

const family family_columns = {
    .name = "columns",
    .kernel = "columns",
    .structs = 1,
    .struct_bytes = {offsetof(columns_t, prefetch)},
    .groups = GROUPS_OF_COLUMNS,
    .merges_values = true,
    .merges_tiles = true,
    .takes_mask = true,
    .takes_both = true,
    .lay_out = lay_out_columns,
    .options = column_options,
    .arguments = set_columns,
    .describe = describe_columns,
};

/* Columns suit when the kept dim is the nearer one, and when single vectors would be too short along the rows. */
static bool columns_are_nearer(const geometry_request *r, const geometry *g) {
    const layout *l = r->layout;
    const int64_t column = l->kept[l->kept_count - 1].in;
    const layout_dim *last = &l->reduced[l->reduced_count - (g->inner > 1 && !g->inner_first ? 2 : 1)];
    const uint64_t row = magnitude(last->in);
    if (l->outputs == 1)
        return g->inner > 1;
    return l->kept[l->kept_count - 1].size > 1 && column > 0 && (row > (uint64_t)column || row == 0 || last->size == 1);
}

static bool columns_do(const geometry_request *r, const geometry *g) {
    return columns_are_nearer(r, g) && whole_reductions_do(r, g);
}

/* Without lanes to share, a run of the reduction shorter than a vector costs more to reduce than to gather: a third as
 * long a one where others follow, whose accumulators are kept meanwhile. */
static bool runs_are_short(const geometry_request *r, const geometry *g) {
    const layout *l = r->layout;
    const uint64_t run = l->reduced[l->reduced_count - 1].size, beside = l->kept[l->kept_count - 1].size;
    const uint32_t few = r->tuning->gather_rows;
    return g->scan.group == 1 && (l->reduced_count == 1 ? run < few && beside >= few : 3 * run < few && beside > 1);
}

static bool gathered_columns_do(const geometry_request *r, const geometry *g) {
    return runs_are_short(r, g) || columns_are_nearer(r, g);
}

static bool strided_columns_do(const geometry_request *r, const geometry *g) {
    return gathered_columns_do(r, g) && whole_reductions_do(r, g);
}

const strategy strategy_columns = {"columns", &family_columns, false, false, LANES_ALL, columns_do};
const strategy strategy_split_columns = {"split-columns", &family_columns, false, true, LANES_ALL, columns_are_nearer};
const strategy strategy_strided_columns = {"strided-columns", &family_columns,   true, false,
                                           LANES_ALL,         strided_columns_do};
const strategy strategy_split_strided_columns = {"split-strided-columns", &family_columns, true, true, LANES_ALL,
                                                 gathered_columns_do};
