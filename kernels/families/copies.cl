/* Last launch, where answers lie in the workspace: of all outputs along kept dims that have neither the input nor the
 * mask move, one was computed; others have another order than the input. This puts them into each. One launch for each
 * output tensor, whose elements are T, however wide these are.
 *
 * The dims are those of the tensor, KEPT of them, the nearest last; work-items side by side share runs of a row along
 * that one. */
#include "options.clh"

#include "memory/index.clh"

KERNEL void copies(__global const T *restrict answers, __global T *restrict all, const copies_t g) {
    const uint me = (uint)get_local_id(0), mine = me / g.lanes, lane = me - mine * g.lanes;
    EACH_JOB(job) {
        const ulong run = job * (GROUP / g.lanes) + mine;
        if (run < g.runs) {
            ulong row = divide(run, g.row_runs, g.per_row_runs);
            const ulong begin = (run - row * g.row_runs) * g.length, first = begin + lane;
            const ulong end = min(begin + g.length, g.size[KEPT - 1]);
            const long step = g.stride[KEPT - 1], along = g.from[KEPT - 1];
            long to = g.offset, from = g.answers;
#pragma unroll
            for (int d = KEPT - 2; d >= 0; --d) {
                const ulong above = divide(row, g.size[d], g.per_size[d]), at = row - above * g.size[d];
                to += (long)at * g.stride[d];
                from += (long)at * g.from[d];
                row = above;
            }
            if (along == 0) {
                const T same = answers[from];
                for (ulong x = first; x < end; x += g.lanes)
                    all[to + (long)x * step] = same;
            } else {
                for (ulong x = first; x < end; x += g.lanes)
                    all[to + (long)x * step] = answers[from + (long)x * along];
            }
        }
    }
}
