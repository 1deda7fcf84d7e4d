/* How kernels/families/stream.cl lies over a collapsed problem: columns of any width, for work-groups of several
 * work-items. */
#include "families/geometry.h"

#include <assert.h>
#include <inttypes.h>

/* The block of neighbours: the columns of a row of outputs, and the rows over it. */
typedef struct {
    const layout_dim *kept, *row;
    output_row its;
    uint64_t columns;
    uint32_t row_dims;
    uint64_t rows;
    int64_t stride;   /* between neighbouring columns */
    int64_t along;    /* the same in the mask */
    bool inner_first; /* the neighbours of an output are the first reduced dim, which `turned` has as its last one */
    bool windowed;    /* these are too many for a tile */
    layout turned;
} block;

#define NO_COLUMNS                                                                                                     \
    "it takes outputs that lie nearer than the elements of a reduction, or blocks of a few neighbours of it"

#define TOO_WIDE "it takes outputs whose neighbours fit a work-group"

static void set_block(const layout *l, output_row its, block *b) {
    b->kept = &l->kept[l->kept_count - 1];
    b->its = its;
    assert(its.inner > 0);
    const layout_dim *const column = its.apart == 1 && its.inner > 1 ? &l->reduced[l->reduced_count - 1] : b->kept;
    b->row_dims = l->reduced_count - (its.inner > 1 ? 1 : 0);
    b->row = &l->reduced[b->row_dims - 1];
    b->columns = columns_of_block(&its);
    b->rows = l->reduction / its.inner;
    b->stride = column->in;
    b->along = column->mask;
}

static const char *find_block(const layout *l, uint32_t inner_most, uint32_t inner_rows, row_gaps gaps, block *b) {
    const output_row its = output_row_with_gaps(l, inner_most, inner_most, gaps);
    const bool are_few = l->reduction / its.inner < inner_rows; /* for what it costs to bring the columns together */
    set_block(l, are_few ? output_row_of(l, 1, 1) : its, b);
    return b->its.inner == 1 && (b->kept->size == 1 || b->kept->in <= 0) ? NO_COLUMNS : NULL;
}

/* Where the neighbours of an output are some whole, aligned vectors, rows read them as well and bring nothing together.
 */
static uint32_t most_inner(const geometry_request *r) {
    const layout *l = r->layout;
    const tuning_row *t = r->tuning;
    const layout_dim *last = &l->reduced[l->reduced_count - 1];
    const uint32_t vector = widest_vector(r, t->vector_bytes, false);
    const bool whole = last->in == 1 && last->size % vector == 0 && aligned_vector(l, vector, last) == vector;
    return whole && last->size * element_bytes(r->problem) >= t->stream_inner_aligned ? 1 : t->stream_inner;
}

/* A block of all neighbours of one output, which are the last dim. */
static void find_long_block(const layout *l, block *b) {
    const output_row alone = {(uint32_t)l->reduced[l->reduced_count - 1].size, 1, 0, 1, 0};
    set_block(l, alone, b);
}

static const char *wanted_block(const geometry_request *r, block *b) {
    const uint32_t bytes = element_bytes(r->problem);
    const row_gaps gaps = {r->tuning->stream_gap_bytes / bytes, r->tuning->stream_gap_row_bytes / bytes,
                           r->tuning->line_bytes / bytes};
    if (may_be_first(r) && (bytes >= WORD_BYTES || is_mask_alike(r))) {
        b->turned = with_first_last(r->layout);
        b->inner_first = !find_block(&b->turned, r->tuning->stream_inner, r->tuning->inner_rows, gaps, b) &&
                         b->its.inner > 1 && b->its.apart == 1 && lines_are_shared(r, &b->turned, b->columns);
        if (b->inner_first)
            return NULL;
        find_long_block(&b->turned, b);
        b->windowed = b->inner_first = b->columns > r->tuning->stream_inner && b->rows >= r->tuning->stream_fused_rows;
        if (b->windowed)
            return NULL;
    }
    return find_block(r->layout, most_inner(r), r->tuning->inner_rows, gaps, b);
}

