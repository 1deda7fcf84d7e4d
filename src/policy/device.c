/* Devices: what the stages need to know of one, which there are, which one a selector names, and the guard against
 * use in a forked child. */
#include "internal.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <pthread.h>
#include <unistd.h>
#endif

/* Of a dimension count that is at least 3 and 3 everywhere so far. */
#define MAX_DIMENSIONS 16

#define NAME_BYTES sizeof(((device_facts *)0)->name)

#ifndef _WIN32
/* The one state outside handles: a fork copies handles too. Nothing asks the system at each call, which would take 0.2
 * to 0.3 us. */
static pthread_once_t first_use = PTHREAD_ONCE_INIT;
static long first_pid;
static int watched; /* what pthread_atfork said */
static atomic_bool forked;

static void note_fork(void) {
    atomic_store_explicit(&forked, true, memory_order_relaxed);
}

static void watch_forks(void) {
    first_pid = (long)getpid();
    watched = pthread_atfork(NULL, NULL, note_fork);
}
#endif

argmax_cl_status device_enter(void) {
#ifndef _WIN32
    pthread_once(&first_use, watch_forks);
    if (watched != 0)
        return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory to tell forks of this process");
    if (atomic_load_explicit(&forked, memory_order_relaxed))
        return fail(ARGMAX_CL_ERROR_FORKED,
                    "process %ld is a fork of process %ld, which had used OpenCL: its calls would hang; expected the "
                    "first use after the fork, or a new program",
                    (long)getpid(), first_pid);
#endif
    return ARGMAX_CL_SUCCESS;
}

/* A name that does not fit or is not given is no reason to refuse the device. */
static cl_int device_text(cl_device_id device, cl_device_info what, char name[NAME_BYTES]) {
    char text[1024] = "";
    const cl_int code = clGetDeviceInfo(device, what, sizeof text, text, NULL);
    if (code != CL_SUCCESS)
        snprintf(text, sizeof text, "unnamed");
    text[sizeof text - 1] = '\0';
    snprintf(name, NAME_BYTES, "%.*s", (int)NAME_BYTES - 1, text);
    return code;
}

static cl_int device_name(cl_device_id device, char name[NAME_BYTES]) {
    return device_text(device, CL_DEVICE_NAME, name);
}

static bool has_extension(cl_device_id device, const char *name) {
    char extensions[8192] = "";
    return clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL) == CL_SUCCESS &&
           strstr(extensions, name);
}

/* NVIDIA's extension cl_nv_device_attribute_query tells the compute capability; other devices refuse the question. */
static bool takes_ptx(cl_device_id device) {
    const cl_device_info compute_capability_major_nv = 0x4000;
    cl_uint major = 0;
    return has_extension(device, "cl_nv_device_attribute_query") &&
           clGetDeviceInfo(device, compute_capability_major_nv, sizeof major, &major, NULL) == CL_SUCCESS && major >= 9;
}

/* Intel's Ponte Vecchio has sub-groups of 16 and of 32. Its compiler takes 32, and then has registers for half of what
 * is in flight. Where 8 are possible it takes them by itself. */
static uint32_t find_sub_group(cl_device_id device, cl_device_type type) {
    const cl_device_info sub_group_sizes_intel = 0x4108;
    const uint32_t wanted = 16;
    size_t sizes[8] = {0}, bytes = 0, least = SIZE_MAX;
    if (!(type & CL_DEVICE_TYPE_GPU) || !has_extension(device, "cl_intel_required_subgroup_size") ||
        clGetDeviceInfo(device, sub_group_sizes_intel, sizeof sizes, sizes, &bytes) != CL_SUCCESS)
        return 0;
    for (size_t i = 0; i < bytes / sizeof sizes[0]; ++i)
        least = sizes[i] < least ? sizes[i] : least;
    return least == wanted ? wanted : 0;
}

/* PoCL and Intel's CPU runtime hand Clang's code to LLVM as it is. Others, such as those that go through SPIR-V, have
 * no vectors of more than 16 elements and no prefetches. */
