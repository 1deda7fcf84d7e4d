/* Vectors, parts and work-groups: what every geometry is made of. */
#include "families/geometry.h"

#include <inttypes.h>

uint32_t floor_power(uint64_t n, uint32_t limit) {
    uint32_t power = 1;
    while (power <= limit / 2 && (uint64_t)power * 2 <= n)
        power *= 2;
    return power;
}

uint32_t element_bytes(const problem *p) {
    return p->input.type->bits / 8;
}

uint32_t load_bytes(const geometry_request *r, const geometry *g) {
    return g->vector * element_bytes(r->problem);
}

uint32_t word_of(const geometry_request *r) {
    return max_u32(1, WORD_BYTES / element_bytes(r->problem));
}

uint32_t widest_vector(const geometry_request *r, uint32_t bytes, bool wide) {
    const uint32_t fitting = bytes / element_bytes(r->problem);
    const uint32_t most = r->tuning->vector_elements;
    const bool possible =
        r->device->clang_cpu && !r->tuning->aligned && element_bytes(r->problem) <= 2 && !is_general(r->problem);
    return floor_power(fitting ? fitting : 1, wide && possible ? most : min_u32(most, VECTOR_MAX));
}

uint32_t shifted_elements(const geometry_request *r, uint32_t vector) {
    return max_u32(word_of(r), min_u32(vector, SHIFTED_WORDS_MAX * word_of(r)));
}

uint32_t widest_over_columns(const geometry_request *r) {
    return widest_vector(r, max_u32(r->tuning->column_bytes, 2 * element_bytes(r->problem)), false);
}

static bool all_divide(uint32_t vector, const layout_dim *dims, uint32_t count, const layout_dim *skip) {
    for (uint32_t i = 0; i < count; ++i)
        if (&dims[i] != skip && dims[i].size > 1 && dims[i].in % (int64_t)vector != 0)
            return false;
    return true;
}

uint32_t aligned_vector(const layout *l, uint32_t vector, const layout_dim *skip) {
    while (vector > 1 && !(l->in_offset % (int64_t)vector == 0 && all_divide(vector, l->kept, l->kept_count, skip) &&
                           all_divide(vector, l->reduced, l->reduced_count, skip)))
        vector /= 2;
    return vector;
}

/* What a tuning row says of a family's work-groups: their work-items, how many a compute unit wants where loads have so
 * many bytes, and how many percent of those are enough. */
typedef struct {
    uint32_t items, groups, bytes;
} group_fields;

uint32_t row_group(const geometry_request *r) {
    const tuning_row *t = r->tuning;
    const bool crowded = wants_both(r->problem) && (r->split || element_bytes(r->problem) < WORD_BYTES);
    return crowded ? min_u32(t->group, t->group_both) : t->group;
}

/* Whether what a work-item remembers, and loads, takes so many registers that fewer work-groups run at once. */
static bool is_large_accumulator(const geometry_request *r) {
    return is_masked(r->problem) || (wants_both(r->problem) && r->problem->input.type->bits == 8);
}

static group_fields fields_of(const geometry_request *r, work_groups of) {
    const tuning_row *t = r->tuning;
    switch (of) {
    case GROUPS_OF_COLUMNS:
        return (group_fields){t->group_columns, t->groups_columns, t->column_bytes};
    case GROUPS_OF_STREAM:
        return (group_fields){t->group_stream, is_large_accumulator(r) ? t->groups_stream_large : t->groups_stream,
                              t->column_bytes};
    default:
        return (group_fields){row_group(r), t->groups_per_unit * (t->group / row_group(r)), t->vector_bytes};
    }
}

/* Work-groups of more work-items are fewer. */
static uint64_t groups_of(const geometry_request *r, const geometry *g, uint64_t otherwise) {
    const uint32_t more = max_u32(1, g->scan.group / fields_of(r, g->family->groups).items);
    return ceil_div(r->device->compute_units * otherwise, more);
}

