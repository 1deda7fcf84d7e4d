#include "enqueue_call.h"

given_objects given;

cl_mem buffer(cl_mem_flags flags, size_t bytes, void *host) {
    cl_int code;
    cl_mem const mem = clCreateBuffer(given.context, flags, bytes, host, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    return mem;
}

cl_mem part(cl_mem parent, cl_mem_flags flags, size_t origin, size_t bytes) {
    const cl_buffer_region region = {origin, bytes};
    cl_int code;
    cl_mem const mem = clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    return mem;
}

size_t part_alignment(void) {
    cl_uint bits = 0;
    ck_assert_int_eq(clGetDeviceInfo(given.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL),
                     CL_SUCCESS);
    return bits / 8 < 256 ? 256 : bits / 8;
}

void open_given(void) {
    cl_int code;
    ck_assert_int_eq(device_select(NULL, &given.device), ARGMAX_CL_SUCCESS);
    given.context = clCreateContext(NULL, 1, &given.device, NULL, NULL, &code);
    given.other_context = clCreateContext(NULL, 1, &given.device, NULL, NULL, &code);
    given.queue = clCreateCommandQueue(given.context, given.device, 0, &code);
    given.other_queue = clCreateCommandQueue(given.other_context, given.device, 0, &code);
    ck_assert(given.context && given.other_context && given.queue && given.other_queue);
    given.input = buffer(CL_MEM_READ_ONLY, INPUT_BYTES, NULL);
    given.index = buffer(CL_MEM_WRITE_ONLY, INDEX_BYTES, NULL);
    given.value = buffer(CL_MEM_READ_WRITE, VALUE_BYTES, NULL);
    given.workspace = buffer(CL_MEM_READ_WRITE, WORKSPACE_BYTES, NULL);
    given.other_buffer = clCreateBuffer(given.other_context, CL_MEM_READ_WRITE, 4096, NULL, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
}

void close_given(void) {
    cl_mem const memory[] = {given.input, given.index, given.value, given.workspace, given.other_buffer};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        clReleaseMemObject(memory[i]);
    clReleaseCommandQueue(given.queue);
    clReleaseCommandQueue(given.other_queue);
    clReleaseContext(given.context);
    clReleaseContext(given.other_context);
}

problem checked(const argmax_cl_tensor *in, const argmax_cl_tensor *index, const argmax_cl_tensor *values) {
    const uint32_t axis = 1;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    problem p;
    desc.input = in;
    desc.index = index;
    desc.value = values;
    desc.axis_count = 1;
    desc.axes = &axis;
    expect_status("descriptor", check_desc(ARGMAX_CL_ARGMAX, &desc, &p), ARGMAX_CL_SUCCESS, NULL);
    return p;
}

argmax_cl_tensor tensor(argmax_cl_dtype dtype, const uint64_t *sizes, uint64_t offset) {
    argmax_cl_tensor t = ARGMAX_CL_TENSOR_INIT;
    t.dtype = dtype;
    t.rank = sizes ? 2 : 0;
    t.sizes = sizes;
    t.offset = offset;
    return t;
}

problem problem_at(uint64_t in_offset, uint64_t index_offset, uint64_t value_offset) {
    const uint64_t sizes[] = {ROWS, COLUMNS};
    const argmax_cl_tensor in = tensor(ARGMAX_CL_FLOAT32, sizes, in_offset);
    const argmax_cl_tensor index = tensor(ARGMAX_CL_INT64, NULL, index_offset);
    const argmax_cl_tensor values = tensor(ARGMAX_CL_FLOAT32, NULL, value_offset);
    return checked(&in, &index, &values);
}

call good_call(void) {
    const argmax_cl_buffers buffers = {
        .struct_size = sizeof buffers, .input = given.input, .index = given.index, .value = given.value};
    return (call){problem_at(0, 0, 0), given.queue, buffers, given.workspace, WORKSPACE_BYTES, 0, NULL};
}

argmax_cl_status check(const call *c, uint32_t input_vector) {
    bool out_of_order;
    const argmax_cl_status status = check_queue(given.context, given.device, c->queue, &out_of_order);
    return status ? status
                  : check_enqueue(given.context, &c->p, input_vector, 0, true, &c->buffers, c->workspace,
                                  c->workspace_bytes, c->wait_count, c->wait_list, &(argmax_cl_buffers){0});
}

void expect(const char *label, const call *c, argmax_cl_status status, const char *parts) {
    expect_status(label, check(c, 1), status, parts);
}
