#include "arena.h"

#include <stdlib.h>
#include <string.h>

size_t arena_size(const arena *a) {
    return a->bytes + 2 * a->guard;
}

unsigned char *arena_inside(const arena *a, unsigned char *image) {
    return image + a->guard;
}

bool arena_open(arena *a, size_t bytes, size_t guard, size_t shift) {
    a->bytes = bytes;
    a->guard = guard;
    a->shift = shift;
    a->image = malloc(arena_size(a));
    a->actual = malloc(arena_size(a));
    return a->image && a->actual;
}

void arena_close(arena *a) {
    if (a->buffer)
        clReleaseMemObject(a->buffer);
    if (a->whole)
        clReleaseMemObject(a->whole);
    free(a->backing);
    free(a->actual);
    free(a->image);
}

void arena_fill(arena *a) {
    unsigned char byte = 0;
    for (size_t i = 0; i < arena_size(a); i++) {
        a->image[i] = (unsigned char)(0xA5 + byte);
        byte = byte == 250 ? 0 : (unsigned char)(byte + 1);
    }
}

void arena_fill_guards(arena *a, const problem_dtype *type, uint64_t bits) {
    const size_t element = type->bits / 8, count = a->guard / element;
    for (size_t i = 0; i < count; i++) {
        problem_store(type, a->image, i, bits);
        problem_store(type, a->image + a->guard + a->bytes, i, bits);
    }
}

static cl_int upload_to_device(arena *a, cl_context context, cl_command_queue queue, cl_mem_flags flags,
                               cl_event *written) {
    cl_int code;
    a->whole = clCreateBuffer(context, flags, arena_size(a), NULL, &code);
    if (code == CL_SUCCESS)
        code = clEnqueueWriteBuffer(queue, a->whole, written ? CL_FALSE : CL_TRUE, 0, arena_size(a), a->image, 0, NULL,
                                    written);
    const cl_buffer_region region = {a->guard, a->bytes};
    if (code == CL_SUCCESS && a->bytes)
        a->buffer = clCreateSubBuffer(a->whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    return code;
}

static unsigned char *in_place(const arena *a) {
    return a->backing + a->shift + a->guard;
}

static cl_int upload_in_place(arena *a, cl_context context, cl_mem_flags flags) {
    cl_int code = CL_SUCCESS;
    void *memory = NULL;
    if (posix_memalign(&memory, 256, arena_size(a) + a->shift) != 0)
        return CL_OUT_OF_HOST_MEMORY;
    a->backing = memory;
    memcpy(a->backing + a->shift, a->image, arena_size(a));
    if (a->bytes)
        a->buffer = clCreateBuffer(context, flags | CL_MEM_USE_HOST_PTR, a->bytes, in_place(a), &code);
    return code;
}

cl_int arena_upload(arena *a, cl_context context, cl_command_queue queue, cl_mem_flags flags, run_memory memory,
                    cl_event *written) {
    if (written)
        *written = NULL;
    return memory == MEMORY_HOST ? upload_in_place(a, context, flags)
                                 : upload_to_device(a, context, queue, flags, written);
}

cl_int arena_download(arena *a, cl_command_queue queue, cl_uint count, const cl_event *list) {
    if (!a->backing)
        return clEnqueueReadBuffer(queue, a->whole, CL_TRUE, 0, arena_size(a), a->actual, count, list, NULL);
    memcpy(a->actual, a->backing + a->shift, a->guard);
    memcpy(a->actual + a->guard + a->bytes, in_place(a) + a->bytes, a->guard);
    return a->bytes == 0 ? CL_SUCCESS
                         : clEnqueueReadBuffer(queue, a->buffer, CL_TRUE, 0, a->bytes, arena_inside(a, a->actual),
                                               count, list, NULL);
}
