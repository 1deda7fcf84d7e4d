#include "run.h"

#include "check.h"
#include "fill.h"
#include "job.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Inputs of this size and more push themselves out of every cache that we know. */
static const uint64_t FLUSH_BELOW = (uint64_t)256 << 20;

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

bool fail_run(job *j, const char *format, ...) {
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

bool job_enqueue(job *j, cl_command_queue queue) {
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
    good = good && job_enqueue(j, queue);
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
        if (!job_measure(&j) && result->failure[0] == 0)
            fail_run(&j, "an OpenCL call failed");
    }
    cl_mem const memories[] = {j.buffers.input, j.buffers.index, j.buffers.value, j.workspace};
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++)
        if (memories[i] != NULL)
            clReleaseMemObject(memories[i]);
    argmax_cl_plan_destroy(j.plan);
}
