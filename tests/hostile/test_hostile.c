/* Right answers or errors on an OpenCL that does its worst: kills launches, runs what follows a failure, gives the
 * addresses of living queues to new ones, keeps kernel arguments, has next to nothing. Each test has a handle of its
 * own, since handles ask a device for its habits once. */
#include "stub.h" /* before Check, which has a macro `fail` */

#include "job.h"

#include <stdio.h>
#include <string.h>

static const char *const lines[] = {"argmax float32 50x30 axes=1",
                                    "argmax float32 5000 axes=0 data=pair seed=7 strategy=split-rows",
                                    "argmax int64 5000 axes=0 data=pair seed=8 strategy=split-rows",
                                    "argmin float32 64x50 axes=0 strategy=split-columns"};
#define LINES (sizeof lines / sizeof lines[0])

/* A problem on a handle of its own, by plan or by call, with or without values. */
typedef struct scene {
    job j;
    argmax_cl_handle handle;
    argmax_cl_plan plan; /* NULL: by call */
    cl_mem workspace;
} scene;

static argmax_cl_handle open_handle(void) {
    argmax_cl_handle handle = NULL;
    ck_assert_int_eq(argmax_cl_create(&handle, suite_runner()->context, suite_runner()->device), ARGMAX_CL_SUCCESS);
    return handle;
}

static void open_scene(scene *s, const char *line, argmax_cl_handle handle, bool by_plan) {
    char text[200];
    memset(s, 0, sizeof *s);
    snprintf(text, sizeof text, "%s", line);
    job_open(&s->j, text);
    s->handle = handle;
    if (s->j.d.desc.value)
        s->j.buffers.value = buffer_of(suite_runner(), CL_MEM_READ_WRITE, OUTPUTS_MAX * sizeof(int64_t), NULL);
    if (by_plan) {
        ck_assert_int_eq(argmax_cl_plan_create(&s->plan, handle, s->j.p.op, &s->j.d.desc), ARGMAX_CL_SUCCESS);
        s->workspace = workspace_of(s->plan);
    }
}

static void close_scene(scene *s) {
    if (s->workspace)
        clReleaseMemObject(s->workspace);
    if (s->j.buffers.value)
        clReleaseMemObject(s->j.buffers.value);
    argmax_cl_plan_destroy(s->plan);
    job_close(&s->j);
}

static argmax_cl_status enqueue(const scene *s, cl_command_queue queue, cl_uint count, const cl_event *list,
                                cl_event *event) {
    return s->plan ? argmax_cl_plan_enqueue(s->plan, queue, &s->j.buffers, s->workspace, count, list, event)
                   : (s->j.p.op == ARGMAX_CL_ARGMIN ? argmin_cl : argmax_cl)(s->handle, queue, &s->j.d.desc,
                                                                             &s->j.buffers, count, list, event);
}

/* The status of an operation that is done. */
static cl_int outcome(cl_event event) {
    cl_int state = CL_QUEUED;
    clWaitForEvents(1, &event);
    ck_assert_int_eq(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL), CL_SUCCESS);
    clReleaseEvent(event);
    return state;
}

static void expect_right(const scene *s, cl_command_queue queue, const char *when) {
    cl_event done = NULL;
    job_spoil(&s->j, queue);
    ck_assert_int_eq(enqueue(s, queue, 0, NULL, &done), ARGMAX_CL_SUCCESS);
    ck_assert_int_eq(outcome(done), CL_COMPLETE);
    ck_assert_msg(job_is_right(&s->j, queue, NULL), "%s %s", s->j.d.desc.strategy ? s->j.d.desc.strategy : "", when);
}

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
        cl_event done = NULL;
        stub_manners.kill_after = groups;
        atomic_store(&stub_manners.kill, 1);
        ck_assert_int_eq(enqueue(s, queue, 0, NULL, &done), ARGMAX_CL_SUCCESS);
        const cl_int state = outcome(done);
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
        cl_event done = NULL;
        job_spoil(&s->j, queue);
        ck_assert_int_eq(enqueue(s, queue, 0, NULL, &done), ARGMAX_CL_SUCCESS);
        if (outcome(done) < 0)
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
    cl_event done = NULL;
    scene s;
    call_again(handle);
    open_scene(&s, line, handle, by_plan);
    const cl_command_queue queue = queue_of(suite_runner(), out_of_order);
    ck_assert_int_eq(enqueue(&s, queue, 0, NULL, &done), ARGMAX_CL_SUCCESS);
    ck_assert_int_eq(outcome(done), CL_COMPLETE);
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

/* ---- a device that has next to nothing ---- */

static void solve_all(const char *when) {
    const argmax_cl_handle handle = open_handle();
    for (size_t i = 0; i < LINES; i++)
        for (int by_plan = 0; by_plan < 2; by_plan++) {
            scene s;
            int64_t index[OUTPUTS_MAX] = {0};
            argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
            open_scene(&s, lines[i], handle, by_plan);
            expect_right(&s, suite_runner()->queue, when);
            arrays.input = s.j.input;
            arrays.index = index;
            const argmax_cl_status status =
                (s.j.p.op == ARGMAX_CL_ARGMIN ? argmin_cl_host : argmax_cl_host)(handle, &s.j.d.desc, &arrays, NULL);
            if (stub_manners.queues == 1) /* the test's own has the one there is */
                ck_assert_int_eq(status, ARGMAX_CL_ERROR_OPENCL);
            else
                ck_assert(status == ARGMAX_CL_SUCCESS &&
                          memcmp(index, s.j.expected, (size_t)problem_output_count(&s.j.p) * 8) == 0);
            close_scene(&s);
        }
    argmax_cl_destroy(handle);
}

