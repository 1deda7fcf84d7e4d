/* What the stages need to know of a device. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

/* Of a dimension count that is at least 3 and 3 everywhere so far. */
#define MAX_DIMENSIONS 16

/* A name that does not fit or is not given is no reason to refuse the device. */
static cl_int device_text(cl_device_id device, cl_device_info what, char name[DEVICE_NAME_BYTES]) {
    char text[1024] = "";
    const cl_int code = clGetDeviceInfo(device, what, sizeof text, text, NULL);
    if (code != CL_SUCCESS)
        snprintf(text, sizeof text, "unnamed");
    text[sizeof text - 1] = '\0';
    snprintf(name, DEVICE_NAME_BYTES, "%.*s", (int)DEVICE_NAME_BYTES - 1, text);
    return code;
}

cl_int device_name(cl_device_id device, char name[DEVICE_NAME_BYTES]) {
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
bool device_is_too_old(cl_device_id device) {
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
    facts->nv_ptx = takes_ptx(device);
    facts->sub_group = find_sub_group(device, facts->type);
    facts->ordering = facts->nv_ptx ? ORDERING_PTX : find_ordering(device);
    facts->wide_atomics = facts->nv_ptx || (has_extension(device, "cl_khr_int64_base_atomics") &&
                                            has_extension(device, "cl_khr_int64_extended_atomics"));
    device_name(device, facts->name);
    device_text(device, CL_DEVICE_VENDOR, facts->vendor);
    if (facts->type & CL_DEVICE_TYPE_CPU)
        processor_name(facts->processor);
    facts->loop_limit = find_loop_limit(facts->name);
    facts->no_general = facts->loop_limit != 0; /* Mesa 22.3's, docs/quirks.md */
    if (device_is_too_old(device))
        return fail(ARGMAX_CL_ERROR_DEVICE_LIMIT, "%s has an OpenCL older than 1.2: expected 1.2 or later",
                    facts->name);
    return ARGMAX_CL_SUCCESS;
}
