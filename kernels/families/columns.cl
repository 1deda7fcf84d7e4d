/* Reductions whose lanes run across neighbouring outputs: the last kept dim ("columns") is the closest in memory, the
 * positions on the reduced dims are its "rows". A job is a tile of columns and a part of the rows (panel.clh).
 *
 * From the host, besides panel.clh: what answers.clh asks for (GROUP 1, columns_alone.clh), and TAIL: work-groups that
 * are done with their parts claim the end of a tile in chunks (tail.clh, columns_shared.clh). */
#include "options.clh"

#include "families/panel.clh"
#include "workgroup/finish.clh"

/* What a job knows of its outputs: addresses at column 0. */
typedef struct {
    output_place_t place;
    ulong out;
#if ATOMIC_PARTIAL
    volatile __global WORD *words; /* of the tile's outputs; NULL where partials are left */
    ulong first;                   /* output of the tile */
#endif
} outer_t;

static inline outer_t outer_at(const dims_t *d, const ulong outer, const ulong columns) {
    outer_t o;
    o.place = output_place(d, (job_t)outer, KEPT - ROW_DIMS - APART);
    o.out = outer * columns;
    return o;
}

/* The input's elements from column 0 to the first one of an answer. */
#if APART
#define ANSWER_AT(g, answer) (((answer) / (g)->apart * ((g)->inner - 1) * (g)->apart + (answer)) * (g)->column_stride)
#else
#define ANSWER_AT(g, answer) ((answer) * (g)->column_stride)
#endif

#if ROW_DIMS > 1 && SPLIT
/* Whether a column of the row has no output, and how many outputs are before it: most rows have no gaps. */
static inline bool is_gap(const dims_t *d, const columns_t *g, const ulong column) {
    const ulong size = d->kept_size[KEPT - 1];
    return g->apart != size && column % g->apart >= size;
}

static inline ulong outputs_before(const dims_t *d, const columns_t *g, const ulong column) {
    const ulong size = d->kept_size[KEPT - 1];
    if (g->apart == size)
        return column;
    const ulong above = column / g->apart;
    return above * size + min(column - above * g->apart, size);
}
#define OUTPUTS_BEFORE(d, g, column) outputs_before((d), (g), (column))
#else
#define OUTPUTS_BEFORE(d, g, column) (column)
#endif

#if ROW_DIMS > 1 && !SPLIT
/* The next column that has an output, that output's place and its row's, outputs left in that row, and rows left along
 * the dim that they lie in. */
typedef struct {
    ulong column, left, rows;
    output_place_t at, row;
} cursor_t;

static inline void cursor_to(cursor_t *c, const dims_t *d, const columns_t *g, const outer_t *o, const ulong column) {
    const ulong size = d->kept_size[KEPT - 1], length = d->kept_size[KEPT - 2];
    const ulong above = column / g->apart, last = column - above * g->apart;
    const bool is_between = last >= size; /* two rows */
    const ulong out = o->out + (above + is_between) * size;
    c->column = is_between ? (above + 1) * g->apart : column;
    c->left = is_between ? size : size - last;
    c->rows = length - out / size % length;
    c->row = output_place(d, (job_t)out, KEPT);
    c->at = c->row;
    move_output(&c->at, d, KEPT - 1, (job_t)(size - c->left));
}
#if FUSED == 1
static inline void next_output(cursor_t *c, const dims_t *d, const columns_t *g, const outer_t *o) {
    const ulong size = d->kept_size[KEPT - 1];
    c->column += 1;
    move_output(&c->at, d, KEPT - 1, 1);
    if (--c->left)
        return;
    c->column += g->apart - size;
    c->left = size;
    if (--c->rows) {
        move_output(&c->row, d, KEPT - 2, 1);
        c->at = c->row;
    } else
        cursor_to(c, d, g, o, c->column);
}
#endif
#endif

#if ROW_DIMS == 1 || FUSED > 1 || SPLIT
/* Store one column's answer of extreme x. */
static inline void store_answer(__global const T *in, TARGET, const dims_t *d, const columns_t *g, const outer_t *o,
                                const ulong part, const ulong column, const uint x, const bool found, const T k,
                                const ulong row) {
#if SPLIT
    (void)in;
    (void)g;
#if ROW_DIMS > 1
    if (is_gap(d, g, column))
        return;
#endif
    const ulong output = OUTPUTS_BEFORE(d, g, column);
#if ATOMIC_PARTIAL
    if (o->words) {
        raise(WORD_AT(o->words, output - o->first, x), word_for(PARTIAL(x, found, k, row)));
        return;
    }
#endif
    partials[PARTIAL_AT(d, o->out + output, part) * EXTREMES + x] = PARTIAL(x, found, k, row);
#elif ROW_DIMS > 1
    cursor_t c;
    cursor_to(&c, d, g, o, column);
    (void)part;
    if (c.column == column)
        put_answer(d, in, TARGET_ARGUMENTS, x, c.at.index[x], c.at.value[x], OF_INPUT(c.at.in), found, row,
                   KEY_KNOWN_OF(x, k));
#else
    const long c = (long)column;
    (void)part;
    put_answer(d, in, TARGET_ARGUMENTS, x, o->place.index[x] + c * COLUMN_STEP(d, g, x, index),
               o->place.value[x] + c * COLUMN_STEP(d, g, x, value), OF_INPUT(o->place.in) + ANSWER_AT(g, c), found, row,
               KEY_KNOWN_OF(x, k));
#endif
}
#endif

