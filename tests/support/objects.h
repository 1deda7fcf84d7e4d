/* OpenCL objects that an implementation may not have, and what tests take instead. */
#ifndef ARGMAX_CL_TESTS_OBJECTS_H
#define ARGMAX_CL_TESTS_OBJECTS_H

#include <argmax_cl/argmax_cl.h>
#include <stdbool.h>

/* A queue, in order where no other kind is to be had; NULL when the device has none at all. */
static inline cl_command_queue open_queue(cl_context context, cl_device_id device, bool out_of_order) {
    const cl_command_queue_properties properties = out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
    cl_int code;
    const cl_command_queue queue = clCreateCommandQueue(context, device, properties, &code);
    if (code == CL_SUCCESS)
        return queue;
    return out_of_order ? open_queue(context, device, false) : NULL;
}

/* The device in parts of one compute unit, at most `most`: how many there are, 0 where it cannot be divided. Asked
 * first, since Mesa 22.3 has no function behind clCreateSubDevices. */
static inline cl_uint divide_device(cl_device_id device, cl_device_id *parts, cl_uint most) {
    const cl_device_partition_property singles[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint count = 0;
    if (clGetDeviceInfo(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof count, &count, NULL) != CL_SUCCESS ||
        count < 2 || clCreateSubDevices(device, singles, most, parts, &count) != CL_SUCCESS)
        return 0;
    return count;
}

#endif
