/* Devices: the list, the selector, the facts, and the refusal in a forked child. Needs an OpenCL device. */
#include "internal.h"
#include "unit.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static cl_device_id listed[64];
static uint32_t listed_count;

static void list(void) {
    ck_assert_int_eq(argmax_cl_list_devices(64, listed, &listed_count), ARGMAX_CL_SUCCESS);
    ck_assert_msg(listed_count > 0, "this test needs an OpenCL device");
}

static int type_order(cl_device_id device) {
    device_facts facts;
    ck_assert_int_eq(device_query(device, &facts), ARGMAX_CL_SUCCESS);
    return (facts.type & CL_DEVICE_TYPE_GPU) ? 0 : (facts.type & CL_DEVICE_TYPE_ACCELERATOR) ? 1 : 2;
}

START_TEST(the_list_holds_each_device_once_fastest_type_first) {
    for (uint32_t i = 0; i < listed_count; i++)
        for (uint32_t j = 0; j < i; j++) {
            ck_assert_ptr_ne(listed[i], listed[j]);
            ck_assert_int_ge(type_order(listed[i]), type_order(listed[j]));
        }
}
END_TEST

START_TEST(the_list_writes_no_more_than_its_capacity) {
    cl_device_id none = (cl_device_id)(uintptr_t)1;
    uint32_t count = 0;
    ck_assert_int_eq(argmax_cl_list_devices(0, NULL, &count), ARGMAX_CL_SUCCESS);
    ck_assert_uint_eq(count, listed_count);
    ck_assert_int_eq(argmax_cl_list_devices(0, &none, &count), ARGMAX_CL_SUCCESS);
    ck_assert_ptr_eq(none, (cl_device_id)(uintptr_t)1);
    expect_status("count", argmax_cl_list_devices(0, NULL, NULL), ARGMAX_CL_ERROR_INVALID_ARGUMENT, "count = NULL");
    count = 77;
    expect_status("devices", argmax_cl_list_devices(3, NULL, &count), ARGMAX_CL_ERROR_INVALID_ARGUMENT,
                  "devices = NULL|3");
    ck_assert_uint_eq(count, 77);
}
END_TEST

static cl_device_id select_device(const char *selector) {
    cl_device_id device = NULL;
    expect_status(selector ? selector : "NULL", device_select(selector, &device), ARGMAX_CL_SUCCESS, NULL);
    return device;
}

/* As tuning files and the built-in rows take it. */
START_TEST(a_processor_is_called_by_its_maker_and_numbers) {
    char name[PROCESSOR_BYTES] = "?", maker[13];
    unsigned family, model;
    int end = 0;
    processor_name(name);
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
    ck_assert_msg(sscanf(name, "%12s family %u model %u%n", maker, &family, &model, &end) == 3 && !name[end], "%s",
                  name);
#else
    (void)maker;
    (void)family;
    (void)model;
    ck_assert_int_eq((int)strlen(name), end);
#endif
}
END_TEST

START_TEST(the_selector_takes_an_index_or_part_of_a_name) {
    device_facts facts;
    char platform_name[256] = "", upper[256] = "";
    cl_platform_id platform;
    ck_assert_int_eq(device_query(listed[0], &facts), ARGMAX_CL_SUCCESS);
    ck_assert_int_eq(clGetDeviceInfo(listed[0], CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL), CL_SUCCESS);
    ck_assert_int_eq(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name, platform_name, NULL),
                     CL_SUCCESS);
    for (size_t i = 0; platform_name[i]; i++)
        upper[i] = (char)(platform_name[i] >= 'a' && platform_name[i] <= 'z' ? platform_name[i] - 'a' + 'A'
                                                                             : platform_name[i]);
    ck_assert_ptr_eq(select_device(NULL), listed[0]);
    ck_assert_ptr_eq(select_device(""), listed[0]);
    ck_assert_ptr_eq(select_device(facts.name), listed[0]);
    ck_assert_ptr_eq(select_device(platform_name + 1), listed[0]);
    ck_assert_ptr_eq(select_device(upper), listed[0]);
    for (uint32_t i = 0; i < listed_count; i++) {
        char index[16];
        snprintf(index, sizeof index, "%u", (unsigned)i);
        ck_assert_ptr_eq(select_device(index), listed[i]);
    }
}
END_TEST

