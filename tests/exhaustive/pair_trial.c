#include "pair_trial.h"

#include "arguments.h"
#include "pair_kernels.h"

#include <inttypes.h>
#include <string.h>

#define VERDICTS_BYTES (sizeof(pair_verdict) * PAIR_SENSES * 2)
#define CHECKED_HERE 4096

argmax_cl_operator pair_operator(uint32_t sense) {
    return sense & 1 ? ARGMAX_CL_ARGMIN : ARGMAX_CL_ARGMAX;
}
argmax_cl_nan_mode pair_nan_mode(uint32_t sense) {
    return sense & 2 ? ARGMAX_CL_NAN_IGNORE : ARGMAX_CL_NAN_PROPAGATE;
}

/* ---- A type --------------------------------------------------------------------------------------------------- */

bool pair_open_type(pair_session *s, const char *name) {
    static const pair_verdict none[PAIR_SENSES][2];
    char build[64];
    s->type = arguments_type(name);
    if (!s->type || s->type->bits > 16)
        return false;
    s->width = s->type->bits == 16;
    s->senses = s->type->mantissa_bits ? 4 : 2;
    snprintf(build, sizeof build, "-DBITS=%" PRIu32 " -DT=%s", s->type->bits, s->width ? "ushort" : "uchar");
    const cl_program program = own_program(&s->r, pair_kernels_source, build);
    s->fill = own_kernel(program, "fill");
    s->check = own_kernel(program, "check");
    clReleaseProgram(program);
    s->letters = own_buffer(&s->r, CL_MEM_READ_ONLY, PAIR_PATTERN_MAX, NULL);
    s->verdicts = own_buffer(&s->r, CL_MEM_READ_WRITE, VERDICTS_BYTES, none);
    for (uint32_t i = 0; i < s->senses; i++) {
        pair_ranks_fill(s->type, pair_operator(i), pair_nan_mode(i), &s->sense[i]);
        s->ranks[i] = own_buffer(&s->r, CL_MEM_READ_ONLY, sizeof s->sense[i].rank, s->sense[i].rank);
    }
    size_t count = 0;
    uint32_t *const pairs = s->width ? pair_sample(s->type, s->o->specials, s->o->stride, &count) : NULL;
    REQUIRE(pairs || !s->width);
    s->list_count = count;
    s->list = own_buffer(&s->r, CL_MEM_READ_ONLY, count ? count * sizeof pairs[0] : sizeof pairs[0], pairs);
    free(pairs);
    return true;
}

void pair_close_type(pair_session *s) {
    for (uint32_t i = 0; i < s->senses; i++)
        own_release(s->ranks[i]);
    own_release(s->list);
    own_release(s->letters);
    own_release(s->verdicts);
    clReleaseKernel(s->fill);
    clReleaseKernel(s->check);
}

/* ---- A scenario ----------------------------------------------------------------------------------------------- */

/* The same fields for both rows, so that the device's class does not matter. */
static void use_tuning(const pair_session *s, const char *fields) {
    if (!fields) {
        setenv("ARGMAX_CL_TUNING", "", 1);
        return;
    }
    FILE *const out = fopen(s->tuning_file, "w");
    REQUIRE(out);
    for (int row = 0; row < 2; row++)
        fprintf(out, "%s %s %s\n", row ? "gpu" : "cpu", pair_tuning_base, fields);
    REQUIRE(fclose(out) == 0);
    setenv("ARGMAX_CL_TUNING", s->tuning_file, 1);
}

static bool device_can(const pair_session *s, pair_need need) {
    switch (need) {
    case NEEDS_PTX:
        return s->facts.nv_ptx;
    case NEEDS_CLANG:
        return s->facts.clang_cpu;
    case NEEDS_ORDERING:
        return s->facts.ordering != ORDERING_NONE;
    default:
        return true;
    }
}

