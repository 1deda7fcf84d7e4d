/* Reductions whose lanes run along the reduced dims.
 *
 * A job is ROWS outputs, or (SPLIT) one part of one output. LANES work-items share an output: they read vectors of VEC
 * elements side by side, each remembers the best key and the iteration that had it (order.clh), and only a block's
 * end turns that into a place. The lanes' candidates are reduced in local memory; the first lane stores the answer.
 * With GROUP = LANES = 1 and VEC = 16 this is a CPU's loop over contiguous rows; with GROUP = 256 it is a GPU's.
 *
 * From the host, besides order.clh and index.clh: GROUP, LANES (powers of two), UNROLL (vectors in flight), and
 *   OVERLAP           a segment's last vector is moved back to end with the segment (segment >= VEC); with aligned
 *                     loads segments begin and end anywhere (rows_anywhere.clh)
 *   CONTIGUOUS_BATCH  UNROLL vectors from a multiple of UNROLL on never cross a segment's end (LANES 1, no gaps;
 *                     OVERLAP only with LOCAL_INDEX and BY_VALUE, which read a last vector alone)
 *   CONSTANT_STRIDE   vectors that are LANES apart lie at equal distances: one reduced dim, PEEL, or segments whose
 *                     number of vectors divides LANES; without OVERLAP
 *   LOCAL_INDEX       a short row of narrow elements: places stand beside the keys (rows_local_index.clh)
 *   BY_VALUE          a long row: the best value of each step first, then its place (rows_by_value.clh)
 *   PEEL              loads are aligned, segments long and read one after the other: elements before the first
 *                     aligned vector of each and behind the last one are read one by one
 */
#include "options.clh"

/* Whether rows begin and end anywhere (rows_anywhere.clh). */
#define ANYWHERE (OVERLAP && LOAD_ALIGNED)
#if ANYWHERE && BITS > 16
#error "not implemented: aligned vectors of wide elements that begin anywhere"
#endif
#if OVERLAP && GROUP > 1 && REDUCED > 1 /* the host has segments of fewer vectors */
#define STEP_COUNT uint
#endif
#include "memory/index.clh"
#include "order/order.clh"
#include "workgroup/finish.clh"
#include "workgroup/reduce.clh"
#if SPLIT
#include "workgroup/partial.clh"
#endif

#define ROWS (GROUP / LANES)
#define BLOCK (ITERATIONS_MAX / UNROLL * UNROLL) /* vectors that an accumulator counts */

#if LOAD_STRIDED
#define ELEMENT_STRIDE(g) ((g)->stride)
#else
#define ELEMENT_STRIDE(g) 1
#endif

#if ANYWHERE /* else accumulators lie in memory where there are many */
#define ALWAYS __attribute__((always_inline))
#else
#define ALWAYS PART_OF_KERNEL
#endif
#if ANYWHERE
#define IN in,
#define IN_PARAMETER __global const T *in,
#else
#define IN
#define IN_PARAMETER
#endif

/* Without its vectors, a position leads to its segment. */
#define SEGMENT_STEP STEPS(0, 0)
#define ALL_ENDS (ANYWHERE && ROWS > 1) /* rows_anywhere.clh */
#if ANYWHERE                            /* those within a segment wherever it begins */
#define WALKED_VECTORS(g) ((g)->segment / VEC - 1)
#else
#define WALKED_VECTORS(g) (g)->segment_vectors
#endif
#define WALK_TO(dims, g, v) walk_to((dims), (v), WALKED_VECTORS(g), SEGMENT_STEP)
#if !CONSTANT_STRIDE && !ALL_ENDS
static inline void step_on(const dims_t *dims, const rows_t *g, const walk_t by, walk_t *walk) {
    walk_on(dims, walk, by, WALKED_VECTORS(g), SEGMENT_STEP);
}
#endif

