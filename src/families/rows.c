/* How kernels/families/rows.cl lies over a collapsed problem. */
#include "families/geometry.h"

#include <inttypes.h>
#include <stddef.h>

extern const family family_rows; /* permuted.c lays rows of its own by what is here */

/* From so many vectors on a row's values first and a search for the place are faster than counting along
 * (kernels/families/rows_by_value.clh). Wide vectors cannot count along. */
static bool is_by_value(const geometry_request *r, const geometry *g) {
    const bool is_float = r->problem->input.type->kind == KIND_FLOAT;
    const uint32_t least = is_float ? r->tuning->floats_by_value : r->tuning->integers_by_value;
    return can_be_by_value(r, g) && !g->rows.local_index && (g->vector > VECTOR_MAX || reaches(g->part_length, least));
}

/* Rows of narrow elements so short that a place beside each key is faster than that
 * (kernels/families/rows_local_index.clh).
 */
static bool fits_local_index(const geometry_request *r) {
    const dtype_info *type = r->problem->input.type;
    const tuning_row *t = r->tuning;
    const uint32_t above = type->bits == 8            ? t->local_index_row_8
                           : type->kind == KIND_FLOAT ? t->local_index_row_half
                                                      : t->local_index_row_16;
    return r->layout->reduced_count == 1 && r->device->little_endian && type->bits <= 16 &&
           r->layout->reduction < above && !is_general(r->problem);
}

/* Vectors of a segment that begins anywhere, at least: what comes before the first one is inside it. */
#define VECTORS_LEAST 2

/* Elements of a segment whose vectors work-items of several count by 32 bits: fewer. */
#define COUNTED_ELEMENTS (UINT64_C(1) << 30)

/* Whether the ends of a segment do not matter beside its vectors, where they are read one by one: of a row of one dim
 * soon, of several segments where each is a batch of loads for a work-group. */
static bool is_long(const geometry_request *r, uint64_t segment, uint32_t vector) {
    const tuning_row *t = r->tuning;
    const uint64_t batch = r->layout->reduced_count > 1 ? (uint64_t)t->group * t->unroll_rows : t->peel_vectors;
    return t->peel_vectors && segment / vector >= max_u64(batch, VECTORS_LEAST);
}

/* The widest vector for rows of several dims, which begin and end anywhere: of elements that are loaded one by one, but
 * for long segments; of narrow ones aligned (kernels/families/rows_anywhere.clh), of which a row has some, and a word
 * at least. 1: none. */
static uint32_t anywhere_vector(const geometry_request *r, uint32_t widest) {
    const uint32_t bytes = element_bytes(r->problem);
    const tuning_row *t = r->tuning;
    const uint64_t size = r->layout->reduced[r->layout->reduced_count - 1].size;
    const bool several = r->group_limit > 1 && t->group > 1 && t->group_short > 1;
    if (!t->anywhere_vectors || !several || r->layout->reduced_count == 1 || size >= COUNTED_ELEMENTS)
        return 1;
    if (bytes >= WORD_BYTES)
        return is_long(r, size, widest) ? 1 : floor_power(size, widest);
    const uint32_t vector = floor_power(max_u64(1, size / max_u32(t->anywhere_vectors, VECTORS_LEAST)), widest);
    return r->device->little_endian && !is_general(r->problem) && vector * bytes >= WORD_BYTES ? vector : 1;
}

bool lies_anywhere(const geometry *g) {
    return g->overlap && g->load == LOAD_ALIGNED;
}

