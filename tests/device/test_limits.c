/* At the edge of what fits: buffers of exactly the bytes that a problem needs, and of one less; many plans and queues
 * at once; a device without memory for a workspace. */
#include "job.h"

#include <stdio.h>

#include <stdlib.h>
#include <string.h>

static const char *const lines[] = {
    "argmax float32 50x30 axes=1",
    "argmax float32 70000 data=peak seed=69999 strategy=split-rows",
    "argmin float16 500x60 axes=0 data=random strategy=split-columns",
    "argmax int8 100x77 axes=1 data=ties last index=int32",
    "argmin float64 40x33 axes=0 data=nan index=uint32 value",
    "argmax uint64 6x50x7 axes=1 index=uint64 value offset=5 ioffset=3 voffset=2",
    "argmax bfloat16 20x90 axes=1 strides=-90,1 istrides=2,1 vstrides=-3,1 value",
    "argmax float32 20x30 strides=1,20 data=peak seed=123 strategy=permuted-rows value",
};
#define LINES (sizeof lines / sizeof lines[0])

enum { INPUT, INDEX, VALUE, WORKSPACE, COUNT };
static const char *const names[COUNT] = {"buffers->input", "buffers->index", "buffers->value", "workspace"};

/* A problem, its plan, and what it needs of each buffer. */
typedef struct exact {
    problem_line p;
    problem_desc d;
    argmax_cl_plan plan;
    size_t bytes[COUNT]; /* 0: not used */
    unsigned char *input;
    cl_mem buffers[COUNT];
} exact;

static size_t dtype_bytes(argmax_cl_dtype dtype) {
    return problem_dtype_find(dtype)->bits / 8;
}

static cl_mem sized(const exact *e, int which, size_t bytes) {
    return bytes ? buffer_of(suite_runner(), CL_MEM_READ_WRITE, bytes, which == INPUT ? e->input : NULL) : NULL;
}

static void open_exact(exact *e, const char *line) {
    char error[300];
    ck_assert_msg(problem_parse(line, &e->p, error, sizeof error), "%s: %s", line, error);
    problem_describe(&e->p, &e->d);
    e->bytes[INPUT] = (size_t)problem_input_extent(&e->p) * dtype_bytes(e->p.dtype);
    e->bytes[INDEX] = (size_t)problem_output_extent(&e->p, &e->p.index) * dtype_bytes(e->p.index_type);
    e->bytes[VALUE] = e->p.has_value ? (size_t)problem_output_extent(&e->p, &e->p.value) * dtype_bytes(e->p.dtype) : 0;
    ck_assert_int_eq(argmax_cl_plan_create(&e->plan, suite_runner()->handle, e->p.op, &e->d.desc), ARGMAX_CL_SUCCESS);
    e->bytes[WORKSPACE] = workspace_bytes(e->plan);
    e->input = malloc(e->bytes[INPUT]);
    ck_assert_ptr_nonnull(e->input);
    problem_fill(&e->p, e->input);
    for (int i = 0; i < COUNT; i++)
        e->buffers[i] = sized(e, i, e->bytes[i]);
}

static void close_exact(exact *e) {
    argmax_cl_plan_destroy(e->plan);
    for (int i = 0; i < COUNT; i++)
        if (e->buffers[i])
            clReleaseMemObject(e->buffers[i]);
    free(e->input);
}

/* With another buffer in place of one of them. */
static argmax_cl_status enqueue(const exact *e, int which, cl_mem other, bool plan, cl_event *done) {
    const runner *const r = suite_runner();
    cl_mem all[COUNT];
    argmax_cl_buffers b = ARGMAX_CL_BUFFERS_INIT;
    memcpy(all, e->buffers, sizeof all);
    if (which < COUNT)
        all[which] = other;
    b.input = all[INPUT];
    b.index = all[INDEX];
    b.value = all[VALUE];
    if (plan)
        return argmax_cl_plan_enqueue(e->plan, r->queue, &b, all[WORKSPACE], 0, NULL, done);
    return (e->p.op == ARGMAX_CL_ARGMIN ? argmin_cl : argmax_cl)(r->handle, r->queue, &e->d.desc, &b, 0, NULL, done);
}