static bool strides_divide(const layout *l, const block *b, uint32_t vector) {
    for (uint32_t i = 0; i + b->its.dims < l->kept_count; ++i)
        if (l->kept[i].in % (int64_t)vector)
            return false;
    for (uint32_t i = 0; i < b->row_dims; ++i)
        if (l->reduced[i].size > 1 && l->reduced[i].in % (int64_t)vector)
            return false;
    return l->in_offset % (int64_t)vector == 0 && b->columns % vector == 0;
}

/* Rows after which they begin at the same place within a vector again, if each begins `pitch` elements behind another.
 */
static uint32_t vector_period(int64_t pitch, uint32_t vector) {
    return vector / (uint32_t)greatest_divisor(vector, magnitude(pitch % (int64_t)vector));
}

/* The same over all dims; 0 where the rows of other dims do not go on as those of the last one. */
static uint32_t period_of(const block *b, const layout *l, uint32_t vector, uint32_t fused) {
    const int64_t v = (int64_t)vector, pitch = b->row->in % v * (int64_t)fused % v;
    int64_t rows = 1;
    for (uint32_t i = b->row_dims; i-- > 0;) {
        if ((l->reduced[i].in % v * (int64_t)fused - rows * pitch) % v)
            return 0;
        rows = rows * (int64_t)(l->reduced[i].size % vector) % v;
    }
    return vector_period(pitch, vector);
}

/* Rows of narrow elements at any distances: whole vectors of fewer elements where all begin at those, or words that are
 * shifted, and single elements where words are turned. */
static void choose_irregular(const geometry_request *r, const block *b, geometry *g) {
    const uint32_t word = word_of(r), widest = g->vector;
    g->stream.period = 1;
    g->stream.phased = false;
    while (g->vector > 1 && !strides_divide(r->layout, b, g->vector))
        g->vector /= 2;
    g->load = kind_of_load(r, true, g->vector);
    if (g->vector < word && b->columns >= word) {
        g->load = r->device->little_endian ? LOAD_SHIFTED : LOAD_UNALIGNED;
        g->vector = g->load == LOAD_SHIFTED ? shifted_elements(r, widest) : word;
        while (g->vector > b->columns)
            g->vector /= 2;
    }
}

/* Whether a segment, the rows of the last dim, is long enough for a part of its own, and no longer than one may be. */
static bool segments_are_parts(const geometry_request *r, const block *b) {
    const uint64_t least = r->tuning->stream_segment_bytes, segment = b->row->size;
    return least && !b->windowed && segment * element_bytes(r->problem) >= least &&
           segment <= most_part_length(r, b->its.inner, 1) && b->rows / segment <= most_parts(r);
}

static bool has_gaps(const block *b) {
    return pitch_of_row(&b->its) > b->its.inner * b->its.apart;
}

/* Whether rows may be taken several as one: narrow ones that follow each other; of several dims those of narrow
 * elements whose segments are parts, and worth some. Single wide elements of narrow rows are loaded as fast. */
#define FUSED_PARTS 4u
static bool rows_may_fuse(const geometry_request *r, const block *b) {
    const tuning_row *t = r->tuning;
    const uint32_t bytes = element_bytes(r->problem);
    return !b->inner_first && b->stride == 1 && !has_gaps(b) && b->row->in == (int64_t)b->columns &&
           b->columns < t->stream_fused_bytes / bytes && continues(b->row->mask, b->along, b->columns) &&
           (b->row_dims == 1 ||
            (bytes < WORD_BYTES && b->row->size * b->columns * bytes >= (uint64_t)FUSED_PARTS * t->part_bytes &&
             segments_are_parts(r, b)));
}

/* As many as are whole vectors and fill some work-items side by side. */
static uint32_t rows_fused(const geometry_request *r, const block *b) {
    const tuning_row *t = r->tuning;
    const uint32_t vector = widest_vector(r, t->column_bytes, false), read = widest_over_columns(r);
    if (!rows_may_fuse(r, b) || (b->row_dims > 1 && !r->split))
        return 1;
    const uint64_t whole = read / greatest_divisor(read, b->columns);
    const uint64_t wanted =
        min_u64((uint64_t)t->stream_fused_lanes * vector / b->columns, b->row->size / t->stream_fused_rows) / whole *
        whole;
    const uint64_t fused = max_u64(wanted, whole);
    return b->row->size >= 2 * fused ? (uint32_t)fused : 1;
}

