/* Right answers or errors on an OpenCL that kills launches, runs what follows a failure, gives the addresses of living
 * queues to new ones, and keeps references to what it was given. */
#include "scene.h"

#include <stdio.h>

static cl_ulong alive(void) {
    cl_ulong objects = 0;
    ck_assert_int_eq(clGetDeviceInfo(suite_runner()->device, STUB_OBJECTS_ALIVE, sizeof objects, &objects, NULL),
                     CL_SUCCESS);
    return objects;
}

/* Queues end on threads of their own, a moment after their last command. */
static bool comes_to(cl_ulong objects) {
    const struct timespec moment = {0, 1000000};
    for (int i = 0; i < 1000 && alive() != objects; i++)
        nanosleep(&moment, NULL);
    return alive() == objects;
}

/* ---- launches that die ---- */

/* The operation fails, and what comes next is right, however many died before and however far they came. */
static void kill_some(scene *s, cl_command_queue queue, uint32_t count, uint32_t groups) {
    for (uint32_t i = 0; i < count; i++) {
        stub_manners.kill_after = groups;
        atomic_store(&stub_manners.kill, 1);
        const cl_int state = enqueue_and_wait(s, queue);
        const bool died = atomic_exchange(&stub_manners.kill, 0) == 0;
        ck_assert_msg(died ? state < 0 : state == CL_COMPLETE, "status %d", (int)state);
    }
    for (int i = 0; i < 3; i++)
        expect_right(s, queue, "after dead launches");
}

START_TEST(dead_launches_do_not_poison_the_next) {
    for (size_t i = 0; i < LINES; i++)
        for (int by_plan = 0; by_plan < 2; by_plan++)
            for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
                scene s;
                const argmax_cl_handle handle = open_handle();
                const cl_command_queue queue = queue_of(suite_runner(), out_of_order);
                open_scene(&s, lines[i], handle, by_plan);
                for (uint32_t groups = 0; groups < 4; groups++)
                    for (uint32_t count = 1; count < 4; count++)
                        kill_some(&s, queue, count, groups);
                close_scene(&s);
                clReleaseCommandQueue(queue);
                argmax_cl_destroy(handle);
            }
}
END_TEST

/* Many on one queue, of which some die: each answer is right or its event fails. */
START_TEST(launches_that_die_at_random) {
    enum { TURNS = 400 };
    const argmax_cl_handle handle = open_handle();
    const cl_command_queue queue = suite_runner()->queue;
    scene scenes[LINES];
    int right = 0, failed = 0;
    for (size_t i = 0; i < LINES; i++)
        open_scene(&scenes[i], lines[i], handle, i % 2);
    stub_manners.kill_after = 1;
    stub_manners.kill_one_in = 4;
    for (int i = 0; i < TURNS; i++) {
        const scene *const s = &scenes[(size_t)i * 7 % LINES];
        job_spoil(&s->j, queue);
        if (enqueue_and_wait(s, queue) < 0)
            failed++;
        else
            right += job_is_right(&s->j, queue, NULL);
    }
    stub_manners.kill_one_in = 0;
    ck_assert_int_gt(failed, TURNS / 20);
    ck_assert_int_eq(right + failed, TURNS);
    for (size_t i = 0; i < LINES; i++)
        close_scene(&scenes[i]);
    argmax_cl_destroy(handle);
}
END_TEST

/* ---- awaited events that fail ---- */

/* On every route, with and without values; this OpenCL runs what follows on an in-order queue all the same. */
START_TEST(failed_dependencies_fail_every_route) {
    for (size_t i = 0; i < 2 * LINES; i++)
        for (int way = 0; way < 4; way++) {
            char line[200];
            scene s;
            cl_int code;
            cl_event done = NULL;
            const argmax_cl_handle handle = open_handle();
            const cl_command_queue queue = queue_of(suite_runner(), way & 1);
            snprintf(line, sizeof line, "%s%s", lines[i / 2], i % 2 ? " value" : "");
            open_scene(&s, line, handle, way & 2);
            const cl_event gate = clCreateUserEvent(suite_runner()->context, &code);
            ck_assert_int_eq(enqueue(&s, queue, 1, &gate, &done), ARGMAX_CL_SUCCESS);
            ck_assert_int_eq(clSetUserEventStatus(gate, -7), CL_SUCCESS);
            ck_assert_msg(outcome(done) < 0, "%s", line);
            expect_right(&s, queue, "after a failed event");
            clReleaseEvent(gate);
            close_scene(&s);
            clReleaseCommandQueue(queue);
            argmax_cl_destroy(handle);
        }
}
END_TEST

/* ---- queues at addresses of others ---- */