static void expect_short(const exact *e, int which, size_t less, bool plan, const char *line) {
    char said[200];
    cl_event done = NULL;
    const size_t bytes = e->bytes[which] - less;
    const cl_mem small = sized(e, which, bytes);
    const argmax_cl_status status = enqueue(e, which, small, plan, &done);
    snprintf(said, sizeof said, "%s has %zu bytes: expected at least %zu", names[which], bytes, e->bytes[which]);
    ck_assert_msg(status == (which == WORKSPACE ? ARGMAX_CL_ERROR_INVALID_WORKSPACE : ARGMAX_CL_ERROR_BUFFER_TOO_SMALL),
                  "%s, %s: status %d", line, said, (int)status);
    ck_assert_msg(strstr(argmax_cl_last_error(), said) != NULL, "%s: no \"%s\" in: %s", line, said,
                  argmax_cl_last_error());
    ck_assert_ptr_null(done);
    clReleaseMemObject(small);
}

static void expect_exact(const exact *e, bool plan, const char *line) {
    cl_event done = NULL;
    ck_assert_msg(enqueue(e, COUNT, NULL, plan, &done) == ARGMAX_CL_SUCCESS, "%s: %s", line, argmax_cl_last_error());
    ck_assert_int_eq(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
}

START_TEST(one_byte_less_is_refused) {
    for (size_t l = 0; l < LINES; l++) {
        exact e;
        open_exact(&e, lines[l]);
        for (int plan = 0; plan < 2; plan++) {
            expect_exact(&e, plan, lines[l]);
            for (int i = 0; i < COUNT; i++)
                if (e.bytes[i] && (plan || i != WORKSPACE)) {
                    expect_short(&e, i, 1, plan, lines[l]);
                    expect_short(&e, i, e.bytes[i] - 1, plan, lines[l]);
                }
        }
        close_exact(&e);
    }
}
END_TEST

/* ---- Many at once ---------------------------------------------------------------------------------------------- */

#define PLANS 300
#define QUEUES 100 /* more than a handle keeps counters for */

/* All plans are alive and all queues have work before the first answer is looked at. */
START_TEST(many_plans_and_queues_at_once) {
    static job jobs[PLANS];
    static argmax_cl_plan plans[PLANS];
    static cl_mem workspaces[PLANS];
    static cl_event done[PLANS];
    cl_command_queue queues[QUEUES];
    for (int i = 0; i < QUEUES; i++)
        queues[i] = queue_of(suite_runner(), i % 3 == 2);
    for (int i = 0; i < PLANS; i++) {
        char line[120];
        snprintf(line, sizeof line,
                 i % 7 ? "argmax float32 %d data=peak seed=%d strategy=split-rows"
                       : "argmin float32 %dx9 axes=1 data=ties seed=%d",
                 i + 300, i + 299);
        job_open(&jobs[i], line);
        plans[i] = plan_of(&jobs[i]);
        workspaces[i] = workspace_of(plans[i]);
    }
    for (int i = 0; i < PLANS; i++) {
        job_spoil(&jobs[i], queues[i % QUEUES]);
        ck_assert_int_eq(clFinish(queues[i % QUEUES]), CL_SUCCESS);
    }
    for (int i = 0; i < PLANS; i++) {
        ck_assert_msg(job_enqueue(&jobs[i], i % 5 ? plans[i] : NULL, queues[i % QUEUES], workspaces[i], 0, NULL,
                                  &done[i]) == ARGMAX_CL_SUCCESS,
                      "%s", argmax_cl_last_error());
        clFlush(queues[i % QUEUES]);
    }
    for (int i = 0; i < QUEUES; i++)
        clReleaseCommandQueue(queues[i]);
    for (int i = PLANS; i-- > 0;) {
        argmax_cl_plan_destroy(plans[i]);
        ck_assert_msg(job_is_right(&jobs[i], suite_runner()->queue, done[i]), "plan %d", i);
        clReleaseEvent(done[i]);
        if (workspaces[i])
            clReleaseMemObject(workspaces[i]);
        job_close(&jobs[i]);
    }
}
END_TEST

/* ---- A full device ---------------------------------------------------------------------------------------------- */

/* On the tests' own OpenCL alone (tests/stub/): others hand out memory that they do not have. */
static bool stub_facts(cl_ulong *objects, cl_ulong *bytes) {
    const cl_device_info objects_alive = 0x5701, bytes_used = 0x5702;
    const cl_device_id device = suite_runner()->device;
    return clGetDeviceInfo(device, objects_alive, sizeof *objects, objects, NULL) == CL_SUCCESS &&
           clGetDeviceInfo(device, bytes_used, sizeof *bytes, bytes, NULL) == CL_SUCCESS;
}

static void limit_device(cl_ulong bytes) {
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)bytes);
    ck_assert_int_eq(setenv("STUB_OPENCL_MEMORY", text, 1), 0);
}