uint64_t wanted_groups(const geometry_request *r, const geometry *g) {
    const group_fields fields = fields_of(r, g->family->groups);
    return groups_of(r, g, ceil_div(fields.groups, max_u32(1, load_bytes(r, g) / fields.bytes)));
}

uint64_t enough_groups(const geometry_request *r, const geometry *g) {
    const group_fields fields = fields_of(r, g->family->groups);
    return ceil_div(groups_of(r, g, fields.groups) * r->tuning->enough_percent, 100);
}

uint64_t idle_share(uint64_t jobs, uint64_t units) {
    const uint64_t room = ceil_div(jobs, units) * units;
    return (room - jobs) * 100 / room;
}

/* Whether so many equal jobs, each of a compute unit alone, let none wait long at the end. */
static bool is_even(const geometry_request *r, const family *of, uint64_t jobs) {
    return fields_of(r, of->groups).items > 1 || idle_share(jobs, r->device->compute_units) <= r->tuning->idle_percent;
}

bool whole_reductions_do(const geometry_request *r, const geometry *g) {
    return (g->scan.jobs >= enough_groups(r, g) && is_even(r, g->family, g->scan.jobs)) || g->length < 2 * g->least;
}

bool always_suits(const geometry_request *r, const geometry *g) {
    (void)r;
    (void)g;
    return true;
}

void add_fused(const geometry *g, writer *out) {
    if (g->fused > 1)
        text_add(out, " -DFUSED=%" PRIu32, g->fused);
}

const char *wrong_stride(const geometry_request *r) {
    return r->strided ? "it takes neighbours with gaps, and here are none" : "it takes neighbours without gaps";
}

/* m = 2^64 / d rounded up. With m * d = 2^64 + e, e < d, the upper half of n * m is n / d + n * e / (d * 2^64) rounded
 * down: n / d rounded down, or one more, as the second part is below 1. */
uint64_t reciprocal(uint64_t divisor) {
    return divisor == 1 ? 0 : UINT64_MAX / divisor + 1;
}

uint32_t short_reciprocal(uint64_t divisor) {
    return divisor == 1 ? 0 : (uint32_t)(UINT32_MAX / divisor + 1);
}

launch_grid distribute(const geometry_request *r, uint32_t group, uint64_t jobs, uint64_t most) {
    launch_grid grid = {group, jobs, jobs, 1};
    if (r->device->loop_limit)
        return grid;
    const uint64_t groups = min_u64(group == 1 ? (uint64_t)r->device->compute_units * r->tuning->groups_per_unit : most,
                                    r->tuning->groups_max);
    if (jobs > groups) {
        /* Work-groups of one are started as compute units come free: rather more of them than are wanted. */
        const bool more = group == 1 && ceil_div(jobs, jobs / groups) <= r->tuning->groups_max;
        grid.jobs_per_group = more ? jobs / groups : ceil_div(jobs, groups);
        grid.groups = ceil_div(jobs, grid.jobs_per_group);
    }
    return grid;
}

/* Units of a part of about `chunk` units: whole batches of loads, the nearest number of them, since rounding up alone
 * would leave half the parts where a chunk is little more than one. Parts of many batches end within one instead: so
 * they are all alike, and no more than were asked for. Where parts may be less than one, those are alike too. */
static uint64_t round_part(uint64_t chunk, uint64_t smallest, uint64_t batch, uint64_t step, uint64_t many) {
    if (chunk >= many * batch)
        return ceil_div(chunk, step) * step;
    if (chunk < batch && chunk >= smallest)
        return ceil_div(chunk, smallest) * smallest;
    return chunk > batch ? (chunk + batch / 2) / batch * batch : chunk;
}

uint64_t most_part_length(const geometry_request *r, uint64_t elements, uint64_t turns) {
    const uint64_t most = PART_ELEMENTS_MAX / elements, loops = r->device->loop_limit;
    return loops ? max_u64(1, min_u64(most, loops / LOOPS_A_UNIT / turns)) : most;
}

#define TRIES 64 /* for a number of parts on either side of that wanted */

