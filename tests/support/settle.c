#include "settle.h"

#include "objects.h"

#include <string.h>

bool must_settle(cl_device_id device) {
    cl_platform_id platform = NULL;
    char name[256] = "";
    return clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) == CL_SUCCESS &&
           clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL) == CL_SUCCESS &&
           strcmp(name, "Portable Computing Language") == 0;
}

/* On an in-order queue in one launch, where the tuning row says so; on an out-of-order one always in two. */
static bool run_to_the_end(argmax_cl_plan plan, cl_context context, cl_device_id device, bool out_of_order,
                           const argmax_cl_buffers *buffers, cl_mem workspace) {
    const cl_command_queue queue = open_queue(context, device, out_of_order);
    const bool good = queue && !argmax_cl_plan_enqueue(plan, queue, buffers, workspace, 0, NULL, NULL) &&
                      clFinish(queue) == CL_SUCCESS;
    if (queue)
        clReleaseCommandQueue(queue);
    return good;
}

bool settle(argmax_cl_handle own, argmax_cl_operator op, const argmax_cl_desc *desc, cl_mem input,
            size_t output_bytes) {
    argmax_cl_buffers b = ARGMAX_CL_BUFFERS_INIT;
    argmax_cl_plan plan = NULL;
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_mem workspace = NULL;
    size_t bytes = 0;
    bool good = !argmax_cl_get_device(own, &context, &device);
    if (!good || !must_settle(device))
        return good;
    good = !argmax_cl_plan_create(&plan, own, op, desc) && !argmax_cl_plan_workspace_size(plan, &bytes);
    b.input = input;
    b.index = clCreateBuffer(context, CL_MEM_READ_WRITE, output_bytes, NULL, NULL);
    if (bytes)
        workspace = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
    for (int out_of_order = 0; out_of_order < 2; ++out_of_order)
        good = good && run_to_the_end(plan, context, device, out_of_order, &b, workspace);
    argmax_cl_plan_destroy(plan);
    if (b.index)
        clReleaseMemObject(b.index);
    if (workspace)
        clReleaseMemObject(workspace);
    return good;
}
