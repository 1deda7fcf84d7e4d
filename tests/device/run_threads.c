/* run_threads [SECONDS] [SEED] [SELECTOR] [race]
 *
 * Eight threads that share everything that may be shared: one handle, its plans and its cache of plans, in-order queues
 * with one workspace each, an out-of-order queue. They enqueue by shared plans and by one call, with more shapes than
 * the handle keeps plans for, make plans, warm them up and destroy them, make handles, compute on host arrays, read a
 * tuning file with each plan, and are refused. Every answer is compared with the oracle's, every message with the
 * mistake of its own thread. Exit status 0 when all are right.
 *
 * run_threads_stub is the same program on an OpenCL of its own (tests/stub/), for ThreadSanitizer. With `race` the
 * threads count themselves without a lock, which ThreadSanitizer must see. */
#include "objects.h"
#include "oracle.h"
#include "problem.h"
#include "settle.h"

#include <argmax_cl/argmax_cl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS 8
#define OUTPUTS_MAX 128
#define OUTPUT_BYTES ((size_t)OUTPUTS_MAX * 8)
#define WORKSPACE_BYTES ((size_t)1 << 20)
#define BURST 6          /* enqueues before their answers are looked at */
#define QUEUES 3         /* in order */
#define SHAPES 96        /* of the one call: more than a handle keeps plans for */
#define ACTIONS_LEAST 30 /* of each thread, however long compilers take */

/* Reductions in one and in two stages, of all four kernels, with values of every width. */
static const char *const lines[] = {
    "argmax float32 3000 data=peak seed=2999 strategy=split-rows",
    "argmin float32 3x2001 axes=1 data=pair seed=5 strategy=split-rows",
    "argmax int8 5000 data=ties last strategy=split-rows",
    "argmax float64 3000 data=peak seed=2998 strategy=split-rows",
    "argmax float64 31x60 axes=1 data=nanpeak",
    "argmin float16 900x60 axes=0 data=random strategy=split-columns",
    "argmax int64 300x50 axes=0 data=ties",
    "argmax float32 10x70x6 axes=1 data=nan",
    "argmax float32 20x30 strides=1,20 data=peak seed=123 strategy=permuted-rows",
    "argmax uint16 3x500 axes=1 strides=1000,2",
    "argmax bfloat16 100x33 axes=1 data=nan nan=ignore",
    "argmax float32 4000 data=peak seed=3999 strategy=split-rows tuning=gpu",
    "argmin int16 700x70 axes=0 data=ties strategy=split-columns tuning=gpu",
    "argmin uint32 100x40 axes=1 last data=ties tuning=gpu",
};
#define LINES (sizeof lines / sizeof lines[0])
#define JOBS (LINES + SHAPES)

typedef struct job {
    problem_line p;
    problem_desc d;
    argmax_cl_plan plan; /* NULL: one call alone */
    cl_mem input;
    void *host;
    int64_t expected[OUTPUTS_MAX];
    size_t bytes; /* of the outputs */
} job;

static job jobs[JOBS];
static argmax_cl_handle handle;
static cl_context context;
static cl_device_id device;
static cl_command_queue queues[QUEUES], unordered;
static cl_mem workspaces[QUEUES]; /* one for each in-order queue: everyone's enqueues there may share it */
static pthread_barrier_t planned;
static atomic_bool ended;
static bool with_race;
static unsigned long counted;

#define REQUIRE(what)                                                                                                  \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "run_threads: %s failed: %s\n", #what, argmax_cl_last_error());                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* What one thread owns. */
typedef struct worker {
    pthread_t thread;
    unsigned number;
    uint64_t state;
    unsigned long wrong;
    unsigned long runs[8]; /* by action */
    cl_command_queue reader;
    cl_mem outputs[BURST], workspace[BURST];
} worker;

static uint64_t draw(worker *w, uint64_t below) {
    return problem_mix(w->state++) % below;
}

static cl_mem make_buffer(cl_mem_flags flags, size_t bytes, void *content) {
    cl_int code;
    const cl_mem buffer = clCreateBuffer(context, flags, bytes, content, &code);
    REQUIRE(code == CL_SUCCESS);
    return buffer;
}

static cl_command_queue make_queue(bool ordered) {
    const cl_command_queue queue = open_queue(context, device, !ordered);
    REQUIRE(queue);
    return queue;
}

/* ---- one enqueue and its answer ---- */

