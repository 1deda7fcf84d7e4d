/* Decide once, execute often: the position of the peak in each of many signals of one length. */
#include <argmax_cl/argmax_cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 1 << 20, SIGNALS = 4 };

static void must(int good, const char *what) {
    if (!good) {
        fprintf(stderr, "plan: %s: %s\n", what, argmax_cl_last_error());
        exit(1);
    }
}

/* A signal whose only peak lies somewhere else each time. */
static void measure(float *signal, int number) {
    memset(signal, 0, LENGTH * sizeof *signal);
    signal[1000 * number + 7] = 1;
}

static cl_mem new_buffer(cl_context context, size_t bytes) {
    cl_int code;
    const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    must(code == CL_SUCCESS, "clCreateBuffer");
    return buffer;
}

/* All answers, by way of one input buffer, one workspace and one in-order queue. */
static void find_peaks(argmax_cl_handle handle, cl_context context, cl_command_queue queue, cl_ulong peaks[SIGNALS]) {
    float *signal = malloc(LENGTH * sizeof *signal);
    must(signal != NULL, "malloc");
    argmax_cl_buffers buffers = ARGMAX_CL_BUFFERS_INIT;
    buffers.input = new_buffer(context, LENGTH * sizeof *signal);
    buffers.index = new_buffer(context, sizeof *peaks);

    argmax_cl_tensor input = ARGMAX_CL_TENSOR_INIT, index = ARGMAX_CL_TENSOR_INIT;
    input.dtype = ARGMAX_CL_FLOAT32;
    input.rank = 1;
    input.sizes = (const uint64_t[]){LENGTH};
    index.dtype = ARGMAX_CL_UINT64;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    desc.input = &input;
    desc.index = &index;
    desc.axis_count = 1;
    desc.axes = (const uint32_t[]){0};

    argmax_cl_plan plan;
    size_t bytes;
    must(!argmax_cl_plan_create(&plan, handle, ARGMAX_CL_ARGMAX, &desc), "argmax_cl_plan_create");
    must(!argmax_cl_plan_workspace_size(plan, &bytes), "argmax_cl_plan_workspace_size");
    const cl_mem workspace = bytes ? new_buffer(context, bytes) : NULL;
    must(!argmax_cl_plan_warm_up(plan, queue), "argmax_cl_plan_warm_up"); /* optional: no compiling later */
    for (int i = 0; i < SIGNALS; ++i) {
        measure(signal, i);
        must(!clEnqueueWriteBuffer(queue, buffers.input, CL_TRUE, 0, LENGTH * sizeof *signal, signal, 0, NULL, NULL),
             "clEnqueueWriteBuffer");
        must(!argmax_cl_plan_enqueue(plan, queue, &buffers, workspace, 0, NULL, NULL), "argmax_cl_plan_enqueue");
        must(!clEnqueueReadBuffer(queue, buffers.index, CL_FALSE, 0, sizeof *peaks, &peaks[i], 0, NULL, NULL),
             "clEnqueueReadBuffer");
    }
    must(!clFinish(queue), "clFinish");
    argmax_cl_plan_destroy(plan);

    if (workspace)
        clReleaseMemObject(workspace);
    clReleaseMemObject(buffers.index);
    clReleaseMemObject(buffers.input);
    free(signal);
}

int main(void) {
    cl_ulong peaks[SIGNALS];
    argmax_cl_handle handle;
    cl_context context;
    cl_device_id device;
    cl_int code;
    must(!argmax_cl_create_default(&handle, NULL), "argmax_cl_create_default");
    must(!argmax_cl_get_device(handle, &context, &device), "argmax_cl_get_device");
    const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    must(code == CL_SUCCESS, "clCreateCommandQueue");
    find_peaks(handle, context, queue, peaks);
    for (int i = 0; i < SIGNALS; ++i)
        printf("signal %d: peak at %llu\n", i, (unsigned long long)peaks[i]);
    clReleaseCommandQueue(queue);
    argmax_cl_destroy(handle);
    return 0;
}