START_TEST(a_selector_without_a_match_lists_the_devices) {
    device_facts facts;
    char parts[512], beyond[16];
    cl_device_id device = NULL;
    ck_assert_int_eq(device_query(listed[0], &facts), ARGMAX_CL_SUCCESS);
    snprintf(beyond, sizeof beyond, "%u", (unsigned)listed_count);
    const char *const selectors[] = {"no such device", beyond, "99999999999999999999999", "-1", "0x0"};
    for (size_t i = 0; i < sizeof selectors / sizeof selectors[0]; i++) {
        snprintf(parts, sizeof parts, "\"%s\"|0 = %s", selectors[i], facts.name);
        expect_status(selectors[i], device_select(selectors[i], &device), ARGMAX_CL_ERROR_NO_DEVICE, parts);
        ck_assert_ptr_null(device);
    }
}
END_TEST

START_TEST(facts_are_plausible) {
    for (uint32_t i = 0; i < listed_count; i++) {
        device_facts facts;
        ck_assert_int_eq(device_query(listed[i], &facts), ARGMAX_CL_SUCCESS);
        ck_assert(facts.compute_units >= 1 && facts.max_group >= 1);
        ck_assert(facts.address_bits == 32 || facts.address_bits == 64);
        ck_assert(facts.max_buffer >= 1 << 20);
        ck_assert(!(facts.type & CL_DEVICE_TYPE_CPU) || facts.host_unified);
        ck_assert(facts.name[0] != '\0');
    }
}
END_TEST

/* What a forked child returns; -1 when it hangs, as its OpenCL calls would. */
static int run_in_a_child(int (*action)(void)) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(120);
        _exit(action());
    }
    int end = 0;
    return waitpid(child, &end, 0) == child && WIFEXITED(end) ? WEXITSTATUS(end) : -1;
}

static int list_status(void) {
    uint32_t count;
    const argmax_cl_status status = argmax_cl_list_devices(0, NULL, &count);
    return strstr(argmax_cl_last_error(), "fork") || !status ? (int)status : 99;
}

/* Where the loader finds no platform there is no device, which is an error for those alone who want one. */
static int without_platforms(void) {
    cl_device_id device = NULL;
    uint32_t count = 1;
    setenv("OCL_ICD_VENDORS", "/no/such/folder/", 1);
    if (argmax_cl_list_devices(0, NULL, &count) != ARGMAX_CL_SUCCESS || count != 0)
        return 1;
    return device_select(NULL, &device) == ARGMAX_CL_ERROR_NO_DEVICE && !device &&
                   strstr(argmax_cl_last_error(), "no OpenCL device found (0 platforms)")
               ? 0
               : 2;
}

START_TEST(a_forked_child_is_refused) {
    ck_assert_int_eq(device_enter(), ARGMAX_CL_SUCCESS);
    ck_assert_int_eq(run_in_a_child(list_status), ARGMAX_CL_ERROR_FORKED);
    ck_assert_int_eq(device_enter(), ARGMAX_CL_SUCCESS);
}
END_TEST

int main(void) {
    /* Before this process uses OpenCL a child may: its first use is then its own. */
    if (run_in_a_child(list_status) != ARGMAX_CL_SUCCESS) {
        fprintf(stderr, "a child forked before the first use was refused\n");
        return EXIT_FAILURE;
    }
    if (run_in_a_child(without_platforms) != 0) {
        fprintf(stderr, "without a platform: expected an empty list, and \"no OpenCL device found (0 platforms)\"\n");
        return EXIT_FAILURE;
    }
    const listed_test tests[] = {
        ONCE(the_list_holds_each_device_once_fastest_type_first),
        ONCE(the_list_writes_no_more_than_its_capacity),
        ONCE(the_selector_takes_an_index_or_part_of_a_name),
        ONCE(a_selector_without_a_match_lists_the_devices),
        ONCE(a_processor_is_called_by_its_maker_and_numbers),
        ONCE(facts_are_plausible),
        ONCE(a_forked_child_is_refused),
    };
    return run_tests("device", tests, sizeof tests / sizeof tests[0], list, NULL);
}
