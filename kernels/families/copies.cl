/* Last launch, where kept dims have neither the input nor the mask move: all their outputs are the same, so that one of
 * them was computed, at position 0 of each such dim, and the others are copied from it. One launch for each output
 * tensor, whose elements are T, however wide these are.
 *
 * The dims are those of the tensor, KEPT of them, the nearest last; a work-item has a piece of a row along that one. */
#include "options.clh"

#include "memory/index.clh"

/* Whether positions along dim d are copies of position 0. */
#define IS_COPIED(d) ((g.copied >> (d)) & 1)

KERNEL void copies(__global T *all, const copies_t g) {
    const uint me = (uint)get_local_id(0);
    EACH_JOB(job) {
        const ulong piece = job * GROUP + me;
        if (piece < g.pieces) {
            ulong row = divide(piece, g.row_pieces, g.per_row_pieces);
            const ulong first = (piece - row * g.row_pieces) * g.length;
            long to = g.offset, from = g.offset; /* the row, and the one that is known */
#pragma unroll
            for (int d = KEPT - 2; d >= 0; --d) {
                const ulong above = divide(row, g.size[d], g.per_size[d]);
                const long steps = (long)(row - above * g.size[d]) * g.stride[d];
                to += steps;
                from += IS_COPIED(d) ? 0 : steps;
                row = above;
            }
            const long step = g.stride[KEPT - 1];
            const ulong end = min(first + g.length, g.size[KEPT - 1]);
            if (IS_COPIED(KEPT - 1)) {
                const T known = all[from];
                for (ulong x = to == from ? max(first, 1ul) : first; x < end; ++x)
                    all[to + (long)x * step] = known;
            } else if (to != from) {
                for (ulong x = first; x < end; ++x)
                    all[to + (long)x * step] = all[from + (long)x * step];
            }
        }
    }
}
