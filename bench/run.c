#include "run.h"

#include "check.h"
#include "fill.h"
#include "job.h"
#include "oracle.h"
#include "threads.h"

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
    return r->limit > 0 ? (double)r->bytes / r->limit : 0;
}

double run_ratio(const run_result *r) {
    return r->device > 0 ? r->limit / r->device : 0;
}

double run_best_ratio(const run_result *r) {
    return r->best > 0 ? r->limit_best / r->best : 0;
}

bool workbench_open(workbench *bench, const bench_device *device) {
    *bench = (workbench){.device = device};
    return limit_open(&bench->limit, device) && scratch_open(&bench->scratch, device) &&
           naive_open(&bench->naive, device);
}

static void free_host(workbench *bench) {
    if (bench->host != NULL)
        munmap(bench->host, bench->host_bytes);
    bench->host = NULL;
}

void workbench_close(workbench *bench) {
    free_host(bench);
    naive_close(&bench->naive);
    scratch_close(&bench->scratch);
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
    const unsigned builds = record_builds();
    const double start = now();
    problem_describe(j->p, &j->desc);
    if (argmax_cl_plan_create(&j->plan, device->handle, j->p->op, &j->desc.desc) != ARGMAX_CL_SUCCESS)
        return fail_run(j, "%s", argmax_cl_last_error());
    j->result->planned = now() - start;
    j->result->builds = record_builds() - builds;
    argmax_cl_plan_describe(j->plan, j->result->plan, sizeof j->result->plan, NULL);
    sscanf(j->result->plan, "%63[^ ,:;]", j->result->strategy);
    return true;
}

/* Of one output. */
static size_t answer_bytes(const problem_line *p) {
    const size_t element = argmax_cl_dtype_size(p->dtype);
    const bool both = p->op == ARGMAX_CL_ARGMINMAX;
    return argmax_cl_dtype_size(p->index_type) + (p->has_value ? element : 0) +
           (both ? argmax_cl_dtype_size(p->max_index_type) : 0) + (both && p->has_max_value ? element : 0);
}

static bool is_general(const problem_line *p) {
    return p->mask_of != MASK_ABSENT || p->op == ARGMAX_CL_ARGMINMAX;
}

static bool make_buffers(job *j) {
    scratch *const s = &j->bench->scratch;
    const problem_line *const p = j->p;
    size_t workspace_bytes = 0;
    const size_t stored = (size_t)problem_output_count(p) * answer_bytes(p);
    if (argmax_cl_plan_workspace_size(j->plan, &workspace_bytes) != ARGMAX_CL_SUCCESS)
        return fail_run(j, "%s", argmax_cl_last_error());
    /* The limit reads as many bytes as the mask has behind the input's. */
    if (!scratch_reserve(s, &s->input, j->input_bytes + j->mask_bytes) ||
        !scratch_reserve(s, &s->mask, j->mask_bytes) || !scratch_reserve(s, &s->max_index, j->max_index_bytes) ||
        !scratch_reserve(s, &s->max_value, j->max_value_bytes) || !scratch_reserve(s, &s->index, j->index_bytes) ||
        !scratch_reserve(s, &s->value, j->value_bytes) || !scratch_reserve(s, &s->workspace, workspace_bytes) ||
        !scratch_reserve(s, &s->other_index, stored > j->index_bytes ? stored : j->index_bytes) ||
        !scratch_reserve(s, &s->other_value, j->options->naive ? j->value_bytes : 0))
        return fail_run(j, "no memory on the device for an input of %zu bytes and its outputs", j->input_bytes);
    argmax_cl_buffers_init(&j->buffers);
    j->buffers.input = s->input.memory;
    j->buffers.index = s->index.memory;
    j->buffers.value = p->has_value ? s->value.memory : NULL;
    j->buffers.mask = j->mask_bytes ? s->mask.memory : NULL;
    j->buffers.max_index = j->max_index_bytes ? s->max_index.memory : NULL;
    j->buffers.max_value = j->max_value_bytes ? s->max_value.memory : NULL;
    j->workspace = workspace_bytes > 0 ? s->workspace.memory : NULL;
    return true;
}

