/* run_lengths [--device SELECTOR] [--from N] [--to N] [--step N] [--places N] [--ties N] [--strategies 0|1]
 *   [--deal 0|1] TYPE...
 *
 * Reductions of every length --from..--to (every --step-th): up to --places elements with the extremum at every place,
 * longer ones with it at 16 places; up to --ties elements with every pair of equal extrema. In each class
 * (length_views.h), both directions, both tuning rows (--deal 1: one with each direction); with --strategies 1 through
 * every strategy that accepts it, else as chosen. No oracle: the answers follow from where the windows lie. Exit status
 * 0 when all are right. */
#include "arguments.h"
#include "big_answers.h"
#include "length_views.h"
#include "own_kernels.h"
#include "sweep.h"

#include "internal.h"

#include <inttypes.h>
#include <string.h>

typedef struct options {
    const char *device;
    uint64_t from, to, step, places, ties, strategies, deal;
} options;

typedef struct session {
    runner r;
    const options *o;
    const problem_dtype *type;
    cl_mem input[LENGTH_CLASSES][2]; /* by class, without and with ties */
    uint64_t longest[2];
    cl_mem index, workspace;
    size_t index_bytes, workspace_bytes;
    uint32_t *answers;
    unsigned long long runs, outputs, wrong;
} session;

/* ---- Buffers -------------------------------------------------------------------------------------------------- */

static void make_input(session *s, length_class class, bool ties) {
    const uint64_t longest = s->longest[ties], elements = length_buffer_elements(class, longest, ties);
    const size_t bytes = (size_t)elements * s->type->bits / 8;
    void *const data = malloc(bytes);
    REQUIRE(data);
    for (uint64_t i = 0; i < elements; i++)
        problem_store(s->type, data, i,
                      big_bits(s->type, ARGMAX_CL_ARGMAX, length_is_extreme(class, longest, ties, i) ? 2 : 1));
    s->input[class][ties] = own_buffer(&s->r, CL_MEM_READ_ONLY, bytes, data);
    free(data);
}

static void grow(session *s, cl_mem *buffer, size_t *have, size_t bytes) {
    if (bytes <= *have)
        return;
    own_release(*buffer);
    *have = bytes * 2;
    *buffer = own_buffer(&s->r, CL_MEM_READ_WRITE, *have, NULL);
}

/* ---- Runs ----------------------------------------------------------------------------------------------------- */

static void check(session *s, const length_view *v, const problem_line *p) {
    const uint64_t outputs = problem_output_count(p);
    unsigned long long wrong = 0;
    for (uint64_t i = 0; i < outputs; i++) {
        const uint64_t right = length_view_answer(v, i, p->direction == ARGMAX_CL_DECREASING);
        if (s->answers[i] != right && wrong++ == 0) {
            char line[PROBLEM_LINE_SIZE];
            problem_print(p, line, sizeof line);
            fprintf(stderr, "WRONG %s%s: output %" PRIu64 " is %" PRIu32 ", expected %" PRIu64 ": %s\n",
                    length_class_names[v->class], v->ties ? ", ties" : "", i, s->answers[i], right, line);
        }
    }
    s->runs++;
    s->outputs += outputs;
    s->wrong += wrong;
}

/* One call; false when the forced strategy does not apply. */
static bool run_once(session *s, const length_view *v, problem_line *p) {
    problem_desc d;
    argmax_cl_plan plan = NULL;
    argmax_cl_buffers buffers = ARGMAX_CL_BUFFERS_INIT;
    size_t workspace_bytes = 0;
    const size_t bytes = (size_t)problem_output_count(p) * sizeof s->answers[0];
    problem_describe(p, &d);
    const argmax_cl_status status = argmax_cl_plan_create(&plan, s->r.handle, p->op, &d.desc);
    if (status == ARGMAX_CL_ERROR_INVALID_STRATEGY && p->strategy[0])
        return false;
    REQUIRE(!status);
    REQUIRE(!argmax_cl_plan_workspace_size(plan, &workspace_bytes));
    const size_t had = s->index_bytes;
    grow(s, &s->index, &s->index_bytes, bytes);
    grow(s, &s->workspace, &s->workspace_bytes, workspace_bytes);
    if (had != s->index_bytes) {
        free(s->answers);
        s->answers = malloc(s->index_bytes);
        REQUIRE(s->answers);
    }
    buffers.input = s->input[v->class == LENGTH_PERMUTED || v->class == LENGTH_FLAT ? LENGTH_ROWS : v->class][v->ties];
    buffers.index = s->index;
    REQUIRE(!argmax_cl_plan_enqueue(plan, s->r.queue, &buffers, s->workspace, 0, NULL, NULL));
    REQUIRE(!clEnqueueReadBuffer(s->r.queue, s->index, CL_TRUE, 0, bytes, s->answers, 0, NULL, NULL));
    argmax_cl_plan_destroy(plan);
    check(s, v, p);
    return true;
}

