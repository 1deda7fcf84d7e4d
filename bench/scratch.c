#include "scratch.h"

#include "check.h"
#include "data_cl.h"

#include <sys/mman.h>

enum { FILL_GROUPS_PER_UNIT = 32, FILL_GROUP = 256 };

bool scratch_open(scratch *s, const bench_device *device) {
    cl_int code;
    *s = (scratch){.device = device};
    s->fill_random = device_kernel(device, DATA_CL, "", "fill_random");
    s->fill_word = device_kernel(device, DATA_CL, "", "fill_word");
    s->count_different = device_kernel(device, DATA_CL, "", "count_different");
    s->wrong = clCreateBuffer(device->context, CL_MEM_READ_WRITE, sizeof(cl_uint), NULL, &code);
    return s->fill_random != NULL && s->fill_word != NULL && s->count_different != NULL &&
           succeeded(code, "clCreateBuffer");
}

static void release(scratch_buffer *buffer) {
    if (buffer->memory != NULL)
        clReleaseMemObject(buffer->memory);
    if (buffer->host != NULL)
        munmap(buffer->host, buffer->bytes);
    *buffer = (scratch_buffer){.bytes = 0};
}

void scratch_close(scratch *s) {
    scratch_buffer *const buffers[] = {&s->input,       &s->index, &s->value,     &s->workspace, &s->other_index,
                                       &s->other_value, &s->mask,  &s->max_index, &s->max_value};
    cl_kernel const kernels[] = {s->fill_random, s->fill_word, s->count_different};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        release(buffers[i]);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        if (kernels[i] != NULL)
            clReleaseKernel(kernels[i]);
    if (s->wrong != NULL)
        clReleaseMemObject(s->wrong);
}

static void *host_memory(size_t bytes) {
    void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE
    madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

bool scratch_reserve(scratch *s, scratch_buffer *buffer, size_t bytes) {
    const size_t page = (size_t)2 << 20, whole = (bytes / page + 1) * page;
    if (bytes == 0 || buffer->bytes >= bytes)
        return true;
    release(buffer);
    if (buffer == &s->input)
        s->filled_bytes = 0;
    const bool can_be_whole = whole <= s->device->max_buffer;
    buffer->bytes = can_be_whole ? whole : bytes;
    if (s->device->is_cpu) {
        buffer->host = host_memory(buffer->bytes);
        if (buffer->host == NULL)
            return complain("no host memory for a buffer of %zu bytes", bytes);
    }
    buffer->memory = device_buffer(s->device, buffer->host, buffer->bytes);
    return buffer->memory != NULL;
}

static bool launch(const scratch *s, cl_kernel kernel) {
    const size_t local = s->device->is_cpu ? 16 : FILL_GROUP;
    const size_t global = local * s->device->compute_units * FILL_GROUPS_PER_UNIT;
    return succeeded(clEnqueueNDRangeKernel(s->device->plain, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
                     "clEnqueueNDRangeKernel");
}

bool scratch_fill(scratch *s, const problem_line *p, size_t bytes) {
    const problem_dtype *const type = problem_dtype_find(p->dtype);
    const cl_ulong count = (bytes + 7) / 8, seed = p->seed;
    const cl_uint kind = type->mantissa_bits != 0 ? 0 : type->is_signed ? 1 : 2;
    cl_ulong top = (cl_ulong)1 << (type->bits - 1);
    if (s->filled == p->dtype && s->filled_bytes >= bytes)
        return true;
    for (uint32_t width = type->bits; width < 64; width *= 2)
        top |= top << width;
    s->filled = p->dtype;
    s->filled_bytes = bytes;
    cl_int code = clSetKernelArg(s->fill_random, 0, sizeof(cl_mem), &s->input.memory);
    code |= clSetKernelArg(s->fill_random, 1, sizeof count, &count);
    code |= clSetKernelArg(s->fill_random, 2, sizeof seed, &seed);
    code |= clSetKernelArg(s->fill_random, 3, sizeof top, &top);
    code |= clSetKernelArg(s->fill_random, 4, sizeof kind, &kind);
    return succeeded(code, "clSetKernelArg") && launch(s, s->fill_random);
}

bool scratch_spoil(const scratch *s, const scratch_buffer *buffer, size_t bytes) {
    const cl_ulong count = (bytes + 3) / 4;
    const cl_uint word = CHECK_FILLER * 0x01010101u;
    cl_int code = clSetKernelArg(s->fill_word, 0, sizeof(cl_mem), &buffer->memory);
    code |= clSetKernelArg(s->fill_word, 1, sizeof count, &count);
    code |= clSetKernelArg(s->fill_word, 2, sizeof word, &word);
    return succeeded(code, "clSetKernelArg") && launch(s, s->fill_word);
}

int64_t scratch_different(const scratch *s, const scratch_buffer *a, const scratch_buffer *b, size_t bytes) {
    const cl_ulong count = (bytes + 3) / 4;
    cl_uint wrong = 0;
    cl_int code = clEnqueueWriteBuffer(s->device->plain, s->wrong, CL_TRUE, 0, sizeof wrong, &wrong, 0, NULL, NULL);
    code |= clSetKernelArg(s->count_different, 0, sizeof(cl_mem), &a->memory);
    code |= clSetKernelArg(s->count_different, 1, sizeof(cl_mem), &b->memory);
    code |= clSetKernelArg(s->count_different, 2, sizeof count, &count);
    code |= clSetKernelArg(s->count_different, 3, sizeof s->wrong, &s->wrong);
    if (!succeeded(code, "clSetKernelArg") || !launch(s, s->count_different))
        return -1;
    code = clEnqueueReadBuffer(s->device->plain, s->wrong, CL_TRUE, 0, sizeof wrong, &wrong, 0, NULL, NULL);
    return succeeded(code, "clEnqueueReadBuffer") ? (int64_t)wrong : -1;
}
