/* The rules at an enqueue on each OpenCL object by itself: queue, buffers, workspace, wait list. Needs an OpenCL
 * device; nothing is enqueued. */
#include "enqueue_call.h"
#include "objects.h"

#include <time.h>

START_TEST(what_is_right_is_accepted) {
    call c = good_call();
    expect("all", &c, ACCEPTED);
    c.workspace = NULL;
    c.workspace_bytes = 0;
    expect("no workspace", &c, ACCEPTED);
    c.workspace = given.other_buffer;
    expect("a workspace that is not used", &c, ACCEPTED);
}
END_TEST

START_TEST(the_queue_is_of_the_context_and_device) {
    call c = good_call();
    c.queue = NULL;
    expect("NULL", &c, ARGMAX_CL_ERROR_INVALID_QUEUE, "queue = NULL");
    c.queue = given.other_queue;
    expect("context", &c, ARGMAX_CL_ERROR_INVALID_QUEUE, "queue|another context");
}
END_TEST

START_TEST(the_queue_is_of_the_device) {
    cl_device_id both[65] = {given.device};
    const cl_uint count = divide_device(given.device, both + 1, 64);
    if (count == 0)
        return; /* one device that cannot be divided: there is no other device to be wrong about */
    cl_int code;
    cl_context const shared = clCreateContext(NULL, 2, both, NULL, NULL, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    cl_command_queue const wrong = clCreateCommandQueue(shared, both[1], 0, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    bool out_of_order;
    expect_status("device", check_queue(shared, given.device, wrong, &out_of_order), ARGMAX_CL_ERROR_INVALID_QUEUE,
                  "queue|another device");
    clReleaseCommandQueue(wrong);
    clReleaseContext(shared);
    for (cl_uint i = 1; i <= count; i++)
        clReleaseDevice(both[i]);
}
END_TEST

START_TEST(the_queue_s_order_is_reported) {
    cl_int code;
    cl_command_queue const other =
        clCreateCommandQueue(given.context, given.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    bool out_of_order = true;
    ck_assert_int_eq(check_queue(given.context, given.device, given.queue, &out_of_order), ARGMAX_CL_SUCCESS);
    ck_assert(!out_of_order);
    if (code != CL_SUCCESS)
        return; /* a device may have none */
    ck_assert_int_eq(check_queue(given.context, given.device, other, &out_of_order), ARGMAX_CL_SUCCESS);
    ck_assert(out_of_order);
    clReleaseCommandQueue(other);
}
END_TEST

START_TEST(the_struct_is_one_of_ours) {
    call c = good_call();
    expect_status("NULL",
                  check_enqueue(given.context, &c.p, 1, 0, true, NULL, given.workspace, WORKSPACE_BYTES, 0, NULL,
                                &(argmax_cl_buffers){0}),
                  ARGMAX_CL_ERROR_INVALID_ARGUMENT, "buffers = NULL");
    c.buffers.struct_size = 3;
    expect("struct_size", &c, ARGMAX_CL_ERROR_INVALID_ARGUMENT, "buffers->struct_size = 3");
}
END_TEST

START_TEST(each_tensor_has_a_buffer_of_the_context) {
    static const char *const names[] = {"buffers->input", "buffers->index", "buffers->value"};
    for (int i = 0; i < 3; i++) {
        char parts[64];
        call c = good_call();
        cl_mem *const mem = i == 0 ? &c.buffers.input : i == 1 ? &c.buffers.index : &c.buffers.value;
        *mem = NULL;
        snprintf(parts, sizeof parts, "%s = NULL", names[i]);
        expect(names[i], &c, ARGMAX_CL_ERROR_INVALID_BUFFER, parts);
        *mem = given.other_buffer;
        snprintf(parts, sizeof parts, "%s|another context", names[i]);
        expect(names[i], &c, ARGMAX_CL_ERROR_INVALID_BUFFER, parts);
    }
    const uint64_t sizes[] = {ROWS, COLUMNS};
    const argmax_cl_tensor in = tensor(ARGMAX_CL_FLOAT32, sizes, 0), index = tensor(ARGMAX_CL_INT64, NULL, 0);
    call c = good_call();
    c.p = checked(&in, &index, NULL);
    expect("value without a tensor", &c, ARGMAX_CL_ERROR_INVALID_BUFFER, "buffers->value|no such tensor");
    c.buffers.value = NULL;
    expect("no value", &c, ACCEPTED);
}
END_TEST

START_TEST(an_image_is_no_buffer) {
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    cl_image_desc desc;
    cl_int code;
    memset(&desc, 0, sizeof desc);
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = desc.image_height = 64;
    cl_mem const image = clCreateImage(given.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    if (code != CL_SUCCESS)
        return; /* a device may have no images */
    call c = good_call();
    c.buffers.input = image;
    expect("image", &c, ARGMAX_CL_ERROR_INVALID_BUFFER, "buffers->input|0x10F1");
    clReleaseMemObject(image);
}
END_TEST

START_TEST(tensors_without_elements_need_no_buffer) {
    const uint64_t sizes[] = {0, COLUMNS};
    const argmax_cl_tensor in = tensor(ARGMAX_CL_FLOAT32, sizes, 0), index = tensor(ARGMAX_CL_INT64, NULL, 0);
    call c = good_call();
    c.p = checked(&in, &index, NULL);
    c.buffers.input = c.buffers.index = c.buffers.value = NULL;
    c.workspace_bytes = 0;
    expect("NULL", &c, ACCEPTED);
    c.buffers.input = c.buffers.index = given.value;
    expect("one buffer for all", &c, ACCEPTED);
    c.buffers.index = given.other_buffer;
    expect("wrong in itself", &c, ARGMAX_CL_ERROR_INVALID_BUFFER, "buffers->index|another context");
}
END_TEST

START_TEST(kernels_may_read_and_write_what_they_must) {
    cl_mem const read_only = buffer(CL_MEM_READ_ONLY, 4096, NULL), write_only = buffer(CL_MEM_WRITE_ONLY, 4096, NULL),
                 read_write = buffer(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, 4096, NULL);
    call c = good_call();
    c.buffers.input = write_only;
    expect("input", &c, ARGMAX_CL_ERROR_INVALID_BUFFER, "buffers->input|CL_MEM_WRITE_ONLY");
    c = good_call();
    c.buffers.index = read_only;
    expect("index", &c, ARGMAX_CL_ERROR_INVALID_BUFFER, "buffers->index|CL_MEM_READ_ONLY");
    c = good_call();
    c.buffers.value = read_only;
    expect("value", &c, ARGMAX_CL_ERROR_INVALID_BUFFER, "buffers->value|CL_MEM_READ_ONLY");
    c = good_call();
    c.workspace = read_only;
    expect("workspace", &c, ARGMAX_CL_ERROR_INVALID_WORKSPACE, "workspace|CL_MEM_READ_ONLY");
    c.workspace = write_only;
    expect("workspace", &c, ARGMAX_CL_ERROR_INVALID_WORKSPACE, "workspace|CL_MEM_WRITE_ONLY");
    c.workspace = read_write;
    expect("no host access", &c, ACCEPTED);

    /* A part has its parent's flags where it names none, and may narrow them. */
    cl_mem const of_read_only = part(read_only, 0, 0, 1024), of_write_only = part(write_only, 0, 0, 1024),
                 narrowed = part(read_write, CL_MEM_READ_ONLY, 0, 1024), widened = part(read_write, 0, 0, 1024);
    c = good_call();
    c.buffers.input = of_write_only;
    expect("input inherits", &c, ARGMAX_CL_ERROR_INVALID_BUFFER, "buffers->input|CL_MEM_WRITE_ONLY");
    c.buffers.input = of_read_only;
    c.buffers.index = narrowed;
    expect("index narrowed", &c, ARGMAX_CL_ERROR_INVALID_BUFFER, "buffers->index|CL_MEM_READ_ONLY");
    c.buffers.index = of_read_only;
    expect("index inherits", &c, ARGMAX_CL_ERROR_INVALID_BUFFER, "buffers->index|CL_MEM_READ_ONLY");
    c.buffers.index = widened;
    expect("parts", &c, ACCEPTED);
    cl_mem const memory[] = {of_read_only, of_write_only, narrowed, widened, read_only, write_only, read_write};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        clReleaseMemObject(memory[i]);
}
END_TEST

START_TEST(tensors_lie_within_their_buffers) {
    cl_mem const bigger = buffer(CL_MEM_READ_WRITE, INPUT_BYTES + 12, NULL);
    call c = good_call();
    c.p = problem_at(1, 0, 0);
    expect("input by one", &c, ARGMAX_CL_ERROR_BUFFER_TOO_SMALL, "buffers->input has 96 bytes|100|float32|element 24");
    c.p = problem_at(0, 1, 0);
    expect("index by one", &c, ARGMAX_CL_ERROR_BUFFER_TOO_SMALL, "buffers->index has 32 bytes|40|int64|element 4");
    c.p = problem_at(0, 0, 1);
    expect("value by one", &c, ARGMAX_CL_ERROR_BUFFER_TOO_SMALL, "buffers->value has 16 bytes|20|float32|element 4");
    c.buffers.input = bigger;
    c.p = problem_at(3, 0, 0);
    expect("input to the last byte", &c, ACCEPTED);
    c.p = problem_at(4, 0, 0);
    expect("input beyond", &c, ARGMAX_CL_ERROR_BUFFER_TOO_SMALL, "buffers->input has 108 bytes|112");
    c.p = problem_at((UINT64_C(1) << 61) - 25, 0, 0);
    expect("input at 2^63 bytes", &c, ARGMAX_CL_ERROR_BUFFER_TOO_SMALL, "buffers->input has 108 bytes");
    cl_mem const odd = buffer(CL_MEM_READ_WRITE, INPUT_BYTES - 1, NULL);
    c = good_call();
    c.buffers.input = odd;
    expect("the last byte missing", &c, ARGMAX_CL_ERROR_BUFFER_TOO_SMALL, "buffers->input has 95 bytes|96");
    clReleaseMemObject(odd);
    clReleaseMemObject(bigger);
}
END_TEST

START_TEST(the_workspace_is_usable) {
    const argmax_cl_status refused = ARGMAX_CL_ERROR_INVALID_WORKSPACE;
    call c = good_call();
    c.workspace = NULL;
    expect("NULL", &c, refused, "workspace = NULL|100 bytes");
    c.workspace = given.other_buffer;
    expect("context", &c, refused, "workspace|another context");
    c.workspace = given.workspace;
    c.workspace_bytes = WORKSPACE_BYTES + 1;
    expect("size", &c, refused, "workspace has 100 bytes|101");
    static _Alignas(8) unsigned char memory[1032];
    cl_mem const crooked = buffer(CL_MEM_USE_HOST_PTR, 1024, memory + 4);
    c = good_call();
    c.workspace = crooked;
    expect("alignment", &c, refused, "workspace starts|multiple of 8");
    clReleaseMemObject(crooked);
}
END_TEST

/* OpenCL has sub-buffers start at multiples of CL_DEVICE_MEM_BASE_ADDR_ALIGN, which is at least the largest vector, but
 * not every implementation insists: longer vectors stand for smaller alignments here. */
START_TEST(a_part_starts_where_vectors_do) {
    const size_t align = part_alignment();
    const uint32_t vector = (uint32_t)align / sizeof(float);
    cl_mem const mem = buffer(CL_MEM_READ_WRITE, 4 * align, NULL);
    cl_mem const odd = part(mem, 0, align, align), even = part(mem, 0, 2 * align, align);
    call c = good_call();
    char parts[64];
    c.buffers.input = odd;
    expect_status("as far apart", check(&c, vector), ACCEPTED);
    snprintf(parts, sizeof parts, "buffers->input|origin %zu|a multiple of %zu,", align, 2 * align);
    expect_status("in the middle of a vector", check(&c, 2 * vector), ARGMAX_CL_ERROR_INVALID_BUFFER, parts);
    c.buffers.input = even;
    expect_status("even", check(&c, 2 * vector), ACCEPTED);
    c.buffers.input = given.input;
    c.buffers.index = odd;
    expect_status("outputs are written by elements", check(&c, 2 * vector), ACCEPTED);
    clReleaseMemObject(even);
    clReleaseMemObject(odd);
    clReleaseMemObject(mem);
}
END_TEST

/* What lies in the caller's memory may start anywhere, though not where kernels read whole vectors. */
START_TEST(host_memory_starts_where_vectors_do) {
    static _Alignas(256) char memory[4096];
    call c = good_call();
    cl_mem const odd = buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 2048, memory + 4);
    cl_mem const even = buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 2048, memory + 256);
    c.buffers.input = odd;
    expect_status("by elements", check(&c, 1), ACCEPTED);
    expect_status("by vectors", check(&c, 4), ARGMAX_CL_ERROR_INVALID_BUFFER,
                  "buffers->input|of host memory|a multiple of 16,");
    expect_status("by vectors of a copy",
                  check_enqueue(given.context, &c.p, 4, 0, false, &c.buffers, c.workspace, c.workspace_bytes, 0, NULL,
                                &(argmax_cl_buffers){0}),
                  ACCEPTED);
    c.buffers.input = even;
    expect_status("by vectors", check(&c, 4), ACCEPTED);
    clReleaseMemObject(odd);
    clReleaseMemObject(even);
}
END_TEST

START_TEST(the_wait_list_is_sound) {
    const argmax_cl_status refused = ARGMAX_CL_ERROR_INVALID_WAIT_LIST;
    cl_int code;
    cl_event const ours = clCreateUserEvent(given.context, &code),
                   foreign = clCreateUserEvent(given.other_context, &code);
    const cl_event good[] = {ours, ours}, gap[] = {ours, NULL}, mixed[] = {ours, ours, foreign};
    call c = good_call();
    c.wait_count = 2;
    c.wait_list = good;
    expect("two", &c, ACCEPTED);
    c.wait_list = NULL;
    expect("a count without a list", &c, refused, "wait_list = NULL|2");
    c.wait_list = gap;
    expect("NULL in it", &c, refused, "wait_list[1] = NULL");
    c.wait_list = mixed;
    c.wait_count = 3;
    expect("another context", &c, refused, "wait_list[2]|another context");
    c.wait_count = 0;
    expect("a list without a count", &c, refused, "wait_count = 0");
    clSetUserEventStatus(ours, CL_COMPLETE);
    clSetUserEventStatus(foreign, CL_COMPLETE);
    clReleaseEvent(ours);
    clReleaseEvent(foreign);
}
END_TEST

/* A guard against a check that grows expensive: generous, as the build may be instrumented, and by the least of many
 * batches, to which a busy machine adds nothing. */
START_TEST(the_checks_cost_little) {
    enum { BATCHES = 40, CALLS = 50 };
    const call c = good_call();
    double least = 1e9;
    for (int batch = 0; batch < BATCHES; batch++) {
        struct timespec a, b;
        timespec_get(&a, TIME_UTC);
        for (int i = 0; i < CALLS; i++)
            expect("cost", &c, ACCEPTED);
        timespec_get(&b, TIME_UTC);
        const double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
        least = seconds < least ? seconds : least;
    }
    if (getenv("ARGMAX_CL_TEST_VERBOSE"))
        printf("check_enqueue: %.2f microseconds\n", 1e6 * least / CALLS);
    ck_assert_msg(least / CALLS < 100e-6, "%.1f microseconds", 1e6 * least / CALLS);
}
END_TEST

TESTS_MAIN("buffers", open_given, close_given, ONCE(what_is_right_is_accepted),
           ONCE(the_queue_is_of_the_context_and_device), ONCE(the_queue_is_of_the_device),
           ONCE(the_queue_s_order_is_reported), ONCE(the_struct_is_one_of_ours),
           ONCE(each_tensor_has_a_buffer_of_the_context), ONCE(an_image_is_no_buffer),
           ONCE(tensors_without_elements_need_no_buffer), ONCE(kernels_may_read_and_write_what_they_must),
           ONCE(tensors_lie_within_their_buffers), ONCE(the_workspace_is_usable), ONCE(a_part_starts_where_vectors_do),
           ONCE(host_memory_starts_where_vectors_do), ONCE(the_wait_list_is_sound), ONCE(the_checks_cost_little))
