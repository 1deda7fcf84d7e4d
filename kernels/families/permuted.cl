/* Reductions that memory has in another order than the index counts them: axes that were permuted, or some of which run
 * backwards. They are read in the order of memory, and of equal keys the index decides.
 *
 * A job is ROWS outputs, or (SPLIT) one part of one output; LANES work-items share an output. The reduced dims come in
 * the order of memory, the nearest last; the innermost of them, without gaps, are one segment, and a position counts the
 * elements so. A batch of vectors is looked at again only where one of its keys is as good as the best so far: then the
 * best of each vector, and of equals the one whose index wins.
 *
 * From the host (options.clh): GROUP, LANES, UNROLL (vectors of a batch), and OVERLAP: a segment's last vector is moved
 * back to end with it; with aligned loads segments begin and end anywhere, and what their first and last vectors have of
 * others is not looked at. An element that is seen twice changes nothing. */
#include "options.clh"

#include "memory/index.clh"
#include "order/order.clh"
#include "workgroup/finish.clh"
#include "workgroup/reduce.clh"

#define ROWS (GROUP / LANES)
#define ANYWHERE (OVERLAP && LOAD_ALIGNED)

/* The best so far of each extreme: its key, and the tie of its index (index.clh); tie 0: none yet. A block of vectors
 * that alone has the best key is only remembered: most are forgotten before anybody asks where in it that is. */
typedef struct {
    T key[EXTREMES];
    ulong tie[EXTREMES];
    ulong block[EXTREMES], block_end[EXTREMES]; /* its vectors; none where they are the same */
} found_t;

/* Most numbers have 32 bits, and GPUs divide those in a third of the time. */
static inline ulong quotient(const ulong a, const ulong b) {
    return (a | b) >> 32 ? a / b : (uint)a / (uint)b;
}

static inline ulong index_of(const dims_t *dims, const permuted_t *g, const ulong position) {
    return g->first_index + (ulong)unravel(position, REDUCED_COUNT(*dims), dims->reduced_size, g->weight);
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
    at.row = moved(start, UNRAVEL_STEPS(at.segment, (int)g->outer, dims, reduced));
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
            SPREAD(*(__global const TV *)p, elements);
#pragma unroll
        for (int j = 0; j < VEC; ++j)
            if (!INSIDE(place + j, g))
                elements[j] = nearest;
            else if (!is_inside)
                elements[j] = p[j];
        return JOINED(elements);
    }
#endif
    return load_inside(at->row, dims, place);
}

static inline void go_on(const at_t start, const dims_t *dims, const permuted_t *g, const ulong segments, const ulong by,
                         vector_t *at) {
    at->x += by;
    const bool wraps = at->x >= g->segment_vectors;
    at->x -= wraps ? g->segment_vectors : 0;
    if (segments + wraps) {
        at->segment += segments + wraps;
        at->row = moved(start, UNRAVEL_STEPS(at->segment, (int)g->outer, dims, reduced));
    }
}

