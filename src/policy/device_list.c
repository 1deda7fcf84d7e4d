/* Which devices there are, fastest first, and which one a selector names. */
#include "internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct device_entry {
    cl_device_id device;
    cl_platform_id platform;
    uint32_t found; /* position in the platforms' order, which decides between equals */
    uint32_t type_order;
    uint64_t speed;
} device_entry;

typedef struct device_list {
    device_entry *entries;
    uint32_t count, platforms;
    const char *failed_call; /* the first that hid a platform, a device or a name; NULL: none */
    cl_int failed_code;
} device_list;

static bool answered(device_list *list, const char *call, cl_int code) {
    if (code != CL_SUCCESS && !list->failed_call) {
        list->failed_call = call;
        list->failed_code = code;
    }
    return code == CL_SUCCESS;
}

static bool ask(device_list *list, cl_device_id device, cl_device_info what, size_t bytes, void *where) {
    return answered(list, "clGetDeviceInfo", clGetDeviceInfo(device, what, bytes, where, NULL));
}

/* As fail(NO_DEVICE), with the failure that may be the reason. */
static argmax_cl_status fail_no_device(const device_list *list, const char *text) {
    if (!list->failed_call)
        return fail(ARGMAX_CL_ERROR_NO_DEVICE, "%s", text);
    return fail_with(ARGMAX_CL_ERROR_NO_DEVICE, list->failed_code, "%s; %s failed with %d (%s)", text,
                     list->failed_call, (int)list->failed_code, opencl_error_name(list->failed_code));
}

static int faster_first(const void *left, const void *right) {
    const device_entry *const a = left, *const b = right;
    if (a->type_order != b->type_order)
        return a->type_order < b->type_order ? -1 : 1;
    if (a->speed != b->speed)
        return a->speed > b->speed ? -1 : 1;
    return a->found < b->found ? -1 : 1;
}

/* A device that is not available, cannot compile, is older than OpenCL 1.2 or does not answer is none for us. */
static bool describe_device(device_list *list, cl_device_id device, device_entry *entry) {
    cl_bool available = CL_FALSE, compiler = CL_FALSE;
    cl_device_type type = 0;
    cl_uint units = 0, clock = 0;
    if (!ask(list, device, CL_DEVICE_AVAILABLE, sizeof available, &available) ||
        !ask(list, device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler) ||
        !ask(list, device, CL_DEVICE_TYPE, sizeof type, &type) || !available || !compiler || device_is_too_old(device))
        return false;
    /* Some drivers do not know their clock: units alone then decide. */
    if (clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL) != CL_SUCCESS)
        units = 0;
    if (clGetDeviceInfo(device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof clock, &clock, NULL) != CL_SUCCESS)
        clock = 0;
    entry->device = device;
    entry->type_order = (type & CL_DEVICE_TYPE_GPU) ? 0 : (type & CL_DEVICE_TYPE_ACCELERATOR) ? 1 : 2;
    entry->speed = (uint64_t)units * (clock ? clock : 1);
    return true;
}