static void choose_row_vector(const geometry_request *r, geometry *g) {
    const layout *l = r->layout;
    const layout_dim *last = &l->reduced[l->reduced_count - 1];
    const bool adjacent = last->in == 1;
    const bool alone = r->tuning->group == 1 && r->tuning->group_short == 1 && r->tuning->short_lanes == 1;
    const bool wide = adjacent && alone && (reaches(l->reduction, r->tuning->wide_row) || fits_local_index(r));
    const uint32_t widest = widest_vector(r, r->tuning->vector_bytes, wide);
    g->overlap = g->peel = false;
    if (!r->tuning->aligned) {
        g->vector = floor_power(last->size, widest);
        while (r->tuning->group > 1 && last->size >= COUNTED_ELEMENTS && last->size % g->vector)
            g->vector /= 2;
        g->overlap = last->size % g->vector != 0;
    } else if (!adjacent) {
        g->vector = 1;
    } else {
        const uint32_t anywhere = anywhere_vector(r, widest);
        g->vector = aligned_vector(l, widest, last);
        while (last->size % g->vector)
            g->vector /= 2;
        g->overlap = anywhere > g->vector;
        g->vector = max_u32(anywhere, g->vector);
        if (!g->overlap && g->vector < widest && is_long(r, last->size, widest)) {
            g->vector = widest;
            g->peel = true;
        }
    }
    g->load = kind_of_load(r, adjacent, g->vector);
    if (r->tuning->aligned && g->overlap)
        g->load = element_bytes(r->problem) < WORD_BYTES ? LOAD_ALIGNED : LOAD_UNALIGNED;
    choose_mask(r, last->mask, r->tuning->aligned && g->overlap, g);
    /* An element's place in a step must fit the element's width (kernels/families/rows_by_value.clh,
     * rows_local_index.clh).
     */
    if (element_bytes(r->problem) == 1)
        g->unroll = min_u32(g->unroll, 254 / g->vector);
}

/* Vectors of a segment; of one that begins anywhere, as many as where it begins with the last element of a vector. */
static uint64_t vectors_of(const geometry *g, uint64_t segment) {
    if (lies_anywhere(g))
        return ceil_div(segment + g->vector - 1, g->vector);
    return g->overlap ? ceil_div(segment, g->vector) : segment / g->vector;
}

/* Work-items that share a short row: two as soon as it is worth it, then more for longer rows, of several dims half as
 * many, since each has the ends of runs to find. Rows that leave most of the device idle take as many as read theirs in
 * one batch of loads. */
static uint32_t lanes_along(const geometry_request *r, const geometry *g) {
    const tuning_row *t = r->tuning;
    const bool has_ends = lies_anywhere(g) && g->family == &family_rows;
    const uint64_t units = g->length, wanted = units / t->row_loads / (has_ends ? 2 : 1),
                   items = (uint64_t)r->device->compute_units * t->group;
    uint32_t lanes = floor_power(max_u64(wanted, units > t->lone_loads ? 2 : 1), t->short_lanes);
    while (lanes < t->group && units / lanes > t->unroll_rows &&
           r->layout->outputs <= items * t->enough_percent / 100 / lanes)
        lanes *= 2;
    return lanes;
}

/* Lanes and work-group for rows of g->length vectors. A small work-group reduces cheaply; with few vectors in flight
 * for each lane it takes more lanes to keep the memory busy. */
static uint32_t choose_row_lanes(const geometry_request *r, lane_rule rule, geometry *g) {
    const tuning_row *t = r->tuning;
    uint32_t group = floor_power(row_group(r), r->group_limit);
    const bool short_with_gaps = r->strided && !r->split && g->length <= t->short_vectors;
    g->lanes = group;
    if (rule == LANES_ONE) {
        g->lanes = 1;
    } else if (rule == LANES_FEW || short_with_gaps) {
        const uint32_t lanes = lanes_along(r, g);
        const bool few_loads = t->group_short > 1 && g->length / lanes < t->unroll_rows;
        group = floor_power(max_u64(lanes, (uint64_t)t->group_short * (few_loads ? 2 : 1)), r->group_limit);
        g->lanes = floor_power(lanes, group);
    }
    return group;
}