static void choose_vector(const geometry_request *r, const block *b, geometry *g) {
    const tuning_row *t = r->tuning;
    const uint32_t word = word_of(r), bytes = element_bytes(r->problem);
    g->stream.period = 1;
    g->vector = widest_over_columns(r);
    if (b->stride != 1) {
        g->vector = 1;
        g->load = LOAD_STRIDED;
        return;
    }
    while (g->vector > word && b->columns * g->fused < g->vector)
        g->vector /= 2;
    const bool anywhere = t->aligned && !strides_divide(r->layout, b, g->vector);
    /* Loads of a wide element each do as well as aligned vectors, and work-items need share no column. */
    if (anywhere && bytes >= WORD_BYTES) {
        g->load = LOAD_UNALIGNED;
        return;
    }
    g->stream.phased = anywhere;
    g->stream.by_segments = b->row_dims > 1 && rows_may_fuse(r, b);
    /* The fewer rows are a period, the fewer work-items share a column. */
    if (g->stream.phased && g->fused == 1 && !r->split && g->vector > t->stream_vector) {
        g->vector = t->stream_vector;
        g->stream.phased = !strides_divide(r->layout, b, g->vector);
    }
    while (!g->stream.phased && b->columns * g->fused < g->vector) /* nothing lies behind the last row */
        g->vector /= 2;
    g->load = kind_of_load(r, true, g->vector);
    if (!g->stream.phased)
        return;
    const uint32_t alone = vector_period(b->row->in * (int64_t)g->fused, g->vector); /* in a segment */
    g->stream.period = g->stream.by_segments && r->split ? alone : period_of(b, r->layout, g->vector, g->fused);
    if (g->stream.period)
        return;
    g->stream.by_segments = segments_are_parts(r, b);
    if (g->stream.by_segments && r->split)
        g->stream.period = alone;
    else
        choose_irregular(r, b, g);
}

/* Work-items side by side over `columns`, in tiles of whole outputs: the part of a work-group's that have something to
 * do is as large as it gets, with rows of a tile that the memory likes. */
#define TILES_TRIED 64   /* what the host spends on it */
#define PART_ROW_LINES 2 /* in a row of a tile of parts, of which each column leaves a partial answer in memory */

typedef struct {
    uint32_t across, sharing, width;
    uint64_t tiles;
} tiling;

/* Elements that a vector may begin before a tile. */
static uint32_t phases_of(const geometry *g) {
    return g->stream.phased ? g->vector - 1 : 0;
}

/* Columns that a tile has a multiple of: those of one output, of one row where rows are fused; vectors stay aligned. */
static uint64_t tile_step(const geometry *g, uint64_t columns) {
    const uint64_t vector = g->stream.phased || g->load != LOAD_ALIGNED ? 1 : g->vector;
    const uint64_t step = g->pitch;
    return g->fused > 1 ? columns : vector / greatest_divisor(step, vector) * step;
}

static tiling tiling_of(const geometry *g, uint64_t columns, uint64_t rows, uint32_t rows_each, uint32_t group,
                        uint64_t tiles) {
    const uint64_t step = tile_step(g, columns);
    const uint64_t many = max_u64(g->stream.period, rows / rows_each / g->stream.period * g->stream.period);
    tiling t;
    t.width = (uint32_t)(ceil_div(ceil_div(columns, tiles), step) * step);
    if (g->pitch == 1 && !g->stream.phased)
        t.width = (uint32_t)(ceil_div(t.width, g->vector) * g->vector);
    t.across = (uint32_t)ceil_div(t.width + phases_of(g), g->vector);
    t.sharing = (uint32_t)min_u64((uint64_t)(group / t.across / g->stream.period) * g->stream.period, many);
    t.tiles = ceil_div(columns, t.width);
    return t;
}

/* Of the work-groups that run at once, the part that have something to do until the last of so many blocks is done,
 * each of which is cut as often as leaves them all a part. */
static double share_of_groups(uint64_t blocks, uint64_t wanted) {
    const uint64_t turns = ceil_div(blocks, wanted), parts = blocks <= wanted ? wanted / blocks : 1;
    return (double)(blocks * parts) / (double)(wanted * turns);
}

