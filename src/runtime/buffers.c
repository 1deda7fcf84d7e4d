/* Every rule about OpenCL objects, checked at each enqueue. Implementations check little of this themselves: some
 * write through a buffer of another context, or crash on a NULL event. Only queries here, no allocation. */
#include "api/structs.h"
#include "internal.h"

#include <inttypes.h>
#include <stdio.h>

/* Kernels keep 64-bit partial results in the workspace. */
#define WORKSPACE_ALIGNMENT 8

/* What a tensor or the workspace occupies: bytes first..end-1 of a memory object that is not a sub-buffer, and, when
 * that lies in the caller's memory, of the address space. Absent when it occupies nothing. */
typedef struct region {
    const char *name;
    bool present;
    cl_mem root;
    uint64_t first, end;
    uint64_t address; /* of the root's first byte; 0: not in the caller's memory */
} region;

typedef struct buffer_facts {
    cl_mem root;
    size_t origin, size;
    cl_mem_flags flags; /* with those inherited from the parent */
    uint64_t address;
} buffer_facts;

static cl_int query_mem(cl_mem mem, cl_mem_info what, size_t bytes, void *where) {
    return clGetMemObjectInfo(mem, what, bytes, where, NULL);
}

/* A sub-buffer stands for its parent's memory: access flags and host pointer are looked up there, as implementations
 * differ in what they report for the sub-buffer itself. */
static cl_int query_root(cl_mem mem, buffer_facts *facts) {
    cl_mem parent = NULL;
    void *host = NULL;
    cl_mem_flags inherited = 0;
    cl_int code = query_mem(mem, CL_MEM_FLAGS, sizeof facts->flags, &facts->flags);
    if (code == CL_SUCCESS)
        code = query_mem(mem, CL_MEM_SIZE, sizeof facts->size, &facts->size);
    if (code == CL_SUCCESS)
        code = query_mem(mem, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent);
    if (code == CL_SUCCESS && parent) {
        code = query_mem(mem, CL_MEM_OFFSET, sizeof facts->origin, &facts->origin);
        if (code == CL_SUCCESS)
            code = query_mem(parent, CL_MEM_FLAGS, sizeof inherited, &inherited);
    }
    facts->root = parent ? parent : mem;
    facts->flags |= inherited;
    if (code == CL_SUCCESS && (facts->flags & CL_MEM_USE_HOST_PTR))
        code = query_mem(facts->root, CL_MEM_HOST_PTR, sizeof host, &host);
    facts->address = (uint64_t)(uintptr_t)host;
    return code;
}

/* Only an object that OpenCL does not know is the argument's fault. */
static argmax_cl_status fail_object(argmax_cl_status status, cl_int unknown, const char *name, const char *call,
                                    cl_int code) {
    if (code == unknown)
        return fail_with(status, code, "%s: %s failed with %d (%s); expected a live object", name, call, (int)code,
                         opencl_error_name(code));
    return fail_with(ARGMAX_CL_ERROR_OPENCL, code, "%s failed with %d (%s) when asked about %s", call, (int)code,
                     opencl_error_name(code), name);
}

/* A buffer object of the context that kernels may use as `forbidden` does not exclude. */
static argmax_cl_status check_buffer(argmax_cl_status status, const char *name, cl_mem mem, cl_context context,
                                     cl_mem_flags forbidden, buffer_facts *facts) {
    cl_mem_object_type type = 0;
    cl_context owner = NULL;
    *facts = (buffer_facts){0};
    cl_int code = query_mem(mem, CL_MEM_TYPE, sizeof type, &type);
    if (code == CL_SUCCESS)
        code = query_mem(mem, CL_MEM_CONTEXT, sizeof owner, &owner);
    if (code == CL_SUCCESS && type != CL_MEM_OBJECT_BUFFER)
        return fail(status, "%s is a memory object of type 0x%X: expected a buffer (0x%X)", name, (unsigned)type,
                    (unsigned)CL_MEM_OBJECT_BUFFER);
    if (code == CL_SUCCESS && owner != context)
        return fail(status, "%s belongs to another context: expected the handle's", name);
    if (code == CL_SUCCESS)
        code = query_root(mem, facts);
    if (code != CL_SUCCESS)
        return fail_object(status, CL_INVALID_MEM_OBJECT, name, "clGetMemObjectInfo", code);
    if (facts->flags & forbidden & CL_MEM_READ_ONLY)
        return fail(status, "%s is CL_MEM_READ_ONLY: expected a buffer that kernels may write", name);
    if (facts->flags & forbidden & CL_MEM_WRITE_ONLY)
        return fail(status, "%s is CL_MEM_WRITE_ONLY: expected a buffer that kernels may read", name);
    return ARGMAX_CL_SUCCESS;
}

