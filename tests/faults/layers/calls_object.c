/* Calls that create, retain and release objects, and that fill in programs and kernels. */
#include "layer.h"

#include <string.h>

/* ---- create ---- */

static uint64_t memory_limit = UINT64_MAX;
static bool limit_met;

void memory_limit_set(uint64_t bytes) {
    memory_limit = bytes;
    limit_met = false;
}

bool memory_limit_met(void) {
    return limit_met;
}

/* What every creation ends with. */
static void *born(object_kind kind, void *key, const void *context, const void *parent) {
    if (key) {
        layer_lock();
        object_born(kind, key, context, parent);
        layer_unlock();
    }
    return key;
}

static void *refuse(cl_int code, cl_int *code_ret) {
    if (code_ret)
        *code_ret = code;
    return NULL;
}

static cl_context CL_API_CALL on_clCreateContext(const cl_context_properties *properties, cl_uint count,
                                                 const cl_device_id *devices,
                                                 void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                                 void *user, cl_int *code_ret) {
    FAULT_OBJECT(0, code_ret);
    const cl_context context = next->clCreateContext(properties, count, devices, notify, user, code_ret);
    return born(OBJECT_CONTEXT, context, context, NULL);
}

static cl_command_queue CL_API_CALL on_clCreateCommandQueue(cl_context context, cl_device_id device,
                                                            cl_command_queue_properties properties, cl_int *code_ret) {
    FAULT_OBJECT(properties, code_ret);
    if (!object_use(THIS_CALL, OBJECT_CONTEXT, context))
        return refuse(CL_INVALID_CONTEXT, code_ret);
    return born(OBJECT_QUEUE, next->clCreateCommandQueue(context, device, properties, code_ret), context, NULL);
}

static cl_mem CL_API_CALL on_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                                            cl_int *code_ret) {
    FAULT_OBJECT(flags, code_ret);
    if (!object_use(THIS_CALL, OBJECT_CONTEXT, context))
        return refuse(CL_INVALID_CONTEXT, code_ret);
    if (bytes == 0 || (host == NULL) != ((flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) == 0))
        violation("%s: %zu bytes, flags 0x%llx, %s host pointer", THIS_CALL, bytes, (unsigned long long)flags,
                  host ? "a" : "no");
    if (bytes > memory_limit || objects_bytes() > memory_limit - bytes) {
        limit_met = true;
        return refuse(CL_MEM_OBJECT_ALLOCATION_FAILURE, code_ret);
    }
    const cl_mem memory = next->clCreateBuffer(context, flags, bytes, host, code_ret);
    if (memory) {
        layer_lock();
        object_weighs(object_born(OBJECT_MEMORY, memory, context, NULL), bytes);
        layer_unlock();
    }
    return memory;
}

static cl_mem CL_API_CALL on_clCreateSubBuffer(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type,
                                               const void *info, cl_int *code_ret) {
    FAULT_OBJECT(flags, code_ret);
    object *const parent = object_use(THIS_CALL, OBJECT_MEMORY, whole);
    if (!parent)
        return refuse(CL_INVALID_MEM_OBJECT, code_ret);
    const cl_mem part = next->clCreateSubBuffer(whole, flags, type, info, code_ret);
    if (part)
        parent->children++;
    return born(OBJECT_MEMORY, part, parent->context, whole);
}

static cl_mem CL_API_CALL on_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                           const cl_image_desc *desc, void *host, cl_int *code_ret) {
    FAULT_OBJECT(flags, code_ret);
    if (!object_use(THIS_CALL, OBJECT_CONTEXT, context))
        return refuse(CL_INVALID_CONTEXT, code_ret);
    return born(OBJECT_MEMORY, next->clCreateImage(context, flags, format, desc, host, code_ret), context, NULL);
}

static cl_int CL_API_CALL on_clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties,
                                                cl_uint room, cl_device_id *devices, cl_uint *count) {
    FAULT(0);
    const cl_int code = next->clCreateSubDevices(device, properties, room, devices, count);
    for (cl_uint i = 0; code == CL_SUCCESS && devices && i < room && (!count || i < *count); i++)
        born(OBJECT_DEVICE, devices[i], NULL, NULL);
    return code;
}

static cl_program CL_API_CALL on_clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                                           const size_t *lengths, cl_int *code_ret) {
    FAULT_OBJECT(0, code_ret);
    if (!object_use(THIS_CALL, OBJECT_CONTEXT, context))
        return refuse(CL_INVALID_CONTEXT, code_ret);
    for (cl_uint i = 0; i < count; i++)
        if (!texts || !texts[i])
            violation("%s: text %u is NULL", THIS_CALL, (unsigned)i);
    return born(OBJECT_PROGRAM, next->clCreateProgramWithSource(context, count, texts, lengths, code_ret), context,
                NULL);
}

static cl_kernel CL_API_CALL on_clCreateKernel(cl_program program, const char *name, cl_int *code_ret) {
    FAULT_OBJECT(0, code_ret);
    const object *const from = object_use(THIS_CALL, OBJECT_PROGRAM, program);
    if (!from || !name)
        return refuse(CL_INVALID_PROGRAM, code_ret);
    const cl_kernel kernel = next->clCreateKernel(program, name, code_ret);
    cl_uint count = 0;
    if (kernel) {
        layer_lock();
        const object *const o = object_born(OBJECT_KERNEL, kernel, from->context, program);
        if (o->args && next->clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL) == CL_SUCCESS)
            o->args->count = count;
        layer_unlock();
    }
    return kernel;
}

