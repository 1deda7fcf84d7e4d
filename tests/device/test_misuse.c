/* What callers get wrong: NULLs in every place, devices of elsewhere, kernel folders that make no sense, problems
 * beyond what a device counts with. Each is refused with its name, and nothing is left behind. */
#include "api/handle.h"

#include "job.h"
#include "objects.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INVALID ARGMAX_CL_ERROR_INVALID_ARGUMENT

START_TEST(nulls) {
    const runner *const r = suite_runner();
    argmax_cl_handle handle = (argmax_cl_handle)(uintptr_t)1;
    argmax_cl_plan plan = (argmax_cl_plan)(uintptr_t)1;
    size_t bytes;
    char text[4];
    uint64_t one = 1;
    job j;
    job_open(&j, ONE_STAGE);
    expect_status("create", argmax_cl_create(NULL, r->context, r->device), INVALID, "handle = NULL");
    expect_status("create", argmax_cl_create(&handle, NULL, r->device), INVALID, "context = NULL");
    ck_assert_ptr_null(handle);
    expect_status("create", argmax_cl_create(&handle, r->context, NULL), INVALID, "device = NULL");
    expect_status("create_default", argmax_cl_create_default(NULL, NULL), INVALID, "handle = NULL");
    expect_status("get_device", argmax_cl_get_device(NULL, NULL, NULL), INVALID, "handle = NULL");
    expect_status("get_device", argmax_cl_get_device(r->handle, NULL, NULL), ARGMAX_CL_SUCCESS, NULL);
    expect_status("plan_create", argmax_cl_plan_create(NULL, r->handle, ARGMAX_CL_ARGMAX, &j.d.desc), INVALID,
                  "plan = NULL");
    expect_status("plan_create", argmax_cl_plan_create(&plan, NULL, ARGMAX_CL_ARGMAX, &j.d.desc), INVALID,
                  "handle = NULL");
    ck_assert_ptr_null(plan);
    expect_status("workspace_size", argmax_cl_plan_workspace_size(NULL, &bytes), INVALID, "plan = NULL");
    expect_status("enqueue", argmax_cl_plan_enqueue(NULL, r->queue, &j.buffers, NULL, 0, NULL, NULL), INVALID,
                  "plan = NULL");
    expect_status("warm_up", argmax_cl_plan_warm_up(NULL, r->queue), INVALID, "plan = NULL");
    expect_status("describe", argmax_cl_plan_describe(NULL, text, sizeof text, NULL), INVALID, "plan = NULL");
    expect_status("call", argmax_cl(NULL, r->queue, &j.d.desc, &j.buffers, 0, NULL, NULL), INVALID, "handle = NULL");
    expect_status("host", argmax_cl_host(NULL, &j.d.desc, NULL, NULL), INVALID, "handle = NULL");
    expect_status("host", argmax_cl_host(r->handle, &j.d.desc, NULL, NULL), INVALID, "arrays = NULL");
    expect_status("unravel", argmax_cl_unravel(0, 1, NULL, &one), INVALID, "sizes = NULL");
    expect_status("unravel", argmax_cl_unravel(0, 1, &one, NULL), INVALID, "coordinates = NULL");
    plan = plan_of(&j);
    expect_status("workspace_size", argmax_cl_plan_workspace_size(plan, NULL), INVALID, "bytes = NULL");
    expect_status("enqueue", argmax_cl_plan_enqueue(plan, r->queue, NULL, NULL, 0, NULL, NULL), INVALID,
                  "buffers = NULL");
    expect_status("warm_up", argmax_cl_plan_warm_up(plan, NULL), ARGMAX_CL_ERROR_INVALID_QUEUE, "queue = NULL");
    expect_status("describe", argmax_cl_plan_describe(plan, NULL, 4, NULL), INVALID, "text = NULL|capacity = 4");
    argmax_cl_plan_destroy(plan);
    argmax_cl_plan_destroy(NULL);
    argmax_cl_destroy(NULL);
    job_close(&j);
}
END_TEST

