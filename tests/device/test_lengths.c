/* How many elements there are: every length, and a few tensors that no cache holds. Shares are of kinds. */
#include "internal.h"
#include "kinds.h"
#include "suite.h"

#define SHORT 64

/* Kinds that do not take every length take different ones each, as lengths make programs of their own. */
#define SHORT_STEP 15
#define LONG_STEP 107

/* float32 in the one share of two, int8 in the other. */
static bool is_in_share(uint32_t kind) {
    return suite_has_share(kind + kind / 4);
}

/* Types whose vectors and keys differ most take every length. */
static bool is_full(const problem_line *kind) {
    return kind->dtype == ARGMAX_CL_FLOAT32 || kind->dtype == ARGMAX_CL_INT8;
}

/* A flat tensor, rows or columns with reductions of `length` elements. */
static problem_line of_length(const problem_line *kind, uint32_t class, uint64_t length, uint64_t outputs) {
    const uint64_t rows[2] = {outputs, length}, columns[2] = {length, outputs};
    return class == 0   ? kind_shape(kind, 1, &length, 1)
           : class == 1 ? kind_shape(kind, 2, rows, 2)
                        : kind_shape(kind, 2, columns, 1);
}

static void check(sweep *s, const char *title) {
    sweep_print(s, title);
    ck_assert_uint_eq(s->failures, 0);
}

/* As many outputs as elements, so that the extreme is at every place at once; a flat tensor once for each place. */
START_TEST(short_lengths_at_every_place) {
    sweep s = {.r = suite_runner()};
    for (uint32_t k = 0; k < KIND_SAMPLE_COUNT; k++) {
        const problem_line kind = kind_sample(k);
        if (!is_in_share(k))
            continue;
        const uint64_t step = is_full(&kind) ? 1 : SHORT_STEP;
        for (uint64_t length = 1 + k % step; length <= SHORT; length += step)
            for (uint32_t class = 0; class < 3; class ++)
                for (uint64_t place = 0; place < (class == 0 ? length : 1); place++) {
                    problem_line p = of_length(&kind, class, length, length);
                    p.data = k & 1 ? DATA_PAIR : DATA_PEAK;
                    p.seed = place;
                    sweep_chosen(&s, &p, SWEEP_DEALT_TUNING);
                }
    }
    check(&s, "short lengths");
}
END_TEST

/* Lengths of every remainder of 8 through every strategy, each on the next of three kinds. */
START_TEST(short_lengths_through_every_strategy) {
    static const uint32_t kinds[] = {0, 4, 1};
    sweep s = {.r = suite_runner()};
    for (uint64_t length = 1, i = 0; length <= SHORT; length += 3 + i % 5, i++)
        for (uint32_t strategy = 0; strategy < strategy_count(); strategy++) {
            const uint32_t k = kinds[(i + strategy) % 3];
            const problem_line kind = kind_sample(k);
            for (uint32_t class = 0; class < 3 && is_in_share(k); class ++) {
                problem_line p = of_length(&kind, class, length, length);
                p.data = length & 1 ? DATA_PAIR : DATA_PEAK;
                p.seed = length / 2;
                sweep_one(&s, &p, strategy, SWEEP_DEALT_TUNING);
            }
        }
    check(&s, "short lengths, every strategy");
}
END_TEST

START_TEST(every_length) {
    sweep s = {.r = suite_runner()};
    for (uint32_t k = 0; k < KIND_SAMPLE_COUNT; k++) {
        const problem_line kind = kind_sample(k);
        if (!is_in_share(k))
            continue;
        const bool full = is_full(&kind);
        for (uint64_t length = full ? SHORT + 1 : SHORT + 1 + k; length <= 4200; length += full ? 1 : LONG_STEP)
            for (uint32_t class = 0; class < 3; class ++) {
                problem_line p = of_length(&kind, class, length, 2);
                p.data = length & 1 ? DATA_PAIR : DATA_PEAK;
                p.seed = length % 3 == 0 ? length - 1 : problem_mix(length);
                sweep_chosen(&s, &p, SWEEP_DEALT_TUNING);
            }
    }
    check(&s, "every length");
}
END_TEST

