/* Reductions over the rows of a block of neighbouring elements ("columns"), for work-groups of several work-items.
 *
 * A job is a tile of columns and a part of the rows. `across` work-items lie side by side over the tile and `sharing`
 * times as many share its rows. Each remembers the best key of its columns and the iteration that brought it
 * (order.clh); then those that share a column merge in local memory, and so do `inner` neighbouring columns that belong
 * to one output. No width and no beginning makes loads narrow:
 *   PHASED       work-items read aligned vectors. Rows may begin anywhere within one, but all rows of a work-item at
 *                the same place, since `sharing` is a multiple of the period; what such a vector has of other columns
 *                is left out when columns merge.
 *   LOAD_SHIFTED few rows of narrow elements: words that begin at any element (vector.clh).
 * Rows that follow each other and are narrow are taken several as one (`fused`), of which the last may be incomplete:
 * its `rest` of rows is accumulated element by element.
 *
 * From the host (options.clh): GROUP, UNROLL (rows in flight), STRIP (vectors of a work-item, which
 * lie `across` vectors apart), ONE_BATCH where rows are few and nobody shares a column, UNWALKED 1
 * where the last reduced dim is inside the columns, RUNS where UNROLL rows of a work-item lie at equal distances, TAIL:
 * work-groups that are done with their parts claim the end of a tile in chunks (tail.clh). */
#include "options.clh"

#include "workgroup/finish.clh"
#if TAIL
#include "workgroup/tail.clh"
#endif
#include "families/stream_rows.clh"
#include "workgroup/reduce.clh"

/* A tile's outputs, of which a block has `answers`. */
#define ANSWERS(g) ((g).row / (g).inner)
#define TILE_ANSWERS(g) ((g).fused > 1 ? ANSWERS(g) : (g).width / (g).inner)
#define UNIT_FIRST(unit, g) ((unit) / (g).tiles * BLOCK_ANSWERS(g) + (unit) % (g).tiles * TILE_ANSWERS(g))
#define BLOCK_ANSWERS(g) ((g).columns / (g).fused / (g).inner)
#define UNIT_COUNT(unit, g) min((ulong)TILE_ANSWERS(g), BLOCK_ANSWERS(g) - (unit) % (g).tiles * TILE_ANSWERS(g))

/* The candidate of a column in local memory, for each of those that share it. */
#define SLOT(share, c) (((c) % VEC) * PLANE + (share) * g.across + (c) / VEC)

/* Elements that a vector may begin before a tile. */
#if PHASED
#define PHASES (VEC - 1)
#else
#define PHASES 0
#endif

/* Whether component j is this vector's own, and none that the one beside has. */
#if PHASED
#define IS_OWN(j, s) true
#else
#define IS_OWN(j, s) ((j) >= before[s])
#endif

/* The place of a row of the part, of those that are fused the one that column c is of. */
#define PLACE_OF(at, c) (g.fused > 1 ? (at) * g.fused + (c) / g.row : (at))

/* In one batch there are so few rows that one is told by a byte, and keys matter to values, to parts, and to columns
 * that belong to one output. */
#define NO_ROW 255
#define KEEPS_KEYS (VALUE || MAX_VALUE || SPLIT || UNWALKED)
#define AT_ONCE (ONE_BATCH && VEC == 1 && !UNWALKED) /* what a work-item has found is an answer */
#if KEEPS_KEYS
#define FOUND_KEY(x, c) found_keys[x][c]
#else
#define FOUND_KEY(x, c) ((T)0)
#endif

/* What is found for an answer of the block. */
#if SPLIT
#define LEAVE(x, answer, won, k, at)                                                                                   \
    partials[PARTIAL_AT(&dims, outer * BLOCK_ANSWERS(g) + (answer), part) * EXTREMES + (x)] = PARTIAL(x, won, k, at)
#else
#if BOTH
#define COLUMN_STEP(x, what) ((x) ? dims.maximum.column_##what : g.column_##what)
#else
#define COLUMN_STEP(x, what) g.column_##what
#endif
#define LEAVE(x, answer, won, k, at)                                                                                   \
    put_answer(&dims, in, TARGET_ARGUMENTS, x, index_at[x] + (long)(answer) * COLUMN_STEP(x, index),                   \
               value_at[x] + (long)(answer) * COLUMN_STEP(x, value),                                                   \
               OF_INPUT(block) + (long)(answer) * (long)g.inner * COLUMN_STRIDE(&g), won, at, KEY_KNOWN_OF(x, k))
#endif

#if TAIL
#define SCAN_TILE(unit)                                                                                                \
    do {                                                                                                               \
        ulong row = from, last = to;                                                                                   \
        uint piece, turn = 0;                                                                                          \
        bool is_first = true;                                                                                          \
        CLAIM_FIRST(unit)                                                                                              \
        do {                                                                                                           \
            if (is_there) {                                                                                            \
                scan(&dims, &g, &step, row + share, last, from, is_first, winners);                                    \
                is_first = is_first && row + share >= last;                                                            \
            }                                                                                                          \
            TAKE(unit, piece, turn)                                                                                    \
            row = g.parts * g.chunk + (ulong)piece * g.tail.piece;                                                     \
            last = min(row + g.tail.piece, g.rows);                                                                    \
            turn ^= 1;                                                                                                 \
        } while (piece < g.tail.pieces);                                                                               \
        found = !is_first;                                                                                             \
    } while (0)
