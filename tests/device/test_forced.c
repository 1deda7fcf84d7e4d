/* Names of strategies and tuning rows that the user asks for: unknown ones are refused by every call, whatever the
 * problem's size. */
#include "internal.h"
#include "suite.h"
#include "unit.h"

typedef struct forced_case {
    const char *label, *strategy, *environment, *tuning;
    argmax_cl_status expected;
    const char *message;
} forced_case;

#define REFUSED ARGMAX_CL_ERROR_INVALID_STRATEGY

static const forced_case cases[] = {
    {"nothing forced", NULL, NULL, NULL, ARGMAX_CL_SUCCESS, NULL},
    {"strategy", "long-rows", NULL, NULL, ARGMAX_CL_SUCCESS, NULL},
    {"tuning cpu", NULL, NULL, "cpu", ARGMAX_CL_SUCCESS, NULL},
    {"tuning gpu", NULL, NULL, "gpu", ARGMAX_CL_SUCCESS, NULL},
    {"environment", NULL, "long-rows", NULL, ARGMAX_CL_SUCCESS, NULL},
    {"empty environment", NULL, "", NULL, ARGMAX_CL_SUCCESS, NULL},
    {"strategy before environment", "long-rows", "no-such", NULL, ARGMAX_CL_SUCCESS, NULL},
    {"unknown strategy", "no-such", NULL, NULL, REFUSED, "strategy = \"no-such\": expected one of |long-rows, "},
    {"unknown environment", NULL, "no-such", NULL, REFUSED, "ARGMAX_CL_STRATEGY = \"no-such\": expected one of "},
    {"unknown tuning", NULL, NULL, "no-such", REFUSED, "tuning = \"no-such\": expected one of gpu, gpu-intel, cpu, "},
    {"part of a name", "long", NULL, NULL, REFUSED, "strategy = \"long\""},
    {"letter case", NULL, NULL, "CPU", REFUSED, "tuning = \"CPU\""},
};

/* An empty environment variable stands for none, and no variable for none. */
static void set_environment(const char *value) {
    if (value)
        setenv("ARGMAX_CL_STRATEGY", value, 1);
    else
        unsetenv("ARGMAX_CL_STRATEGY");
}

/* Rows of 5, `rows` of them: with 0 rows the output is empty. The three calls refuse the same and say the same; those
 * on buffers, of which there are none, come further only when there is nothing to do. */
static void check_case(const forced_case *c, uint64_t rows) {
    const uint64_t sizes[] = {rows, 5};
    const uint32_t axis = 1;
    argmax_cl_tensor in = ARGMAX_CL_TENSOR_INIT, index = ARGMAX_CL_TENSOR_INIT;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    const argmax_cl_buffers buffers = ARGMAX_CL_BUFFERS_INIT;
    const runner *const r = suite_runner();
    float numbers[10] = {0};
    int32_t indices[2];
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    argmax_cl_plan plan = NULL;
    in.dtype = ARGMAX_CL_FLOAT32;
    in.rank = 2;
    in.sizes = sizes;
    index.dtype = ARGMAX_CL_INT32;
    desc.input = &in;
    desc.index = &index;
    desc.axis_count = 1;
    desc.axes = &axis;
    desc.strategy = c->strategy;
    desc.tuning = c->tuning;
    arrays.input = numbers;
    arrays.index = indices;
    set_environment(c->environment);
    expect_status(c->label, argmax_cl_plan_create(&plan, r->handle, ARGMAX_CL_ARGMAX, &desc), c->expected, c->message);
    ck_assert((plan != NULL) == (c->expected == ARGMAX_CL_SUCCESS));
    argmax_cl_plan_destroy(plan);
    expect_status(c->label, argmax_cl_host(r->handle, &desc, &arrays, NULL), c->expected, c->message);
    if (rows == 0 || c->expected != ARGMAX_CL_SUCCESS)
        expect_status(c->label, argmax_cl(r->handle, r->queue, &desc, &buffers, 0, NULL, NULL), c->expected,
                      c->message);
    set_environment(NULL);
}

START_TEST(unknown_names_are_refused) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_case(&cases[i], 2);
}
END_TEST

START_TEST(names_are_listed) {
    ck_assert_str_eq(tuning_names(), "gpu, gpu-intel, cpu, cpu-amd, cpu-zen4, cpu-zen5, cpu-intel");
}
END_TEST

START_TEST(also_when_there_is_nothing_to_do) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_case(&cases[i], 0);
}
END_TEST

SUITE_MAIN("forced", unknown_names_are_refused, also_when_there_is_nothing_to_do, names_are_listed)
