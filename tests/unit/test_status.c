/* Status, messages, dtypes, the structs' defaults, unravel: what needs neither a descriptor nor OpenCL. */
#include "internal.h"
#include "unit.h"

#include <pthread.h>

static void *message_of_a_new_thread(void *unused) {
    (void)unused;
    static char copy[64];
    snprintf(copy, sizeof copy, "[%s] %d", argmax_cl_last_error(), (int)argmax_cl_last_opencl_error());
    fail(ARGMAX_CL_ERROR_INVALID_RANK, "of the other thread");
    return copy;
}

START_TEST(no_message_before_the_first_failure) {
    void *text = NULL;
    pthread_t thread;
    fail(ARGMAX_CL_ERROR_INVALID_RANK, "of this thread");
    ck_assert_int_eq(pthread_create(&thread, NULL, message_of_a_new_thread, NULL), 0);
    pthread_join(thread, &text);
    ck_assert_str_eq(text, "[] 0");
    ck_assert_str_eq(argmax_cl_last_error(), "of this thread");
}
END_TEST

START_TEST(each_status_has_its_own_sentence) {
    for (int i = ARGMAX_CL_SUCCESS; i <= ARGMAX_CL_ERROR_CANCELLED; i++) {
        const char *const sentence = argmax_cl_status_string((argmax_cl_status)i);
        ck_assert_int_gt((int)strlen(sentence), 6);
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(sentence, argmax_cl_status_string((argmax_cl_status)j));
    }
    const int unknown[] = {-1, ARGMAX_CL_ERROR_CANCELLED + 1, 1000, -2147483647};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        ck_assert_str_eq(argmax_cl_status_string((argmax_cl_status)unknown[i]), "unknown status");
}
END_TEST

START_TEST(opencl_failures_keep_call_and_code) {
    ck_assert_int_eq(fail_opencl("clFoo", CL_OUT_OF_RESOURCES), ARGMAX_CL_ERROR_OPENCL);
    ck_assert_str_eq(argmax_cl_last_error(), "clFoo failed with -5 (CL_OUT_OF_RESOURCES)");
    ck_assert_int_eq(argmax_cl_last_opencl_error(), -5);
    fail_opencl("clFoo", -9999);
    ck_assert_str_eq(argmax_cl_last_error(), "clFoo failed with -9999 (unknown)");
    /* A failure of another kind has no OpenCL code. */
    ck_assert_int_eq(fail(ARGMAX_CL_ERROR_INVALID_AXES, "axes[%d] = %d", 1, 3), ARGMAX_CL_ERROR_INVALID_AXES);
    ck_assert_str_eq(argmax_cl_last_error(), "axes[1] = 3");
    ck_assert_int_eq(argmax_cl_last_opencl_error(), CL_SUCCESS);
}
END_TEST

START_TEST(a_message_may_quote_the_one_before) {
    fail(ARGMAX_CL_ERROR_INVALID_AXES, "inner");
    fail(ARGMAX_CL_ERROR_INVALID_AXES, "outer: %s", argmax_cl_last_error());
    ck_assert_str_eq(argmax_cl_last_error(), "outer: inner");
}
END_TEST

START_TEST(build_failures_keep_the_log_as_far_as_it_fits) {
    char log[20000];
    memset(log, 'x', sizeof log - 1);
    log[sizeof log - 1] = '\0';
    memcpy(log, "first line\n", 11);
    ck_assert_int_eq(fail_build("rows.cl", "-DT=uint", CL_BUILD_PROGRAM_FAILURE, log), ARGMAX_CL_ERROR_BUILD);
    expect_status("long log", ARGMAX_CL_ERROR_BUILD, ARGMAX_CL_ERROR_BUILD,
                  "rows.cl|-DT=uint|-11|CL_BUILD_PROGRAM_FAILURE|first line");
    ck_assert_int_eq(argmax_cl_last_opencl_error(), CL_BUILD_PROGRAM_FAILURE);
    const size_t length = strlen(argmax_cl_last_error());
    ck_assert(length > 4000 && length < sizeof log);
    fail_build("rows.cl", NULL, CL_BUILD_PROGRAM_FAILURE, NULL);
    expect_status("no log", ARGMAX_CL_ERROR_BUILD, ARGMAX_CL_ERROR_BUILD, "rows.cl|no log");
}
END_TEST

