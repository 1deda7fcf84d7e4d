/* Reductions over the rows of a block of neighbouring elements ("columns"), for work-groups of several work-items.
 *
 * A job is a tile of columns and a part of the rows. `across` work-items lie side by side over the tile and `sharing`
 * times as many share its rows. Each remembers the best key of its columns and the iteration that had it
 * (order.clh); then those that share a column merge in local memory, and so do `inner` columns that belong to one
 * output. Elements of 32 and 64 bits whose rows begin anywhere are loaded one by one, VEC of them; narrower ones:
 *   PHASED   work-items read aligned vectors. Rows may begin anywhere within one, but all rows of a work-item at the
 *            same place, since `sharing` is a multiple of the period; what such a vector has of other columns is left
 *            out when columns merge.
 *   SHIFTED  rows lie at any distances and are no whole vectors: these are shifted out of the words that hold them.
 * Rows that follow each other and are narrow are taken several as one (`fused`), of which the last of a segment may be
 * incomplete: its `rest` of rows is accumulated element by element.
 *
 * There may be gaps between the columns of an output, or between those of a kept dim, and the next ones: these are read
 * and left out.
 *
 * From the host (options.clh): GROUP, UNROLL (rows in flight), INNER where the last reduced dim is inside the
 * columns, INNER_FIRST where an index counts these last, APART where a kept dim is inside that one, ROW_DIMS (kept dims
 * in a row besides), CONSTANT_STRIDE where UNROLL rows of a work-item lie at equal distances, INTERLEAVED where parts
 * take turns at rows, TAIL where the end of these is claimed (stream_tail.clh). */
#include "options.clh"

#include "families/stream_rows.clh"
#include "workgroup/finish.clh"
#include "workgroup/reduce.clh"

/* A unit is a tile: its first output, and how many there are. */
#define TILE_COUNT(tile, g) min((ulong)(g).tile_answers, (g).answers - (tile) * (g).tile_answers)
#define UNIT_FIRST(unit, g) ((unit) / (g).tiles * (g).answers + (unit) % (g).tiles * (g).tile_answers)
#define UNIT_COUNT(unit, g) TILE_COUNT((unit) % (g).tiles, g)

/* Candidates of which one is left at each step: a barrier costs as much as several reads. */
#define FOLD 8

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

/* Where column c is in its turn of `pitch` columns; of the columns that belong to one output, the one that c is, and no
 * number below `inner` in a gap; the first one of answer a. */
#define WITHIN(c) ((c) - mul_hi((c), g.per_pitch) * g.pitch)
#if APART
#define INNER_OF(c) mul_hi(WITHIN(c), g.per_apart)
#define INNER_STEP g.apart
#else
#define INNER_OF(c) WITHIN(c)
#define INNER_STEP 1
#endif
#if APART || ROW_DIMS > 1
#define COLUMN_OF(a) (mul_hi((a), g.per_apart) * (g.pitch - g.apart) + (a))
#else
#define COLUMN_OF(a) ((a) * g.pitch)
#endif

/* The place in the part of column c's element of a row, or of those that are fused the one that c is of. */
#define ROW_OF(at, c) ((at) * g.fused + mul_hi((c), g.per_row))
#if INNER_FIRST
#define PLACE_OF(at, c) ((INNER_OF(c) + before_window) * (uint)g.rows + (at))
#elif INNER
#define PLACE_OF(at, c) (ROW_OF(at, c) * g.inner + INNER_OF(c))
#else
#define PLACE_OF(at, c) ROW_OF(at, c)
#endif
/* What a row of the reduction is worth in an index. */
#define ROW_PLACES (INNER_FIRST ? 1 : g.fused * g.inner)
/* The part's segment, and whether it is the last part of it. */
#if INTERLEAVED && WALKED > 1
#define SEGMENT ((uint)part / g.interleaved)
#define ENDS_SEGMENT ((uint)part == SEGMENT * g.interleaved + (g.interleaved - 1))
#else
#define SEGMENT 0
#define ENDS_SEGMENT (part + 1 == g.parts)
#endif
/* The place that the part's places are counted from. */
#define PLACE_BEFORE (PLACES_FROM * ROW_PLACES + (ulong)SEGMENT * (g.rest * g.inner))

/* What is found for answer a of the tile, which is one of the block, whose first column is `column`. */
#if SPLIT
#define STORE_IN_PART(x, answer, won, k, at)                                                                           \
    partials[PARTIAL_AT(&dims, outer * g.answers + (answer), part) * EXTREMES + (x)] = PARTIAL(x, won, k, at)
#endif
#if ATOMIC_PARTIAL
#define STORE_ANSWER(x, a, answer, column, won, k, at)                                                                 \
    if (finish.stage == STAGE_BOTH)                                                                                    \
        raise(WORD_AT(PART_WORDS(unit, part), a, x), word_for(PARTIAL(x, won, k, at)));                                \
    else                                                                                                               \
        STORE_IN_PART(x, answer, won, k, at)
#elif SPLIT
#define STORE_ANSWER(x, a, answer, column, won, k, at) STORE_IN_PART(x, answer, won, k, at)
#else
#define STORE_ANSWER(x, a, answer, column, won, k, at)                                                                 \
    put_answer(&dims, in, TARGET_ARGUMENTS, x, place.index[x] + (long)(answer) * COLUMN_STEP(&dims, &g, x, index),     \
               place.value[x] + (long)(answer) * COLUMN_STEP(&dims, &g, x, value),                                     \
               OF_INPUT(block) + (long)(column) * COLUMN_STRIDE(&g), won, at, KEY_KNOWN_OF(x, k))
