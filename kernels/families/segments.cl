/* Reductions whose runs of neighbouring elements ("segments", along the last reduced dim) are short, while those of the
 * neighbouring outputs lie beside them: one work-item walks the outputs of a tile side by side, in the order of memory.
 *
 * A job is a tile, consecutive outputs of those that lie within the nearest reduced dim that has several, and a part
 * of the positions on the reduced dims but the last. At each of these the segment of each output goes into that
 * output's accumulator (order.clh), which waits in a cache until the next position's. Iterations are counted over the
 * vectors of segments; a block, as many whole segments as an accumulator counts, ends with a candidate for each output.
 *
 * From the host, besides order.clh and finish.clh: TILE_OUTPUTS (outputs of a tile at most), and
 *   OVERLAP  a segment's last vector is moved back to end with the segment (segment >= VEC)
 * A segment has at most ITERATIONS_MAX vectors, a part at most 2^30 elements. */
#include "options.clh"

#if GROUP > 1 || ATOMIC_PARTIAL || FLAGGED_PARTIAL
#error "not implemented: several work-items, words for parts"
#endif

/* A position is a segment, on all reduced dims but the last; with one dim there is one segment. */
#define WALKED (REDUCED > 1 ? REDUCED - 1 : 1)
#include "order/order.clh"
#include "workgroup/finish.clh"
#if SPLIT
#include "workgroup/partial.clh"
#endif

/* Vector x of the segment at p. */
static inline at_t vector_in(const at_t p, const dims_t *dims, const segments_t *g, const uint x) {
    (void)dims;
    return moved(p, (long)vector_place(x, g->segment) * STEPS(1, dims->mask.along));
}

/* Fold vector x of the segment at p, of which vector 0 is iteration k. What lies `ahead` elements on is asked for. */
static inline void fold_vector(const at_t p, const dims_t *dims, const segments_t *g, const uint x, const uint k,
                               const long ahead, acc_t *acc) {
    const at_t vector = vector_in(p, dims, g, x);
    (void)ahead;
#if PREFETCH_DISTANCE
    if (LINE_STARTS(x))
        PREFETCH(FROM(DATA(vector), ahead));
#endif
    ACC_STEP(*acc, LOAD_AT(vector, 1, dims), k + x);
}

/* Fold the segment at p, whose first vector is iteration k. What lies `ahead` elements after it is asked for. */
static inline void fold(const at_t p, const dims_t *dims, const segments_t *g, acc_t *acc, const uint k,
                        const long ahead) {
    const uint vectors = (uint)g->segment_vectors;
    acc_t best = *acc;
    for (uint pair = 0; pair < vectors / 2; ++pair) {
        fold_vector(p, dims, g, 2 * pair, k, ahead, &best);
        fold_vector(p, dims, g, 2 * pair + 1, k, ahead, &best);
    }
    if (vectors % 2)
        fold_vector(p, dims, g, vectors - 1, k, ahead, &best);
    *acc = best;
}

#define SEGMENTS_MOST(g) (ITERATIONS_MAX / (uint)(g)->segment_vectors)

/* The winner of a block of an output's segments; its place is counted from `before` segments further in front. */
static inline candidate_t block_winner(const segments_t *g, const acc_t acc, const uint before) {
    const uint vectors = (uint)g->segment_vectors;
    candidate_t best = CANDIDATE_NONE;
    TAKE_WINNER(best, acc,
                (before + at / vectors) * (uint)g->segment + vector_place(at % vectors, (uint)g->segment) + component);
    return best;
}

/* Where the outputs of a tile lie, from the input of the first one on: at equal distances, or at any. */
typedef struct {
    uint count;
    bool even;
    steps_t distance;
    steps_t start[TILE_OUTPUTS];
} tile_t;

static inline void find_tile(const dims_t *dims, const segments_t *g, const ulong out, const uint count, tile_t *t) {
    const steps_t first = input_start(dims, out);
    ulong left = g->length - out % g->length;
    steps_t at = STEPS(0, 0);
    t->count = count;
    t->even = count <= left;
    t->distance = STEPS(g->column_stride, g->column_mask);
    for (uint o = 0; o < count && !t->even; ++o) {
        if (left == 0) {
            left = g->length;
            at = input_start(dims, out + o) - first;
        }
        t->start[o] = at;
        at += t->distance;
        --left;
    }
}

/* Fold the segment of each of a tile's outputs, of which the first one's lies at p. What is asked for ahead lies so
 * many outputs further, and behind a row's last ones in a later row, `over` further. */
static inline __attribute__((always_inline)) void fold_row(const at_t p, const dims_t *dims, const segments_t *g,
                                                           const tile_t *t, const bool even, const uint outputs_ahead,
                                                           const long over, acc_t acc[TILE_OUTPUTS],
                                                           const uint iteration) {
    const uint count = t->count, straight = outputs_ahead < count ? count - outputs_ahead : 0;
    const steps_t distance = t->distance;
    const steps_t *restrict start = t->start;
#define START(o) (even ? (long)(o) * distance : start[o])
    for (uint o = 0; o < count; ++o) {
        const long later = o < straight ? OF_INPUT(START(o + outputs_ahead)) : over + OF_INPUT(START(o - straight));
        fold(moved(p, START(o)), dims, g, &acc[o], iteration, later - OF_INPUT(START(o)));
    }
}

#define SEGMENTS_ALONG(dims) ((dims)->reduced_size[WALKED - 1])
#define SEGMENT_STEP(dims) REDUCED_STEPS(dims, WALKED - 1)
#define SEGMENT_AT(dims, number) walk_to((dims), (number), SEGMENTS_ALONG(dims), SEGMENT_STEP(dims))

