/* Every rule on OpenCL objects at an enqueue. Needs an OpenCL device; nothing is enqueued. */
#include "internal.h"
#include "objects.h"
#include "unit.h"

#include <stdio.h>
#include <time.h>

enum { ROWS = 4, COLUMNS = 6, INPUT_BYTES = ROWS * COLUMNS * 4, INDEX_BYTES = ROWS * 8, VALUE_BYTES = ROWS * 4 };
enum { WORKSPACE_BYTES = 100, HOST_BYTES = 4096 };

/* Two contexts of one device, and what lives in them. */
static cl_device_id device;
static cl_context context, other_context;
static cl_command_queue queue, other_queue;
static cl_mem input, index_, value, workspace, other_buffer;
static unsigned char host_memory[HOST_BYTES];

/* One call of check_queue and check_enqueue. */
typedef struct call {
    problem p;
    cl_command_queue queue;
    argmax_cl_buffers buffers;
    cl_mem workspace;
    size_t workspace_bytes;
    cl_uint wait_count;
    const cl_event *wait_list;
} call;

static cl_mem buffer(cl_mem_flags flags, size_t bytes, void *host) {
    cl_int code;
    cl_mem const mem = clCreateBuffer(context, flags, bytes, host, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    return mem;
}

static cl_mem part(cl_mem parent, cl_mem_flags flags, size_t origin, size_t bytes) {
    const cl_buffer_region region = {origin, bytes};
    cl_int code;
    cl_mem const mem = clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    return mem;
}

static void set_up(void) {
    cl_int code;
    ck_assert_int_eq(device_select(NULL, &device), ARGMAX_CL_SUCCESS);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    other_context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    queue = clCreateCommandQueue(context, device, 0, &code);
    other_queue = clCreateCommandQueue(other_context, device, 0, &code);
    ck_assert(context && other_context && queue && other_queue);
    input = buffer(CL_MEM_READ_ONLY, INPUT_BYTES, NULL);
    index_ = buffer(CL_MEM_WRITE_ONLY, INDEX_BYTES, NULL);
    value = buffer(CL_MEM_READ_WRITE, VALUE_BYTES, NULL);
    workspace = buffer(CL_MEM_READ_WRITE, WORKSPACE_BYTES, NULL);
    other_buffer = clCreateBuffer(other_context, CL_MEM_READ_WRITE, 4096, NULL, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
}

static void tear_down(void) {
    cl_mem const memory[] = {input, index_, value, workspace, other_buffer};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        clReleaseMemObject(memory[i]);
    clReleaseCommandQueue(queue);
    clReleaseCommandQueue(other_queue);
    clReleaseContext(context);
    clReleaseContext(other_context);
}

static problem checked(const argmax_cl_tensor *in, const argmax_cl_tensor *index, const argmax_cl_tensor *values) {
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

static argmax_cl_tensor tensor(argmax_cl_dtype dtype, const uint64_t *sizes, uint64_t offset) {
    argmax_cl_tensor t = ARGMAX_CL_TENSOR_INIT;
    t.dtype = dtype;
    t.rank = sizes ? 2 : 0;
    t.sizes = sizes;
    t.offset = offset;
    return t;
}

/* Packed float32 (4, 6) over axis 1 with int64 indices and values, at these offsets. */
static problem problem_at(uint64_t in_offset, uint64_t index_offset, uint64_t value_offset) {
    const uint64_t sizes[] = {ROWS, COLUMNS};
    const argmax_cl_tensor in = tensor(ARGMAX_CL_FLOAT32, sizes, in_offset);
    const argmax_cl_tensor index = tensor(ARGMAX_CL_INT64, NULL, index_offset);
    const argmax_cl_tensor values = tensor(ARGMAX_CL_FLOAT32, NULL, value_offset);
    return checked(&in, &index, &values);
}

static call good_call(void) {
    const argmax_cl_buffers buffers = {.struct_size = sizeof buffers, .input = input, .index = index_, .value = value};
    return (call){problem_at(0, 0, 0), queue, buffers, workspace, WORKSPACE_BYTES, 0, NULL};
}

static argmax_cl_status check(const call *c, uint32_t input_vector) {
    bool out_of_order;
    const argmax_cl_status status = check_queue(context, device, c->queue, &out_of_order);
    return status ? status
                  : check_enqueue(context, &c->p, input_vector, 0, true, &c->buffers, c->workspace, c->workspace_bytes,
                                  c->wait_count, c->wait_list, &(argmax_cl_buffers){0});
}

static void expect(const char *label, const call *c, argmax_cl_status status, const char *parts) {
    expect_status(label, check(c, 1), status, parts);
}

#define ACCEPTED ARGMAX_CL_SUCCESS, NULL

START_TEST(what_is_right_is_accepted) {
    call c = good_call();
    expect("all", &c, ACCEPTED);
    c.workspace = NULL;
    c.workspace_bytes = 0;
    expect("no workspace", &c, ACCEPTED);
    c.workspace = other_buffer;
    expect("a workspace that is not used", &c, ACCEPTED);
}
END_TEST

START_TEST(the_queue_is_of_the_context_and_device) {
    call c = good_call();
    c.queue = NULL;
    expect("NULL", &c, ARGMAX_CL_ERROR_INVALID_QUEUE, "queue = NULL");
    c.queue = other_queue;
    expect("context", &c, ARGMAX_CL_ERROR_INVALID_QUEUE, "queue|another context");
}
END_TEST

START_TEST(the_queue_is_of_the_device) {
    cl_device_id both[65] = {device};
    const cl_uint count = divide_device(device, both + 1, 64);
    if (count == 0)
        return; /* one device that cannot be divided: there is no other device to be wrong about */
    cl_int code;
    cl_context const shared = clCreateContext(NULL, 2, both, NULL, NULL, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    cl_command_queue const wrong = clCreateCommandQueue(shared, both[1], 0, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    bool out_of_order;
    expect_status("device", check_queue(shared, device, wrong, &out_of_order), ARGMAX_CL_ERROR_INVALID_QUEUE,
                  "queue|another device");
    clReleaseCommandQueue(wrong);
    clReleaseContext(shared);
    for (cl_uint i = 1; i <= count; i++)
        clReleaseDevice(both[i]);
}
END_TEST

START_TEST(the_queue_s_order_is_reported) {
    cl_int code;
    cl_command_queue const other = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    bool out_of_order = true;
    ck_assert_int_eq(check_queue(context, device, queue, &out_of_order), ARGMAX_CL_SUCCESS);
    ck_assert(!out_of_order);
    if (code != CL_SUCCESS)
        return; /* a device may have none */
    ck_assert_int_eq(check_queue(context, device, other, &out_of_order), ARGMAX_CL_SUCCESS);
    ck_assert(out_of_order);
    clReleaseCommandQueue(other);
}
END_TEST

START_TEST(the_struct_is_one_of_ours) {
    call c = good_call();
    expect_status(
        "NULL",
        check_enqueue(context, &c.p, 1, 0, true, NULL, workspace, WORKSPACE_BYTES, 0, NULL, &(argmax_cl_buffers){0}),
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
        *mem = other_buffer;
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
    cl_mem const image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
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
    c.buffers.input = c.buffers.index = value;
    expect("one buffer for all", &c, ACCEPTED);
    c.buffers.index = other_buffer;
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
    c.workspace = other_buffer;
    expect("context", &c, refused, "workspace|another context");
    c.workspace = workspace;
    c.workspace_bytes = WORKSPACE_BYTES + 1;
    expect("size", &c, refused, "workspace has 100 bytes|101");
    cl_mem const crooked = buffer(CL_MEM_USE_HOST_PTR, 1024, host_memory + 8 - (uintptr_t)host_memory % 8 + 4);
    c = good_call();
    c.workspace = crooked;
    expect("alignment", &c, refused, "workspace starts|multiple of 8");
    clReleaseMemObject(crooked);
}
END_TEST

/* Roles that share one buffer, in it at these byte offsets, and the workspace
 * in it or not. Input: 96 bytes, index: 32, value: 16, workspace: bytes 0..99. */
static const struct {
    const char *label, *parts;
    uint64_t input, index, value;
    bool workspace;
} shared[] = {
    {"side by side", NULL, 104, 200, 232, true},
    {"value before index", NULL, 128, 96, 80, false},
    {"index ends in input", "buffers->index (bytes 176..207|buffers->input (bytes 200..295", 200, 176, 1000, false},
    {"index starts in input's last bytes", "buffers->index (bytes 288..319|buffers->input (bytes 200..295", 200, 288,
     1000, false},
    {"index after input", NULL, 200, 296, 1000, false},
    {"index before input", NULL, 200, 168, 1000, false},
    {"value in input", "buffers->value (bytes 240..255|buffers->input", 200, 1000, 240, false},
    {"value in index", "buffers->value (bytes 1016..1031|buffers->index (bytes 1000..1031", 200, 1000, 1016, false},
    {"value after index", NULL, 200, 1000, 1032, false},
    {"input in workspace", "workspace (bytes 0..99|buffers->input (bytes 96..191", 96, 1000, 2000, true},
    {"index in workspace", "workspace (bytes 0..99|buffers->index (bytes 96..127", 200, 96, 2000, true},
    {"value in workspace", "workspace (bytes 0..99|buffers->value (bytes 48..63", 200, 1000, 48, true},
    {"all at 0", "overlaps", 0, 0, 0, false},
};

static call shared_call(int i, cl_mem mem) {
    call c = good_call();
    c.p = problem_at(shared[i].input / 4, shared[i].index / 8, shared[i].value / 4);
    c.buffers.input = c.buffers.index = c.buffers.value = mem;
    c.workspace = shared[i].workspace ? mem : workspace;
    return c;
}

START_TEST(tensors_of_one_buffer_are_disjoint) {
    cl_mem const mem = buffer(CL_MEM_READ_WRITE, 4096, NULL);
    const call c = shared_call(_i, mem);
    expect(shared[_i].label, &c, shared[_i].parts ? ARGMAX_CL_ERROR_BUFFER_OVERLAP : ARGMAX_CL_SUCCESS,
           shared[_i].parts);
    clReleaseMemObject(mem);
}
END_TEST

/* The same places by way of buffers on one array: by address, 128 bytes into the first for the second. */
START_TEST(tensors_of_one_array_are_disjoint) {
    unsigned char *const base = host_memory + 64 - (uintptr_t)host_memory % 64;
    cl_mem const first = buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 2048, base);
    cl_mem const second = buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 2048, base + 128);
    call c = good_call();
    c.buffers.input = first; /* bytes 128..223 of the array */
    c.buffers.index = second;
    c.p = problem_at(32, 0, 0);
    expect("same address", &c, ARGMAX_CL_ERROR_BUFFER_OVERLAP,
           "buffers->index (bytes 0..31|buffers->input (bytes 128..223");
    c.p = problem_at(32, 11, 0);
    expect("last 8 bytes", &c, ARGMAX_CL_ERROR_BUFFER_OVERLAP, "buffers->index (bytes 88..119");
    c.p = problem_at(32, 12, 0);
    expect("just after", &c, ACCEPTED);
    c.p = problem_at(8, 0, 0);
    expect("just before", &c, ACCEPTED);
    c.p = problem_at(9, 0, 0);
    expect("one element into", &c, ARGMAX_CL_ERROR_BUFFER_OVERLAP, "buffers->index");
    /* A part of one against a part of the other: the array counts through both. */
    size_t align = 0;
    cl_uint bits = 0;
    ck_assert_int_eq(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL), CL_SUCCESS);
    align = bits / 8;
    if (align <= 512) {
        cl_mem const piece = part(first, 0, align, 1024);
        c.p = problem_at(0, align >= 128 ? (align - 128) / 8 : 0, 0);
        c.buffers.input = piece;
        expect("parts on one array", &c, align >= 128 ? ARGMAX_CL_ERROR_BUFFER_OVERLAP : ARGMAX_CL_SUCCESS,
               "buffers->index");
        clReleaseMemObject(piece);
    }
    clReleaseMemObject(second);
    clReleaseMemObject(first);
}
END_TEST

START_TEST(parts_of_one_buffer_are_disjoint) {
    cl_uint bits = 0;
    ck_assert_int_eq(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL), CL_SUCCESS);
    const size_t align = bits / 8 < 256 ? 256 : bits / 8;
    cl_mem const mem = buffer(CL_MEM_READ_WRITE, 4 * align, NULL);
    cl_mem const lower = part(mem, 0, 0, 2 * align), upper = part(mem, 0, align, 2 * align);
    call c = good_call();
    c.buffers.input = lower;
    c.buffers.index = upper;
    expect("apart within them", &c, ACCEPTED);
    c.p = problem_at(align / 4, 0, 0);
    expect("by origin", &c, ARGMAX_CL_ERROR_BUFFER_OVERLAP, "buffers->index|buffers->input");
    c.buffers.input = mem;
    expect("part and parent", &c, ARGMAX_CL_ERROR_BUFFER_OVERLAP, "buffers->index|buffers->input");
    c.p = problem_at(align / 4, 12, 0);
    expect("after it", &c, ACCEPTED);
    c.workspace = upper;
    c.p = problem_at(0, 0, 0);
    c.buffers.input = input;
    expect("workspace", &c, ARGMAX_CL_ERROR_BUFFER_OVERLAP, "workspace|buffers->index");
    c = good_call();
    c.p = problem_at(align / 4, 0, 0);
    c.p.input.last = c.p.input.first + align / 4;
    c.buffers.input = upper;
    expect("size of the part, not of the parent", &c, ARGMAX_CL_ERROR_BUFFER_TOO_SMALL, "buffers->input has");
    clReleaseMemObject(upper);
    clReleaseMemObject(lower);
    clReleaseMemObject(mem);
}
END_TEST

/* OpenCL has sub-buffers start at multiples of CL_DEVICE_MEM_BASE_ADDR_ALIGN, which is at least the largest vector, but
 * not every implementation insists: longer vectors stand for smaller alignments here. */
START_TEST(a_part_starts_where_vectors_do) {
    cl_uint bits = 0;
    ck_assert_int_eq(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL), CL_SUCCESS);
    const size_t align = bits / 8 < 256 ? 256 : bits / 8;
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
    c.buffers.input = input;
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
                  check_enqueue(context, &c.p, 4, 0, false, &c.buffers, c.workspace, c.workspace_bytes, 0, NULL,
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
    cl_event const ours = clCreateUserEvent(context, &code), foreign = clCreateUserEvent(other_context, &code);
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

TESTS_MAIN("buffers", set_up, tear_down, ONCE(what_is_right_is_accepted), ONCE(the_queue_is_of_the_context_and_device),
           ONCE(the_queue_is_of_the_device), ONCE(the_queue_s_order_is_reported), ONCE(the_struct_is_one_of_ours),
           ONCE(each_tensor_has_a_buffer_of_the_context), ONCE(an_image_is_no_buffer),
           ONCE(tensors_without_elements_need_no_buffer), ONCE(kernels_may_read_and_write_what_they_must),
           ONCE(tensors_lie_within_their_buffers), ONCE(the_workspace_is_usable),
           EACH(tensors_of_one_buffer_are_disjoint, shared), ONCE(tensors_of_one_array_are_disjoint),
           ONCE(parts_of_one_buffer_are_disjoint), ONCE(a_part_starts_where_vectors_do),
           ONCE(host_memory_starts_where_vectors_do), ONCE(the_wait_list_is_sound), ONCE(the_checks_cost_little))