/* Pairs of a batch: a power of two times the columns that the memory is enough for. */
static void choose_pairs(const pair_session *s, pair_trial *t) {
    const uint64_t bytes = (uint64_t)t->length * s->type->bits / 8;
    const bool cpu = s->facts.type & CL_DEVICE_TYPE_CPU;
    const uint64_t room = cpu ? UINT64_C(1) << 26 : UINT64_C(1) << 32;
    const bool all = t->s->extent == PAIRS_ALL || (t->s->extent == PAIRS_ALL_ON_CPUS && cpu);
    uint64_t most = s->o->batch;
    t->listed = s->width && !(s->o->all && all);
    t->total = t->listed ? s->list_count : UINT64_C(1) << 2 * s->type->bits;
    if (t->listed && t->total * t->length > s->o->elements)
        t->total = s->o->elements / t->length;
    if (t->s->most && t->s->most < most)
        most = t->s->most;
    t->pairs = t->s->columns;
    while (t->pairs * 2 <= most && t->pairs * 2 <= t->total && t->pairs * 2 * bytes <= room)
        t->pairs *= 2;
    if (t->total < t->pairs)
        t->total = t->pairs;
}

static void make_plan(const pair_session *s, pair_trial *t, uint32_t sense, uint32_t direction) {
    static char text[2048];
    argmax_cl_tensor in = ARGMAX_CL_TENSOR_INIT, index = ARGMAX_CL_TENSOR_INIT;
    argmax_cl_desc d = ARGMAX_CL_DESC_INIT;
    const uint32_t axes[2] = {1, 2};
    const uint64_t columns = t->s->columns, half = t->length / 2;
    const uint64_t sizes[3][3] = {{t->pairs, t->length}, {t->pairs / columns, t->length, columns}, {t->pairs, half, 2}};
    const int64_t folded[3] = {t->length, 1, (int64_t)half};
    in.dtype = s->type->dtype;
    in.rank = t->s->layout == PAIR_ROWS ? 2 : 3;
    in.sizes = sizes[t->s->layout];
    in.strides = t->s->layout == PAIR_PERMUTED ? folded : NULL;
    index.dtype = ARGMAX_CL_INT32;
    d.input = &in;
    d.index = &index;
    d.axis_count = t->s->layout == PAIR_PERMUTED ? 2 : 1;
    d.axes = axes;
    d.axis_direction = direction ? ARGMAX_CL_DECREASING : ARGMAX_CL_INCREASING;
    d.nan_mode = pair_nan_mode(sense);
    d.strategy = t->s->strategy;
    REQUIRE(!argmax_cl_plan_create(&t->plan[sense][direction], s->r.handle, pair_operator(sense), &d));
    REQUIRE(!argmax_cl_plan_describe(t->plan[sense][direction], text, sizeof text, NULL));
    if (!pair_plan_fits(t->s, text)) {
        fprintf(stderr, "%s: the plan must have %s, but it is\n%s\n", t->s->name, t->s->plan, text);
        exit(2);
    }
}

bool pair_open_trial(pair_session *s, pair_trial *t, const pair_scenario *scenario) {
    char text[PAIR_PATTERN_MAX];
    size_t most = 0, bytes;
    memset(t, 0, sizeof *t);
    t->s = scenario;
    if (!device_can(s, scenario->need))
        return false;
    t->run = scenario->run[s->width];
    t->length = t->run * (uint32_t)pair_pattern(scenario->patterns[s->width], 0, text);
    use_tuning(s, scenario->tuning);
    choose_pairs(s, t);
    for (uint32_t i = 0; i < s->senses; i++)
        for (uint32_t direction = 0; direction < 2; direction++) {
            make_plan(s, t, i, direction);
            REQUIRE(!argmax_cl_plan_workspace_size(t->plan[i][direction], &bytes));
            most = bytes > most ? bytes : most;
        }
    t->input = own_buffer(&s->r, CL_MEM_READ_WRITE, (size_t)(t->pairs * t->length * s->type->bits / 8), NULL);
    t->index = own_buffer(&s->r, CL_MEM_READ_WRITE, (size_t)t->pairs * sizeof(cl_int), NULL);
    t->workspace = own_buffer(&s->r, CL_MEM_READ_WRITE, most, NULL);
    return true;
}