/* A unit is a tile of columns: its first output, and how many there are. Of FUSED rows there is one. */
#if INNER
#define ANSWERS_OF(g, columns) ((columns) / (g).inner)
#else
#define ANSWERS_OF(g, columns) (columns)
#endif
#if ROW_DIMS > 1
#define ANSWERS(g) (dims.outputs / (g).outers)
#elif FUSED > 1 && !APART
#define ANSWERS(g) ANSWERS_OF(g, (g).columns - (FUSED - 1) * (g).apart)
#else
#define ANSWERS(g) ANSWERS_OF(g, (g).columns / FUSED) /* size of the last kept dim */
#endif
#define UNIT_WIDTH ANSWERS_OF(g, TILE_COLUMNS(&g))
#define TILE_FIRST(tile) OUTPUTS_BEFORE(&dims, &g, (tile) * UNIT_WIDTH)
#define UNIT_FIRST(unit) ((unit) / g.tiles * ANSWERS(g) + TILE_FIRST((unit) % g.tiles))
#define TILE_COUNT(tile) min(TILE_FIRST((tile) + 1) - TILE_FIRST(tile), ANSWERS(g) - TILE_FIRST(tile))
#define UNIT_COUNT(unit) TILE_COUNT((unit) % g.tiles)

#if GROUP > 1
#include "families/columns_shared.clh"
#else
#include "families/columns_alone.clh"
#endif

/* Answers before a row's first one with which its first line of them would begin; backwards the line's last one is the
 * first. */
#if WHOLE_LINES
static inline ulong before_first(__global const IDX_T *first, const long step) {
    const ulong place = (uintptr_t)first / sizeof(IDX_T) % PIECE;
    return step < 0 ? PIECE - 1 - place : place;
}
#define BEFORE_FIRST(o) before_first(index + (o).place.index[0], g.column_index)
#else
#define BEFORE_FIRST(o) 0
#endif

KERNEL void columns(INPUT, TARGET, const dims_t dims, const columns_t g FINISH_PARAMETERS) {
    FINISH_TILE_LOCALS
#if GROUP > 1
    __local candidate_t shared[VEC * PLANE];
    const uint me = (uint)get_local_id(0);
    const uint share = me / ACROSS;
#if TAIL
    __local uint taken[2];
#endif
#endif
    MERGE_ONLY_TILE(unit, UNIT_FIRST(unit), UNIT_COUNT(unit))
    EACH_JOB(job) {
        const place_t at = place_of(&g, job);
        const ulong tile = at.tile, outer = at.outer, part = SPLIT ? at.part : 0;
#if ONE_LAUNCH
        const ulong unit = outer * g.tiles + tile;
#endif
        outer_t o = outer_at(&dims, outer, ANSWERS(g));
#if ATOMIC_PARTIAL
        o.words = finish.stage == STAGE_BOTH ? PART_WORDS(unit, part) : 0;
        o.first = TILE_FIRST(tile);
#endif
        const ulong column = lane_column(&g, tile) - BEFORE_FIRST(o);
        const int count = lane_vectors(&g, column);
        const ulong from = part * g.part_length;
        const ulong to = min(from + g.part_length, g.rows);
#if GROUP == 1
        scan_and_store(in, AT_STEPS(o.place.in), TARGET_ARGUMENTS, &dims, &g, &o, part, from, to, column, count);
#else
        panel_t panel;
        SCAN_TILE(unit, panel);
        if (column < g.columns && from + share < to)
            stage(&g, column, share, &panel, shared);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint shares = (uint)min((ulong)SHARING, to - from);
#if HELPERS == 1
        store_staged(in, TARGET_ARGUMENTS, &dims, &g, &o, part, from, shares, tile, shared);
#else
        const uint mine = me % WIDTH;
        candidate_t best = CANDIDATE_NONE;
        if (tile * WIDTH + mine < g.columns && me / WIDTH < shares)
            best = best_staged(shared, mine, me / WIDTH, shares);
        barrier(CLK_LOCAL_MEM_FENCE);
        GROUP_REDUCE(best, shared, better, me / WIDTH, HELPERS, WIDTH);
        if (me < WIDTH && tile * WIDTH + mine < g.columns)
            store_best(in, TARGET_ARGUMENTS, &dims, &g, &o, part, tile * WIDTH + mine, best, from);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        FINISH_UNIT(unit, MERGE_LEFT(unit, outer * ANSWERS(g) + TILE_FIRST(tile), TILE_COUNT(tile)))
    }
#if NON_TEMPORAL
    ANSWERS_ARE_LEFT();
#endif
}
