/* What every call refuses: absurd descriptors, and outputs on top of other tensors. Nothing is enqueued, and it takes
 * microseconds, also where a device is at hand. */
#include "absurd.h"
#include "job.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum route { CALL, MINIMUM_CALL, PLAN, HOST, HOST_MINIMUM, ENQUEUE, ROUTES } route;
static const char *const route_names[ROUTES] = {"argmax_cl",      "argmin_cl",      "argmax_cl_plan_create",
                                                "argmax_cl_host", "argmin_cl_host", "argmax_cl_plan_enqueue"};

typedef struct attempt {
    route way;
    const argmax_cl_desc *desc;
    const argmax_cl_buffers *buffers;
    argmax_cl_plan plan; /* for ENQUEUE */
    cl_mem workspace;
} attempt;

#define ROOM ((size_t)1 << 20)
static char memory[3 * ROOM]; /* of an input, an index and a value */

static argmax_cl_status try_it(void *context) {
    const attempt *const a = context;
    const runner *const r = suite_runner();
    const argmax_cl_host_arrays arrays = {.struct_size = sizeof arrays,
                                          .input = memory,
                                          .index = memory + ROOM,
                                          .value = a->desc && a->desc->value ? memory + 2 * ROOM : NULL};
    cl_event event = (cl_event)memory; /* not NULL, so that one that is left shows */
    argmax_cl_plan plan = (argmax_cl_plan)memory;
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    switch (a->way) {
    case CALL:
    case MINIMUM_CALL:
        status = (a->way == CALL ? argmax_cl : argmin_cl)(r->handle, r->queue, a->desc, a->buffers, 0, NULL, &event);
        ck_assert_ptr_null(event);
        break;
    case PLAN:
        status = argmax_cl_plan_create(&plan, r->handle, ARGMAX_CL_ARGMAX, a->desc);
        ck_assert_ptr_null(plan);
        break;
    case HOST:
        status = argmax_cl_host(r->handle, a->desc, &arrays, NULL);
        break;
    case HOST_MINIMUM:
        status = argmin_cl_host(r->handle, a->desc, &arrays, NULL);
        break;
    default:
        status = argmax_cl_plan_enqueue(a->plan, r->queue, a->buffers, a->workspace, 0, NULL, &event);
        ck_assert_ptr_null(event);
    }
    return status;
}

static void expect_refusal(const char *label, attempt *a, argmax_cl_status expected, const char *parts) {
    char name[200];
    snprintf(name, sizeof name, "%s, %s", label, route_names[a->way]);
    expect_status(name, try_it(a), expected, parts);
    const double took = least_microseconds(try_it, a);
    ck_assert_msg(took < ABSURD_MICROSECONDS, "%s: %.1f microseconds", name, took);
    if (getenv("ARGMAX_CL_TEST_VERBOSE"))
        printf("%-70s %6.2f us\n", name, took);
}

START_TEST(absurd_descriptors) {
    const argmax_cl_buffers buffers = ARGMAX_CL_BUFFERS_INIT;
    for (size_t i = 0; i < absurd_count; i++)
        for (route way = CALL; way <= HOST_MINIMUM; way++) {
            attempt a = {.way = way, .desc = absurd_rows[i].desc, .buffers = &buffers};
            expect_refusal(absurd_rows[i].label, &a, absurd_rows[i].status, absurd_rows[i].parts);
        }
}
END_TEST

START_TEST(unknown_names) {
    const argmax_cl_buffers buffers = ARGMAX_CL_BUFFERS_INIT;
    job j;
    job_open(&j, ONE_STAGE);
    char name[5000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    for (route way = CALL; way <= HOST_MINIMUM; way++) {
        attempt a = {.way = way, .desc = &j.d.desc, .buffers = &buffers};
        j.d.desc.strategy = name;
        expect_refusal("a strategy of 5000 characters", &a, ARGMAX_CL_ERROR_INVALID_STRATEGY, "strategy = \"xxx");
        j.d.desc.strategy = NULL;
        j.d.desc.tuning = name;
        expect_refusal("a tuning row of 5000 characters", &a, ARGMAX_CL_ERROR_INVALID_STRATEGY, "tuning = \"xxx");
        j.d.desc.tuning = "%s%n%s";
        expect_refusal("a tuning row that is a format", &a, ARGMAX_CL_ERROR_INVALID_STRATEGY, "tuning = \"%s%n%s\"");
        j.d.desc.tuning = NULL;
    }
    job_close(&j);
}
END_TEST

/* One buffer for everything; inputs, outputs and the workspace at the same bytes, or at neighbouring ones. */
START_TEST(outputs_on_other_tensors) {
    static const struct {
        const char *label;
        bool index_on_input, value_on_index, workspace_on_index;
        const char *parts;
    } rows[] = {
        {"index on input", true, false, false, "buffers->index|overlaps|buffers->input"},
        {"value on index", false, true, false, "buffers->value|overlaps|buffers->index"},
        {"workspace on index", false, false, true, "workspace|overlaps|buffers->index"},
    };
    runner *const r = suite_runner();
    job j;
    job_open(&j, TWO_STAGES);
    j.d.desc.value = &j.d.value;
    const argmax_cl_plan plan = plan_of(&j);
    const size_t bytes = workspace_bytes(plan);
    const cl_mem workspace = workspace_of(plan), value = buffer_of(r, CL_MEM_READ_WRITE, 4096, NULL);
    const cl_mem large = buffer_of(r, CL_MEM_READ_WRITE, bytes + 4000000, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        argmax_cl_buffers buffers = j.buffers;
        buffers.value = value;
        buffers.index = rows[i].index_on_input || rows[i].workspace_on_index ? large : buffers.index;
        buffers.input = rows[i].index_on_input ? large : buffers.input;
        buffers.value = rows[i].value_on_index ? buffers.index : buffers.value;
        attempt a = {.way = ENQUEUE,
                     .desc = &j.d.desc,
                     .buffers = &buffers,
                     .plan = plan,
                     .workspace = rows[i].workspace_on_index ? large : workspace};
        expect_refusal(rows[i].label, &a, ARGMAX_CL_ERROR_BUFFER_OVERLAP, rows[i].parts);
        if (rows[i].workspace_on_index)
            continue; /* the one-call functions have their own */
        a.way = CALL;
        expect_refusal(rows[i].label, &a, ARGMAX_CL_ERROR_BUFFER_OVERLAP, rows[i].parts);
    }
    clReleaseMemObject(large);
    clReleaseMemObject(value);
    clReleaseMemObject(workspace);
    argmax_cl_plan_destroy(plan);
    job_close(&j);
}
END_TEST

SUITE_MAIN("refusals", absurd_descriptors, unknown_names, outputs_on_other_tensors)