static bool is_clang_cpu(const char *platform, cl_device_type type) {
    return (type & CL_DEVICE_TYPE_CPU) &&
           (strcmp(platform, "Portable Computing Language") == 0 || strcmp(platform, "Intel(R) OpenCL") == 0);
}

/* Intel's runtime for GPUs drops a released queue without waiting for its commands; Mesa's rusticl counts a kernel's
 * argument as a reference to the buffer; NVIDIA's copies host memory, where others pin it (docs/portability.md). */
static void find_habits(cl_device_id device, device_facts *facts) {
    cl_platform_id platform = NULL;
    char name[256] = "";
    if (clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) != CL_SUCCESS ||
        clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL) != CL_SUCCESS)
        name[0] = '\0';
    name[sizeof name - 1] = '\0';
    facts->clang_cpu = is_clang_cpu(name, facts->type);
    facts->queue_addresses_return =
        (facts->type & CL_DEVICE_TYPE_GPU) && strncmp(name, "Intel(R) OpenCL", strlen("Intel(R) OpenCL")) == 0;
    facts->kernels_keep_arguments = strcmp(name, "rusticl") == 0;
    facts->copies_host_memory = strcmp(name, "NVIDIA CUDA") == 0;
}

/* What the library needs came with OpenCL 1.2. A device that does not tell its version is taken as it is. */
static bool is_too_old(cl_device_id device) {
    char version[256] = "";
    return clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL) == CL_SUCCESS &&
           (strncmp(version, "OpenCL 1.0", 10) == 0 || strncmp(version, "OpenCL 1.1", 10) == 0);
}

/* Atomics with release and acquire between the work-groups of a launch: in every OpenCL 2.x, in 3.0 where the device
 * says so. */
static ordering find_ordering(cl_device_id device) {
    const cl_device_info atomic_memory_capabilities = 0x1063; /* names of OpenCL 3.0 */
    const cl_bitfield needed = 1 << 1 /* order acq_rel */ | 1 << 5 /* scope device */;
    cl_bitfield capabilities = 0;
    char version[256] = "", compiler[256] = "";
    if (clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL) != CL_SUCCESS ||
        clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_VERSION, sizeof compiler, compiler, NULL) != CL_SUCCESS)
        return ORDERING_NONE;
    if (strncmp(version, "OpenCL 2.", 9) == 0 && strncmp(compiler, "OpenCL C 2.", 11) == 0)
        return ORDERING_CL20;
    if (strncmp(version, "OpenCL 3.", 9) == 0 &&
        clGetDeviceInfo(device, atomic_memory_capabilities, sizeof capabilities, &capabilities, NULL) == CL_SUCCESS &&
        (capabilities & needed) == needed)
        return ORDERING_CL30;
    return ORDERING_NONE;
}

/* Mesa's llvmpipe (gallivm) counts the iterations of all loops of a work-item together, and ends every loop when they
 * are this many. Nothing tells: what they would have done is missing. */
static uint32_t find_loop_limit(const char *name) {
    return strncmp(name, "llvmpipe", strlen("llvmpipe")) == 0 ? 65535 : 0;
}

/* Kernels keep one candidate and one partial answer for each work-item in local memory, and a little more. */
#define LOCAL_BYTES_PER_ITEM 40

