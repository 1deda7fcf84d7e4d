/* The extreme of a simulation's field, which stays on the device: the program's own context, queue, kernels and events.
 *
 * It prints
 *     step 0: largest at row 40, column 8
 *     step 1: largest at row 36, column 16
 *     step 2: largest at row 32, column 24
 */
#include <argmax_cl/argmax_cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 64 };
static const char *source =
    "kernel void advance(global float *field, int step) {\n"
    "    const int x = get_global_id(0), y = get_global_id(1), dx = x - 8 - 8 * step, dy = y - 40 + 4 * step;\n"
    "    field[y * get_global_size(0) + x] = 1.0f / (1 + dx * dx + dy * dy);\n"
    "}\n";

static void must(int good, const char *what) {
    if (!good) {
        fprintf(stderr, "simulation: %s: %s\n", what, argmax_cl_last_error());
        exit(1);
    }
}

int main(void) {
    cl_device_id device;
    uint32_t devices;
    must(!argmax_cl_list_devices(1, &device, &devices) && devices, "no OpenCL device");
    const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    const cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    const cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    must(!clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    const cl_kernel advance = clCreateKernel(program, "advance", NULL);
    argmax_cl_buffers buffers = ARGMAX_CL_BUFFERS_INIT;
    buffers.input = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(float) * SIDE * SIDE, NULL, NULL);
    buffers.index = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(uint32_t), NULL, NULL);
    must(!clSetKernelArg(advance, 0, sizeof(cl_mem), &buffers.input), "clSetKernelArg");

    const uint64_t sizes[] = {SIDE, SIDE};
    const uint32_t axes[] = {0, 1};
    argmax_cl_tensor input = ARGMAX_CL_TENSOR_INIT, index = ARGMAX_CL_TENSOR_INIT;
    input.dtype = ARGMAX_CL_FLOAT32;
    input.rank = 2;
    input.sizes = sizes;
    index.dtype = ARGMAX_CL_UINT32;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    desc.input = &input;
    desc.index = &index;
    desc.axis_count = 2;
    desc.axes = axes;
    argmax_cl_handle handle;
    must(!argmax_cl_create(&handle, context, device), "argmax_cl_create");
    for (cl_int step = 0; step < 3; ++step) {
        const size_t items[] = {SIDE, SIDE};
        cl_event stepped, found;
        cl_uint where;
        must(!clSetKernelArg(advance, 1, sizeof step, &step), "clSetKernelArg");
        must(!clEnqueueNDRangeKernel(queue, advance, 2, NULL, items, NULL, 0, NULL, &stepped), "advance");
        must(!argmax_cl(handle, queue, &desc, &buffers, 1, &stepped, &found), "argmax_cl");
        must(!clEnqueueReadBuffer(queue, buffers.index, CL_TRUE, 0, sizeof where, &where, 1, &found, NULL), "read");
        printf("step %d: largest at row %u, column %u\n", (int)step, where / SIDE, where % SIDE);
        clReleaseEvent(stepped);
        clReleaseEvent(found);
    }
    argmax_cl_destroy(handle); /* the operating system takes the rest */
    return 0;
}