/* An enqueue on its way. */
typedef struct flight {
    const job *j;
    cl_event done;
} flight;

static argmax_cl_status one_call(const job *j, cl_command_queue queue, const argmax_cl_buffers *b, cl_uint waits,
                                 const cl_event *list, cl_event *done) {
    return (j->p.op == ARGMAX_CL_ARGMIN ? argmin_cl : argmax_cl)(handle, queue, &j->d.desc, b, waits, list, done);
}

/* Spoil the output number i of the thread, then compute into it: by the plan when there is one. */
static flight start(worker *w, unsigned i, const job *j, argmax_cl_plan plan, cl_command_queue queue,
                    cl_mem workspace) {
    const cl_uchar filler = 0x5A;
    argmax_cl_buffers b = ARGMAX_CL_BUFFERS_INIT;
    cl_event spoilt = NULL;
    flight f = {j, NULL};
    b.input = j->input;
    b.index = w->outputs[i];
    REQUIRE(!clEnqueueFillBuffer(queue, b.index, &filler, 1, 0, OUTPUT_BYTES, 0, NULL, &spoilt));
    REQUIRE(!(plan ? argmax_cl_plan_enqueue(plan, queue, &b, workspace, 1, &spoilt, &f.done)
                   : one_call(j, queue, &b, 1, &spoilt, &f.done)));
    clReleaseEvent(spoilt);
    return f;
}

static void look_at(worker *w, unsigned i, const flight *f) {
    int64_t got[OUTPUTS_MAX];
    REQUIRE(!clWaitForEvents(1, &f->done));
    clReleaseEvent(f->done);
    REQUIRE(!clEnqueueReadBuffer(w->reader, w->outputs[i], CL_TRUE, 0, f->j->bytes, got, 0, NULL, NULL));
    if (memcmp(got, f->j->expected, f->j->bytes) != 0 && w->wrong++ < 5) {
        char line[PROBLEM_LINE_SIZE];
        problem_print(&f->j->p, line, sizeof line);
        fprintf(stderr, "run_threads: wrong: %s\n", line);
    }
}

/* ---- what threads do ---- */

/* The plans of all on the queues of all; on an in-order queue with its workspace, else with one of our own. */
static void enqueue_plans(worker *w) {
    flight flights[BURST];
    const unsigned count = 1 + (unsigned)draw(w, BURST), side = (unsigned)draw(w, QUEUES + 1);
    for (unsigned i = 0; i < count; ++i) {
        const job *const j = &jobs[draw(w, LINES)];
        flights[i] = side < QUEUES ? start(w, i, j, j->plan, queues[side], workspaces[side])
                                   : start(w, i, j, j->plan, unordered, w->workspace[i]);
    }
    for (unsigned i = 0; i < count; ++i)
        look_at(w, i, &flights[i]);
}

static void call(worker *w) {
    flight flights[BURST];
    const unsigned count = 1 + (unsigned)draw(w, BURST);
    for (unsigned i = 0; i < count; ++i) {
        const uint64_t side = draw(w, QUEUES + 1);
        flights[i] = start(w, i, &jobs[draw(w, JOBS)], NULL, side < QUEUES ? queues[side] : unordered, NULL);
    }
    for (unsigned i = 0; i < count; ++i)
        look_at(w, i, &flights[i]);
}

static void use_plan(worker *w, const job *j, argmax_cl_plan plan) {
    char text[1024];
    size_t bytes = 0, needed = 0;
    REQUIRE(!argmax_cl_plan_workspace_size(plan, &bytes) && bytes <= WORKSPACE_BYTES);
    REQUIRE(!argmax_cl_plan_describe(plan, text, sizeof text, &needed) && needed <= sizeof text);
    if (draw(w, 2))
        REQUIRE(!argmax_cl_plan_warm_up(plan, queues[draw(w, QUEUES)]));
    const flight f = start(w, 0, j, plan, w->reader, w->workspace[0]);
    argmax_cl_plan_destroy(plan); /* before it is done */
    look_at(w, 0, &f);
}

static void make_plan(worker *w) {
    const job *const j = &jobs[draw(w, JOBS)];
    argmax_cl_plan plan = NULL;
    REQUIRE(!argmax_cl_plan_create(&plan, handle, j->p.op, &j->d.desc));
    use_plan(w, j, plan);
}