static const struct {
    argmax_cl_dtype dtype;
    const char *name;
    size_t size;
} dtypes[] = {
    {ARGMAX_CL_FLOAT32, "float32", 4}, {ARGMAX_CL_FLOAT16, "float16", 2},   {ARGMAX_CL_FLOAT64, "float64", 8},
    {ARGMAX_CL_INT8, "int8", 1},       {ARGMAX_CL_BFLOAT16, "bfloat16", 2}, {ARGMAX_CL_INT16, "int16", 2},
    {ARGMAX_CL_INT32, "int32", 4},     {ARGMAX_CL_INT64, "int64", 8},       {ARGMAX_CL_UINT8, "uint8", 1},
    {ARGMAX_CL_UINT16, "uint16", 2},   {ARGMAX_CL_UINT32, "uint32", 4},     {ARGMAX_CL_UINT64, "uint64", 8},
};

START_TEST(dtypes_have_a_name_and_a_size) {
    ck_assert_str_eq(argmax_cl_dtype_name(dtypes[_i].dtype), dtypes[_i].name);
    ck_assert_uint_eq(argmax_cl_dtype_size(dtypes[_i].dtype), dtypes[_i].size);
    const dtype_info *const type = dtype_find(dtypes[_i].dtype);
    ck_assert_ptr_nonnull(type);
    ck_assert_int_eq(type->dtype, dtypes[_i].dtype);
    ck_assert_uint_eq(type->bits, 8 * dtypes[_i].size);
    /* The quiet NaN of a float: exponent and highest mantissa bit set. */
    const uint64_t quiet_nan =
        type->mantissa_bits ? (UINT64_MAX >> (65 - type->bits)) & ~((UINT64_C(1) << (type->mantissa_bits - 1)) - 1) : 0;
    ck_assert_uint_eq(type->no_winner, quiet_nan);
}
END_TEST

START_TEST(unknown_dtypes_have_neither) {
    const int unknown[] = {0, 13, -1, 1000};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        ck_assert_ptr_null(argmax_cl_dtype_name((argmax_cl_dtype)unknown[i]));
        ck_assert_uint_eq(argmax_cl_dtype_size((argmax_cl_dtype)unknown[i]), 0);
    }
}
END_TEST

#define INIT_SETS_THE_SIZE(type, function, INIT)                                                                       \
    do {                                                                                                               \
        const type by_macro = INIT;                                                                                    \
        type by_function;                                                                                              \
        memset(&by_function, 0x5A, sizeof by_function);                                                                \
        function(&by_function);                                                                                        \
        function(NULL);                                                                                                \
        ck_assert_uint_eq(by_function.struct_size, sizeof(type));                                                      \
        ck_assert_uint_eq(by_macro.struct_size, sizeof(type));                                                         \
    } while (0)

START_TEST(init_functions_do_what_the_macros_do) {
    INIT_SETS_THE_SIZE(argmax_cl_tensor, argmax_cl_tensor_init, ARGMAX_CL_TENSOR_INIT);
    INIT_SETS_THE_SIZE(argmax_cl_desc, argmax_cl_desc_init, ARGMAX_CL_DESC_INIT);
    INIT_SETS_THE_SIZE(argmax_cl_buffers, argmax_cl_buffers_init, ARGMAX_CL_BUFFERS_INIT);
    INIT_SETS_THE_SIZE(argmax_cl_host_arrays, argmax_cl_host_arrays_init, ARGMAX_CL_HOST_ARRAYS_INIT);
    INIT_SETS_THE_SIZE(argmax_cl_host_options, argmax_cl_host_options_init, ARGMAX_CL_HOST_OPTIONS_INIT);
    INIT_SETS_THE_SIZE(argmax_cl_block, argmax_cl_block_init, ARGMAX_CL_BLOCK_INIT);
    argmax_cl_desc desc;
    memset(&desc, 0x5A, sizeof desc);
    argmax_cl_desc_init(&desc);
    ck_assert(!desc.input && !desc.index && !desc.value && !desc.axes && !desc.strategy && !desc.tuning);
    ck_assert(!desc.axis_count && !desc.axis_direction && !desc.nan_mode);
}
END_TEST

