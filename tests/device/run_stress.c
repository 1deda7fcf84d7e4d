/* run_stress [SECONDS] [SEED] [SELECTOR]
 *
 * Threads that share a handle and its plans, with queues of their own that come and go: many enqueues in a row on one
 * workspace, queues released while their commands run and made again, out-of-order queues, more queues than a handle
 * tells apart. Every answer is compared with the oracle's; exit status 0 when all are right. */
#include "objects.h"
#include "oracle.h"
#include "problem.h"
#include "settle.h"

#include <argmax_cl/argmax_cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#define OUTPUTS_MAX 256
#define OUTPUT_BYTES ((size_t)OUTPUTS_MAX * 8)
#define THREADS 4
#define ROW 48    /* enqueues in a row */
#define QUEUES 80 /* at once: more than a handle keeps counters for */

/* Reductions that are cut into parts, few of them and many, and some that are not. */
static const char *const lines[] = {
    "argmax float32 70000 data=peak seed=69999 strategy=split-rows",
    "argmin float32 3x70001 axes=1 data=pair seed=5 strategy=split-rows",
    "argmax int8 200000 data=ties last strategy=split-rows",
    "argmax float64 131x600 axes=1 data=nanpeak strategy=split-rows",
    "argmin float16 5000x60 axes=0 data=random strategy=split-columns",
    "argmax int64 900x250 axes=0 data=ties strategy=split-columns",
    "argmax float32 40x700x6 axes=1 data=nan strategy=split-columns",
    "argmax float32 200x300 strides=1,200 data=peak seed=123 strategy=permuted-rows",
    "argmax uint16 3x5000 axes=1 strides=10000,2 strategy=split-strided-rows",
    "argmax float32 100x300 axes=1 data=random",
    "argmax float32 90000 data=peak seed=89999 strategy=split-rows tuning=gpu",
    "argmin int16 4000x70 axes=0 data=ties strategy=split-columns tuning=gpu",
    "argmax float32 150x300 strides=1,150 data=pair seed=99 strategy=permuted-rows tuning=gpu",
};
#define JOBS (sizeof lines / sizeof lines[0])

typedef struct shared_job {
    problem_line p;
    problem_desc d;
    argmax_cl_plan plan;
    cl_mem input;
    int64_t expected[OUTPUTS_MAX];
    size_t bytes; /* of the outputs */
} shared_job;

static shared_job jobs[JOBS];
static argmax_cl_handle handle;
static cl_context context;
static cl_device_id device;
static size_t workspace_bytes;
static double seconds = 2;

#define REQUIRE(what)                                                                                                  \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "run_stress: %s failed: %s\n", #what, argmax_cl_last_error());                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static void open_job(shared_job *j, const char *line) {
    char error[300];
    size_t workspace;
    cl_int code;
    REQUIRE(problem_parse(line, &j->p, error, sizeof error));
    const size_t bytes = (size_t)problem_input_extent(&j->p) * problem_dtype_find(j->p.dtype)->bits / 8;
    void *const input = malloc(bytes);
    REQUIRE(input && problem_output_count(&j->p) <= OUTPUTS_MAX);
    problem_fill(&j->p, input);
    oracle_solve(&j->p, input, j->expected, NULL);
    problem_describe(&j->p, &j->d);
    j->bytes = (size_t)problem_output_count(&j->p) * 8;
    j->input = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, input, &code);
    REQUIRE(code == CL_SUCCESS);
    REQUIRE(!argmax_cl_plan_create(&j->plan, handle, j->p.op, &j->d.desc));
    REQUIRE(!argmax_cl_plan_workspace_size(j->plan, &workspace));
    workspace_bytes = workspace > workspace_bytes ? workspace : workspace_bytes;
    free(input);
}

static cl_command_queue make_queue(bool out_of_order) {
    const cl_command_queue queue = open_queue(context, device, out_of_order);
    REQUIRE(queue);
    return queue;
}

static cl_mem make_buffer(size_t bytes) {
    cl_int code;
    const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    REQUIRE(code == CL_SUCCESS);
    return buffer;
}

