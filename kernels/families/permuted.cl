/* Reductions that memory has in another order than the index counts them: axes that were permuted, or some of which run
 * backwards. They are read in the order of memory, and of equal keys the index decides.
 *
 * A job is ROWS outputs, or (SPLIT) one part of one output; LANES work-items share an output. The reduced dims come in
 * the order of memory, the nearest last; the innermost of them, without gaps, are one segment, and a position counts
 * the elements so. Vectors are accumulated by blocks, of which only the best key is asked for. Where in a block the
 * winner is, is looked up when two blocks have the same key, or at the end (permuted_ties.clh).
 *
 * From the host (options.clh): GROUP, LANES, UNROLL (vectors of a batch), and OVERLAP: a segment's last vector is moved
 * back to end with it; with aligned loads segments begin and end anywhere, and what their first and last vectors have
 * of others is replaced by the nearest element. An element that is seen twice changes nothing. */
#include "options.clh"

#include "memory/index.clh"
#include "order/order.clh"
#include "workgroup/finish.clh"
#include "workgroup/reduce.clh"

#define ROWS (GROUP / LANES)
#define ANYWHERE (OVERLAP && LOAD_ALIGNED)

/* The best so far of each extreme: its key, and the tie of its index (index.clh); tie 0: none yet. A block of vectors
 * that alone has the best key is only remembered: most are forgotten before anybody asks where in it that is. With
 * STRAIGHT, where a block is no longer than the index rises, an accumulator knows that at once. */
typedef struct {
    T key[EXTREMES];
    ulong tie[EXTREMES];
#if !STRAIGHT
    ulong block[EXTREMES], block_end[EXTREMES]; /* its vectors; none where they are the same */
#endif
} found_t;

/* Most numbers have 32 bits, and GPUs divide those in a third of the time. */
static inline ulong quotient(const ulong a, const ulong b) {
    return (a | b) >> 32 ? a / b : (uint)a / (uint)b;
}

static inline ulong index_of(const dims_t *dims, const permuted_t *g, const ulong position) {
    return g->first_index + (ulong)unravel(position, REDUCED, dims->reduced_size, g->weight);
}

/* From the first segment to another; of two dims one at most is not in a segment. */
static inline steps_t segment_at(const dims_t *dims, const permuted_t *g, const ulong segment) {
#if REDUCED <= 2
    (void)g;
    return (long)segment * STEPS(dims->reduced_in[0], dims->mask.reduced[0]);
#else
    return reduced_steps(dims, segment, (int)g->outer);
#endif
}

/* Where a vector is: its number in a segment, the segment's number, and what lies first in it. */
typedef struct {
    ulong x, segment;
    at_t row;
} vector_t;

static inline vector_t vector_at(const at_t start, const dims_t *dims, const permuted_t *g, const ulong v) {
    vector_t at;
    at.segment = quotient(v, g->segment_vectors);
    at.x = v - at.segment * g->segment_vectors;
    at.row = moved(start, segment_at(dims, g, at.segment));
    return at;
}

/* Elements from the segment's first to the vector's; below 0 where the vector begins before the segment. */
static inline long place_of(const permuted_t *g, const vector_t *at) {
#if ANYWHERE
    const long place = (long)(at->x * VEC) - (long)((uintptr_t)DATA(at->row) / sizeof(T) % VEC);
    return place < (long)g->segment ? place : place - VEC;
#else
    return (long)vector_place(at->x, g->segment);
#endif
}

#if ANYWHERE
#define INSIDE(place, g) ((ulong)(place) < (g)->segment)
#else
#define INSIDE(place, g) true
#endif

