/* Reductions whose lanes run across neighbouring outputs: the last kept dim ("columns") is the closest in memory, the
 * positions on the reduced dims are its "rows". A job is a tile of columns and a part of the rows (strip.clh).
 *
 * From the host, besides strip.clh: what answers.clh asks for (GROUP 1), and TAIL: work-groups that are done with their
 * parts claim the end of a tile in chunks (tail.clh). */
#include "options.clh"

#include "workgroup/finish.clh"
#if TAIL
#include "workgroup/tail.clh"
#endif
#include "families/strip.clh"
#include "workgroup/reduce.clh"

/* What a job knows of its outputs: addresses at column 0. */
typedef struct {
    output_place_t place;
    ulong out;
#if ONE_WORD
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
/* Leave one column's answer of extreme x. */
static inline void leave(__global const T *in, TARGET, const dims_t *d, const columns_t *g, const outer_t *o,
                         const ulong part, const ulong column, const uint x, const bool found, const T k,
                         const ulong row) {
#if SPLIT
    (void)in;
    (void)g;
#if ONE_WORD
    if (o->words) {
        raise(WORD_AT(o->words, column - o->first, x), word_for(PARTIAL(x, found, k, row)));
        return;
    }
#endif
    partials[PARTIAL_AT(d, o->out + column, part) * EXTREMES + x] = PARTIAL(x, found, k, row);
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

#if GROUP > 1
/* The same of all, whose rows count from `from`. */
static inline void leave_best(__global const T *in, TARGET, const dims_t *d, const columns_t *g, const outer_t *o,
                              const ulong part, const ulong column, const candidate_t best, const ulong from) {
#pragma unroll
    for (uint x = 0; x < EXTREMES; ++x) {
        const one_candidate_t c = ONE_OF(best, x);
        leave(in, TARGET_ARGUMENTS, d, g, o, part, column, x, CANDIDATE_WINS(c), CANDIDATE_KEY(c),
              from + CANDIDATE_PLACE_OF(x, c));
    }
}
#endif

/* A unit is a tile of columns: its first output, and how many there are. Of FUSED rows there is one. */
#if UNWALKED
#define ANSWERS_OF(g, columns) ((columns) / (g).inner)
#else
#define ANSWERS_OF(g, columns) (columns)
#endif
#if ROW_DIMS > 1
#define ANSWERS(g) (dims.outputs / (g).outers)
#elif FUSED > 1 && !UNWALKED
#define ANSWERS(g) ((g).columns - (FUSED - 1) * (g).apart)
#else
#define ANSWERS(g) ANSWERS_OF(g, (g).columns / FUSED) /* size of the last kept dim */
#endif
#define UNIT_WIDTH ANSWERS_OF(g, TILE_COLUMNS(&g))
#define UNIT_FIRST(unit) ((unit) / g.tiles * ANSWERS(g) + (unit) % g.tiles * UNIT_WIDTH)
#define TILE_COUNT(tile) min(UNIT_WIDTH, ANSWERS(g) - (tile) * UNIT_WIDTH)
#define UNIT_COUNT(unit) TILE_COUNT((unit) % g.tiles)

#if FUSED > 1 || UNWALKED
/* In the reduction, the first of the rows that are row k here. */
static inline ulong row_of(const columns_t *g, const ulong k) {
#if FUSED > 1
    const ulong segment = segment_of(k, g->segment);
    return segment * g->segment_rows + FIRST_ROW(g, k - segment * g->segment);
#else
    (void)g;
    return k;
#endif
}

#if FUSED > 1
#include "memory/answers.clh"
#define PIECE_LOAD PASTE(vload, PIECE)
#define PIECE_STORE PASTE(vstore, PIECE)

/* The best of the columns that are FUSED times `width` here, but for a last gap, of extreme x, a piece of neighbours at
 * a time, in the first `width` places: of those counted as `at` the key and TIE() of the row, or 0 where there is none.
 * Rows that a segment's last FUSED ones have again are as good in either place. */
static inline void reduce_fused(T *keys, uint *at, const uint x, const uint width, const uint columns) {
    for (uint c = columns; c < FUSED * width + PIECE; ++c) { /* what the last piece reads and nobody asks for */
        keys[c] = 0;
        at[c] = 0;
    }
    for (uint column = 0; column < width; column += PIECE) {
        PIECES(T) best = (PIECES(T))(T)0;
        PIECES(uint) best_tie = (PIECES(uint))0u;
        for (uint j = 0; j < FUSED; ++j) {
            const PIECES(T) k = PIECE_LOAD(0, keys + j * width + column);
            const PIECES(uint) count = PIECE_LOAD(0, at + j * width + column), row = count * FUSED + j;
            PIECES(uint) tie = LAST_OF(x) ? row + 1u : ~row;
#if GENERAL
            tie = IS_FOUND(count) ? tie : (PIECES(uint))0u;
#endif
            const PIECES(SIGNED_T) later = PASTE(convert_, PIECES(SIGNED_T))(tie > best_tie);
            const PIECES(SIGNED_T) won = (k > best) | ((k == best) & later);
            best_tie = PASTE(convert_, PIECES(int))(won) ? tie : best_tie;
            best = max(best, k);
        }
        PIECE_STORE(best, 0, keys + column);
        PIECE_STORE(best_tie, 0, at + column);
    }
}
#define COUNTED_HERE(tie) ((tie) != 0)
#define ROW_COUNTED(g, from, x, tie) (row_of(g, (from) + TIE_PLACE(x, tie) / FUSED) + TIE_PLACE(x, tie) % FUSED)
#else
#define COUNTED_HERE(at) IS_FOUND(at)
#define ROW_COUNTED(g, from, x, at) row_of(g, (from) + (at))
#endif

/* Scan the rows [from, to) of the one lane's strip and leave the answers: the best of the columns of FUSED rows, and of
 * the `inner` columns, that belong to each. */
static inline void scan_and_leave(__global const T *in, const at_t start, TARGET, const dims_t *d, const columns_t *g,
                                  const outer_t *o, const ulong part, const ulong from, const ulong to,
                                  const ulong column, const int count) {
#if FUSED > 1 && !UNWALKED && ROW_DIMS == 1 /* with gaps between rows */
    const uint width = g->apart, answers = (uint)(g->columns - (FUSED - 1) * width);
#else
    const uint width = (uint)(FUSED > 1 ? g->columns / FUSED : min(g->side, g->columns - column));
    const uint answers = UNWALKED ? width / g->inner : width;
#endif
    const uint inner = UNWALKED ? g->inner : 1, apart = APART ? g->apart : 1;
    const ulong first = row_of(g, from), first_answer = column / inner;
    T keys[(STRIP + 1) * VEC];
    uint at[(STRIP + 1) * VEC];
    strip_t strip;
    scan(start, d, g, column, count, from, to, &strip);
#pragma unroll
    for (uint x = 0; x < EXTREMES; ++x) {
        for (int s = 0; s < count; ++s) {
            const ulong start = vector_start(g, column + (ulong)s * VEC);
            if (start >= column) {
                spread(&strip, s, x, keys + (start - column), at + (start - column));
            } else { /* a tile of fewer columns than a vector, which begins in the one before */
                T all_keys[VEC];
                uint all_at[VEC];
                spread(&strip, s, x, all_keys, all_at);
                for (uint j = (uint)(column - start); j < VEC; ++j) {
                    keys[start + j - column] = all_keys[j];
                    at[start + j - column] = all_at[j];
                }
            }
        }
#if FUSED > 1
        reduce_fused(keys, at, x, width, (uint)g->columns);
#endif
        for (uint a = 0, between = 0, its = 0; a < answers; ++a) {
            one_candidate_t best = ONE_NONE;
            for (uint i = 0; i < inner; ++i) {
                const uint place = its + i * apart;
                if (COUNTED_HERE(at[place]))
                    best = one_better(
                        best, ONE_CANDIDATE(x, keys[place], (ROW_COUNTED(g, from, x, at[place]) - first) * inner + i));
            }
            leave(in, TARGET_ARGUMENTS, d, g, o, part, first_answer + a, x, CANDIDATE_WINS(best), CANDIDATE_KEY(best),
                  first * inner + CANDIDATE_PLACE_OF(x, best));
            const bool is_last = ++between == apart; /* before those of the next output of another dim */
            its += is_last ? (inner - 1) * apart + 1 : 1;
            between = is_last ? 0 : between;
        }
    }
}
#elif GROUP == 1
/* Leave a whole vector's answers at once where they lie side by side; false where they do not. */
#if SPLIT || VEC == 1 || GENERAL || ROW_DIMS > 1
#define LEAVE_VECTOR(o, column, keys, at, from) false
#else
#include "memory/answers.clh"
#define SIDE_BY_SIDE(step) ((step) == 1 || (step) == -1)
#if VALUE
/* The values of a piece whose keys are k. */
static inline void leave_values(__global const T *in, __global T *restrict value, const dims_t *d, const columns_t *g,
                                const outer_t *o, const ulong column, const PIECES(T) k, const uint *at,
                                const ulong from) {
    __global T *const first = value + o->place.value[0];
    PASTE(vstore, PIECE)
    (PIECE_ALONG(bits_of_piece(k), g->column_value), 0, PIECE_AT(first, column, g->column_value));
    if (PIECE_TELLS(k))
        return;
    T keys[PIECE];
    PASTE(vstore, PIECE)(k, 0, keys);
    for (int j = 0; j < PIECE; ++j)
        first[((long)column + j) * g->column_value] =
            winner(d, in, OF_INPUT(o->place.in) + ((long)column + j) * g->column_stride, !LOSES(keys[j]), from + at[j],
                   KEY_KNOWN(keys[j]));
}
#endif
#define LEAVE_VECTOR(o, column, keys, at, from)                                                                        \
    leave_vector(in, TARGET_ARGUMENTS, d, g, (o), (column), (keys), (at), (from))
static inline bool leave_vector(__global const T *in, OUTPUTS, const dims_t *d, const columns_t *g, const outer_t *o,
                                const ulong column, const T *keys, const uint *at, const ulong from) {
    if (!SIDE_BY_SIDE(g->column_index))
        return false;
#if VALUE
    if (!SIDE_BY_SIDE(g->column_value))
        return false;
#endif
#pragma unroll
    for (int q = 0; q < VEC; q += PIECE) {
        const PIECES(T) k = PASTE(vload, PIECE)(0, keys + q);
        const PIECES(IDX_T) none = PASTE(as_, PIECES(IDX_T))(PASTE(convert_, PIECES(SIGNED_IDX_T))(NO_WINNERS(k)));
        const PIECES(IDX_T) row = PASTE(convert_, PIECES(IDX_T))(PASTE(vload, PIECE)(0, at + q)) + (IDX_T)from;
        put_piece(PIECE_ALONG(INDEX_OF(IDX_T, d, 0, row) | none, g->column_index),
                  PIECE_AT(index + o->place.index[0], column + q, g->column_index));
#if VALUE
        leave_values(in, value, d, g, o, column + (ulong)q, k, at + q, from);
#else
        (void)in;
        (void)d;
#endif
    }
    return true;
}
#endif

#if ROW_DIMS > 1 && FUSED == 1 && !SPLIT
/* Leave the answers of extreme x of a vector at column `start`, from the cursor on. */
static inline void leave_row(__global const T *in, TARGET, const dims_t *d, const columns_t *g, const outer_t *o,
                             const uint x, const ulong start, const T *keys, const uint *at, const ulong from,
                             cursor_t *c) {
    for (; c->column < start + VEC; next_output(c, d, g, o)) {
        const uint j = (uint)(c->column - start);
        put_answer(d, in, TARGET_ARGUMENTS, x, c->at.index[x], c->at.value[x], OF_INPUT(c->at.in), WINS(keys[j], at[j]),
                   from + at[j], KEY_KNOWN_OF(x, keys[j]));
    }
}
#define CURSORS , cursors
#define CURSORS_PARAMETER , cursor_t *cursors
#else
#define CURSORS
#define CURSORS_PARAMETER
#endif

/* Leave the answers of the one lane's vector s. */
static inline void leave_answers(__global const T *in, TARGET, const dims_t *d, const columns_t *g, const outer_t *o,
                                 const ulong part, const ulong from, const ulong column, const int s,
                                 const strip_t *strip CURSORS_PARAMETER) {
    const ulong own = column + (ulong)s * VEC;
    const ulong start = vector_start(g, own);
    (void)part;
#pragma unroll
    for (uint x = 0; x < EXTREMES; ++x) {
        T keys[VEC];
        uint at[VEC];
        spread(strip, s, x, keys, at);
        /* A last vector that is moved back stores some answers of the one before again, of its own tile. */
        if ((long)start <= (long)own && (long)start >= (long)column && LEAVE_VECTOR(o, start, keys, at, from))
            return;
#if ROW_DIMS > 1 && !SPLIT
        leave_row(in, TARGET_ARGUMENTS, d, g, o, x, start, keys, at, from, &cursors[x]);
#else
        for (int j = 0; j < VEC; ++j)
            if ((long)start + j >= (long)own)
                leave(in, TARGET_ARGUMENTS, d, g, o, part, start + (ulong)j, x, WINS(keys[j], at[j]), keys[j],
                      from + at[j]);
#endif
    }
}

/* Scan the rows [from, to) of the one lane's strip and leave the answers: while the last rows are read, so that the
 * memory has both to do at once. */
static inline void scan_and_leave(__global const T *in, const at_t start, TARGET, const dims_t *d, const columns_t *g,
                                  const outer_t *o, const ulong part, const ulong from, const ulong to,
                                  const ulong column, const int count) {
    strip_t strip;
#if ROW_DIMS > 1 && !SPLIT
    cursor_t cursors[EXTREMES];
    for (uint x = 0; x < EXTREMES; ++x)
        cursor_to(&cursors[x], d, g, o, column);
#endif
#if STRIP == 1
    scan(start, d, g, column, count, from, to, &strip);
#else
    batch_t last;
    const bool is_open = scan_but_last(start, d, g, column, count, from, to, &strip, &last);
#endif
    for (int s = 0; s < count; ++s) {
#if STRIP > 1
        if (is_open && s % PANEL == 0)
            fold(&last, d, g, column, s, &strip.acc[s]);
#endif
        leave_answers(in, TARGET_ARGUMENTS, d, g, o, part, from, column, s, &strip CURSORS);
    }
}
#else
/* Columns of a tile. Where they are fewer than the work-items, HELPERS of these share the candidates of a column. */
#define WIDTH (ACROSS * VEC)
#if GROUP > WIDTH
#define HELPERS (GROUP / WIDTH)
#else
#define HELPERS 1
#endif

/* Bring a lane's candidates to local memory. */
static inline void bring(const columns_t *g, const ulong own, const uint share, const strip_t *strip,
                         __local candidate_t *shared) {
    const uint back = (uint)(own - vector_start(g, own));
#pragma unroll
    for (uint x = 0; x < EXTREMES; ++x) {
        T keys[VEC];
        uint at[VEC];
        spread(strip, 0, x, keys, at);
#pragma unroll
        for (uint j = 0; j < VEC; ++j)
            if (j >= back)
                ONE_OF(shared[PLACE((uint)get_local_id(0), j - back)], x) =
                    IS_FOUND(at[j]) ? ONE_CANDIDATE(x, keys[j], at[j] * SHARING + share) : ONE_NONE;
    }
}

/* The best of those that the lanes of the shares s, s + HELPERS, ... below `end`, at least one, brought for a column of
 * the tile. */
static inline candidate_t best_brought(const __local candidate_t *shared, const uint column, uint s, const uint end) {
    candidate_t best = shared[PLACE(s * ACROSS + column / VEC, column % VEC)];
    for (s += HELPERS; s < end; s += HELPERS)
        best = better(best, shared[PLACE(s * ACROSS + column / VEC, column % VEC)]);
    return best;
}

/* Scan a lane's share of the rows [from, to) of a tile, and of the chunks that its work-group claims. */
#if TAIL
#define SCAN_TILE(unit, strip)                                                                                         \
    do {                                                                                                               \
        ulong row = from, last = to;                                                                                   \
        uint piece, turn = 0;                                                                                          \
        CLAIM_FIRST(unit)                                                                                              \
        do {                                                                                                           \
            scan_on(AT_STEPS(o.place.in), &dims, &g, column, count, row + share, last, (uint)((row - from) / SHARING), \
                    &strip);                                                                                           \
            TAKE(unit, piece, turn)                                                                                    \
            row = g.parts * g.chunk + (ulong)piece * g.tail.piece;                                                     \
            last = min(row + g.tail.piece, g.rows);                                                                    \
            turn ^= 1;                                                                                                 \
        } while (piece < g.tail.pieces);                                                                               \
    } while (0)
#else
#define SCAN_TILE(unit, strip) scan(AT_STEPS(o.place.in), &dims, &g, column, count, from + share, to, &strip)
#endif

#if HELPERS == 1
/* Each lane takes columns one by one, neighbours side by side, and leaves the best of each. */
static inline void leave_brought(__global const T *in, TARGET, const dims_t *d, const columns_t *g, const outer_t *o,
                                 const ulong part, const ulong from, const uint shares, const ulong tile,
                                 const __local candidate_t *shared) {
    const ulong first = tile * WIDTH;
    for (uint c = (uint)get_local_id(0); c < WIDTH && first + c < g->columns; c += GROUP) {
        const candidate_t best = best_brought(shared, c, 0, shares);
        leave_best(in, TARGET_ARGUMENTS, d, g, o, part, first + c, best, from);
    }
}
#endif
#endif

/* What merges the outputs of a tile after the last of its parts. */
#if TAIL
#define MERGE_TILE(unit, first, count)                                                                                 \
    if (me == 0)                                                                                                       \
        SET_BACK(unit);                                                                                                \
    MERGE_LEFT(unit, first, count)
#else
#define MERGE_TILE(unit, first, count) MERGE_LEFT(unit, first, count)
#endif

/* Answers before a row's first one with which its first line of them would begin. */
#if BY_LINES
#define BEFORE_FIRST(o) ((uintptr_t)(index + (o).place.index[0]) / sizeof(IDX_T) % PIECE)
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
#if ONE_WORD
        o.words = finish.stage == STAGE_BOTH ? PART_WORDS(unit, part) : 0;
        o.first = tile * UNIT_WIDTH;
#endif
        const ulong column = lane_column(&g, tile) - BEFORE_FIRST(o);
        const int count = lane_vectors(&g, column);
        const ulong from = part * g.chunk;
        const ulong to = min(from + g.chunk, g.rows);
#if GROUP == 1
        scan_and_leave(in, AT_STEPS(o.place.in), TARGET_ARGUMENTS, &dims, &g, &o, part, from, to, column, count);
#else
        strip_t strip;
        SCAN_TILE(unit, strip);
        if (column < g.columns && from + share < to)
            bring(&g, column, share, &strip, shared);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint shares = (uint)min((ulong)SHARING, to - from);
#if HELPERS == 1
        leave_brought(in, TARGET_ARGUMENTS, &dims, &g, &o, part, from, shares, tile, shared);
#else
        const uint mine = me % WIDTH;
        candidate_t best = CANDIDATE_NONE;
        if (tile * WIDTH + mine < g.columns && me / WIDTH < shares)
            best = best_brought(shared, mine, me / WIDTH, shares);
        barrier(CLK_LOCAL_MEM_FENCE);
        GROUP_REDUCE(best, shared, better, me / WIDTH, HELPERS, WIDTH);
        if (me < WIDTH && tile * WIDTH + mine < g.columns)
            leave_best(in, TARGET_ARGUMENTS, &dims, &g, &o, part, tile * WIDTH + mine, best, from);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        FINISH_UNIT(unit, MERGE_TILE(unit, outer * ANSWERS(g) + tile * UNIT_WIDTH, TILE_COUNT(tile)))
    }
#if PAST
    ANSWERS_ARE_LEFT();
#endif
}
