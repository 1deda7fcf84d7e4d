/* The library's kernels on CUDA, whose tools see nothing of OpenCL: calls of a test program that come here before the
 * ICD loader. NVIDIA's OpenCL compiles, and keeps all objects; its programs' binaries are PTX, and each launch goes
 * through the CUDA driver API with the same arguments, work-groups and counters. One thread, the first device.
 *
 * A buffer that a kernel gets has memory of CUDA of its very size, so that memcheck finds every byte outside:
 *   CL_MEM_READ_ONLY    has its content copied before each launch;
 *   CL_MEM_WRITE_ONLY   likewise, and copied back after it;
 *   CL_MEM_READ_WRITE   lives there and is read by clEnqueueReadBuffer. It starts as what it was created with, else as
 *                       memory that nobody has written, which initcheck reports where a kernel reads it. What a test
 *                       writes into a workspace is ignored. */
#include <argmax_cl/argmax_cl.h>
#include <cuda.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MOST 16
#define ARGUMENT_BYTES 1024
#define OBJECTS_MOST 4096

typedef struct memory {
    cl_mem object;
    cl_mem_flags flags;
    size_t bytes;
    CUdeviceptr at; /* 0: no kernel had it yet */
} memory;

typedef struct module {
    cl_program object;
    CUmodule code;
} module;

typedef struct kernel {
    cl_kernel object;
    CUfunction code;
    unsigned char arguments[ARGUMENTS_MOST][ARGUMENT_BYTES];
    size_t bytes[ARGUMENTS_MOST];
} kernel;

/* Objects of OpenCL that are known here; one at the address of another takes its place. */
static memory memories[OBJECTS_MOST];
static module modules[OBJECTS_MOST];
static kernel *kernels[OBJECTS_MOST];
static size_t memory_count, module_count, kernel_count;
static unsigned long long launches;

static void need(bool ok, const char *what) {
    if (!ok) {
        fflush(stdout);
        fprintf(stderr, "on CUDA: %s\n", what);
        exit(3);
    }
}

static void need_cuda(CUresult code, const char *what) {
    const char *text = NULL;
    if (code == CUDA_SUCCESS)
        return;
    cuGetErrorName(code, &text);
    fflush(stdout);
    fprintf(stderr, "on CUDA: %s failed with %d (%s)\n", what, (int)code, text ? text : "?");
    exit(3);
}

