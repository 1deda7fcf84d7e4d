#include "device.h"

#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char EMPTY_SOURCE[] = "__kernel void nothing(__global uint *never) { (void)never; }\n";

bool complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return false;
}

bool succeeded(cl_int code, const char *call) {
    return code == CL_SUCCESS || complain("%s failed with %d", call, (int)code);
}

cl_kernel device_kernel(const bench_device *device, const char *source, const char *options, const char *name) {
    cl_int code;
    cl_kernel kernel = NULL;
    cl_program program = clCreateProgramWithSource(device->context, 1, &source, NULL, &code);
    if (!succeeded(code, "clCreateProgramWithSource"))
        return NULL;
    code = clBuildProgram(program, 1, &device->id, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        complain("clBuildProgram of %s failed with %d: %s", name, (int)code, log);
    } else {
        kernel = clCreateKernel(program, name, &code);
        succeeded(code, "clCreateKernel");
    }
    clReleaseProgram(program);
    return kernel;
}

cl_mem device_buffer(const bench_device *device, void *host, size_t bytes) {
    cl_int code;
    const cl_mem_flags flags = device->is_cpu ? CL_MEM_USE_HOST_PTR : 0;
    cl_mem buffer =
        clCreateBuffer(device->context, CL_MEM_READ_WRITE | flags, bytes, device->is_cpu ? host : NULL, &code);
    if (!succeeded(code, "clCreateBuffer"))
        return NULL;
    if (!device->is_cpu && host != NULL) {
        code = clEnqueueWriteBuffer(device->plain, buffer, CL_TRUE, 0, bytes, host, 0, NULL, NULL);
        if (!succeeded(code, "clEnqueueWriteBuffer")) {
            clReleaseMemObject(buffer);
            return NULL;
        }
    }
    return buffer;
}

static void query_facts(bench_device *device) {
    cl_device_type type = 0;
    cl_platform_id platform = NULL;
    cl_ulong bytes = 0;
    clGetDeviceInfo(device->id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clGetDeviceInfo(device->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof device->compute_units, &device->compute_units,
                    NULL);
    clGetDeviceInfo(device->id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof bytes, &bytes, NULL);
    device->cache = bytes;
    clGetDeviceInfo(device->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof bytes, &bytes, NULL);
    device->max_buffer = bytes;
    clGetDeviceInfo(device->id, CL_DEVICE_NAME, sizeof device->name, device->name, NULL);
    clGetDeviceInfo(device->id, CL_DRIVER_VERSION, sizeof device->driver, device->driver, NULL);
    clGetDeviceInfo(device->id, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), &platform, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof device->platform, device->platform, NULL);
    device->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    if (device->is_cpu)
        processor_name(device->processor);
}

bool device_open(bench_device *device, const char *selector) {
    cl_int code;
    memset(device, 0, sizeof *device);
    if (argmax_cl_create_default(&device->handle, selector) != ARGMAX_CL_SUCCESS ||
        argmax_cl_get_device(device->handle, &device->context, &device->id) != ARGMAX_CL_SUCCESS)
        return complain("%s", argmax_cl_last_error());
    query_facts(device);
    device->timed = clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (!succeeded(code, "clCreateCommandQueue"))
        return false;
    device->plain = clCreateCommandQueue(device->context, device->id, 0, &code);
    if (!succeeded(code, "clCreateCommandQueue"))
        return false;
    device->empty = device_kernel(device, EMPTY_SOURCE, "", "nothing");
    if (device->empty == NULL)
        return false;
    return succeeded(clSetKernelArg(device->empty, 0, sizeof(cl_mem), NULL), "clSetKernelArg");
}

void device_close(bench_device *device) {
    if (device->empty != NULL)
        clReleaseKernel(device->empty);
    if (device->plain != NULL)
        clReleaseCommandQueue(device->plain);
    if (device->timed != NULL)
        clReleaseCommandQueue(device->timed);
    argmax_cl_destroy(device->handle);
}