#if ANYWHERE
#include "families/rows_anywhere.clh"
#else
/* Index of component j of vector v within the whole reduction. */
static inline ulong index_of(const at_t start, const dims_t *dims, const rows_t *g, const ulong v, const uint j) {
    (void)start;
    (void)dims;
#if OVERLAP
    const ulong segment = segment_of(v, g->segment_vectors);
    return segment * g->segment + vector_place(v - segment * g->segment_vectors, g->segment) + j;
#else
    (void)g;
    return v * VEC + j;
#endif
}
#endif

#if !ALL_ENDS
#if PEEL
/* Where a lane's next vector is: all of a scan are of one segment. */
typedef struct {
    at_t vector;
} step_t;
static inline step_t step_at(const at_t start, const dims_t *dims, const rows_t *g, const ulong v) {
    step_t step;
    step.vector = moved(start, (long)(v * VEC) * STEPS(1, dims->mask.along));
    (void)dims;
    (void)g;
    return step;
}
#else
#if !ANYWHERE
/* Where the vector at w lies, whose place in its segment is not yet in w.at. */
static inline at_t vector_at(const at_t start, const dims_t *dims, const rows_t *g, const walk_t w) {
    (void)dims;
    return moved(start, w.at + (long)vector_place(w.x, g->segment) * STEPS(ELEMENT_STRIDE(g), dims->mask.along));
}
#endif
/* Where a lane is, and how far it is to its next vector and to what is asked for meanwhile. */
typedef struct {
    walk_t walk, by;
    at_t vector;
#if PREFETCH_DISTANCE && REDUCED != 1
    walk_t later;
#endif
} step_t;

#define PREFETCH_ELEMENTS (PREFETCH_DISTANCE * 8 / BITS)
static inline step_t step_at(const at_t start, const dims_t *dims, const rows_t *g, const ulong v) {
    step_t step;
    step.walk = WALK_TO(dims, g, v);
    step.by = WALK_TO(dims, g, LANES);
#if PREFETCH_DISTANCE && REDUCED != 1 /* of short segments so many whole ones later as are read meanwhile */
    step.later = WALK_TO(dims, g, max((uint)(PREFETCH_ELEMENTS / g->segment), 1u) * g->segment_vectors);
#endif
    step.vector = vector_at(start, dims, g, step.walk);
    return step;
}
#endif
#if PREFETCH_DISTANCE && REDUCED != 1
/* Elements from an element to that which is read PREFETCH_DISTANCE bytes later, in another segment than that of its
 * own, in the next output at last. */
static inline long way_ahead(const dims_t *dims, const rows_t *g, const step_t *step) {
    walk_t later = step->walk;
    const long back = g->segment > PREFETCH_ELEMENTS ? (long)g->segment - PREFETCH_ELEMENTS : 0;
    walk_on(dims, &later, step->later, g->segment_vectors, SEGMENT_STEP);
    const bool is_another = later.on[0] >= dims->reduced_size[0];
    return OF_INPUT(later.at) - OF_INPUT(step->walk.at) - back +
           (is_another ? dims->kept_in[KEPT - 1] - (long)dims->reduced_size[0] * dims->reduced_in[0] : 0);
}
#endif

#if PREFETCH_DISTANCE
/* Where to read PREFETCH_DISTANCE bytes after p: what follows in memory, or in this segment or a later one. */
static inline uintptr_t address_ahead(const at_t p, const dims_t *dims, const rows_t *g, const step_t *step) {
    (void)dims;
    (void)g;
    (void)step;
#if REDUCED == 1
    return FROM(DATA(p), PREFETCH_ELEMENTS);
#else
    const bool here = (ulong)step->walk.x * VEC + PREFETCH_ELEMENTS < g->segment;
    return FROM(DATA(p), here ? PREFETCH_ELEMENTS : way_ahead(dims, g, step));
#endif
}
#endif