/* The plan outlives its handle. */
static void make_handle(worker *w) {
    const job *const j = &jobs[draw(w, LINES)];
    argmax_cl_handle other = NULL;
    argmax_cl_plan plan = NULL;
    REQUIRE(!argmax_cl_create(&other, context, device));
    REQUIRE(!argmax_cl_plan_create(&plan, other, j->p.op, &j->d.desc));
    argmax_cl_destroy(other);
    use_plan(w, j, plan);
}

static void compute_on_host(worker *w) {
    const job *const j = &jobs[draw(w, JOBS)];
    int64_t got[OUTPUTS_MAX] = {0};
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.input = j->host;
    arrays.index = got;
    REQUIRE(!(j->p.op == ARGMAX_CL_ARGMIN ? argmin_cl_host : argmax_cl_host)(handle, &j->d.desc, &arrays, NULL));
    w->wrong += memcmp(got, j->expected, j->bytes) != 0;
}

/* The message is the thread's own, also after others were refused. */
static void expect_refusal(worker *w, argmax_cl_status got, argmax_cl_status expected, const char *part) {
    for (unsigned again = 0; again < 2; ++again) {
        const bool right = got == expected && strstr(argmax_cl_last_error(), part);
        if (!right && w->wrong++ < 5)
            fprintf(stderr, "run_threads: status %d, expected %d; no \"%s\" in: %s\n", (int)got, (int)expected, part,
                    argmax_cl_last_error());
        sched_yield();
    }
}

static void be_refused(worker *w) {
    const job *const j = &jobs[draw(w, LINES)];
    const uint32_t axis = 100 + (uint32_t)draw(w, 1000000);
    argmax_cl_desc desc = j->d.desc;
    argmax_cl_buffers b = ARGMAX_CL_BUFFERS_INIT;
    argmax_cl_plan plan = NULL;
    cl_event event = NULL;
    char part[80];
    desc.axes = &axis;
    desc.axis_count = 1;
    snprintf(part, sizeof part, "axes[0] = %" PRIu32, axis);
    expect_refusal(w, argmax_cl_plan_create(&plan, handle, j->p.op, &desc), ARGMAX_CL_ERROR_INVALID_AXES, part);
    const size_t bytes = 1 + (size_t)draw(w, j->bytes - 1); /* too small, by one byte at least */
    b.input = j->input;
    b.index = make_buffer(CL_MEM_READ_WRITE, bytes, NULL);
    snprintf(part, sizeof part, "buffers->index has %zu bytes: expected at least %zu", bytes, j->bytes);
    expect_refusal(w, argmax_cl_plan_enqueue(j->plan, queues[0], &b, workspaces[0], 0, NULL, &event),
                   ARGMAX_CL_ERROR_BUFFER_TOO_SMALL, part);
    expect_refusal(w, one_call(j, unordered, &b, 0, NULL, &event), ARGMAX_CL_ERROR_BUFFER_TOO_SMALL, part);
    clReleaseMemObject(b.index);
    w->wrong += plan != NULL || event != NULL;
}

static const struct {
    const char *name;
    void (*act)(worker *w);
    unsigned weight;
} actions[] = {{"enqueues of shared plans", enqueue_plans, 30},
               {"one calls", call, 30},
               {"plans", make_plan, 12},
               {"handles", make_handle, 1},
               {"host calls", compute_on_host, 10},
               {"refusals", be_refused, 10}};
#define ACTIONS (sizeof actions / sizeof actions[0])

static void *work(void *argument) {
    worker *const w = argument;
    unsigned all = 0, done = 0;
    /* Everyone's share of the plans of all, at once: the handle's programs and counters are made in a race, too. */
    for (size_t i = w->number; i < LINES; i += THREADS)
        REQUIRE(!argmax_cl_plan_create(&jobs[i].plan, handle, jobs[i].p.op, &jobs[i].d.desc));
    pthread_barrier_wait(&planned);
    /* Nobody has held a lock since: nothing orders these, whatever the machine's load. Later the library's locks do. */
    if (with_race)
        ++counted;
    for (size_t i = 0; i < ACTIONS; ++i)
        all += actions[i].weight;
    while (done++ < ACTIONS_LEAST || !atomic_load_explicit(&ended, memory_order_relaxed)) {
        unsigned left = (unsigned)draw(w, all);
        size_t i = 0;
        for (; left >= actions[i].weight; ++i)
            left -= actions[i].weight;
        actions[i].act(w);
        ++w->runs[i];
    }
    return NULL;
}