static bool choose_tiling(const geometry_request *r, const block *b, geometry *g) {
    const tuning_row *t = r->tuning;
    const uint32_t group = g->scan.group;
    const uint64_t columns = b->columns * g->fused, rows = b->rows / g->fused;
    const uint64_t step = tile_step(g, columns);
    assert(g->stream.period > 0 && step > 0);
    const uint64_t lanes = group / g->stream.period, before = phases_of(g);
    uint64_t room = lanes * g->vector - min_u64(lanes * g->vector, before);
    const uint64_t of_part = max_u64(step, (uint64_t)PART_ROW_LINES * t->line_bytes / element_bytes(r->problem));
    if (r->split && g->fused == 1 && !b->windowed && !may_be_words(r) &&
        2 * ceil_div(columns, of_part) * g->outers <= wanted_groups(r, g))
        room = min_u64(room, of_part);
    const uint64_t most = room / step;
    const uint32_t least = max_u32(1, t->tile_row_bytes / element_bytes(r->problem));
    const double gain = (100 + t->stream_gain_percent) / 100.0;
    double best = 0;
    tiling chosen = {0};
    if (most == 0)
        return false;
    const uint64_t first = g->fused > 1 ? 1 : ceil_div(columns, room);
    for (uint64_t i = 0; i < TILES_TRIED; ++i) {
        /* One more tile makes many tiles no narrower by an output. */
        const uint64_t tiles = g->pitch == 1 ? first + i : ceil_div(columns, (most - min_u64(i, most - 1)) * step);
        const tiling some = tiling_of(g, columns, rows, t->stream_tile_rows, group, tiles);
        if (!some.sharing)
            continue;
        if (best > 0 && (some.width < least || some.tiles > 4 * first + 4 || g->fused > 1))
            break;
        const double groups = b->windowed ? share_of_groups(some.tiles * g->outers, wanted_groups(r, g)) : 1;
        const double busy = (double)columns / (double)(some.tiles * g->vector) * some.sharing / group * groups;
        if (busy > best * gain) {
            best = busy;
            chosen = some;
        }
    }
    g->across = chosen.across;
    g->stream.sharing = chosen.sharing;
    g->tile_columns = chosen.width;
    g->tiles = chosen.tiles;
    return best > 0;
}

/* Work-items for the narrowest tile. */
static uint64_t lanes_of_tile(const block *b, const geometry *g) {
    return g->stream.period * ceil_div(tile_step(g, b->columns * g->fused) + phases_of(g), g->vector);
}

/* Work-items of a work-group: twice as many where their vectors are narrow, since rows of a tile would be, or where one
 * tile needs them; as many as have room for candidates in local memory, and fewer where there are many blocks of which
 * each is little to do beside the merge of what so many have found. */
static uint32_t group_of(const geometry_request *r, const block *b, const geometry *g) {
    const tuning_row *t = r->tuning;
    const uint64_t candidate = candidate_bytes(r->problem), lanes = lanes_of_tile(b, g);
    const uint64_t vectors = ceil_div(b->columns * b->rows, g->vector), wanted = wanted_groups(r, g);
    const bool narrow = load_bytes(r, g) < t->column_bytes || lanes > t->group_stream;
    const uint32_t most = t->group_stream * (t->group_stream > 1 && narrow ? 2 : 1);
    uint32_t group = floor_power(most, r->group_limit);
    while (group > 1 &&
           ((uint64_t)(group + 16) * g->vector * candidate > r->device->local_bytes / t->stream_local_share ||
            (uint64_t)(group + 16) * (g->vector * candidate + partial_bytes(r->problem)) > r->device->local_bytes))
        group /= 2;
    while (group > t->stream_group_least && group / 2 >= lanes && vectors < (uint64_t)group * t->stream_vectors &&
           g->outers >= wanted * t->group_stream / group)
        group /= 2;
    return group;
}

/* Work-groups that have something to do at a time: those wanted, or fewer. Where a second turn of those that run at
 * once has few, its own: the first turn's keep the memory busy either way. */
static uint64_t groups_at_a_time(const geometry_request *r, const geometry *g) {
    if (r->split)
        return wanted_groups(r, g);
    const uint64_t jobs = g->tiles * g->outers;
    const uint64_t turn = (uint64_t)r->device->compute_units * r->tuning->stream_resident / g->scan.group;
    return jobs > turn && jobs < 2 * turn ? jobs - turn : jobs;
}

