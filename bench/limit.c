#include "limit.h"

#include "read_cl.h"
#include "threads.h"

/* Work-groups of a GPU kernel, by work-items for each compute unit; blocks of a CPU kernel, in bytes. Which is best
 * changes with the size: short blocks balance small inputs, long ones keep the prefetchers going. */
static const size_t ITEMS_PER_UNIT[LIMIT_READERS] = {1024, 2048, 4096, 8192};
static const size_t BLOCK_BYTES[LIMIT_READERS] = {16384, 65536, 262144, 1048576};

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

int limit_forms(const limit_traffic *traffic) {
    return traffic->answer_bytes > traffic->bytes / 512 ? LIMIT_FORMS : LIMIT_READERS;
}

static size_t groups_of(const bench_device *device, int form, uint64_t vectors, uint64_t bytes) {
    const int reader = form % LIMIT_READERS;
    size_t groups = (size_t)((bytes + BLOCK_BYTES[reader] - 1) / BLOCK_BYTES[reader]);
    if (!device->is_cpu) {
        const size_t most = device->compute_units * ITEMS_PER_UNIT[reader] / GROUP;
        const size_t needed = (size_t)((vectors + 4ul * GROUP - 1) / (4ul * GROUP));
        groups = needed < most ? needed : most;
    }
    return groups > 0 ? groups : 1;
}

static bool enqueue(const read_limit *limit, const bench_device *device, cl_command_queue queue, int form,
                    const limit_traffic *t) {
    const uint64_t vector = device->is_cpu ? 64 : 16;
    const cl_ulong first = t->offset / vector, count = t->bytes < vector ? 1 : t->bytes / vector;
    const cl_ulong answers = t->answers != NULL ? t->answer_bytes / vector : 0;
    const uint64_t work = count > answers ? count : answers;
    const size_t local = device->is_cpu ? 1 : GROUP, global = local * groups_of(device, form, work, work * vector);
    cl_ulong step = form >= LIMIT_READERS;
    if (!device->is_cpu && step != 0) /* answers for each round of four loads */
        step = (cl_ulong)((double)answers * 4 * (double)global / (double)count) + 1;
    cl_int code = clSetKernelArg(limit->kernel, 0, sizeof(cl_mem), &t->input);
    code |= clSetKernelArg(limit->kernel, 1, sizeof first, &first);
    code |= clSetKernelArg(limit->kernel, 2, sizeof count, &count);
    code |= clSetKernelArg(limit->kernel, 3, sizeof(cl_mem), t->answers != NULL ? &t->answers : &limit->never);
    code |= clSetKernelArg(limit->kernel, 4, sizeof answers, &answers);
    code |= clSetKernelArg(limit->kernel, 5, sizeof step, &step);
    code |= clSetKernelArg(limit->kernel, 6, sizeof limit->never, &limit->never);
    return succeeded(code, "clSetKernelArg") &&
           succeeded(clEnqueueNDRangeKernel(queue, limit->kernel, 1, NULL, &global, &local, 0, NULL, NULL),
                     "clEnqueueNDRangeKernel of the limit");
}

double limit_time(const read_limit *limit, const bench_device *device, int form, const limit_traffic *traffic) {
    record_start(device->timed);
    const bool good = enqueue(limit, device, device->timed, form, traffic);
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
    return enqueue(limit, device, queue, 1, &(limit_traffic){.input = limit->scratch, .bytes = FLUSH_BYTES});
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

EACH_WIDTH static void store_block(vector16 *answers, size_t count) {
    const vector16 one = {1};
    for (size_t i = 0; i < count; i++)
        answers[i] = one;
}

typedef struct host_traffic {
    const char *data;
    char *answers;
    uint64_t bytes, answer_bytes, chunks;
} host_traffic;

static volatile uint32_t host_result;

static void read_chunk(void *context, size_t chunk) {
    const host_traffic *const t = context;
    const uint64_t begin = (uint64_t)chunk * HOST_CHUNK;
    const uint64_t bytes = t->bytes - begin < HOST_CHUNK ? t->bytes - begin : HOST_CHUNK;
    host_result = read_block((const vector16 *)(const void *)(t->data + begin), (size_t)(bytes / sizeof(vector16)));
    const uint64_t vectors = t->answer_bytes / sizeof(vector16);
    const uint64_t first = vectors * chunk / t->chunks, last = vectors * (chunk + 1) / t->chunks;
    store_block((vector16 *)(void *)t->answers + first, (size_t)(last - first));
}

double limit_time_host(const void *data, uint64_t bytes, void *answers, uint64_t answer_bytes) {
    host_traffic t = {data, answers, bytes, answers != NULL ? answer_bytes : 0, (bytes + HOST_CHUNK - 1) / HOST_CHUNK};
    const double start = now();
    parallel_for((size_t)t.chunks, read_chunk, &t);
    return now() - start;
}
