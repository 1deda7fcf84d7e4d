/* How kernels/families/permuted.cl lies over a reduction that memory has in another order than its index. */
#include "families/geometry.h"

#include <inttypes.h>

/* The reduced dims in the order of memory, none of them backwards, and what a step along each adds to the index. The
 * last of them follow each other without gaps, `run` elements in all; `outer` do not. Along the last ones, `straight`
 * elements, the index rises. */
typedef struct {
    layout_dim dims[MAX_RANK];
    int64_t weight[MAX_RANK];
    uint32_t count, outer;
    uint64_t run, straight, first_index;
    int64_t in_offset, mask_offset;
    bool has_backward, is_sorted; /* a dim; the dims, by how far they reach */
} memory_layout;

/* Broadcasts come first, then what lies farther. */
static bool is_outside(const layout_dim *a, const layout_dim *b) {
    return a->in == 0 ? b->in != 0 : b->in != 0 && a->in > b->in;
}

static void insert(memory_layout *m, layout_dim d, int64_t weight) {
    uint32_t at = m->count++;
    for (; at > 0 && is_outside(&d, &m->dims[at - 1]); --at) {
        m->dims[at] = m->dims[at - 1];
        m->weight[at] = m->weight[at - 1];
        m->is_sorted = false;
    }
    m->dims[at] = d;
    m->weight[at] = weight;
}

static uint64_t straight_elements(const memory_layout *m) {
    uint64_t elements = 1;
    int64_t span = 0; /* what the index rises by along them */
    for (uint32_t i = m->count; i > 0 && m->weight[i - 1] > span; --i) {
        span += m->weight[i - 1] * (int64_t)(m->dims[i - 1].size - 1);
        elements *= m->dims[i - 1].size;
    }
    return elements;
}

/* With a run, at most, along which the index rises: if any will do. */
static memory_layout order_of(const layout *l, bool straight) {
    memory_layout m = {.is_sorted = true, .run = 1};
    uint64_t weight = l->reduction;
    for (uint32_t i = 0; i < l->reduced_count; ++i) {
        layout_dim d = l->reduced[i];
        weight /= d.size;
        const bool backward = d.in < 0;
        if (backward) {
            m.in_offset += (int64_t)(d.size - 1) * d.in;
            m.mask_offset += (int64_t)(d.size - 1) * d.mask;
            m.first_index += (d.size - 1) * weight;
            d.in = -d.in;
            d.mask = -d.mask;
            m.has_backward = true;
        }
        insert(&m, d, backward ? -(int64_t)weight : (int64_t)weight);
    }
    const layout_dim *const last = &m.dims[m.count - 1];
    m.straight = straight_elements(&m);
    for (m.outer = m.count; m.outer > 0; --m.outer) {
        const layout_dim *const d = &m.dims[m.outer - 1];
        if (straight && d != last && m.run * d->size > m.straight)
            break;
        if (d != last && !(continues(d->in, last->in, m.run) && continues(d->mask, last->mask, m.run)))
            break;
        m.run *= d->size;
    }
    return m;
}

static uint32_t divided(uint32_t vector, int64_t stride) {
    while (stride % (int64_t)vector)
        vector /= 2;
    return vector;
}

/* The widest one whose loads are aligned and of which segments have whole ones. */
static uint32_t aligned_in_order(const layout *l, const memory_layout *m, uint32_t vector) {
    vector = divided(divided(vector, l->in_offset + m->in_offset), (int64_t)m->run);
    for (uint32_t i = 0; i < l->kept_count; ++i)
        vector = l->kept[i].size > 1 ? divided(vector, l->kept[i].in) : vector;
    for (uint32_t i = 0; i < m->outer; ++i)
        vector = divided(vector, m->dims[i].in);
    return vector;
}

static void choose_vector(const geometry_request *r, const memory_layout *m, geometry *g) {
    const tuning_row *t = r->tuning;
    const uint32_t widest = floor_power(m->run, widest_vector(r, t->vector_bytes, false));
    const bool several = r->group_limit > 1 && t->group > 1 && t->group_short > 1;
    g->vector = widest;
    g->overlap = m->run % widest != 0;
    g->load = kind_of_load(r, true, widest);
    if (t->aligned) {
        const uint32_t vector = aligned_in_order(r->layout, m, widest);
        g->overlap = several && vector < widest && !is_general(r->problem);
        g->vector = g->overlap ? widest : vector;
        g->load = g->overlap ? LOAD_ALIGNED : kind_of_load(r, true, vector);
    }
    choose_mask(r, m->dims[m->count - 1].mask, false, g);
}

/* To what is read `elements` later: behind a vector, or in the segment so many of them further. */
static int64_t look_ahead(const memory_layout *m, uint64_t elements) {
    if (!m->outer || elements < m->run)
        return (int64_t)elements;
    const layout_dim *const next = &m->dims[m->outer - 1];
    return (int64_t)min_u64(elements / m->run, next->size - 1) * next->in;
}

/* Narrow elements have so few values that many blocks have the best one: of 8 bits nearly all; of 16 bits so few that
 * runs that are shorter than what a work-group reads at once are not worth an end of a block each. */