/* Ask for what is read so much later than vectors of the row. */
#if AHEAD
static inline void look_ahead(const permuted_t *g, const at_t row, const long place, const uint vectors) {
    const uintptr_t ahead = FROM(DATA(row) + place, g->ahead_by);
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

#if VEC == 1
#define ANY(condition) (condition)
#else
#define ANY(condition) any(condition)
#endif

/* Of the equal components in a mask of bits, whose first one is at `position`, the best tie. */
static inline ulong best_tie(const dims_t *dims, const permuted_t *g, const uint x, const ulong position, uint equal) {
    const int inner = REDUCED_COUNT(*dims) - 1;
    const ulong length = ENTRY(dims->reduced_size, inner);
    const uint lowest = 31 - clz(equal & -equal), highest = 31 - clz(equal);
    const ulong first = position + lowest;
    /* Along one dim the index rises or falls all the way. */
    if (first - quotient(first, length) * length + (highest - lowest) < length) {
        const ulong at = (ENTRY(g->weight, inner) > 0) != LAST_OF(x) ? first : position + highest;
        return WIDE_TIE(x, index_of(dims, g, at));
    }
    ulong tie = 0;
    for (; equal; equal &= equal - 1)
        tie = max(tie, (ulong)WIDE_TIE(x, index_of(dims, g, position + (31 - clz(equal & -equal)))));
    return tie;
}

/* Take the best tie of what a vector has of the best key; whether it had any. */
static inline bool take_vector(__global const T *in, const dims_t *dims, const permuted_t *g, const uint x,
                               const vector_t *at, found_t *best) {
    const long place = place_of(g, at);
    const loaded_t loaded = load_vector(in, dims, g, at);
    const TV found = key(BITS_OF(loaded) ^ (TV)TURN_OF(x));
    if (!ANY(found == (TV)best->key[x]))
        return false;
    T keys[VEC];
    uint equal = 0;
    SPREAD(found, keys);
#if MASKED
    uchar kept[VEC];
    SPREAD(loaded.kept, kept);
#define IS_KEPT(j) (kept[j] != 0)
#else
#define IS_KEPT(j) true
#endif
#pragma unroll
    for (int j = 0; j < VEC; ++j)
        equal |= (uint)(IS_KEPT(j) & INSIDE(place + j, g) & (keys[j] == best->key[x])) << j;
    if (equal)
        best->tie[x] =
            max(best->tie[x], best_tie(dims, g, x, at->segment * g->segment + (ulong)place, equal));
    return equal != 0;
}

/* The best tie that any position from `from` to `to` could have: along a dim whose end is passed any coordinate. */
static inline ulong best_possible_tie(const dims_t *dims, const permuted_t *g, const uint x, const ulong from,
                                      const ulong to) {
    ulong number = from, steps = to - from, index = g->first_index;
#pragma unroll 1
    for (int d = REDUCED_COUNT(*dims) - 1; d >= 0; --d) {
        const ulong size = d ? (ulong)ENTRY(dims->reduced_size, d) : dims->reduced_size[0];
        const long weight = d ? (long)ENTRY(g->weight, d) : g->weight[0];
        const ulong above = quotient(number, size), coordinate = number - above * size, end = coordinate + steps;
        const bool passes = end >= size;
        index += (ulong)weight * ((weight > 0) != LAST_OF(x) ? (passes ? 0 : coordinate) : (passes ? size - 1 : end));
        steps = passes ? quotient(end, size) : 0;
        number = above;
    }
    return WIDE_TIE(x, index);
}

/* The positions of a vector's first and last element. */
static inline ulong first_position(const permuted_t *g, const vector_t *at) {
    return at->segment * g->segment + (ulong)max(place_of(g, at), 0l);
}
static inline ulong last_position(const permuted_t *g, const vector_t *at) {
    return at->segment * g->segment + min((ulong)(place_of(g, at) + (VEC - 1)), g->segment - 1);
}

/* Whether a vector from `from` to `to` that has the best key of extreme x may have a better tie. */
static inline bool may_improve(const dims_t *dims, const permuted_t *g, const uint x, const vector_t *from,
                               const vector_t *to, const found_t *best) {
    return best_possible_tie(dims, g, x, first_position(g, from), last_position(g, to)) > best->tie[x];
}

/* Find the best tie among the vectors v, v + LANES, ... before `end` that have the best key of extreme x. */
static inline void take_block(__global const T *in, const at_t start, const dims_t *dims, const permuted_t *g,
                              const uint x, ulong v, const ulong end, found_t *best) {
    const ulong segments = LANES / g->segment_vectors, by = LANES - segments * g->segment_vectors;
    const ulong last = v + (end - 1 - v) / LANES * LANES;
    vector_t at = vector_at(start, dims, g, v);
    const vector_t last_one = vector_at(start, dims, g, last);
    if (!may_improve(dims, g, x, &at, &last_one, best))
        return;
#pragma unroll 1
    for (; v < end; v += LANES) {
        /* What comes behind a vector that had something mostly has nothing better. */
        if (take_vector(in, dims, g, x, &at, best) && !may_improve(dims, g, x, &at, &last_one, best))
            return;
        go_on(start, dims, g, segments, by, &at);
    }
}
static inline void take_remembered(__global const T *in, const at_t start, const dims_t *dims, const permuted_t *g,
                                   const uint x, found_t *best) {
    if (best->block[x] < best->block_end[x])
        take_block(in, start, dims, g, x, best->block[x], best->block_end[x], best);
    best->block[x] = best->block_end[x];
}

/* Work-items that share a row look at no block without a key as good as the best that one of them has told. Of 64 bits
 * they tell 32. With PTX, which knows 64-bit atomics in local memory, they tell the ties of narrower keys too, where
 * these have 32 bits. */
#if LANES > 1
#if PTX && BITS <= 32
typedef ulong told_t;
#define TOLD(k) ((told_t)(k) << 32)
#define TOLD_KEY(told) ((told) >> 32 << 32)
static inline told_t tell(volatile __local told_t *leading, const told_t told) {
    told_t before;
    __asm__ volatile("atom.shared.max.u64 %0, [%1], %2;" : "=l"(before) : "l"((ulong)leading), "l"(told) : "memory");
    return max(before, told);
}
static inline void take_told_tie(const uint x, const told_t lead, found_t *best) {
    const ulong tie = (uint)lead && !LAST_OF(x) ? lead | ~0ul << 32 : (uint)lead;
    best->tie[x] = TOLD_KEY(lead) == TOLD(best->key[x]) ? max(best->tie[x], tie) : best->tie[x];
}
static inline void tell_tie(volatile __local told_t *leading, const dims_t *dims, const uint x, const found_t *best) {
    if (dims->reduction < ~0u)
        tell(leading + x, TOLD(best->key[x]) | (uint)best->tie[x]);
}
#else
typedef uint told_t;
#define TOLD(k) ((told_t)((k) >> (BITS == 64 ? 32 : 0)))
#define TOLD_KEY(told) (told)
static inline told_t tell(volatile __local told_t *leading, const told_t told) {
    return max(atomic_max(leading, told), told);
}
#define take_told_tie(x, lead, best)
#define tell_tie(leading, dims, x, best)
#endif
#define LEADING , leading + me / LANES * EXTREMES
#define LEADING_PARAMETER , volatile __local told_t *leading
static inline bool may_lead(volatile __local told_t *leading, const T k, told_t *lead) {
    if (TOLD(k) < TOLD_KEY(*lead))
        return false;
    *lead = tell(leading, TOLD(k));
    return TOLD(k) == TOLD_KEY(*lead);
}
#define IS_LEADING(x, k) (TOLD(k) >= TOLD_KEY(leading[me / LANES * EXTREMES + (x)]))
#else
#define LEADING
#define LEADING_PARAMETER
#define IS_LEADING(x, k) true
#endif

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
    told_t lead[EXTREMES];
    for (uint x = 0; x < EXTREMES; ++x)
        lead[x] = 0;
#endif
    bool is_settled[EXTREMES];
    for (uint x = 0; x < EXTREMES; ++x)
        is_settled[x] = false;
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

#if !SPLIT
/* The bits of a winner: its key's, or, where that does not tell, those of the element with that index. */
#if VALUE || MAX_VALUE
static inline T bits_of(__global const T *in, const dims_t *dims, const permuted_t *g, const ulong out, const uint x,
                        const T k, const ulong index) {
    if (KEY_TELLS(k))
        return bits_of_key(k) ^ TURN_OF(x);
    long at = OF_INPUT(input_start(dims, out));
    for (int d = 0; d < REDUCED_COUNT(*dims); ++d) {
        const long weight = d ? (long)ENTRY(g->weight, d) : g->weight[0];
        const ulong size = d ? ENTRY(dims->reduced_size, d) : dims->reduced_size[0];
        const ulong digit = index / (ulong)abs(weight) % size;
        at += (long)(weight > 0 ? digit : size - 1 - digit) *
              (long)(d ? ENTRY(dims->reduced_in, d) : dims->reduced_in[0]);
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
    __local told_t leading[ROWS * EXTREMES];
#endif
    const uint me = (uint)get_local_id(0);
    const uint lane = ROWS == 1 ? me : me % LANES;
    EACH_JOB(job) {
        const job_t row = SPLIT ? divide(job, (job_t)g.parts, g.per_parts) : job;
        const ulong part = SPLIT ? job - row * (job_t)g.parts : 0;
        const ulong out = ROWS == 1 ? row : (ulong)row * ROWS + me / LANES;
        found_t best;
#pragma unroll
        for (uint x = 0; x < EXTREMES; ++x) {
            best.key[x] = 0;
            best.tie[x] = best.block[x] = best.block_end[x] = 0;
        }
#if LANES > 1
#if !ONE_JOB
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        if (lane < EXTREMES)
            leading[me / LANES * EXTREMES + lane] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        if (SPLIT || out < dims.outputs)
            scan(in, AT_STEPS(input_start(&dims, out)), &dims, &g, part * g.chunk + lane,
                 min(part * g.chunk + g.chunk, g.vectors), &best LEADING);
        partial_t whole = PARTIAL_NONE;
#if LANES > 1
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
#pragma unroll
        for (uint x = 0; x < EXTREMES; ++x)
            if (IS_LEADING(x, best.key[x])) {
#if LANES > 1
                take_told_tie(x, leading[me / LANES * EXTREMES + x], &best);
#endif
                take_remembered(in, AT_STEPS(input_start(&dims, out)), &dims, &g, x, &best);
                PARTIAL_OF(whole, x) = best.tie[x] ? (ulong2)(best.key[x], best.tie[x]) : (ulong2)(0, 0);
            }
#if LANES > 1
        REDUCE_NEIGHBOURS(whole, shared, better_partial, lane, LANES);
#endif
#if SPLIT
        FINISH_OUTPUT(out, part, whole, NOTHING)
#else
        if (lane == 0 && out < dims.outputs)
#pragma unroll
            for (uint x = 0; x < EXTREMES; ++x) {
                const ulong2 p = PARTIAL_OF(whole, x);
                const ulong at = READ_TIE_INDEX(x, p.y);
                put_output(&dims, in, TARGET_ARGUMENTS, x, out, p.y != 0, at, true,
                           BITS_OF_WINNER(out, x, (T)p.x, at));
            }
#endif
    }
    MERGE_ONLY(unit, MERGE_ONE(unit))
}