#endif

/* What a column of a tile is left with for its answer: winner of extreme x. */
#define KEEP_WINNER(x, c, key, row)                                                                                    \
    (ONE_OF(shared[SLOT(share, c)], x) = found && IS_FOUND(row) ? ONE_CANDIDATE(x, key, PLACE_OF(row, c)) : ONE_NONE)

KERNEL void stream(INPUT, TARGET, const dims_t dims, const stream_t g FINISH_PARAMETERS) {
    FINISH_TILE_LOCALS
    SCAN_LOCALS
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
#if INNER_FIRST
        const uint part_of_rows = (uint)part / g.windows, window = (uint)part - part_of_rows * g.windows;
        const uint before_window =
            g.windows > 1 ? (uint)min((ulong)window * g.tile_columns, g.columns - g.tile_columns) : 0;
        const ulong first = tile * g.tile_columns + before_window;
#else
        const ulong part_of_rows = part, first = tile * g.tile_columns;
#endif
        const uint width = (uint)min((ulong)g.tile_columns, g.columns - first);
        ulong to;
        const ulong from = part_begin(&g, part_of_rows, &to);
        const int outer_dims = KEPT - ROW_DIMS - APART;
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
        SCAN_PART(unit);

#pragma unroll
        for (uint x = 0; x < EXTREMES; ++x) { /* by column, whatever the vectors began with */
            T keys[VEC];
            uint rows[VEC];
            SPREAD(T, WINNERS_KEY(winners, x), keys);
            SPREAD(uint, WINNERS_PLACE(winners, x), rows);
#pragma unroll
            for (uint j = 0; j < VEC; ++j) {
                const uint c = lane * VEC + j - before;
                if (is_there && c < width && IS_OWN(j))
                    KEEP_WINNER(x, c, keys[j], rows[j]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint rest = ENDS_SEGMENT ? g.rest * g.row : 0;
        for (uint c = me; c < rest; c += GROUP) {
            const steps_t end = ROW_AT(&dims, &g, to - 1).at + ROW_STEPS(&dims, &g);
            const at_t p = AT_STEPS(block + end + (long)c * STEPS(1, dims.mask.along));
            shared[SLOT(0, c)] = better(shared[SLOT(0, c)], element_candidate(DATA(p)[0], KEPT_ELEMENT(p),
                                                                              PLACE_OF((uint)(to - PLACES_FROM), c)));
        }
        barrier(CLK_LOCAL_MEM_FENCE);            /* on a condition, PoCL would compile all that follows twice */
        for (uint left = g.sharing; left > 1;) { /* those that share columns */
            const uint next = (left + (FOLD - 1)) / FOLD;
            for (uint i = me; i < next * width; i += GROUP) {
                const uint s = next > 1 ? i / width : 0, c = i - s * width;
                candidate_t best = shared[SLOT(s, c)];
#pragma unroll
                for (uint by = 1; by < FOLD; ++by)
                    if (s + by * next < left)
                        best = better(best, shared[SLOT(s + by * next, c)]);
                shared[SLOT(s, c)] = best;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            left = next;
        }

        /* Rows that are fused, then the columns of each output. One loop: a second one
         * with a barrier took PoCL 3.1 more than eight minutes to compile. */
        for (uint rows = g.fused, inner = INNER ? g.inner : 1; rows > 1 || inner > 1;) {
            const bool of_rows = rows > 1;
            const uint left = of_rows ? rows : inner, next = (left + (FOLD - 1)) / FOLD;
            const uint apart = of_rows ? next * g.row : next * INNER_STEP;
            for (uint c = me; c < (of_rows ? next * g.row : width); c += GROUP) {
                const uint its = of_rows ? c : INNER_OF(c), end = of_rows ? left * g.row : left;
                const uint step = of_rows ? apart : next;
                candidate_t best = shared[SLOT(0, c)];
                if (its < step) {
#pragma unroll
                    for (uint by = 1; by < FOLD; ++by)
                        if (its + by * step < end)
                            best = better(best, shared[SLOT(0, c + by * apart)]);
                    shared[SLOT(0, c)] = best;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            rows = of_rows ? next : 1;
            inner = of_rows ? inner : next;
        }

        const uint answers = (uint)TILE_COUNT(tile, g);
        const ulong first_answer = tile * g.tile_answers; /* where rows are fused there is one tile */
        for (uint a = me; a < answers; a += GROUP)
#pragma unroll
            for (uint x = 0; x < EXTREMES; ++x) {
                const one_candidate_t one = ONE_OF(shared[SLOT(0, COLUMN_OF(a))], x);
                STORE_ANSWER(x, a, first_answer + a, first + COLUMN_OF(a),
                             CANDIDATE_FOUND(one) && !LOSES(CANDIDATE_KEY(one)), CANDIDATE_KEY(one),
                             PLACE_BEFORE + CANDIDATE_PLACE_OF(x, one));
            }
        barrier(CLK_LOCAL_MEM_FENCE);
        FINISH_UNIT(unit, MERGE_LEFT(unit, outer * g.answers + first_answer, answers))
    }
}