/* How the kernel goes over a part's vectors. */
static void choose_row_loop(const geometry_request *r, geometry *g, uint32_t group) {
    const layout *l = r->layout;
    /* No more in flight than there are, where they are as many for each lane. */
    if (group == 1 || (g->part_length % g->lanes == 0 && (g->parts > 1 || !g->peel)))
        g->unroll = (uint32_t)min_u64(g->unroll, g->part_length / g->lanes);
    g->constant_stride =
        g->peel || (group > 1 && !g->overlap &&
                    (l->reduced_count == 1 || (l->reduced_count == 2 && g->lanes % g->segment_vectors == 0)));
    g->rows.local_index = group == 1 && !g->peel && g->parts == 1 && g->vector > 1 && !g->swar && fits_local_index(r);
    if (g->rows.local_index) /* a core that is busy looks less far ahead by itself */
        choose_prefetch(r, r->tuning->local_index_hint, g);
    g->rows.by_value = group == 1 && !g->peel && is_by_value(r, g);
    g->one_block = g->rows.local_index && l->reduction < UINT64_C(1) << r->problem->input.type->bits;
    const bool last_alone = g->rows.local_index || (g->rows.by_value && l->reduced_count == 1);
    g->rows.contiguous_batch = group == 1 && !g->peel && !r->strided && (!g->overlap || last_alone) &&
                               (g->parts == 1 || g->part_length % g->unroll == 0) &&
                               (l->reduced_count == 1 || g->segment_vectors % g->unroll == 0);
}

/* Few partials of wide keys stand beside the counter and tell by themselves when they have come
 * (kernels/workgroup/flagged_partial.clh). */
static void choose_words(const geometry_request *r, geometry *g) {
    const uint64_t each = COUNTERS_WITH_PARTS(g->parts);
    g->flagged_partial = takes_words(r, g) && !wants_both(r->problem) && !g->atomic_partial &&
                         g->parts <= r->tuning->flagged_parts && r->layout->reduction < INT32_MAX &&
                         r->layout->outputs * each <= COUNTERS_A_QUEUE;
    if (g->flagged_partial)
        set_counters(r->layout->outputs, (uint32_t)each, g);
}

const char *split_rows(const geometry_request *r, uint64_t turns, geometry *g) {
    const uint32_t vector_bytes = load_bytes(r, g);
    const uint32_t group = g->scan.group = choose_row_lanes(r, r->lanes, g);
    const uint64_t rows = group / g->lanes;
    g->least = max_u64((uint64_t)g->lanes * g->unroll, r->tuning->part_bytes / vector_bytes);
    if (r->split && rows != 1)
        return "a work-group takes several rows, which it cannot split";
    /* A work-item alone takes whole batches (CONTIGUOUS_BATCH in kernels/families/rows.cl). Among many work-groups a
     * row that is worth sharing out at all is shared by as many as have a vector for each work-item. */
    const uint64_t step = group > 1 ? g->lanes : g->least;
    const uint64_t smallest = max_u64(step, min_u64(g->least, r->tuning->row_part_bytes / vector_bytes));
    g->scan.jobs = ceil_div(r->layout->outputs, rows);
    return split_reduction(r, g->scan.jobs, smallest, step, most_part_length(r, g->vector, turns), g);
}

void distribute_rows(const geometry_request *r, geometry *g) {
    g->scan = distribute(r, g->scan.group, g->scan.jobs * g->parts, r->tuning->groups_max);
}