#define MERGE_TILE(unit, first, count)                                                                                 \
    if (me == 0)                                                                                                       \
        SET_BACK(unit);                                                                                                \
    MERGE_UNIT(first, count)
#else
#define SCAN_TILE(unit)                                                                                                \
    do {                                                                                                               \
        found = is_there && from + share < to;                                                                         \
        if (found)                                                                                                     \
            scan(&dims, &g, &step, from + share, to, from, true, winners);                                             \
    } while (0)
#define MERGE_TILE(unit, first, count) MERGE_UNIT(first, count)
#endif

/* What a column of a tile is left with for its answer: winner of extreme x. */
#if ONE_BATCH && KEEPS_KEYS
#define KEEP_WINNER(x, c, key, row) (found_rows[x][c] = LOSES(key) ? NO_ROW : (uchar)(row), found_keys[x][c] = (key))
#elif ONE_BATCH
#define KEEP_WINNER(x, c, key, row) (found_rows[x][c] = LOSES(key) ? NO_ROW : (uchar)(row))
#else
#define KEEP_WINNER(x, c, key, row)                                                                                    \
    (ONE_OF(shared[SLOT(share, c)], x) = found && IS_ROW(row) ? ONE_CANDIDATE(x, key, PLACE_OF(row, c)) : ONE_NONE)
#endif

