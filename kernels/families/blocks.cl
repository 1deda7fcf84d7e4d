/* Reductions of blocks so small that a work-group holds several in local memory: rows of columns without gaps, which
 * follow each other in memory; a block of one column is a row of the input.
 *
 * A job is g.blocks blocks. They are staged as memory lies, by wide loads of which a work-item has all on the way at
 * once. In local memory they lie g.pad elements apart, so that work-items find them in different banks. Then LANES
 * work-items take each vector of VEC columns, a run of the rows each, and reduce. Where a row is no whole number of
 * vectors, FUSED rows are read as one that is, and the bests of a column are reduced as well. With LOAD_SHIFTED the
 * blocks are rows of narrow elements, read by 32-bit words wherever they begin: VEC is the elements of a word.
 *
 * A mask that lies as the input does (MASK ALIGNED, of wide loads, or UNALIGNED) is staged with it and lies beside it,
 * byte by element; another one (SAME, STRIDED) is read where it is, row by row, and then rows are not FUSED.
 *
 * From the host, besides order.clh and index.clh: GROUP, LANES (powers of two), WIDE (elements of a wide load) and
 * LOADS, the wide loads of a work-item. Jobs start at whole wide loads and have, with the elements between, at most
 * GROUP * LOADS of them. A run has at most ITERATIONS_MAX rows. FUSED divides the rows, 1 unless given. REDUCED is 1,
 * KEPT 1 (of one column) or 2, SPLIT 0. */
#include "options.clh"

#if REDUCED != 1 || SPLIT || KEPT > 2
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
#define WIDE_OF(type) type
#else
#define WIDE_OF(type) PASTE(type, WIDE)
#endif

/* What is done besides for a mask that is staged, and where what it says of an element lies. */
#define STAGES_MASK (MASK_UNALIGNED || MASK_ALIGNED)
#if STAGES_MASK
#define FOR_MASK(statement) statement
#define MASK_SPACE __local
#else
#define FOR_MASK(statement)
#define MASK_SPACE __global const
#endif

/* An element in local memory, and what the mask says of it. */
typedef struct {
    __local T *bits;
#if MASKED
    MASK_SPACE uchar *kept;
#endif
} spot_t;

/* number / the number that `per` stands for; their product is below 2^32. */
static inline uint quotient(const uint number, const uint per) {
    return per ? mul_hi(number, per) : number;
}

#if STAGES_MASK
static inline WIDE_OF(uchar) load_wide_mask(__global const uchar *p) {
#if MASK_ALIGNED || WIDE == 1
    return *(__global const WIDE_OF(uchar) *)p;
#else
    return PASTE(vload, WIDE)(0, p);
#endif
}
#endif

/* Elements of the pads before wide load v of a job. */
#define PADS_BEFORE(v) (g->pad ? quotient((v), g->per_wides) * g->pad : 0)

/* Bring `count` elements from `start` on. */
static inline void stage(const at_t start, const blocks_t *g, const uint count, const spot_t tile) {
    const uint me = (uint)get_local_id(0), wides = count / WIDE;
    WIDE_OF(T) bits[LOADS];
    FOR_MASK(WIDE_OF(uchar) kept[LOADS];)
#pragma unroll
    for (uint i = 0; i < LOADS; ++i)
        if (i * GROUP + me < wides) {
            bits[i] = *(__global const WIDE_OF(T) *)(DATA(start) + (i * GROUP + me) * WIDE);
            FOR_MASK(kept[i] = load_wide_mask(start.kept + (i * GROUP + me) * WIDE);)
        }
#pragma unroll
    for (uint i = 0; i < LOADS; ++i) {
        const uint v = i * GROUP + me;
        if (v < wides) {
            *(__local WIDE_OF(T) *)(tile.bits + v * WIDE + PADS_BEFORE(v)) = bits[i];
            FOR_MASK(*(__local WIDE_OF(uchar) *)(tile.kept + v * WIDE + PADS_BEFORE(v)) = kept[i];)
        }
    }
    for (uint e = wides * WIDE + me; e < count; e += GROUP) {
        tile.bits[e] = DATA(start)[e];
        FOR_MASK(tile.kept[e] = start.kept[e];)
    }
    for (uint e = count + me; e < count + BEHIND; e += GROUP) {
        tile.bits[e] = 0; /* part of the last word that is read, and of no answer */
        FOR_MASK(tile.kept[e] = 0;)
    }
}

/* Where column `column` of row `row` of a block of the tile lies. */
static inline spot_t spot_in(const spot_t tile, const dims_t *d, const blocks_t *g, const uint block, const uint row,
                             const uint column) {
    spot_t p;
    p.bits = tile.bits + block * (g->size + g->pad) + row * g->columns + column;
#if STAGES_MASK
    p.kept = tile.kept + block * (g->size + g->pad) + row * g->columns + column;
#elif MASKED
    p.kept = tile.kept + block * d->mask.kept[0] + row * d->mask.reduced[0] + column * d->mask.along;
#endif
    (void)d;
    return p;
}

