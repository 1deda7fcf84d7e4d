/* Reductions of few elements, where neighbouring outputs have theirs side by side: every work-item has VEC outputs to
 * itself and reads one vector for each element of a reduction, so that nothing is merged. These are neighbours, or
 * where single elements are loaded ACROSS apart: then as many work-items side by side load and store what is side by
 * side, wherever it begins. Where the elements lie, from an output on, is the same for all: a table in local memory, in
 * the order of the index, whatever the dims. Behind its end the last element stands again: UNROLL vectors are read at
 * once, and what is seen twice changes nothing.
 *
 * FUSED: a vector is a word of elements of one output's reduction; LOAD_ALIGNED where these follow each other.
 *
 * IN_TURN: outputs that are neighbours in the input have answers far apart, and neighbours' answers come from elements
 * far apart, of which there are g.others. Work-items side by side are followed by those of the next of the others, so
 * that lines of both become whole while caches hold them.
 *
 * A job is g.turns times as many vectors as a work-group has work-items. Vectors never reach beyond the last kept dim:
 * the last one of a row, or those side by side, are moved back to end with it, and store only the answers that those
 * before do not.
 *
 * From the host (options.clh): GROUP, VEC, LOAD, UNROLL (elements of a reduction in flight), ACROSS, IN_TURN, ONE_BLOCK
 * where an accumulator of 8-bit elements counts them all. SPLIT is 0. */
#include "options.clh"

#if SPLIT
#error "not implemented: parts"
#endif

#include "accumulate/winners.clh"
#include "memory/index.clh"

/* What is best of all elements: of those that an accumulator counts, or of several accumulators. */
#if BITS == 8 && !ONE_BLOCK
#define LONG_BLOCKS 1
#define BLOCK (ITERATIONS_MAX / UNROLL * UNROLL)
typedef winners_t outcome_t;
#define KEY_OF_OUTCOME WINNERS_KEY
#define PLACE_OF_OUTCOME WINNERS_PLACE
#else
#define LONG_BLOCKS 0
typedef acc_t outcome_t;
#define KEY_OF_OUTCOME ACC_KEY_OF
#define PLACE_OF_OUTCOME ACC_AT_OF
#endif

/* Outputs of a work-item, and of all that are side by side; what the table has behind its last element. */
#define OUTPUTS_AT_ONCE (VEC / FUSED)
#define OUTPUTS_ACROSS (OUTPUTS_AT_ONCE * ACROSS)
#define BEHIND (UNROLL * FUSED)

#if ACROSS > 1
#define COLUMN_DISTANCE(g) ACROSS
#else
#define COLUMN_DISTANCE(g) (g)->column_stride
#endif

/* Where the elements of a reduction lie, from the first one on. */
typedef struct {
    __local const int *input;
#if MASKED
    __local const int *mask;
#endif
} table_t;
#if MASKED
#define PLACE_STEPS(table, e) STEPS((table).input[e], (table).mask[e])
#else
#define PLACE_STEPS(table, e) (long)(table).input[e]
#endif

/* The first element that is read again behind the end, and the place of what an iteration read at `at`. */
#define LAST_READ(g) ((g)->elements - (LOAD_ALIGNED ? FUSED : 1))
#define PLACE_READ(at, g) min((at), LAST_READ(g) + (LOAD_ALIGNED ? (at) % FUSED : 0))

#if FUSED > 1
static inline TV joined_elements(const at_t first, const __local int *places) {
#if LOAD_ALIGNED
    return load(DATA(first) + places[0], 1);
#else
    T elements[VEC];
#pragma unroll
    for (uint j = 0; j < VEC; ++j)
        elements[j] = DATA(first)[places[j]];
    return JOINED(T, elements);
#endif
}
#endif

/* The best of `count` elements of each of the outputs at `first`. is_end: the words of some of those reach beyond the
 * tensor. */
static inline __attribute__((always_inline)) acc_t fold(const at_t first, const dims_t *dims, const few_rows_t *g,
                                                        const table_t table, const uint count, const bool is_end) {
    acc_t acc = ACC_EMPTY;
    uint k = 0;
    (void)is_end;
    (void)dims;
    (void)g;
#if LOAD_SHIFTED
    if (is_end)
#pragma unroll 1
        for (; k < count; ++k)
            ACC_STEP(acc, ELEMENTS_AT(moved(first, PLACE_STEPS(table, k)), dims), k);
#endif
#pragma unroll 1
    for (; k * FUSED < count; k += UNROLL) {
        read_t vectors[UNROLL];
#pragma unroll
        for (uint u = 0; u < UNROLL; ++u)
#if FUSED > 1
            vectors[u] = joined_elements(first, table.input + (k + u) * FUSED);
#else
            vectors[u] = READ_AT(moved(first, PLACE_STEPS(table, k + u)), COLUMN_DISTANCE(g), dims);
#endif
        const uint zero = LOAD_SHIFTED ? ZERO_AFTER_ALL(vectors, g) : 0;
        (void)zero;
#pragma unroll
        for (uint u = 0; u < UNROLL; ++u)
            ACC_STEP(acc, TAKEN(vectors[u], zero), k + u);
    }
    return acc;
}