static void run_view(session *s, const length_view *v) {
    problem_line p;
    problem_init(&p);
    p.dtype = s->type->dtype;
    p.index_type = ARGMAX_CL_UINT32;
    length_view_describe(v, &p);
    for (uint32_t direction = 0; direction < 2; direction++)
        for (uint32_t tuning = 0; tuning < SWEEP_TUNINGS; tuning++) {
            if (s->o->deal && tuning != direction)
                continue;
            p.direction = direction ? ARGMAX_CL_DECREASING : ARGMAX_CL_INCREASING;
            snprintf(p.tuning, sizeof p.tuning, "%s", sweep_tunings[tuning]);
            p.strategy[0] = '\0';
            REQUIRE(run_once(s, v, &p));
            for (uint32_t i = 0; s->o->strategies && i < strategy_count(); i++) {
                snprintf(p.strategy, sizeof p.strategy, "%s", strategy_name(i));
                run_once(s, v, &p);
            }
        }
}

/* Sixteen places that end with the last one, or every place. */
static void run_length(session *s, uint64_t length) {
    for (int class = 0; class < LENGTH_CLASSES; class ++) {
        length_view v = {.class = (length_class) class, .length = length, .longest = s->longest[0], .apart = 1};
        const uint64_t step = class == LENGTH_ALIGNED ? 16 : 1, steps = (length + step - 1) / step;
        v.windows = steps;
        if (length > s->o->places && steps > 16) {
            v.apart = (steps - 1) / 15;
            v.windows = 16;
        }
        v.from = class == LENGTH_FLAT ? problem_mix(length) % length : 0;
        run_view(s, &v);
        if (length > s->o->ties)
            continue;
        v.ties = true;
        v.longest = s->longest[1];
        run_view(s, &v);
    }
}

static void run_type(session *s, const char *name) {
    const double start = own_seconds();
    const unsigned long long runs = s->runs, outputs = s->outputs, wrong = s->wrong;
    s->type = arguments_type(name);
    if (!s->type) {
        fprintf(stderr, "TYPE = %s: expected an element type\n", name);
        exit(2);
    }
    for (int ties = 0; ties < 2; ties++)
        for (int class = LENGTH_ROWS; class <= LENGTH_COLUMNS; class ++)
            make_input(s, (length_class) class, ties);
    for (uint64_t length = s->o->from; length <= s->o->to; length += s->o->step)
        run_length(s, length);
    for (int ties = 0; ties < 2; ties++)
        for (int class = LENGTH_ROWS; class <= LENGTH_COLUMNS; class ++)
            own_release(s->input[class][ties]);
    printf("%-9s lengths %" PRIu64 "..%" PRIu64 " by %" PRIu64 ": %llu runs, %llu answers, %llu wrong, %.1f s\n", name,
           s->o->from, s->o->to, s->o->step, s->runs - runs, s->outputs - outputs, s->wrong - wrong,
           own_seconds() - start);
    fflush(stdout);
}

int main(int argc, char **argv) {
    static session s;
    options o = {.from = 1, .to = 64, .step = 1, .places = 64, .ties = 16};
    const argument_option known[] = {{"--device", &o.device, NULL}, {"--from", NULL, &o.from},
                                     {"--to", NULL, &o.to},         {"--step", NULL, &o.step},
                                     {"--places", NULL, &o.places}, {"--ties", NULL, &o.ties},
                                     {"--deal", NULL, &o.deal},     {"--strategies", NULL, &o.strategies}};
    int i = 1;
    bool ok = true;
    for (; i + 1 < argc && argv[i][0] == '-' && ok; i += 2)
        ok = arguments_take(known, sizeof known / sizeof known[0], argv[i], argv[i + 1]);
    if (!ok || i >= argc || !o.from || !o.step || o.to < o.from || o.to > 1u << 24 || o.ties > 1024) {
        fprintf(stderr, "usage: run_lengths [--device SELECTOR] [--from N] [--to N] [--step N] [--places N] [--ties N] "
                        "[--strategies 0|1] [--deal 0|1] TYPE...\n");
        return 2;
    }
    s.o = &o;
    s.longest[0] = o.to;
    s.longest[1] = o.ties > 1 ? o.ties : 2;
    REQUIRE(runner_open(&s.r, o.device));
    for (; i < argc; i++)
        run_type(&s, argv[i]);
    own_release(s.index);
    own_release(s.workspace);
    free(s.answers);
    runner_close(&s.r);
    return s.wrong ? 1 : 0;
}
