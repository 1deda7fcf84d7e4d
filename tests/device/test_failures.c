/* What happens when something else fails: an awaited event, a handle that shares a queue with another one. Runs on the
 * tests' own OpenCL too, whose in-order queues go on after a command that failed. */
#include "job.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char *const lines[] = {"argmax float32 50x30 axes=1", "argmax float32 5000 axes=0 strategy=split-rows",
                                    "argmax float32 64x50 axes=0 strategy=split-columns"};

static cl_int state_of(cl_event event) {
    cl_int state = CL_COMPLETE;
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return state;
}

/* Whether a single command fails when the event that it waits for does: not so on Intel's CPU runtime, in order. */
static bool commands_fail(bool out_of_order) {
    cl_int code;
    cl_event done = NULL;
    uint64_t number = 7;
    const cl_command_queue queue = queue_of(suite_runner(), out_of_order);
    const cl_mem memory = buffer_of(suite_runner(), CL_MEM_READ_WRITE, sizeof number, NULL);
    const cl_event gate = clCreateUserEvent(suite_runner()->context, &code);
    ck_assert_int_eq(clEnqueueWriteBuffer(queue, memory, CL_FALSE, 0, sizeof number, &number, 1, &gate, &done),
                     CL_SUCCESS);
    clFlush(queue);
    ck_assert_int_eq(clSetUserEventStatus(gate, -1), CL_SUCCESS);
    clWaitForEvents(1, &done);
    const bool fails = state_of(done) < 0;
    clReleaseEvent(done);
    clReleaseEvent(gate);
    clReleaseMemObject(memory);
    clReleaseCommandQueue(queue);
    return fails;
}

/* The event of an operation whose wait list fails does so too, and the next operation is right. */
static void failed_dependency(const char *line, bool out_of_order, bool by_plan) {
    job j;
    cl_int code;
    cl_event done = NULL;
    job_open(&j, line);
    const cl_command_queue queue = queue_of(suite_runner(), out_of_order);
    const argmax_cl_plan plan = by_plan ? plan_of(&j) : NULL;
    const cl_mem workspace = by_plan ? workspace_of(plan) : NULL;
    const cl_event gate = clCreateUserEvent(suite_runner()->context, &code);
    int64_t before[OUTPUTS_MAX], after[OUTPUTS_MAX];
    const size_t bytes = (size_t)problem_output_count(&j.p) * sizeof before[0];
    job_spoil(&j, suite_runner()->queue);
    clEnqueueReadBuffer(suite_runner()->queue, j.buffers.index, CL_TRUE, 0, bytes, before, 0, NULL, NULL);
    ck_assert_int_eq(job_enqueue(&j, plan, queue, workspace, 1, &gate, &done), ARGMAX_CL_SUCCESS);
    clFlush(queue);
    ck_assert_int_eq(clSetUserEventStatus(gate, -1), CL_SUCCESS);
    clWaitForEvents(1, &done); /* implementations differ in what it returns */
    ck_assert_msg(state_of(done) < 0 || !commands_fail(out_of_order), "%s, %s queue: status %d after a failed event",
                  line, out_of_order ? "out-of-order" : "in-order", (int)state_of(done));
    clEnqueueReadBuffer(suite_runner()->queue, j.buffers.index, CL_TRUE, 0, bytes, after, 0, NULL, NULL);
    ck_assert_msg(memcmp(before, after, bytes) == 0, "%s: outputs are written after a failed event", line);
    job_spoil(&j, suite_runner()->queue);
    ck_assert_int_eq(job_enqueue(&j, plan, suite_runner()->queue, workspace, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
    ck_assert_msg(job_is_right(&j, suite_runner()->queue, NULL), "%s after a failed event", line);
    clReleaseEvent(done);
    clReleaseEvent(gate);
    clReleaseCommandQueue(queue);
    if (workspace)
        clReleaseMemObject(workspace);
    argmax_cl_plan_destroy(plan);
    job_close(&j);
}

/* On out-of-order queues drivers crash by themselves: docs/portability.md. */
START_TEST(failed_dependencies_fail_the_operation) {
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        for (int by_plan = 0; by_plan < 2; by_plan++)
            failed_dependency(lines[i], false, by_plan);
}
END_TEST

/* ---- handles that share an in-order queue and a workspace ---- */

typedef struct worker {
    pthread_t thread;
    job j;
    argmax_cl_handle handle;
    argmax_cl_plan plan;
    cl_mem workspace;
    int wrong;
} worker;

enum { WORKERS = 4, TURNS = 300 };

static void *enqueue_and_check(void *argument) {
    worker *const w = argument;
    const cl_command_queue queue = suite_runner()->queue;
    for (int i = 0; i < TURNS; i++) {
        cl_event done = NULL;
        if (argmax_cl_plan_enqueue(w->plan, queue, &w->j.buffers, w->workspace, 0, NULL, &done) != ARGMAX_CL_SUCCESS ||
            !job_is_right(&w->j, queue, done))
            w->wrong++;
        if (done)
            clReleaseEvent(done);
    }
    return NULL;
}

START_TEST(handles_share_a_queue_and_a_workspace) {
    worker workers[WORKERS];
    size_t most = 0;
    memset(workers, 0, sizeof workers);
    for (int i = 0; i < WORKERS; i++) {
        char line[100];
        worker *const w = &workers[i];
        snprintf(line, sizeof line, "argmax float32 %d axes=0 data=pair seed=%d strategy=split-rows", 5000 + 100 * i,
                 i);
        job_open(&w->j, line);
        ck_assert_int_eq(argmax_cl_create(&w->handle, suite_runner()->context, suite_runner()->device),
                         ARGMAX_CL_SUCCESS);
        ck_assert_int_eq(argmax_cl_plan_create(&w->plan, w->handle, w->j.p.op, &w->j.d.desc), ARGMAX_CL_SUCCESS);
        most = workspace_bytes(w->plan) > most ? workspace_bytes(w->plan) : most;
    }
    const cl_mem workspace = buffer_of(suite_runner(), CL_MEM_READ_WRITE, most, NULL);
    for (int i = 0; i < WORKERS; i++) {
        workers[i].workspace = workspace;
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, enqueue_and_check, &workers[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < WORKERS; i++) {
        ck_assert_msg(workers[i].wrong == 0, "handle %d: %d of %d wrong", i, workers[i].wrong, TURNS);
        argmax_cl_plan_destroy(workers[i].plan);
        argmax_cl_destroy(workers[i].handle);
        job_close(&workers[i].j);
    }
    clReleaseMemObject(workspace);
}
END_TEST

/* ---- a queue that is not the plan's ---- */

START_TEST(warming_up_checks_its_queue) {
    job j;
    cl_int code;
    job_open(&j, lines[0]);
    const argmax_cl_plan plan = plan_of(&j);
    const cl_device_id device = suite_runner()->device;
    const cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    const cl_command_queue queue = clCreateCommandQueue(other, device, 0, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    ck_assert_int_eq(argmax_cl_plan_warm_up(plan, queue), ARGMAX_CL_ERROR_INVALID_QUEUE);
    ck_assert_int_eq(argmax_cl_plan_warm_up(plan, suite_runner()->queue), ARGMAX_CL_SUCCESS);
    clReleaseCommandQueue(queue);
    clReleaseContext(other);
    argmax_cl_plan_destroy(plan);
    job_close(&j);
}
END_TEST

SUITE_MAIN("failures", failed_dependencies_fail_the_operation, handles_share_a_queue_and_a_workspace,
           warming_up_checks_its_queue)
