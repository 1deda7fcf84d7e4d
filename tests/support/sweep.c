#include "sweep.h"

#include "internal.h"
#include "kinds.h"
#include "probe.h"

#include <stdio.h>
#include <string.h>

const char *const sweep_tunings[SWEEP_TUNINGS] = {"cpu", "gpu"};

static void force(problem_line *p, const char *strategy, const char *tuning) {
    snprintf(p->strategy, sizeof p->strategy, "%s", strategy);
    snprintf(p->tuning, sizeof p->tuning, "%s", tuning);
}

static run_result count(sweep *s, const problem_line *p, run_route route) {
    const run_result result = runner_report(s->r, p, route);
    s->runs += result == RUN_OK;
    s->failures += result == RUN_FAILED;
    return result;
}

size_t sweep_dealt_tuning(const problem_line *p, uint32_t strategy) {
    const uint32_t ways = (uint32_t)p->op + (uint32_t)p->direction + (uint32_t)p->nan_mode;
    return ((uint32_t)p->dtype + ways + strategy) % SWEEP_TUNINGS;
}

void sweep_one(sweep *s, const problem_line *line, uint32_t strategy, sweep_extent extent) {
    problem_line p = *line;
    for (size_t t = 0; t < SWEEP_TUNINGS; t++) {
        if (extent == SWEEP_DEALT_TUNING && t != sweep_dealt_tuning(&p, strategy))
            continue;
        force(&p, strategy_name(strategy), sweep_tunings[t]);
        s->accepted[strategy][t] += count(s, &p, ROUTE_PLAN) == RUN_OK;
    }
}

bool sweep_accepts(sweep *s, const problem_line *line, uint32_t strategy, uint64_t *programs) {
    problem_line p = *line;
    probe found;
    force(&p, strategy_name(strategy), sweep_tunings[sweep_dealt_tuning(&p, strategy)]);
    probe_problem(s->r, &p, &found);
    *programs = found.programs;
    if (found.status != ARGMAX_CL_SUCCESS && found.status != ARGMAX_CL_ERROR_INVALID_STRATEGY &&
        !runner_may_refuse(s->r)) {
        fprintf(stderr, "FAIL strategy=%s: status %d\n", p.strategy, (int)found.status);
        s->failures++;
    }
    return found.status == ARGMAX_CL_SUCCESS;
}

static uint32_t strategy_number(const char *name) {
    uint32_t i = 0;
    while (i < strategy_count() && strcmp(strategy_name(i), name) != 0)
        i++;
    return i;
}

bool sweep_strategy(sweep *s, const problem_line *line, const char *name, sweep_extent extent) {
    const unsigned long failures = s->failures, runs = s->runs;
    const uint32_t strategy = strategy_number(name);
    s->problems++;
    if (strategy < strategy_count())
        sweep_one(s, line, strategy, extent);
    s->failures += s->runs == runs && s->failures == failures && !runner_may_refuse(s->r);
    return s->failures == failures;
}

bool sweep_dealt_strategy(sweep *s, const problem_line *line, uint32_t kind, const char *name, sweep_extent extent) {
    return !kind_is_dealt(kind, strategy_number(name)) || sweep_strategy(s, line, name, extent);
}

bool sweep_problem(sweep *s, const problem_line *line, sweep_extent extent) {
    const unsigned long failures = s->failures, runs = s->runs;
    s->problems++;
    for (uint32_t i = 0; i < strategy_count(); i++)
        sweep_one(s, line, i, extent);
    if (s->runs == runs && s->failures == failures) {
        fprintf(stderr, "FAIL no strategy accepts this problem\n");
        s->failures++;
    }
    return s->failures == failures;
}

bool sweep_chosen(sweep *s, const problem_line *line, sweep_extent extent) {
    const unsigned long failures = s->failures;
    problem_line p = *line;
    s->problems++;
    for (size_t t = 0; t < SWEEP_TUNINGS; t++) {
        if (extent == SWEEP_DEALT_TUNING && t != sweep_dealt_tuning(&p, 0))
            continue;
        force(&p, "", sweep_tunings[t]);
        if (count(s, &p, (run_route)((s->problems + t) % ROUTE_COUNT)) == RUN_REFUSED) {
            fprintf(stderr, "FAIL tuning=%s is refused: %s\n", sweep_tunings[t], s->r->message);
            s->failures++;
        }
    }
    return s->failures == failures;
}

void sweep_print(const sweep *s, const char *title) {
    printf("%s: %lu problems, %lu runs, %lu failures\n", title, s->problems, s->runs, s->failures);
    for (uint32_t i = 0; i < strategy_count(); i++)
        if (s->accepted[i][0] || s->accepted[i][1])
            printf("  %-20s took %8lu (%s) %8lu (%s)\n", strategy_name(i), s->accepted[i][0], sweep_tunings[0],
                   s->accepted[i][1], sweep_tunings[1]);
    fflush(stdout);
}
