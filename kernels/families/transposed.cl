/* Reductions of blocks of a few elements: BLOCK_ROWS rows of COLUMNS columns without gaps, which follow each other in
 * memory along the other kept dims, or along some of them in runs; a block of one column is a row of the input. The
 * last reduced dim has a block's rows; along the others the blocks come again, in layers at any distance.
 *
 * A work-item takes VEC blocks at once. It loads them as memory lies and transposes them in its registers: then each
 * vector has the same element of all of them, and rows are reduced with no step that goes across a vector. The answers
 * go the same way back. Up to PANEL such vectors of blocks are read of a layer before the next one.
 *
 * From the host, besides order.clh, index.clh and answers.clh: BLOCK_ROWS and COLUMNS; STEP, the rows that are reduced
 * at once, VEC elements of a block or all of fewer, at least; PANEL. There are VEC blocks at least, and a signed
 * element can tell a place in the reduction. GROUP is 1, SPLIT 0. */
#include "options.clh"

#if VEC == 1 || VEC > 16 || GROUP > 1 || SPLIT
#error "not implemented: one block at once, several work-items, parts"
#endif
#if REDUCED == 1 && PANEL > 1
#error "not implemented: PANEL without layers"
#endif

#define BY_SELECT 1 /* a place beside each key: no more is compared */
#include "memory/answers.clh"
#include "memory/index.clh"
#include "order/order.clh"

#define ELEMENTS (BLOCK_ROWS * COLUMNS) /* of a block */
#define BITS_OF_VEC (VEC == 2 ? 1 : VEC == 4 ? 2 : VEC == 8 ? 3 : 4)
#define PLACES_T VECTOR(SIGNED_T)
#if REDUCED == 1
#define LAYERS(g) 1
#else
#define LAYERS(g) (g)->layers
#endif

/* A processor interleaves within 16 bytes in one operation, and across them in two: so each half of a longer vector has
 * blocks of its own. BLOCKS are in a half, or in all of a shorter one. CHUNK elements of a block are transposed at
 * once.
 */
#define HALVES (VEC * BITS > 128)
#define BLOCKS (HALVES ? VEC / 2 : VEC)
#define BITS_OF_BLOCKS (HALVES ? BITS_OF_VEC - 1 : BITS_OF_VEC)
#define CHUNK (ELEMENTS < BLOCKS ? ELEMENTS : BLOCKS)

/* Of two vectors one element each by turns, from the first or the second half of both, or of their halves: written out
 * for these, since compilers know that as one operation. SWAPPED has the other one first. */
#if !HALVES
#define SWAPPED(v) ((TV)((v).hi, (v).lo))
#elif VEC == 4
#define HALF 2
#define FIRST_ONES(a, b) ((TV)((a).s0, (b).s0, (a).s2, (b).s2))
#define SECOND_ONES(a, b) ((TV)((a).s1, (b).s1, (a).s3, (b).s3))
#define SWAPPED(v) (v).s1032
#elif VEC == 8
#define HALF 4
#define FIRST_ONES(a, b) ((TV)((a).s0, (b).s0, (a).s1, (b).s1, (a).s4, (b).s4, (a).s5, (b).s5))
#define SECOND_ONES(a, b) ((TV)((a).s2, (b).s2, (a).s3, (b).s3, (a).s6, (b).s6, (a).s7, (b).s7))
#define SWAPPED(v) (v).s23016745
#else
#define HALF 8
#define FIRST_ONES(a, b)                                                                                               \
    ((TV)((a).s0, (b).s0, (a).s1, (b).s1, (a).s2, (b).s2, (a).s3, (b).s3, (a).s8, (b).s8, (a).s9, (b).s9, (a).sa,      \
          (b).sa, (a).sb, (b).sb))