static bool make_mask(job *j) {
    uint8_t *const mask = malloc(j->mask_bytes);
    if (mask == NULL)
        return fail_run(j, "no host memory for a mask of %zu bytes", j->mask_bytes);
    problem_fill_mask(j->p, mask);
    cl_command_queue queue = j->bench->device->plain;
    cl_int code = clEnqueueWriteBuffer(queue, j->buffers.mask, CL_TRUE, 0, j->mask_bytes, mask, 0, NULL, NULL);
    /* What the limit reads instead: pages that nobody has written are not in memory. */
    code |= clEnqueueWriteBuffer(queue, j->buffers.input, CL_TRUE, j->input_bytes, j->mask_bytes, mask, 0, NULL, NULL);
    free(mask);
    return code == CL_SUCCESS || fail_run(j, "clEnqueueWriteBuffer failed");
}

/* The input as the host makes it, with answers that are known. */
static bool make_data(job *j) {
    scratch *const s = &j->bench->scratch;
    s->filled_bytes = 0;
    if (s->input.host == NULL && !reserve_host(j))
        return false;
    void *const data = s->input.host != NULL ? s->input.host : j->bench->host;
    fill_data(j->p, data);
    if (!is_general(j->p) && check_method(j->p) == CHECK_PLANTED)
        fill_plant(j->p, data);
    if (j->mask_bytes && !make_mask(j))
        return false;
    return s->input.host != NULL ||
           clEnqueueWriteBuffer(j->bench->device->plain, s->input.memory, CL_TRUE, 0, j->input_bytes, data, 0, NULL,
                                NULL) == CL_SUCCESS ||
           fail_run(j, "clEnqueueWriteBuffer failed");
}

/* The input as the device makes it, and the naive kernel that knows the answers. */
static bool make_naive(job *j) {
    scratch *const s = &j->bench->scratch;
    if (is_general(j->p))
        return fail_run(j, "the naive kernel takes no mask and one extreme");
    if (j->p->data != DATA_RANDOM)
        return fail_run(j, "beside the naive kernel the data is random, not %s", data_kind_names[j->p->data]);
    return (scratch_fill(s, j->p, j->input_bytes) &&
            naive_prepare(&j->bench->naive, j->p, s->input.memory, s->other_index.memory,
                          j->p->has_value ? s->other_value.memory : NULL, &j->naive)) ||
           fail_run(j, "the naive kernel could not be built");
}

static bool prepare(job *j) {
    const bench_device *const device = j->bench->device;
    const problem_line *const p = j->p;
    const size_t element = argmax_cl_dtype_size(p->dtype);
    if (problem_input_count(p) == 0)
        return fail_run(j, "an empty input has no speed");
    if (p->fields[0] != 0)
        return fail_run(j, "fields=%s: the benchmark changes no tuning row; name a file in ARGMAX_CL_TUNING",
                        p->fields);
    j->input_bytes = (size_t)problem_input_extent(p) * element;
    j->index_bytes = (size_t)problem_output_extent(p, &p->index) * argmax_cl_dtype_size(p->index_type);
    j->value_bytes = p->has_value ? (size_t)problem_output_extent(p, &p->value) * element : 0;
    j->mask_bytes = (size_t)problem_mask_extent(p);
    if (p->op == ARGMAX_CL_ARGMINMAX) {
        j->max_index_bytes = (size_t)problem_output_extent(p, &p->max_index) * argmax_cl_dtype_size(p->max_index_type);
        j->max_value_bytes = p->has_max_value ? (size_t)problem_output_extent(p, &p->max_value) * element : 0;
    }
    j->result->skipped = j->input_bytes > device->max_buffer || j->index_bytes > device->max_buffer;
    if (j->result->skipped)
        return fail_run(j, "needs a buffer of %zu bytes, the device allows %llu", j->input_bytes,
                        (unsigned long long)device->max_buffer);
    return make_plan(j) && make_buffers(j) && (j->options->naive ? make_naive(j) : make_data(j));
}

