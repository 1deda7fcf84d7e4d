#include "calm.h"
#include "job.h"
#include "stats.h"
#include "threads.h"

enum { LEAST_REPETITIONS = 7 };

/* While this process had to wait for cores longer than this, a repetition counts only for want of better ones. */
static const double WAIT_SHARE = 0.03, WAIT_SECONDS = 5e-6;

/* For calm repetitions the time of a problem may grow by this factor. */
static const double PATIENCE = 4;

/* ---- Timing ---------------------------------------------------------------------------------------------------- */

static bool flush_caches(job *j, cl_command_queue queue) {
    return !j->flush || limit_flush(&j->bench->limit, j->bench->device, queue) ||
           fail_run(j, "flushing the caches failed");
}

static double time_device(job *j) {
    const cl_command_queue queue = j->bench->device->timed;
    if (!flush_caches(j, queue))
        return -1;
    record_start(queue);
    const bool good = job_enqueue(j, queue);
    const double seconds = record_stop(queue);
    return good ? seconds : -1;
}

static bool enqueue_empty(job *j, cl_command_queue queue) {
    const size_t one = 1;
    return clEnqueueNDRangeKernel(queue, j->bench->device->empty, 1, NULL, &one, &one, 0, NULL, NULL) == CL_SUCCESS;
}

/* From enqueue to finish. Where the device's caches are flushed, the same is enqueued once before that: the host's
 * caches are those of a caller in a loop. */
static double time_host(job *j, bool (*enqueue)(job *, cl_command_queue)) {
    const cl_command_queue queue = j->bench->device->plain;
    if ((j->flush && !enqueue(j, queue)) || !flush_caches(j, queue) || clFinish(queue) != CL_SUCCESS)
        return -1;
    const double start = now();
    const bool good = enqueue(j, queue) && clFinish(queue) == CL_SUCCESS;
    return good ? now() - start : -1;
}

static double time_wall(job *j) {
    return time_host(j, job_enqueue);
}

static double time_launch(job *j) {
    return time_host(j, enqueue_empty);
}

static double time_limit(job *j) {
    if (!flush_caches(j, j->bench->device->timed))
        return -1;
    return limit_time(&j->bench->limit, j->bench->device, j->limit_form, &j->traffic);
}

static double time_host_limit(job *j) {
    const scratch *const s = &j->bench->scratch;
    return limit_time_host((const char *)s->input.host + j->traffic.offset, j->traffic.bytes, s->other_index.host,
                           j->traffic.answer_bytes);
}

static double time_naive(job *j) {
    const cl_command_queue queue = j->bench->device->timed;
    if (!flush_caches(j, queue))
        return -1;
    record_start(queue);
    const bool good = naive_enqueue(&j->naive, queue);
    const double seconds = record_stop(queue);
    return good ? seconds : -1;
}

/* The limit's best form for this problem, by the best of three. */
static int best_form(job *j) {
    int best = 0;
    double least = 0;
    for (int form = 0; form < limit_forms(&j->traffic); form++)
        for (int i = 0; i < 4; i++) {
            j->limit_form = form;
            const double seconds = time_limit(j);
            if (i > 0 && seconds > 0 && (least == 0 || seconds < least)) {
                least = seconds;
                best = form;
            }
        }
    return best;
}

/* What takes turns. */
typedef enum turn { DEVICE, LIMIT, HOST_LIMIT, NAIVE, WALL, LAUNCH, TURN_COUNT } turn;

static double (*const time_turn[TURN_COUNT])(job *) = {time_device, time_limit, time_host_limit,
                                                       time_naive,  time_wall,  time_launch};

/* The naive kernel takes turns when it is not this many times slower than the library. */
static const double NAIVE_TURNS_BELOW = 4;

static bool has_turn(const job *j, turn t) {
    switch (t) {
    case HOST_LIMIT:
        return j->bench->device->is_cpu;
    case NAIVE:
        return j->naive_turns;
    case WALL:
    case LAUNCH:
        return !j->options->naive;
    default:
        return true;
    }
}

/* The times of each turn, all of them and those that nobody disturbed. */
typedef struct series {
    samples all, calm;
} series;

static bool take_turn(job *j, turn t, series *s) {
    const double waited = calm_waited(), seconds = time_turn[t](j);
    if (seconds < 0)
        return fail_run(j, "%s", j->result->failure[0] ? j->result->failure : "an OpenCL call failed");
    samples_add(&s->all, seconds);
    if (calm_waited() - waited <= WAIT_SECONDS + WAIT_SHARE * seconds)
        samples_add(&s->calm, seconds);
    return true;
}

static bool warm_up(job *j) {
    static series unused;
    samples_clear(&unused.all);
    samples_clear(&unused.calm);
    for (int i = 0; i < 2; i++)
        for (turn t = DEVICE; t < TURN_COUNT; t++)
            if (t != HOST_LIMIT && has_turn(j, t) && !take_turn(j, t, &unused))
                return false;
    j->limit_form = best_form(j);
    if (j->options->naive) {
        j->result->naive = time_naive(j);
        const double device = time_device(j);
        if (j->result->naive < 0 || device < 0)
            return false;
        j->naive_turns = j->result->naive < NAIVE_TURNS_BELOW * device;
    }
    calm_watch();
    return true;
}

static samples *chosen(series *s) {
    return s->calm.count >= LEAST_REPETITIONS ? &s->calm : &s->all;
}

static void conclude(job *j, series *s) {
    run_result *const r = j->result;
    samples *const device = chosen(&s[DEVICE]), *const limit = chosen(&s[LIMIT]), *const host = chosen(&s[HOST_LIMIT]);
    r->calm = device == &s[DEVICE].calm && limit == &s[LIMIT].calm;
    r->repetitions = device->count;
    r->device = samples_median(device);
    r->spread = samples_spread(device);
    r->best = samples_best(device);
    r->wall = samples_median(chosen(&s[WALL]));
    r->launch = samples_median(chosen(&s[LAUNCH]));
    r->limit = samples_median(limit);
    r->limit_best = samples_best(limit);
    if (j->naive_turns)
        r->naive = samples_median(chosen(&s[NAIVE]));
    r->reader = "kernel";
    if (host->count > 0 && samples_median(host) < r->limit) {
        r->limit = samples_median(host);
        r->reader = "C loop";
    }
    if (host->count > 0 && samples_best(host) < r->limit_best)
        r->limit_best = samples_best(host);
}

/* Enough of both that the ratio is made of. */
static bool calm_enough(const series *s) {
    return s[DEVICE].calm.count >= LEAST_REPETITIONS && s[LIMIT].calm.count >= LEAST_REPETITIONS;
}

bool job_measure(job *j) {
    static series all[TURN_COUNT];
    for (turn t = DEVICE; t < TURN_COUNT; t++) {
        samples_clear(&all[t].all);
        samples_clear(&all[t].calm);
    }
    if (!warm_up(j))
        return false;
    const double start = now();
    for (double passed = 0; all[DEVICE].all.count < SAMPLES_MAX; passed = now() - start) {
        const double time = calm_enough(all) ? j->options->seconds : PATIENCE * j->options->seconds;
        if (passed >= time && all[DEVICE].all.count >= LEAST_REPETITIONS)
            break;
        for (turn t = DEVICE; t < TURN_COUNT; t++)
            if (has_turn(j, t) && !take_turn(j, t, &all[t]))
                return false;
    }
    conclude(j, all);
    return true;
}
