/* Reductions of blocks so small that a work-group holds several in local memory: rows of columns without gaps, which
 * follow each other in memory; a block of one column is a row of the input.
 *
 * A job is g.blocks blocks. They are brought as memory lies, by wide loads of which a work-item has all on the way at
 * once. In local memory they lie g.pad elements apart, so that work-items find them in different banks. Then LANES
 * work-items take each vector of VEC columns, a run of the rows each, and reduce. Where a row is no whole number of
 * vectors, FUSED rows are read as one that is, and the bests of a column are reduced as well. With LOAD_SHIFTED the
 * blocks are rows of narrow elements, read by 32-bit words wherever they begin: VEC is the elements of a word.
 *
 * From the host, besides order.clh and index.clh: GROUP, LANES (powers of two), WIDE (elements of a wide load) and
 * LOADS, the wide loads of a work-item. Jobs start at whole wide loads and have, with the elements between, at most
 * GROUP * LOADS of them. A run has at most ITERATIONS_MAX rows. FUSED divides the rows, 1 unless given. REDUCED is 1,
 * KEPT 1 (of one column) or 2, SPLIT 0. */
#include "options.clh"

#if REDUCED != 1 || SPLIT || KEPT == 0
#error "not implemented: several reduced dims, more kept ones than two, parts"
#endif

#include "memory/index.clh"
#include "order/order.clh"
#include "workgroup/reduce.clh"

#if LOAD_SHIFTED /* elements of words that end behind the last row */
#define BEHIND (64 / BITS)
#else
#define BEHIND 0
#endif

#define SLOTS (GROUP / LANES) /* vectors of columns at once */
#if WIDE == 1
#define WIDE_T T
#else
#define WIDE_T PASTE(T, WIDE)
#endif

/* number / the number that `per` stands for; their product is below 2^32. */
static inline uint quotient(const uint number, const uint per) {
    return per ? mul_hi(number, per) : number;
}

/* Bring `count` elements from `start` on. */
static inline void bring(__global const T *start, const blocks_t *g, const uint count, __local T *tile) {
    const uint me = (uint)get_local_id(0), wides = count / WIDE;
    WIDE_T bits[LOADS];
#pragma unroll
    for (uint i = 0; i < LOADS; ++i)
        if (i * GROUP + me < wides)
            bits[i] = *(__global const WIDE_T *)(start + (i * GROUP + me) * WIDE);
#pragma unroll
    for (uint i = 0; i < LOADS; ++i) {
        const uint v = i * GROUP + me;
        if (v < wides)
            *(__local WIDE_T *)(tile + v * WIDE + (g->pad ? quotient(v, g->per_wides) * g->pad : 0)) = bits[i];
    }
    for (uint e = wides * WIDE + me; e < count; e += GROUP)
        tile[e] = start[e];
    for (uint e = count + me; e < count + BEHIND; e += GROUP)
        tile[e] = 0; /* part of the last word that is read, and of no answer */
}

#if LOAD_SHIFTED
/* The best of `count` words of a row of `size` elements from word `begin` on, and its place in the row, whose last word
 * is moved back to end with it: an element that is seen twice changes nothing. */
static inline void fold(const __local T *p, const uint begin, const uint count, const uint size, T *keys, uint *at) {
    const uint bits = (uint)(uintptr_t)p % 4 * 8, last = (uint)(uintptr_t)(p + size - VEC) % 4 * 8;
    const __local uint *const word = (const __local uint *)((uintptr_t)p & ~(uintptr_t)3) + begin;
    const __local uint *const end = (const __local uint *)((uintptr_t)(p + size - VEC) & ~(uintptr_t)3);
    const uint whole = min(begin + count, size / VEC) - begin;
    acc_t acc = ACC_EMPTY;
    uint low = word[0], iteration, component;
#pragma unroll 4
    for (uint k = 0; k < whole; ++k) {
        const uint high = word[k + 1];
        ACC_STEP(acc, AS(T)((uint)(upsample(high, low) >> bits)), k);
        low = high;
    }
    if (whole < count)
        ACC_STEP(acc, AS(T)((uint)(upsample(end[1], end[0]) >> last)), whole);
    keys[0] = acc_winner(acc, &iteration, &component);
    at[0] = min((begin + iteration) * VEC, size - VEC) + component;
}
#define PLACE_IN_ROW(begin, at) (at)
#else
/* The best of `count` rows of a vector of columns. */
static inline void fold(const __local T *p, const uint columns, const uint count, T *keys, uint *at) {
    acc_t acc = ACC_EMPTY;
#pragma unroll 4
    for (uint k = 0; k < count; ++k)
        ACC_STEP(acc, *(const __local TV *)(p + k * columns), k);
    SPREAD(ACC_KEY(acc), keys);
    SPREAD(ACC_AT(acc), at);
}
#define PLACE_IN_ROW(begin, at) ((begin) + (at))
#endif