START_TEST(descriptions_fit_their_room) {
    char whole[2048], part[2048];
    size_t needed = 0, again = 0;
    job j;
    job_open(&j, TWO_STAGES);
    const argmax_cl_plan plan = plan_of(&j);
    expect_status("whole", argmax_cl_plan_describe(plan, whole, sizeof whole, &needed), ARGMAX_CL_SUCCESS, NULL);
    ck_assert_uint_eq(needed, strlen(whole));
    expect_status("length", argmax_cl_plan_describe(plan, NULL, 0, &again), ARGMAX_CL_SUCCESS, NULL);
    ck_assert_uint_eq(again, needed);
    for (size_t capacity = 1; capacity <= needed + 1; capacity += needed / 3) {
        memset(part, 'x', sizeof part);
        expect_status("part", argmax_cl_plan_describe(plan, part, capacity, NULL), ARGMAX_CL_SUCCESS, NULL);
        ck_assert_uint_eq(strlen(part), capacity - 1);
        ck_assert(strncmp(part, whole, capacity - 1) == 0 && part[capacity] == 'x');
    }
    argmax_cl_plan_destroy(plan);
    job_close(&j);
}
END_TEST

/* Without outputs there is nothing to do, but events keep their meaning. */
START_TEST(nothing_to_do) {
    const runner *const r = suite_runner();
    char text[200];
    cl_event event = NULL, after = NULL;
    job j;
    job_open(&j, "argmax float32 0x30 axes=1");
    const argmax_cl_plan plan = plan_of(&j);
    expect_status("describe", argmax_cl_plan_describe(plan, text, sizeof text, NULL), ARGMAX_CL_SUCCESS, NULL);
    ck_assert_str_eq(text, "nothing to do: the output has no elements");
    ck_assert_uint_eq(workspace_bytes(plan), 0);
    expect_status("warm up", argmax_cl_plan_warm_up(plan, r->queue), ARGMAX_CL_SUCCESS, NULL);
    expect_status("no event", job_enqueue(&j, plan, r->queue, NULL, 0, NULL, NULL), ARGMAX_CL_SUCCESS, NULL);
    expect_status("an event", job_enqueue(&j, plan, r->queue, NULL, 0, NULL, &event), ARGMAX_CL_SUCCESS, NULL);
    ck_assert_ptr_nonnull(event);
    expect_status("a list", job_enqueue(&j, plan, r->queue, NULL, 1, &event, NULL), ARGMAX_CL_SUCCESS, NULL);
    expect_status("both", job_enqueue(&j, NULL, r->queue, NULL, 1, &event, &after), ARGMAX_CL_SUCCESS, NULL);
    ck_assert_int_eq(clWaitForEvents(1, &after), CL_SUCCESS);
    clReleaseEvent(event);
    clReleaseEvent(after);
    argmax_cl_plan_destroy(plan);
    job_close(&j);
}
END_TEST

/* Whether the implementation compiles for a device in this context. */
static bool compiles_for(cl_context context, cl_device_id device) {
    const char *source = "__kernel void nothing(void) {}";
    cl_int code;
    const cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    code = clBuildProgram(program, 1, &device, "", NULL, NULL);
    clReleaseProgram(program);
    return code == CL_SUCCESS;
}

/* A small problem with its answer, or with the compiler's refusal. */
static void find_on(argmax_cl_handle handle, bool compiles) {
    const float values[] = {1, 7, 3, 7};
    const uint64_t sizes[] = {4};
    const uint32_t axes[] = {0};
    int64_t where = -2;
    argmax_cl_tensor input = ARGMAX_CL_TENSOR_INIT, index = ARGMAX_CL_TENSOR_INIT;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    input.dtype = ARGMAX_CL_FLOAT32;
    input.rank = 1;
    input.sizes = sizes;
    index.dtype = ARGMAX_CL_INT64;
    desc.input = &input;
    desc.index = &index;
    desc.axis_count = 1;
    desc.axes = axes;
    arrays.input = values;
    arrays.index = &where;
    expect_status("on a part", argmax_cl_host(handle, &desc, &arrays, NULL),
                  compiles ? ARGMAX_CL_SUCCESS : ARGMAX_CL_ERROR_BUILD, compiles ? NULL : "CL_INVALID_DEVICE");
    ck_assert_int_eq(where, compiles ? 1 : -2);
}