/* ---- Checking -------------------------------------------------------------------------------------------------- */

bool job_enqueue(job *j, cl_command_queue queue) {
    return argmax_cl_plan_enqueue(j->plan, queue, &j->buffers, j->workspace, 0, NULL, NULL) == ARGMAX_CL_SUCCESS ||
           fail_run(j, "%s", argmax_cl_last_error());
}

/* Answers into buffers that hold CHECK_FILLER everywhere, so that a missing or misplaced write shows. */
static bool answer(job *j) {
    const scratch *const s = &j->bench->scratch;
    return ((scratch_spoil(s, &s->index, j->index_bytes) &&
             (!j->p->has_value || scratch_spoil(s, &s->value, j->value_bytes)) &&
             (!j->max_index_bytes || scratch_spoil(s, &s->max_index, j->max_index_bytes)) &&
             (!j->max_value_bytes || scratch_spoil(s, &s->max_value, j->max_value_bytes))) ||
            fail_run(j, "filling the outputs failed")) &&
           job_enqueue(j, j->bench->device->plain);
}

static bool check_beside_naive(job *j) {
    const scratch *const s = &j->bench->scratch;
    if (!answer(j))
        return false;
    const bool has_value = j->p->has_value;
    if (!scratch_spoil(s, &s->other_index, j->index_bytes) ||
        (has_value && !scratch_spoil(s, &s->other_value, j->value_bytes)) ||
        !naive_enqueue(&j->naive, j->bench->device->plain))
        return fail_run(j, "the naive kernel failed");
    const int64_t indices = scratch_different(s, &s->index, &s->other_index, j->index_bytes);
    const int64_t values = has_value ? scratch_different(s, &s->value, &s->other_value, j->value_bytes) : 0;
    j->result->check = indices == 0 && values == 0 ? CHECK_NAIVE : CHECK_WRONG;
    return (indices >= 0 && values >= 0) || fail_run(j, "comparing the answers failed");
}

/* With a mask or both extrema, up to so many elements; the oracle is one thread. */
#define GENERAL_MOST ((uint64_t)1 << 26)

/* What a buffer holds, and what it should; both are NULL where there is none. */
typedef struct compared {
    cl_mem memory;
    size_t bytes;
    unsigned char *got, *right;
} compared;

static bool check_general(job *j) {
    compared all[] = {{j->buffers.index, j->index_bytes, NULL, NULL},
                      {j->buffers.value, j->value_bytes, NULL, NULL},
                      {j->buffers.max_index, j->max_index_bytes, NULL, NULL},
                      {j->buffers.max_value, j->max_value_bytes, NULL, NULL}};
    const size_t count = sizeof all / sizeof all[0];
    uint8_t *const mask = malloc(j->mask_bytes ? j->mask_bytes : 1);
    bool good = answer(j) && mask != NULL;
    j->result->check = CHECK_NONE;
    for (size_t i = 0; i < count && good; i++) {
        if (!all[i].bytes)
            continue;
        all[i].got = malloc(all[i].bytes);
        all[i].right = malloc(all[i].bytes);
        good = all[i].got && all[i].right &&
               clEnqueueReadBuffer(j->bench->device->plain, all[i].memory, CL_TRUE, 0, all[i].bytes, all[i].got, 0,
                                   NULL, NULL) == CL_SUCCESS;
        if (good)
            memset(all[i].right, CHECK_FILLER, all[i].bytes);
    }
    if (good && problem_input_count(j->p) <= GENERAL_MOST) {
        const scratch *const s = &j->bench->scratch;
        problem_fill_mask(j->p, mask);
        oracle_solve_all(j->p, &(oracle_arrays){.input = s->input.host != NULL ? s->input.host : j->bench->host,
                                                .mask = j->mask_bytes ? mask : NULL,
                                                .index = all[0].right,
                                                .value = all[1].right,
                                                .max_index = all[2].right,
                                                .max_value = all[3].right});
        j->result->check = CHECK_ORACLE;
        for (size_t i = 0; i < count; i++)
            if (all[i].bytes && memcmp(all[i].got, all[i].right, all[i].bytes) != 0)
                j->result->check = CHECK_WRONG;
    }
    for (size_t i = 0; i < count; i++) {
        free(all[i].got);
        free(all[i].right);
    }
    free(mask);
    return good || fail_run(j, "reading the answers failed");
}