static inline void next_segment(const dims_t *dims, walk_t *w) {
    walk_on(dims, w, steps_on(1, SEGMENT_STEP(dims)), SEGMENTS_ALONG(dims), SEGMENT_STEP(dims));
}

/* Where the segment with that number lies, from the first output's first on; of one from `to` on, the next job's, which
 * begins at `next`. */
static inline long row_ahead(const dims_t *dims, const walk_t later, const ulong number, const ulong to,
                             const long next) {
    return number < to ? OF_INPUT(later.at) : next + OF_INPUT(SEGMENT_AT(dims, number - to).at);
}

/* The best of each of a tile's outputs, of whose segments [from, to) those of the first one lie from p on. The next job
 * begins `next` elements further. */
static inline void scan(const at_t p, const dims_t *dims, const segments_t *g, const ulong from, const ulong to,
                        const tile_t *t, const long next, candidate_t *best) {
    const uint most = SEGMENTS_MOST(g), count = t->count;
    acc_t acc[TILE_OUTPUTS];
    /* So many outputs ahead; or whole rows where they are short. */
    const uint outputs_ahead = max((uint)(PREFETCH_DISTANCE * 8 / BITS / g->segment), 1u);
    const uint rows_ahead = max(outputs_ahead / count, 1u);
    walk_t row = SEGMENT_AT(dims, from), later = SEGMENT_AT(dims, from + rows_ahead);
    for (uint o = 0; o < count; ++o)
        best[o] = CANDIDATE_NONE;
    for (ulong block = from; block < to; block += most) {
        const uint segments = (uint)min(to - block, (ulong)most);
        for (uint o = 0; o < count; ++o)
            acc[o] = ACC_EMPTY;
        for (uint s = 0; s < segments; ++s) {
            const long over =
                PREFETCH_DISTANCE ? row_ahead(dims, later, block + s + rows_ahead, to, next) - OF_INPUT(row.at) : 0;
            if (t->even)
                fold_row(moved(p, row.at), dims, g, t, true, outputs_ahead, over, acc, s * (uint)g->segment_vectors);
            else
                fold_row(moved(p, row.at), dims, g, t, false, outputs_ahead, over, acc, s * (uint)g->segment_vectors);
            next_segment(dims, &row);
            next_segment(dims, &later);
        }
        for (uint o = 0; o < count; ++o)
            best[o] = better(best[o], block_winner(g, acc[o], (uint)(block - from)));
    }
}

/* A unit is a tile: its first output, and how many there are. */
#define UNIT_FIRST(g, unit) ((unit) / (g)->tiles * (g)->columns + (unit) % (g)->tiles * (g)->tile_columns)
#define UNIT_COUNT(g, unit) min((g)->tile_columns, (g)->columns - (unit) % (g)->tiles * (g)->tile_columns)

#if SPLIT
#define UNIT_OF(g, job) ((job) / (g)->parts)
#define PART_OF(g, job) ((job) % (g)->parts)
#else
#define UNIT_OF(g, job) (job)
#define PART_OF(g, job) 0
#endif

/* Where a job begins; one beyond the last as the first one. */
static inline steps_t job_start(const dims_t *dims, const segments_t *g, const ulong job) {
    const ulong known = job < g->jobs ? job : 0;
    return input_start(dims, UNIT_FIRST(g, UNIT_OF(g, known))) +
           SEGMENT_AT(dims, PART_OF(g, known) * g->part_length).at;
}

/* Store the best of an output; places are counted from index `origin` on. */
static inline void store_answer(__global const T *in, TARGET, const dims_t *dims, const ulong part, const ulong out,
                                const candidate_t best, const ulong origin) {
#if SPLIT
    (void)in;
    WRITE_PARTIAL(PARTIAL_AT(dims, out, part), as_partial(best, origin));
#else
    (void)part;
#pragma unroll
    for (uint x = 0; x < EXTREMES; ++x) {
        const one_candidate_t c = ONE_OF(best, x);
        put_output(dims, in, TARGET_ARGUMENTS, x, out, CANDIDATE_WINS(c), origin + CANDIDATE_PLACE_OF(x, c),
                   KEY_KNOWN_OF(x, CANDIDATE_KEY(c)));
    }
#endif
}

KERNEL void segments(INPUT, TARGET, const dims_t dims, const segments_t g FINISH_PARAMETERS) {
    MERGE_ONLY_TILE(unit, UNIT_FIRST(&g, unit), UNIT_COUNT(&g, unit))
    EACH_JOB(job) {
        const ulong unit = UNIT_OF(&g, job), part = PART_OF(&g, job);
        const ulong out = UNIT_FIRST(&g, unit), from = part * g.part_length;
        const steps_t first = input_start(&dims, out);
        const long next = OF_INPUT(job_start(&dims, &g, job + 1) - first);
        tile_t t;
        candidate_t best[TILE_OUTPUTS];
        find_tile(&dims, &g, out, (uint)UNIT_COUNT(&g, unit), &t);
        scan(AT_STEPS(first), &dims, &g, from, min(from + g.part_length, g.segments), &t, next, best);
        for (uint o = 0; o < t.count; ++o)
            store_answer(in, TARGET_ARGUMENTS, &dims, part, out + o, best[o], from * g.segment);
        FINISH_UNIT(unit, MERGE_LEFT(unit, out, t.count))
    }
}
