/* Reductions whose lanes run across neighbouring outputs: the last kept dim ("columns") is the closest in memory.
 *
 * A job is a tile of columns and a part of the reduction ("rows" here: positions on the reduced dims). ACROSS lanes lie
 * side by side over the columns, GROUP / ACROSS lanes share the rows of a column. A lane holds STRIP vectors of VEC
 * columns: on a GPU one, in registers; on a CPU a strip as wide as a page, kept in cache, so that UNROLL rows are
 * folded into an accumulator for one load and store of it. Rows are counted by the accumulator (order.clh); a block's
 * end turns counts into row numbers, so the index costs nothing inside.
 *
 * From the host, besides order.clh and index.clh: GROUP, ACROSS (powers of two), STRIP, UNROLL, and ONE_BLOCK where no
 * accumulator counts more rows than it can. */
#include "order.clh"
#include "index.clh"

#define SHARING (GROUP / ACROSS)
#define BLOCK (ITERATIONS_MAX / UNROLL * UNROLL) /* rows that an accumulator counts */

#ifdef LOAD_STRIDED
#define COLUMN_STRIDE(g) ((g)->column_stride)
#else
#define COLUMN_STRIDE(g) 1
#endif

/* What stays the same for every job. */
typedef struct {
    ulong jobs, jobs_per_group, parts;
    ulong rows, chunk;   /* rows of a column, of a part */
    ulong columns, tiles; /* size of the last kept dim, tiles that cover it */
    ulong outers;        /* outputs / columns */
    ulong segment;       /* size of the last reduced dim */
    long stride;         /* input stride of the last reduced dim */
    long column_stride, column_index, column_value; /* strides of the last kept dim: input, outputs. Here too, since
                                                       Mesa 22.3 crashes on dims.kept_index[dims.kept_count - 1] */
} columns_t;

/* Per column the best key and its row, counted from the part's first one in steps of SHARING. */
#if BITS <= 16 && !defined(ONE_BLOCK)
#define LONG_BLOCKS /* an accumulator counts fewer rows than a part may have */
#endif
typedef struct {
    acc_t acc[STRIP];
#ifdef LONG_BLOCKS
    TV best[STRIP];
    VECTOR(uint) at[STRIP];
#endif
} strip_t;

#ifdef LONG_BLOCKS
#define STRIP_KEY(strip, s) ((strip)->best[s])
#define STRIP_AT(strip, s) ((strip)->at[s])
/* Take a finished block's winners where they are better: blocks come in rising order. */
static inline void close_block(strip_t *strip, const int count, const uint block) {
    for (int s = 0; s < count; ++s) {
        const TV k = ACC_KEY(strip->acc[s]);
        const VECTOR(uint) at = ACC_AT(strip->acc[s]) + block;
        if (block == 0) {
            strip->best[s] = k;
            strip->at[s] = at;
        } else {
#if VEC == 1
            const int won = LAST ? k >= strip->best[s] : k > strip->best[s];
            strip->at[s] = won ? at : strip->at[s];
#else
            const VECTOR(SIGNED_T) won = LAST ? k >= strip->best[s] : k > strip->best[s];
            strip->at[s] = CONVERT(int)(won) ? at : strip->at[s];
#endif
            strip->best[s] = max(strip->best[s], k);
        }
        strip->acc[s] = ACC_EMPTY;
    }
}
#else
#define STRIP_KEY(strip, s) ACC_KEY((strip)->acc[s])
#define STRIP_AT(strip, s) ACC_AT((strip)->acc[s])
#endif

/* First column of a vector: the last one of a dim is moved back to end with it. */
static inline ulong vector_start(const columns_t *g, const ulong column) { return min(column, g->columns - VEC); }