static inline loaded_t load_inside(const at_t row, const dims_t *dims, const long place) {
    (void)dims;
    return LOAD_AT(moved(row, place * STEPS(1, dims->mask.along)), 1, dims);
}
static inline loaded_t load_vector(__global const T *in, const dims_t *dims, const permuted_t *g, const vector_t *at) {
    const long place = place_of(g, at);
    (void)in;
#if ANYWHERE
    if ((place < 0) | (place + VEC > (long)g->segment)) { /* what is others' is replaced by the nearest element */
        __global const T *const p = at->row + place;
        const T nearest = at->row[place < 0 ? 0 : g->segment - 1];
        const bool is_inside = (p >= in + g->first) & (p + (VEC - 1) <= in + g->last);
        T elements[VEC];
        if (is_inside)
            SPREAD(T, *(__global const TV *)p, elements);
#pragma unroll
        for (int j = 0; j < VEC; ++j)
            if (!INSIDE(place + j, g))
                elements[j] = nearest;
            else if (!is_inside)
                elements[j] = p[j];
        return JOINED(T, elements);
    }
#endif
    return load_inside(at->row, dims, place);
}

static inline void go_on(const at_t start, const dims_t *dims, const permuted_t *g, const ulong segments,
                         const ulong by, vector_t *at) {
    at->x += by;
    const bool wraps = at->x >= g->segment_vectors;
    at->x -= wraps ? g->segment_vectors : 0;
    if (segments + wraps) {
        at->segment += segments + wraps;
        at->row = moved(start, segment_at(dims, g, at->segment));
    }
}

/* Ask for what is read so much later than vectors of the row. */
#if PREFETCH_DISTANCE
static inline void look_ahead(const permuted_t *g, const at_t row, const long place, const uint vectors) {
    const uintptr_t ahead = FROM(DATA(row) + place, g->prefetch_by);
    for (uint line = 0; line < vectors * VECTOR_BYTES; line += LINE)
        PREFETCH(ahead + line);
}
#else
#define look_ahead(g, row, place, vectors)
#endif

/* Accumulate the vectors v, v + LANES, ... up to `last`, UNROLL of them at most, as iterations k, k + 1, ... */
static inline void take_batch(__global const T *in, const at_t start, const dims_t *dims, const permuted_t *g,
                              const ulong v, const ulong last, const uint k, vector_t *at, acc_t *acc) {
    const long place = place_of(g, at);
    const ulong end = (UNROLL - 1) * LANES;
    if (UNROLL > 1 && place >= 0 && v + end <= last && place + (long)((end + 1) * VEC) <= (long)g->segment) {
        loaded_t loaded[UNROLL];
        look_ahead(g, at->row, place, UNROLL);
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
            loaded[u] = load_inside(at->row, dims, place + u * (LANES * VEC));
#pragma unroll
        for (uint u = 0; u < UNROLL; ++u)
            ACC_STEP(*acc, loaded[u], k + u);
        go_on(start, dims, g, 0, UNROLL * LANES, at);
        return;
    }
    const ulong segments = LANES / g->segment_vectors, by = LANES - segments * g->segment_vectors;
#pragma unroll 1
    for (uint u = 0; u < UNROLL && v + u * LANES <= last; ++u) {
        look_ahead(g, at->row, place_of(g, at), 1);
        const loaded_t loaded = load_vector(in, dims, g, at);
        ACC_STEP(*acc, loaded, k + u);
        go_on(start, dims, g, segments, by, at);
    }
}

#if STRAIGHT
#define BLOCK (max((int)(ITERATIONS_MAX / UNROLL), 1) * UNROLL)

