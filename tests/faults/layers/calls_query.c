/* Calls that ask: platforms, devices, and what is known of an object. */
#include "layer.h"

#include <string.h>

/* ---- a device or a kernel that pretends ---- */

static struct {
    cl_uint question;
    unsigned char answer[256];
    size_t bytes;
} pretended;

void device_pretend(cl_uint question, const void *answer, size_t bytes) {
    layer_lock();
    pretended.question = answer && bytes <= sizeof pretended.answer ? question : 0;
    if (pretended.question) {
        pretended.bytes = bytes;
        memcpy(pretended.answer, answer, bytes);
    }
    layer_unlock();
}

bool pretends(cl_uint question, size_t bytes, void *value, size_t *needed) {
    if (!pretended.question || question != pretended.question)
        return false;
    if (needed)
        *needed = pretended.bytes;
    if (value)
        memcpy(value, pretended.answer, bytes < pretended.bytes ? bytes : pretended.bytes);
    return true;
}

/* ---- platforms and devices ---- */

#define FAULT_QUERY(about, bytes, value)                                                                               \
    do {                                                                                                               \
        cl_int due;                                                                                                    \
        if (fault_due(THIS_CALL, about, &due)) {                                                                       \
            spoil(value, bytes);                                                                                       \
            return due;                                                                                                \
        }                                                                                                              \
    } while (0)

static cl_int CL_API_CALL on_clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count) {
    FAULT_QUERY(0, count ? sizeof *count : 0, count);
    return next->clGetPlatformIDs(room, platforms, count);
}

static cl_int CL_API_CALL on_clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t bytes,
                                               void *value, size_t *needed) {
    FAULT_QUERY(what, bytes, value);
    return next->clGetPlatformInfo(platform, what, bytes, value, needed);
}

static cl_int CL_API_CALL on_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room,
                                            cl_device_id *devices, cl_uint *count) {
    FAULT_QUERY(0, count ? sizeof *count : 0, count);
    return next->clGetDeviceIDs(platform, type, room, devices, count);
}

static cl_int CL_API_CALL on_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *value,
                                             size_t *needed) {
    FAULT_QUERY(what, bytes, value);
    return pretends(what, bytes, value, needed) ? CL_SUCCESS
                                                : next->clGetDeviceInfo(device, what, bytes, value, needed);
}

/* ---- objects ---- */

static cl_int CL_API_CALL on_clGetContextInfo(cl_context context, cl_context_info what, size_t bytes, void *value,
                                              size_t *needed) {
    FAULT_QUERY(what, bytes, value);
    if (!object_use(THIS_CALL, OBJECT_CONTEXT, context))
        return CL_INVALID_CONTEXT;
    return next->clGetContextInfo(context, what, bytes, value, needed);
}

static cl_int CL_API_CALL on_clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what, size_t bytes,
                                                   void *value, size_t *needed) {
    FAULT_QUERY(what, bytes, value);
    if (!object_use(THIS_CALL, OBJECT_QUEUE, queue))
        return CL_INVALID_COMMAND_QUEUE;
    return next->clGetCommandQueueInfo(queue, what, bytes, value, needed);
}

static cl_int CL_API_CALL on_clGetMemObjectInfo(cl_mem memory, cl_mem_info what, size_t bytes, void *value,
                                                size_t *needed) {
    FAULT_QUERY(what, bytes, value);
    if (!object_use(THIS_CALL, OBJECT_MEMORY, memory))
        return CL_INVALID_MEM_OBJECT;
    return next->clGetMemObjectInfo(memory, what, bytes, value, needed);
}

static cl_int CL_API_CALL on_clGetEventInfo(cl_event event, cl_event_info what, size_t bytes, void *value,
                                            size_t *needed) {
    FAULT_QUERY(what, bytes, value);
    if (!object_use(THIS_CALL, OBJECT_EVENT, event))
        return CL_INVALID_EVENT;
    return next->clGetEventInfo(event, what, bytes, value, needed);
}

static cl_int CL_API_CALL on_clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t bytes, void *value,
                                                     size_t *needed) {
    FAULT_QUERY(what, bytes, value);
    if (!object_use(THIS_CALL, OBJECT_EVENT, event))
        return CL_INVALID_EVENT;
    return next->clGetEventProfilingInfo(event, what, bytes, value, needed);
}

static cl_int CL_API_CALL on_clGetKernelInfo(cl_kernel kernel, cl_kernel_info what, size_t bytes, void *value,
                                             size_t *needed) {
    FAULT_QUERY(what, bytes, value);
    if (!object_use(THIS_CALL, OBJECT_KERNEL, kernel))
        return CL_INVALID_KERNEL;
    return next->clGetKernelInfo(kernel, what, bytes, value, needed);
}

static cl_int CL_API_CALL on_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                                      cl_kernel_work_group_info what, size_t bytes, void *value,
                                                      size_t *needed) {
    FAULT_QUERY(what, bytes, value);
    if (!object_use(THIS_CALL, OBJECT_KERNEL, kernel))
        return CL_INVALID_KERNEL;
    if (pretends(what, bytes, value, needed))
        return CL_SUCCESS;
    return next->clGetKernelWorkGroupInfo(kernel, device, what, bytes, value, needed);
}

/* A build that was made to fail has a log of its own. */
static cl_int CL_API_CALL on_clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what,
                                                   size_t bytes, void *value, size_t *needed) {
    static const char log[] = LAYER_BUILD_LOG;
    FAULT_QUERY(what, bytes, value);
    const object *const o = object_use(THIS_CALL, OBJECT_PROGRAM, program);
    if (!o)
        return CL_INVALID_PROGRAM;
    if (!o->refused || what != CL_PROGRAM_BUILD_LOG)
        return next->clGetProgramBuildInfo(program, device, what, bytes, value, needed);
    if (value && bytes < sizeof log)
        return CL_INVALID_VALUE;
    if (needed)
        *needed = sizeof log;
    if (value)
        memcpy(value, log, sizeof log);
    return CL_SUCCESS;
}

void take_query_calls(cl_icd_dispatch *table) {
    table->clGetPlatformIDs = on_clGetPlatformIDs;
    table->clGetPlatformInfo = on_clGetPlatformInfo;
    table->clGetDeviceIDs = on_clGetDeviceIDs;
    table->clGetDeviceInfo = on_clGetDeviceInfo;
    table->clGetContextInfo = on_clGetContextInfo;
    table->clGetCommandQueueInfo = on_clGetCommandQueueInfo;
    table->clGetMemObjectInfo = on_clGetMemObjectInfo;
    table->clGetEventInfo = on_clGetEventInfo;
    table->clGetEventProfilingInfo = on_clGetEventProfilingInfo;
    table->clGetKernelInfo = on_clGetKernelInfo;
    table->clGetKernelWorkGroupInfo = on_clGetKernelWorkGroupInfo;
    table->clGetProgramBuildInfo = on_clGetProgramBuildInfo;
}
