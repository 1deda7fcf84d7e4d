/* The handle: a context, a device, and what is kept for them. */
#include "api/handle.h"

#include <stdlib.h>

static argmax_cl_status init_locks(argmax_cl_handle handle) {
    pthread_mutex_t *const locks[] = {&handle->build_lock, &handle->cache_lock, &handle->lend_lock};
    for (size_t i = 0; i < sizeof locks / sizeof locks[0]; ++i)
        if (pthread_mutex_init(locks[i], NULL) != 0) {
            while (i-- > 0)
                pthread_mutex_destroy(locks[i]);
            return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for the handle's locks");
        }
    return ARGMAX_CL_SUCCESS;
}

/* Some implementations list the parent of the sub-devices that a context was made of. */
static bool is_or_comes_from(cl_device_id device, cl_device_id listed) {
    while (device && device != listed) {
        cl_device_id parent = NULL;
        if (clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL) != CL_SUCCESS)
            return false;
        device = parent;
    }
    return device == listed;
}

static argmax_cl_status device_in_context(cl_context context, cl_device_id device) {
    size_t bytes = 0;
    bool found = false;
    cl_int code = clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &bytes);
    if (code != CL_SUCCESS)
        return fail_opencl("clGetContextInfo", code);
    cl_device_id *const devices = calloc(1, bytes + sizeof *devices);
    if (!devices)
        return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for a list of %zu bytes of devices", bytes);
    code = clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, devices, NULL);
    for (size_t i = 0; code == CL_SUCCESS && !found && i < bytes / sizeof devices[0]; ++i)
        found = is_or_comes_from(device, devices[i]);
    free(devices);
    if (code != CL_SUCCESS)
        return fail_opencl("clGetContextInfo", code);
    return found ? ARGMAX_CL_SUCCESS
                 : fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "device = %p: expected a device of the context",
                        (void *)device);
}

static void destroy_locks(argmax_cl_handle handle) {
    pthread_mutex_destroy(&handle->build_lock);
    pthread_mutex_destroy(&handle->cache_lock);
    pthread_mutex_destroy(&handle->lend_lock);
}

/* Both or none: what could not be retained must not be released. */
static argmax_cl_status retain(cl_context context, cl_device_id device) {
    cl_int code = clRetainContext(context);
    if (code != CL_SUCCESS)
        return fail_opencl("clRetainContext", code);
    code = clRetainDevice(device);
    if (code == CL_SUCCESS)
        return ARGMAX_CL_SUCCESS;
    clReleaseContext(context);
    return fail_opencl("clRetainDevice", code);
}

static argmax_cl_status create(argmax_cl_handle *out, cl_context context, cl_device_id device) {
    argmax_cl_handle handle = calloc(1, sizeof *handle);
    if (!handle)
        return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for a handle");
    argmax_cl_status status = device_query(device, &handle->facts);
    if (!status)
        status = init_locks(handle);
    if (!status) {
        status = retain(context, device);
        if (status)
            destroy_locks(handle);
    }
    if (status) {
        free(handle);
        return status;
    }
    atomic_init(&handle->references, 1);
    handle->context = context;
    handle->device = device;
    *out = handle;
    return ARGMAX_CL_SUCCESS;
}

argmax_cl_status argmax_cl_create(argmax_cl_handle *handle, cl_context context, cl_device_id device) {
    if (!handle)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "handle = NULL: expected where to put the handle");
    *handle = NULL;
    if (!context || !device)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "%s = NULL: expected %s", context ? "device" : "context",
                    context ? "a device of the context" : "an OpenCL context");
    argmax_cl_status status = device_enter();
    if (!status)
        status = device_in_context(context, device);
    if (!status)
        status = create(handle, context, device);
    return status;
}

argmax_cl_status argmax_cl_create_default(argmax_cl_handle *handle, const char *selector) {
    cl_device_id device = NULL;
    cl_int code;
    if (!handle)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "handle = NULL: expected where to put the handle");
    *handle = NULL;
    argmax_cl_status status = device_enter();
    if (!status)
        status = device_select(selector, &device);
    if (status)
        return status;
    const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        return fail_opencl("clCreateContext", code);
    status = create(handle, context, device);
    clReleaseContext(context);
    return status;
}

argmax_cl_status argmax_cl_get_device(argmax_cl_handle handle, cl_context *context, cl_device_id *device) {
    if (!handle)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "handle = NULL: expected a handle of argmax_cl_create");
    if (context)
        *context = handle->context;
    if (device)
        *device = handle->device;
    return ARGMAX_CL_SUCCESS;
}

void handle_retain(argmax_cl_handle handle) {
    atomic_fetch_add(&handle->references, 1);
}

void handle_release(argmax_cl_handle handle) {
    if (atomic_fetch_sub(&handle->references, 1) != 1)
        return;
    workspaces_release(handle);
    counters_release(handle);
    programs_release(handle);
    destroy_locks(handle);
    clReleaseDevice(handle->device);
    clReleaseContext(handle->context);
    free(handle);
}

/* Cached plans hold the handle too: they go first, or it would never die. */
void argmax_cl_destroy(argmax_cl_handle handle) {
    if (!handle)
        return;
    cached_plans_release(handle);
    handle_release(handle);
}