static const char *lay_out_rows(const geometry_request *r, geometry *g) {
    const layout *l = r->layout;
    const uint64_t segment = l->reduced[l->reduced_count - 1].size;
    g->tuning = r->tuning->name;
    g->unroll =
        loads_in_flight(r, r->tuning->unroll_rows, r->tuning->unroll_mask_percent, r->tuning->unroll_both_percent);
    choose_row_vector(r, g);
    choose_arithmetic(r, g);
    if ((g->load == LOAD_STRIDED) != r->strided)
        return wrong_stride(r);
    g->segment_vectors = vectors_of(g, segment);
    if (lies_anywhere(g)) {
        g->unroll = min_u32(g->unroll, r->tuning->unroll_anywhere);
        g->aligned_elements = 1; /* the kernel finds aligned vectors wherever rows begin */
    }
    g->length = l->reduction / segment * g->segment_vectors;
    const char *const refused = split_rows(r, 1, g);
    if (refused)
        return refused;
    const uint32_t group = g->scan.group;
    choose_row_loop(r, g, group);
    distribute_rows(r, g);
    /* Whole rows of one dim gain by the loop; float16 over several lost by it. */
    g->one_job = has_one_job(r, g) && (g->parts > 1 || l->reduced_count > 1);
    const char *const unmerged = plan_merge(r, l->outputs, 1, g);
    choose_words(r, g);
    return unmerged;
}

static void add_options(const geometry *g, writer *out) {
    text_add(out, " -DUNROLL=%" PRIu32 " -DLANES=%" PRIu32 "%s%s%s%s%s%s", g->unroll, g->lanes,
             !g->rows.local_index ? ""
             : g->one_block       ? " -DLOCAL_INDEX=1 -DONE_BLOCK=1"
                                  : " -DLOCAL_INDEX=1",
             g->rows.by_value ? " -DBY_VALUE=1" : "", g->overlap ? " -DOVERLAP=1" : "", g->peel ? " -DPEEL=1" : "",
             g->rows.contiguous_batch ? " -DCONTIGUOUS_BATCH=1" : "", g->constant_stride ? " -DCONSTANT_STRIDE=1" : "");
}

static void set_rows(const layout *l, const geometry *g, uint64_t jobs, kernel_arguments *arguments) {
    const layout_dim *last = &l->reduced[l->reduced_count - 1];
    rows_t rows = {.jobs = jobs,
                   .jobs_per_group = g->scan.jobs_per_group,
                   .parts = g->parts,
                   .per_parts = reciprocal(g->parts),
                   .vectors = g->length,
                   .part_length = g->part_length,
                   .segment = last->size,
                   .segment_vectors = g->segment_vectors,
                   .stride = last->in};
    size_t bytes = offsetof(rows_t, ends);
    if (lies_anywhere(g)) {
        addressed_elements(l, &rows.ends.first, &rows.ends.last);
        bytes += sizeof rows.ends;
    }
    set_argument(arguments, 0, &rows, bytes);
}

void describe_rows(const geometry *g, writer *out) {
    text_add(out, "%" PRIu32 " lanes an output, vectors of %" PRIu32, g->lanes, g->vector);
}

const family family_rows = {
    .name = "rows",
    .kernel = "rows",
    .structs = 1,
    .struct_bytes = {offsetof(rows_t, ends)},
    .merges_values = true,
    .takes_mask = true,
    .takes_both = true,
    .lay_out = lay_out_rows,
    .options = add_options,
    .arguments = set_rows,
    .describe = describe_rows,
};

static bool rows_are_short(const geometry_request *r, const geometry *g) {
    return g->length <= r->tuning->short_vectors && whole_reductions_do(r, g);
}

const strategy strategy_short_rows = {"short-rows", &family_rows, false, false, LANES_FEW, rows_are_short};
const strategy strategy_long_rows = {"long-rows", &family_rows, false, false, LANES_ALL, whole_reductions_do};
const strategy strategy_split_rows = {"split-rows", &family_rows, false, true, LANES_ALL, always_suits};
/* Neighbouring work-items have neighbouring outputs. */
const strategy strategy_gathered_rows = {"gathered-rows", &family_rows, true, false, LANES_ONE, outputs_are_gathered};
const strategy strategy_strided_rows = {"strided-rows", &family_rows, true, false, LANES_ALL, whole_reductions_do};
const strategy strategy_split_strided_rows = {"split-strided-rows", &family_rows, true, true, LANES_ALL, always_suits};