#define SECOND_ONES(a, b)                                                                                              \
    ((TV)((a).s4, (b).s4, (a).s5, (b).s5, (a).s6, (b).s6, (a).s7, (b).s7, (a).sc, (b).sc, (a).sd, (b).sd, (a).se,      \
          (b).se, (a).sf, (b).sf))
#define SWAPPED(v) (v).s45670123cdef89ab
#endif

/* An element of CHUNK ones of BLOCKS blocks stands at number block * CHUNK + element, in each half. Interleaving the
 * first half of all with the second one makes the highest bit of that block the lowest one of the number; once for each
 * bit, and the number is element * BLOCKS + block. */
static inline void transpose(TV v[CHUNK]) {
#pragma unroll
    for (int bit = 0; bit < BITS_OF_BLOCKS; ++bit) {
        TV from[CHUNK];
#pragma unroll
        for (int i = 0; i < CHUNK; ++i)
            from[i] = v[i];
#pragma unroll
        for (int i = 0; i < CHUNK; ++i) {
            const TV a = from[i / 2], other = from[(CHUNK + i) / 2];
#if CHUNK % 2
            const TV b = SWAPPED(other);
#else
            const TV b = other;
#endif
#if HALVES
            v[i] = i % 2 ? SECOND_ONES(a, b) : FIRST_ONES(a, b);
#else
            v[i].even = i % 2 ? a.hi : a.lo;
            v[i].odd = i % 2 ? b.hi : b.lo;
#endif
        }
    }
}

#define HALF_AT(p) LOAD_VECTOR(__global, T, HALF, (p))
/* CHUNK elements from p on, and of the VEC - 1 blocks that follow. */
static inline void load_chunk(__global const T *p, TV v[CHUNK]) {
    const int apart = CHUNK == ELEMENTS ? BLOCKS : ELEMENTS;
#pragma unroll
    for (int i = 0; i < CHUNK; ++i)
#if HALVES
        v[i] = (TV)(HALF_AT(p + i * apart), HALF_AT(p + i * apart + BLOCKS * ELEMENTS));
#else
        v[i] = load(p + i * apart, 1);
#endif
}

static inline PLACES_T places_of(const acc_t acc) {
    const PLACES_T at = AS(SIGNED_T)(acc.at);
#if KIND_FLOAT && IGNORE_NAN
    return at | (ACC_KEY(acc) < (TV)LOWEST_KEY);
#else
    return at;
#endif
}

/* The compiler must know a loop's bounds and an index as soon as it sees them: else both stay, over memory. */
#define IS_NEW(i) (from + (i) >= done)

/* Fold STEP rows of VEC blocks, of which the first has row r at p. As much as that is asked for from `later` on. */
static inline void fold_rows(__global const T *p, const uintptr_t later, const uint r, acc_t acc[COLUMNS]) {
    (void)later;
#pragma unroll
    for (int done = 0; done < STEP * COLUMNS; done += CHUNK) {
        /* The last one is moved back to end with the rows. */
        const int from = done < STEP * COLUMNS - CHUNK ? done : STEP * COLUMNS - CHUNK;
        TV v[CHUNK];
#if PREFETCH_DISTANCE
#pragma unroll
        for (int i = 0; i < CHUNK; ++i)
            if (IS_NEW(i) && LINE_STARTS(from + i))
                PREFETCH_FAR(later + (uintptr_t)((from + i) * VECTOR_BYTES));
#endif
        load_chunk(p + from, v);
        transpose(v);
#pragma unroll
        for (int i = 0; i < CHUNK; ++i)
            if (IS_NEW(i))
                ACC_STEP(acc[(from + i) % COLUMNS], v[i], r + (uint)((from + i) / COLUMNS));
    }
}

/* Fold VEC blocks from p on, whose first rows have that place, column by column; what lies `ahead` elements later is
 * asked for. The last rows are moved back to end with the block: what is reduced twice, in its order, changes nothing.
 */
