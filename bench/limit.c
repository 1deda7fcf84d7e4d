#include "limit.h"

#include "read_cl.h"
#include "threads.h"

/* Work-groups of a GPU kernel, by work-items for each compute unit; blocks of a CPU kernel, in bytes. Which is best
 * changes with the size: short blocks balance small inputs, long ones keep the prefetchers going. */
static const size_t ITEMS_PER_UNIT[LIMIT_VARIANTS] = {1024, 2048, 4096, 8192};
static const size_t BLOCK_BYTES[LIMIT_VARIANTS] = {16384, 65536, 262144, 1048576};

enum { GROUP = 256, HOST_CHUNK = 262144 };

static const uint64_t FLUSH_BYTES = (uint64_t)256 << 20;

bool limit_open(read_limit *limit, const bench_device *device) {
    cl_int code;
    *limit = (read_limit){NULL, NULL, NULL};
    limit->kernel = device_kernel(device, READ_CL, device->is_cpu ? "" : "-DGROUPED", "read_all");
    if (limit->kernel == NULL)
        return false;
    limit->never = clCreateBuffer(device->context, CL_MEM_READ_WRITE, 64, NULL, &code);
    return succeeded(code, "clCreateBuffer");
}

void limit_close(read_limit *limit) {
    if (limit->scratch != NULL)
        clReleaseMemObject(limit->scratch);
    if (limit->never != NULL)
        clReleaseMemObject(limit->never);
    if (limit->kernel != NULL)
        clReleaseKernel(limit->kernel);
}

static bool enqueue_read(const read_limit *limit, const bench_device *device, cl_command_queue queue, int variant,
                         cl_mem buffer, uint64_t offset, uint64_t bytes) {
    const uint64_t vector = device->is_cpu ? 64 : 16;
    const cl_ulong first = offset / vector, count = bytes < vector ? 1 : bytes / vector;
    size_t local = 1, groups;
    if (device->is_cpu) {
        groups = (size_t)((bytes + BLOCK_BYTES[variant] - 1) / BLOCK_BYTES[variant]);
    } else {
        const size_t most = device->compute_units * ITEMS_PER_UNIT[variant] / GROUP;
        const size_t needed = (size_t)((count + 4ul * GROUP - 1) / (4ul * GROUP));
        local = GROUP;
        groups = needed < most ? needed : most;
    }
    const size_t global = local * (groups > 0 ? groups : 1);
    cl_int code = clSetKernelArg(limit->kernel, 0, sizeof buffer, &buffer);
    code |= clSetKernelArg(limit->kernel, 1, sizeof first, &first);
    code |= clSetKernelArg(limit->kernel, 2, sizeof count, &count);
    code |= clSetKernelArg(limit->kernel, 3, sizeof limit->never, &limit->never);
    return succeeded(code, "clSetKernelArg") &&
           succeeded(clEnqueueNDRangeKernel(queue, limit->kernel, 1, NULL, &global, &local, 0, NULL, NULL),
                     "clEnqueueNDRangeKernel of the read limit");
}

double limit_read(const read_limit *limit, const bench_device *device, int variant, cl_mem buffer, uint64_t offset,
                  uint64_t bytes) {
    record_start(device->timed);
    const bool good = enqueue_read(limit, device, device->timed, variant, buffer, offset, bytes);
    const double seconds = record_stop(device->timed);
    return good ? seconds : -1;
}

bool limit_flush(read_limit *limit, const bench_device *device, cl_command_queue queue) {
    if (limit->scratch == NULL) {
        cl_int code;
        const cl_uint zero = 0;
        limit->scratch = clCreateBuffer(device->context, CL_MEM_READ_WRITE, FLUSH_BYTES, NULL, &code);
        if (!succeeded(code, "clCreateBuffer"))
            return false;
        code = clEnqueueFillBuffer(queue, limit->scratch, &zero, sizeof zero, 0, FLUSH_BYTES, 0, NULL, NULL);
        if (!succeeded(code, "clEnqueueFillBuffer"))
            return false;
    }
    return enqueue_read(limit, device, queue, 1, limit->scratch, 0, FLUSH_BYTES);
}

/* ---- the C loop ------------------------------------------------------------------------------------------------ */

typedef uint32_t vector16 __attribute__((vector_size(64)));

/* One build for each width of vector that x86 may have; other processors have one. */
#if defined(__x86_64__) && defined(__GLIBC__)
#define EACH_WIDTH __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define EACH_WIDTH
#endif

EACH_WIDTH static uint32_t read_block(const vector16 *data, size_t count) {
    vector16 a = {0}, b = {0}, c = {0}, d = {0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        a |= data[i];
        b |= data[i + 1];
        c |= data[i + 2];
        d |= data[i + 3];
    }
    for (; i < count; i++)
        a |= data[i];
    a |= b | c | d;
    uint32_t all = 0;
    for (int lane = 0; lane < 16; lane++)
        all |= a[lane];
    return all;
}

typedef struct host_read {
    const char *data;
    uint64_t bytes;
} host_read;

static volatile uint32_t host_result;

static void read_chunk(void *context, size_t chunk) {
    const host_read *const r = context;
    const uint64_t begin = (uint64_t)chunk * HOST_CHUNK;
    const uint64_t bytes = r->bytes - begin < HOST_CHUNK ? r->bytes - begin : HOST_CHUNK;
    host_result = read_block((const vector16 *)(const void *)(r->data + begin), (size_t)(bytes / sizeof(vector16)));
}

double limit_read_host(const void *data, uint64_t bytes) {
    host_read r = {data, bytes};
    const double start = now();
    parallel_for((size_t)((bytes + HOST_CHUNK - 1) / HOST_CHUNK), read_chunk, &r);
    return now() - start;
}