/* Commands may go to a part of a context's device, and some implementations list a part's whole device as the
 * context's: then there is nothing to refuse, and the part must do what the device does. The parts are kept, since
 * PoCL's threads look at the device of a command that has ended. */
START_TEST(a_part_of_the_contexts_device) {
    static cl_device_id parts[64];
    const runner *const r = suite_runner();
    const cl_uint count = divide_device(r->device, parts, 64);
    argmax_cl_handle handle = NULL;
    if (count == 0)
        return; /* few devices can be divided */
    expect_status("a part", argmax_cl_create(&handle, r->context, parts[0]), ARGMAX_CL_SUCCESS, NULL);
    find_on(handle, compiles_for(r->context, parts[0]));
    argmax_cl_destroy(handle);
}
END_TEST

START_TEST(kernels_that_are_not_there) {
    argmax_cl_handle handle = NULL;
    cl_program program = NULL;
    ck_assert_int_eq(argmax_cl_create(&handle, suite_runner()->context, suite_runner()->device), ARGMAX_CL_SUCCESS);
    expect_status("embedded", program_get(handle, "nonsense", "", &program), ARGMAX_CL_ERROR_KERNEL_SOURCE,
                  "nonsense.cl|not part of this library");
    char folder[5000];
    memset(folder, 'x', sizeof folder - 1);
    folder[sizeof folder - 1] = 0;
    setenv("ARGMAX_CL_KERNELS", folder, 1);
    expect_status("a long name", program_get(handle, "rows", "", &program), ARGMAX_CL_ERROR_KERNEL_SOURCE, "xxx");
    unsetenv("ARGMAX_CL_KERNELS");
    ck_assert_ptr_null(program);
    argmax_cl_destroy(handle);
}
END_TEST