static bool check_answers(job *j) {
    if (is_general(j->p))
        return check_general(j);
    const cl_command_queue queue = j->bench->device->plain;
    void *const index = malloc(j->index_bytes), *const value = j->p->has_value ? malloc(j->value_bytes) : NULL;
    bool good = index != NULL && (value != NULL || !j->p->has_value);
    if (!good)
        fail_run(j, "no host memory to check the answers");
    good = good && answer(j);
    if (good) {
        cl_int code = clEnqueueReadBuffer(queue, j->buffers.index, CL_TRUE, 0, j->index_bytes, index, 0, NULL, NULL);
        if (value != NULL)
            code |= clEnqueueReadBuffer(queue, j->buffers.value, CL_TRUE, 0, j->value_bytes, value, 0, NULL, NULL);
        if (code != CL_SUCCESS)
            good = fail_run(j, "reading the answers failed");
    }
    const void *const input = j->bench->scratch.input.host != NULL ? j->bench->scratch.input.host : j->bench->host;
    if (good)
        j->result->check = check_answers_of(j->p, input, index, j->index_bytes, value, j->value_bytes);
    free(index);
    free(value);
    return good;
}

/* Of the mask every byte once, broadcast ones too. */
static uint64_t mask_bytes_touched(const problem_line *p) {
    uint64_t bytes = p->mask_of != MASK_ABSENT;
    for (uint32_t d = 0; d < p->rank; d++)
        bytes *= p->mask.stride[d] ? p->size[d] : 1;
    return bytes;
}

/* What counts: the lines that hold the addressed elements, and the outputs; the reader gets as many lines, from the
 * lowest one on. */
static void count_bytes(job *j) {
    const problem_line *const p = j->p;
    const uint64_t element = argmax_cl_dtype_size(p->dtype), outputs = problem_output_count(p);
    const uint64_t touched = fill_bytes_touched(p, LINE_BYTES);
    uint64_t lowest = p->input.offset;
    for (uint32_t d = 0; d < p->rank; d++)
        if (p->input.stride[d] < 0)
            lowest -= (p->size[d] - 1) * (uint64_t)-p->input.stride[d];
    j->traffic.offset = lowest * element / LINE_BYTES * LINE_BYTES;
    const uint64_t rest = j->input_bytes - j->traffic.offset;
    j->traffic.bytes = (touched < rest ? touched : rest) + mask_bytes_touched(p);
    j->traffic.answer_bytes = outputs * answer_bytes(p);
    j->traffic.input = j->buffers.input;
    j->traffic.answers = j->bench->scratch.other_index.memory;
    j->result->outputs = outputs;
    j->result->bytes = j->traffic.bytes + j->traffic.answer_bytes;
    j->flush = !j->bench->device->is_cpu && !j->options->cached && j->result->bytes < FLUSH_BELOW;
    j->result->cached = !j->flush && j->result->bytes < FLUSH_BELOW &&
                        (j->options->cached || j->result->bytes < 2 * j->bench->device->cache);
}

void run_problem(workbench *bench, const problem_line *p, const run_options *options, run_result *result) {
    job j = {.bench = bench, .p = p, .options = options, .result = result};
    *result = (run_result){.reader = ""};
    if (options->programs)
        make_plan(&j);
    else if (prepare(&j) && (!options->check || (options->naive ? check_beside_naive(&j) : check_answers(&j)))) {
        count_bytes(&j);
        if (!job_measure(&j) && result->failure[0] == 0)
            fail_run(&j, "an OpenCL call failed");
    }
    argmax_cl_plan_destroy(j.plan);
}