/* Fold rows r, r + SHARING, ... below `end` of `count` vectors from `column` on into the strip. */
static inline void scan(__global const T *start, const dims_t *dims, const columns_t *g, const ulong column, const int count,
                 const ulong r, const ulong end, strip_t *strip) {
    const walk_t by = walk_to(SHARING, g->segment);
    walk_t w = walk_to(r, g->segment);
    const uint rows = r < end ? (uint)((end - r + (SHARING - 1)) / SHARING) : 0;
    for (int s = 0; s < count; ++s)
        strip->acc[s] = ACC_EMPTY;
    for (uint block = 0; block < rows; block += BLOCK) {
        const uint size = min(rows - block, (uint)BLOCK);
        uint k = 0;
        for (; k + UNROLL <= size; k += UNROLL) {
            __global const T *row[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                row[u] = start + segment_start(dims, w) + (long)w.x * g->stride;
                walk_on(&w, by, g->segment);
            }
            for (int s = 0; s < count; ++s) {
                const long at = (long)vector_start(g, column + (ulong)s * (ACROSS * VEC)) * COLUMN_STRIDE(g);
                TV bits[UNROLL];
                acc_t acc = strip->acc[s];
#pragma unroll
                for (int u = 0; u < UNROLL; ++u)
                    bits[u] = load(row[u] + at, COLUMN_STRIDE(g));
#pragma unroll
                for (int u = 0; u < UNROLL; ++u)
                    ACC_STEP(acc, bits[u], k + (uint)u);
                strip->acc[s] = acc;
            }
        }
        for (; k < size; ++k) {
            __global const T *row = start + segment_start(dims, w) + (long)w.x * g->stride;
            walk_on(&w, by, g->segment);
            for (int s = 0; s < count; ++s) {
                const long at = (long)vector_start(g, column + (ulong)s * (ACROSS * VEC)) * COLUMN_STRIDE(g);
                ACC_STEP(strip->acc[s], load(row + at, COLUMN_STRIDE(g)), k);
            }
        }
#ifdef LONG_BLOCKS
        close_block(strip, count, block);
#endif
    }
}

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
static inline void leave(__global const T *in, TARGET, const dims_t *d, const columns_t *g, const outer_t *o, const ulong part,
                  const ulong column, const T k, const ulong row) {
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
#define LEAVE_VECTOR(o, column, k, at, from) false
#else
#define LEAVE_VECTOR(o, column, k, at, from) leave_vector(index, &g, (o), (column), (k), (at), (from))
static inline bool leave_vector(__global IDX_T *restrict index, const columns_t *g, const outer_t *o, const ulong column,
                                const TV k, const VECTOR(uint) at, const ulong from) {
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

#if VEC == 1
#define SPREAD(vector, array) ((array)[0] = (vector))
#else
#define SPREAD(vector, array) PASTE(vstore, VEC)((vector), 0, (array))
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
        const ulong column = (tile * (STRIP * ACROSS) + me % ACROSS) * VEC;
        const ulong from = part * g.chunk;
        const ulong to = min(from + g.chunk, g.rows);
        const outer_t o = outer_at(&dims, outer, g.columns);
        int count = 0;
        if (column < g.columns)
            count = (int)min((ulong)STRIP, (g.columns - column + (ACROSS * VEC - 1)) / (ACROSS * VEC));
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
            if (start == own && LEAVE_VECTOR(&o, own, STRIP_KEY(&strip, s), STRIP_AT(&strip, s), from))
                continue;
            T keys[VEC];
            uint at[VEC];
            if (s < count) {
                SPREAD(STRIP_KEY(&strip, s), keys);
                SPREAD(STRIP_AT(&strip, s), at);
            }
            for (int j = 0; j < VEC; ++j) {
#if SHARING > 1
                candidate_t best = CANDIDATE_NONE;
                if (s < count && !empty)
                    best = CANDIDATE(keys[j], at[j] * SHARING + share);
                shared[me] = best;
                barrier(CLK_LOCAL_MEM_FENCE);
                for (uint reach = SHARING / 2; reach > 0; reach /= 2) {
                    if (share < reach)
                        shared[me] = better(shared[me], shared[me + reach * ACROSS]);
                    barrier(CLK_LOCAL_MEM_FENCE);
                }
                best = shared[me];
                barrier(CLK_LOCAL_MEM_FENCE);
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