START_TEST(version_is_the_header_s) {
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", ARGMAX_CL_VERSION_MAJOR, ARGMAX_CL_VERSION_MINOR, ARGMAX_CL_VERSION_PATCH);
    ck_assert_str_eq(argmax_cl_version(), text);
}
END_TEST

static const uint64_t huge[] = {UINT64_C(1) << 40, UINT64_C(1) << 40};

START_TEST(unravel_gives_row_major_coordinates) {
    const uint64_t sizes[] = {2, 3, 4};
    for (uint64_t index = 0; index < 24; index++) {
        uint64_t at[3];
        ck_assert_int_eq(argmax_cl_unravel(index, 3, sizes, at), ARGMAX_CL_SUCCESS);
        ck_assert_uint_eq((at[0] * 3 + at[1]) * 4 + at[2], index);
        ck_assert(at[0] < 2 && at[1] < 3 && at[2] < 4);
    }
    uint64_t in_place[] = {2, 3, 4};
    ck_assert_int_eq(argmax_cl_unravel(23, 3, in_place, in_place), ARGMAX_CL_SUCCESS);
    ck_assert(in_place[0] == 1 && in_place[1] == 2 && in_place[2] == 3);
    /* A product beyond 64 bits holds every index. */
    uint64_t at[2];
    ck_assert_int_eq(argmax_cl_unravel(UINT64_MAX, 2, huge, at), ARGMAX_CL_SUCCESS);
    ck_assert(at[0] == (UINT64_C(1) << 24) - 1 && at[1] == (UINT64_C(1) << 40) - 1);
    ck_assert_int_eq(argmax_cl_unravel(0, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
}
END_TEST

START_TEST(unravel_refuses_and_then_writes_nothing) {
    const uint64_t sizes[] = {2, 3, 4}, empty[] = {2, 0, 4};
    uint64_t at[3] = {7, 8, 9};
    const argmax_cl_status refused = ARGMAX_CL_ERROR_INVALID_ARGUMENT;
    expect_status("product", argmax_cl_unravel(24, 3, sizes, at), refused, "index = 24|3 sizes");
    expect_status("no winner", argmax_cl_unravel(UINT64_MAX, 3, sizes, at), refused, "18446744073709551615|no winner");
    expect_status("size 0", argmax_cl_unravel(0, 3, empty, at), refused, "sizes[1] = 0");
    expect_status("no axes", argmax_cl_unravel(1, 0, NULL, NULL), refused, "index = 1");
    expect_status("sizes", argmax_cl_unravel(1, 3, NULL, at), refused, "sizes = NULL|3");
    expect_status("coordinates", argmax_cl_unravel(1, 3, sizes, NULL), refused, "coordinates = NULL|3");
    ck_assert(at[0] == 7 && at[1] == 8 && at[2] == 9);
}
END_TEST

TESTS_MAIN("status", NULL, NULL, ONCE(no_message_before_the_first_failure), ONCE(each_status_has_its_own_sentence),
           ONCE(opencl_failures_keep_call_and_code), ONCE(a_message_may_quote_the_one_before),
           ONCE(build_failures_keep_the_log_as_far_as_it_fits), EACH(dtypes_have_a_name_and_a_size, dtypes),
           ONCE(unknown_dtypes_have_neither), ONCE(init_functions_do_what_the_macros_do), ONCE(version_is_the_header_s),
           ONCE(unravel_gives_row_major_coordinates), ONCE(unravel_refuses_and_then_writes_nothing))