/* Load `count` vectors, 1..UNROLL, LANES apart, and go on behind them; the others are left as they are. */
static inline void load_vectors(const at_t start, const dims_t *dims, const rows_t *g, const uint count, step_t *step,
                                loaded_t bits[UNROLL]) {
#if CONTIGUOUS_BATCH
    const at_t p = vector_at(start, dims, g, step->walk);
#if PREFETCH_DISTANCE
    const uintptr_t ahead = address_ahead(p, dims, g, step);
#pragma unroll
    for (int line = 0; line < UNROLL * VECTOR_BYTES; line += LINE)
        PREFETCH(ahead + (uintptr_t)line);
#if (MASK_UNALIGNED || MASK_ALIGNED) && REDUCED == 1
    PREFETCH((uintptr_t)p.kept + PREFETCH_ELEMENTS); /* mostly no more than a line of it */
#endif
#endif
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
        if ((uint)u < count)
            bits[u] = LOAD_AT(moved(p, (long)(u * VEC) * STEPS(1, dims->mask.along)), 1, dims);
    step_on(dims, g, steps_on(count, SEGMENT_STEP), &step->walk);
#elif CONSTANT_STRIDE
#if REDUCED == 1 || PEEL
    const steps_t distance = (long)(LANES * VEC) * STEPS(ELEMENT_STRIDE(g), dims->mask.along);
#else
    const steps_t distance = (long)(LANES / g->segment_vectors) * STEPS(dims->reduced_in[0], dims->mask.reduced[0]);
#endif
    at_t vector = step->vector;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
        if ((uint)u < count)
            bits[u] = LOAD_AT(vector, g->stride, dims);
        if (GROUP > 1 || (uint)u < count) /* of several work-items, the last call alone has fewer */
            vector = moved(vector, distance);
    }
    step->vector = vector;
    (void)start;
    (void)dims;
#else
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
        if ((uint)u < count) {
            const at_t p = vector_at(start, dims, g, step->walk);
#if PREFETCH_DISTANCE
            if (LINE_STARTS(u))
                PREFETCH(address_ahead(p, dims, g, step));
#endif
            bits[u] = LOAD_AT(p, g->stride, dims);
            step_on(dims, g, step->by, &step->walk);
        }
#endif
}

#if LOCAL_INDEX
#include "families/rows_local_index.clh"
#elif BY_VALUE
#include "families/rows_by_value.clh"
#else
/* Best of the vectors v, v + LANES, ... below `end`, with places relative to index `origin`. */
static inline candidate_t scan(const at_t start, const dims_t *dims, const rows_t *g, ulong v, const ulong end,
                               const ulong origin) {
    candidate_t best = CANDIDATE_NONE;
    step_t step = step_at(start, dims, g, v);
    while (v < end) {
        const ulong left = (end - v + (LANES - 1)) / LANES;
        const uint count = (uint)min(left, (ulong)BLOCK);
        acc_t acc = ACC_EMPTY;
        uint k = 0;
        loaded_t bits[UNROLL];
        for (; k + UNROLL <= count; k += UNROLL) {
            load_vectors(start, dims, g, UNROLL, &step, bits);
            const uint from = LANES == 1 ? k | ZERO_AFTER(bits, g) : k;
#pragma unroll
            for (int u = 0; u < UNROLL; ++u)
                ACC_STEP(acc, bits[u], from + (uint)u);
        }
#if GROUP > 1 && UNROLL == 1 /* then none is left */
#elif GROUP > 1
        if (k < count) {
            load_vectors(start, dims, g, count - k, &step, bits);
#pragma unroll
            for (int u = 0; u < UNROLL; ++u)
                if (k + (uint)u < count)
                    ACC_STEP(acc, bits[u], k + (uint)u);
        }
#else /* less to compile */
        for (; k < count; ++k) {
            load_vectors(start, dims, g, 1, &step, bits);
            ACC_STEP(acc, bits[0], k);
        }
#endif
        TAKE_WINNER(best, acc, index_of(start, dims, g, v + (ulong)at * LANES, component) - origin);
        v += (ulong)count * LANES;
    }
    return best;
}
#endif
#endif