/* The vectors v, v + LANES, ... below `end`. */
static inline void scan(__global const T *in, const at_t start, const dims_t *dims, const permuted_t *g, ulong v,
                        const ulong end, found_t *best) {
    if (v >= end)
        return;
    const ulong last = v + (end - 1 - v) / LANES * LANES;
    vector_t at = vector_at(start, dims, g, v);
    while (v <= last) {
        const ulong first = v, behind = (quotient(v, g->straight) + 1) * g->straight;
        const ulong until = min(min(v + (ulong)(BLOCK - 1) * LANES, last), v + (behind - 1 - v) / LANES * LANES);
        acc_t acc = ACC_EMPTY;
        for (uint k = 0; v <= until; k += UNROLL, v += UNROLL * LANES)
            take_batch(in, start, dims, g, v, until, k, &at, &acc);
        v = until + LANES;
#pragma unroll
        for (uint x = 0; x < EXTREMES; ++x) {
            T top;
            uint iteration, component;
            const bool is_found = ACC_WINNER(acc, x, &top, &iteration, &component);
            if (!is_found || LOSES(top) || (best->tie[x] && top < best->key[x]))
                continue;
            const vector_t won = vector_at(start, dims, g, first + (ulong)iteration * LANES);
            const long place = clamp(place_of(g, &won) + (long)component, 0l, (long)g->segment - 1);
            const ulong tie = WIDE_TIE(x, index_of(dims, g, won.segment * g->segment + (ulong)place));
            best->tie[x] = best->tie[x] && top == best->key[x] ? max(best->tie[x], tie) : tie;
            best->key[x] = top;
        }
    }
}
#define IS_LEADING(x, k) true
#define LEADING
#else
#include "families/permuted_ties.clh"

#include "families/permuted_lead.clh"

/* Vectors after which their best key is looked at, whole batches: what is read again then lies in a cache. */
#define BLOCK_BYTES (GROUP == 1 ? 2048 : 128)
#define BLOCK_BATCHES (min(BLOCK_BYTES / (VEC * BITS / 8), (int)ITERATIONS_MAX) / UNROLL)
#define BLOCK (max(BLOCK_BATCHES, 1) * UNROLL)

/* The vectors v, v + LANES, ... below `end`. */
static inline void scan(__global const T *in, const at_t start, const dims_t *dims, const permuted_t *g, ulong v,
                        const ulong end, found_t *best LEADING_PARAMETER) {
    if (v >= end)
        return;
#if LANES > 1
    told_t lead[EXTREMES] = {0};
#endif
    bool is_settled[EXTREMES] = {false};
    const ulong last = v + (end - 1 - v) / LANES * LANES;
    vector_t at = vector_at(start, dims, g, v);
    while (v <= last) {
        const ulong first = v, until = min(v + (BLOCK - 1) * LANES, last);
        acc_t acc = ACC_EMPTY;
        for (uint k = 0; v <= until; k += UNROLL, v += UNROLL * LANES)
            take_batch(in, start, dims, g, v, last, k, &at, &acc);
#pragma unroll
        for (uint x = 0; x < EXTREMES; ++x) {
            T top;
            uint iteration, component;
            const bool is_found = ACC_WINNER(acc, x, &top, &iteration, &component);
            const bool is_first = best->tie[x] == 0 && best->block[x] == best->block_end[x];
            const bool is_good = is_found & !LOSES(top) & (is_first | (top >= best->key[x]));
            if (!is_good)
                continue;
#if LANES > 1
            if (!may_lead(leading + x, top, &lead[x]))
                continue;
#endif
            const bool is_alone = is_first || top > best->key[x];
            if (is_alone) {
                best->key[x] = top;
                best->tie[x] = 0;
            }
#if LANES > 1
            take_told_tie(x, lead[x], best);
#endif
            is_settled[x] &= !is_alone;
            if (is_settled[x])
                continue;
            if (!is_alone) {
                /* Whether all that is left is behind the best tie. */
                const vector_t from = vector_at(start, dims, g, first), to = vector_at(start, dims, g, last);
                is_settled[x] = !may_improve(dims, g, x, &from, &to, best);
                if (is_settled[x])
                    continue;
                take_remembered(in, start, dims, g, x, best);
                take_block(in, start, dims, g, x, first, until + 1, best);
#if LANES > 1
                tell_tie(leading, dims, x, best);
#endif
                continue;
            }
            best->block[x] = first;
            best->block_end[x] = until + 1;
        }
    }
}
#endif