static argmax_cl_status call_once(argmax_cl_handle handle, const job *j, cl_event *done) {
    return (j->p.op == ARGMAX_CL_ARGMIN ? argmin_cl : argmax_cl)(handle, suite_runner()->queue, &j->d.desc, &j->buffers,
                                                                 0, NULL, done);
}

static argmax_cl_status call_on_host(argmax_cl_handle handle, const job *j, cl_event *done) {
    int64_t index[OUTPUTS_MAX] = {0};
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    (void)done;
    arrays.input = j->input;
    arrays.index = index;
    const argmax_cl_status status =
        (j->p.op == ARGMAX_CL_ARGMIN ? argmin_cl_host : argmax_cl_host)(handle, &j->d.desc, &arrays, NULL);
    ck_assert(status || memcmp(index, j->expected, (size_t)problem_output_count(&j->p) * 8) == 0);
    return status;
}

static const struct {
    const char *line;
    argmax_cl_status (*act)(argmax_cl_handle handle, const job *j, cl_event *done);
    int failures; /* of what it allocates, one after the other */
    bool keeps;   /* some of it for the next call */
} full[] = {
    {"argmax float32 40x3000 axes=1 data=pair seed=5 strategy=split-rows", call_once, 1, true},
    {"argmin float32 300x20 axes=0 data=ties strategy=split-columns", call_on_host, 3, false},
};

/* A refusal for want of memory, which leaves none taken. Whether it is about another buffer than the one before. */
static bool look_at_refusal(argmax_cl_status status, cl_event done, cl_ulong bytes, char last[200]) {
    cl_ulong objects_now = 0, bytes_now = 0;
    ck_assert_int_eq(status, ARGMAX_CL_ERROR_OPENCL);
    ck_assert_int_eq(argmax_cl_last_opencl_error(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    ck_assert_msg(strncmp(argmax_cl_last_error(), "clCreateBuffer", 14) == 0, "%s", argmax_cl_last_error());
    ck_assert_ptr_null(done);
    stub_facts(&objects_now, &bytes_now);
    ck_assert_uint_eq(bytes_now, bytes);
    const bool other = strcmp(last, argmax_cl_last_error()) != 0;
    snprintf(last, 200, "%s", argmax_cl_last_error());
    return other;
}

/* With room for ever more: each allocation fails in its turn, and in the end all is right. */
static void fill_up(argmax_cl_handle handle, const job *j, size_t which, cl_ulong bytes) {
    argmax_cl_status status = ARGMAX_CL_ERROR_OPENCL;
    char last[200] = "";
    int failures = 0;
    cl_ulong objects = 0, now = 0;
    for (cl_ulong room = 0; status; room += 8) {
        cl_event done = NULL;
        limit_device(bytes + room);
        status = full[which].act(handle, j, &done);
        if (status)
            failures += look_at_refusal(status, done, bytes, last);
        else if (done)
            ck_assert(job_is_right(j, suite_runner()->queue, done));
        if (done)
            clReleaseEvent(done);
    }
    ck_assert_int_eq(failures, full[which].failures);
    stub_facts(&objects, &now);
    ck_assert_msg((now > bytes) == full[which].keeps, "keeps %lld bytes", (long long)(now - bytes));
}

/* A handle of its own: the suite's may have workspaces to give up. */
START_TEST(a_full_device_is_an_error) {
    const runner *const r = suite_runner();
    for (size_t i = 0; i < sizeof full / sizeof full[0]; i++) {
        cl_ulong objects = 0, bytes = 0;
        argmax_cl_handle handle = NULL;
        argmax_cl_plan plan = NULL;
        job j;
        job_open(&j, full[i].line);
        ck_assert_int_eq(argmax_cl_create(&handle, r->context, r->device), ARGMAX_CL_SUCCESS);
        ck_assert_int_eq(argmax_cl_plan_create(&plan, handle, j.p.op, &j.d.desc), ARGMAX_CL_SUCCESS);
        argmax_cl_plan_destroy(plan); /* programs and counters stay with the handle */
        if (stub_facts(&objects, &bytes))
            fill_up(handle, &j, i, bytes);
        ck_assert_int_eq(unsetenv("STUB_OPENCL_MEMORY"), 0);
        argmax_cl_destroy(handle);
        job_close(&j);
    }
}
END_TEST

SUITE_MAIN("limits", one_byte_less_is_refused, many_plans_and_queues_at_once, a_full_device_is_an_error)