#if PEEL
/* Elements before the first aligned vector of a segment, which has several of these, and its aligned vectors. */
static inline ulong head_of(const at_t start) {
    return (VEC - (ulong)((uintptr_t)DATA(start) / sizeof(T)) % VEC) % VEC;
}
static inline at_t element_at(const at_t start, const dims_t *dims, const ulong e) {
    (void)dims;
    return moved(start, (long)e * STEPS(1, dims->mask.along));
}
static inline ALWAYS candidate_t scan_vectors(const at_t start, const dims_t *dims, const rows_t *g, const ulong from,
                                              const ulong to, const uint lane, const ulong origin) {
    const ulong head = head_of(start);
    return scan(element_at(start, dims, head), dims, g, from + lane, min(to, (g->segment - head) / VEC), origin - head);
}

/* Vectors [from, to) of a segment, with the elements before the first and behind the last of all. */
#if LANES >= 2 * VEC && !SPLIT
/* Of these a lane has one at most, which is on its way while vectors are read. Not in parts, of which few have any:
 * the registers that the element takes keep NVIDIA's loads of a batch from being issued together. */
static inline ALWAYS candidate_t scan_segment(const at_t start, const dims_t *dims, const rows_t *g, const ulong from,
                                              const ulong to, const uint lane, const ulong origin) {
    const ulong head = head_of(start);
    const ulong behind = head + (g->segment - head) / VEC * VEC + lane - VEC;
    const bool is_before = (from == 0) & (lane < head);
    const bool is_behind = (to >= g->segment_vectors) & (lane >= VEC) & (behind < g->segment);
    const bool there = is_before | is_behind; /* without a branch, which would be there for all */
    const ulong at = is_before ? lane : behind;
    const at_t p = element_at(start, dims, at);
    T bits = 0;
    bool kept = false;
    if (there) {
        bits = DATA(p)[0];
        kept = KEPT_ELEMENT(p);
    }
    const candidate_t best = scan_vectors(start, dims, g, from, to, lane, origin);
    return there ? better(best, element_candidate(bits, kept, at - origin)) : best;
}
#else
/* Elements [from, to), one at a time, over the lanes in turns. */
static inline candidate_t scan_elements(const at_t start, const dims_t *dims, const uint lane, const ulong from,
                                        const ulong to, const ulong origin) {
    candidate_t best = CANDIDATE_NONE;
    for (ulong e = from + lane; e < to; e += LANES) {
        const at_t p = element_at(start, dims, e);
        best = better(best, element_candidate(DATA(p)[0], KEPT_ELEMENT(p), e - origin));
    }
    return best;
}

static inline ALWAYS candidate_t scan_segment(const at_t start, const dims_t *dims, const rows_t *g, const ulong from,
                                              const ulong to, const uint lane, const ulong origin) {
    const ulong head = head_of(start);
    candidate_t best = scan_vectors(start, dims, g, from, to, lane, origin);
    if (from == 0)
        best = better(best, scan_elements(start, dims, lane, 0, head, origin));
    if (to >= g->segment_vectors)
        best =
            better(best, scan_elements(start, dims, lane, head + (g->segment - head) / VEC * VEC, g->segment, origin));
    return best;
}
#endif

