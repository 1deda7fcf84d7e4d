/* The rule at an enqueue that what is written lies apart from all else: in one buffer, in its parts, in buffers on one
 * array. Needs an OpenCL device; nothing is enqueued. */
#include "enqueue_call.h"

/* Roles that share one buffer, in it at these byte offsets, and the workspace in it or not. Input: 96 bytes, index: 32,
 * value: 16, workspace: bytes 0..99. */
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
    c.workspace = shared[i].workspace ? mem : given.workspace;
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
    static _Alignas(64) unsigned char base[4096];
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
    const size_t align = part_alignment();
    if (align <= 512) {
        cl_mem const piece = part(first, 0, align, 1024);
        c.p = problem_at(0, (align - 128) / 8, 0);
        c.buffers.input = piece;
        expect("parts on one array", &c, ARGMAX_CL_ERROR_BUFFER_OVERLAP, "buffers->index");
        clReleaseMemObject(piece);
    }
    clReleaseMemObject(second);
    clReleaseMemObject(first);
}
END_TEST

START_TEST(parts_of_one_buffer_are_disjoint) {
    const size_t align = part_alignment();
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
    c.buffers.input = given.input;
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

TESTS_MAIN("overlaps", open_given, close_given, EACH(tensors_of_one_buffer_are_disjoint, shared),
           ONCE(tensors_of_one_array_are_disjoint), ONCE(parts_of_one_buffer_are_disjoint))
