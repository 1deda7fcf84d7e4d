/* Reductions whose closest neighbours lie on a reduced dim that is not the last one, as in arrays stored column by
 * column: the order of memory is not the order of the index.
 *
 * That dim is walked as columns (strip.clh), the other reduced dims as their rows. A column's answer has a row; with
 * the dims' weights it becomes the index in the whole reduction, and all columns of a job become one answer, of a part
 * or of the reduction.
 */
#include "options.clh"

#include "families/strip.clh"
#include "workgroup/finish.clh"
#include "workgroup/reduce.clh"

/* The best of this lane's columns as a partial answer. */
static inline partial_t fold_strip(const strip_t *strip, const dims_t *dims, const columns_t *g, const weights_t *w,
                                   const ulong column, const int count, const ulong first_row) {
    partial_t best = PARTIAL_NONE;
    for (int s = 0; s < count; ++s) {
        const ulong start = vector_start(g, column + (ulong)s * (ACROSS * VEC));
#pragma unroll
        for (uint x = 0; x < EXTREMES; ++x) {
            T keys[VEC];
            uint at[VEC];
            spread(strip, s, x, keys, at);
            for (int j = 0; j < VEC; ++j) {
                if (!WINS(keys[j], at[j]) || keys[j] < (T)PARTIAL_OF(best, x).x)
                    continue;
                const ulong row = first_row + (ulong)at[j] * SHARING;
                const ulong index = (ulong)(unravel(row, REDUCED_COUNT(*dims), dims->reduced_size, w->row) +
                                            (long)(start + (ulong)j) * w->column);
                PARTIAL_OF(best, x) = one_better_partial(PARTIAL_OF(best, x), PARTIAL(x, true, keys[j], index));
            }
        }
    }
    return best;
}

KERNEL void permuted(INPUT, TARGET, const dims_t dims, const columns_t g, const weights_t w FINISH_PARAMETERS) {
    FINISH_LOCALS
#if GROUP > 1
    REDUCE_SPACE(partial_t, shared, GROUP)
#endif
    const uint me = (uint)get_local_id(0);
    const uint share = me / ACROSS;
    EACH_JOB(job) {
        const place_t at = place_of(&g, job);
        const ulong tile = at.tile, out = at.outer, part = at.part;
        const ulong column = lane_column(&g, tile);
        const ulong from = part * g.chunk + share;
        const ulong to = min(part * g.chunk + g.chunk, g.rows);
        const int count = from < to ? lane_vectors(&g, column) : 0;
        strip_t strip;
        scan(AT_STEPS(input_start(&dims, out)), &dims, &g, column, count, from, to, &strip);
        partial_t best = fold_strip(&strip, &dims, &g, &w, column, count, from);
#if GROUP > 1
        REDUCE_NEIGHBOURS(best, shared, better_partial, me, GROUP);
#endif
#if SPLIT
        FINISH_OUTPUT(out, part * g.tiles + tile, best, NOTHING)
#else
        if (me == 0)
            for (uint x = 0; x < EXTREMES; ++x) {
                const ulong2 p = PARTIAL_OF(best, x);
                put_output(&dims, in, TARGET_ARGUMENTS, x, out, p.y != 0, READ_TIE_INDEX(x, p.y),
                           KEY_KNOWN_OF(x, (T)p.x));
            }
#endif
    }
    MERGE_ONLY(unit, MERGE_ONE(unit))
}