/* Rows that a work-item loads before it reduces them: twice as many where that would leave little on its way to a
 * compute unit, and rows are many and at equal distances. */
static uint32_t rows_in_flight(const geometry_request *r, const block *b, const geometry *g) {
    const tuning_row *t = r->tuning;
    const uint64_t group = g->scan.group, most = wanted_groups(r, g) * max_u64(group, t->group_stream);
    const uint64_t items = min_u64(groups_at_a_time(r, g) * group, most);
    const uint64_t bytes = items / r->device->compute_units * load_bytes(r, g) * t->stream_unroll;
    const bool more = b->row_dims == 1 && bytes < t->stream_flight_bytes &&
                      g->length >= 4 * (uint64_t)g->stream.sharing * t->stream_unroll;
    return loads_in_flight(r, min_u32(more ? t->stream_unroll_most : t->stream_unroll, UNROLL_MAX),
                           t->unroll_mask_stream, 100);
}

/* Whether whole reductions keep the memory busy: as many work-groups as are wanted do, and fewer that have enough on
 * its way to each compute unit, where narrow loads take as long as wide ones. */
static bool are_enough(const geometry_request *r, const geometry *g) {
    const uint32_t bytes = max_u32(load_bytes(r, g), r->tuning->column_bytes) + (g->mask == MASK_NONE ? 0 : g->vector);
    const uint64_t items = (uint64_t)g->across * g->stream.sharing * g->scan.jobs;
    return g->scan.jobs >= wanted_groups(r, g) || g->length < 2 * g->least ||
           items * g->unroll * bytes / r->device->compute_units >= r->tuning->stream_flight_bytes;
}

/* Parts of one segment each, or several parts that take turns at one. */
static void split_segments(const geometry_request *r, uint64_t segment, geometry *g) {
    const uint64_t segments = g->length / segment, jobs = g->tiles * g->outers * segments;
    const uint64_t most = min_u64(segment / g->least, most_parts(r) / segments);
    g->stream.interleaved = max_u64(1, min_u64(wanted_groups(r, g) / jobs, most));
    g->part_length = ceil_div(segment, g->stream.interleaved);
    g->parts = segments * g->stream.interleaved;
}

/* Rows at the end of parts that take turns, for whoever is done first: of the whole batches of a work-item at least one
 * is its own, and the others are chunks. All of these are claimed although no work-group has more than its accumulators
 * count. None with a mask or both extrema, which lose more by it than they gain. */
static void leave_tail(const geometry_request *r, geometry *g) {
    const uint64_t chunk = (uint64_t)g->stream.sharing * g->unroll, batches = g->length / (chunk * g->parts);
    const uint64_t counted = element_bytes(r->problem) == 1 ? UINT8_MAX / g->unroll : STREAM_CHUNKS_MOST;
    const uint64_t left = max_u64(1, (batches * r->tuning->tail_stream + 50) / 100);
    if (!r->tuning->tail_stream || batches < 2 || is_general(r->problem) || !can_claim(g->tiles * g->outers, g))
        return;
    g->part_length = (batches - min_u64(left, min_u64(batches - 1, min_u64(counted, STREAM_CHUNKS_MOST) - 2))) * chunk;
    if (g->length > g->parts * g->part_length)
        claim_chunks(g->tiles * g->outers, chunk, g);
}

/* Parts of rows, where there are windows as many as these leave work-groups to be had. */
static const char *split_stream(const geometry_request *r, uint64_t step, uint64_t most, geometry *g) {
    const uint64_t blocks = g->tiles * g->outers * max_u64(1, g->stream.windows);
    if (g->stream.windows > 1 && g->length <= most && (2 * blocks > wanted_groups(r, g) || g->length < 2 * g->least)) {
        g->parts = 1;
        g->part_length = g->length;
        return NULL;
    }
    return split_reduction(r, blocks, g->least, step, most, g);
}

static uint32_t tile_answers(const geometry *g) {
    return (uint32_t)(g->tile_columns / g->pitch * g->apart / g->fused);
}

/* Vectors and tiles over a block; false where its neighbours fit no work-group. Those that the index counts last then
 * are in windows, which may have any number of columns. */
