#include "run.h"

#include "check.h"
#include "fill.h"
#include "stats.h"
#include "threads.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LEAST_REPETITIONS = 7 };

/* Inputs of this size and more push themselves out of every cache that we know. */
static const uint64_t FLUSH_BELOW = (uint64_t)256 << 20;

/* What one problem holds while it runs. */
typedef struct job {
    workbench *bench;
    const problem_line *p;
    const run_options *options;
    run_result *result;
    problem_desc desc;
    argmax_cl_plan plan;
    argmax_cl_buffers buffers;
    cl_mem workspace;
    size_t input_bytes, index_bytes, value_bytes;
    uint64_t limit_offset;
    bool flush;
} job;

double run_rate(const run_result *r) {
    return r->device > 0 ? (double)r->bytes / r->device : 0;
}

double run_limit_rate(const run_result *r) {
    return r->limit > 0 ? (double)r->limit_bytes / r->limit : 0;
}

double run_ratio(const run_result *r) {
    return r->limit > 0 ? run_rate(r) / run_limit_rate(r) : 0;
}

double run_best_ratio(const run_result *r) {
    return r->best > 0 ? (double)r->bytes / r->best * r->limit_best / (double)r->limit_bytes : 0;
}

bool workbench_open(workbench *bench, const bench_device *device) {
    *bench = (workbench){.device = device};
    return limit_open(&bench->limit, device);
}

static void free_host(workbench *bench) {
    if (bench->host != NULL)
        munmap(bench->host, bench->host_bytes);
    bench->host = NULL;
}

void workbench_close(workbench *bench) {
    free_host(bench);
    limit_close(&bench->limit);
}

