/* Rows in the registers of a few work-items: every vector is loaded before the first is looked at.
 *
 * LANES work-items share a row: LOADS vectors each, neighbours side by side. They work on BATCH rows at once, to have
 * enough loads on the way. A job is GROUP / LANES * BATCH rows. Each lane finds the best of its own elements
 * (place.clh), then the lanes reduce (lanes.clh).
 *
 * From the host, besides order.clh and index.clh: GROUP, LANES (powers of two), LOADS, BATCH; EVEN where rows have
 * LANES * LOADS vectors: otherwise lanes behind the end repeat the last one, which changes nothing. REDUCED is 1 and
 * SPLIT 0. Rows of 16-bit elements have fewer than 2^16 elements, of 8-bit ones fewer than 2^24. */
#include "options.clh"

#if REDUCED != 1 || SPLIT
#error "not implemented: several reduced dims, parts"
#endif

#include "accumulate/place.clh"
#include "memory/index.clh"
#include "workgroup/lanes.clh"

#define ROWS (GROUP / LANES)

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
#pragma unroll
        for (uint b = 0; b < BATCH; ++b) {
            __global const T *start = in + row_start(&dims, row, min(b * ROWS + me / LANES, left - 1));
#pragma unroll
            for (uint i = 0; i < LOADS; ++i)
                bits[b][i] = load(start + vector_of(i, lane, &g) * VEC, 1);
        }
#pragma unroll
        for (uint b = 0; b < BATCH; ++b) {
            const uint mine = b * ROWS + me / LANES;
#pragma unroll
            for (uint x = 0; x < EXTREMES; ++x) {
                uint place;
                T k = lane_best(bits[b], x, &place);
                const uint at = vector_of(place / VEC, lane, &g) * VEC + place % VEC;
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