#if MASKED
/* The elements `bits` of row `row` from p on, or of so many rows of one column, with what the mask says of them. */
static inline loaded_t with_mask(const TV bits, const spot_t p, const dims_t *d, const uint row, const uint columns) {
    loaded_t l;
    l.bits = bits;
#if !STAGES_MASK
    l.kept = load_mask(p.kept + row * d->mask.reduced[0], d->mask.along);
#elif LOAD_SHIFTED && VEC == 4
    const __local uint *const word = (const __local uint *)((uintptr_t)(p.kept + row) & ~(uintptr_t)3);
    l.kept = as_uchar4((uint)(upsample(word[1], word[0]) >> ((uint)(uintptr_t)(p.kept + row) % 4 * 8)));
#elif LOAD_SHIFTED
    l.kept = PASTE(vload, VEC)(0, p.kept + row);
#else
    l.kept = *(const __local VECTOR(uchar) *)(p.kept + row * columns);
#endif
    (void)d;
    (void)columns;
    return l;
}
#else
#define with_mask(bits, p, d, row, columns) (bits)
#endif

#if LOAD_SHIFTED
/* The best of `count` words of a row of `size` elements from word `begin` on, and its place in the row, whose last
 * word is moved back to end with it: an element that is seen twice changes nothing. */
static inline void fold(const spot_t row, const dims_t *d, const uint begin, const uint count, const uint size,
                        T keys[EXTREMES][1], uint at[EXTREMES][1]) {
    const __local T *const p = row.bits;
    const uint bits = (uint)(uintptr_t)p % 4 * 8, last = (uint)(uintptr_t)(p + size - VEC) % 4 * 8;
    const __local uint *const word = (const __local uint *)((uintptr_t)p & ~(uintptr_t)3) + begin;
    const __local uint *const end = (const __local uint *)((uintptr_t)(p + size - VEC) & ~(uintptr_t)3);
    const uint whole = min(begin + count, size / VEC) - begin;
    acc_t acc = ACC_EMPTY;
    uint low = word[0];
    (void)d;
#pragma unroll 4
    for (uint k = 0; k < whole; ++k) {
        const uint high = word[k + 1];
        ACC_STEP(acc, with_mask(AS(T)((uint)(upsample(high, low) >> bits)), row, d, (begin + k) * VEC, 1), k);
        low = high;
    }
    if (whole < count)
        ACC_STEP(acc, with_mask(AS(T)((uint)(upsample(end[1], end[0]) >> last)), row, d, size - VEC, 1), whole);
#pragma unroll
    for (uint x = 0; x < EXTREMES; ++x) {
        uint iteration, component;
        const bool found = ACC_WINNER(acc, x, &keys[x][0], &iteration, &component);
        at[x][0] = found ? min((begin + iteration) * VEC, size - VEC) + component : ~0u;
    }
}
#define PLACE_IN_ROW(begin, at) (at)
#else
/* The best of `count` rows of a vector of columns. */
static inline void fold(const spot_t p, const dims_t *d, const uint columns, const uint count, T keys[EXTREMES][VEC],
                        uint at[EXTREMES][VEC]) {
    acc_t acc = ACC_EMPTY;
    (void)d;
#pragma unroll 4
    for (uint k = 0; k < count; ++k)
        ACC_STEP(acc, with_mask(*(const __local TV *)(p.bits + k * columns), p, d, k, columns), k);
#pragma unroll
    for (uint x = 0; x < EXTREMES; ++x) {
        SPREAD(T, ACC_KEY_OF(acc, x), keys[x]);
        SPREAD(uint, ACC_AT_OF(acc, x), at[x]);
    }
}
#define PLACE_IN_ROW(begin, at) ((begin) + (at))
#endif

/* Columns of a vector, once its rows are reduced. */
#if LOAD_SHIFTED
#define OWN 1
#else
#define OWN VEC
#endif

/* Store the answer of a column of a block. */
static inline void store_answer(__global const T *in, TARGET, const dims_t *d, const blocks_t *g, const ulong block,
                                const uint column, const uint x, const bool found, const T k, const uint row) {
    const long outer = (long)block;
    long index_at = OUTPUT_DIMS(d, x, index_offset) + outer * OUTPUT_STRIDES(d, x, index)[0];
    long value_at = OUTPUT_DIMS(d, x, value_offset) + outer * OUTPUT_STRIDES(d, x, value)[0];
#if KEPT == 2
    index_at += (long)column * OUTPUT_STRIDES(d, x, index)[1];
    value_at += (long)column * OUTPUT_STRIDES(d, x, value)[1];
#endif
    put_answer(d, in, TARGET_ARGUMENTS, x, index_at, value_at, d->in_offset + outer * g->size + column, found, row,
               KEY_KNOWN_OF(x, k));
}