/* The ICD loader's own function. */
static void *next(const char *name) {
    void *const found = dlsym(RTLD_NEXT, name);
    need(found != NULL, name);
    return found;
}
#define NEXT(function)                                                                                                 \
    ((union {                                                                                                          \
         void *found;                                                                                                  \
         __typeof__(&(function)) call;                                                                                 \
     }){next(#function)}                                                                                               \
         .call)

/* At the start of a line, where both streams go to one file. */
static void tell(void) {
    fflush(stdout);
    fprintf(stderr, "on CUDA: %llu launches\n", launches);
}

static void use_context(void) {
    static CUcontext context;
    CUdevice device;
    if (!context) {
        need_cuda(cuInit(0), "cuInit");
        need_cuda(cuDeviceGet(&device, 0), "cuDeviceGet");
        need_cuda(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
        atexit(tell);
    }
    need_cuda(cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static memory *find_memory(cl_mem object) {
    for (size_t i = 0; i < memory_count; i++)
        if (memories[i].object == object)
            return &memories[i];
    return NULL;
}

static void forget_memory(memory *m) {
    use_context();
    if (m->at)
        need_cuda(cuMemFree(m->at), "cuMemFree");
    *m = memories[--memory_count];
}

static void know_memory(cl_mem object, cl_mem_flags flags, size_t bytes) {
    memory *const old = find_memory(object);
    use_context(); /* also where nothing will run, since the tools take that for a program that died */
    if (old)
        forget_memory(old);
    need(memory_count < OBJECTS_MOST, "too many buffers");
    memories[memory_count++] = (memory){object, flags, bytes, 0};
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code) {
    const cl_mem object = NEXT(clCreateBuffer)(context, flags, bytes, host, code);
    if (object)
        know_memory(object, flags, bytes);
    return object;
}

cl_mem clCreateSubBuffer(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type, const void *region,
                         cl_int *code) {
    const cl_mem object = NEXT(clCreateSubBuffer)(whole, flags, type, region, code);
    const memory *const m = find_memory(whole);
    if (object && m)
        know_memory(object, m->flags & ~(cl_mem_flags)CL_MEM_COPY_HOST_PTR, ((const cl_buffer_region *)region)->size);
    return object;
}

cl_int clReleaseMemObject(cl_mem object) {
    cl_uint references = 0;
    memory *const m = find_memory(object);
    if (m && clGetMemObjectInfo(object, CL_MEM_REFERENCE_COUNT, sizeof references, &references, NULL) == CL_SUCCESS &&
        references == 1)
        forget_memory(m);
    return NEXT(clReleaseMemObject)(object);
}

/* The content by way of the host; `queue` has it when this command is done. */
static void copy(cl_command_queue queue, memory *m, bool to_cuda) {
    void *const host = malloc(m->bytes);
    need(host != NULL, "no memory for a copy");
    if (to_cuda) {
        need(NEXT(clEnqueueReadBuffer)(queue, m->object, CL_TRUE, 0, m->bytes, host, 0, NULL, NULL) == CL_SUCCESS,
             "clEnqueueReadBuffer failed");
        need_cuda(cuMemcpyHtoD(m->at, host, m->bytes), "cuMemcpyHtoD");
    } else {
        need_cuda(cuMemcpyDtoH(host, m->at, m->bytes), "cuMemcpyDtoH");
        need(clEnqueueWriteBuffer(queue, m->object, CL_TRUE, 0, m->bytes, host, 0, NULL, NULL) == CL_SUCCESS,
             "clEnqueueWriteBuffer failed");
    }
    free(host);
}

static bool lives_here(const memory *m) {
    return !(m->flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY));
}

static void bring(cl_command_queue queue, memory *m) {
    const bool is_new = !m->at;
    if (is_new)
        need_cuda(cuMemAlloc(&m->at, m->bytes), "cuMemAlloc");
    if (!lives_here(m) || (is_new && m->flags & CL_MEM_COPY_HOST_PTR))
        copy(queue, m, true);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem object, cl_bool blocking, size_t offset, size_t bytes,
                           void *to, cl_uint count, const cl_event *list, cl_event *event) {
    const memory *const m = find_memory(object);
    if (!m || !m->at || !lives_here(m))
        return NEXT(clEnqueueReadBuffer)(queue, object, blocking, offset, bytes, to, count, list, event);
    if (count)
        need(clWaitForEvents(count, list) == CL_SUCCESS, "clWaitForEvents failed");
    use_context();
    need_cuda(cuMemcpyDtoH(to, m->at + offset, bytes), "cuMemcpyDtoH");
    return clEnqueueMarkerWithWaitList(queue, 0, NULL, event);
}

/* ---- Programs and kernels ---------------------------------------------------------------------------------------- */

static module *find_module(cl_program program) {
    size_t i = 0;
    while (i < module_count && modules[i].object != program)
        i++;
    need(i < OBJECTS_MOST, "too many programs");
    if (i == module_count)
        modules[module_count++] = (module){program, NULL};
    return &modules[i];
}

/* Where a launch starts, which OpenCL has in registers that CUDA fills with something else: at 0, since the library
 * gives no offsets. */
#define OFFSET_REGISTER "%envreg" /* 0 to 2 of work-groups, 3 to 5 of work-items */
static void start_at_0(char *ptx) {
    const size_t length = sizeof OFFSET_REGISTER; /* with a digit */
    for (char *at = ptx; (at = strstr(at, OFFSET_REGISTER)) != NULL; at += length) {
        const char digit = at[length - 1], behind = at[length];
        need(digit >= '0' && digit <= '5' && (behind < '0' || behind > '9'),
             "a register that this file knows nothing of");
        memset(at, ' ', length);
        *at = '0';
    }
}

static void load(cl_program program) {
    module *const m = find_module(program);
    size_t bytes = 0;
    need(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) == CL_SUCCESS && bytes,
         "the size of a binary is not told");
    char *ptx = calloc(bytes + 1, 1);
    need(ptx && clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof ptx, &ptx, NULL) == CL_SUCCESS,
         "a binary is not told");
    start_at_0(ptx);
    use_context();
    if (m->code)
        need_cuda(cuModuleUnload(m->code), "cuModuleUnload");
    need_cuda(cuModuleLoadData(&m->code, ptx), "cuModuleLoadData");
    free(ptx);
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                      void(CL_CALLBACK *done)(cl_program, void *), void *context) {
    const cl_int code = NEXT(clBuildProgram)(program, count, devices, options, done, context);
    if (code == CL_SUCCESS)
        load(program);
    return code;
}

static kernel *find_kernel(cl_kernel object) {
    for (size_t i = 0; i < kernel_count; i++)
        if (kernels[i]->object == object)
            return kernels[i];
    return NULL;
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code) {
    const cl_kernel object = NEXT(clCreateKernel)(program, name, code);
    kernel *k = object ? find_kernel(object) : NULL;
    if (!object)
        return NULL;
    if (!k) {
        need(kernel_count < OBJECTS_MOST, "too many kernels");
        k = kernels[kernel_count++] = malloc(sizeof *k);
        need(k != NULL, "no memory for a kernel");
    }
    memset(k, 0, sizeof *k);
    k->object = object;
    use_context();
    need_cuda(cuModuleGetFunction(&k->code, find_module(program)->code, name), "cuModuleGetFunction");
    return object;
}

cl_int clSetKernelArg(cl_kernel object, cl_uint i, size_t bytes, const void *value) {
    const cl_int code = NEXT(clSetKernelArg)(object, i, bytes, value);
    kernel *const k = find_kernel(object);
    if (code != CL_SUCCESS || !k)
        return code;
    need(i < ARGUMENTS_MOST && bytes <= ARGUMENT_BYTES && value, "an argument that this file knows nothing of");
    memcpy(k->arguments[i], value, bytes);
    k->bytes[i] = bytes;
    return code;
}

/* The buffer that an argument names, NULL for none. */
static memory *argument_memory(const kernel *k, size_t i) {
    cl_mem object;
    if (k->bytes[i] != sizeof object)
        return NULL;
    memcpy(&object, k->arguments[i], sizeof object);
    return object ? find_memory(object) : NULL;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel object, cl_uint dims, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint count, const cl_event *list,
                              cl_event *event) {
    kernel *const k = find_kernel(object);
    void *arguments[ARGUMENTS_MOST];
    need(k && dims == 1 && !offset && local, "a launch that this file knows nothing of");
    if (count)
        need(clWaitForEvents(count, list) == CL_SUCCESS, "clWaitForEvents failed");
    use_context();
    for (size_t i = 0; i < ARGUMENTS_MOST; i++) {
        memory *const m = argument_memory(k, i);
        if (m)
            bring(queue, m);
        arguments[i] = m ? (void *)&m->at : k->arguments[i];
    }
    need_cuda(
        cuLaunchKernel(k->code, (unsigned)(*global / *local), 1, 1, (unsigned)*local, 1, 1, 0, NULL, arguments, NULL),
        "cuLaunchKernel");
    need_cuda(cuCtxSynchronize(), "a kernel");
    launches++;
    for (size_t i = 0; i < ARGUMENTS_MOST; i++) {
        memory *const m = argument_memory(k, i);
        if (m && m->flags & CL_MEM_WRITE_ONLY)
            copy(queue, m, false);
    }
    return clEnqueueMarkerWithWaitList(queue, 0, NULL, event);
}