static bool lay_tiles(const geometry_request *r, const block *b, geometry *g) {
    g->fused = rows_fused(r, b);
    g->inner = b->its.inner;
    g->apart = b->its.apart;
    g->pitch = b->windowed ? 1 : pitch_of_row(&b->its);
    g->row_dims = b->its.dims - (b->its.inner > 1 && b->its.apart > 1 ? 1 : 0);
    g->stream.by_segments = false;
    choose_vector(r, b, g);
    choose_mask(r, b->along, !g->stream.phased && g->load != LOAD_ALIGNED, g);
    g->outers = r->layout->outputs / b->its.outputs;
    g->scan.group = group_of(r, b, g);
    choose_arithmetic(r, g);
    if (!choose_tiling(r, b, g) || (b->windowed && g->tile_columns == 1))
        return false;
    assert(g->tile_columns && g->stream.sharing);
    if (b->windowed) {
        g->stream.windows = g->tiles;
        g->tiles = 1;
        g->tile_columns = min_u64(g->tile_columns, b->columns); /* of one window there may be part of a vector more */
        g->inner = g->pitch = (uint32_t)g->tile_columns;
    }
    return true;
}

static const char *lay_out_stream(const geometry_request *request, geometry *g) {
    geometry_request turned = *request;
    const geometry_request *const r = &turned;
    block b = {0};
    const char *refused = wanted_block(request, &b);
    if (refused)
        return refused;
    g->inner_first = b.inner_first;
    if (b.inner_first)
        turned.layout = &b.turned;
    const layout *const l = r->layout;
    if (b.row_dims > 1 && b.row->size > INT32_MAX)
        return "it takes rows of several dims that are fewer than 2^31 along the last one";
    bool fits = !b.windowed && lay_tiles(r, &b, g);
    if (!fits && b.inner_first && r->split) {
        find_long_block(l, &b);
        b.windowed = true;
        fits = lay_tiles(r, &b, g);
    }
    if (!fits)
        return TOO_WIDE;
    if (g->stream.phased && !is_mask_alike(r))
        return "rows that begin within vectors take a mask that lies as the input does";
    if (g->stream.phased && g->mask != MASK_ALIGNED)
        g->aligned_elements = 1; /* the kernel finds aligned vectors wherever rows begin */
    g->length = b.rows / b.row->size * (b.row->size / g->fused);
    g->unroll = rows_in_flight(r, &b, g);
    const uint64_t run = (uint64_t)g->stream.sharing * g->unroll, step = b.row_dims == 1 ? g->stream.sharing : run;
    const uint64_t row_bytes = g->tile_columns * element_bytes(r->problem);
    g->least = ceil_div(max_u64(run, r->tuning->part_bytes / row_bytes), run) * run;
    if (r->split && g->stream.by_segments)
        split_segments(r, b.row->size / g->fused, g);
    else
        refused = split_stream(r, step, most_part_length(r, (uint64_t)g->fused * b.its.inner, 1), g);
    if (refused)
        return refused;
    if (g->parts > 1 && b.row_dims == 1 && l->reduction <= PART_ELEMENTS_MAX &&
        (g->parts - 1) * g->stream.sharing < g->length)
        g->stream.interleaved = g->parts;
    g->constant_stride = b.row_dims == 1 || g->stream.interleaved ||
                         (b.row->size % run == 0 && (g->parts == 1 || g->part_length % run == 0));
    g->parts *= max_u64(1, g->stream.windows);
    g->scan = distribute(r, g->scan.group, g->tiles * g->outers * g->parts, r->tuning->groups_max);
    g->one_job = has_one_job(r, g);
    refused = plan_merge(r, g->tiles * g->outers, tile_answers(g), g);
    if (!refused && g->stream.interleaved && b.row_dims == 1 && g->stream.windows < 2)
        leave_tail(r, g);
    return refused;
}