void pair_close_trial(const pair_session *s, pair_trial *t) {
    for (uint32_t i = 0; i < s->senses; i++)
        for (uint32_t direction = 0; direction < 2; direction++)
            argmax_cl_plan_destroy(t->plan[i][direction]);
    own_release(t->input);
    own_release(t->index);
    own_release(t->workspace);
}

/* ---- Its work ------------------------------------------------------------------------------------------------- */

/* Index of an element by its place in memory. */
static uint32_t index_at(const pair_trial *t, uint32_t place) {
    const uint32_t half = t->length / 2;
    return t->s->layout == PAIR_PERMUTED ? place % half * 2 + place / half : place;
}

void pair_use_pattern(const pair_session *s, pair_trial *t, const char *text, size_t count) {
    static const char names[] = "abw";
    cl_uchar letters[PAIR_PATTERN_MAX];
    REQUIRE(count * t->run == t->length);
    for (uint32_t letter = 0; letter < 3; letter++)
        t->at[0][letter] = t->at[1][letter] = -1;
    for (size_t i = 0; i < count; i++) {
        letters[i] = (cl_uchar)(strchr(names, text[i]) - names);
        for (uint32_t j = 0; j < t->run; j++) {
            const cl_int index = (cl_int)index_at(t, (uint32_t)i * t->run + j);
            cl_int *const first = &t->at[0][letters[i]], *const last = &t->at[1][letters[i]];
            *first = *first < 0 || index < *first ? index : *first;
            *last = index > *last ? index : *last;
        }
    }
    REQUIRE(!clEnqueueWriteBuffer(s->r.queue, s->letters, CL_TRUE, 0, count, letters, 0, NULL, NULL));
}

void pair_fill(const pair_session *s, const pair_trial *t, uint32_t sense, uint64_t first, size_t letters) {
    const cl_uint listed = t->listed, count = (cl_uint)letters, worst = s->sense[sense].worst;
    const cl_uint run = t->run, apart = t->s->columns;
    const cl_ulong from = first;
    const own_argument arguments[] = {OWN_ARGUMENT(t->input), OWN_ARGUMENT(s->list),    OWN_ARGUMENT(listed),
                                      OWN_ARGUMENT(from),     OWN_ARGUMENT(s->letters), OWN_ARGUMENT(count),
                                      OWN_ARGUMENT(run),      OWN_ARGUMENT(apart),      OWN_ARGUMENT(worst)};
    own_arguments(s->fill, 0, sizeof arguments / sizeof arguments[0], arguments);
    own_run(&s->r, s->fill, (size_t)t->pairs);
}

void pair_compare(const pair_session *s, const pair_trial *t, uint32_t sense, uint32_t direction) {
    argmax_cl_buffers buffers = ARGMAX_CL_BUFFERS_INIT;
    buffers.input = t->input;
    buffers.index = t->index;
    REQUIRE(!argmax_cl_plan_enqueue(t->plan[sense][direction], s->r.queue, &buffers, t->workspace, 0, NULL, NULL));
}

/* Elements of rank 0 never win among floats, where the ranks of numbers start at 1. */
static cl_int least_rank(const pair_session *s) {
    return s->type->mantissa_bits ? 1 : 0;
}
static cl_int rank_of_w(const pair_session *s, const pair_trial *t, uint32_t sense) {
    return t->at[0][2] < 0 ? -1 : s->sense[sense].rank[s->sense[sense].worst];
}

