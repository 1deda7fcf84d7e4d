/* Failures made small: with a stand-in for a device that is wrong in a known way, the line that is left is known too.
 * Needs no device. */
#include "random_problem.h"
#include "shrink.h"
#include "suite.h"

#include <string.h>

typedef struct wrong_device {
    const char *label;
    bool (*fails)(const problem_line *p);
    const char *start, *end; /* NULL start: any random problem that fails */
} wrong_device;

static bool always(const problem_line *p) {
    return p->rank > 0;
}

static bool long_reductions(const problem_line *p) {
    return problem_reduction_count(p) >= 37;
}

static bool narrow_last(const problem_line *p) {
    return problem_dtype_find(p->dtype)->bits == 16 && p->direction == ARGMAX_CL_DECREASING;
}

static bool odd_rows(const problem_line *p) {
    return p->rank == 2 && p->axis_count == 1 && p->axes[0] == 1 && p->size[1] > 1 && p->input.stride[1] < 0 &&
           p->size[0] >= 5;
}

/* One place alone, as a wrong tail would have it. */
static bool wrong_place(const problem_line *p) {
    return p->data == DATA_PEAK && problem_reduction_count(p) > 1000 && p->seed % problem_reduction_count(p) >= 1000;
}

static bool split_way(const problem_line *p) {
    return strcmp(p->strategy, "split-rows") == 0 && strstr(p->fields, "unroll_rows:3") != NULL &&
           p->queue == QUEUE_OUT_OF_ORDER;
}

static bool padded_value(const problem_line *p) {
    return p->has_value && p->value.has_offset && p->value.offset >= 3;
}

#define LONG                                                                                                           \
    "argmin bfloat16 7x300x5 axes=1,2 last nan=ignore index=uint32 value strides=1500,-5,1 offset=1600 "               \
    "istrides=2,1,1 ioffset=4 vstrides=-1,1,1 voffset=10 data=peak seed=1499 strategy=split-rows tuning=gpu "          \
    "fields=group:64,unroll_rows:3,register_lanes:2 route=call queue=out memory=host"

static const wrong_device devices[] = {
    {"everything", always, LONG, "argmax int32 1 axes=0 index=int64 data=constant seed=0"},
    {"everything, from a random problem", always, NULL, "argmax int32 1 axes=0 index=int64 data=constant seed=0"},
    {"length 37", long_reductions, LONG, "argmax int32 37 axes=0 index=int64 data=constant seed=0"},
    {"length 37, from a random problem", long_reductions, NULL,
     "argmax int32 37 axes=0 index=int64 data=constant seed=0"},
    {"16 bits, last", narrow_last, LONG, "argmax int16 1 axes=0 last index=int64 data=constant seed=0"},
    {"rows of negative stride", odd_rows,
     "argmin uint8 31x12 axes=1 last index=int32 strides=12,-1 offset=30 data=far seed=9 memory=host",
     "argmax int32 5x2 axes=1 index=int64 strides=2,-1 data=constant seed=0"},
    {"a place", wrong_place, LONG, "argmax int32 1001 axes=0 index=int64 data=peak seed=1000"},
    {"a way of running", split_way, LONG,
     "argmax int32 1 axes=0 index=int64 data=constant seed=0 strategy=split-rows tuning=gpu fields=unroll_rows:3 "
     "queue=out"},
    {"an offset", padded_value, LONG, "argmax int32 1 axes=0 index=int64 value voffset=3 data=constant seed=0"},
};

static bool fails(void *context, const problem_line *p) {
    const wrong_device *const device = context;
    ck_assert_msg(problem_offsets_fit(p) && p->axis_count > 0 && p->axis_count <= p->rank, "%s", device->label);
    return device->fails(p);
}

static void start_of(const wrong_device *device, uint64_t seed, problem_line *p) {
    char error[300];
    random_source source = {seed};
    if (device->start) {
        ck_assert_msg(problem_parse(device->start, p, error, sizeof error), "%s", error);
        return;
    }
    do {
        random_kind(seed, seed, NULL, p);
        random_problem(&source, p, 4096);
    } while (!device->fails(p));
}

START_TEST(what_is_left_is_known) {
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        for (uint64_t seed = 0; seed < (devices[i].start ? 1 : 50); seed++) {
            problem_line p;
            char line[PROBLEM_LINE_SIZE];
            start_of(&devices[i], seed, &p);
            ck_assert_uint_lt(shrink_problem(&p, fails, (void *)&devices[i], 2000), 2000);
            problem_print(&p, line, sizeof line);
            ck_assert_msg(strcmp(line, devices[i].end) == 0, "%s: %s", devices[i].label, line);
        }
}
END_TEST

/* With the last failing problem, whatever it is, when the tries are used up. */
START_TEST(it_ends_in_time) {
    for (unsigned tries = 0; tries < 40; tries++) {
        problem_line p;
        start_of(&devices[2], 0, &p);
        ck_assert_uint_le(shrink_problem(&p, fails, (void *)&devices[2], tries), tries);
        ck_assert(long_reductions(&p));
    }
}
END_TEST

/* The line is all that a person gets: it must be the same problem. */
START_TEST(lines_are_the_problems) {
    random_source source = {1};
    for (uint64_t i = 0; i < 5000; i++) {
        problem_line p, read;
        char line[PROBLEM_LINE_SIZE], again[PROBLEM_LINE_SIZE], error[300];
        random_kind(1, i, NULL, &p);
        random_problem(&source, &p, 4096);
        problem_print(&p, line, sizeof line);
        ck_assert_msg(problem_parse(line, &read, error, sizeof error), "%s: %s", line, error);
        problem_print(&read, again, sizeof again);
        ck_assert_str_eq(line, again);
        ck_assert_uint_eq(p.input.offset, read.input.offset);
        ck_assert_mem_eq(p.input.stride, read.input.stride, p.rank * sizeof p.input.stride[0]);
        ck_assert_uint_eq(p.index.offset, read.index.offset);
        ck_assert_mem_eq(p.index.stride, read.index.stride, p.rank * sizeof p.index.stride[0]);
    }
}
END_TEST

START_TEST(dealt_numbers_come_once_a_round) {
    for (uint32_t n = 1; n <= RANDOM_DEALT_MOST; n++) {
        uint32_t seen[RANDOM_DEALT_MOST] = {0};
        for (uint64_t turn = 0; turn < 3 * (uint64_t)n; turn++) {
            const uint64_t dealt = random_dealt(7, turn, n);
            ck_assert_uint_lt(dealt, n);
            ck_assert_uint_eq(seen[dealt]++, turn / n);
        }
    }
}
END_TEST

SUITE_MAIN("shrink", what_is_left_is_known, it_ends_in_time, lines_are_the_problems, dealt_numbers_come_once_a_round)