static bool is_straight(const geometry_request *r, const memory_layout *m) {
    const tuning_row *t = r->tuning;
    const uint32_t bytes = element_bytes(r->problem), at_once = bytes > 1 ? t->group * t->vector_bytes : 0;
    return bytes < WORD_BYTES && t->permuted_straight_bytes && m->straight > 1 &&
           m->straight * bytes >= max_u32(t->permuted_straight_bytes, at_once);
}

static const char *lay_out_permuted(const geometry_request *r, geometry *g) {
    const layout *l = r->layout;
    const tuning_row *t = r->tuning;
    memory_layout m = order_of(l, false);
    g->permuted.straight = is_straight(r, &m);
    if (g->permuted.straight)
        m = order_of(l, true);
    if (m.is_sorted && !m.has_backward)
        return "memory has the reduction in the order of its index";
    if (m.dims[m.count - 1].in != 1)
        return "it takes a reduced dim without gaps";
    choose_vector(r, &m, g);
    choose_arithmetic(r, g);
    g->prefetch_by = look_ahead(&m, g->prefetch_distance / element_bytes(r->problem));
    if (lies_anywhere(g))
        g->aligned_elements = 1; /* the kernel finds aligned vectors wherever segments begin */
    const uint64_t before = lies_anywhere(g) ? g->vector - 1 : 0;
    g->segment_vectors = ceil_div(m.run + before, g->vector);
    g->length = l->reduction / m.run * g->segment_vectors;
    g->unroll = loads_in_flight(r, lies_anywhere(g) ? min_u32(t->unroll_rows, t->unroll_anywhere) : t->unroll_rows,
                                t->unroll_mask_percent, t->unroll_both_percent);
    const char *const refused = split_rows(r, 4, g);
    if (refused)
        return refused;
    g->unroll = (uint32_t)min_u64(g->unroll, ceil_div(g->part_length, g->lanes));
    distribute_rows(r, g);
    g->one_job = has_one_job(r, g);
    return plan_merge(r, l->outputs, 1, g);
}

static void add_options(const geometry *g, writer *out) {
    text_add(out, " -DUNROLL=%" PRIu32 " -DLANES=%" PRIu32 "%s%s", g->unroll, g->lanes,
             g->overlap ? " -DOVERLAP=1" : "", g->permuted.straight ? " -DSTRAIGHT=1" : "");
}

static void set_permuted(const layout *l, const geometry *g, uint64_t jobs, kernel_arguments *arguments) {
    const memory_layout m = order_of(l, g->permuted.straight);
    dims_t *const dims = &arguments->dims;
    permuted_t p = {.jobs = jobs,
                    .jobs_per_group = g->scan.jobs_per_group,
                    .parts = g->parts,
                    .per_parts = reciprocal(g->parts),
                    .vectors = g->length,
                    .part_length = g->part_length,
                    .segment = m.run,
                    .segment_vectors = g->segment_vectors,
                    .outer = m.outer,
                    .straight = m.straight / m.run * g->segment_vectors,
                    .first_index = m.first_index,
                    .prefetch_by = g->prefetch_by};
    dims->in_offset += m.in_offset;
    dims->mask.offset += m.mask_offset;
    for (uint32_t i = 0; i < m.count; ++i) {
        dims->reduced_size[i] = m.dims[i].size;
        dims->reduced_in[i] = m.dims[i].in;
        dims->mask.reduced[i] = m.dims[i].mask;
        p.weight[i] = m.weight[i];
    }
    addressed_elements(l, &p.first, &p.last);
    set_argument(arguments, 0, &p, sizeof p);
}

const family family_permuted = {
    .name = "permuted",
    .kernel = "permuted",
    .structs = 1,
    .struct_bytes = {sizeof(permuted_t)},
    .takes_mask = true,
    .takes_both = true,
    .lay_out = lay_out_permuted,
    .options = add_options,
    .arguments = set_permuted,
    .describe = describe_rows,
};

/* The order of memory suits where it has long runs, and the order of the index none; outer dims that alone are
 * backwards are no reason where outputs lie in between (segments.c). */
static bool memory_has_runs(const geometry_request *r, const geometry *g) {
    const layout_dim *const last = &r->layout->reduced[r->layout->reduced_count - 1];
    const uint32_t bytes = element_bytes(r->problem);
    const memory_layout m = order_of(r->layout, false);
    (void)g;
    return !neighbours_come_first(r) && !columns_come_first(r) &&
           r->layout->reduced_count <= r->tuning->permuted_dims &&
           r->layout->reduction >= r->tuning->permuted_bytes / bytes &&
           m.run * bytes >= r->tuning->permuted_run_bytes &&
           (last->in != 1 || (last->size < r->tuning->permuted_row_bytes / bytes &&
                              (!m.is_sorted || outputs_inside(r->layout, 0) == 1)));
}

static bool whole_runs_do(const geometry_request *r, const geometry *g) {
    return memory_has_runs(r, g) && whole_reductions_do(r, g);
}

const strategy strategy_permuted_rows = {"permuted-rows", &family_permuted, false, false, LANES_FEW, whole_runs_do};
const strategy strategy_split_permuted_rows = {"split-permuted-rows", &family_permuted, false, true, LANES_ALL,
                                               memory_has_runs};
