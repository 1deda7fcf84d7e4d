/* Objects, their references, and the device, contexts and buffers of the stub. */
#include "stub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ALIVE 0xA11FEu

static atomic_ulong alive;

/* ---- the last object of each kind that went, for `reuse` ---- */

enum { KINDS = STUB_EVENT + 1 };
static pthread_mutex_t gone_lock = PTHREAD_MUTEX_INITIALIZER;
static void *gone[KINDS];
static size_t gone_bytes[KINDS];

static void *again(stub_kind kind, size_t bytes) {
    pthread_mutex_lock(&gone_lock);
    void *const object = gone_bytes[kind] == bytes ? gone[kind] : NULL;
    if (object)
        gone[kind] = NULL;
    pthread_mutex_unlock(&gone_lock);
    if (object)
        memset(object, 0, bytes);
    return object;
}

/* What goes for good now. */
static void *remember(void *object, stub_kind kind, size_t bytes) {
    pthread_mutex_lock(&gone_lock);
    void *const before = gone[kind];
    gone[kind] = object;
    gone_bytes[kind] = bytes;
    pthread_mutex_unlock(&gone_lock);
    return before;
}

__attribute__((destructor)) static void forget_all(void) {
    for (int i = 0; i < KINDS; ++i)
        free(gone[i]);
}

void *stub_new(stub_kind kind, size_t bytes) {
    stub_object *object = stub_manners.reuse ? again(kind, bytes) : NULL;
    if (!object)
        object = calloc(1, bytes);
    if (!object)
        abort(); /* this stub has no answer to that */
    object->alive = ALIVE;
    object->kind = kind;
    object->bytes = bytes;
    atomic_init(&object->references, 1);
    atomic_fetch_add_explicit(&alive, 1, memory_order_relaxed);
    return object;
}

bool stub_is(const void *object, stub_kind kind) {
    const stub_object *const o = object;
    return o && o->alive == ALIVE && o->kind == kind;
}

void stub_retain(void *object) {
    stub_object *const o = object;
    atomic_fetch_add_explicit(&o->references, 1, memory_order_relaxed);
}

bool stub_release(void *object) {
    stub_object *const o = object;
    return atomic_fetch_sub_explicit(&o->references, 1, memory_order_acq_rel) == 1;
}

void stub_free(void *object) {
    stub_object *const o = object;
    o->alive = 0;
    free(stub_manners.reuse ? remember(object, o->kind, o->bytes) : object);
    atomic_fetch_sub_explicit(&alive, 1, memory_order_relaxed);
}

cl_ulong stub_alive(void) {
    return atomic_load_explicit(&alive, memory_order_relaxed);
}

/* Queues end on threads of their own, a moment after their last command. */
__attribute__((destructor)) static void nothing_is_left(void) {
    const struct timespec moment = {0, 10000000};
    for (int i = 0; i < 300 && stub_alive(); ++i)
        nanosleep(&moment, NULL);
    if (!stub_alive())
        return;
    fprintf(stderr, "stub OpenCL: %lu objects are left\n", (unsigned long)stub_alive());
    fflush(NULL);
    _exit(1);
}

cl_int stub_answer(const void *from, size_t from_bytes, size_t bytes, void *to, size_t *needed) {
    if (needed)
        *needed = from_bytes;
    if (to && bytes < from_bytes)
        return CL_INVALID_VALUE;
    if (to)
        memcpy(to, from, from_bytes);
    return CL_SUCCESS;
}

/* ---- one platform with two devices: a processor, and a GPU with memory of its own ---- */

struct _cl_platform_id {
    const char *name;
};
struct _cl_device_id {
    cl_device_type type;
    const char *name;
    cl_uint units;
    cl_bool unified;
};

static struct _cl_platform_id platform = {"Stub"};
static struct _cl_device_id devices[] = {{CL_DEVICE_TYPE_GPU, "Stub GPU", 8, CL_FALSE},
                                         {CL_DEVICE_TYPE_CPU, "Stub CPU", 4, CL_TRUE}};
#define DEVICES ((cl_uint)(sizeof devices / sizeof devices[0]))

cl_int clGetPlatformIDs(cl_uint count, cl_platform_id *platforms, cl_uint *found) {
    if (count && platforms)
        platforms[0] = &platform;
    if (found)
        *found = 1;
    return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id of, cl_platform_info what, size_t bytes, void *to, size_t *needed) {
    const char *const text = what == CL_PLATFORM_VERSION ? "OpenCL 2.0 stub"
                             : stub_manners.platform     ? stub_manners.platform
                                                         : of->name;
    return stub_answer(text, strlen(text) + 1, bytes, to, needed);
}

