/* Reductions whose lanes run across neighbouring outputs: the last kept dim ("columns") is the closest in memory, the
 * positions on the reduced dims are its "rows". A job is a tile of columns and a part of the rows (strip.clh). */
#include "meet.clh"
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
    (void)d;
    partials[(o->out + column) * g->parts + part] = PARTIAL(found, k, row);
#else
    const long c = (long)column;
    (void)part;
    put_answer(d, in, TARGET_ARGUMENTS, o->index + c * g->column_index, o->value + c * g->column_value,
               o->in + c * g->column_stride, found, row);
#endif
}

/* Leave a whole vector's answers at once where they lie side by side; false where they do not. */
#if SPLIT || VALUE || VEC == 1 || SHARING > 1
#define LEAVE_VECTOR(o, column, keys, at, from) false
#else
#define LEAVE_VECTOR(o, column, keys, at, from) leave_vector(index, &g, (o), (column), (keys), (at), (from))
#if VEC > 16
#define PIECE 16
#else
#define PIECE VEC
#endif
#define PIECES(type) PASTE(type, PIECE)
static inline bool leave_vector(__global IDX_T *restrict index, const columns_t *g, const outer_t *o,
                                const ulong column, const T *keys, const uint *at, const ulong from) {
    if (g->column_index != 1)
        return false;
    for (int q = 0; q < VEC; q += PIECE) {
        PIECES(IDX_T) answer = PASTE(convert_, PIECES(IDX_T))(PASTE(vload, PIECE)(0, at + q)) + (IDX_T)from;
#if defined(KIND_FLOAT) && IGNORE_NAN
        const PIECES(SIGNED_T) none = PASTE(vload, PIECE)(0, keys + q) < (PIECES(T))LOWEST_KEY;
        answer |= PASTE(as_, PIECES(IDX_T))(PASTE(convert_, PIECES(SIGNED_IDX_T))(none));
#else
        (void)keys;
#endif
        PASTE(vstore, PIECE)(answer, 0, index + o->index + (long)column + q);
    }
    return true;
}
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void columns(__global const T *restrict in, TARGET,
                                                                         const dims_t dims, const columns_t g) {
#if SHARING > 1
    __local candidate_t shared[GROUP];
#endif
    const uint me = (uint)get_local_id(0);
    const uint share = me / ACROSS;
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
#if SHARING > 1
        const bool empty = from + share >= to;
        for (int s = 0; s < STRIP; ++s) {
#else
        for (int s = 0; s < count; ++s) {
#endif
            const ulong own = column + (ulong)s * (ACROSS * VEC);
            const ulong start = s < count ? vector_start(&g, own) : 0;
            T keys[VEC];
            uint at[VEC];
            if (s < count)
                spread(&strip, s, keys, at);
            if (start == own && LEAVE_VECTOR(&o, own, keys, at, from))
                continue;
            for (int j = 0; j < VEC; ++j) {
#if SHARING > 1
                candidate_t best = CANDIDATE_NONE;
                if (s < count && !empty)
                    best = CANDIDATE(keys[j], at[j] * SHARING + share);
                MEET(best, shared, better, share, SHARING, ACROSS);
                if (share == 0 && s < count && start + (ulong)j >= own)
                    leave(in, TARGET_ARGUMENTS, &dims, &g, &o, part, start + (ulong)j, CANDIDATE_KEY(best),
                          from + CANDIDATE_PLACE(best));
#else
                if (start + (ulong)j >= own)
                    leave(in, TARGET_ARGUMENTS, &dims, &g, &o, part, start + (ulong)j, keys[j], from + at[j]);
#endif
            }
        }
    }
}