/* A queue is released while its merge has yet to run; the next one gets its address and works with another input. */
static void reuse_address(const char *line, const char *other) {
    scene a, b;
    cl_event done[2] = {NULL, NULL};
    const argmax_cl_handle handle = open_handle();
    open_scene(&a, line, handle, false);
    open_scene(&b, other, handle, false);
    const cl_command_queue first = queue_of(suite_runner(), false);
    job_spoil(&a.j, first);
    job_spoil(&b.j, first);
    atomic_store(&stub_manners.hold, true);
    ck_assert_int_eq(enqueue(&a, first, 0, NULL, &done[0]), ARGMAX_CL_SUCCESS);
    nanosleep(&(struct timespec){0, 20000000}, NULL); /* its scan is done */
    clReleaseCommandQueue(first);
    const cl_command_queue second = queue_of(suite_runner(), false);
    ck_assert_ptr_eq(second, first);
    ck_assert_int_eq(enqueue(&b, second, 0, NULL, &done[1]), ARGMAX_CL_SUCCESS);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    atomic_store(&stub_manners.hold, false);
    ck_assert_int_eq(outcome(done[0]), CL_COMPLETE);
    ck_assert_int_eq(outcome(done[1]), CL_COMPLETE);
    ck_assert_msg(job_is_right(&a.j, second, NULL), "the queue that went: %s", line);
    ck_assert_msg(job_is_right(&b.j, second, NULL), "the queue at its address: %s", line);
    clReleaseCommandQueue(second);
    close_scene(&a);
    close_scene(&b);
    argmax_cl_destroy(handle);
}

START_TEST(a_queue_at_the_address_of_a_live_one) {
    stub_manners.reuse = true;
    stub_manners.drop_queues = true;
    stub_manners.platform = "Intel(R) OpenCL Graphics";
    reuse_address(lines[1], "argmin float32 5000 axes=0 data=pair seed=9 strategy=split-rows");
    reuse_address(lines[3], "argmin float32 64x50 axes=0 data=ties seed=9 strategy=split-columns");
    stub_manners.platform = NULL;
    stub_manners.reuse = false;
    stub_manners.drop_queues = false;
}
END_TEST

/* ---- what is the caller's ---- */

/* The event of a call with a workspace on an out-of-order queue is let go by the handle's next call. */
static void call_again(argmax_cl_handle handle) {
    scene s;
    open_scene(&s, lines[1], handle, false);
    expect_right(&s, suite_runner()->queue, "again");
    clFinish(suite_runner()->queue);
    close_scene(&s);
}

/* Released buffers, queues and events are gone when the work is done, though handle and plan stay. */
static void use_and_release(argmax_cl_handle handle, const char *line, bool by_plan, bool out_of_order) {
    scene s;
    call_again(handle);
    open_scene(&s, line, handle, by_plan);
    const cl_command_queue queue = queue_of(suite_runner(), out_of_order);
    ck_assert_int_eq(enqueue_and_wait(&s, queue), CL_COMPLETE);
    clFinish(queue);
    if (out_of_order)
        call_again(handle);
    const cl_ulong with_all = alive();
    const bool has_values = s.j.buffers.value != NULL;
    const cl_ulong callers = 3 + (s.workspace ? 1u : 0u) + (has_values ? 1u : 0u); /* queue, input, index */
    clReleaseMemObject(s.j.buffers.input);
    clReleaseMemObject(s.j.buffers.index);
    if (has_values)
        clReleaseMemObject(s.j.buffers.value);
    if (s.workspace)
        clReleaseMemObject(s.workspace);
    clReleaseCommandQueue(queue);
    ck_assert_msg(comes_to(with_all - callers), "%s: %llu of %llu of the caller's objects are kept", line,
                  (unsigned long long)(alive() - (with_all - callers)), (unsigned long long)callers);
    s.j.buffers = (argmax_cl_buffers)ARGMAX_CL_BUFFERS_INIT;
    s.workspace = NULL;
    close_scene(&s);
}

START_TEST(nothing_of_the_callers_is_kept) {
    static const char *const platforms[] = {NULL, "rusticl", NULL};
    for (int p = 0; p < 3; p++) {
        stub_manners.platform = platforms[p];
        stub_manners.keep_arguments = p == 1;
        stub_manners.hold_queues = p == 2;
        for (size_t i = 0; i < LINES; i++)
            for (int way = 0; way < 8; way++) {
                char line[200];
                const argmax_cl_handle handle = open_handle();
                snprintf(line, sizeof line, "%s%s", lines[i], way & 4 ? " value" : "");
                use_and_release(handle, line, way & 2, way & 1);
                argmax_cl_destroy(handle);
            }
    }
    stub_manners.platform = NULL;
    stub_manners.keep_arguments = false;
    stub_manners.hold_queues = false;
}
END_TEST

SUITE_MAIN("hostile", dead_launches_do_not_poison_the_next, launches_that_die_at_random,
           failed_dependencies_fail_every_route, a_queue_at_the_address_of_a_live_one, nothing_of_the_callers_is_kept)