/* What one thread owns: outputs for a row of enqueues on each of two queues, which run at the same time. */
typedef struct worker {
    uint64_t state;
    bool mixed; /* some queues are out of order */
    unsigned long runs, wrong;
    cl_command_queue reader;
    cl_mem outputs[2][ROW], workspace[2][2];
    unsigned chosen[2][ROW];
} worker;

static uint64_t draw(worker *w, uint64_t below) {
    return problem_mix(w->state++) % below;
}

static void put_job(worker *w, const shared_job *j, cl_command_queue queue, cl_mem output, cl_mem workspace,
                    cl_uint waits, const cl_event *list, cl_event *done) {
    argmax_cl_buffers b = ARGMAX_CL_BUFFERS_INIT;
    b.input = j->input;
    b.index = output;
    if (draw(w, 4) > 0)
        REQUIRE(!argmax_cl_plan_enqueue(j->plan, queue, &b, workspace, waits, list, done));
    else
        REQUIRE(
            !(j->p.op == ARGMAX_CL_ARGMIN ? argmin_cl : argmax_cl)(handle, queue, &j->d.desc, &b, waits, list, done));
}

/* Put a row of enqueues on a queue. An out-of-order queue runs two of them at a time, each after the one before the
 * last, whose workspace it has. The event of the last one. */
static cl_event put_row(worker *w, unsigned side, cl_command_queue queue, bool out_of_order) {
    const cl_uchar filler = 0x5A;
    cl_event before[2] = {NULL, NULL}, end = NULL;
    for (unsigned i = 0; i < ROW; ++i) {
        const cl_mem output = w->outputs[side][i];
        cl_event filled = NULL, *const last = &before[i % 2];
        w->chosen[side][i] = (unsigned)draw(w, JOBS);
        REQUIRE(!clEnqueueFillBuffer(queue, output, &filler, 1, 0, OUTPUT_BYTES, *last ? 1 : 0, *last ? last : NULL,
                                     out_of_order ? &filled : NULL));
        if (*last)
            clReleaseEvent(*last);
        put_job(w, &jobs[w->chosen[side][i]], queue, output, w->workspace[side][i % 2], filled ? 1 : 0,
                filled ? &filled : NULL, out_of_order ? last : NULL);
        if (filled)
            clReleaseEvent(filled);
    }
    REQUIRE(!clEnqueueMarkerWithWaitList(queue, out_of_order ? 2 : 0, out_of_order ? before : NULL, &end));
    for (unsigned i = 0; i < 2 && out_of_order; ++i)
        clReleaseEvent(before[i]);
    clFlush(queue);
    return end;
}

static void check_row(worker *w, unsigned side, cl_event done) {
    int64_t got[OUTPUTS_MAX];
    REQUIRE(!clWaitForEvents(1, &done));
    clReleaseEvent(done);
    for (unsigned i = 0; i < ROW; ++i) {
        const shared_job *const j = &jobs[w->chosen[side][i]];
        REQUIRE(!clEnqueueReadBuffer(w->reader, w->outputs[side][i], CL_TRUE, 0, j->bytes, got, 0, NULL, NULL));
        ++w->runs;
        if (memcmp(got, j->expected, j->bytes) != 0 && w->wrong++ < 5)
            fprintf(stderr, "run_stress: wrong: %s\n", lines[w->chosen[side][i]]);
    }
}