/* Columns of a vector, once its rows are reduced. */
#if LOAD_SHIFTED
#define OWN 1
#else
#define OWN VEC
#endif

/* Leave the answer of a column of a block. */
static inline void leave(__global const T *in, TARGET, const dims_t *d, const blocks_t *g, const ulong block,
                         const uint column, const T k, const uint row) {
    const long outer = (long)block;
    long index_at = d->index_offset + outer * d->kept_index[0];
    long value_at = d->value_offset + outer * d->kept_value[0];
#if KEPT == 2
    index_at += (long)column * d->kept_index[1];
    value_at += (long)column * d->kept_value[1];
#endif
    put_answer(d, in, TARGET_ARGUMENTS, 0, index_at, value_at, d->in_offset + outer * g->size + column, !LOSES(k), row,
               KEY_KNOWN(k));
}

#if LANES * OWN > 1
/* Of the rows that are one, the one that column `c` lies in. */
static inline uint row_of(const blocks_t *g, const uint c) {
    uint row = 0;
    for (uint f = 1; f < FUSED; ++f)
        row += c >= f * g->answers;
    return row;
}

/* Work-items whose bests of a vector the one that leaves the answer takes one by one; more are reduced before. */
#define REDUCE_FIRST (LANES > 16)
#define SHARES (REDUCE_FIRST ? 1 : LANES)

/* The best of column c of the block whose first vector is number `vector` of this pass. */
static inline candidate_t best_brought(const __local candidate_t *shared, const blocks_t *g, const uint vector,
                                       uint c) {
    candidate_t best = CANDIDATE_NONE;
#pragma unroll
    for (uint f = 0; f < FUSED; ++f) {
#pragma unroll
        for (uint s = 0; s < SHARES; ++s)
            best = better(best, shared[PLACE(s * SLOTS + vector + c / OWN, c % OWN)]);
        c += g->answers;
    }
    return best;
}
#endif

KERNEL void blocks(__global const T *restrict in, TARGET, const dims_t dims, const blocks_t g) {
    __local T tile[GROUP * LOADS * WIDE + BEHIND] __attribute__((aligned(16)));
#if LANES * OWN > 1
    __local candidate_t shared[OWN * PLANE];
#endif
    const uint me = (uint)get_local_id(0), slot = me % SLOTS, share = me / SLOTS;
    const uint run = (g.rows + (LANES - 1)) / LANES;
    const uint begin = min(share * run, g.rows), rows = min(run, g.rows - begin);
    EACH_JOB(job) {
        const ulong first = (ulong)job * g.blocks;
        const uint count = (uint)min((ulong)g.blocks, g.outers - first), vectors = count * g.vectors;
        bring(in + dims.in_offset + (long)first * g.size, &g, count * g.size, tile);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint from = 0; from < vectors; from += g.pass) {
            const uint ours = min(g.pass, vectors - from);
            const uint v = from + slot, block = quotient(v, g.per_vectors), column = (v - block * g.vectors) * OWN;
            T keys[OWN];
            uint at[OWN];
            const __local T *const its_tile = tile + block * (g.size + g.pad);
#if LOAD_SHIFTED
            if (slot < ours && rows)
                fold(its_tile, begin, rows, g.size, keys, at);
#else
            if (slot < ours)
                fold(its_tile + begin * g.columns + column, g.columns, rows, keys, at);
#endif
#if LANES * OWN == 1
            if (slot < ours)
                leave(in, TARGET_ARGUMENTS, &dims, &g, first + block, column, keys[0], at[0]);
#else
#pragma unroll
            for (uint j = 0; j < OWN; ++j) {
                candidate_t best = CANDIDATE_NONE;
                if (slot < ours && rows)
                    best = CANDIDATE(keys[j], PLACE_IN_ROW(begin, at[j]) * FUSED + row_of(&g, column + j));
#if REDUCE_FIRST
                GROUP_REDUCE(best, shared + j * PLANE, better, share, LANES, SLOTS);
#else
                shared[PLACE(me, j)] = best;
#endif
            }
#if !REDUCE_FIRST
            barrier(CLK_LOCAL_MEM_FENCE);
#endif
            /* Neighbours leave neighbouring answers. */
            for (uint o = me; o < ours * OWN / FUSED; o += GROUP) {
                const uint answer = from * OWN / FUSED + o, its = quotient(answer, g.per_answers);
                const uint c = answer - its * g.answers;
                const candidate_t best = best_brought(shared, &g, its * g.vectors - from, c);
                leave(in, TARGET_ARGUMENTS, &dims, &g, first + its, c, CANDIDATE_KEY(best), CANDIDATE_PLACE(best));
            }
            barrier(CLK_LOCAL_MEM_FENCE);
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