cl_int clGetDeviceIDs(cl_platform_id of, cl_device_type type, cl_uint count, cl_device_id *to, cl_uint *found) {
    cl_uint n = 0;
    (void)of;
    for (cl_uint i = 0; i < DEVICES; ++i)
        if (type & devices[i].type) {
            if (to && n < count)
                to[n] = &devices[i];
            ++n;
        }
    if (found)
        *found = n;
    return n ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

static const char atomics[] = "cl_khr_int64_base_atomics cl_khr_int64_extended_atomics"; /* for answers in words */

static cl_int device_text(cl_device_id device, cl_device_info what, size_t bytes, void *to, size_t *needed) {
    const char *const version = stub_manners.version ? stub_manners.version : "OpenCL 2.0 stub";
    const char *const text = what == CL_DEVICE_NAME               ? device->name
                             : what == CL_DEVICE_VERSION          ? version
                             : what == CL_DEVICE_OPENCL_C_VERSION ? "OpenCL C 2.0 stub"
                             : what == CL_DEVICE_EXTENSIONS       ? atomics
                             : what == CL_DRIVER_VERSION          ? "1"
                                                                  : NULL;
    return text ? stub_answer(text, strlen(text) + 1, bytes, to, needed) : CL_INVALID_VALUE;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *to, size_t *needed) {
    const size_t group = stub_manners.group ? stub_manners.group : 256, items[3] = {group, group, group};
    const cl_ulong objects = stub_alive(), memory = stub_memory_used(), largest = (cl_ulong)1 << 32;
    const cl_ulong local = stub_manners.local ? stub_manners.local : 32768;
    const size_t parameters = stub_parameters();
    const cl_uint units = stub_manners.units ? stub_manners.units : device->units;
    const cl_uint bits = 64, alignment = 1024, clock = 1000;
    const uint16_t one = 1;
    const cl_bool yes = CL_TRUE, little = *(const unsigned char *)&one;
    const cl_platform_id owner = &platform;
    const struct {
        cl_device_info what;
        const void *value;
        size_t bytes;
    } facts[] = {
        {STUB_OBJECTS_ALIVE, &objects, sizeof objects},
        {STUB_MEMORY_USED, &memory, sizeof memory},
        {CL_DEVICE_TYPE, &device->type, sizeof device->type},
        {CL_DEVICE_PLATFORM, &owner, sizeof owner},
        {CL_DEVICE_MAX_COMPUTE_UNITS, &units, sizeof units},
        {CL_DEVICE_MAX_CLOCK_FREQUENCY, &clock, sizeof clock},
        {CL_DEVICE_ADDRESS_BITS, &bits, sizeof bits},
        {CL_DEVICE_MEM_BASE_ADDR_ALIGN, &alignment, sizeof alignment},
        {CL_DEVICE_MAX_WORK_GROUP_SIZE, &items[0], sizeof items[0]},
        {CL_DEVICE_MAX_WORK_ITEM_SIZES, items, sizeof items},
        {CL_DEVICE_MAX_PARAMETER_SIZE, &parameters, sizeof parameters},
        {CL_DEVICE_MAX_MEM_ALLOC_SIZE, &largest, sizeof largest},
        {CL_DEVICE_GLOBAL_MEM_SIZE, &largest, sizeof largest},
        {CL_DEVICE_LOCAL_MEM_SIZE, &local, sizeof local},
        {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, &local, sizeof local},
        {CL_DEVICE_ENDIAN_LITTLE, &little, sizeof little},
        {CL_DEVICE_AVAILABLE, &yes, sizeof yes},
        {CL_DEVICE_COMPILER_AVAILABLE, &yes, sizeof yes},
        {CL_DEVICE_HOST_UNIFIED_MEMORY, &device->unified, sizeof device->unified},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; ++i)
        if (facts[i].what == what)
            return stub_answer(facts[i].value, facts[i].bytes, bytes, to, needed);
    return device_text(device, what, bytes, to, needed);
}

cl_int clRetainDevice(cl_device_id device) {
    (void)device;
    return CL_SUCCESS;
}

cl_int clReleaseDevice(cl_device_id device) {
    (void)device;
    return CL_SUCCESS;
}

/* ---- contexts ---- */

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *of,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
                           cl_int *code) {
    const cl_context context = stub_new(STUB_CONTEXT, sizeof *context);
    (void)properties, (void)notify, (void)user;
    (void)count;
    context->device = of[0];
    if (code)
        *code = CL_SUCCESS;
    return context;
}

cl_int clGetContextInfo(cl_context context, cl_context_info what, size_t bytes, void *to, size_t *needed) {
    if (!stub_is(context, STUB_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (what != CL_CONTEXT_DEVICES)
        return CL_INVALID_VALUE;
    static struct _cl_device_id others[256];
    cl_device_id list[257];
    const size_t before = stub_manners.listed ? stub_manners.listed - 1 : 0;
    for (size_t i = 0; i < before && i < 256; ++i)
        list[i] = &others[i];
    list[before] = context->device;
    return stub_answer(list, (before + 1) * sizeof list[0], bytes, to, needed);
}

cl_int clRetainContext(cl_context context) {
    if (!stub_is(context, STUB_CONTEXT))
        return CL_INVALID_CONTEXT;
    stub_retain(context);
    return CL_SUCCESS;
}

cl_int clReleaseContext(cl_context context) {
    if (!stub_is(context, STUB_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (stub_release(context))
        stub_free(context);
    return CL_SUCCESS;
}
