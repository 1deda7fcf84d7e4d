/* The call on host arrays: answers by way of the runner (which guards every byte around the arrays), refusals, and what
 * the options report. Needs an OpenCL device. */
#include "internal.h"
#include "runner.h"
#include "unit.h"

static runner r;

static void set_up(void) {
    ck_assert_msg(runner_open(&r, NULL), "%s", r.message);
}

static void tear_down(void) {
    runner_close(&r);
}

/* What differs between host calls: where the input starts, and how the outputs are put back. */
static const char *const problems[] = {
    "argmax float32 5x7 axes=1",
    "argmin float32 5x7 axes=0 value",
    "argmax float32 5x7 value last data=ties",
    "argmax float32 5x7 axes=1 offset=9 ioffset=3 voffset=2 value",
    "argmax float32 5x7 axes=1 strides=-7,-1 value",
    "argmax float32 5x7 axes=1 strides=0,0 data=constant",
    "argmax float32 5x7 axes=1 strides=20,2 value",
    "argmax float32 5x7 axes=1 istrides=-3,1 vstrides=4,1 value",
    "argmax int8 3x4x5x2 axes=3 istrides=5,15,1,1 vstrides=20,-5,1,77 value index=int32",
    "argmax int16 3x4x5 axes=1 istrides=-1,1,3 vstrides=10,1,-2 value index=uint32",
    "argmax float64 3x4x5 axes=0 istrides=99,5,1 vstrides=1,-11,2 value index=uint64",
    "argmax uint8 2x2x2x2x2x2x2x2 axes=3,5 istrides=1,2,4,1,8,1,16,32 vstrides=-64,-32,-16,1,-8,1,-4,-2 value",
    "argmin float16 4x6 axes=0 value vstrides=1,-5 data=special",
    "argmin bfloat16 4x6 axes=0 value vstrides=1,3 nan=ignore data=allnan",
    "argmax float32 1x1x1 axes=1 istrides=-9223372036854775807,5,-7 value",
    "argmax float32 2x1x3x2 axes=3 istrides=3,9223372036854775807,1,1 ioffset=5 value",
    "argmax float32 0x7 axes=1 value",
    "argmax float32 300000 value data=peak seed=299999",
};

START_TEST(answers_are_right) {
    problem_line p;
    char error[300];
    ck_assert_msg(problem_parse(problems[_i], &p, error, sizeof error), "%s", error);
    ck_assert_msg(runner_run(&r, &p, ROUTE_HOST) == RUN_OK, "%s: %s", problems[_i], r.message);
}
END_TEST

/* float32 (3, 4) over axis 1: int32 indices and values. */
typedef struct host_case {
    uint64_t sizes[2];
    int64_t strides[2];
    uint32_t axis;
    argmax_cl_tensor input, index, value;
    argmax_cl_desc desc;
    argmax_cl_host_arrays arrays;
    float in[12], values[3];
    int32_t indices[3];
} host_case;

static void prepare(host_case *c) {
    static const float rows[] = {1, 2, 3, 0, 9, 8, 7, 6, 5, 5, 6, 5};
    memset(c, 0, sizeof *c);
    c->sizes[0] = 3;
    c->sizes[1] = 4;
    c->axis = 1;
    argmax_cl_tensor_init(&c->input);
    argmax_cl_tensor_init(&c->index);
    argmax_cl_tensor_init(&c->value);
    c->input.dtype = c->value.dtype = ARGMAX_CL_FLOAT32;
    c->input.rank = 2;
    c->input.sizes = c->sizes;
    c->index.dtype = ARGMAX_CL_INT32;
    argmax_cl_desc_init(&c->desc);
    c->desc.input = &c->input;
    c->desc.index = &c->index;
    c->desc.value = &c->value;
    c->desc.axis_count = 1;
    c->desc.axes = &c->axis;
    argmax_cl_host_arrays_init(&c->arrays);
    memcpy(c->in, rows, sizeof c->in);
    memset(c->indices, 0x5A, sizeof c->indices);
    memset(c->values, 0x5A, sizeof c->values);
    c->arrays.input = c->in;
    c->arrays.index = c->indices;
    c->arrays.value = c->values;
}

static void expect(const char *label, const host_case *c, argmax_cl_status status, const char *parts) {
    host_case before = *c;
    expect_status(label, argmax_cl_host(r.handle, &c->desc, &c->arrays, NULL), status, parts);
    if (status)
        ck_assert_msg(memcmp(&before, c, sizeof before) == 0, "%s: a refused call wrote something", label);
}

START_TEST(both_operators_answer) {
    host_case c;
    prepare(&c);
    ck_assert_int_eq(argmax_cl_host(r.handle, &c.desc, &c.arrays, NULL), ARGMAX_CL_SUCCESS);
    ck_assert(c.indices[0] == 2 && c.indices[1] == 0 && c.indices[2] == 2);
    ck_assert(c.values[0] == 3 && c.values[1] == 9 && c.values[2] == 6);
    ck_assert_int_eq(argmin_cl_host(r.handle, &c.desc, &c.arrays, NULL), ARGMAX_CL_SUCCESS);
    ck_assert(c.indices[0] == 3 && c.indices[1] == 3 && c.indices[2] == 0);
    ck_assert(c.values[0] == 0 && c.values[1] == 6 && c.values[2] == 5);
}
END_TEST

