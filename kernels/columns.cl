/* Reductions whose lanes run across neighbouring outputs: the last kept dim ("columns") is the closest in memory, the
 * positions on the reduced dims are its "rows". A job is a tile of columns and a part of the rows (strip.clh). */
#include "finish.clh"
#include "strip.clh"

/* What a job knows of its outputs: addresses at column 0. */
typedef struct {
    long in, index, value; /* elements */
    ulong out;
} outer_t;

static inline outer_t outer_at(const dims_t *d, const ulong outer, const ulong columns) {
    const int count = KEPT_COUNT(*d) - 1;
    outer_t o;
    o.in = d->in_offset + unravel(outer, count, d->kept_size, d->kept_in);
    o.index = d->index_offset + unravel(outer, count, d->kept_size, d->kept_index);
    o.value = d->value_offset + unravel(outer, count, d->kept_size, d->kept_value);
    o.out = outer * columns;
    return o;
}

/* Leave one column's answer. */
static inline void leave(__global const T *in, TARGET, const dims_t *d, const columns_t *g, const outer_t *o,
                         const ulong part, const ulong column, const T k, const ulong row) {
    const bool found = !LOSES(k);
#if SPLIT
    (void)in;
    (void)g;
    partials[PARTIAL_AT(d, o->out + column, part)] = PARTIAL(found, k, row);
#else
    const long c = (long)column;
    (void)part;
    put_answer(d, in, TARGET_ARGUMENTS, o->index + c * g->column_index, o->value + c * g->column_value,
               o->in + c * g->column_stride, found, row);
#endif
}

/* A unit is a tile of columns: its first output, and how many there are. */
#define UNIT_WIDTH ((ulong)STRIP * ACROSS * VEC)
#define UNIT_FIRST(unit) ((unit) / g.tiles * g.columns + (unit) % g.tiles * UNIT_WIDTH)
#define UNIT_COUNT(unit) min(UNIT_WIDTH, g.columns - (unit) % g.tiles * UNIT_WIDTH)

#if GROUP == 1
/* Leave a whole vector's answers at once where they lie side by side; false where they do not. */
#if SPLIT || VALUE || VEC == 1
#define LEAVE_VECTOR(o, column, k, at, from) false
#else
#define LEAVE_VECTOR(o, column, k, at, from) leave_vector(index, g, (o), (column), (k), (at), (from))
static inline bool leave_vector(__global IDX_T *restrict index, const columns_t *g, const outer_t *o,
                                const ulong column, const TV k, const VECTOR(uint) at, const ulong from) {
    if (g->column_index != 1)
        return false;
    VECTOR(IDX_T) answer = CONVERT(IDX_T)(at) + (IDX_T)from;
#if defined(KIND_FLOAT) && IGNORE_NAN
    answer |= AS(IDX_T)(CONVERT(SIGNED_IDX_T)(LOSES(k)));
#else
    (void)k;
#endif
    PASTE(vstore, VEC)(answer, 0, index + o->index + (long)column);
    return true;
}
#endif

/* Leave the answers of the one lane's strip. */
static inline void leave_strip(__global const T *in, TARGET, const dims_t *d, const columns_t *g, const outer_t *o,
                               const ulong part, const ulong from, const ulong column, const int count,
                               const strip_t *strip) {
    for (int s = 0; s < count; ++s) {
        const ulong own = column + (ulong)s * VEC;
        const ulong start = vector_start(g, own);
        if (start == own && LEAVE_VECTOR(o, own, STRIP_KEY(strip, s), STRIP_AT(strip, s), from))
            continue;
        T keys[VEC];
        uint at[VEC];
        SPREAD(STRIP_KEY(strip, s), keys);
        SPREAD(STRIP_AT(strip, s), at);
        for (int j = 0; j < VEC; ++j)
            if (start + (ulong)j >= own)
                leave(in, TARGET_ARGUMENTS, d, g, o, part, start + (ulong)j, keys[j], from + at[j]);
    }
}
#else
/* A place for the candidate of each lane and component. Neighbouring columns are written by one lane and read by
 * neighbouring ones; the shift spreads both over the banks of local memory. */
#define PLANE (GROUP + 16 / VEC)
#define PLACE(lane, component) ((component) * PLANE + (lane))

/* The lanes bring their candidates to local memory; then each takes columns one by one, neighbours side by side, finds
 * the best of those who shared the column, and leaves it. */
static inline void meet_and_leave(__global const T *in, TARGET, const dims_t *d, const columns_t *g, const outer_t *o,
                                  const ulong part, const ulong from, const ulong to, const ulong tile,
                                  const strip_t *strip, __local candidate_t *shared) {
    const uint me = (uint)get_local_id(0);
    const uint share = me / ACROSS;
    const ulong own = lane_column(tile);
    if (own < g->columns && from + share < to) {
        const uint moved = (uint)(own - vector_start(g, own));
        T keys[VEC];
        uint at[VEC];
        SPREAD(STRIP_KEY(strip, 0), keys);
        SPREAD(STRIP_AT(strip, 0), at);
#pragma unroll
        for (uint j = 0; j < VEC; ++j)
            if (j >= moved)
                shared[PLACE(me, j - moved)] = CANDIDATE(keys[j], at[j] * SHARING + share);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint shares = (uint)min((ulong)SHARING, to - from);
    const ulong first = tile * (ACROSS * VEC);
    for (uint c = me; c < ACROSS * VEC && first + c < g->columns; c += GROUP) {
        candidate_t best = shared[PLACE(c / VEC, c % VEC)];
        for (uint s = 1; s < shares; ++s)
            best = better(best, shared[PLACE(s * ACROSS + c / VEC, c % VEC)]);
        leave(in, TARGET_ARGUMENTS, d, g, o, part, first + c, CANDIDATE_KEY(best), from + CANDIDATE_PLACE(best));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
columns(__global const T *restrict in, TARGET, const dims_t dims, const columns_t g FINISH_PARAMETERS) {
    FINISH_LOCALS
#if GROUP > 1
    __local candidate_t shared[VEC * PLANE];
#endif
    MERGE_ONLY(unit, UNIT_FIRST(unit), UNIT_COUNT(unit))
    const uint share = (uint)get_local_id(0) / ACROSS;
    const ulong first = (ulong)get_group_id(0) * g.jobs_per_group;
    const ulong last = min(first + g.jobs_per_group, g.jobs);
    for (ulong job = first; job < last; ++job) {
        const ulong tile = job % g.tiles;
        const ulong outer = (job / g.tiles) % g.outers;
        const ulong part = SPLIT ? job / g.tiles / g.outers : 0;
        const ulong column = lane_column(tile);
        const int count = lane_vectors(&g, column);
        const ulong from = part * g.chunk;
        const ulong to = min(from + g.chunk, g.rows);
        const outer_t o = outer_at(&dims, outer, g.columns);
        strip_t strip;
        scan(in + o.in, &dims, &g, column, count, from + share, to, &strip);
#if GROUP > 1
        meet_and_leave(in, TARGET_ARGUMENTS, &dims, &g, &o, part, from, to, tile, &strip, shared);
#else
        leave_strip(in, TARGET_ARGUMENTS, &dims, &g, &o, part, from, column, count, &strip);
#endif
        FINISH_JOB(job % (g.tiles * g.outers), outer * g.columns + tile * UNIT_WIDTH, UNIT_COUNT(tile))
    }
}
