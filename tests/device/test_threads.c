/* Threads on one handle and one plan, and a forked child. */
#include "job.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#define THREADS 8
#define ROUNDS 60

/* What one thread does over and over: its own buffers, queue and workspace; the handle, and perhaps the plan, of all.
 */
typedef struct worker {
    job j;
    argmax_cl_plan plan; /* NULL: one-call use */
    cl_mem workspace;
    cl_command_queue queue;
    int wrong;
} worker;

static int work(void *argument) {
    worker *const w = argument;
    for (int i = 0; i < ROUNDS; i++) {
        const size_t bytes = (size_t)problem_output_count(&w->j.p) * 8;
        const cl_uchar spoilt = 0x5A;
        cl_event done = NULL;
        w->wrong +=
            clEnqueueFillBuffer(w->queue, w->j.buffers.index, &spoilt, 1, 0, bytes, 0, NULL, NULL) != CL_SUCCESS;
        w->wrong += job_enqueue(&w->j, w->plan, w->queue, w->workspace, 0, NULL, &done) != ARGMAX_CL_SUCCESS;
        w->wrong += !job_is_right(&w->j, w->queue, done);
        if (done)
            clReleaseEvent(done);
    }
    return 0;
}

/* Threads take the lines in turn; with `shared` those of one line share a plan. */
static void run_threads(uint32_t count, const char *const lines[2], bool shared) {
    worker workers[THREADS];
    thrd_t threads[THREADS];
    argmax_cl_plan plans[2] = {NULL, NULL};
    memset(workers, 0, sizeof workers);
    for (uint32_t i = 0; i < count; i++) {
        worker *const w = &workers[i];
        job_open(&w->j, lines[i % 2]);
        w->queue = queue_of(suite_runner(), false);
        if (shared && !plans[i % 2])
            plans[i % 2] = plan_of(&w->j);
        w->plan = plans[i % 2];
        w->workspace = w->plan ? workspace_of(w->plan) : NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        ck_assert_int_eq(thrd_create(&threads[i], work, &workers[i]), thrd_success);
    for (uint32_t i = 0; i < count; i++) {
        worker *const w = &workers[i];
        thrd_join(threads[i], NULL);
        ck_assert_msg(w->wrong == 0, "thread %u of %u: %d wrong in %d rounds", i, count, w->wrong, ROUNDS);
        if (w->workspace)
            clReleaseMemObject(w->workspace);
        clReleaseCommandQueue(w->queue);
        job_close(&w->j);
    }
    argmax_cl_plan_destroy(plans[0]);
    argmax_cl_plan_destroy(plans[1]);
}

START_TEST(threads_share_a_handle_and_a_plan) {
    static const char *const lines[2] = {"argmax float32 70000 axes=0 data=pair seed=60000 strategy=split-rows",
                                         "argmin int8 40x1000 axes=1 data=ties"};
    static const uint32_t counts[] = {2, THREADS};
    for (size_t i = 0; i < 2; i++)
        for (int shared = 0; shared < 2; shared++)
            run_threads(counts[i], lines, shared);
}
END_TEST

/* Each thread has a last error of its own. */
static int fail_and_look(void *argument) {
    (void)argument;
    const bool clean = argmax_cl_last_error()[0] == 0;
    argmax_cl_plan plan = NULL;
    const argmax_cl_status status = argmax_cl_plan_create(&plan, NULL, ARGMAX_CL_ARGMAX, NULL);
    return clean && status != ARGMAX_CL_SUCCESS && argmax_cl_last_error()[0] ? 1 : 0;
}

START_TEST(errors_belong_to_their_thread) {
    thrd_t thread;
    int result = 0;
    uint64_t coordinate;
    ck_assert_int_ne(argmax_cl_unravel(5, 1, (const uint64_t[]){3}, &coordinate), ARGMAX_CL_SUCCESS);
    char mine[512];
    strncpy(mine, argmax_cl_last_error(), sizeof mine - 1);
    mine[sizeof mine - 1] = 0;
    ck_assert_int_eq(thrd_create(&thread, fail_and_look, NULL), thrd_success);
    thrd_join(thread, &result);
    ck_assert_int_eq(result, 1);
    ck_assert_str_eq(argmax_cl_last_error(), mine);
}
END_TEST

/* In the child nothing but the library is called, and it leaves by _exit: OpenCL's own exit handlers would hang. */
static int in_child(const job *j, argmax_cl_plan plan) {
    const runner *const r = suite_runner();
    argmax_cl_handle handle = NULL;
    argmax_cl_plan other = NULL;
    uint32_t count = 0;
    cl_event event = NULL;
    const argmax_cl_status got[] = {
        argmax_cl_plan_enqueue(plan, r->queue, &j->buffers, NULL, 0, NULL, &event),
        argmax_cl(r->handle, r->queue, &j->d.desc, &j->buffers, 0, NULL, &event),
        argmax_cl_plan_create(&other, r->handle, ARGMAX_CL_ARGMAX, &j->d.desc),
        argmax_cl_plan_warm_up(plan, r->queue),
        argmax_cl_create_default(&handle, NULL),
        argmax_cl_create(&handle, r->context, r->device),
        argmax_cl_list_devices(0, NULL, &count),
    };
    for (int i = 0; i < (int)(sizeof got / sizeof got[0]); i++)
        if (got[i] != ARGMAX_CL_ERROR_FORKED)
            return 1 + i;
    return handle || other || event ? 100 : 0;
}

START_TEST(a_forked_child_is_refused) {
    job j;
    job_open(&j, ONE_STAGE);
    const argmax_cl_plan plan = plan_of(&j);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        alarm(120); /* a hang becomes a signal */
        _exit(in_child(&j, plan));
    }
    int state = 0;
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    ck_assert_msg(WIFEXITED(state), "the child was ended by signal %d", WTERMSIG(state));
    ck_assert_msg(WEXITSTATUS(state) == 0, "call %d of the child was not refused", WEXITSTATUS(state));
    /* The parent goes on as before. */
    job_spoil(&j, suite_runner()->queue);
    ck_assert_int_eq(job_enqueue(&j, NULL, suite_runner()->queue, NULL, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
    ck_assert(job_is_right(&j, suite_runner()->queue, NULL));
    argmax_cl_plan_destroy(plan);
    job_close(&j);
}
END_TEST

SUITE_MAIN("threads", threads_share_a_handle_and_a_plan, errors_belong_to_their_thread, a_forked_child_is_refused)
