/* Right answers or errors on devices that have next to nothing, are full of noise, use addresses again, come with many
 * others or are too old. */
#include "scene.h"

#include <stdio.h>
#include <string.h>

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
        "argminmax int32 2x2x2x2 axes=0,1,2,3 strides=1,4,0,1 mask=all",
        "argminmax int32 2x2x2x2x2 axes=0,1,3,4 strides=0,8,4,2,1 mask=half mstrides=0,0,54,6,1 value maxvalue",
    };
    int taken = 0, refused = 0;
    for (size_t i = 0; i < sizeof of_8_dims / sizeof of_8_dims[0]; i++) {
        stub_manners.parameters = 0;
        taken += solve_by_all(of_8_dims[i], RUN_OK);
        stub_manners.parameters = 256;
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

SUITE_MAIN("hostile devices", new_memory_is_noise, objects_at_addresses_of_others, one_work_item_a_group,
           little_local_memory, one_compute_unit, arguments_of_1024_bytes, one_queue, a_context_of_many_devices,
           devices_before_opencl_1_2)
