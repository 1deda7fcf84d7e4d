#include "device.h"

#include <inttypes.h>
#include <stdlib.h>

static void device_text(cl_device_id device, cl_device_info what, char text[256]) {
    text[0] = 0;
    if (clGetDeviceInfo(device, what, 256, text, NULL) != CL_SUCCESS)
        append(text, 256, "unknown");
}

static void platform_text(cl_device_id device, char text[256]) {
    cl_platform_id platform = NULL;
    text[0] = 0;
    if (clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) != CL_SUCCESS ||
        clGetPlatformInfo(platform, CL_PLATFORM_NAME, 256, text, NULL) != CL_SUCCESS)
        append(text, 256, "unknown");
}

static bool no_device(message *m) {
    return complain(m, "OpenCL: no device, expected at least one: install a driver, for a CPU with "
                       "\"apt-get install pocl-opencl-icd\"");
}

bool open_device(const char *selector, argmax_cl_handle *handle, message *m) {
    uint32_t count = 0;
    if (argmax_cl_create_default(handle, selector) == ARGMAX_CL_SUCCESS)
        return true;
    (void)complain(m, "%s%s: %s", selector ? "--device " : "OpenCL", selector ? selector : "", argmax_cl_last_error());
    if (argmax_cl_list_devices(0, NULL, &count) == ARGMAX_CL_SUCCESS && count == 0)
        return no_device(m);
    if (selector)
        append(m->text, sizeof m->text, "; see argmax-cl --list-devices");
    return false;
}

bool list_devices(FILE *stream, message *m) {
    uint32_t count = 0;
    if (argmax_cl_list_devices(0, NULL, &count) != ARGMAX_CL_SUCCESS)
        return complain(m, "OpenCL: %s", argmax_cl_last_error());
    if (count == 0)
        return no_device(m);
    cl_device_id *devices = calloc(count, sizeof(cl_device_id));
    if (!devices)
        return complain(m, "OpenCL: no memory for %" PRIu32 " devices", count);
    const bool good = argmax_cl_list_devices(count, devices, &count) == ARGMAX_CL_SUCCESS ||
                      complain(m, "OpenCL: %s", argmax_cl_last_error());
    for (uint32_t i = 0; good && i < count; ++i) {
        char name[256], platform[256], driver[256];
        device_text(devices[i], CL_DEVICE_NAME, name);
        device_text(devices[i], CL_DRIVER_VERSION, driver);
        platform_text(devices[i], platform);
        (void)fprintf(stream, "%" PRIu32 "  %s, platform %s, driver %s\n", i, name, platform, driver);
    }
    free(devices);
    return good;
}

void title_device(argmax_cl_handle handle, char *text, size_t capacity) {
    cl_device_id device = NULL;
    char name[256] = "unknown", platform[256] = "unknown";
    if (argmax_cl_get_device(handle, NULL, &device) == ARGMAX_CL_SUCCESS) {
        device_text(device, CL_DEVICE_NAME, name);
        platform_text(device, platform);
    }
    text[0] = 0;
    append(text, capacity, "%s (%s)", name, platform);
}
