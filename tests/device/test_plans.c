/* Plans and handles: the environment, descriptions, warming up, lifetimes. */
#include "api/handle.h"

#include "job.h"
#include "unit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* A file of changes to the device's tuning row; what is wrong in it is named with its line. */
START_TEST(tuning_files_are_checked) {
    static const struct {
        const char *text, *word; /* word NULL: accepted */
    } files[] = {
        {"# nothing\n\ncpu groups_per_unit=2\ngpu groups_per_unit=2 # both\n", NULL},
        {"cpu group=3\ngpu group=3\n", "power of two"},
        {"cpu colour=3\ngpu colour=3\n", "colour"},
        {"cpu group\ngpu group\n", "FIELD=NUMBER"},
        {"cpu panel_bytes=1x\ngpu panel_bytes=1x\n", "line 1"},
        {"\ncpx group=4\n", "line 2"},
    };
    static const char name[] = "tuning_files_are_checked.txt";
    job j;
    job_open(&j, ONE_STAGE);
    ck_assert_int_eq(setenv("ARGMAX_CL_TUNING", name, 1), 0);
    for (size_t i = 0; i <= sizeof files / sizeof files[0]; i++) {
        argmax_cl_plan plan = NULL;
        const bool missing = i == sizeof files / sizeof files[0];
        remove(name);
        if (!missing) {
            FILE *const file = fopen(name, "w");
            ck_assert_ptr_nonnull(file);
            fputs(files[i].text, file);
            fclose(file);
        }
        const argmax_cl_status status =
            argmax_cl_plan_create(&plan, suite_runner()->handle, ARGMAX_CL_ARGMAX, &j.d.desc);
        const char *const word = missing ? "cannot read" : files[i].word;
        ck_assert_int_eq(status, word ? ARGMAX_CL_ERROR_INVALID_TUNING : ARGMAX_CL_SUCCESS);
        ck_assert_msg(!word || strstr(argmax_cl_last_error(), word), "%s: %s", word, argmax_cl_last_error());
        argmax_cl_plan_destroy(plan);
    }
    ck_assert_int_eq(setenv("ARGMAX_CL_TUNING", "", 1), 0); /* nor the user's own file */
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
    ck_assert_int_eq(job_enqueue(&j, plan, suite_runner()->queue, workspace, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
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
    job_open(&j, TWO_STAGES);
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
    ck_assert_int_eq(job_enqueue(&j, NULL, suite_runner()->queue, NULL, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
    ck_assert(job_is_right(&j, suite_runner()->queue, NULL));
    job_close(&j);
}
END_TEST

/* One launch where the device allows it, and nothing compiled for the second. */
START_TEST(the_device_has_the_host_s_order_of_bytes) {
    const runner *const r = suite_runner();
    device_facts *const facts = &r->handle->facts;
    job j;
    job_open(&j, ONE_STAGE);
    argmax_cl_plan plan = NULL;
    facts->little_endian = !facts->little_endian;
    expect_status("another order", argmax_cl_plan_create(&plan, r->handle, j.p.op, &j.d.desc),
                  ARGMAX_CL_ERROR_DEVICE_LIMIT, "-endian|the host's order of bytes");
    facts->little_endian = !facts->little_endian;
    ck_assert_ptr_null(plan);
    ck_assert_int_eq(argmax_cl_plan_create(&plan, r->handle, j.p.op, &j.d.desc), ARGMAX_CL_SUCCESS);
    argmax_cl_plan_destroy(plan);
    job_close(&j);
}
END_TEST

/* A program that merges too and does not compile would be done without, by a second launch. */
START_TEST(describe_counts_the_launches) {
    static const char *const problems[] = {TWO_STAGES,
                                           "argmax float32 3000x123 axes=0 strategy=split-columns tuning=gpu",
                                           "argmax float32 3000x123 axes=0 strategy=split-stream tuning=gpu"};
    const bool one = suite_runner()->handle->facts.ordering != ORDERING_NONE;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; ++i) {
        job j;
        job_open(&j, problems[i]);
        const argmax_cl_plan plan = plan_of(&j);
        ck_assert_msg(plan_says(plan, one ? "launches=1" : "launches=2"), "%s", problems[i]);
        ck_assert_msg(one != plan_says(plan, "| merge: "), "%s", problems[i]);
        argmax_cl_plan_destroy(plan);
        job_close(&j);
    }
}
END_TEST

/* 2^30 work-groups of 16: more work-items than 32 bits count, and no reason to refuse them where addresses have 64. */
START_TEST(grids_fit_what_the_device_counts_with) {
    static const char name[] = "grids_fit_what_the_device_counts_with.tuning";
    const runner *const r = suite_runner();
    problem_line p;
    problem_desc d;
    char error[300];
    argmax_cl_handle handle = NULL;
    FILE *const file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    fputs("cpu groups_max=1073741824 group=16 group_short=16\ngpu groups_max=1073741824 group=16 group_short=16\n",
          file);
    fclose(file);
    ck_assert(problem_parse("argmax int8 68719476736x2 axes=1 strategy=long-rows", &p, error, sizeof error));
    problem_describe(&p, &d);
    ck_assert_int_eq(setenv("ARGMAX_CL_TUNING", name, 1), 0);
    ck_assert_int_eq(argmax_cl_create(&handle, r->context, r->device), ARGMAX_CL_SUCCESS);
    handle->facts.loop_limit = 0;
    for (cl_uint bits = 32; bits <= sizeof(size_t) * CHAR_BIT; bits += 32) {
        argmax_cl_plan plan = NULL;
        handle->facts.address_bits = bits;
        expect_status("grid", argmax_cl_plan_create(&plan, handle, p.op, &d.desc),
                      bits == 32 ? ARGMAX_CL_ERROR_DEVICE_LIMIT : ARGMAX_CL_SUCCESS,
                      "1073741824 work-groups|counts with 32 bits");
        ck_assert(bits == 32 || plan_says(plan, "1073741824 groups of 16"));
        argmax_cl_plan_destroy(plan);
    }
    argmax_cl_destroy(handle);
    ck_assert_int_eq(setenv("ARGMAX_CL_TUNING", "", 1), 0);
    remove(name);
}
END_TEST

SUITE_MAIN("plans", tuning_files_are_checked, environment_forces_a_strategy, describe_needs_what_it_says,
           describe_counts_the_launches, warm_up_touches_nothing, objects_may_die_in_any_order,
           handles_give_back_what_they_took, outputs_may_leave_their_shape_out,
           the_device_has_the_host_s_order_of_bytes, grids_fit_what_the_device_counts_with)
