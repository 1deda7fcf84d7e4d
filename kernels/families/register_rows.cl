/* Rows in the registers of a few work-items: every vector is loaded before the first is looked at.
 *
 * LANES work-items share a row: LOADS vectors each, neighbours side by side. They work on BATCH rows at once, to have
 * enough loads on the way. A job is GROUP / LANES * BATCH rows. Each lane finds the best of its own elements
 * (place.clh), then the lanes reduce (lanes.clh).
 *
 * From the host, besides order.clh and index.clh: GROUP, LANES (powers of two), LOADS, BATCH; EVEN where rows have
 * LANES * LOADS vectors: otherwise lanes behind the end repeat the last one, which changes nothing. LOAD_SHIFTED, of
 * narrow elements: rows begin anywhere, and a lane shifts its share, LOADS words that follow each other, out of the
 * aligned words around it; EVEN where none ends within a word of a lone lane's. REDUCED is 1 and SPLIT 0. Rows of
 * 16-bit elements have fewer than 2^16 elements, of 8-bit ones fewer than 2^24. */
#include "options.clh"

#if REDUCED != 1 || SPLIT
#error "not implemented: several reduced dims, parts"
#endif

#include "accumulate/place.clh"
#include "memory/index.clh"
#include "workgroup/lanes.clh"

#define ROWS (GROUP / LANES)

#if LOAD_SHIFTED
#if VEC * BITS != 32
#error "not implemented: shifted vectors other than words"
#endif
#define SHARE (LOADS * VEC) /* elements of a lane */
/* First element of a lane's share; with several lanes the last one's is moved back to end with the row. */
static inline uint share_start(const uint lane, const register_rows_t *g) {
    return LANES == 1 ? 0 : min(lane * SHARE, g->elements - SHARE);
}
typedef struct {
    uint word[LOADS + 1];
    uint bits;
} share_t;
static inline share_t read_share(__global const T *start, const register_rows_t *g, const bool is_end) {
    share_t share;
    if (is_end) {
        share.bits = share.word[LOADS] = 0;
#pragma unroll
        for (uint i = 0; i < LOADS; ++i) {
            share.word[i] = 0;
#pragma unroll
            for (uint j = 0; j < VEC; ++j)
                share.word[i] |= (uint)start[min(i * VEC + j, g->elements - 1)] << j * BITS;
        }
    } else {
        __global const uint *const word = (__global const uint *)((uintptr_t)start & ~(uintptr_t)3);
        share.bits = (uint)(uintptr_t)start % 4 * 8;
#pragma unroll
        for (uint i = 0; i <= LOADS; ++i)
            share.word[i] = word[i];
    }
    return share;
}
static inline void take_share(const share_t share, const register_rows_t *g, TV bits[LOADS]) {
#pragma unroll
    for (uint i = 0; i < LOADS; ++i) {
        uint word = SHIFTED_WORD(share, i, 0);
#if !EVEN
        if (i + 1 == LOADS) { /* what is behind the row is its last element again */
            const uint end = g->elements % VEC * BITS;
            const uint last = (word >> (end - BITS) & (T)~0u) * (~0u / (T)~0u);
            word = bitselect(last, word, (1u << end) - 1u);
        }
#endif
        bits[i] = AS(T)(word);
    }
    (void)g;
}
#endif

static inline uint vector_of(const uint i, const uint lane, const register_rows_t *g) {
    const uint v = i * LANES + lane;
#if EVEN
    (void)g;
    return v;
#else
    return min(v, g->vectors - 1);
#endif
}

/* First element of row `first` + `more`. */
static inline long row_start(const dims_t *dims, const ulong first, const uint more) {
#if KEPT == 1
    return dims->in_offset + (long)first * dims->kept_in[0] + (long)more * dims->kept_in[0];
#else
    return input_start(dims, first + more);
#endif
}

#if BITS <= 16
#define TIE_BITS (32 - BITS)
#define TIE_MOST ((1u << TIE_BITS) - 1)
#endif

KERNEL void register_rows(__global const T *restrict in, TARGET, const dims_t dims, const register_rows_t g) {
    LANES_SHARED(uint, shared)
#if BITS == 64
    LANES_SHARED(ulong, shared_keys)
#endif
    const uint me = (uint)get_local_id(0);
    const uint lane = me % LANES;
    EACH_JOB(job) {
        TV bits[BATCH][LOADS];
        const ulong row = job * (ROWS * BATCH);
        const uint left = (uint)min((ulong)(ROWS * BATCH), dims.outputs - row);
#if LOAD_SHIFTED
        share_t shares[BATCH];
#pragma unroll
        for (uint b = 0; b < BATCH; ++b) {
            const long start =
                row_start(&dims, row, min(b * ROWS + me / LANES, left - 1)) + (long)share_start(lane, &g);
            shares[b] = read_share(in + start, &g, start < g.whole_from || start > g.whole_to);
        }
#pragma unroll
        for (uint b = 0; b < BATCH; ++b)
            take_share(shares[b], &g, bits[b]);
#else
#pragma unroll
        for (uint b = 0; b < BATCH; ++b) {
            __global const T *start = in + row_start(&dims, row, min(b * ROWS + me / LANES, left - 1));
#pragma unroll
            for (uint i = 0; i < LOADS; ++i)
                bits[b][i] = load(start + vector_of(i, lane, &g) * VEC, 1);
        }
#if NV_PTX /* none is looked at before the last one has come (places.clh) */
        bits[0][0] |= (TV)(T)ALWAYS_ZERO(word_of(&bits[BATCH - 1][LOADS - 1]), &g);
#endif
#endif
#pragma unroll
        for (uint b = 0; b < BATCH; ++b) {
            const uint mine = b * ROWS + me / LANES;
#pragma unroll
            for (uint x = 0; x < EXTREMES; ++x) {
                uint place;
                T k = lane_best(bits[b], x, &place);
#if LOAD_SHIFTED
                const uint at = min(share_start(lane, &g) + place, g.elements - 1);
#else
                const uint at = vector_of(place / VEC, lane, &g) * VEC + place % VEC;
#endif
#if BITS <= 16
                const uint tie = LAST_OF(x) ? at + 1 : TIE_MOST - at;
                uint best = (uint)k << TIE_BITS | tie;
                LANES_MAX(uint, best, shared);
                const uint index_tie = best & TIE_MOST;
                const uint index_found = LAST_OF(x) ? index_tie - 1 : TIE_MOST - index_tie;
                k = (T)(best >> TIE_BITS);
#else
                T top = k;
#if BITS == 64
                LANES_MAX(ulong, top, shared_keys);
#else
                LANES_MAX(uint, top, shared);
#endif
                uint tie = k == top ? TIE(x, at) : 0u;
                LANES_MAX(uint, tie, shared);
                const uint index_found = TIE_PLACE(x, tie);
                k = top;
#endif
                if (lane == 0 && mine < left)
                    put_output(&dims, in, TARGET_ARGUMENTS, x, row + mine, !LOSES(k), index_found, KEY_KNOWN_OF(x, k));
            }
        }
    }
}