static bool fail_run(job *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail_run(job *j, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(j->result->failure, sizeof j->result->failure, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- Preparation ----------------------------------------------------------------------------------------------- */

static bool reserve_host(job *j) {
    workbench *const bench = j->bench;
    const size_t page = (size_t)2 << 20, bytes = (j->input_bytes / page + 1) * page;
    if (bench->host != NULL && bench->host_bytes >= bytes)
        return true;
    free_host(bench);
    void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return fail_run(j, "no host memory for an input of %zu bytes", j->input_bytes);
#ifdef MADV_HUGEPAGE
    madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    bench->host = memory;
    bench->host_bytes = bytes;
    return true;
}

static bool make_plan(job *j) {
    const bench_device *const device = j->bench->device;
    problem_describe(j->p, &j->desc);
    if (argmax_cl_plan_create(&j->plan, device->handle, j->p->op, &j->desc.desc) != ARGMAX_CL_SUCCESS)
        return fail_run(j, "%s", argmax_cl_last_error());
    argmax_cl_plan_describe(j->plan, j->result->plan, sizeof j->result->plan, NULL);
    sscanf(j->result->plan, "%63[^ ,:;]", j->result->strategy);
    return true;
}

static bool make_buffers(job *j) {
    const bench_device *const device = j->bench->device;
    size_t workspace_bytes = 0;
    cl_int code = CL_SUCCESS;
    argmax_cl_buffers_init(&j->buffers);
    j->buffers.input = device_buffer(device, j->bench->host, j->input_bytes);
    j->buffers.index = clCreateBuffer(device->context, CL_MEM_READ_WRITE, j->index_bytes, NULL, &code);
    if (code == CL_SUCCESS && j->p->has_value)
        j->buffers.value = clCreateBuffer(device->context, CL_MEM_READ_WRITE, j->value_bytes, NULL, &code);
    if (code == CL_SUCCESS && argmax_cl_plan_workspace_size(j->plan, &workspace_bytes) == ARGMAX_CL_SUCCESS &&
        workspace_bytes > 0)
        j->workspace = clCreateBuffer(device->context, CL_MEM_READ_WRITE, workspace_bytes, NULL, &code);
    if (code != CL_SUCCESS || j->buffers.input == NULL)
        return fail_run(j, "no memory on the device for an input of %zu bytes and its outputs", j->input_bytes);
    return true;
}

static bool prepare(job *j) {
    const bench_device *const device = j->bench->device;
    const problem_line *const p = j->p;
    const size_t element = argmax_cl_dtype_size(p->dtype);
    if (problem_input_count(p) == 0)
        return fail_run(j, "an empty input has no speed");
    j->input_bytes = (size_t)problem_input_extent(p) * element;
    j->index_bytes = (size_t)problem_output_extent(p, &p->index) * argmax_cl_dtype_size(p->index_type);
    j->value_bytes = p->has_value ? (size_t)problem_output_extent(p, &p->value) * element : 0;
    j->result->skipped = j->input_bytes > device->max_buffer || j->index_bytes > device->max_buffer;
    if (j->result->skipped)
        return fail_run(j, "needs a buffer of %zu bytes, the device allows %llu", j->input_bytes,
                        (unsigned long long)device->max_buffer);
    if (!make_plan(j) || !reserve_host(j))
        return false;
    const check_result how = check_method(p);
    fill_data(p, j->bench->host);
    if (how == CHECK_PLANTED)
        fill_plant(p, j->bench->host);
    return make_buffers(j);
}

/* ---- Checking -------------------------------------------------------------------------------------------------- */

static bool enqueue(job *j, cl_command_queue queue) {
    return argmax_cl_plan_enqueue(j->plan, queue, &j->buffers, j->workspace, 0, NULL, NULL) == ARGMAX_CL_SUCCESS ||
           fail_run(j, "%s", argmax_cl_last_error());
}

/* Answers into buffers that hold 0xA5 everywhere, so that a missing or misplaced write shows. */
static bool check_answers(job *j) {
    const cl_command_queue queue = j->bench->device->plain;
    const cl_uchar filler = CHECK_FILLER;
    void *const index = malloc(j->index_bytes), *const value = j->p->has_value ? malloc(j->value_bytes) : NULL;
    bool good = index != NULL && (value != NULL || !j->p->has_value);
    if (!good)
        fail_run(j, "no host memory to check the answers");
    cl_int code = clEnqueueFillBuffer(queue, j->buffers.index, &filler, 1, 0, j->index_bytes, 0, NULL, NULL);
    if (value != NULL)
        code |= clEnqueueFillBuffer(queue, j->buffers.value, &filler, 1, 0, j->value_bytes, 0, NULL, NULL);
    good = good && enqueue(j, queue);
    if (good) {
        code |= clEnqueueReadBuffer(queue, j->buffers.index, CL_TRUE, 0, j->index_bytes, index, 0, NULL, NULL);
        if (value != NULL)
            code |= clEnqueueReadBuffer(queue, j->buffers.value, CL_TRUE, 0, j->value_bytes, value, 0, NULL, NULL);
        if (code != CL_SUCCESS)
            good = fail_run(j, "reading the answers failed");
    }
    if (good)
        j->result->check = check_answers_of(j->p, j->bench->host, index, j->index_bytes, value, j->value_bytes);
    free(index);
    free(value);
    return good;
}

/* ---- Timing ---------------------------------------------------------------------------------------------------- */

static bool flush_caches(job *j, cl_command_queue queue) {
    return !j->flush || limit_flush(&j->bench->limit, j->bench->device, queue) ||
           fail_run(j, "flushing the caches failed");
}

static double time_device(job *j) {
    const cl_command_queue queue = j->bench->device->timed;
    if (!flush_caches(j, queue))
        return -1;
    record_start();
    const bool good = enqueue(j, queue);
    const double seconds = record_stop(queue);
    return good ? seconds : -1;
}

static double time_wall(job *j) {
    const cl_command_queue queue = j->bench->device->plain;
    if (!flush_caches(j, queue) || clFinish(queue) != CL_SUCCESS)
        return -1;
    const double start = now();
    const bool good = enqueue(j, queue) && clFinish(queue) == CL_SUCCESS;
    return good ? now() - start : -1;
}

static double time_launch(job *j) {
    const bench_device *const device = j->bench->device;
    const size_t one = 1;
    const double start = now();
    const bool good =
        clEnqueueNDRangeKernel(device->plain, device->empty, 1, NULL, &one, &one, 0, NULL, NULL) == CL_SUCCESS &&
        clFinish(device->plain) == CL_SUCCESS;
    return good ? now() - start : -1;
}

static double time_limit(job *j, int variant) {
    if (!flush_caches(j, j->bench->device->timed))
        return -1;
    return limit_read(&j->bench->limit, j->bench->device, variant, j->buffers.input, j->limit_offset,
                      j->result->limit_bytes);
}

static double time_host_limit(job *j) {
    return limit_read_host((const char *)j->bench->host + j->limit_offset, j->result->limit_bytes);
}

/* The reader's best geometry for this input, by the best of three. */
static int best_variant(job *j) {
    int best = 0;
    double least = 0;
    for (int variant = 0; variant < LIMIT_VARIANTS; variant++)
        for (int i = 0; i < 4; i++) {
            const double seconds = time_limit(j, variant);
            if (i > 0 && seconds > 0 && (least == 0 || seconds < least)) {
                least = seconds;
                best = variant;
            }
        }
    return best;
}

static bool measure(job *j) {
    static samples device, wall, limit, host_limit, launch;
    samples *const all[] = {&device, &wall, &limit, &host_limit, &launch};
    const bool is_cpu = j->bench->device->is_cpu;
    run_result *const r = j->result;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        samples_clear(all[i]);
    for (int i = 0; i < 2; i++)
        if (time_device(j) < 0 || time_wall(j) < 0 || time_launch(j) < 0)
            return false;
    const int variant = best_variant(j);
    const double start = now();
    while (device.count < SAMPLES_MAX && (device.count < LEAST_REPETITIONS || now() - start < j->options->seconds)) {
        const double seconds = time_device(j), read_seconds = time_limit(j, variant);
        if (seconds < 0 || read_seconds < 0)
            return fail_run(j, "%s", r->failure[0] ? r->failure : "an OpenCL call failed");
        samples_add(&device, seconds);
        samples_add(&limit, read_seconds);
        if (is_cpu)
            samples_add(&host_limit, time_host_limit(j));
        samples_add(&wall, time_wall(j));
        samples_add(&launch, time_launch(j));
    }
    r->device = samples_median(&device);
    r->spread = samples_spread(&device);
    r->best = samples_best(&device);
    r->wall = samples_median(&wall);
    r->launch = samples_median(&launch);
    r->limit = samples_median(&limit);
    r->limit_best = samples_best(&limit);
    r->reader = "kernel";
    r->repetitions = device.count;
    if (is_cpu && samples_median(&host_limit) < r->limit) {
        r->limit = samples_median(&host_limit);
        r->reader = "C loop";
    }
    if (is_cpu && samples_best(&host_limit) < r->limit_best)
        r->limit_best = samples_best(&host_limit);
    return true;
}

/* What counts: the lines that hold the addressed elements; the reader gets as many, from the lowest one on. */
static void count_bytes(job *j) {
    const problem_line *const p = j->p;
    const uint64_t element = argmax_cl_dtype_size(p->dtype), outputs = problem_output_count(p);
    const uint64_t touched = fill_bytes_touched(p, LINE_BYTES);
    uint64_t lowest = p->input.offset;
    for (uint32_t d = 0; d < p->rank; d++)
        if (p->input.stride[d] < 0)
            lowest -= (p->size[d] - 1) * (uint64_t)-p->input.stride[d];
    j->limit_offset = lowest * element / LINE_BYTES * LINE_BYTES;
    const uint64_t rest = j->input_bytes - j->limit_offset;
    j->result->limit_bytes = touched < rest ? touched : rest;
    j->result->bytes =
        j->result->limit_bytes + outputs * argmax_cl_dtype_size(p->index_type) + (p->has_value ? outputs * element : 0);
    j->flush = !j->bench->device->is_cpu && !j->options->cached && j->result->bytes < FLUSH_BELOW;
    j->result->cached = !j->flush && j->result->bytes < FLUSH_BELOW &&
                        (j->options->cached || j->result->bytes < 2 * j->bench->device->cache);
}

void run_problem(workbench *bench, const problem_line *p, const run_options *options, run_result *result) {
    job j = {.bench = bench, .p = p, .options = options, .result = result};
    *result = (run_result){.reader = ""};
    if (prepare(&j) && (!options->check || check_answers(&j))) {
        count_bytes(&j);
        if (!measure(&j) && result->failure[0] == 0)
            fail_run(&j, "an OpenCL call failed");
    }
    cl_mem const memories[] = {j.buffers.input, j.buffers.index, j.buffers.value, j.workspace};
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++)
        if (memories[i] != NULL)
            clReleaseMemObject(memories[i]);
    argmax_cl_plan_destroy(j.plan);
}