/* Append a platform's devices. A platform that fails must not hide the others: it counts as one without devices. */
static argmax_cl_status add_platform(cl_platform_id platform, device_list *list) {
    cl_uint count = 0;
    const cl_int counted = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    if (counted == CL_DEVICE_NOT_FOUND || !answered(list, "clGetDeviceIDs", counted) || count == 0)
        return ARGMAX_CL_SUCCESS;
    cl_device_id *const devices = calloc(count, sizeof *devices);
    device_entry *const grown = realloc(list->entries, (list->count + (size_t)count) * sizeof *grown);
    if (grown)
        list->entries = grown;
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    if (!devices || !grown)
        status = fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for a list of %u devices", (unsigned)count);
    else if (answered(list, "clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices, NULL)))
        for (cl_uint i = 0; i < count; i++) {
            device_entry *const entry = &list->entries[list->count];
            if (!describe_device(list, devices[i], entry))
                continue;
            entry->platform = platform;
            entry->found = list->count++;
        }
    free(devices);
    return status;
}

/* The caller frees list->entries, also on failure. */
static argmax_cl_status collect_devices(device_list *list) {
    memset(list, 0, sizeof *list);
    argmax_cl_status status = device_enter();
    cl_uint count = 0;
    if (status)
        return status;
    /* Without any platform the ICD loader gives an error of its own; that is an empty list, too. */
    const cl_int platform_not_found = -1001; /* of cl_khr_icd; its header is not everywhere */
    cl_int code = clGetPlatformIDs(0, NULL, &count);
    if (code == platform_not_found || (code == CL_SUCCESS && count == 0))
        return ARGMAX_CL_SUCCESS;
    if (code != CL_SUCCESS)
        return fail_opencl("clGetPlatformIDs", code);
    cl_platform_id *const platforms = calloc(count, sizeof *platforms);
    if (!platforms)
        return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for a list of %u platforms", (unsigned)count);
    code = clGetPlatformIDs(count, platforms, NULL);
    if (code != CL_SUCCESS)
        status = fail_opencl("clGetPlatformIDs", code);
    for (cl_uint i = 0; i < count && !status; i++)
        status = add_platform(platforms[i], list);
    free(platforms);
    list->platforms = count;
    if (!status && list->count)
        qsort(list->entries, list->count, sizeof *list->entries, faster_first);
    return status;
}

argmax_cl_status argmax_cl_list_devices(uint32_t capacity, cl_device_id *devices, uint32_t *count) {
    if (!count)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "count = NULL: expected where to put the number of devices");
    if (capacity && !devices)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "devices = NULL: expected room for %" PRIu32 " devices",
                    capacity);
    device_list list;
    const argmax_cl_status status = collect_devices(&list);
    if (!status) {
        for (uint32_t i = 0; i < list.count && i < capacity; i++)
            devices[i] = list.entries[i].device;
        *count = list.count;
    }
    free(list.entries);
    return status;
}

/* ---- Selection -------------------------------------------------------------------------------------------------- */

static void entry_names(device_list *list, uint32_t i, char device[DEVICE_NAME_BYTES],
                        char platform[DEVICE_NAME_BYTES]) {
    const device_entry *const entry = &list->entries[i];
    answered(list, "clGetDeviceInfo", device_name(entry->device, device));
    if (!answered(list, "clGetPlatformInfo",
                  clGetPlatformInfo(entry->platform, CL_PLATFORM_NAME, DEVICE_NAME_BYTES, platform, NULL)))
        snprintf(platform, DEVICE_NAME_BYTES, "unnamed platform");
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool contains_any_case(const char *text, const char *part) {
    for (; *text; text++) {
        size_t i = 0;
        while (part[i] && lower(text[i]) == lower(part[i]))
            i++;
        if (!part[i])
            return true;
    }
    return false;
}

/* The position of the selected entry, list->count when there is none. */
static uint32_t find_selected(const char *selector, device_list *list) {
    if (!selector || !selector[0])
        return 0;
    if (strspn(selector, "0123456789") == strlen(selector)) {
        const unsigned long long index = strtoull(selector, NULL, 10);
        return index < list->count ? (uint32_t)index : list->count;
    }
    uint32_t at = 0;
    for (; at < list->count; at++) {
        char device[DEVICE_NAME_BYTES], platform[DEVICE_NAME_BYTES];
        entry_names(list, at, device, platform);
        if (contains_any_case(device, selector) || contains_any_case(platform, selector))
            break;
    }
    return at;
}

static argmax_cl_status fail_selector(const char *selector, device_list *list) {
    char text[2048] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < list->count && used < sizeof text; i++) {
        char device[DEVICE_NAME_BYTES], platform[DEVICE_NAME_BYTES];
        entry_names(list, i, device, platform);
        const int written =
            snprintf(text + used, sizeof text - used, "%s%" PRIu32 " = %s (%s)", i ? ", " : "", i, device, platform);
        used += written > 0 ? (size_t)written : 0;
    }
    char sentence[sizeof text + 512];
    snprintf(sentence, sizeof sentence, "selector \"%.256s\": expected an index or a part of a name among %s", selector,
             text);
    return fail_no_device(list, sentence);
}

argmax_cl_status device_select(const char *selector, cl_device_id *device) {
    device_list list;
    argmax_cl_status status = collect_devices(&list);
    if (!status && list.count == 0) {
        char sentence[64];
        snprintf(sentence, sizeof sentence, "no OpenCL device found (%" PRIu32 " platforms)", list.platforms);
        status = fail_no_device(&list, sentence);
    }
    if (!status) {
        const uint32_t at = find_selected(selector, &list);
        if (at < list.count)
            *device = list.entries[at].device;
        else
            status = fail_selector(selector, &list);
    }
    free(list.entries);
    return status;
}