#if REDUCED == 1
#define scan_run scan_segment
#else
/* Of those that vectors [from, to) of the reduction belong to. */
static inline ALWAYS candidate_t scan_run(const at_t start, const dims_t *dims, const rows_t *g, ulong from,
                                          const ulong to, const uint lane, const ulong origin) {
    candidate_t best = CANDIDATE_NONE;
    for (ulong next; from < to; from = next) {
        const ulong segment = segment_of(from, g->segment_vectors), first = segment * g->segment_vectors;
        next = min(first + g->segment_vectors, to);
        best = better(best, scan_segment(moved(start, segment_start(dims, segment)), dims, g, from - first,
                                         next - first, lane, origin - segment * g->segment));
    }
    return best;
}
#endif
/* Index of a part's first vector, were the first one of each segment aligned. */
static inline ulong origin_of(const at_t start, const dims_t *dims, const rows_t *g, const ulong part) {
    const ulong v = part * g->part_length, segment = segment_of(v, g->segment_vectors);
    (void)start;
    (void)dims;
    return segment * g->segment + (v - segment * g->segment_vectors) * VEC;
}
static inline ALWAYS candidate_t scan_part(const at_t start, const dims_t *dims, const rows_t *g, const ulong part,
                                           const uint lane, const ulong origin) {
    const ulong from = part * g->part_length;
    return scan_run(start, dims, g, from, min(from + g->part_length, g->vectors), lane, origin);
}
#elif ANYWHERE
static inline ulong origin_of(const at_t start, const dims_t *dims, const rows_t *g, const ulong part) {
    const ulong v = part * g->part_length, segment = segment_of(v, g->segment_vectors);
    return index_in(start, dims, g, segment, v - segment * g->segment_vectors, 0);
}
static inline ALWAYS candidate_t scan_part(IN_PARAMETER const at_t start, const dims_t *dims, const rows_t *g,
                                           const ulong part, const uint lane, const ulong origin) {
    const ulong from = part * g->part_length, to = min(from + g->part_length, g->vectors);
#if ALL_ENDS
    return scan_ends(IN start, dims, g, from + lane, to, origin);
#else
    const ulong within_from = within_before(g, from), within_to = within_before(g, to);
    const candidate_t best = scan(start, dims, g, within_from + lane, within_to, origin);
    return better(best, scan_ends(IN start, dims, g, from - within_from + lane, to - within_to, origin));
#endif
}
#else
static inline ulong origin_of(const at_t start, const dims_t *dims, const rows_t *g, const ulong part) {
    return index_of(start, dims, g, part * g->part_length, 0);
}
static inline ALWAYS candidate_t scan_part(const at_t start, const dims_t *dims, const rows_t *g, const ulong part,
                                           const uint lane, const ulong origin) {
    const ulong from = part * g->part_length;
    return scan(start, dims, g, from + lane, min(from + g->part_length, g->vectors), origin);
}
#endif

KERNEL void rows(INPUT, TARGET, const dims_t dims, const rows_t g FINISH_PARAMETERS) {
    FINISH_LOCALS
#if LANES > 1
    REDUCE_SPACE(candidate_t, shared, LANES)
#endif
    const uint me = (uint)get_local_id(0);
    const uint lane = ROWS == 1 ? me : me % LANES;
    MERGE_FIRST(unit, MERGE_ONE(unit))
    EACH_JOB(job) {
        const job_t row = SPLIT ? divide(job, (job_t)g.parts, g.per_parts) : job;
        const ulong part = SPLIT ? job - row * (job_t)g.parts : 0;
        const ulong out = ROWS == 1 ? row : (ulong)row * ROWS + me / LANES;
        const ulong origin = SPLIT ? origin_of(AT_STEPS(input_start(&dims, out)), &dims, &g, part) : 0;
        candidate_t best = CANDIDATE_NONE;
        if (SPLIT || out < dims.outputs)
            best = scan_part(IN AT_STEPS(input_start(&dims, out)), &dims, &g, part, lane, origin);
#if LANES > 1
        REDUCE_NEIGHBOURS(best, shared, better, lane, LANES);
#endif
#if SPLIT
        const partial_t partial = as_partial(best, origin);
        FINISH_OUTPUT(out, part, partial)
#else
        if (lane == 0 && out < dims.outputs)
#pragma unroll
            for (uint x = 0; x < EXTREMES; ++x) {
                const one_candidate_t c = ONE_OF(best, x);
                put_output(&dims, in, TARGET_ARGUMENTS, x, out, CANDIDATE_WINS(c), origin + CANDIDATE_PLACE_OF(x, c),
                           KEY_KNOWN_OF(x, CANDIDATE_KEY(c)));
            }
#endif
    }
    MERGE_LAST(unit, MERGE_ONE(unit))
}