static region occupy(const char *name, const buffer_facts *facts, uint64_t first, uint64_t end) {
    return (region){name, true, facts->root, facts->origin + first, facts->origin + end, facts->address};
}

/* `alignment`: the bytes that kernels move at once; in the caller's memory `host_alignment`. */
static argmax_cl_status check_tensor(const char *name, const tensor_view *view, uint32_t alignment,
                                     uint32_t host_alignment, cl_mem mem, cl_context context, cl_mem_flags forbidden,
                                     region *out) {
    if (!view->type)
        return mem ? fail(ARGMAX_CL_ERROR_INVALID_BUFFER,
                          "%s is given, but the descriptor has no such tensor: expected NULL", name)
                   : ARGMAX_CL_SUCCESS;
    if (!mem)
        return view->empty ? ARGMAX_CL_SUCCESS
                           : fail(ARGMAX_CL_ERROR_INVALID_BUFFER, "%s = NULL: expected a buffer", name);
    buffer_facts facts;
    const argmax_cl_status status = check_buffer(ARGMAX_CL_ERROR_INVALID_BUFFER, name, mem, context, forbidden, &facts);
    if (status || view->empty)
        return status;
    /* check_desc has proven that this fits. */
    const uint64_t element = view->type->bits / 8, end = (view->last + 1) * element;
    if (end > facts.size)
        return fail(ARGMAX_CL_ERROR_BUFFER_TOO_SMALL,
                    "%s has %zu bytes: expected at least %" PRIu64 ", as its tensor's last %s is element %" PRIu64,
                    name, facts.size, end, view->type->name, view->last);
    /* Some implementations let sub-buffers start where OpenCL forbids it. */
    if (facts.origin % alignment)
        return fail(ARGMAX_CL_ERROR_INVALID_BUFFER,
                    "%s is a sub-buffer with origin %zu: expected a multiple of %" PRIu32
                    ", the bytes that kernels move at once; a tensor's offset may be any",
                    name, facts.origin, alignment);
    /* Devices with memory of their own may use the caller's in place, too. */
    if ((facts.address + facts.origin) % host_alignment)
        return fail(ARGMAX_CL_ERROR_INVALID_BUFFER,
                    "%s starts at address 0x%" PRIx64 " of host memory: expected a multiple of %" PRIu32
                    ", the bytes that kernels move at once; a tensor's offset may be any",
                    name, facts.address + facts.origin, host_alignment);
    *out = occupy(name, &facts, view->first * element, end);
    return ARGMAX_CL_SUCCESS;
}

static argmax_cl_status check_workspace(cl_mem mem, size_t bytes, cl_context context, region *out) {
    if (!bytes)
        return ARGMAX_CL_SUCCESS;
    if (!mem)
        return fail(ARGMAX_CL_ERROR_INVALID_WORKSPACE, "workspace = NULL: expected a buffer of %zu bytes", bytes);
    buffer_facts facts;
    const argmax_cl_status status = check_buffer(ARGMAX_CL_ERROR_INVALID_WORKSPACE, "workspace", mem, context,
                                                 CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &facts);
    if (status)
        return status;
    if (facts.size < bytes)
        return fail(ARGMAX_CL_ERROR_INVALID_WORKSPACE, "workspace has %zu bytes: expected at least %zu", facts.size,
                    bytes);
    if ((facts.address + facts.origin) % WORKSPACE_ALIGNMENT)
        return fail(ARGMAX_CL_ERROR_INVALID_WORKSPACE,
                    "workspace starts at byte 0x%" PRIx64 ": expected a multiple of %d", facts.address + facts.origin,
                    WORKSPACE_ALIGNMENT);
    *out = occupy("workspace", &facts, 0, bytes);
    return ARGMAX_CL_SUCCESS;
}

static bool intersect(uint64_t a_base, const region *a, uint64_t b_base, const region *b) {
    return a_base + a->first < b_base + b->end && b_base + b->first < a_base + a->end;
}

static argmax_cl_status check_disjoint(const region *a, const region *b) {
    if (!a->present || !b->present)
        return ARGMAX_CL_SUCCESS;
    const bool shared = a->root == b->root ? intersect(0, a, 0, b)
                                           : a->address && b->address && intersect(a->address, a, b->address, b);
    return shared ? fail(ARGMAX_CL_ERROR_BUFFER_OVERLAP,
                         "%s (bytes %" PRIu64 "..%" PRIu64 " of its memory) overlaps %s (bytes %" PRIu64 "..%" PRIu64
                         "): expected disjoint memory",
                         a->name, a->first, a->end - 1, b->name, b->first, b->end - 1)
                  : ARGMAX_CL_SUCCESS;
}

