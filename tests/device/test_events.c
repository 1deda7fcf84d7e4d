/* Wait lists, events and queues, and what a refused call leaves of them. */
#include "job.h"

#include <stdlib.h>
#include <string.h>

static cl_int event_state(cl_event event) {
    cl_int state = -1;
    ck_assert_int_eq(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL), CL_SUCCESS);
    return state;
}
/* Nothing may run before the wait list allows it, and the event tells when the outputs are there. */
static void gated_run(const char *line, bool out_of_order, bool by_plan) {
    job j;
    cl_int code;
    cl_event done = NULL;
    job_open(&j, line);
    const cl_command_queue queue = queue_of(suite_runner(), out_of_order);
    job_spoil(&j, queue);
    argmax_cl_plan plan = by_plan ? plan_of(&j) : NULL;
    const cl_mem workspace = by_plan ? workspace_of(plan) : NULL;
    const cl_event gates[2] = {clCreateUserEvent(suite_runner()->context, &code),
                               clCreateUserEvent(suite_runner()->context, &code)};
    ck_assert_int_eq(job_enqueue(&j, plan, queue, workspace, 2, gates, &done), ARGMAX_CL_SUCCESS);
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
    const cl_command_queue queue = queue_of(suite_runner(), true);
    const argmax_cl_plan plan = plan_of(&j);
    ck_assert_uint_gt(workspace_bytes(plan), 0);
    const cl_mem workspace = workspace_of(plan);
    for (int i = 0; i < 50; i++) {
        cl_event done = NULL;
        job_spoil(&j, queue);
        ck_assert_int_eq(job_enqueue(&j, plan, queue, workspace, 0, NULL, &done), ARGMAX_CL_SUCCESS);
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
        ck_assert_int_eq(job_enqueue(&a, plan_a, queue, workspace, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
        ck_assert_int_eq(job_enqueue(&b, plan_b, queue, workspace, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
        ck_assert(job_is_right(&a, queue, NULL) && job_is_right(&b, queue, NULL));
    }
    clReleaseMemObject(workspace);
    argmax_cl_plan_destroy(plan_a);
    argmax_cl_plan_destroy(plan_b);
    job_close(&a);
    job_close(&b);
}
END_TEST

/* More queues with calls under way than workspaces are kept for, twice each, and wider calls that want larger ones. */
START_TEST(calls_on_many_queues_do_not_meet) {
    enum { QUEUES = 150 };
    job even, odd;
    cl_int code;
    cl_command_queue queues[QUEUES];
    job jobs[QUEUES];
    const runner *const r = suite_runner();
    job_open(&even, "argmax float32 40000 data=pair seed=7 strategy=split-rows");
    job_open(&odd, "argmax float32 24x40000 axes=1 data=pair seed=9 strategy=split-rows");
    const cl_event gate = clCreateUserEvent(r->context, &code);
    for (int i = 0; i < QUEUES; i++) {
        queues[i] = queue_of(r, false);
        jobs[i] = i % 2 ? odd : even;
        jobs[i].buffers.index = buffer_of(r, CL_MEM_READ_WRITE, OUTPUTS_MAX * sizeof(int64_t), NULL);
        job_spoil(&jobs[i], queues[i]);
    }
    for (int i = 0; i < 2 * QUEUES; i++)
        ck_assert_int_eq(job_enqueue(&jobs[i % QUEUES], NULL, queues[i % QUEUES], NULL, 1, &gate, NULL),
                         ARGMAX_CL_SUCCESS);
    ck_assert_int_eq(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    for (int i = 0; i < QUEUES; i++) {
        ck_assert_msg(job_is_right(&jobs[i], queues[i], NULL), "queue %d", i);
        clReleaseMemObject(jobs[i].buffers.index);
        clReleaseCommandQueue(queues[i]);
    }
    clReleaseEvent(gate);
    job_close(&even);
    job_close(&odd);
}
END_TEST

/* One-call use has no workspace to share: calls on two queues at once must not meet in one. */
START_TEST(calls_on_two_queues_do_not_meet) {
    job a, b;
    job_open(&a, TWO_STAGES);
    job_open(&b, TWO_STAGES " seed=1234");
    const cl_command_queue queues[2] = {queue_of(suite_runner(), false), queue_of(suite_runner(), false)};
    for (int i = 0; i < 20; i++) {
        cl_event done[2];
        cl_int code;
        const cl_event gate = clCreateUserEvent(suite_runner()->context, &code);
        job_spoil(&a, queues[0]);
        job_spoil(&b, queues[1]);
        ck_assert_int_eq(job_enqueue(&a, NULL, queues[0], NULL, 1, &gate, &done[0]), ARGMAX_CL_SUCCESS);
        ck_assert_int_eq(job_enqueue(&b, NULL, queues[1], NULL, 1, &gate, &done[1]), ARGMAX_CL_SUCCESS);
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
    ck_assert_int_eq(job_enqueue(&j, plan, queue, NULL, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
    ck_assert_int_eq(job_enqueue(&j, NULL, queue, NULL, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
    for (int by_plan = 0; by_plan < 2; by_plan++) {
        ck_assert_int_eq(job_enqueue(&j, by_plan ? plan : NULL, queue, NULL, 1, &gate, &done), ARGMAX_CL_SUCCESS);
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
        ck_assert_int_eq(job_enqueue(&j, plan, queue, wrong[i].workspace, 0, NULL, &event), wrong[i].status);
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

/* A wait list whose event fails does not harm the handle, its counters or its workspaces. What comes of the commands
 * themselves is OpenCL's: some implementations run them all the same. (On out-of-order queues drivers crash by
 * themselves: docs/portability.md.) */
static void failed_gate(const char *line, bool by_plan) {
    job j;
    cl_int code;
    cl_event done = NULL;
    job_open(&j, line);
    const cl_command_queue queue = queue_of(suite_runner(), false);
    job_spoil(&j, suite_runner()->queue);
    argmax_cl_plan plan = by_plan ? plan_of(&j) : NULL;
    const cl_mem workspace = by_plan ? workspace_of(plan) : NULL;
    const cl_event gate = clCreateUserEvent(suite_runner()->context, &code);
    ck_assert_int_eq(job_enqueue(&j, plan, queue, workspace, 1, &gate, &done), ARGMAX_CL_SUCCESS);
    clFlush(queue);
    ck_assert_int_eq(clSetUserEventStatus(gate, -1), CL_SUCCESS);
    clWaitForEvents(1, &done); /* implementations differ in what it returns */
    ck_assert(event_state(done) >= 0 || !job_is_right(&j, suite_runner()->queue, NULL));
    for (int i = 0; i < 3; i++) {
        job_spoil(&j, suite_runner()->queue);
        ck_assert_int_eq(job_enqueue(&j, plan, suite_runner()->queue, workspace, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
        ck_assert_msg(job_is_right(&j, suite_runner()->queue, NULL), "%s", line);
    }
    clReleaseEvent(done);
    clReleaseEvent(gate);
    clReleaseCommandQueue(queue);
    if (workspace)
        clReleaseMemObject(workspace);
    argmax_cl_plan_destroy(plan);
    job_close(&j);
}

START_TEST(failed_events_do_no_harm) {
    static const char *const lines[] = {ONE_STAGE, TWO_STAGES};
    for (size_t i = 0; i < 2; i++)
        for (int by_plan = 0; by_plan < 2; by_plan++)
            failed_gate(lines[i], by_plan);
}
END_TEST

SUITE_MAIN("events", wait_lists_hold_and_events_tell, stages_keep_their_order_on_out_of_order_queues,
           enqueues_in_a_row_share_a_workspace, calls_on_two_queues_do_not_meet, empty_outputs_enqueue_a_marker,
           refusals_give_no_event, failed_plans_are_null, failed_events_do_no_harm, calls_on_many_queues_do_not_meet)