/* The number of parts nearest to `wanted`, from half of it to `most`, with which compute units are even; `wanted` where
 * none is. */
static uint64_t even_parts(const geometry_request *r, uint64_t groups, uint64_t wanted, uint64_t most,
                           const geometry *g) {
    for (uint64_t i = 0; i < TRIES; ++i) {
        const uint64_t more = wanted + i, fewer = wanted - min_u64(i, wanted / 2);
        if (more <= most && is_even(r, g->family, groups * more))
            return more;
        if (fewer >= 2 && is_even(r, g->family, groups * fewer))
            return fewer;
    }
    return wanted;
}

uint64_t most_parts(const geometry_request *r) {
    const uint64_t bytes = r->device->max_buffer ? r->device->max_buffer : UINT64_MAX;
    return max_u64(2, bytes / partial_bytes(r->problem) / r->layout->outputs);
}

#define TOO_SMALL_TO_SPLIT "it takes reductions of at least two pieces to share out"

const char *split_reduction(const geometry_request *r, uint64_t groups, uint64_t smallest, uint64_t step, uint64_t most,
                            geometry *g) {
    const uint64_t wanted = wanted_groups(r, g);
    uint64_t parts = 1;
    if (r->split) {
        if (g->length < 2)
            return TOO_SMALL_TO_SPLIT;
        parts = max_u64(2, min_u64(wanted / groups, g->length / smallest));
        parts = max_u64(even_parts(r, groups, parts, min_u64(2 * parts, g->length / smallest), g),
                        ceil_div(g->length, most));
    } else if (g->length > most) {
        return r->device->loop_limit ? "loops that this device ends early cannot do so long a reduction"
                                     : "it takes reductions of at most 2^30 elements";
    }
    g->part_length = ceil_div(g->length, parts);
    if (parts > 1)
        g->part_length = min_u64(round_part(g->part_length, smallest, g->least, step, r->tuning->many_batches),
                                 most < g->least ? most : most / g->least * g->least);
    const uint64_t least = ceil_div(g->length, most_parts(r));
    if (g->part_length < least)
        g->part_length = min_u64(ceil_div(least, step) * step, most);
    g->parts = ceil_div(g->length, g->part_length);
    return !r->split || g->parts > 1 ? NULL : TOO_SMALL_TO_SPLIT;
}

/* By what work-groups that scan could tell each other that they have come. */
static ordering possible_finish(const geometry_request *r, uint64_t units, const geometry *g) {
    const bool can = g->parts > 1 && units <= COUNTERS_A_QUEUE && (g->family->merges_values || !has_values(r->problem));
    return can && (g->nv_ptx || r->device->ordering != ORDERING_PTX) ? r->device->ordering : ORDERING_NONE;
}

/* The last work-group of a unit merges for its outputs at the end of the launch, alone: that must not take long. A word
 * is what all parts have come to. */
static bool ends_soon(const geometry_request *r, uint64_t width, const geometry *g) {
    const uint32_t wanted = width == 1 ? r->tuning->one_launch : r->tuning->one_launch_columns;
    const uint32_t loops = r->device->loop_limit;
    const uint32_t most = loops ? min_u32(wanted, loops / LOOPS_AN_OUTPUT) : wanted;
    return ceil_div((g->atomic_partial ? 1 : g->parts) * width, g->scan.group) <= most;
}

static bool has_atomics(const geometry_request *r, const geometry *g) {
    return g->finish != ORDERING_NONE && r->device->wide_atomics;
}

bool takes_words(const geometry_request *r, const geometry *g) {
    return has_atomics(r, g) && (g->finish == ORDERING_PTX || g->scan.group == 1);
}

/* One for each extreme of each of so many outputs. */
static uint64_t bests_of(const geometry_request *r, uint64_t outputs) {
    return outputs * extremes_of(r->problem);
}

/* Whether the best of each of a unit's outputs fits a word beside the unit's counter (kernels/workgroup/finish.clh),
 * its tie too: a place or the one behind it, neither of which may be 2^32. */