/* The answers of a work-item's outputs; those of numbers below `before` are another's. */
static inline void store_answer(__global const T *in, TARGET, const dims_t *dims, const few_rows_t *g,
                                const outcome_t best, const uint x, const long start, const long index_at,
                                const long value_at, const int before) {
    T keys[OUTPUTS_AT_ONCE];
    uint at[OUTPUTS_AT_ONCE];
#if FUSED > 1
    uint iteration, component;
    keys[0] = acc_winner(best, &iteration, &component);
    at[0] = iteration * FUSED + component;
#else
    SPREAD(T, KEY_OF_OUTCOME(best, x), keys);
    SPREAD(uint, PLACE_OF_OUTCOME(best, x), at);
#endif
#pragma unroll
    for (uint j = 0; j < OUTPUTS_AT_ONCE; ++j)
        at[j] = IS_FOUND(at[j]) ? PLACE_READ(at[j], g) : at[j];
    const long index_step = COLUMN_STEP(dims, g, x, index) * ACROSS;
    const long value_step = COLUMN_STEP(dims, g, x, value) * ACROSS;
/* In one store, forwards or backwards: neighbours' stores then fill lines. */
#if OUTPUTS_AT_ONCE > 1 && ACROSS == 1 && !BOTH && !VALUE
    const bool backward = index_step == -1;
    __global VECTOR(IDX_T) *const all = (__global VECTOR(IDX_T) *)(index + index_at - (backward ? VEC - 1 : 0));
    if ((backward | (index_step == 1)) && before == 0 && ((uintptr_t)all & (sizeof(VECTOR(IDX_T)) - 1)) == 0) {
        IDX_T answers[VEC], turned[VEC];
#pragma unroll
        for (uint j = 0; j < VEC; ++j)
            answers[j] = turned[VEC - 1 - j] =
                WINS(keys[j], at[j]) ? INDEX_OF(IDX_T, dims, x, (IDX_T)at[j]) : (IDX_T)~0ul;
        *all = backward ? JOINED(IDX_T, turned) : JOINED(IDX_T, answers);
        return;
    }
#endif
#pragma unroll
    for (uint j = 0; j < OUTPUTS_AT_ONCE; ++j)
        if ((int)(j * ACROSS) >= before)
            put_answer(dims, in, TARGET_ARGUMENTS, x, index_at + (long)j * index_step, value_at + (long)j * value_step,
                       start + (long)j * ACROSS * g->column_stride, WINS(keys[j], at[j]), at[j],
                       KEY_KNOWN_OF(x, keys[j]));
}

KERNEL void few_rows(INPUT, TARGET, const dims_t dims, const few_rows_t g) {
    __local int places[FEW_ELEMENTS_MOST + BEHIND];
#if MASKED
    __local int kept_places[FEW_ELEMENTS_MOST + BEHIND];
#define TABLE_FROM(e) ((table_t){places + (e), kept_places + (e)})
#else
#define TABLE_FROM(e) ((table_t){places + (e)})
#endif
    const uint me = (uint)get_local_id(0);
    const int outer_dims = KEPT - 1;
    for (uint e = me; e < FEW_ELEMENTS_MOST + BEHIND && e < g.elements + BEHIND; e += GROUP) {
        const steps_t steps = reduced_steps(&dims, min(e, LAST_READ(&g)), REDUCED);
        places[e] = (int)OF_INPUT(steps);
#if MASKED
        kept_places[e] = (int)steps.y;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    EACH_JOB(job) {
        for (uint turn = 0; turn < g.turns; ++turn) {
            const job_t vector = (job * (job_t)g.turns + turn) * GROUP + me;
            if (vector >= (job_t)g.vectors)
                break;
#if IN_TURN
            const job_t side = vector / ACROSS, blocks = (job_t)g.row_vectors / ACROSS;
            const job_t above = divide(side, (job_t)g.others, g.per_others);
            const job_t outermost = divide(above, blocks, g.per_row_vectors);
            const job_t outer = outermost * (job_t)g.others + (side - above * (job_t)g.others);
            const job_t place = (above - outermost * blocks) * ACROSS + vector % ACROSS;
#else
            const job_t outer = KEPT == 1 ? 0 : divide(vector, (job_t)g.row_vectors, g.per_row_vectors);
            const job_t place = vector - outer * (job_t)g.row_vectors;
#endif
            const int lane = (int)(place % ACROSS);
            const int before = place + ACROSS >= (job_t)g.row_vectors ? (int)g.last_before : 0;
            const long column = (long)(place / ACROSS) * OUTPUTS_ACROSS + lane - before;
            const output_place_t row = output_place(&dims, outer, outer_dims);
            const steps_t start = row.in + column * STEPS(g.column_stride, dims.mask.along);
            const at_t first = AT_STEPS(start);
            const bool is_end = OF_INPUT(start) < g.whole_from || OF_INPUT(start) > g.whole_to;
#if LONG_BLOCKS
            outcome_t best = winners_none();
#pragma unroll 1
            for (uint block = 0; block < g.elements; block += BLOCK) {
                const acc_t acc = fold(first, &dims, &g, TABLE_FROM(block), min(g.elements - block, BLOCK), is_end);
                winners_take(&best, &acc, places_apart(&acc, block, 1), block == 0);
            }
#else
            const outcome_t best = fold(first, &dims, &g, TABLE_FROM(0), g.elements, is_end);
#endif
#pragma unroll
            for (uint x = 0; x < EXTREMES; ++x)
                store_answer(in, TARGET_ARGUMENTS, &dims, &g, best, x, OF_INPUT(start),
                             row.index[x] + column * COLUMN_STEP(&dims, &g, x, index),
                             row.value[x] + column * COLUMN_STEP(&dims, &g, x, value), before - lane);
        }
    }
}
