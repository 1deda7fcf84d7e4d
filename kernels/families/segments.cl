/* Reductions whose runs of neighbouring elements ("segments", along the last reduced dim) are short, while those of the
 * neighbouring outputs lie beside them: one work-item walks the outputs of a tile side by side, in the order of memory.
 *
 * A job is a tile: neighbours along the last kept dim. At each position on the other reduced dims the segment of each
 * output goes into that output's accumulator (order.clh), which waits in a cache until the next position's. Iterations
 * are counted over the vectors of segments; a block, as many whole segments as an accumulator counts, ends with a
 * candidate for each output.
 *
 * From the host, besides order.clh and index.clh: SIDE (outputs of a tile at most), UNROLL (vectors in flight), and
 *   OVERLAP  a segment's last vector is moved back to end with the segment (segment >= VEC)
 *   BY_VALUE a segment's best value first, the place in it at the end (8 bits: segment < 255)
 * A segment has at most ITERATIONS_MAX vectors, a reduction at most 2^30 elements. */
#include "options.clh"

#include "memory/index.clh"
#include "order/order.clh"
#if BY_VALUE
#include "order/extremes.clh"
#endif

#if BY_VALUE
#define FOLDED extremes_t
#define FOLD(folded, bits, k) extremes_step(&(folded), (bits))
#else
#define FOLDED acc_t
#define FOLD(folded, bits, k) ACC_STEP(folded, bits, k)
#endif

/* Fold the segment at p, whose first vector is iteration k. What lies `ahead` elements after it is asked for. */
static inline void fold(__global const T *p, const segments_t *g, FOLDED *folded, const uint k, const long ahead) {
    const uint vectors = (uint)g->segment_vectors;
    FOLDED best = *folded;
    uint x = 0;
    (void)ahead;
    (void)k;
    for (; x + UNROLL <= vectors; x += UNROLL) {
        TV bits[UNROLL];
#pragma unroll
        for (uint u = 0; u < UNROLL; ++u) {
            __global const T *const vector = p + vector_place(x + u, g->segment);
#if AHEAD
            if (LINE_STARTS(u))
                PREFETCH(FROM(vector, ahead));
#endif
            bits[u] = load(vector, 1);
        }
#pragma unroll
        for (uint u = 0; u < UNROLL; ++u)
            FOLD(best, bits[u], k + x + u);
    }
    for (; x < vectors; ++x) {
        __global const T *const vector = p + vector_place(x, g->segment);
#if AHEAD
        if (LINE_STARTS(x))
            PREFETCH(FROM(vector, ahead));
#endif
        FOLD(best, load(vector, 1), k + x);
    }
    *folded = best;
}

static inline long segment_at(const dims_t *dims, const ulong segment) {
    walk_t w;
    w.segment = segment;
    w.x = 0;
    return segment_start(dims, w);
}

/* A block's segments are counted where their values come first, and else their vectors. */
#if BY_VALUE
#define SEGMENTS_MOST(g) ITERATIONS_MAX
static inline void fold_segment(__global const T *p, const segments_t *g, acc_t *acc, const uint segment,
                                const long ahead) {
    extremes_t e;
    extremes_none(&e);
    fold(p, g, &e, 0, ahead);
    acc_step(acc, extremes_key(&e), (T)segment);
}

/* The block's winner among all outputs' segments from p on; `from` is the block's first segment. */
static inline candidate_t block_winner(__global const T *p, const dims_t *dims, const segments_t *g, const acc_t acc,
                                       const ulong from) {
    uint at, component;
    const T top = acc_winner(acc, &at, &component);
    __global const T *const segment = p + segment_at(dims, from + at);
    search_t search;
    search_for(&search, top);
    for (uint x = 0; x < (uint)g->segment_vectors; ++x)
        search_step(&search, load(segment + vector_place(x, g->segment), 1));
    const uint place = search_place(&search);
    return CANDIDATE(top, (from + at) * g->segment + vector_place(place / VEC, g->segment) + place % VEC);
}
#else
#define SEGMENTS_MOST(g) (ITERATIONS_MAX / (uint)(g)->segment_vectors)
static inline void fold_segment(__global const T *p, const segments_t *g, acc_t *acc, const uint segment,
                                const long ahead) {
    fold(p, g, acc, segment * (uint)g->segment_vectors, ahead);
}
static inline candidate_t block_winner(__global const T *p, const dims_t *dims, const segments_t *g, const acc_t acc,
                                       const ulong from) {
    uint at, component;
    const T top = acc_winner(acc, &at, &component);
    const uint vectors = (uint)g->segment_vectors, segment = at / vectors;
    (void)p;
    (void)dims;
    return CANDIDATE(top, (from + segment) * g->segment + vector_place(at - segment * vectors, g->segment) + component);
}
#endif

/* The best of each of `count` neighbouring outputs. The job after this one starts `next` elements further. */
static inline void scan(__global const T *start, const dims_t *dims, const segments_t *g, const uint count,
                        const long next, candidate_t *best) {
    const uint most = SEGMENTS_MOST(g);
    acc_t acc[SIDE];
#if AHEAD
    /* So many outputs ahead, and behind a row's last ones in the next row; or whole rows where they are short. */
    const uint outputs_ahead = max((uint)(AHEAD * 8 / BITS / g->segment), 1u);
    const uint rows_ahead = max(outputs_ahead / count, 1u);
    const uint straight = outputs_ahead < count ? count - outputs_ahead : 0;
    const long along = (long)outputs_ahead * g->column_stride, back = (long)straight * g->column_stride;
#else
    (void)next;
#endif
    for (uint o = 0; o < count; ++o)
        best[o] = CANDIDATE_NONE;
    for (ulong from = 0; from < g->segments; from += most) {
        const uint segments = (uint)min(g->segments - from, (ulong)most);
        for (uint o = 0; o < count; ++o)
            acc[o] = ACC_EMPTY;
        for (uint s = 0; s < segments; ++s) {
            const long row = segment_at(dims, from + s);
#if AHEAD
            const ulong later = from + s + rows_ahead;
            const long over = (later < g->segments ? segment_at(dims, later) : next) - row - back;
#endif
            for (uint o = 0; o < count; ++o) {
#if AHEAD
                const long ahead = o < straight ? along : over;
#else
                const long ahead = 0;
#endif
                fold_segment(start + row + (long)o * g->column_stride, g, &acc[o], s, ahead);
            }
        }
        for (uint o = 0; o < count; ++o)
            best[o] = better(best[o], block_winner(start + (long)o * g->column_stride, dims, g, acc[o], from));
    }
}

/* The first output of a job; of one beyond the last, that of the first job. */
static inline ulong first_output(const segments_t *g, const ulong job) {
    return job < g->jobs ? job / g->tiles * g->columns + job % g->tiles * g->side : 0;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void segments(__global const T *restrict in, TARGET,
                                                                      const dims_t dims, const segments_t g) {
    EACH_JOB(job) {
        const ulong out = first_output(&g, job);
        const uint count = (uint)min(g.side, g.columns - job % g.tiles * g.side);
        const long start = input_start(&dims, out);
        candidate_t best[SIDE];
        scan(in + start, &dims, &g, count, input_start(&dims, first_output(&g, job + 1)) - start, best);
        for (uint o = 0; o < count; ++o)
            put_output(&dims, in, TARGET_ARGUMENTS, 0, out + o, !LOSES(CANDIDATE_KEY(best[o])),
                       CANDIDATE_PLACE(best[o]), KEY_KNOWN(CANDIDATE_KEY(best[o])));
    }
}