START_TEST(arguments_are_checked) {
    const argmax_cl_status argument = ARGMAX_CL_ERROR_INVALID_ARGUMENT, buffer = ARGMAX_CL_ERROR_INVALID_BUFFER;
    host_case c;
    prepare(&c);
    expect_status("handle", argmax_cl_host(NULL, &c.desc, &c.arrays, NULL), argument, "handle = NULL");
    expect_status("desc", argmax_cl_host(r.handle, NULL, &c.arrays, NULL), argument, "desc = NULL");
    expect_status("arrays", argmax_cl_host(r.handle, &c.desc, NULL, NULL), argument, "arrays = NULL");
    argmax_cl_host_options options = ARGMAX_CL_HOST_OPTIONS_INIT;
    options.struct_size = 1;
    expect_status("options", argmax_cl_host(r.handle, &c.desc, &c.arrays, &options), argument,
                  "options->struct_size = 1");
    c.arrays.struct_size = 2;
    expect("struct_size", &c, argument, "arrays->struct_size = 2");
    prepare(&c);
    c.axis = 2;
    expect("axis", &c, ARGMAX_CL_ERROR_INVALID_AXES, "axes[0] = 2|0..1");
    prepare(&c);
    c.arrays.input = NULL;
    expect("input", &c, buffer, "arrays->input = NULL");
    prepare(&c);
    c.arrays.index = NULL;
    expect("index", &c, buffer, "arrays->index = NULL");
    prepare(&c);
    c.arrays.value = NULL;
    expect("value", &c, buffer, "arrays->value = NULL");
    prepare(&c);
    c.desc.value = NULL;
    expect("value without a tensor", &c, buffer, "arrays->value|no such tensor");
    prepare(&c);
    c.desc.strategy = "no such strategy";
    expect("strategy", &c, ARGMAX_CL_ERROR_INVALID_STRATEGY, "no such strategy");
}
END_TEST

START_TEST(arrays_do_not_overlap) {
    const argmax_cl_status overlap = ARGMAX_CL_ERROR_BUFFER_OVERLAP;
    host_case c;
    prepare(&c);
    c.arrays.index = c.in;
    expect("index in input", &c, overlap, "arrays->index|arrays->input");
    prepare(&c);
    c.arrays.value = c.in + 11;
    expect("value in input's last element", &c, overlap, "arrays->value|arrays->input");
    prepare(&c);
    c.arrays.value = c.indices + 2;
    expect("value in index's last element", &c, overlap, "arrays->value|arrays->index");
    prepare(&c);
    c.arrays.value = c.arrays.index;
    expect("same", &c, overlap, "arrays->value|arrays->index");
    /* Row 2 of the input, then the indices in rows 0 and 1 of the same array. */
    prepare(&c);
    c.sizes[0] = 1;
    c.input.offset = 8;
    c.arrays.index = c.in;
    expect("disjoint within one array", &c, ARGMAX_CL_SUCCESS, NULL);
    ck_assert(memcmp(c.in, &(int32_t){2}, 4) == 0 && c.in[1] == 2 && c.values[0] == 6);
}
END_TEST

/* These arrays do not exist: a refused call touches none. */
START_TEST(limits_are_named) {
    host_case c;
    argmax_cl_host_options options = ARGMAX_CL_HOST_OPTIONS_INIT;
    prepare(&c);
    c.input.offset = (UINT64_C(1) << 61) - 13;
    c.arrays.input = (const void *)(UINTPTR_MAX - 1000);
    expect("address space", &c, ARGMAX_CL_ERROR_OVERFLOW, "arrays->input|address space");
    prepare(&c);
    options.memory_limit = 10;
    expect_status("memory limit", argmax_cl_host(r.handle, &c.desc, &c.arrays, &options), ARGMAX_CL_ERROR_MEMORY_LIMIT,
                  "options->memory_limit = 10|at least ");
}
END_TEST

START_TEST(times_are_reported) {
    double compute = -1, transfer = -1;
    argmax_cl_host_options options = ARGMAX_CL_HOST_OPTIONS_INIT;
    options.seconds_compute = &compute;
    options.seconds_transfer = &transfer;
    host_case c;
    prepare(&c);
    ck_assert_int_eq(argmax_cl_host(r.handle, &c.desc, &c.arrays, &options), ARGMAX_CL_SUCCESS);
    ck_assert_msg(compute > 0 && compute < 60 && transfer > 0 && transfer < 60, "%g and %g", compute, transfer);
    const double before[] = {compute, transfer};
    c.desc.strategy = "no such strategy";
    ck_assert_int_ne(argmax_cl_host(r.handle, &c.desc, &c.arrays, &options), ARGMAX_CL_SUCCESS);
    ck_assert(compute == before[0] && transfer == before[1]);
    prepare(&c);
    c.sizes[0] = 0;
    ck_assert_int_eq(argmax_cl_host(r.handle, &c.desc, &c.arrays, &options), ARGMAX_CL_SUCCESS);
    ck_assert(compute == 0 && transfer == 0);
}
END_TEST

TESTS_MAIN("host", set_up, tear_down, EACH(answers_are_right, problems), ONCE(both_operators_answer),
           ONCE(arguments_are_checked), ONCE(arrays_do_not_overlap), ONCE(limits_are_named), ONCE(times_are_reported))