/* A file that includes itself, twice: the expansion ends, and the compiler says what is wrong. */
START_TEST(kernels_that_include_themselves) {
    static const char folder[] = "kernels_that_include_themselves",
                      families[] = "kernels_that_include_themselves/families",
                      name[] = "kernels_that_include_themselves/families/loop.cl";
    argmax_cl_handle handle = NULL;
    cl_program program = NULL;
    ck_assert(mkdir(folder, 0777) == 0);
    ck_assert(mkdir(families, 0777) == 0);
    FILE *const file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    fputs("#include \"families/loop.cl\"\n#include \"families/loop.cl\"\n", file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(argmax_cl_create(&handle, suite_runner()->context, suite_runner()->device), ARGMAX_CL_SUCCESS);
    setenv("ARGMAX_CL_KERNELS", folder, 1);
    expect_status("loop", program_get(handle, "loop", "", &program), ARGMAX_CL_ERROR_BUILD,
                  "kernel loop did not compile");
    unsetenv("ARGMAX_CL_KERNELS");
    ck_assert_ptr_null(program);
    argmax_cl_destroy(handle);
    remove(name);
    rmdir(families);
    rmdir(folder);
}
END_TEST

static argmax_cl_status plan_status(argmax_cl_handle handle, const char *line) {
    problem_line p;
    problem_desc d;
    char error[300];
    argmax_cl_plan plan = NULL;
    ck_assert_msg(problem_parse(line, &p, error, sizeof error), "%s: %s", line, error);
    problem_describe(&p, &d);
    const argmax_cl_status status = argmax_cl_plan_create(&plan, handle, p.op, &d.desc);
    argmax_cl_plan_destroy(plan);
    return status;
}

START_TEST(general_where_the_compiler_is_wrong) {
    static const char *const lines[] = {"argmax float32 257x67 axes=1 mask=all", "argminmax float32 257x67 axes=1"};
    argmax_cl_handle handle = NULL;
    ck_assert_int_eq(argmax_cl_create(&handle, suite_runner()->context, suite_runner()->device), ARGMAX_CL_SUCCESS);
    for (uint32_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        handle->facts.no_general = true;
        expect_status(lines[i], plan_status(handle, lines[i]), ARGMAX_CL_ERROR_DEVICE_LIMIT,
                      "mask or both extrema: the compiler of the device ");
        handle->facts.no_general = false;
        ck_assert_int_eq(plan_status(handle, lines[i]), ARGMAX_CL_SUCCESS);
    }
    argmax_cl_destroy(handle);
}
END_TEST

/* Windows that overlap need little memory; their outputs, and the parts of them, would need more than there is. */
START_TEST(beyond_what_a_device_counts_with) {
    static const char name[] = "beyond_what_a_device_counts_with.tuning";
    argmax_cl_handle handle = NULL;
    ck_assert_int_eq(argmax_cl_create(&handle, suite_runner()->context, suite_runner()->device), ARGMAX_CL_SUCCESS);
    handle->facts.max_buffer = UINT64_C(1) << 32;
    handle->facts.loop_limit = 0;
    expect_status("parts", plan_status(handle, "argmax int8 4294967296x64 axes=1 strides=1,1 strategy=split-rows"),
                  ARGMAX_CL_ERROR_DEVICE_LIMIT,
                  "workspace of 4294967296 outputs x |largest buffer has 4294967296 bytes");
    expect_status("parts, whose bytes wrap",
                  plan_status(handle, "argmax float64 576460752303423488x8 axes=1 index=int32 strides=1,1 tuning=gpu "
                                      "strategy=split-rows"),
                  ARGMAX_CL_ERROR_DEVICE_LIMIT, "workspace of 576460752303423488 outputs x ");
    expect_status("answers that are copied",
                  plan_status(handle, "argmax int8 1000000000x64x3 axes=1 strides=1,1,0 strategy=long-rows"),
                  ARGMAX_CL_ERROR_DEVICE_LIMIT,
                  "workspace of 8000000000 bytes, with the answers of 1000000000 outputs");
    ck_assert_int_eq(plan_status(handle, "argmax int8 500000000x64x3 axes=1 strides=1,1,0 strategy=long-rows"),
                     ARGMAX_CL_SUCCESS);
    FILE *const file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    fputs("cpu groups_max=1073741824 group=64 group_short=64\ngpu groups_max=1073741824\n", file);
    ck_assert_int_eq(fclose(file), 0);
    setenv("ARGMAX_CL_TUNING", name, 1);
    handle->facts.address_bits = 32;
    expect_status("32 bits",
                  plan_status(handle, "argmax int8 1099511627776x100000 axes=1 strides=1,1 strategy=long-rows"),
                  ARGMAX_CL_ERROR_DEVICE_LIMIT, "work-groups: the device counts with 32 bits");
    setenv("ARGMAX_CL_TUNING", "", 1);
    remove(name);
    argmax_cl_destroy(handle);
}
END_TEST

/* An array at any address, though C would not let a float start there. */
START_TEST(host_arrays_without_alignment) {
    static char memory[500 * 300 * 4 + 1];
    int64_t index[OUTPUTS_MAX];
    job j;
    job_open(&j, ONE_STAGE);
    memcpy(memory + 1, j.input, sizeof memory - 1);
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.input = memory + 1;
    arrays.index = index;
    expect_status("host", argmax_cl_host(suite_runner()->handle, &j.d.desc, &arrays, NULL), ARGMAX_CL_SUCCESS, NULL);
    ck_assert_mem_eq(index, j.expected, (size_t)problem_output_count(&j.p) * 8);
    job_close(&j);
}
END_TEST

SUITE_MAIN("misuse", nulls, descriptions_fit_their_room, nothing_to_do, a_part_of_the_contexts_device,
           kernels_that_are_not_there, kernels_that_include_themselves, beyond_what_a_device_counts_with,
           general_where_the_compiler_is_wrong, host_arrays_without_alignment)
