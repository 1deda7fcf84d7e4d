#include "verdict.h"

#include <string.h>

#define ANY UINT64_MAX

/* Failures that an answer can do without, and why. A scenario's name limits a row to it. */
static const struct {
    const char *call;
    uint64_t about;
    const char *scenario;
} harmless[] = {
    /* What was released is gone, whatever was returned. */
    {"clReleaseContext", ANY, NULL},
    {"clReleaseDevice", ANY, NULL},
    {"clReleaseCommandQueue", ANY, NULL},
    {"clReleaseMemObject", ANY, NULL},
    {"clReleaseProgram", ANY, NULL},
    {"clReleaseKernel", ANY, NULL},
    {"clReleaseEvent", ANY, NULL},
    /* A workspace whose state is unknown is not used again. */
    {"clGetEventInfo", CL_EVENT_COMMAND_EXECUTION_STATUS, NULL},
    {"clRetainEvent", ANY, NULL},
    /* Facts that choose a faster way, and names. */
    {"clGetDeviceInfo", CL_DEVICE_NAME, NULL},
    {"clGetDeviceInfo", CL_DEVICE_VENDOR, NULL},
    {"clGetDeviceInfo", CL_DEVICE_PLATFORM, NULL},
    {"clGetDeviceInfo", CL_DEVICE_EXTENSIONS, NULL},
    {"clGetDeviceInfo", CL_DEVICE_VERSION, NULL},
    {"clGetDeviceInfo", CL_DEVICE_OPENCL_C_VERSION, NULL},
    {"clGetDeviceInfo", 0x1063 /* CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES */, NULL},
    {"clGetDeviceInfo", 0x4000 /* CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV */, NULL},
    {"clGetPlatformInfo", CL_PLATFORM_NAME, NULL},
    /* A device that does not answer is not listed; its speed may stay unknown. */
    {"clGetDeviceInfo", ANY, "list"},
    {"clGetDeviceIDs", ANY, "list"},
    {"clGetDeviceInfo", CL_DEVICE_MAX_COMPUTE_UNITS, "create-default"},
    {"clGetDeviceInfo", CL_DEVICE_MAX_CLOCK_FREQUENCY, "create-default"},
    /* An input that cannot be used in place is copied. */
    {"clCreateBuffer", CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, NULL},
    /* A compiler that refuses one launch gets the kernels for two. */
    {"clBuildProgram", ANY, "call-one-launch"},
    /* Without counters there are two launches. */
    {"clCreateBuffer", CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, "call-one-launch"},
    {"calloc", ANY, "call-one-launch"},
    /* All outputs are there when the queue is finished once more. */
    {"clFinish", ANY, "host"},
    {"clFinish", ANY, "host-gaps"},
    {"clFinish", ANY, "host-copied"},
    {"clFinish", ANY, "host-two"},
    {"clFinish", ANY, "stream"},
    {"clFinish", ANY, "stream-copied"},
    /* A kernel that does not let its buffers go is not used again. */
    {"clSetKernelArg", ARGUMENT_FORGOTTEN, NULL},
    /* Memory that goes away is not used any more. */
    {"clEnqueueUnmapMemObject", ANY, NULL},
};

bool may_succeed(const scenario *s, const char *call, uint64_t about) {
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
        if (strcmp(harmless[i].call, call) == 0 && (harmless[i].about == ANY || harmless[i].about == about) &&
            (!harmless[i].scenario || strcmp(harmless[i].scenario, s->name) == 0))
            return true;
    return false;
}

static const struct {
    cl_int code;
    const char *name;
} codes[] = {
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
};

const char *code_name(cl_int code) {
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].code == code)
            return codes[i].name;
    return "a code without a name";
}

/* A device of the list that does not answer is none to select. */
static argmax_cl_status expected_status(const scenario *s, const char *call) {
    const bool chooses = strcmp(s->name, "create-default") == 0;
    if (strcmp(call, "clBuildProgram") == 0)
        return ARGMAX_CL_ERROR_BUILD;
    if (chooses && (strcmp(call, "clGetDeviceIDs") == 0))
        return ARGMAX_CL_ERROR_NO_DEVICE;
    return ARGMAX_CL_ERROR_OPENCL;
}

bool opencl_verdict(const scenario *s, argmax_cl_status status, const fault_order *order, const fault_report *report) {
    const char *const text = argmax_cl_last_error();
    const argmax_cl_status expected = expected_status(s, report->call);
    const bool chooses = strcmp(s->name, "create-default") == 0;
    bool ok = true;
    if (!order->from_there_on && status != expected && !(chooses && status == ARGMAX_CL_ERROR_NO_DEVICE))
        ok = complain("status %d, expected %d\n", (int)status, (int)expected);
    if (argmax_cl_last_opencl_error() != order->code)
        ok = complain("argmax_cl_last_opencl_error() = %d\n", (int)argmax_cl_last_opencl_error());
    if (!strstr(text, order->from_there_on ? "cl" : report->call) || !strstr(text, code_name(order->code)))
        ok = complain("the message does not name the call or its error\n");
    if (strcmp(report->call, "clBuildProgram") == 0 && !order->from_there_on && !strstr(text, LAYER_BUILD_LOG))
        ok = complain("the message does not have the compiler's log\n");
    return ok || complain("message: %s\n", text);
}

/* A file that cannot be opened or read to its end is reported as such. */
bool host_verdict(argmax_cl_status status, const host_fault_report *report) {
    const bool file = strcmp(report->call, "fopen") == 0 || strcmp(report->call, "ferror") == 0;
    const bool right = file ? status == ARGMAX_CL_ERROR_KERNEL_SOURCE || status == ARGMAX_CL_ERROR_INVALID_TUNING
                            : status == ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY;
    bool ok = right || complain("status %d after %s\n", (int)status, report->call);
    if (!strstr(argmax_cl_last_error(), file ? "cannot read" : "no memory"))
        ok = complain("the message does not say what was missing\n");
    if (argmax_cl_last_opencl_error() != CL_SUCCESS)
        ok = complain("argmax_cl_last_opencl_error() = %d\n", (int)argmax_cl_last_opencl_error());
    return ok || complain("message: %s\n", argmax_cl_last_error());
}