static int work(void *argument) {
    worker *const w = argument;
    const time_t end = time(NULL) + (time_t)seconds;
    w->reader = make_queue(false);
    for (unsigned side = 0; side < 2; ++side) {
        for (unsigned i = 0; i < 2; ++i)
            w->workspace[side][i] = make_buffer(workspace_bytes);
        for (unsigned i = 0; i < ROW; ++i)
            w->outputs[side][i] = make_buffer(OUTPUT_BYTES);
    }
    while (w->runs == 0 || time(NULL) < end) {
        const bool out_of_order[2] = {w->mixed && draw(w, 2), w->mixed && draw(w, 2)};
        cl_event done[2];
        for (unsigned side = 0; side < 2; ++side) {
            const cl_command_queue queue = make_queue(out_of_order[side]);
            done[side] = put_row(w, side, queue, out_of_order[side]);
            clReleaseCommandQueue(queue); /* the second one may get its address */
        }
        check_row(w, 0, done[0]);
        check_row(w, 1, done[1]);
    }
    for (unsigned side = 0; side < 2; ++side) {
        for (unsigned i = 0; i < 2; ++i)
            clReleaseMemObject(w->workspace[side][i]);
        for (unsigned i = 0; i < ROW; ++i)
            clReleaseMemObject(w->outputs[side][i]);
    }
    clReleaseCommandQueue(w->reader);
    return 0;
}

/* All at once, so that some get no counters. */
static void hold_queues(cl_command_queue queues[QUEUES]) {
    const shared_job *const j = &jobs[0];
    argmax_cl_buffers b = ARGMAX_CL_BUFFERS_INIT;
    int64_t got[OUTPUTS_MAX];
    const cl_mem workspace = make_buffer(workspace_bytes);
    b.input = j->input;
    b.index = make_buffer(j->bytes);
    for (unsigned i = 0; i < QUEUES; ++i) {
        queues[i] = make_queue(false);
        REQUIRE(!argmax_cl_plan_enqueue(j->plan, queues[i], &b, workspace, 0, NULL, NULL));
        REQUIRE(!clEnqueueReadBuffer(queues[i], b.index, CL_TRUE, 0, j->bytes, got, 0, NULL, NULL));
        REQUIRE(memcmp(got, j->expected, j->bytes) == 0);
    }
    clReleaseMemObject(b.index);
    clReleaseMemObject(workspace);
}

static void settle_jobs(void) {
    argmax_cl_handle own = NULL;
    if (!must_settle(device))
        return;
    REQUIRE(!argmax_cl_create(&own, context, device));
    for (size_t i = 0; i < JOBS; ++i)
        REQUIRE(settle(own, jobs[i].p.op, &jobs[i].d.desc, jobs[i].input, jobs[i].bytes));
    argmax_cl_destroy(own);
}

int main(int argc, char **argv) {
    static worker workers[THREADS];
    static cl_command_queue queues[QUEUES];
    thrd_t threads[THREADS];
    unsigned long runs = 0, wrong = 0;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    seconds = argc > 1 ? strtod(argv[1], NULL) : seconds;
    REQUIRE(!argmax_cl_create_default(&handle, argc > 3 ? argv[3] : NULL));
    REQUIRE(!argmax_cl_get_device(handle, &context, &device));
    for (size_t i = 0; i < JOBS; ++i)
        open_job(&jobs[i], lines[i]);
    settle_jobs();
    for (unsigned round = 0; round < 3; ++round) {
        if (round == 2)
            hold_queues(queues);
        /* Intel's CPU runtime hangs when one of several threads uses an out-of-order queue. */
        const unsigned count = round == 1 ? 1 : THREADS;
        for (unsigned i = 0; i < count; ++i) {
            workers[i] = (worker){.state = (seed << 32) + ((uint64_t)round << 28) + (i << 24), .mixed = round == 1};
            REQUIRE(thrd_create(&threads[i], work, &workers[i]) == thrd_success);
        }
        for (unsigned i = 0; i < count; ++i) {
            thrd_join(threads[i], NULL);
            runs += workers[i].runs;
            wrong += workers[i].wrong;
        }
    }
    printf("seed %llu: %lu enqueues, %lu wrong\n", (unsigned long long)seed, runs, wrong);
    for (unsigned i = 0; i < QUEUES; ++i)
        clReleaseCommandQueue(queues[i]);
    for (size_t i = 0; i < JOBS; ++i) {
        clReleaseMemObject(jobs[i].input);
        argmax_cl_plan_destroy(jobs[i].plan);
    }
    argmax_cl_destroy(handle);
    return wrong != 0;
}