START_TEST(new_memory_is_noise) {
    stub_manners.noise = true;
    solve_all("with noise in new buffers");
    stub_manners.noise = false;
}
END_TEST

START_TEST(objects_at_addresses_of_others) {
    stub_manners.reuse = true;
    for (int i = 0; i < 3; i++)
        solve_all("with addresses used again");
    stub_manners.reuse = false;
}
END_TEST

START_TEST(one_work_item_a_group) {
    stub_manners.group = 1;
    solve_all("in groups of one");
    stub_manners.group = 0;
}
END_TEST

START_TEST(little_local_memory) {
    stub_manners.local = 16384;
    solve_all("with 16 KiB of local memory");
    stub_manners.local = 512;
    solve_all("with 512 bytes of local memory");
    stub_manners.local = 0;
}
END_TEST

START_TEST(one_compute_unit) {
    stub_manners.units = 1;
    solve_all("on one compute unit");
    stub_manners.units = 0;
}
END_TEST

/* By every strategy that takes the problem: how many came to that result. Another one fails the test. */
static int solve_by_all(const char *text, run_result expected) {
    const char *name;
    int taken = 0;
    for (uint32_t i = 0; (name = strategy_name(i)) != NULL; i++) {
        char line[400], error[200];
        problem_line p;
        snprintf(line, sizeof line, "%s strategy=%s", text, name);
        ck_assert_msg(problem_parse(line, &p, error, sizeof error), "%s", error);
        const run_result result = runner_run(suite_runner(), &p, ROUTE_PLAN);
        ck_assert_msg(result == expected || result == RUN_REFUSED, "%s: %s", line, suite_runner()->message);
        taken += result == expected;
    }
    return taken;
}

/* Eight dims of which none merge, in rows and in columns, with all that a problem may have: within the least that
 * OpenCL allows; and with less, errors. */
START_TEST(arguments_of_1024_bytes) {
    static const char *const of_8_dims[] = {
        "argmax float32 3x2x3x2x3x2x3x100 axes=1,3,5,7 value data=peak seed=5",
        "argmax float32 3x2x3x2x3x2x3x100 axes=0,2,4,6 value data=peak seed=5",
        "argmax float32 3x2x3x2x3x2x3x100 axes=0,2,4,6 value data=peak mask=half",
        "argminmax float32 3x2x3x2x3x2x3x100 axes=1,3,5,7 value maxvalue data=peak mask=half",
        "argminmax float64 3x2x3x2x3x2x3x100 axes=0,2,4,6 value maxvalue data=peak mask=half",
        ("argminmax float32 900x3x2x5x2x2x2x2 axes=0,1,2,3 value maxvalue mask=few "
         "strides=1,900,2700,5400,30000,70000,150000,310000 "
         "mstrides=1,900,2700,5400,30000,70000,150000,310000"),
    };
    int taken = 0, refused = 0;
    for (size_t i = 0; i < sizeof of_8_dims / sizeof of_8_dims[0]; i++) {
        stub_manners.parameters = 0;
        taken += solve_by_all(of_8_dims[i], RUN_OK);
        stub_manners.parameters = 512;
        refused += solve_by_all(of_8_dims[i], RUN_FAILED);
    }
    stub_manners.parameters = 0;
    ck_assert_int_ge(taken, 20);
    ck_assert_int_eq(refused, taken);
}
END_TEST

START_TEST(one_queue) {
    stub_manners.queues = 1;
    solve_all("with one queue");
    stub_manners.queues = 0;
}
END_TEST

/* ---- devices that are told of ---- */

START_TEST(a_context_of_many_devices) {
    stub_manners.listed = 200;
    solve_all("in a context of 200 devices");
    stub_manners.listed = 0;
}
END_TEST

/* Left out of the list, and refused with the reason. */
START_TEST(devices_before_opencl_1_2) {
    static const char *const versions[] = {"OpenCL 1.0 stub", "OpenCL 1.1 stub"};
    argmax_cl_handle handle = NULL;
    uint32_t count = 1;
    for (int i = 0; i < 2; i++) {
        const runner *const r = suite_runner();
        stub_manners.version = versions[i];
        ck_assert_int_eq(argmax_cl_list_devices(0, NULL, &count), ARGMAX_CL_SUCCESS);
        ck_assert_uint_eq(count, 0);
        ck_assert_int_eq(argmax_cl_create(&handle, r->context, r->device), ARGMAX_CL_ERROR_DEVICE_LIMIT);
        ck_assert_msg(strstr(argmax_cl_last_error(), "older than 1.2") != NULL, "%s", argmax_cl_last_error());
        ck_assert_ptr_null(handle);
    }
    stub_manners.version = NULL;
}
END_TEST

SUITE_MAIN("hostile", dead_launches_do_not_poison_the_next, launches_that_die_at_random,
           failed_dependencies_fail_every_route, a_queue_at_the_address_of_a_live_one, nothing_of_the_callers_is_kept,
           new_memory_is_noise, objects_at_addresses_of_others, one_work_item_a_group, little_local_memory,
           one_compute_unit, arguments_of_1024_bytes, one_queue, a_context_of_many_devices, devices_before_opencl_1_2)