static cl_event CL_API_CALL on_clCreateUserEvent(cl_context context, cl_int *code_ret) {
    FAULT_OBJECT(0, code_ret);
    if (!object_use(THIS_CALL, OBJECT_CONTEXT, context))
        return refuse(CL_INVALID_CONTEXT, code_ret);
    return born(OBJECT_USER_EVENT, next->clCreateUserEvent(context, code_ret), context, NULL);
}

/* ---- retain and release: a retain that fails retains nothing, a release that fails has released ---- */

#define RETAIN(name, type, kind, invalid)                                                                              \
    static cl_int CL_API_CALL on_clRetain##name(type which) {                                                          \
        FAULT(0);                                                                                                      \
        return object_retain(THIS_CALL, kind, which) ? next->clRetain##name(which) : (invalid);                        \
    }
#define RELEASE(name, type, kind, invalid)                                                                             \
    static cl_int CL_API_CALL on_clRelease##name(type which) {                                                         \
        cl_int due;                                                                                                    \
        const bool fails = fault_due(THIS_CALL, 0, &due);                                                              \
        const cl_int code = object_release(THIS_CALL, kind, which) ? next->clRelease##name(which) : (invalid);         \
        return fails ? due : code;                                                                                     \
    }
#define COUNTED(name, type, kind, invalid) RETAIN(name, type, kind, invalid) RELEASE(name, type, kind, invalid)

COUNTED(Context, cl_context, OBJECT_CONTEXT, CL_INVALID_CONTEXT)
COUNTED(Device, cl_device_id, OBJECT_DEVICE, CL_INVALID_DEVICE)
COUNTED(CommandQueue, cl_command_queue, OBJECT_QUEUE, CL_INVALID_COMMAND_QUEUE)
COUNTED(MemObject, cl_mem, OBJECT_MEMORY, CL_INVALID_MEM_OBJECT)
COUNTED(Program, cl_program, OBJECT_PROGRAM, CL_INVALID_PROGRAM)
COUNTED(Kernel, cl_kernel, OBJECT_KERNEL, CL_INVALID_KERNEL)
COUNTED(Event, cl_event, OBJECT_EVENT, CL_INVALID_EVENT)

/* ---- programs and kernels ---- */

static cl_int CL_API_CALL on_clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                            const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                            void *user) {
    cl_int due;
    object *const o = object_use(THIS_CALL, OBJECT_PROGRAM, program);
    if (!o)
        return CL_INVALID_PROGRAM;
    o->refused = fault_due(THIS_CALL, 0, &due);
    if (o->refused)
        return due;
    if ((count == 0) != (devices == NULL))
        violation("%s: %u devices in %s", THIS_CALL, (unsigned)count, devices ? "a list" : "no list");
    return next->clBuildProgram(program, count, devices, options, notify, user);
}

/* A value as large as a memory object, that is one or was one, is taken for one. */
static cl_int CL_API_CALL on_clSetKernelArg(cl_kernel kernel, cl_uint at, size_t bytes, const void *value) {
    const void *memory = NULL;
    if (value && bytes == sizeof memory)
        memcpy(&memory, value, sizeof memory);
    const object *const known = object_find(kernel);
    const bool had_memory = known && known->kind == OBJECT_KERNEL && known->args && at < 64 && known->args->memory[at];
    FAULT(had_memory && value && bytes == sizeof memory && !memory ? ARGUMENT_FORGOTTEN : at);
    const object *const o = object_use(THIS_CALL, OBJECT_KERNEL, kernel);
    if (!o || !o->args)
        return CL_INVALID_KERNEL;
    if (at >= o->args->count || at >= 64)
        violation("%s: argument %u of %u", THIS_CALL, (unsigned)at, (unsigned)o->args->count);
    const object *const m = object_find(memory);
    if (m && m->kind == OBJECT_MEMORY) {
        object_use(THIS_CALL, OBJECT_MEMORY, memory);
        objects_same_context(THIS_CALL, o, m);
    }
    const cl_int code = next->clSetKernelArg(kernel, at, bytes, value);
    if (code == CL_SUCCESS && at < 64) {
        o->args->set |= UINT64_C(1) << at;
        o->args->memory[at] = m && m->kind == OBJECT_MEMORY ? memory : NULL;
    }
    return code;
}

void take_object_calls(cl_icd_dispatch *table) {
    table->clCreateContext = on_clCreateContext;
    table->clCreateCommandQueue = on_clCreateCommandQueue;
    table->clCreateBuffer = on_clCreateBuffer;
    table->clCreateSubBuffer = on_clCreateSubBuffer;
    table->clCreateImage = on_clCreateImage;
    table->clCreateSubDevices = on_clCreateSubDevices;
    table->clCreateProgramWithSource = on_clCreateProgramWithSource;
    table->clCreateKernel = on_clCreateKernel;
    table->clCreateUserEvent = on_clCreateUserEvent;
    table->clRetainContext = on_clRetainContext;
    table->clReleaseContext = on_clReleaseContext;
    table->clRetainDevice = on_clRetainDevice;
    table->clReleaseDevice = on_clReleaseDevice;
    table->clRetainCommandQueue = on_clRetainCommandQueue;
    table->clReleaseCommandQueue = on_clReleaseCommandQueue;
    table->clRetainMemObject = on_clRetainMemObject;
    table->clReleaseMemObject = on_clReleaseMemObject;
    table->clRetainProgram = on_clRetainProgram;
    table->clReleaseProgram = on_clReleaseProgram;
    table->clRetainKernel = on_clRetainKernel;
    table->clReleaseKernel = on_clReleaseKernel;
    table->clRetainEvent = on_clRetainEvent;
    table->clReleaseEvent = on_clReleaseEvent;
    table->clBuildProgram = on_clBuildProgram;
    table->clSetKernelArg = on_clSetKernelArg;
}