static void add_options(const geometry *g, writer *out) {
    text_add(out, " -DUNROLL=%" PRIu32 "%s%s%s%s%s%s", g->unroll, g->stream.phased ? " -DPHASED=1" : "",
             g->inner > 1 ? " -DINNER=1" : "", g->inner > 1 && g->apart > 1 ? " -DAPART=1" : "",
             g->constant_stride ? " -DCONSTANT_STRIDE=1" : "", g->stream.interleaved ? " -DINTERLEAVED=1" : "",
             g->tail_chunks ? " -DTAIL=1" : "");
    add_inner_first(g, out);
    if (g->row_dims != 1)
        text_add(out, " -DROW_DIMS=%" PRIu32, g->row_dims);
}

static void set_stream(const layout *given, const geometry *g, uint64_t jobs, kernel_arguments *arguments) {
    block b = {0};
    layout turned;
    const layout *const l = layout_told(given, g, &turned, &arguments->dims);
    const uint32_t used = g->inner * g->apart;
    const row_gaps gaps = {g->pitch - used, used + 1, 0};
    const char *const refused = g->stream.windows ? NULL : find_block(l, g->inner == 1 ? 1 : used, 0, gaps, &b);
    if (g->stream.windows)
        find_long_block(l, &b);
    assert(!refused && b.row);
    (void)refused;
    stream_t s = {.jobs = jobs,
                  .jobs_per_group = g->scan.jobs_per_group,
                  .parts = g->parts,
                  .rows = g->length,
                  .part_length = g->part_length,
                  .columns = b.columns * g->fused,
                  .tiles = g->tiles,
                  .answers = l->outputs / g->outers,
                  .outers = g->outers,
                  .per_tiles = reciprocal(g->tiles),
                  .per_outers = reciprocal(g->outers),
                  .segment = b.row->size / g->fused,
                  .stride = b.row->in * (int64_t)g->fused,
                  .column_stride = b.stride,
                  .column_index = b.kept->index,
                  .column_value = b.kept->value,
                  .tile_columns = (cl_uint)g->tile_columns,
                  .across = g->across,
                  .per_across = short_reciprocal(g->across),
                  .sharing = g->stream.sharing,
                  .fused = g->fused,
                  .row = (cl_uint)b.columns,
                  .per_row = g->fused > 1 ? short_reciprocal(b.columns) : 0,
                  .rest = (cl_uint)(b.row->size % g->fused),
                  .inner = g->inner,
                  .pitch = g->pitch,
                  .per_pitch = short_reciprocal(g->pitch),
                  .apart = g->apart,
                  .per_apart = short_reciprocal(g->apart),
                  .interleaved = (cl_uint)g->stream.interleaved,
                  .tile_answers = tile_answers(g),
                  .steady = g->tail_chunks ? (cl_uint)(g->part_length / g->stream.sharing) : 0,
                  .tail_chunks = (cl_uint)g->tail_chunks,
                  .windows = (cl_uint)max_u64(1, g->stream.windows)};
    arguments->dims.mask.step = b.row->mask * (int64_t)g->fused;
    arguments->dims.maximum.column_index = b.kept->max_index;
    arguments->dims.maximum.column_value = b.kept->max_value;
    addressed_elements(l, &s.first, &s.last);
    set_argument(arguments, 0, &s, sizeof s);
}

static void describe(const geometry *g, writer *out) {
    text_add(out, "%" PRIu32 " x %" PRIu32 " lanes, vectors of %" PRIu32, g->across, g->stream.sharing, g->vector);
    if (g->fused > 1)
        text_add(out, ", %" PRIu32 " rows at once", g->fused);
    if (g->inner > 1)
        text_add(out, ", %" PRIu32 " columns an output%s", g->inner, g->stream.windows > 1 ? " and window" : "");
    if (g->inner > 1 && g->apart > 1)
        text_add(out, ", %" PRIu32 " apart", g->apart);
    if (g->pitch > g->inner * g->apart)
        text_add(out, ", %" PRIu32 " of %" PRIu32, g->inner * g->apart, g->pitch);
}

const family family_stream = {
    .name = "stream",
    .kernel = "stream",
    .structs = 1,
    .struct_bytes = {sizeof(stream_t)},
    .groups = GROUPS_OF_STREAM,
    .merges_values = true,
    .merges_tiles = true,
    .takes_mask = true,
    .takes_both = true,
    .lay_out = lay_out_stream,
    .options = add_options,
    .arguments = set_stream,
    .describe = describe,
};

