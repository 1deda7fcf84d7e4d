/* Reductions over the rows of a block of neighbouring elements ("columns"), for work-groups of several work-items.
 *
 * A job is a tile of columns and a part of the rows. `across` work-items lie side by side over the tile and `sharing`
 * times as many share its rows. Each remembers the best key of its columns and the iteration that brought it
 * (order.clh); then those that share a column merge in local memory, and so do `inner` columns that belong to one
 * output. Elements of 32 and 64 bits whose rows begin anywhere are loaded one by one, VEC of them; narrower ones:
 *   PHASED   work-items read aligned vectors. Rows may begin anywhere within one, but all rows of a work-item at the
 *            same place, since `sharing` is a multiple of the period; what such a vector has of other columns is left
 *            out when columns merge.
 *   SHIFTED  rows lie at any distances and are no whole vectors: these are shifted out of the words that hold them.
 * Rows that follow each other and are narrow are taken several as one (`fused`), of which the last may be incomplete:
 * its `rest` of rows is accumulated element by element.
 *
 * From the host (options.clh): GROUP, UNROLL (rows in flight), UNWALKED where the last reduced dim is inside the
 * columns, APART where a kept dim is inside that one, RUNS where UNROLL rows of a work-item lie at equal distances. */
#include "options.clh"

#include "families/stream_rows.clh"
#include "workgroup/finish.clh"
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
#define IS_OWN(j) true
#else
#define IS_OWN(j) ((j) >= before)
#endif

/* Of the columns that belong to one output, the one that column c is; the first one of answer a. */
#if APART
#define INNER_OF(c) (mul_hi((c), g.per_apart) - mul_hi(mul_hi((c), g.per_apart), g.per_inner) * g.inner)
#define COLUMN_OF(a) (mul_hi((a), g.per_apart) * g.apart * (g.inner - 1) + (a))
#define INNER_STEP g.apart
#else
#define INNER_OF(c) ((c) - mul_hi((c), g.per_inner) * g.inner)
#define COLUMN_OF(a) ((a) * g.inner)
#define INNER_STEP 1
#endif

/* The place in the part of column c's element of a row, or of those that are fused the one that c is of. */
#define ROW_OF(at, c) (g.fused > 1 ? (at) * g.fused + (c) / g.row : (at))
#if UNWALKED
#define PLACE_OF(at, c) (ROW_OF(at, c) * g.inner + INNER_OF(c))
#else
#define PLACE_OF(at, c) ROW_OF(at, c)
#endif

/* What is found for answer a of the tile, which is one of the block, whose first column is `column`. */
#if SPLIT
#define LEAVE_IN_PART(x, answer, won, k, at)                                                                           \
    partials[PARTIAL_AT(&dims, outer * BLOCK_ANSWERS(g) + (answer), part) * EXTREMES + (x)] = PARTIAL(x, won, k, at)
#endif
#if ONE_WORD
#define LEAVE(x, a, answer, column, won, k, at)                                                                        \
    if (finish.stage == STAGE_BOTH)                                                                                    \
        raise(UNIT_WORDS(unit) + (a), word_for(PARTIAL(x, won, k, at)));                                               \
    else                                                                                                               \
        LEAVE_IN_PART(x, answer, won, k, at)
#elif SPLIT
#define LEAVE(x, a, answer, column, won, k, at) LEAVE_IN_PART(x, answer, won, k, at)
#else
#define LEAVE(x, a, answer, column, won, k, at)                                                                        \
    put_answer(&dims, in, TARGET_ARGUMENTS, x, place.index[x] + (long)(answer) * COLUMN_STEP(&dims, &g, x, index),     \
               place.value[x] + (long)(answer) * COLUMN_STEP(&dims, &g, x, value),                                     \
               OF_INPUT(block) + (long)(column) * COLUMN_STRIDE(&g), won, at, KEY_KNOWN_OF(x, k))
#endif

/* What a column of a tile is left with for its answer: winner of extreme x. */
#define KEEP_WINNER(x, c, key, row)                                                                                    \
    (ONE_OF(shared[SLOT(share, c)], x) = found && IS_FOUND(row) ? ONE_CANDIDATE(x, key, PLACE_OF(row, c)) : ONE_NONE)