static inline void fold(__global const T *p, const uint place, const long ahead, acc_t acc[COLUMNS]) {
    for (uint done = 0; done < BLOCK_ROWS; done += STEP) {
        const uint r = min(done, (uint)(BLOCK_ROWS - STEP));
#if PREFETCH_DISTANCE
        const uintptr_t later = FROM(p, (long)(done * COLUMNS * VEC) + ahead);
#else
        const uintptr_t later = 0;
        (void)ahead;
#endif
        fold_rows(p + r * COLUMNS, later, place + r, acc);
    }
}

/* From the first layer to this one. */
static inline long layer_at(const dims_t *d, const uint layer) {
    const int count = REDUCED - 1;
    return count ? unravel(layer, count, d->reduced_size, d->reduced_in) : 0;
}

/* Elements to what is asked for: PREFETCH_DISTANCE bytes are read before it, so that it lies in a later layer, of this
 * panel or of another; those behind a run's end are taken to follow it. */
static inline long ahead_of(const dims_t *d, const transposed_t *g, const uint layer) {
#if REDUCED == 1 || !PREFETCH_DISTANCE
    (void)d;
    (void)g;
    (void)layer;
    return PREFETCH_DISTANCE * 8 / BITS;
#else
    const uint later = layer + g->prefetch_layers, panels = later / (uint)g->layers;
    return layer_at(d, later - panels * (uint)g->layers) - layer_at(d, layer) +
           (long)panels * (long)(g->job_vectors * VEC * ELEMENTS);
#endif
}

/* The best of `vectors` times VEC blocks; the last ones are moved back by `back` to end with the run. */
static inline void fold_layers(__global const T *p, const dims_t *d, const transposed_t *g, const uint vectors,
                               const ulong back, acc_t acc[PANEL][COLUMNS]) {
    for (uint s = 0; s < vectors; ++s)
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c)
            acc[s][c] = ACC_EMPTY;
    for (uint layer = 0; layer < LAYERS(g); ++layer) {
        __global const T *const first = p + layer_at(d, layer);
        const long ahead = ahead_of(d, g, layer);
        for (uint s = 0; s < vectors; ++s) {
            acc_t own[COLUMNS];
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c)
                own[c] = acc[s][c];
            fold(first + ((ulong)s * VEC - (s + 1 == vectors ? back : 0)) * ELEMENTS, layer * BLOCK_ROWS, ahead, own);
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c)
                acc[s][c] = own[c];
        }
    }
}

#if VALUE
/* The values at these places of a column of VEC blocks from p on, whose keys are k. */
static inline TV values_of(__global const T *p, const dims_t *d, const TV k, const PLACES_T places) {
    const TV bits = bits_of_piece(k);
    if (PIECE_TELLS(k))
        return bits;
    T each[VEC];
    SIGNED_T at[VEC];
    SPREAD(T, bits, each);
    SPREAD(SIGNED_T, places, at);
    for (int b = 0; b < VEC; ++b)
        if (at[b] >= 0)
            each[b] = p[b * ELEMENTS + layer_at(d, (uint)at[b] / BLOCK_ROWS) + (uint)at[b] % BLOCK_ROWS * COLUMNS];
    return JOINED(T, each);
}
#endif

#if COLUMNS > 1
/* The other way, from column * VEC + block: what stands at even numbers before what stands at odd ones. */
static inline void transpose_back(PLACES_T v[COLUMNS]) {
#define EVERY_SECOND(i) ((i) < COLUMNS ? from[(i) % COLUMNS].even : from[(i) % COLUMNS].odd)
#pragma unroll
    for (int bit = 0; bit < BITS_OF_VEC; ++bit) {
        PLACES_T from[COLUMNS];
#pragma unroll
        for (int i = 0; i < COLUMNS; ++i)
            from[i] = v[i];
#pragma unroll
        for (int i = 0; i < COLUMNS; ++i) {
            v[i].lo = EVERY_SECOND(2 * i);
            v[i].hi = EVERY_SECOND(2 * i + 1);
        }
    }
}
#else
#define transpose_back(v) ((void)(v))
#endif