argmax_cl_status check_queue(cl_context context, cl_device_id device, cl_command_queue queue, bool *out_of_order) {
    if (!queue)
        return fail(ARGMAX_CL_ERROR_INVALID_QUEUE, "queue = NULL: expected a command queue");
    cl_context owner = NULL;
    cl_device_id target = NULL;
    cl_command_queue_properties properties = 0;
    cl_int code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof owner, &owner, NULL);
    if (code == CL_SUCCESS)
        code = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof target, &target, NULL);
    if (code == CL_SUCCESS)
        code = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    if (code != CL_SUCCESS)
        return fail_object(ARGMAX_CL_ERROR_INVALID_QUEUE, CL_INVALID_COMMAND_QUEUE, "queue", "clGetCommandQueueInfo",
                           code);
    if (owner != context)
        return fail(ARGMAX_CL_ERROR_INVALID_QUEUE, "queue belongs to another context: expected the handle's");
    if (target != device)
        return fail(ARGMAX_CL_ERROR_INVALID_QUEUE, "queue is for another device of the context: expected the handle's");
    *out_of_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    return ARGMAX_CL_SUCCESS;
}

static argmax_cl_status check_wait_list(cl_uint count, const cl_event *events, cl_context context) {
    if (count && !events)
        return fail(ARGMAX_CL_ERROR_INVALID_WAIT_LIST, "wait_list = NULL: expected %u events", (unsigned)count);
    if (!count && events)
        return fail(ARGMAX_CL_ERROR_INVALID_WAIT_LIST, "wait_count = 0 with a wait_list: expected NULL with it");
    for (cl_uint i = 0; i < count; i++) {
        cl_context owner = NULL;
        if (!events[i])
            return fail(ARGMAX_CL_ERROR_INVALID_WAIT_LIST, "wait_list[%u] = NULL: expected an event", (unsigned)i);
        const cl_int code = clGetEventInfo(events[i], CL_EVENT_CONTEXT, sizeof owner, &owner, NULL);
        if (code != CL_SUCCESS) {
            char name[32];
            snprintf(name, sizeof name, "wait_list[%u]", (unsigned)i);
            return fail_object(ARGMAX_CL_ERROR_INVALID_WAIT_LIST, CL_INVALID_EVENT, name, "clGetEventInfo", code);
        }
        if (owner != context)
            return fail(ARGMAX_CL_ERROR_INVALID_WAIT_LIST,
                        "wait_list[%u] belongs to another context: expected the handle's", (unsigned)i);
    }
    return ARGMAX_CL_SUCCESS;
}

static uint32_t element_alignment(const tensor_view *view) {
    return view->type ? view->type->bits / 8 : 1;
}

argmax_cl_status check_enqueue(cl_context context, const problem *p, uint32_t input_vector, uint32_t mask_vector,
                               bool in_place, const argmax_cl_buffers *given, cl_mem workspace, size_t workspace_bytes,
                               cl_uint wait_count, const cl_event *wait_list, argmax_cl_buffers *buffers) {
    enum { INPUT, MASK, INDEX, VALUE, MAX_INDEX, MAX_VALUE, WORKSPACE, COUNT };
    region regions[COUNT] = {{0}};
    const uint32_t vector = element_alignment(&p->input) * input_vector;
    argmax_cl_status status = STRUCT_READ("buffers", argmax_cl_buffers, value, given, buffers);
    if (!status)
        status = check_tensor("buffers->input", &p->input, vector, in_place && input_vector > 1 ? vector : 1,
                              buffers->input, context, CL_MEM_WRITE_ONLY, &regions[INPUT]);
    if (!status)
        status = check_tensor("buffers->mask", &p->mask, mask_vector ? mask_vector : 1,
                              in_place && mask_vector ? mask_vector : 1, buffers->mask, context, CL_MEM_WRITE_ONLY,
                              &regions[MASK]);
    if (!status)
        status = check_tensor("buffers->index", &p->index, element_alignment(&p->index), 1, buffers->index, context,
                              CL_MEM_READ_ONLY, &regions[INDEX]);
    if (!status)
        status = check_tensor("buffers->value", &p->value, element_alignment(&p->value), 1, buffers->value, context,
                              CL_MEM_READ_ONLY, &regions[VALUE]);
    if (!status)
        status = check_tensor("buffers->max_index", &p->max_index, element_alignment(&p->max_index), 1,
                              buffers->max_index, context, CL_MEM_READ_ONLY, &regions[MAX_INDEX]);
    if (!status)
        status = check_tensor("buffers->max_value", &p->max_value, element_alignment(&p->max_value), 1,
                              buffers->max_value, context, CL_MEM_READ_ONLY, &regions[MAX_VALUE]);
    if (!status)
        status = check_workspace(workspace, workspace_bytes, context, &regions[WORKSPACE]);
    for (int a = INDEX; a < COUNT && !status; a++)
        for (int b = INPUT; b < a && !status; b++)
            status = check_disjoint(&regions[a], &regions[b]);
    return status ? status : check_wait_list(wait_count, wait_list, context);
}