KERNEL void stream(INPUT, TARGET, const dims_t dims, const stream_t g FINISH_PARAMETERS) {
    FINISH_TILE_LOCALS
    __local candidate_t shared[VEC * PLANE];
    const uint me = (uint)get_local_id(0);
    const uint share = g.per_across ? mul_hi(me, g.per_across) : me;
    const uint lane = me - share * g.across;
    MERGE_ONLY_TILE(unit, UNIT_FIRST(unit, g), UNIT_COUNT(unit, g))
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
        ulong to;
        const ulong from = part_begin(&g, part, &to);
        const int outer_dims = KEPT - 1 - APART;
        const output_place_t place = output_place(&dims, (job_t)outer, outer_dims);
        const steps_t block = place.in;
        const bool is_there = share < g.sharing && lane * VEC < width + PHASES;
        const bool found = is_there && from + share < to;
        winners_t winners = winners_none(); /* places are of the part */
        uint before;                        /* elements of a vector before the first of its columns of the tile */
        step_t step;
        step.walk = ROW_AT(&dims, &g, from + share);
#if PHASED
        const steps_t to_first = block + (long)first * STEPS(1, dims.mask.along);
        before = (uint)((uintptr_t)(in + OF_INPUT(to_first + step.walk.at)) / sizeof(T) % VEC);
        step.start = AT_STEPS(to_first + ((long)(lane * VEC) - (long)before) * STEPS(1, dims.mask.along));
#else
        /* The last vector of a block is moved back to end with it. */
        const ulong own = first + lane * VEC, column = min(own, g.columns - VEC);
        before = (uint)(own - column);
        step.start = AT_STEPS(block + (long)column * STEPS(COLUMN_STRIDE(&g), dims.mask.along));
#endif
#if CHECKED
        step.inside = inside_of(in, &g);
#endif
        if (found)
            scan(&dims, &g, &step, from + share, to, share, &winners);

#pragma unroll
        for (uint x = 0; x < EXTREMES; ++x) { /* by column, whatever the vectors began with */
            T keys[VEC];
            uint rows[VEC];
            SPREAD(WINNERS_KEY(winners, x), keys);
            SPREAD(WINNERS_PLACE(winners, x), rows);
#pragma unroll
            for (uint j = 0; j < VEC; ++j) {
                const uint c = lane * VEC + j - before;
                if (is_there && c < width && IS_OWN(j))
                    KEEP_WINNER(x, c, keys[j], rows[j]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint rest = part + 1 == g.parts ? g.rest * g.row : 0;
        for (uint c = me; c < rest; c += GROUP) {
            const at_t p = AT_STEPS(block + (long)g.rows * ROW_STEPS(&dims, &g) + (long)c * STEPS(1, dims.mask.along));
            shared[SLOT(0, c)] = better(
                shared[SLOT(0, c)], element_candidate(DATA(p)[0], KEPT_ELEMENT(p), PLACE_OF((uint)(g.rows - from), c)));
        }
        barrier(CLK_LOCAL_MEM_FENCE); /* on a condition, PoCL would compile all that follows twice */
        /* Those that share columns, half as many with each step. */
        for (uint left = g.sharing; left > 1;) {
            const uint to_come = (left + 1) / 2;
            if (share + to_come < left)
                for (uint c = lane; c < width; c += g.across)
                    shared[SLOT(share, c)] = better(shared[SLOT(share, c)], shared[SLOT(share + to_come, c)]);
            barrier(CLK_LOCAL_MEM_FENCE);
            left = to_come;
        }

        /* Rows that are fused, then the columns of each output. One loop: a second one
         * with a barrier took PoCL 3.1 more than eight minutes to compile. */
        for (uint rows = g.fused, inner = UNWALKED ? g.inner : 1; rows > 1 || inner > 1;) {
            const bool of_rows = rows > 1;
            const uint left = of_rows ? rows : inner, to_come = (left + 1) / 2;
            const uint apart = of_rows ? to_come * g.row : to_come * INNER_STEP;
            for (uint c = me; c < width; c += GROUP)
                if (of_rows ? c + apart < left * g.row : INNER_OF(c) + to_come < left)
                    shared[SLOT(0, c)] = better(shared[SLOT(0, c)], shared[SLOT(0, c + apart)]);
            barrier(CLK_LOCAL_MEM_FENCE);
            rows = of_rows ? to_come : 1;
            inner = of_rows ? inner : to_come;
        }

        const uint answers = g.fused > 1 ? ANSWERS(g) : width / g.inner;
        const ulong first_column = g.fused > 1 ? 0 : first, first_answer = first_column / g.inner;
        for (uint a = me; a < answers; a += GROUP)
#pragma unroll
            for (uint x = 0; x < EXTREMES; ++x) {
                const one_candidate_t one = ONE_OF(shared[SLOT(0, COLUMN_OF(a))], x);
                LEAVE(x, a, first_answer + a, first_column + COLUMN_OF(a),
                      CANDIDATE_FOUND(one) && !LOSES(CANDIDATE_KEY(one)), CANDIDATE_KEY(one),
                      from * g.fused * g.inner + CANDIDATE_PLACE_OF(x, one));
            }
        barrier(CLK_LOCAL_MEM_FENCE);
        FINISH_UNIT(unit, MERGE_LEFT(unit, UNIT_FIRST(unit, g), UNIT_COUNT(unit, g)))
    }
}