/* Kept dims besides the columns. */
#define OUTERS (KEPT - (COLUMNS > 1))
#define ONE_OUTER (KEPT == 1 + (COLUMNS > 1))

/* From the output of block 0 to that of this one. */
#if ONE_OUTER
#define BLOCK_AT(d, g, block, what) ((long)(block) * (g)->block_##what)
#else
#define BLOCK_AT(d, g, block, what) unravel((block), OUTERS, (d)->kept_size, (d)->kept_##what)
#endif

/* The indices told of these places. */
static inline VECTOR(IDX_T) answers_of(const dims_t *d, const PLACES_T places) {
    const VECTOR(IDX_T) answers = AS(IDX_T)(CONVERT(SIGNED_IDX_T)(places));
    (void)d;
#if REVERSED || REPEATED
    return INDEX_OF(IDX_T, d, 0, answers) | AS(IDX_T)(CONVERT(SIGNED_IDX_T)(places < (PLACES_T)0));
#else
    return answers;
#endif
}

/* Whether VEC blocks from `first` on are in one step of all dims but their last. */
#if ONE_OUTER
#define IN_A_ROW(g, first) ((void)(first), true)
#else
#define IN_A_ROW(g, first) ((first) % (g)->length + VEC <= (g)->length)
#endif

/* Store the answers of the blocks from `first` on where they lie as the blocks do, or backwards; false where they do
 * not. */
#define AS_BLOCKS(g, step, what) ((g)->block_##what == COLUMNS * (step) && (g)->column_##what == (step))
static inline bool store_together(OUTPUTS, const dims_t *d, const transposed_t *g, const ulong first,
                                  PLACES_T places[COLUMNS], PLACES_T values[COLUMNS]) {
    const long step = g->column_index >> 63 | 1; /* no condition: docs/quirks.md */
#if VALUE
    if (!AS_BLOCKS(g, step, value))
        return false;
#endif
    if (!AS_BLOCKS(g, step, index) || !IN_A_ROW(g, first))
        return false;
    __global IDX_T *const first_index = index + d->index_offset + BLOCK_AT(d, g, first, index);
    transpose_back(places);
#pragma unroll
    for (int i = 0; i < COLUMNS; ++i)
        put_piece(PIECE_ALONG(answers_of(d, places[i]), step), PIECE_AT(first_index, i * VEC, step));
#if VALUE
    __global T *const first_value = value + d->value_offset + BLOCK_AT(d, g, first, value);
    transpose_back(values);
#pragma unroll
    for (int i = 0; i < COLUMNS; ++i)
        STORE_VECTOR(__global, T, VEC, PIECE_ALONG(AS(T)(values[i]), step), PIECE_AT(first_value, i * VEC, step));
#else
    (void)values;
#endif
    return true;
}

#if COLUMNS > 1
/* The same where those of each column lie side by side, or backwards. */
static inline bool store_columns(OUTPUTS, const dims_t *d, const transposed_t *g, const ulong first,
                                 const PLACES_T places[COLUMNS], const PLACES_T values[COLUMNS]) {
    const long step = g->block_index >> 63 | 1; /* no condition: docs/quirks.md */
#if VALUE
    if (g->block_value != step)
        return false;
#endif
    if (g->block_index != step || !IN_A_ROW(g, first))
        return false;
    __global IDX_T *const first_index = index + d->index_offset + BLOCK_AT(d, g, first, index);
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c)
        put_piece(PIECE_ALONG(answers_of(d, places[c]), step), PIECE_AT(first_index + c * g->column_index, 0, step));
#if VALUE
    __global T *const first_value = value + d->value_offset + BLOCK_AT(d, g, first, value);
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c)
        STORE_VECTOR(__global, T, VEC, PIECE_ALONG(AS(T)(values[c]), step),
                     PIECE_AT(first_value + c * g->column_value, 0, step));