#if LANES * OWN > 1
/* Of the rows that are one, the one that column `c` lies in. */
static inline uint row_of(const blocks_t *g, const uint c) {
    uint row = 0;
    for (uint f = 1; f < FUSED; ++f)
        row += c >= f * g->answers;
    return row;
}

/* Work-items whose bests of a vector the one that stores the answer takes one by one; more are reduced before. */
#define REDUCE_FIRST (LANES > 16)
#define SHARES (REDUCE_FIRST ? 1 : LANES)

/* The best of column c of the block whose first vector is number `vector` of this pass. */
static inline candidate_t best_staged(const __local candidate_t *shared, const blocks_t *g, const uint vector, uint c) {
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

KERNEL void blocks(INPUT, TARGET, const dims_t dims, const blocks_t g) {
    __local T tile[GROUP * LOADS * WIDE + BEHIND] __attribute__((aligned(16)));
    FOR_MASK(__local uchar kept_tile[GROUP * LOADS * WIDE + BEHIND] __attribute__((aligned(16)));)
#if LANES * OWN > 1
    __local candidate_t shared[OWN * PLANE];
#endif
    const uint me = (uint)get_local_id(0), slot = me % SLOTS, share = me / SLOTS;
    const uint run = (g.rows + (LANES - 1)) / LANES;
    const uint begin = min(share * run, g.rows), rows = min(run, g.rows - begin);
    EACH_JOB(job) {
        const ulong first = (ulong)job * g.blocks;
        const uint count = (uint)min((ulong)g.blocks, g.outers - first), vectors = count * g.vectors;
        const at_t start = moved(AT_STEPS(INPUT_OFFSET(&dims)), (long)first * STEPS(g.size, dims.mask.kept[0]));
        spot_t staged;
        staged.bits = tile;
#if STAGES_MASK
        staged.kept = kept_tile;
#elif MASKED
        staged.kept = start.kept;
#endif
        stage(start, &g, count * g.size, staged);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint from = 0; from < vectors; from += g.pass) {
            const uint ours = min(g.pass, vectors - from);
            const uint v = from + slot, block = quotient(v, g.per_vectors), column = (v - block * g.vectors) * OWN;
            T keys[EXTREMES][OWN];
            uint at[EXTREMES][OWN];
#if LOAD_SHIFTED
            if (slot < ours && rows)
                fold(spot_in(staged, &dims, &g, block, 0, 0), &dims, begin, rows, g.size, keys, at);
#else
            if (slot < ours)
                fold(spot_in(staged, &dims, &g, block, begin, column), &dims, g.columns, rows, keys, at);
#endif
#if LANES * OWN == 1
            if (slot < ours)
#pragma unroll
                for (uint x = 0; x < EXTREMES; ++x)
                    store_answer(in, TARGET_ARGUMENTS, &dims, &g, first + block, column, x, WINS(keys[x][0], at[x][0]),
                                 keys[x][0], at[x][0]);
#else
#pragma unroll
            for (uint j = 0; j < OWN; ++j) {
                candidate_t best = CANDIDATE_NONE;
                if (slot < ours && rows)
#pragma unroll
                    for (uint x = 0; x < EXTREMES; ++x)
                        if (IS_FOUND(at[x][j]))
                            ONE_OF(best, x) = ONE_CANDIDATE(
                                x, keys[x][j], PLACE_IN_ROW(begin, at[x][j]) * FUSED + row_of(&g, column + j));
#if REDUCE_FIRST
                GROUP_REDUCE(best, shared + j * PLANE, better, share, LANES, SLOTS);
#else
                shared[PLACE(me, j)] = best;
#endif
            }
#if !REDUCE_FIRST
            barrier(CLK_LOCAL_MEM_FENCE);
#endif
            /* Neighbours store neighbouring answers. */
            for (uint o = me; o < ours * OWN / FUSED; o += GROUP) {
                const uint answer = from * OWN / FUSED + o, its = quotient(answer, g.per_answers);
                const uint c = answer - its * g.answers;
                const candidate_t best = best_staged(shared, &g, its * g.vectors - from, c);
#pragma unroll
                for (uint x = 0; x < EXTREMES; ++x) {
                    const one_candidate_t one = ONE_OF(best, x);
                    store_answer(in, TARGET_ARGUMENTS, &dims, &g, first + its, c, x, CANDIDATE_WINS(one),
                                 CANDIDATE_KEY(one), CANDIDATE_PLACE_OF(x, one));
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
