/* Buffers of the stub: host memory, within a limit when there is one. */
#include "stub.h"

#include <stdlib.h>
#include <string.h>

static atomic_ullong used;

cl_ulong stub_memory_used(void) {
    return atomic_load_explicit(&used, memory_order_relaxed);
}

static uint64_t limit(void) {
    const char *const text = getenv("STUB_OPENCL_MEMORY");
    return text ? strtoull(text, NULL, 10) : UINT64_MAX;
}

/* Take so many bytes of the device. */
static bool take(size_t bytes) {
    const uint64_t most = limit();
    const unsigned long long before = atomic_fetch_add_explicit(&used, bytes, memory_order_relaxed);
    if (before + bytes <= most)
        return true;
    atomic_fetch_sub_explicit(&used, bytes, memory_order_relaxed);
    return false;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code) {
    const bool in_place = (flags & CL_MEM_USE_HOST_PTR) != 0;
    *code = !stub_is(context, STUB_CONTEXT) ? CL_INVALID_CONTEXT : !size ? CL_INVALID_BUFFER_SIZE : CL_SUCCESS;
    if (*code != CL_SUCCESS)
        return NULL;
    if (!in_place && !take(size)) {
        *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return NULL;
    }
    const cl_mem mem = stub_new(STUB_BUFFER, sizeof *mem);
    mem->context = context;
    mem->size = size;
    mem->flags = flags;
    mem->host = in_place ? host : NULL;
    mem->bytes = in_place ? host : aligned_alloc(128, (size + 127) / 128 * 128);
    for (size_t i = 0; stub_manners.noise && !in_place && i < size; ++i)
        mem->bytes[i] = (unsigned char)((i + 1) * 0x9E3779B97F4A7C15u >> 56);
    if (flags & CL_MEM_COPY_HOST_PTR)
        memcpy(mem->bytes, host, size);
    stub_retain(context);
    return mem;
}

cl_mem clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *how, cl_int *code) {
    const cl_buffer_region *const region = how;
    (void)type;
    *code = stub_is(parent, STUB_BUFFER) && !parent->parent ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
    if (*code == CL_SUCCESS && (region->origin > parent->size || region->size > parent->size - region->origin))
        *code = CL_INVALID_VALUE;
    if (*code != CL_SUCCESS)
        return NULL;
    const cl_mem mem = stub_new(STUB_BUFFER, sizeof *mem);
    mem->context = parent->context;
    mem->parent = parent;
    mem->origin = region->origin;
    mem->size = region->size;
    mem->flags = flags;
    mem->bytes = parent->bytes + region->origin;
    stub_retain(parent);
    return mem;
}

cl_int clGetMemObjectInfo(cl_mem mem, cl_mem_info what, size_t bytes, void *to, size_t *needed) {
    const cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
    cl_uint references;
    if (!stub_is(mem, STUB_BUFFER))
        return CL_INVALID_MEM_OBJECT;
    switch (what) {
    case CL_MEM_TYPE:
        return stub_answer(&type, sizeof type, bytes, to, needed);
    case CL_MEM_FLAGS:
        return stub_answer(&mem->flags, sizeof mem->flags, bytes, to, needed);
    case CL_MEM_SIZE:
        return stub_answer(&mem->size, sizeof mem->size, bytes, to, needed);
    case CL_MEM_HOST_PTR:
        return stub_answer(&mem->host, sizeof mem->host, bytes, to, needed);
    case CL_MEM_CONTEXT:
        return stub_answer(&mem->context, sizeof mem->context, bytes, to, needed);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return stub_answer(&mem->parent, sizeof mem->parent, bytes, to, needed);
    case CL_MEM_REFERENCE_COUNT:
        references = atomic_load_explicit(&mem->object.references, memory_order_relaxed);
        return stub_answer(&references, sizeof references, bytes, to, needed);
    case CL_MEM_OFFSET:
        return stub_answer(&mem->origin, sizeof mem->origin, bytes, to, needed);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int clRetainMemObject(cl_mem mem) {
    if (!stub_is(mem, STUB_BUFFER))
        return CL_INVALID_MEM_OBJECT;
    stub_retain(mem);
    return CL_SUCCESS;
}

cl_int clReleaseMemObject(cl_mem mem) {
    if (!stub_is(mem, STUB_BUFFER))
        return CL_INVALID_MEM_OBJECT;
    if (!stub_release(mem))
        return CL_SUCCESS;
    if (mem->parent) {
        clReleaseMemObject(mem->parent);
    } else {
        if (!mem->host) {
            atomic_fetch_sub_explicit(&used, mem->size, memory_order_relaxed);
            free(mem->bytes);
        }
        clReleaseContext(mem->context);
    }
    stub_free(mem);
    return CL_SUCCESS;
}