#else
    (void)values;
#endif
    return true;
}
#endif

/* Store the answers of a column of VEC blocks, of which the first `before` are another's; the first one lies at element
 * `start`. Most blocks are one step of the last of their dims behind the one before. */
static inline void store_answer(__global const T *in, TARGET, const dims_t *d, const transposed_t *g, const long start,
                                const ulong first, const uint before, const int column, const PLACES_T places,
                                const TV values) {
    long index_at = 0, value_at = 0;
    SIGNED_T at[VEC];
    T bits[VEC];
    SPREAD(SIGNED_T, places, at);
    SPREAD(T, values, bits);
    for (uint b = before, left = 0; b < VEC; ++b, --left) {
        const ulong block = first + b;
        if (left == 0) {
            left = (uint)min(g->length - block % g->length, (ulong)VEC);
            index_at = d->index_offset + BLOCK_AT(d, g, block, index);
            value_at = d->value_offset + BLOCK_AT(d, g, block, value);
#if COLUMNS > 1
            index_at += column * g->column_index;
            value_at += column * g->column_value;
#endif
        }
        put_answer(d, in, TARGET_ARGUMENTS, 0, index_at, value_at, start + (long)b * ELEMENTS + column, at[b] >= 0,
                   (ulong)at[b], true, bits[b]);
        index_at += g->block_index;
        value_at += g->block_value;
    }
}

/* Store the answers of VEC blocks from number `first`, element `start`, on; the first `before` are another's. */
static inline void store_blocks(__global const T *in, TARGET, const dims_t *d, const transposed_t *g, const long start,
                                const ulong first, const uint before, const acc_t acc[COLUMNS]) {
    PLACES_T places[COLUMNS], values[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
        places[c] = places_of(acc[c]);
#if VALUE
        values[c] = AS(SIGNED_T)(values_of(in + start + c, d, ACC_KEY(acc[c]), places[c]));
#else
        values[c] = places[c];
#endif
    }
    if (before == 0 && store_together(TARGET_ARGUMENTS, d, g, first, places, values))
        return;
#if COLUMNS > 1
    if (before == 0 && store_columns(TARGET_ARGUMENTS, d, g, first, places, values))
        return;
#endif
    for (int c = 0; c < COLUMNS; ++c)
        store_answer(in, TARGET_ARGUMENTS, d, g, start, first, before, c, places[c], AS(T)(values[c]));
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void transposed(__global const T *restrict in, TARGET,
                                                                            const dims_t dims, const transposed_t g) {
    EACH_JOB(job) {
        const uint panel = PANEL == 1 ? 1 : g.job_vectors;
        const ulong run = g.outer_dims ? divide(job, g.tiles, g.per_tiles) : 0;
        const ulong first = (job - run * g.tiles) * (panel * VEC), left = g.blocks - first;
        const uint vectors = PANEL == 1 ? 1 : (uint)min((left + VEC - 1) / VEC, (ulong)panel);
        /* The last blocks of a run are moved back to end with it: of those, only what is new is left. */
        const uint back = left < vectors * VEC ? vectors * VEC - (uint)left : 0;
        long start = dims.in_offset + (long)first * ELEMENTS;
        if (run)
            start += unravel(run, (int)g.outer_dims, dims.kept_size, dims.kept_in);
        acc_t acc[PANEL][COLUMNS];
        fold_layers(in + start, &dims, &g, vectors, back, acc);
        for (uint s = 0; s < vectors; ++s) {
            const uint before = s + 1 == vectors ? back : 0;
            const long at = (long)(s * VEC) - (long)before;
            store_blocks(in, TARGET_ARGUMENTS, &dims, &g, start + at * ELEMENTS, run * g.blocks + first + (ulong)at,
                         before, acc[s]);
        }
    }
    ANSWERS_ARE_LEFT();
}