void pair_check(const pair_session *s, const pair_trial *t, uint32_t sense, uint32_t direction, uint64_t first) {
    const cl_uint listed = t->listed, slot = sense * 2 + direction;
    const cl_ulong from = first;
    const cl_int least = least_rank(s), rank_w = rank_of_w(s, t, sense), last = (cl_int)direction;
    const cl_int *const at = t->at[direction];
    const own_argument arguments[] = {OWN_ARGUMENT(t->index),
                                      OWN_ARGUMENT(s->list),
                                      OWN_ARGUMENT(listed),
                                      OWN_ARGUMENT(from),
                                      OWN_ARGUMENT(s->ranks[sense]),
                                      OWN_ARGUMENT(least),
                                      OWN_ARGUMENT(rank_w),
                                      OWN_ARGUMENT(at[0]),
                                      OWN_ARGUMENT(at[1]),
                                      OWN_ARGUMENT(at[2]),
                                      OWN_ARGUMENT(last),
                                      OWN_ARGUMENT(s->verdicts),
                                      OWN_ARGUMENT(slot)};
    own_arguments(s->check, 0, sizeof arguments / sizeof arguments[0], arguments);
    own_run(&s->r, s->check, (size_t)t->pairs);
}

/* The answer for a pair, letter by letter. */
static cl_int right_answer(const pair_session *s, const pair_trial *t, uint32_t sense, uint32_t direction,
                           uint32_t pair) {
    const uint16_t *const rank = s->sense[sense].rank;
    const uint32_t ones = (1u << s->type->bits) - 1;
    const cl_int ranks[3] = {rank[pair >> s->type->bits & ones], rank[pair & ones], rank_of_w(s, t, sense)};
    cl_int best = least_rank(s) - 1, answer = -1;
    for (uint32_t letter = 0; letter < 3; letter++) {
        const cl_int at = t->at[direction][letter];
        if (ranks[letter] > best || (ranks[letter] == best && answer >= 0 && (direction ? at > answer : at < answer))) {
            best = ranks[letter];
            answer = at;
        }
    }
    return answer;
}

unsigned long pair_check_here(const pair_session *s, const pair_trial *t, uint32_t sense, uint32_t direction,
                              uint64_t first) {
    static cl_int answers[CHECKED_HERE];
    static cl_uint pairs[CHECKED_HERE];
    const size_t count = t->pairs < CHECKED_HERE ? (size_t)t->pairs : CHECKED_HERE, bytes = count * sizeof(cl_int);
    unsigned long wrong = 0;
    REQUIRE(!clEnqueueReadBuffer(s->r.queue, t->index, CL_TRUE, 0, bytes, answers, 0, NULL, NULL));
    if (t->listed)
        REQUIRE(!clEnqueueReadBuffer(s->r.queue, s->list, CL_TRUE, (size_t)first * sizeof(cl_uint), bytes, pairs, 0,
                                     NULL, NULL));
    for (size_t i = 0; i < count; i++)
        wrong += answers[i] != right_answer(s, t, sense, direction, t->listed ? pairs[i] : (uint32_t)(first + i));
    return wrong;
}

void pair_verdicts(const pair_session *s, pair_verdict verdicts[PAIR_SENSES][2]) {
    static const pair_verdict none[PAIR_SENSES][2];
    REQUIRE(!clEnqueueReadBuffer(s->r.queue, s->verdicts, CL_TRUE, 0, VERDICTS_BYTES, verdicts, 0, NULL, NULL));
    REQUIRE(!clEnqueueWriteBuffer(s->r.queue, s->verdicts, CL_TRUE, 0, VERDICTS_BYTES, none, 0, NULL, NULL));
}

void pair_spoil(const pair_session *s, const pair_trial *t) {
    const cl_uchar no_index = 0x7D;
    REQUIRE(
        !clEnqueueFillBuffer(s->r.queue, t->index, &no_index, 1, 0, (size_t)t->pairs * sizeof(cl_int), 0, NULL, NULL));
}