static bool is_atomic_partial(const geometry_request *r, uint64_t units, uint64_t width, const geometry *g) {
    const bool may = g->family->merges_tiles ? has_atomics(r, g) && g->scan.group > 1 : takes_words(r, g);
    return may && r->problem->input.type->bits <= 32 && r->layout->reduction < UINT32_MAX && width < COUNTERS_A_QUEUE &&
           units * COUNTERS_WITH_BESTS(bests_of(r, width)) <= COUNTERS_A_QUEUE;
}

bool may_be_words(const geometry_request *r) {
    return r->device->wide_atomics && r->device->ordering != ORDERING_NONE && r->problem->input.type->bits <= 32 &&
           COUNTERS_WITH_BESTS(bests_of(r, r->layout->outputs)) <= COUNTERS_A_QUEUE;
}

/* Sets of words of each tile, so that not too many parts wait for each other at one. */
static uint32_t choose_sets(const geometry_request *r, uint64_t units, uint64_t width, const geometry *g) {
    const uint64_t most = r->tuning->parts_per_word;
    uint32_t sets = 1;
    if (!g->atomic_partial || !g->family->merges_tiles || !most)
        return sets;
    while (sets < WORD_SETS && g->parts > sets * most &&
           units * COUNTERS_WITH_BESTS(UINT64_C(2) * sets * bests_of(r, width)) <= COUNTERS_A_QUEUE)
        sets *= 2;
    return sets;
}

void set_counters(uint64_t units, uint32_t each, geometry *g) {
    g->unit_counters = each;
    g->counters = units * each;
}

/* Counters of a unit that has chunks: with words one more word of each set. */
static uint32_t counters_with_chunks(const geometry *g) {
    return g->atomic_partial ? COUNTERS_WITH_BESTS(g->word_sets * (g->set_words + 1)) : COUNTERS_WITH_CHUNKS;
}

bool can_claim(uint64_t units, const geometry *g) {
    return g->parts > 1 && g->scan.group > 1 && g->finish != ORDERING_NONE && g->scan.jobs_per_group == 1 &&
           g->length <= PART_ELEMENTS_MAX && units * counters_with_chunks(g) <= COUNTERS_A_QUEUE;
}

void claim_chunks(uint64_t units, uint64_t rows, geometry *g) {
    g->tail_chunk = rows;
    g->tail_chunks = ceil_div(g->length - g->parts * g->part_length, rows);
    set_counters(units, counters_with_chunks(g), g);
    g->set_words += g->atomic_partial;
}

const char *plan_merge(const geometry_request *r, uint64_t units, uint64_t width, geometry *g) {
    const uint32_t group = g->scan.group, loops = r->device->loop_limit;
    g->finish = possible_finish(r, units, g);
    g->atomic_partial = is_atomic_partial(r, units, width, g);
    if (!ends_soon(r, width, g)) {
        g->finish = ORDERING_NONE;
        g->atomic_partial = false;
    }
    g->word_sets = choose_sets(r, units, width, g);
    g->set_words = g->atomic_partial ? (uint32_t)bests_of(r, width) : 0;
    if (g->finish != ORDERING_NONE)
        set_counters(units, g->atomic_partial ? COUNTERS_WITH_BESTS(g->word_sets * g->set_words) : COUNTERS_ALONE, g);
    if (g->finish != ORDERING_NONE && !(g->atomic_partial && g->family->merges_tiles)) {
        g->merge_lanes = floor_power(g->parts, floor_power(max_u64(1, group / width), group));
        g->merge = (launch_grid){group, units, units, 1};
    } else { /* partials of tiles in words are merged by second launches alone */
        g->merge_lanes = floor_power(ceil_div(g->parts, MERGE_LOADS(group)), group);
        const uint64_t jobs = ceil_div(r->layout->outputs, group / g->merge_lanes);
        g->merge =
            g->atomic_partial ? (launch_grid){group, jobs, jobs, 1} : distribute(r, group, jobs, r->tuning->groups_max);
    }
    return !loops || ceil_div(g->parts, g->merge_lanes) <= loops / LOOPS_A_PARTIAL
               ? NULL
               : "loops that this device ends early cannot merge so many parts";
}

