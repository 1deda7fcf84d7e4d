/* Second stage: the partial answers of each output, merged and written.
 *
 * A partial is (key, tie), compared lexicographically; (0, 0) is "no winner" (index.clh). LANES work-items share an
 * output, GROUP / LANES outputs share a work-group. The merge is the same in any grouping, so the geometry of the first
 * stage does not show in the answer. From the host, besides index.clh: T, LAST, GROUP, LANES (powers of two). */
#include "index.clh"
#include "meet.clh"

#define ROWS (GROUP / LANES)

typedef struct {
    ulong jobs, jobs_per_group, parts;
} merge_t;

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void merge(__global const T *restrict in,
                                                                       __global const ulong2 *restrict partials, TARGET,
                                                                       const dims_t dims, const merge_t g) {
#if LANES > 1
    __local ulong2 shared[GROUP];
#endif
    const uint me = (uint)get_local_id(0);
    const uint lane = me % LANES;
    const ulong first = (ulong)get_group_id(0) * g.jobs_per_group;
    const ulong last = min(first + g.jobs_per_group, g.jobs);
    for (ulong job = first; job < last; ++job) {
        const ulong out = job * ROWS + me / LANES;
        ulong2 best = (ulong2)(0, 0);
        if (out < dims.outputs)
            for (ulong part = lane; part < g.parts; part += LANES)
                best = better_partial(best, partials[out * g.parts + part]);
#if LANES > 1
        MEET(best, shared, better_partial, lane, LANES, 1);
#endif
        if (lane == 0 && out < dims.outputs)
            put_output(&dims, in, TARGET_ARGUMENTS, out, best.y != 0, WIDE_TIE_INDEX(best.y));
    }
}
