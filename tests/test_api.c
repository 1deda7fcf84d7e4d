/* The calls themselves: events and wait lists, queues, workspaces, lifetimes, the environment, threads and fork. What
 * the kernels compute is the business of the other tests. */
#include "internal.h"
#include "kinds.h"
#include "oracle.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

/* ---- One problem with its buffers ------------------------------------------------------------------------------ */

#define OUTPUTS_MAX 1024

typedef struct job {
    problem_line p;
    problem_desc d;
    argmax_cl_buffers buffers;
    void *input;
    int64_t expected[OUTPUTS_MAX]; /* indices: every job has packed int64 outputs */
} job;

static cl_mem buffer_of(const runner *r, cl_mem_flags flags, size_t bytes, void *content) {
    cl_int code;
    const cl_mem buffer =
        clCreateBuffer(r->context, flags | (content ? CL_MEM_COPY_HOST_PTR : 0), bytes, content, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    return buffer;
}

static void job_open(job *j, const char *line) {
    char error[300];
    memset(j, 0, sizeof *j);
    ck_assert_msg(problem_parse(line, &j->p, error, sizeof error), "%s: %s", line, error);
    const uint64_t count = problem_output_count(&j->p);
    ck_assert_uint_le(count, OUTPUTS_MAX);
    const size_t bytes = (size_t)problem_input_extent(&j->p) * problem_dtype_find(j->p.dtype)->bits / 8;
    j->input = malloc(bytes ? bytes : 1);
    ck_assert_ptr_nonnull(j->input);
    problem_fill(&j->p, j->input);
    oracle_solve(&j->p, j->input, j->expected, NULL);
    problem_describe(&j->p, &j->d);
    argmax_cl_buffers_init(&j->buffers);
    if (bytes)
        j->buffers.input = buffer_of(suite_runner(), CL_MEM_READ_ONLY, bytes, j->input);
    if (count)
        j->buffers.index = buffer_of(suite_runner(), CL_MEM_WRITE_ONLY, (size_t)count * 8, NULL);
}

static void job_close(job *j) {
    if (j->buffers.input)
        clReleaseMemObject(j->buffers.input);
    if (j->buffers.index)
        clReleaseMemObject(j->buffers.index);
    free(j->input);
}

/* Outputs that no problem gives, so that a stale answer cannot pass. */
static void job_spoil(const job *j, cl_command_queue queue) {
    int64_t spoilt[OUTPUTS_MAX];
    const size_t bytes = (size_t)problem_output_count(&j->p) * 8;
    memset(spoilt, 0x5A, sizeof spoilt);
    ck_assert_int_eq(clEnqueueWriteBuffer(queue, j->buffers.index, CL_TRUE, 0, bytes, spoilt, 0, NULL, NULL),
                     CL_SUCCESS);
}

/* Whether the outputs are right; reads them after `event`. Usable outside the main thread, unlike Check's macros. */
static bool job_is_right(const job *j, cl_command_queue queue, cl_event event) {
    int64_t index[OUTPUTS_MAX];
    const size_t bytes = (size_t)problem_output_count(&j->p) * 8;
    return clEnqueueReadBuffer(queue, j->buffers.index, CL_TRUE, 0, bytes, index, event ? 1 : 0, event ? &event : NULL,
                               NULL) == CL_SUCCESS &&
           memcmp(index, j->expected, bytes) == 0;
}

static cl_command_queue queue_of(const runner *r, cl_command_queue_properties properties) {
    cl_int code;
    const cl_command_queue queue = clCreateCommandQueue(r->context, r->device, properties, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    return queue;
}

static argmax_cl_plan plan_of(const job *j) {
    argmax_cl_plan plan = NULL;
    ck_assert_msg(argmax_cl_plan_create(&plan, suite_runner()->handle, j->p.op, &j->d.desc) == ARGMAX_CL_SUCCESS, "%s",
                  argmax_cl_last_error());
    return plan;
}

static size_t workspace_bytes(argmax_cl_plan plan) {
    size_t bytes = 0;
    ck_assert_int_eq(argmax_cl_plan_workspace_size(plan, &bytes), ARGMAX_CL_SUCCESS);
    return bytes;
}

static cl_mem workspace_of(argmax_cl_plan plan) {
    const size_t bytes = workspace_bytes(plan);
    return bytes ? buffer_of(suite_runner(), CL_MEM_READ_WRITE, bytes, NULL) : NULL;
}

#define ONE_STAGE "argmax float32 500x300 axes=1"
#define TWO_STAGES "argmax float32 1000000 axes=0 data=pair seed=777777 strategy=split-rows"

/* ---- Events and queues ----------------------------------------------------------------------------------------- */

static cl_int event_state(cl_event event) {
    cl_int state = -1;
    ck_assert_int_eq(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL), CL_SUCCESS);
    return state;
}

static argmax_cl_status enqueue(const job *j, argmax_cl_plan plan, cl_command_queue queue, cl_mem workspace,
                                cl_uint count, const cl_event *list, cl_event *event) {
    if (plan)
        return argmax_cl_plan_enqueue(plan, queue, &j->buffers, workspace, count, list, event);
    return (j->p.op == ARGMAX_CL_ARGMIN ? argmin_cl : argmax_cl)(suite_runner()->handle, queue, &j->d.desc, &j->buffers,
                                                                 count, list, event);
}

/* Nothing may run before the wait list allows it, and the event tells when the outputs are there. */
static void gated_run(const char *line, bool out_of_order, bool by_plan) {
    job j;
    cl_int code;
    cl_event done = NULL;
    job_open(&j, line);
    const cl_command_queue queue = queue_of(suite_runner(), out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    job_spoil(&j, queue);
    argmax_cl_plan plan = by_plan ? plan_of(&j) : NULL;
    const cl_mem workspace = by_plan ? workspace_of(plan) : NULL;
    const cl_event gates[2] = {clCreateUserEvent(suite_runner()->context, &code),
                               clCreateUserEvent(suite_runner()->context, &code)};
    ck_assert_int_eq(enqueue(&j, plan, queue, workspace, 2, gates, &done), ARGMAX_CL_SUCCESS);
    ck_assert_ptr_nonnull(done);
    clFlush(queue);
    clSetUserEventStatus(gates[1], CL_COMPLETE);
    ck_assert_int_ne(event_state(done), CL_COMPLETE);
    clSetUserEventStatus(gates[0], CL_COMPLETE);
    ck_assert_int_eq(clWaitForEvents(1, &done), CL_SUCCESS);
    ck_assert_int_eq(event_state(done), CL_COMPLETE);
    /* Another queue sees the outputs once the event is complete. */
    ck_assert_msg(job_is_right(&j, suite_runner()->queue, NULL), "%s, %s queue", line,
                  out_of_order ? "out-of-order" : "in-order");
    clReleaseEvent(done);
    clReleaseEvent(gates[0]);
    clReleaseEvent(gates[1]);
    if (workspace)
        clReleaseMemObject(workspace);
    argmax_cl_plan_destroy(plan);
    clReleaseCommandQueue(queue);
    job_close(&j);
}

START_TEST(wait_lists_hold_and_events_tell) {
    static const char *const lines[] = {ONE_STAGE, TWO_STAGES};
    for (size_t i = 0; i < 2; i++)
        for (int way = 0; way < 4; way++)
            gated_run(lines[i], way & 1, way & 2);
}
END_TEST

/* The second stage must wait for the first; on an out-of-order queue only an event makes it. */
START_TEST(stages_keep_their_order_on_out_of_order_queues) {
    job j;
    job_open(&j, TWO_STAGES);
    const cl_command_queue queue = queue_of(suite_runner(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const argmax_cl_plan plan = plan_of(&j);
    ck_assert_uint_gt(workspace_bytes(plan), 0);
    const cl_mem workspace = workspace_of(plan);
    for (int i = 0; i < 50; i++) {
        cl_event done = NULL;
        job_spoil(&j, queue);
        ck_assert_int_eq(enqueue(&j, plan, queue, workspace, 0, NULL, &done), ARGMAX_CL_SUCCESS);
        ck_assert_msg(job_is_right(&j, queue, done), "run %d", i);
        clReleaseEvent(done);
    }
    clReleaseMemObject(workspace);
    argmax_cl_plan_destroy(plan);
    clReleaseCommandQueue(queue);
    job_close(&j);
}
END_TEST

/* One workspace serves several enqueues on an in-order queue; no event need be taken. */
START_TEST(enqueues_in_a_row_share_a_workspace) {
    job a, b;
    job_open(&a, TWO_STAGES);
    job_open(&b, TWO_STAGES " last");
    const argmax_cl_plan plan_a = plan_of(&a), plan_b = plan_of(&b);
    ck_assert_uint_eq(workspace_bytes(plan_a), workspace_bytes(plan_b));
    const cl_mem workspace = workspace_of(plan_a);
    const cl_command_queue queue = suite_runner()->queue;
    for (int i = 0; i < 20; i++) {
        job_spoil(&a, queue);
        job_spoil(&b, queue);
        ck_assert_int_eq(enqueue(&a, plan_a, queue, workspace, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
        ck_assert_int_eq(enqueue(&b, plan_b, queue, workspace, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
        ck_assert(job_is_right(&a, queue, NULL) && job_is_right(&b, queue, NULL));
    }
    clReleaseMemObject(workspace);
    argmax_cl_plan_destroy(plan_a);
    argmax_cl_plan_destroy(plan_b);
    job_close(&a);
    job_close(&b);
}
END_TEST

/* One-call use has no workspace to share: calls on two queues at once must not meet in one. */
START_TEST(calls_on_two_queues_do_not_meet) {
    job a, b;
    job_open(&a, TWO_STAGES);
    job_open(&b, TWO_STAGES " seed=1234");
    const cl_command_queue queues[2] = {queue_of(suite_runner(), 0), queue_of(suite_runner(), 0)};
    for (int i = 0; i < 20; i++) {
        cl_event done[2];
        cl_int code;
        const cl_event gate = clCreateUserEvent(suite_runner()->context, &code);
        job_spoil(&a, queues[0]);
        job_spoil(&b, queues[1]);
        ck_assert_int_eq(enqueue(&a, NULL, queues[0], NULL, 1, &gate, &done[0]), ARGMAX_CL_SUCCESS);
        ck_assert_int_eq(enqueue(&b, NULL, queues[1], NULL, 1, &gate, &done[1]), ARGMAX_CL_SUCCESS);
        clFlush(queues[0]);
        clFlush(queues[1]);
        clSetUserEventStatus(gate, CL_COMPLETE);
        ck_assert(job_is_right(&a, queues[0], done[0]) && job_is_right(&b, queues[1], done[1]));
        clReleaseEvent(done[0]);
        clReleaseEvent(done[1]);
        clReleaseEvent(gate);
    }
    clReleaseCommandQueue(queues[0]);
    clReleaseCommandQueue(queues[1]);
    job_close(&a);
    job_close(&b);
}
END_TEST

START_TEST(empty_outputs_enqueue_a_marker) {
    job j;
    cl_int code;
    cl_event done = NULL;
    job_open(&j, "argmax float32 0x30 axes=1");
    const cl_command_queue queue = suite_runner()->queue;
    const argmax_cl_plan plan = plan_of(&j);
    const cl_event gate = clCreateUserEvent(suite_runner()->context, &code);
    ck_assert_uint_eq(workspace_bytes(plan), 0);
    ck_assert_int_eq(enqueue(&j, plan, queue, NULL, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
    ck_assert_int_eq(enqueue(&j, NULL, queue, NULL, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
    for (int by_plan = 0; by_plan < 2; by_plan++) {
        ck_assert_int_eq(enqueue(&j, by_plan ? plan : NULL, queue, NULL, 1, &gate, &done), ARGMAX_CL_SUCCESS);
        ck_assert_ptr_nonnull(done);
        ck_assert_int_ne(event_state(done), CL_COMPLETE);
        if (by_plan)
            clSetUserEventStatus(gate, CL_COMPLETE);
        else
            clReleaseEvent(done);
    }
    ck_assert_int_eq(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
    clReleaseEvent(gate);
    argmax_cl_plan_destroy(plan);
    job_close(&j);
}
END_TEST

/* ---- Refusals --------------------------------------------------------------------------------------------------- */

/* A refused call puts NULL where the event would go and leaves the outputs alone. */
START_TEST(refusals_give_no_event) {
    job j;
    job_open(&j, TWO_STAGES);
    const cl_command_queue queue = suite_runner()->queue;
    const argmax_cl_plan plan = plan_of(&j);
    const cl_mem small = buffer_of(suite_runner(), CL_MEM_READ_WRITE, workspace_bytes(plan) - 1, NULL);
    const struct {
        cl_mem workspace;
        argmax_cl_status status;
    } wrong[] = {{NULL, ARGMAX_CL_ERROR_INVALID_WORKSPACE}, {small, ARGMAX_CL_ERROR_INVALID_WORKSPACE}};
    job_spoil(&j, queue);
    for (size_t i = 0; i < 2; i++) {
        cl_event event = (cl_event)(void *)&j; /* any pointer but NULL */
        ck_assert_int_eq(enqueue(&j, plan, queue, wrong[i].workspace, 0, NULL, &event), wrong[i].status);
        ck_assert_ptr_null(event);
        ck_assert_ptr_nonnull(strstr(argmax_cl_last_error(), "workspace"));
    }
    cl_event event = (cl_event)(void *)&j;
    const argmax_cl_buffers none = ARGMAX_CL_BUFFERS_INIT;
    ck_assert_int_eq(argmax_cl(suite_runner()->handle, queue, &j.d.desc, &none, 0, NULL, &event),
                     ARGMAX_CL_ERROR_INVALID_BUFFER);
    ck_assert_ptr_null(event);
    int64_t index = 0;
    clEnqueueReadBuffer(queue, j.buffers.index, CL_TRUE, 0, 8, &index, 0, NULL, NULL);
    ck_assert_int_eq(index, 0x5A5A5A5A5A5A5A5A);
    clReleaseMemObject(small);
    argmax_cl_plan_destroy(plan);
    job_close(&j);
}
END_TEST

START_TEST(failed_plans_are_null) {
    job j;
    job_open(&j, ONE_STAGE);
    argmax_cl_plan plan = (argmax_cl_plan)(void *)&j;
    j.d.desc.axis_count = 0;
    ck_assert_int_eq(argmax_cl_plan_create(&plan, suite_runner()->handle, ARGMAX_CL_ARGMAX, &j.d.desc),
                     ARGMAX_CL_ERROR_INVALID_AXES);
    ck_assert_ptr_null(plan);
    j.d.desc.axis_count = 1;
    j.d.desc.strategy = "no-such";
    plan = (argmax_cl_plan)(void *)&j;
    ck_assert_int_eq(argmax_cl_plan_create(&plan, suite_runner()->handle, ARGMAX_CL_ARGMAX, &j.d.desc),
                     ARGMAX_CL_ERROR_INVALID_STRATEGY);
    ck_assert_ptr_null(plan);
    ck_assert_ptr_nonnull(strstr(argmax_cl_last_error(), "no-such"));
    job_close(&j);
}
END_TEST

/* ---- Plans ------------------------------------------------------------------------------------------------------ */

static bool plan_says(argmax_cl_plan plan, const char *word) {
    char text[4096];
    return argmax_cl_plan_describe(plan, text, sizeof text, NULL) == ARGMAX_CL_SUCCESS && strstr(text, word);
}

START_TEST(environment_forces_a_strategy) {
    job j;
    job_open(&j, ONE_STAGE);
    for (uint32_t i = 0; i < strategy_count(); i++) {
        argmax_cl_plan plan = NULL;
        setenv("ARGMAX_CL_STRATEGY", strategy_name(i), 1);
        const argmax_cl_status status =
            argmax_cl_plan_create(&plan, suite_runner()->handle, ARGMAX_CL_ARGMAX, &j.d.desc);
        if (status == ARGMAX_CL_SUCCESS)
            ck_assert_msg(plan_says(plan, strategy_name(i)), "%s", strategy_name(i));
        else
            ck_assert_int_eq(status, ARGMAX_CL_ERROR_INVALID_STRATEGY);
        argmax_cl_plan_destroy(plan);
    }
    setenv("ARGMAX_CL_STRATEGY", "no-such", 1);
    argmax_cl_plan plan = NULL;
    ck_assert_int_eq(argmax_cl_plan_create(&plan, suite_runner()->handle, ARGMAX_CL_ARGMAX, &j.d.desc),
                     ARGMAX_CL_ERROR_INVALID_STRATEGY);
    ck_assert_ptr_nonnull(strstr(argmax_cl_last_error(), "ARGMAX_CL_STRATEGY"));
    j.d.desc.strategy = "split-rows"; /* the descriptor goes before the environment */
    plan = plan_of(&j);
    ck_assert(plan_says(plan, "split-rows"));
    argmax_cl_plan_destroy(plan);
    unsetenv("ARGMAX_CL_STRATEGY");
    job_close(&j);
}
END_TEST

START_TEST(describe_needs_what_it_says) {
    job j;
    char text[4096];
    size_t needed = 0;
    job_open(&j, TWO_STAGES);
    const argmax_cl_plan plan = plan_of(&j);
    ck_assert_int_eq(argmax_cl_plan_describe(plan, NULL, 0, &needed), ARGMAX_CL_SUCCESS);
    ck_assert_uint_gt(needed, 10);
    ck_assert_uint_lt(needed, sizeof text);
    ck_assert_int_eq(argmax_cl_plan_describe(plan, text, sizeof text, NULL), ARGMAX_CL_SUCCESS);
    ck_assert_uint_eq(strlen(text), needed);
    ck_assert_ptr_null(strchr(text, '\n'));
    for (size_t capacity = 1; capacity < 8; capacity++) {
        char part[9];
        memset(part, '#', sizeof part);
        ck_assert_int_eq(argmax_cl_plan_describe(plan, part, capacity, &needed), ARGMAX_CL_SUCCESS);
        ck_assert_uint_eq(needed, strlen(text));
        ck_assert_uint_eq(strlen(part), capacity - 1);
        ck_assert_int_eq(memcmp(part, text, capacity - 1), 0);
        ck_assert_int_eq(part[capacity], '#');
    }
    argmax_cl_plan_destroy(plan);
    job_close(&j);
}
END_TEST

START_TEST(warm_up_touches_nothing) {
    job j;
    job_open(&j, TWO_STAGES);
    const argmax_cl_plan plan = plan_of(&j);
    const cl_mem workspace = workspace_of(plan);
    ck_assert_int_eq(argmax_cl_plan_warm_up(plan, suite_runner()->queue), ARGMAX_CL_SUCCESS);
    job_spoil(&j, suite_runner()->queue);
    ck_assert_int_eq(argmax_cl_plan_warm_up(plan, suite_runner()->queue), ARGMAX_CL_SUCCESS);
    ck_assert(!job_is_right(&j, suite_runner()->queue, NULL));
    ck_assert_int_eq(enqueue(&j, plan, suite_runner()->queue, workspace, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
    ck_assert(job_is_right(&j, suite_runner()->queue, NULL));
    clReleaseMemObject(workspace);
    argmax_cl_plan_destroy(plan);
    job_close(&j);
}
END_TEST

/* A plan lives longer than its handle and its descriptor; what is enqueued, longer than the plan and the workspace. */
START_TEST(objects_may_die_in_any_order) {
    const runner *const r = suite_runner();
    job j;
    argmax_cl_handle handle = NULL;
    argmax_cl_plan plan = NULL;
    cl_event done = NULL;
    argmax_cl_destroy(NULL);
    argmax_cl_plan_destroy(NULL);
    job_open(&j, TWO_STAGES);
    ck_assert_int_eq(argmax_cl_create(&handle, r->context, r->device), ARGMAX_CL_SUCCESS);
    problem_desc *const d = malloc(sizeof *d);
    problem_describe(&j.p, d);
    ck_assert_int_eq(argmax_cl_plan_create(&plan, handle, j.p.op, &d->desc), ARGMAX_CL_SUCCESS);
    memset(d, 0xEE, sizeof *d);
    free(d);
    argmax_cl_destroy(handle);
    const cl_mem workspace = workspace_of(plan);
    job_spoil(&j, r->queue);
    ck_assert_int_eq(argmax_cl_plan_enqueue(plan, r->queue, &j.buffers, workspace, 0, NULL, &done), ARGMAX_CL_SUCCESS);
    clReleaseMemObject(workspace);
    argmax_cl_plan_destroy(plan);
    ck_assert(job_is_right(&j, r->queue, done));
    clReleaseEvent(done);
    job_close(&j);
}
END_TEST

/* Neither handle nor plan keeps the caller's queue, buffers or context beyond their own life. */
static cl_uint references(cl_context context) {
    cl_uint count = 0;
    clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL);
    return count;
}

START_TEST(handles_give_back_what_they_took) {
    const runner *const r = suite_runner();
    cl_int code;
    job j;
    job_open(&j, ONE_STAGE);
    const cl_context context = clCreateContext(NULL, 1, &r->device, NULL, NULL, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    const cl_uint before = references(context);
    argmax_cl_handle handle = NULL;
    argmax_cl_plan plan = NULL;
    ck_assert_int_eq(argmax_cl_create(&handle, context, r->device), ARGMAX_CL_SUCCESS);
    ck_assert_uint_gt(references(context), before);
    ck_assert_int_eq(argmax_cl_plan_create(&plan, handle, j.p.op, &j.d.desc), ARGMAX_CL_SUCCESS);
    argmax_cl_destroy(handle);
    argmax_cl_plan_destroy(plan);
    ck_assert_uint_eq(references(context), before);
    clReleaseContext(context);
    job_close(&j);
}
END_TEST

/* An output may be described by its type alone: rank and shape follow from the input. */
START_TEST(outputs_may_leave_their_shape_out) {
    job j;
    job_open(&j, ONE_STAGE);
    j.d.index.rank = 0;
    j.d.index.sizes = NULL;
    job_spoil(&j, suite_runner()->queue);
    ck_assert_int_eq(enqueue(&j, NULL, suite_runner()->queue, NULL, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
    ck_assert(job_is_right(&j, suite_runner()->queue, NULL));
    job_close(&j);
}
END_TEST

/* ---- Threads ---------------------------------------------------------------------------------------------------- */

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
        w->wrong += enqueue(&w->j, w->plan, w->queue, w->workspace, 0, NULL, &done) != ARGMAX_CL_SUCCESS;
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
        w->queue = queue_of(suite_runner(), 0);
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

/* ---- Fork ------------------------------------------------------------------------------------------------------- */

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
        alarm(20); /* a hang becomes a signal */
        _exit(in_child(&j, plan));
    }
    int state = 0;
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    ck_assert_msg(WIFEXITED(state), "the child was ended by signal %d", WTERMSIG(state));
    ck_assert_msg(WEXITSTATUS(state) == 0, "call %d of the child was not refused", WEXITSTATUS(state));
    /* The parent goes on as before. */
    job_spoil(&j, suite_runner()->queue);
    ck_assert_int_eq(enqueue(&j, NULL, suite_runner()->queue, NULL, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
    ck_assert(job_is_right(&j, suite_runner()->queue, NULL));
    argmax_cl_plan_destroy(plan);
    job_close(&j);
}
END_TEST

/* ---- Host arrays ------------------------------------------------------------------------------------------------ */

START_TEST(host_calls_report_their_time) {
    job j;
    job_open(&j, ONE_STAGE);
    int64_t index[OUTPUTS_MAX];
    double compute = -1, transfer = -1;
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    argmax_cl_host_options options = ARGMAX_CL_HOST_OPTIONS_INIT;
    arrays.input = j.input;
    arrays.index = index;
    options.seconds_compute = &compute;
    options.seconds_transfer = &transfer;
    ck_assert_int_eq(argmax_cl_host(suite_runner()->handle, &j.d.desc, &arrays, &options), ARGMAX_CL_SUCCESS);
    ck_assert_int_eq(memcmp(index, j.expected, (size_t)problem_output_count(&j.p) * 8), 0);
    ck_assert(compute > 0 && compute < 60 && transfer >= 0 && transfer < 60);
    job_close(&j);
}
END_TEST

/* An array may lie at any address that its elements are aligned to. */
START_TEST(host_arrays_need_no_alignment) {
    runner *const r = suite_runner();
    for (uint32_t k = 0; k < KIND_SAMPLE_COUNT; k += 3) {
        const problem_line kind = kind_sample(k);
        for (uint64_t offset = 0; offset < 9; offset++) {
            const uint64_t sizes[2] = {3, 2000};
            problem_line p = kind_shape(&kind, 2, sizes, 2);
            p.input.has_offset = true;
            p.input.offset = offset;
            for (uint32_t t = 0; t < SWEEP_TUNINGS; t++) {
                strcpy(p.tuning, sweep_tunings[t]);
                ck_assert_int_eq(runner_report(r, &p, ROUTE_HOST), RUN_OK);
            }
        }
    }
}
END_TEST

/* A caller's buffer on memory of its own may start at any element: vectors must not be assumed aligned. */
START_TEST(buffers_on_host_pointers_need_no_alignment) {
    const runner *const r = suite_runner();
    for (size_t shift = 0; shift < 5; shift++)
        for (size_t t = 0; t < SWEEP_TUNINGS; t++) {
            job j;
            cl_int code;
            job_open(&j, "argmax float32 3x2000 axes=1 data=peak seed=1234");
            float *const memory = malloc((6000 + shift) * sizeof *memory);
            memcpy(memory + shift, j.input, 6000 * sizeof *memory);
            clReleaseMemObject(j.buffers.input);
            j.buffers.input = clCreateBuffer(r->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, 6000 * sizeof *memory,
                                             memory + shift, &code);
            ck_assert_int_eq(code, CL_SUCCESS);
            j.d.desc.tuning = sweep_tunings[t];
            job_spoil(&j, r->queue);
            ck_assert_int_eq(enqueue(&j, NULL, r->queue, NULL, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
            ck_assert(job_is_right(&j, r->queue, NULL));
            job_close(&j);
            free(memory);
        }
}
END_TEST

SUITE_MAIN("api", wait_lists_hold_and_events_tell, stages_keep_their_order_on_out_of_order_queues,
           enqueues_in_a_row_share_a_workspace, calls_on_two_queues_do_not_meet, empty_outputs_enqueue_a_marker,
           refusals_give_no_event, failed_plans_are_null, describe_needs_what_it_says, warm_up_touches_nothing,
           objects_may_die_in_any_order, handles_give_back_what_they_took, outputs_may_leave_their_shape_out,
           threads_share_a_handle_and_a_plan, errors_belong_to_their_thread, a_forked_child_is_refused,
           host_calls_report_their_time, host_arrays_need_no_alignment, buffers_on_host_pointers_need_no_alignment,
           environment_forces_a_strategy)