/* NumPy's way: a short array with a known answer repeated 129 times, and padded to 513. */
START_TEST(repeated_and_padded) {
    sweep s = {.r = suite_runner()};
    for (uint32_t k = 0; k < KIND_SAMPLE_COUNT; k++) {
        const problem_line kind = kind_sample(k);
        if (!is_in_share(k))
            continue;
        const uint64_t step = is_full(&kind) ? 1 : SHORT_STEP;
        for (uint64_t period = 1 + k % step; period <= 24; period += step) {
            const uint64_t repeated[2] = {129, period}, padded = 513 + period;
            problem_line p = kind_shape(&kind, 2, repeated, 3);
            p.input.has_strides = true;
            p.input.stride[0] = 0;
            p.data = DATA_SPECIAL;
            p.seed = period;
            sweep_chosen(&s, &p, SWEEP_DEALT_TUNING);
            p = kind_shape(&kind, 1, &padded, 1);
            p.data = DATA_PEAK;
            p.seed = period - 1;
            sweep_chosen(&s, &p, SWEEP_DEALT_TUNING);
        }
    }
    check(&s, "repeated and padded");
}
END_TEST

/* Where counters of 8 and 16 bits run full: after 248 to 255 and 65528 to 65535 iterations, times the
 * elements that go side by side. A pair lies on both sides of each. */
START_TEST(counters_run_full) {
    static const struct {
        uint32_t kind; /* of the sample: 1 is float16, 4 int8, 5 int16 */
        uint64_t size[2];
        uint32_t axis;
        uint64_t ends[3];
    } full[] = {
        {4, {1050, 70}, 0, {248, 252, 255}},
        {4, {3, 9000}, 1, {4032, 4064, 4080}},
        {4, {1, 1u << 21}, 1, {1032192, 258048, 64512}},
        {4, {3, 70000}, 1, {32512, 32640, 65280}}, /* steps of four vectors of 32 */
        {5, {1, 8400000}, 1, {8388352, 8388480, 8388608}},
        {5, {65600, 2}, 0, {65528, 65532, 65535}},
        {1, {65600, 2}, 0, {65528, 65532, 65535}},
        {5, {1, 1100000}, 1, {1048512, 1048448, 1048560}},
        {1, {1, 1100000}, 1, {1048512, 1048448, 1048560}},
    };
    sweep s = {.r = suite_runner()};
    for (size_t i = 0; i < sizeof full / sizeof full[0]; i++)
        for (size_t end = 0; end < 3 && is_in_share(full[i].kind); end++) {
            const problem_line kind = kind_sample(full[i].kind);
            problem_line p = kind_shape(&kind, 2, full[i].size, 1u << full[i].axis);
            p.data = DATA_PAIR;
            p.seed = full[i].ends[end] - 1;
            sweep_problem(&s, &p, SWEEP_DEALT_TUNING);
            p.direction = !p.direction;
            sweep_chosen(&s, &p, SWEEP_BOTH_TUNINGS);
        }
    check(&s, "counters run full");
}
END_TEST

/* Larger than caches, and enough for every stage: the extremes at the very end, and on both sides of the middle. */
START_TEST(large) {
    static const uint64_t flat[] = {1u << 24, (1u << 22) + 12345};
    static const uint64_t shapes[][2] = {{2, 1u << 23}, {1u << 20, 16}, {5000, 1000}, {1u << 22, 3}, {65537, 70}};
    sweep s = {.r = suite_runner()};
    for (uint32_t k = 0; k < KIND_SAMPLE_COUNT; k += 4) {
        const problem_line kind = kind_sample(k); /* float32, int8, uint8 */
        if (!is_in_share(k))
            continue;
        for (size_t i = 0; i < sizeof flat / sizeof flat[0]; i++)
            for (uint32_t end = 0; end < 2; end++) {
                problem_line p = kind_shape(&kind, 1, &flat[i], 1);
                p.data = DATA_PAIR;
                p.seed = end ? flat[i] - 1 : flat[i] / 2 - 1;
                sweep_problem(&s, &p, SWEEP_DEALT_TUNING);
            }
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
            for (uint32_t axis = 0; axis < 2; axis++) {
                problem_line p = kind_shape(&kind, 2, shapes[i], 1u << axis);
                p.data = DATA_PAIR;
                p.seed = p.size[axis] - 2;
                sweep_chosen(&s, &p, SWEEP_DEALT_TUNING);
            }
    }
    check(&s, "large");
}
END_TEST

SUITE_MAIN("lengths", short_lengths_at_every_place, short_lengths_through_every_strategy, every_length,
           repeated_and_padded, counters_run_full, large)
