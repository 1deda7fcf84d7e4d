#include "own_kernels.h"

#include <time.h>

cl_program own_program(const runner *r, const char *source, const char *options) {
    static char log[8192];
    cl_int code;
    const cl_program program = clCreateProgramWithSource(r->context, 1, &source, NULL, &code);
    REQUIRE(code == CL_SUCCESS);
    const cl_int built = clBuildProgram(program, 1, &r->device, options, NULL, NULL);
    if (built != CL_SUCCESS) {
        clGetProgramBuildInfo(program, r->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    REQUIRE(built == CL_SUCCESS);
    return program;
}

cl_kernel own_kernel(cl_program program, const char *name) {
    cl_int code;
    const cl_kernel kernel = clCreateKernel(program, name, &code);
    REQUIRE(code == CL_SUCCESS);
    return kernel;
}

void own_arguments(cl_kernel kernel, cl_uint first, size_t count, const own_argument *arguments) {
    for (size_t i = 0; i < count; i++)
        REQUIRE(clSetKernelArg(kernel, first + (cl_uint)i, arguments[i].size, arguments[i].value) == CL_SUCCESS);
}

void own_run(const runner *r, cl_kernel kernel, size_t items) {
    const cl_int code = clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    REQUIRE(code == CL_SUCCESS);
}

cl_mem own_buffer(const runner *r, cl_mem_flags flags, size_t bytes, const void *content) {
    cl_int code = CL_SUCCESS;
    if (bytes == 0)
        return NULL;
    const cl_mem buffer = clCreateBuffer(r->context, flags, bytes, NULL, &code);
    REQUIRE(code == CL_SUCCESS);
    if (content)
        REQUIRE(clEnqueueWriteBuffer(r->queue, buffer, CL_TRUE, 0, bytes, content, 0, NULL, NULL) == CL_SUCCESS);
    return buffer;
}

void own_release(cl_mem buffer) {
    if (buffer)
        clReleaseMemObject(buffer);
}

double own_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
