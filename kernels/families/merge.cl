/* Second launch: the partial answers of each output, merged and written. LANES work-items share an output, GROUP /
 * LANES outputs share a work-group. From the host, besides merge.clh: LANES (a power of two up to GROUP). */
#include "options.clh"

#define KNOWS_KEYS 0
#include "workgroup/merge.clh"

#define ROWS (GROUP / LANES)

KERNEL void merge(INPUT, __global const ulong2 *restrict partials, TARGET, const dims_t dims, const merge_t g) {
#if GROUP > 1
    __local partial_t gathered[GROUP];
#endif
    const uint me = (uint)get_local_id(0);
    EACH_JOB(job) {
        const ulong out = job * ROWS + me % ROWS;
        MERGE_OUTPUT(out, out < dims.outputs, g.parts, LANES);
    }
}
