#include "calm.h"
#include "check.h"
#include "stats.h"
#include "threads.h"
#include "tune_set.h"

#include <math.h>
#include <stdlib.h>

enum { PAIRS_MOST = 64, PAIRS_LEAST = 5 };

/* ---- Plans ----------------------------------------------------------------------------------------------------- */

static bool grow_workspace(tune_set *set, argmax_cl_plan plan) {
    size_t bytes = 0;
    cl_int code;
    if (argmax_cl_plan_workspace_size(plan, &bytes) != ARGMAX_CL_SUCCESS)
        return false;
    if (bytes <= set->workspace_bytes)
        return true;
    if (set->workspace != NULL)
        clReleaseMemObject(set->workspace);
    set->workspace = clCreateBuffer(set->device->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    set->workspace_bytes = code == CL_SUCCESS ? bytes : 0;
    if (code != CL_SUCCESS)
        set->workspace = NULL;
    return code == CL_SUCCESS;
}

bool tune_plan_open(tune_set *set, tune_problem *problem, const char *row, tune_plan *plan) {
    *plan = (tune_plan){.plan = NULL};
    FILE *const file = fopen(set->row_file, "w");
    if (file == NULL)
        return false;
    fputs(row, file);
    if (fclose(file) != 0 || setenv("ARGMAX_CL_TUNING", set->row_file, 1) != 0)
        return false;
    if (argmax_cl_plan_create(&plan->plan, set->device->handle, problem->p.op, &problem->desc.desc) !=
        ARGMAX_CL_SUCCESS)
        return false;
    argmax_cl_plan_describe(plan->plan, plan->text, sizeof plan->text, NULL);
    if (grow_workspace(set, plan->plan))
        return true;
    tune_plan_close(plan);
    return false;
}

void tune_plan_close(tune_plan *plan) {
    argmax_cl_plan_destroy(plan->plan);
    plan->plan = NULL;
}

static bool enqueue(tune_set *set, tune_problem *problem, const tune_plan *plan, cl_command_queue queue) {
    return argmax_cl_plan_enqueue(plan->plan, queue, &problem->buffers, set->workspace, 0, NULL, NULL) ==
               ARGMAX_CL_SUCCESS ||
           complain("%s: %s", problem->line, argmax_cl_last_error());
}

bool tune_plan_check(tune_set *set, tune_problem *problem, const tune_plan *plan) {
    const cl_command_queue queue = set->device->plain;
    const cl_uchar filler = CHECK_FILLER;
    cl_int code = clEnqueueFillBuffer(queue, set->index, &filler, 1, 0, problem->index_bytes, 0, NULL, NULL);
    if (!succeeded(code, "clEnqueueFillBuffer") || !enqueue(set, problem, plan, queue))
        return false;
    code = clEnqueueReadBuffer(queue, set->index, CL_TRUE, 0, problem->index_bytes, set->answers, 0, NULL, NULL);
    return succeeded(code, "clEnqueueReadBuffer") &&
           (tune_digest(set->answers, problem->index_bytes) == problem->answer ||
            complain("WRONG ANSWERS: %s with the plan %s", problem->line, plan->text));
}

/* ---- Times ----------------------------------------------------------------------------------------------------- */

static double time_plan(tune_set *set, tune_problem *problem, const tune_plan *plan) {
    record_start(set->device->timed);
    const bool good = enqueue(set, problem, plan, set->device->timed);
    const double seconds = record_stop(set->device->timed);
    return good ? seconds : -1;
}

/* What is measured in turns: times of both, and their ratio. */
typedef struct pairs {
    samples a, b, ratio;
} pairs;

static void add_pair(pairs *p, double a, double b) {
    samples_add(&p->a, a);
    samples_add(&p->b, b);
    samples_add(&p->ratio, a / b);
}

static void clear_pairs(pairs *p) {
    samples_clear(&p->a);
    samples_clear(&p->b);
    samples_clear(&p->ratio);
}

/* Of a few pairs that happen to agree. */
static const double ERROR_LEAST = 0.001;

/* By the median of the pairs' ratios: what slows both does not count. */
static tune_gain by_medians(pairs *p) {
    const double ratio = samples_median(&p->ratio);
    const double error = 0.93 * samples_spread(&p->ratio) / sqrt((double)p->ratio.count);
    return (tune_gain){log(ratio), fmax(error, ERROR_LEAST), samples_median(&p->a), samples_median(&p->b), false};
}

/* How far the shortest time stands alone. */
static double loneliness(samples *s) {
    const double best = samples_best(s); /* sorts */
    return s->count > 1 ? s->seconds[1] / best - 1 : 1;
}

/* By the shortest times, where other load disturbs most pairs, each in its own way. */
static tune_gain by_bests(pairs *p) {
    const double error = fmax(loneliness(&p->a), loneliness(&p->b));
    return (tune_gain){log(samples_best(&p->a) / samples_best(&p->b)), fmax(error, ERROR_LEAST), samples_best(&p->a),
                       samples_best(&p->b), false};
}

tune_gain tune_compare(tune_set *set, tune_problem *problem, const tune_plan *a, const tune_plan *b, double seconds) {
    static pairs all, calm;
    static const double HOPELESS = 3; /* times slower: no need to know it better */
    clear_pairs(&all);
    clear_pairs(&calm);
    calm_watch();
    const double start = now();
    for (int i = -1; i < PAIRS_MOST; i++) {
        const double passed = now() - start, waited = calm_waited();
        if (calm.ratio.count >= PAIRS_LEAST ? passed > seconds : i >= PAIRS_LEAST && passed > 2 * seconds)
            break;
        const tune_plan *const order[2] = {i % 2 == 0 ? a : b, i % 2 == 0 ? b : a};
        double times[2] = {0, 0};
        for (int turn = 0; turn < 2; turn++)
            times[order[turn] == b] = time_plan(set, problem, order[turn]);
        if (times[0] <= 0 || times[1] <= 0)
            return (tune_gain){.failed = true};
        if (i < 0)
            continue; /* a warm-up */
        add_pair(&all, times[0], times[1]);
        if (calm_waited() - waited <= 10e-6 + 0.03 * (times[0] + times[1]))
            add_pair(&calm, times[0], times[1]);
        if (i == 2 && samples_best(&all.b) > HOPELESS * samples_best(&all.a))
            break;
    }
    return calm.ratio.count >= PAIRS_LEAST ? by_medians(&calm) : by_bests(&all);
}

double tune_read_limit(tune_set *set) {
    double least = 0;
    const limit_traffic traffic = {.input = set->inputs[0], .bytes = set->input_bytes};
    for (int i = 0; i < 3 * LIMIT_READERS; i++) {
        const double seconds = limit_time(&set->limit, set->device, i % LIMIT_READERS, &traffic);
        const double host = set->device->is_cpu ? limit_time_host(set->host[0], set->input_bytes, NULL, 0) : seconds;
        const double better = host < seconds ? host : seconds;
        if (better > 0 && (least == 0 || better < least))
            least = better;
    }
    return least;
}