KERNEL void stream(INPUT, TARGET, const dims_t dims, const stream_t g FINISH_PARAMETERS) {
    FINISH_LOCALS
#if !ONE_BATCH
    __local candidate_t shared[VEC * PLANE];
#elif !AT_ONCE
    __local uchar found_rows[EXTREMES][STRIP * VEC * GROUP];
#if KEEPS_KEYS
    __local T found_keys[EXTREMES][STRIP * VEC * GROUP];
#endif
#endif
#if TAIL
    __local uint taken[2];
#endif
    const uint me = (uint)get_local_id(0);
    const uint share = g.per_across ? mul_hi(me, g.per_across) : me;
    const uint lane = me - share * g.across;
    EACH_JOB(job) {
        const job_t above = divide(job, (job_t)g.tiles, g.per_tiles);
        const ulong tile = job - above * (job_t)g.tiles;
        const ulong part = divide(above, (job_t)g.outers, g.per_outers);
        const ulong outer = above - (job_t)part * (job_t)g.outers;
#if ONE_LAUNCH
        const ulong unit = outer * g.tiles + tile;
#endif
        const ulong first = tile * g.width;
        const uint width = (uint)min((ulong)g.width, g.columns - first);
        const ulong from = part * g.chunk;
        const ulong to = min(from + g.chunk, g.rows);
        const int outer_dims = KEPT_COUNT(dims) - 1;
        const steps_t block = INPUT_OFFSET(&dims) + UNRAVEL_STEPS(outer, outer_dims, &dims, kept);
#if !SPLIT
        long index_at[EXTREMES], value_at[EXTREMES];
#pragma unroll
        for (uint x = 0; x < EXTREMES; ++x) {
            index_at[x] = OUTPUT_DIMS(&dims, x, index_offset) +
                          unravel(outer, outer_dims, dims.kept_size, OUTPUT_STRIDES(&dims, x, index));
            value_at[x] = OUTPUT_DIMS(&dims, x, value_offset) +
                          unravel(outer, outer_dims, dims.kept_size, OUTPUT_STRIDES(&dims, x, value));
        }
#endif
        const bool is_there = share < g.sharing && lane * VEC < width + PHASES;
        bool found;
        winners_t winners[STRIP];
        uint before[STRIP]; /* elements of a vector before the first of its columns of the tile */
        step_t step;
#if PHASED
        const steps_t row_start = row_place(&dims, &g, walk_to(from + share, g.segment));
        const steps_t to_first = block + (long)first * STEPS(1, dims.mask.along);
        before[0] = (uint)((uintptr_t)(in + OF_INPUT(to_first + row_start)) / sizeof(T) % VEC);
        step.start[0] = AT_STEPS(to_first + ((long)(lane * VEC) - (long)before[0]) * STEPS(1, dims.mask.along));
#else
#pragma unroll
        for (int s = 0; s < STRIP; ++s) {
            /* The last vector of a block is moved back to end with it. */
            const ulong own = first + (s * g.across + lane) * VEC, column = min(own, g.columns - VEC);
            before[s] = (uint)(own - column);
            step.start[s] = AT_STEPS(block + (long)column * STEPS(COLUMN_STRIDE(&g), dims.mask.along));
        }
#endif
#ifdef MAY_REACH_OUT
        step.inside = inside_of(in, &g);
#endif
#pragma unroll
        for (int s = 0; s < STRIP; ++s)
            winners[s] = WINNERS_NONE;
        SCAN_TILE(unit);

#if AT_ONCE
#pragma unroll
        for (uint s = 0; s < STRIP; ++s) {
            const uint a = s * g.across + lane;
            if (is_there && a < width)
#pragma unroll
                for (uint x = 0; x < EXTREMES; ++x) {
                    const T k = WINNERS_KEY(winners[s], x);
                    LEAVE(x, first + a, WINS(winners[s], x, k), k, from + WINNERS_ROW(winners[s], x));
                }
        }
#else
        /* By column, whatever the vectors began with. */
#pragma unroll
        for (int s = 0; s < STRIP; ++s) {
#pragma unroll
            for (uint x = 0; x < EXTREMES; ++x) {
                T keys[VEC];
                uint rows[VEC];
                SPREAD(WINNERS_KEY(winners[s], x), keys);
                SPREAD(WINNERS_ROW(winners[s], x), rows);
#pragma unroll
                for (uint j = 0; j < VEC; ++j) {
                    const uint c = (s * g.across + lane) * VEC + j - before[s];
                    if (is_there && c < width && IS_OWN(j, s))
                        KEEP_WINNER(x, c, keys[j], rows[j]);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if ONE_BATCH
        /* Neighbours leave neighbouring answers. */
#if UNWALKED
        for (uint a = me; a < width / g.inner; a += GROUP) {
            candidate_t best = CANDIDATE_NONE;
            for (uint i = 0; i < g.inner; ++i) {
                const uint c = a * g.inner + i;
                if (found_rows[0][c] != NO_ROW)
                    best = better(best, CANDIDATE(found_keys[0][c], found_rows[0][c] * g.inner + i));
            }
            LEAVE(0, first / g.inner + a, CANDIDATE_FOUND(best), CANDIDATE_KEY(best),
                  from * g.inner + CANDIDATE_PLACE(best));
        }
#else
        for (uint a = me; a < width; a += GROUP)
#pragma unroll
            for (uint x = 0; x < EXTREMES; ++x)
                LEAVE(x, first + a, found_rows[x][a] != NO_ROW, FOUND_KEY(x, a), from + found_rows[x][a]);
#endif
#else
        if (g.rest && part + 1 == g.parts) {
            for (uint c = me; c < g.rest * g.row; c += GROUP) {
                const at_t p =
                    AT_STEPS(block + (long)g.rows * ROW_STEPS(&dims, &g) + (long)c * STEPS(1, dims.mask.along));
                shared[SLOT(0, c)] = better(shared[SLOT(0, c)], element_candidate(DATA(p)[0], KEPT_ELEMENT(p),
                                                                                  PLACE_OF((uint)(g.rows - from), c)));
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        /* Those that share columns, half as many with each step. */
        for (uint left = g.sharing; left > 1;) {
            const uint to_come = (left + 1) / 2;
            if (share + to_come < left)
                for (uint c = lane; c < width; c += g.across)
                    shared[SLOT(share, c)] = better(shared[SLOT(share, c)], shared[SLOT(share + to_come, c)]);
            barrier(CLK_LOCAL_MEM_FENCE);
            left = to_come;
        }

        for (uint left = g.fused; left > 1;) {
            const uint to_come = (left + 1) / 2, moved = to_come * g.row;
            for (uint c = me; c < (left - to_come) * g.row; c += GROUP)
                shared[SLOT(0, c)] = better(shared[SLOT(0, c)], shared[SLOT(0, c + moved)]);
            barrier(CLK_LOCAL_MEM_FENCE);
            left = to_come;
        }

        const uint answers = g.fused > 1 ? ANSWERS(g) : g.inner > 1 ? width / g.inner : width;
        const ulong first_answer = g.fused > 1 ? 0 : g.inner > 1 ? first / g.inner : first;
        for (uint a = me; a < answers; a += GROUP) {
            candidate_t best = shared[SLOT(0, a * g.inner)];
            if (g.inner > 1) {
                best = CANDIDATE_NONE;
                for (uint i = 0; i < g.inner; ++i)
#pragma unroll
                    for (uint x = 0; x < EXTREMES; ++x) {
                        const one_candidate_t one = ONE_OF(shared[SLOT(0, a * g.inner + i)], x);
                        if (CANDIDATE_FOUND(one))
                            ONE_OF(best, x) =
                                one_better(ONE_OF(best, x), ONE_CANDIDATE(x, CANDIDATE_KEY(one),
                                                                          CANDIDATE_PLACE_OF(x, one) * g.inner + i));
                    }
            }
#pragma unroll
            for (uint x = 0; x < EXTREMES; ++x) {
                const one_candidate_t one = ONE_OF(best, x);
                LEAVE(x, first_answer + a, CANDIDATE_FOUND(one) && !LOSES(CANDIDATE_KEY(one)), CANDIDATE_KEY(one),
                      from * g.fused * g.inner + CANDIDATE_PLACE_OF(x, one));
            }
        }
#endif
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        FINISH_UNIT(unit, MERGE_TILE(unit, UNIT_FIRST(unit, g), UNIT_COUNT(unit, g)))
    }
    MERGE_ONLY(unit, MERGE_UNIT(UNIT_FIRST(unit, g), UNIT_COUNT(unit, g)))
}