/* Whether each reduced dim lies nearer than the one before it. */
static bool rows_follow_memory(const layout *l) {
    for (uint32_t i = 1; i < l->reduced_count; ++i)
        if (magnitude(l->reduced[i].in) > magnitude(l->reduced[i - 1].in))
            return false;
    return true;
}

/* Whether columns are aligned vectors that columns.c reads as well: two words of one reduced dim; of 8 bits one word
 * will do; so will one of narrow rows, and several dims of those in another order than memory's. */
static bool are_whole_words(const geometry_request *r, const block *b, uint32_t vector) {
    const layout *l = r->layout;
    const uint32_t bytes = element_bytes(r->problem), words = vector * bytes / WORD_BYTES;
    const bool narrow = b->columns * bytes < r->tuning->line_bytes;
    if (bytes == 1)
        return words > 0;
    if (l->reduced_count > 1 && (!narrow || rows_follow_memory(l)))
        return false;
    return words > 1 || (words == 1 && vector > 1 && narrow);
}

/* It suits when columns lie nearer than rows, and work-groups have several work-items, unless they are whole words that
 * fill a power of two of work-items: those have a kernel of their own (columns.c). */
static bool columns_fit(const geometry_request *r, const block *b) {
    const uint32_t group = floor_power(r->tuning->group_columns, r->group_limit);
    uint32_t vector = widest_vector(r, r->tuning->column_bytes, false);
    while (vector > 1 && !strides_divide(r->layout, b, vector))
        vector /= 2;
    const uint64_t vectors = ceil_div(b->columns, vector), lanes = floor_power(2 * vectors - 1, group);
    const tuning_row *t = r->tuning;
    if (lanes < group && group / lanes * t->unroll_columns > 2 * b->rows) /* work-items would be idle: rows are few */
        return false;
    return b->stride == 1 && b->its.inner == 1 && !has_gaps(b) && b->rows > few_whole_elements(r) &&
           are_whole_words(r, b, vector) &&
           (ceil_div(vectors, lanes) * lanes - vectors) * r->tuning->idle_share <= vectors;
}

static bool row_is_farther(const block *b) {
    const uint64_t row = magnitude(b->row->in);
    return row > magnitude(b->stride) || row == 0 || b->row->size == 1;
}

static bool is_small(const geometry_request *r, const block *b) {
    return b->columns * b->rows < r->tuning->stream_block_bytes / element_bytes(r->problem);
}

/* Whether neighbouring outputs lie nearer than elements of a reduction, and in many blocks that are too small for a
 * work-group each. */
bool outputs_are_gathered(const geometry_request *r, const geometry *g) {
    block b = {0};
    if (g->scan.group == 1 || wanted_block(r, &b))
        return false;
    return b.its.inner == 1 && is_small(r, &b) && r->layout->outputs > b.columns && row_is_farther(&b);
}

static bool columns_are_nearer(const geometry_request *r, const geometry *g) {
    block b = {0};
    if (g->scan.group == 1 || wanted_block(r, &b) || columns_fit(r, &b))
        return false;
    /* What the work-items of one output bring together is worth rows of each. */
    if (is_small(r, &b) ||
        (g->row_dims == 0 && !g->stream.windows && b.rows < (uint64_t)r->tuning->inner_rows * g->stream.sharing))
        return false;
    return row_is_farther(&b);
}

/* Blocks that would keep the memory busy are cut for what only parts can have. */
static bool columns_are_cut(const geometry_request *r, const geometry *g) {
    return columns_are_nearer(r, g) &&
           (g->stream.by_segments || g->stream.windows || g->tiles * g->outers < wanted_groups(r, g));
}

static bool columns_do(const geometry_request *r, const geometry *g) {
    return columns_are_nearer(r, g) && are_enough(r, g) && !g->stream.by_segments;
}

bool neighbours_come_first(const geometry_request *r) {
    block b = {0};
    return r->tuning->group_stream > 1 && r->group_limit > 1 && !wanted_block(r, &b) && b.inner_first &&
           row_is_farther(&b) && !is_small(r, &b);
}

const strategy strategy_stream = {"stream", &family_stream, false, false, LANES_ALL, columns_do};
const strategy strategy_split_stream = {"split-stream", &family_stream, false, true, LANES_ALL, columns_are_cut};