uint32_t bank_conflicts(const geometry_request *r, const uint64_t words[BANKS_MOST]) {
    const uint32_t banks = r->tuning->tile_banks;
    uint64_t known[BANKS_MOST][BANKS_MOST];
    uint32_t count[BANKS_MOST] = {0}, most = 0;
    for (uint32_t i = 0; i < banks; ++i) {
        const uint64_t bank = words[i] % banks;
        uint32_t place = 0;
        while (place < count[bank] && known[bank][place] != words[i])
            ++place;
        if (place == count[bank])
            known[bank][count[bank]++] = words[i];
        most = max_u32(most, count[bank]);
    }
    return most;
}

bool has_one_job(const geometry_request *r, const geometry *g) {
    const uint64_t most = UINT64_C(1) << 31;
    return g->scan.group > 1 && g->scan.jobs_per_group == 1 && g->scan.jobs < most && r->layout->outputs < most;
}

bool comes_from_memory(const geometry_request *r) {
    const uint64_t most = r->tuning->cache_bytes;
    return most && r->layout->reduction > most / element_bytes(r->problem) / r->layout->outputs;
}

static void add_range(const layout_dim *dims, uint32_t count, cl_ulong *first, cl_ulong *last) {
    for (uint32_t i = 0; i < count; ++i) {
        const int64_t way = (int64_t)(dims[i].size - 1) * dims[i].in;
        *(way < 0 ? first : last) += (cl_ulong)way;
    }
}

void addressed_elements(const layout *l, cl_ulong *first, cl_ulong *last) {
    *first = *last = (cl_ulong)l->in_offset;
    add_range(l->kept, l->kept_count, first, last);
    add_range(l->reduced, l->reduced_count, first, last);
}

bool may_store_non_temporal(const geometry_request *r) {
    const uint32_t reads = element_bytes(r->problem), writes = r->problem->index.type->bits / 8;
    const uint64_t few = (uint64_t)r->tuning->non_temporal_share * writes / reads, most = r->tuning->cache_bytes;
    return r->device->clang_cpu && !is_general(r->problem) && r->layout->reduction < few && most &&
           r->layout->reduction * reads + writes > most / r->layout->outputs;
}

bool stores_non_temporal(const geometry_request *r, const geometry *g) {
    return may_store_non_temporal(r) && g->scan.group == 1 && g->parts == 1 && g->vector > 1;
}

/* Whether buffers start at multiples of any vector, where it matters. */
static bool buffers_are_aligned(const geometry_request *r) {
    return r->tuning->aligned == 2 || (r->tuning->aligned && r->device->aligned_buffers);
}

load_kind kind_of_load(const geometry_request *r, bool adjacent, uint32_t vector) {
    if (!adjacent)
        return LOAD_STRIDED;
    if (!r->tuning->aligned && r->device->clang_cpu && vector > 1)
        return LOAD_PACKED;
    return buffers_are_aligned(r) && vector > 1 ? LOAD_ALIGNED : LOAD_UNALIGNED;
}

/* Floats of a mask or of both extrema that the device compares itself (kernels/accumulate/general.clh); of a mask those
 * of 16 bits take fewer operations as keys in words. */
static bool compares_by_component(const geometry_request *r) {
    const problem *p = r->problem;
    const bool general = wants_both(p) || (is_masked(p) && p->input.type->bits > 16);
    return general && p->input.type->kind == KIND_FLOAT && r->tuning->nv_ptx && r->device->nv_ptx;
}

void choose_prefetch(const geometry_request *r, uint32_t hint, geometry *g) {
    g->hint = g->load == LOAD_PACKED ? hint : 0;
    g->prefetch_distance = g->hint ? r->tuning->prefetch_bytes : 0;
}