argmax_cl_status device_query(cl_device_id device, device_facts *facts) {
    size_t group = 0, items[MAX_DIMENSIONS] = {0};
    cl_bool unified = CL_FALSE, little = CL_TRUE;
    memset(facts, 0, sizeof *facts);
#define QUERY(what, where, bytes) {what, "clGetDeviceInfo (" #what ")", bytes, where}
    const struct {
        cl_device_info what;
        const char *call;
        size_t bytes;
        void *where;
    } queries[] = {
        QUERY(CL_DEVICE_TYPE, &facts->type, sizeof facts->type),
        QUERY(CL_DEVICE_MAX_COMPUTE_UNITS, &facts->compute_units, sizeof facts->compute_units),
        QUERY(CL_DEVICE_ADDRESS_BITS, &facts->address_bits, sizeof facts->address_bits),
        QUERY(CL_DEVICE_MAX_WORK_GROUP_SIZE, &group, sizeof group),
        QUERY(CL_DEVICE_MAX_WORK_ITEM_SIZES, items, sizeof items),
        QUERY(CL_DEVICE_MAX_MEM_ALLOC_SIZE, &facts->max_buffer, sizeof facts->max_buffer),
        QUERY(CL_DEVICE_GLOBAL_MEM_SIZE, &facts->memory, sizeof facts->memory),
        QUERY(CL_DEVICE_LOCAL_MEM_SIZE, &facts->local_bytes, sizeof facts->local_bytes),
        QUERY(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, &facts->cache_bytes, sizeof facts->cache_bytes),
        QUERY(CL_DEVICE_ENDIAN_LITTLE, &little, sizeof little),
        QUERY(CL_DEVICE_HOST_UNIFIED_MEMORY, &unified, sizeof unified),
    };
#undef QUERY
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        const cl_int code = clGetDeviceInfo(device, queries[i].what, queries[i].bytes, queries[i].where, NULL);
        if (code != CL_SUCCESS)
            return fail_opencl(queries[i].call, code);
    }
    facts->max_group = group < items[0] ? group : items[0];
    if (facts->max_group > facts->local_bytes / LOCAL_BYTES_PER_ITEM)
        facts->max_group = (size_t)(facts->local_bytes / LOCAL_BYTES_PER_ITEM);
    /* Geometry divides by these; a device that tells 0 has one all the same. */
    if (facts->max_group == 0)
        facts->max_group = 1;
    if (facts->compute_units == 0)
        facts->compute_units = 1;
    facts->little_endian = little;
    facts->host_unified = unified || (facts->type & CL_DEVICE_TYPE_CPU);
    facts->aligned_buffers = (facts->type & CL_DEVICE_TYPE_GPU) && !facts->host_unified;
    find_habits(device, facts);
    facts->ptx = takes_ptx(device);
    facts->sub_group = find_sub_group(device, facts->type);
    facts->ordering = facts->ptx ? ORDERING_PTX : find_ordering(device);
    facts->wide_atomics = facts->ptx || (has_extension(device, "cl_khr_int64_base_atomics") &&
                                         has_extension(device, "cl_khr_int64_extended_atomics"));
    device_name(device, facts->name);
    device_text(device, CL_DEVICE_VENDOR, facts->vendor);
    if (facts->type & CL_DEVICE_TYPE_CPU)
        processor_name(facts->processor);
    facts->loop_limit = find_loop_limit(facts->name);
    facts->no_general = facts->loop_limit != 0; /* Mesa 22.3's, docs/quirks.md */
    if (is_too_old(device))
        return fail(ARGMAX_CL_ERROR_DEVICE_LIMIT, "%s has an OpenCL older than 1.2: expected 1.2 or later",
                    facts->name);
    return ARGMAX_CL_SUCCESS;
}

/* ---- The list of devices, fastest first ------------------------------------------------------------------------- */

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
        !ask(list, device, CL_DEVICE_TYPE, sizeof type, &type) || !available || !compiler || is_too_old(device))
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

static void entry_names(device_list *list, uint32_t i, char device[NAME_BYTES], char platform[NAME_BYTES]) {
    const device_entry *const entry = &list->entries[i];
    answered(list, "clGetDeviceInfo", device_name(entry->device, device));
    if (!answered(list, "clGetPlatformInfo",
                  clGetPlatformInfo(entry->platform, CL_PLATFORM_NAME, NAME_BYTES, platform, NULL)))
        snprintf(platform, NAME_BYTES, "unnamed platform");
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
        char device[NAME_BYTES], platform[NAME_BYTES];
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
        char device[NAME_BYTES], platform[NAME_BYTES];
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
