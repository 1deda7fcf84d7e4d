#include "differential.h"

#include "random_problem.h"
#include "shrink.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define POOL 32
#define DRAWS_A_PROBLEM 200 /* after which a batch ends early: its strategy hardly ever applies */
#define SHRINK_TRIES 1500

typedef struct batch {
    runner *r;
    const batch_plan *plan;
    batch_result *result;
    random_source source;
    uint64_t scale;                /* 0, 1, 2: of its problems */
    bool many_outputs;             /* its first problem has them */
    problem_line kind, pool[POOL]; /* problems that ran, to vary */
    uint64_t pooled;
    uint64_t programs[BATCH_PROGRAMS_MOST];
    uint32_t program_count;
} batch;

/* ---- Drawing -------------------------------------------------------------------------------------------------- */

/* Lengths after which the kernels do something else. */
static uint64_t some_unit(random_source *s, const geometry *g) {
    const uint64_t step = (uint64_t)g->vector * (g->unroll ? g->unroll : 1);
    const uint64_t lanes = g->lanes ? g->lanes : g->across ? g->across : 1;
    const uint64_t panel = g->panel ? g->panel : 1, loads = g->loads ? g->loads : 1, fused = g->fused ? g->fused : 1;
    const uint64_t units[] = {
        g->vector,
        step,
        lanes,
        lanes * g->vector,
        lanes * step,
        g->unroll,
        panel * g->vector * lanes,
        loads * g->vector,
        g->part_length,
        g->part_length * g->vector,
        g->scan.group,
        255 * (uint64_t)g->vector,
        g->scan.groups,
        fused * g->unroll,
        fused * (g->part_length + 1),
    };
    return units[random_below(s, sizeof units / sizeof units[0])];
}

/* Let an axis, and the place of the extremum, end where the kernels do something else. */
static void aim(batch *b, problem_line *p) {
    probe how;
    probe_problem(b->r, p, &how);
    if (how.status != ARGMAX_CL_SUCCESS || how.empty)
        return;
    random_shrink_to(&b->source, p, (uint32_t)random_below(&b->source, p->rank), some_unit(&b->source, &how.geometry));
    const uint64_t unit = some_unit(&b->source, &how.geometry), reduction = problem_reduction_count(p);
    if (unit && random_one_in(&b->source, 2))
        p->seed =
            (random_below(&b->source, reduction / unit + 1) * unit + random_below(&b->source, 3) + reduction - 1) %
            reduction;
}

/* Most problems are small, some large enough for every stage. Batches of short, middling and long ones are dealt, since
 * kernels for long reductions would hardly be among the few of a batch otherwise. */
static uint64_t random_budget(batch *b) {
    if (random_one_in(&b->source, 80))
        return 1 + (b->plan->elements >> random_below(&b->source, 6));
    return UINT64_C(1) << (5 + 3 * b->scale + random_below(&b->source, 5));
}

/* Many outputs hardly ever are among the problems whose programs a batch runs: some batches begin with them. */
#define MANY_OUTPUTS UINT64_C(4096)
#define MANY_OUTPUTS_TRIES 64

static void draw_new(batch *b, problem_line *p) {
    const bool many = b->many_outputs && b->pooled == 0;
    uint32_t tries = many ? MANY_OUTPUTS_TRIES : 1;
    do {
        *p = b->kind;
        random_problem(&b->source, p, many ? 16 * MANY_OUTPUTS : random_budget(b));
    } while (--tries && problem_output_count(p) < MANY_OUTPUTS);
}

/* A new problem (true), or one of those that ran: with other data, or with another length as well. */
static bool draw(batch *b, problem_line *p) {
    const uint64_t choice = b->pooled ? random_below(&b->source, 4) : 0;
    const bool is_new = choice < 2;
    if (is_new) {
        draw_new(b, p);
    } else {
        *p = b->pool[random_below(&b->source, b->pooled < POOL ? b->pooled : POOL)];
        random_data(&b->source, p);
        random_way(&b->source, p);
    }
    if (choice % 2)
        aim(b, p);
    return is_new;
}

/* Short reductions and single outputs come by themselves, most of all where a program serves no others: leave most of
 * them out. */
static bool thinned_out(batch *b, const problem_line *p) {
    const uint64_t reduction = problem_reduction_count(p), outputs = problem_output_count(p);
    return (reduction < 16 && !random_one_in(&b->source, reduction > 1 ? 2 : 8)) ||
           (outputs < 2 && p->rank < 5 && !random_one_in(&b->source, 3));
}