/* ---- before and after ---- */

static void open_job(job *j, const char *line) {
    char error[300];
    REQUIRE(problem_parse(line, &j->p, error, sizeof error));
    const size_t bytes = (size_t)problem_input_extent(&j->p) * problem_dtype_find(j->p.dtype)->bits / 8;
    j->host = malloc(bytes);
    REQUIRE(j->host && problem_output_count(&j->p) <= OUTPUTS_MAX);
    problem_fill(&j->p, j->host);
    oracle_solve(&j->p, j->host, j->expected, NULL);
    problem_describe(&j->p, &j->d);
    j->bytes = (size_t)problem_output_count(&j->p) * 8;
    j->input = make_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, j->host);
}

static void open_jobs(uint64_t seed) {
    static const char *const kinds[] = {"float32", "uint8", "int64"};
    for (size_t i = 0; i < JOBS; ++i) {
        char line[100];
        const size_t shape = i - LINES;
        snprintf(line, sizeof line, "argm%s %s %zux40 axes=1 data=ties seed=%" PRIu64, shape % 2 ? "ax" : "in",
                 kinds[shape / 2 % 3], shape + 4, seed % 1000 + shape);
        open_job(&jobs[i], i < LINES ? lines[i] : line);
    }
}

static void open_worker(worker *w, unsigned number, uint64_t seed) {
    memset(w, 0, sizeof *w);
    w->number = number;
    w->state = (seed << 32) + ((uint64_t)number << 24);
    w->reader = make_queue(true);
    for (unsigned i = 0; i < BURST; ++i) {
        w->outputs[i] = make_buffer(CL_MEM_READ_WRITE, OUTPUT_BYTES, NULL);
        w->workspace[i] = make_buffer(CL_MEM_READ_WRITE, WORKSPACE_BYTES, NULL);
    }
}

static void close_worker(worker *w) {
    clReleaseCommandQueue(w->reader);
    for (unsigned i = 0; i < BURST; ++i) {
        clReleaseMemObject(w->outputs[i]);
        clReleaseMemObject(w->workspace[i]);
    }
}

static void close_all(void) {
    for (unsigned i = 0; i < QUEUES; ++i) {
        clFinish(queues[i]);
        clReleaseCommandQueue(queues[i]);
        clReleaseMemObject(workspaces[i]);
    }
    clFinish(unordered);
    clReleaseCommandQueue(unordered);
    for (size_t i = 0; i < JOBS; ++i) {
        argmax_cl_plan_destroy(jobs[i].plan);
        clReleaseMemObject(jobs[i].input);
        free(jobs[i].host);
    }
    argmax_cl_destroy(handle);
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
    unsigned long runs[ACTIONS] = {0}, wrong = 0;
    const unsigned seconds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    with_race = argc > 4 && strcmp(argv[4], "race") == 0;
    REQUIRE(!argmax_cl_create_default(&handle, argc > 3 ? argv[3] : NULL));
    REQUIRE(!argmax_cl_get_device(handle, &context, &device));
    open_jobs(seed);
    settle_jobs();
    for (unsigned i = 0; i < QUEUES; ++i) {
        queues[i] = make_queue(true);
        workspaces[i] = make_buffer(CL_MEM_READ_WRITE, WORKSPACE_BYTES, NULL);
    }
    pthread_barrier_init(&planned, NULL, THREADS);
    unordered = make_queue(false);
    for (unsigned i = 0; i < THREADS; ++i)
        open_worker(&workers[i], i, seed);
    for (unsigned i = 0; i < THREADS; ++i)
        REQUIRE(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    sleep(seconds);
    atomic_store_explicit(&ended, true, memory_order_relaxed);
    for (unsigned i = 0; i < THREADS; ++i) {
        pthread_join(workers[i].thread, NULL);
        wrong += workers[i].wrong;
        for (size_t a = 0; a < ACTIONS; ++a)
            runs[a] += workers[i].runs[a];
        close_worker(&workers[i]);
    }
    close_all();
    printf("seed %" PRIu64 ", %u threads, %u s:", seed, THREADS, seconds);
    for (size_t a = 0; a < ACTIONS; ++a)
        printf(" %lu %s,", runs[a], actions[a].name);
    printf(" %lu wrong\n", wrong);
    if (with_race)
        printf("%lu counted\n", counted);
    return wrong != 0;
}