#if !SPLIT
/* The bits of a winner: its key's, or, where that does not tell, those of the element with that index. */
#if VALUE || MAX_VALUE
static inline T bits_of(__global const T *in, const dims_t *dims, const permuted_t *g, const ulong out, const uint x,
                        const T k, const ulong index) {
    if (KEY_TELLS(k))
        return bits_of_key(k) ^ TURN_OF(x);
    long at = OF_INPUT(input_start(dims, out));
#pragma unroll
    for (int d = 0; d < REDUCED; ++d) {
        const long weight = g->weight[d];
        const ulong size = dims->reduced_size[d];
        const ulong digit = index / (ulong)abs(weight) % size;
        at += (long)(weight > 0 ? digit : size - 1 - digit) * dims->reduced_in[d];
    }
    return in[at];
}
#define BITS_OF_WINNER(out, x, k, at) bits_of(in, &dims, &g, out, x, k, at)
#else
#define BITS_OF_WINNER(out, x, k, at) (T)0
#endif
#endif

KERNEL void permuted(INPUT, TARGET, const dims_t dims, const permuted_t g FINISH_PARAMETERS) {
    FINISH_LOCALS
#if LANES > 1
    REDUCE_SPACE(partial_t, shared, LANES)
#if !STRAIGHT
    __local told_t leading[ROWS * EXTREMES];
#endif
#endif
    const uint me = (uint)get_local_id(0);
    const uint lane = ROWS == 1 ? me : me % LANES;
    MERGE_ONLY(unit, MERGE_ONE(unit))
    EACH_JOB(job) {
        const job_t row = SPLIT ? divide(job, (job_t)g.parts, g.per_parts) : job;
        const ulong part = SPLIT ? job - row * (job_t)g.parts : 0;
        const ulong out = ROWS == 1 ? row : (ulong)row * ROWS + me / LANES;
        found_t best;
#pragma unroll
        for (uint x = 0; x < EXTREMES; ++x) {
            best.key[x] = 0;
            best.tie[x] = 0;
#if !STRAIGHT
            best.block[x] = best.block_end[x] = 0;
#endif
        }
#if LANES > 1 && !STRAIGHT
#if !ONE_JOB
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        if (lane < EXTREMES)
            leading[me / LANES * EXTREMES + lane] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        if (SPLIT || out < dims.outputs)
            scan(in, AT_STEPS(input_start(&dims, out)), &dims, &g, part * g.part_length + lane,
                 min(part * g.part_length + g.part_length, g.vectors), &best LEADING);
        partial_t whole = PARTIAL_NONE;
#if LANES > 1 && !STRAIGHT
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
#pragma unroll
        for (uint x = 0; x < EXTREMES; ++x)
            if (IS_LEADING(x, best.key[x])) {
#if LANES > 1 && !STRAIGHT
                take_told_tie(x, leading[me / LANES * EXTREMES + x], &best);
#endif
#if !STRAIGHT
                take_remembered(in, AT_STEPS(input_start(&dims, out)), &dims, &g, x, &best);
#endif
                PARTIAL_OF(whole, x) = best.tie[x] ? (ulong2)(best.key[x], best.tie[x]) : (ulong2)(0, 0);
            }
#if LANES > 1
        REDUCE_NEIGHBOURS(whole, shared, better_partial, lane, LANES);
#endif
#if SPLIT
        FINISH_OUTPUT(out, part, whole)
#else
        if (lane == 0 && out < dims.outputs)
#pragma unroll
            for (uint x = 0; x < EXTREMES; ++x) {
                const ulong2 p = PARTIAL_OF(whole, x);
                const ulong at = READ_TIE_INDEX(x, p.y);
                put_output(&dims, in, TARGET_ARGUMENTS, x, out, p.y != 0, at, true, BITS_OF_WINNER(out, x, (T)p.x, at));
            }
#endif
    }
}