void choose_arithmetic(const geometry_request *r, geometry *g) {
    choose_prefetch(r, r->tuning->hint, g);
    const uint32_t bits = r->problem->input.type->bits;
    g->nv_ptx = r->tuning->nv_ptx && r->device->nv_ptx;
    g->swar = r->tuning->swar && r->device->little_endian && bits <= 16 && g->vector * bits >= 32 &&
              g->vector * bits <= 128 && !compares_by_component(r);
    g->sub_group = r->device->sub_group;
    g->aligned_elements = g->load == LOAD_ALIGNED ? max_u32(g->wide, g->vector) : 1;
    if (g->mask == MASK_ALIGNED)
        g->aligned_elements = g->aligned_mask = max_u32(g->wide, g->vector);
}

/* Whether vectors that start at multiples of their size in the input do so in the mask. */
static bool lies_alike(const layout *l, uint32_t vector) {
    const int64_t v = (int64_t)vector;
    if ((l->in_offset - l->mask_offset) % v)
        return false;
    for (uint32_t i = 0; i < l->kept_count; ++i)
        if (l->kept[i].size > 1 && (l->kept[i].in % v - l->kept[i].mask % v) % v)
            return false;
    for (uint32_t i = 0; i < l->reduced_count; ++i)
        if (l->reduced[i].size > 1 && (l->reduced[i].in % v - l->reduced[i].mask % v) % v)
            return false;
    return true;
}

bool is_mask_alike(const geometry_request *r) {
    const layout *l = r->layout;
    bool alike = true;
    for (uint32_t i = 0; i < l->kept_count; ++i)
        alike = alike && (l->kept[i].size == 1 || l->kept[i].mask == l->kept[i].in);
    for (uint32_t i = 0; i < l->reduced_count; ++i)
        alike = alike && (l->reduced[i].size == 1 || l->reduced[i].mask == l->reduced[i].in);
    return alike || !is_masked(r->problem);
}

void choose_mask(const geometry_request *r, int64_t along, bool anywhere, geometry *g) {
    const uint32_t vector = max_u32(g->wide, g->vector);
    const bool sure = buffers_are_aligned(r) && !anywhere;
    g->mask_along = along;
    g->aligned_mask = 0;
    if (!is_masked(r->problem))
        g->mask = MASK_NONE;
    else if (along == 1 || vector == 1)
        g->mask = vector > 1 && sure && lies_alike(r->layout, vector) ? MASK_ALIGNED : MASK_UNALIGNED;
    else
        g->mask = along == 0 ? MASK_SAME : MASK_STRIDED;
}

uint32_t accumulator_times(const problem *p) {
    const uint32_t key = p->input.type->bits / 8, count = min_u32(key, WORD_BYTES);
    const uint32_t first = is_masked(p) && key >= WORD_BYTES ? WORD_BYTES : 0;
    return (uint32_t)ceil_div((key + count) * extremes_of(p) + first, 2 * (uint64_t)key);
}

uint32_t loads_in_flight(const geometry_request *r, uint32_t loads, uint32_t mask_percent, uint32_t both_percent) {
    const uint32_t bytes = element_bytes(r->problem);
    const bool counted = bytes < WORD_BYTES && !compares_by_component(r);
    uint32_t some = loads;
    if (is_masked(r->problem))
        some = some * mask_percent / 100;
    else if (wants_both(r->problem))
        some = some * (counted ? r->tuning->unroll_both_counted : bytes < WORD_BYTES ? 100 : both_percent) / 100;
    if (bytes < WORD_BYTES && !counted)
        some = some * bytes / WORD_BYTES;
    return max_u32(1, some);
}

uint64_t candidate_bytes(const problem *p) {
    return (uint64_t)(element_bytes(p) < 8 ? 8 : 16) * extremes_of(p);
}

bool can_be_by_value(const geometry_request *r, const geometry *g) {
    const bool counts_apart = r->problem->input.type->bits > 16 || g->vector > VECTOR_MAX;
    return counts_apart && !is_general(r->problem) && !g->nv_ptx && g->vector > 1 && g->load != LOAD_STRIDED;
}
