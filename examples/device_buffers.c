/* OpenCL buffers and a queue of your own: where is the smallest element of each column, and what is it?
 *
 * The context, the queue and the buffers belong to the program; argmax_cl adds one command to the queue. */
#include <argmax_cl/argmax_cl.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 3, COLUMNS = 4 };

static void must(int good, const char *what) {
    if (!good) {
        fprintf(stderr, "device_buffers: %s: %s\n", what, argmax_cl_last_error());
        exit(1);
    }
}

static cl_mem new_buffer(cl_context context, cl_mem_flags flags, size_t bytes) {
    cl_int code;
    const cl_mem buffer = clCreateBuffer(context, flags, bytes, NULL, &code);
    must(code == CL_SUCCESS, "clCreateBuffer");
    return buffer;
}

/* argmin along axis 0 after `ready`; the event is released by the caller. */
static cl_event smallest_of_columns(argmax_cl_handle handle, cl_command_queue queue, const argmax_cl_buffers *buffers,
                                    cl_event ready) {
    const uint64_t sizes[] = {ROWS, COLUMNS};
    const uint32_t axes[] = {0};
    argmax_cl_tensor input = ARGMAX_CL_TENSOR_INIT;
    input.dtype = ARGMAX_CL_INT32;
    input.rank = 2;
    input.sizes = sizes;
    argmax_cl_tensor index = ARGMAX_CL_TENSOR_INIT; /* shape (1, 4), packed */
    index.dtype = ARGMAX_CL_UINT32;
    argmax_cl_tensor value = ARGMAX_CL_TENSOR_INIT; /* the same shape; always of the input's dtype */
    value.dtype = ARGMAX_CL_INT32;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    desc.input = &input;
    desc.index = &index;
    desc.value = &value;
    desc.axis_count = 1;
    desc.axes = axes;
    desc.axis_direction = ARGMAX_CL_DECREASING; /* the last of equal ones */

    cl_event done;
    must(argmin_cl(handle, queue, &desc, buffers, 1, &ready, &done) == ARGMAX_CL_SUCCESS, "argmin_cl");
    return done;
}

int main(void) {
    const cl_int numbers[ROWS][COLUMNS] = {{4, 0, -1, 9}, {2, 0, -8, 7}, {6, 5, -3, 7}};
    cl_uint where[COLUMNS];
    cl_int smallest[COLUMNS];
    cl_device_id device;
    uint32_t devices;
    cl_int code;

    /* Any context and device will do; here the first device of the library's list. */
    must(argmax_cl_list_devices(1, &device, &devices) == ARGMAX_CL_SUCCESS && devices > 0, "no OpenCL device");
    const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    must(code == CL_SUCCESS, "clCreateContext");
    const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    must(code == CL_SUCCESS, "clCreateCommandQueue");
    argmax_cl_handle handle;
    must(argmax_cl_create(&handle, context, device) == ARGMAX_CL_SUCCESS, "argmax_cl_create");

    argmax_cl_buffers buffers = ARGMAX_CL_BUFFERS_INIT;
    buffers.input = new_buffer(context, CL_MEM_READ_ONLY, sizeof numbers);
    buffers.index = new_buffer(context, CL_MEM_WRITE_ONLY, sizeof where);
    buffers.value = new_buffer(context, CL_MEM_WRITE_ONLY, sizeof smallest);

    cl_event ready;
    code = clEnqueueWriteBuffer(queue, buffers.input, CL_FALSE, 0, sizeof numbers, numbers, 0, NULL, &ready);
    must(code == CL_SUCCESS, "clEnqueueWriteBuffer");
    const cl_event done = smallest_of_columns(handle, queue, &buffers, ready);
    code = clEnqueueReadBuffer(queue, buffers.index, CL_TRUE, 0, sizeof where, where, 1, &done, NULL);
    must(code == CL_SUCCESS, "clEnqueueReadBuffer");
    code = clEnqueueReadBuffer(queue, buffers.value, CL_TRUE, 0, sizeof smallest, smallest, 1, &done, NULL);
    must(code == CL_SUCCESS, "clEnqueueReadBuffer");
    for (int column = 0; column < COLUMNS; ++column)
        printf("column %d: %d in row %u\n", column, (int)smallest[column], (unsigned)where[column]);

    clReleaseEvent(ready);
    clReleaseEvent(done);
    clReleaseMemObject(buffers.input);
    clReleaseMemObject(buffers.index);
    clReleaseMemObject(buffers.value);
    argmax_cl_destroy(handle);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