/* Whether its programs are among the batch's, or may join them. Those of narrow vectors, which are for short axes, come
 * by themselves. */
static bool admit(batch *b, const probe *how) {
    for (uint32_t i = 0; i < b->program_count; i++)
        if (b->programs[i] == how->programs)
            return true;
    if (b->program_count >= b->plan->programs || (how->geometry.vector < 8 && !random_one_in(&b->source, 3)))
        return false;
    b->programs[b->program_count++] = how->programs;
    b->result->programs++;
    return true;
}

/* ---- Failing -------------------------------------------------------------------------------------------------- */

typedef struct failure {
    runner *r;
    batch_result *result;
    argmax_cl_status status;
} failure;

/* A refusal that turned into another one, or into a wrong answer, is not the same failure. */
static bool fails_alike(void *context, const problem_line *p) {
    const failure *const f = context;
    f->result->steps++;
    return runner_run(f->r, p, ROUTE_PLAN) != RUN_OK && f->r->status == f->status;
}

static void report(batch *b, const problem_line *p) {
    char line[PROBLEM_LINE_SIZE];
    problem_line small = *p;
    failure f = {b->r, b->result, b->r->status};
    b->result->wrong++;
    problem_print(p, line, sizeof line);
    fprintf(stderr, "FAIL %s\n  run again: run_problem '%s'\n", b->r->message, line);
    const unsigned tried = shrink_problem(&small, fails_alike, &f, SHRINK_TRIES);
    problem_print(&small, line, sizeof line);
    fprintf(stderr, "  made small in %u runs: run_problem '%s'\n", tried, line);
    runner_run(b->r, &small, ROUTE_PLAN);
    fprintf(stderr, "  there: %s\n", b->r->message);
}

/* ---- Running -------------------------------------------------------------------------------------------------- */

/* A refusal of a strategy that does not apply is none, nor one by a device whose compiler is known to be wrong. */
static bool may_refuse(const batch *b, const problem_line *p, argmax_cl_status status) {
    return (status == ARGMAX_CL_ERROR_INVALID_STRATEGY && p->strategy[0]) ||
           (status == ARGMAX_CL_ERROR_DEVICE_LIMIT && runner_may_refuse(b->r));
}

/* Any other refusal is a failure. */
static run_result run(batch *b, const problem_line *p) {
    probe how;
    if (thinned_out(b, p))
        return RUN_REFUSED;
    probe_problem(b->r, p, &how);
    if (may_refuse(b, p, how.status))
        return RUN_REFUSED;
    if (how.status == ARGMAX_CL_SUCCESS && !how.empty && !admit(b, &how))
        return RUN_REFUSED;
    problem_print(p, b->result->running, sizeof b->result->running);
    if (b->r->trace)
        fprintf(stderr, "run_problem '%s'\n", b->result->running);
    const run_result result = runner_run(b->r, p, ROUTE_PLAN);
    if (result == RUN_OK) {
        histogram_add(&b->result->histogram, p, &how);
        b->result->right++;
    }
    return result == RUN_REFUSED && !p->strategy[0] ? RUN_FAILED : result;
}

void differential_batch(runner *r, const batch_plan *plan, uint64_t number, batch_result *result) {
    batch *const b = calloc(1, sizeof *b);
    if (!b)
        return;
    b->r = r;
    b->plan = plan;
    b->result = result;
    b->source.state = problem_mix(problem_mix(plan->seed) + number);
    b->scale = random_dealt(plan->seed, number, 3);
    b->many_outputs = random_dealt(~plan->seed, number, 12) == 0;
    random_kind(plan->seed, number, plan->tuning, &b->kind);
    const uint64_t wanted = result->right + plan->problems;
    bool ok = true;
    for (uint64_t i = 0; ok && i < DRAWS_A_PROBLEM * plan->problems && result->right < wanted; i++) {
        problem_line p;
        const bool is_new = draw(b, &p);
        result->drawn++;
        result->steps++;
        const run_result outcome = run(b, &p);
        if (outcome == RUN_OK && is_new)
            b->pool[b->pooled++ % POOL] = p;
        ok = outcome != RUN_FAILED;
        if (!ok)
            report(b, &p);
    }
    result->batches++;
    result->running[0] = 0;
    free(b);
}
