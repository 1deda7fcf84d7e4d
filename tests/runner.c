#include "runner.h"

#include "oracle.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const run_route_names[ROUTE_COUNT] = {"plan", "call", "host"};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
problem_with(runner *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->message, sizeof r->message, format, arguments);
    va_end(arguments);
    return false;
}

static bool opencl_ok(runner *r, cl_int code, const char *what) {
    return code == CL_SUCCESS || problem_with(r, "%s failed with OpenCL error %d", what, code);
}

bool runner_open(runner *r, const char *selector) {
    memset(r, 0, sizeof *r);
    if (argmax_cl_create_default(&r->handle, selector) != ARGMAX_CL_SUCCESS ||
        argmax_cl_get_device(r->handle, &r->context, &r->device) != ARGMAX_CL_SUCCESS)
        return problem_with(r, "%s", argmax_cl_last_error());
    cl_uint alignment_bits = 0;
    cl_int code =
        clGetDeviceInfo(r->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof alignment_bits, &alignment_bits, NULL);
    if (!opencl_ok(r, code, "clGetDeviceInfo"))
        return false;
    /* A whole number of the alignment that sub-buffers need. */
    for (r->guard = alignment_bits / 8; r->guard < 256;)
        r->guard = r->guard ? r->guard * 2 : 256;
    r->queue = clCreateCommandQueue(r->context, r->device, 0, &code);
    return opencl_ok(r, code, "clCreateCommandQueue");
}

void runner_close(runner *r) {
    if (r->queue)
        clReleaseCommandQueue(r->queue);
    argmax_cl_destroy(r->handle);
    memset(r, 0, sizeof *r);
}

/* ---- Memory between guard zones ------------------------------------------------------------------------------- */

/* `bytes` bytes with a guard zone on each side. `buffer` is a sub-buffer of exactly those bytes, so that the library
 * cannot see the zones. */
typedef struct arena {
    cl_mem whole, buffer;
    size_t bytes, guard;
    unsigned char *image;  /* what `whole` was filled with, made into what it should become */
    unsigned char *actual; /* what it became */
} arena;

static size_t arena_size(const arena *a) {
    return a->bytes + 2 * a->guard;
}

static unsigned char *arena_inside(const arena *a, unsigned char *image) {
    return image + a->guard;
}

/* Host side: the image holds varied bytes that never repeat with a power of two. */
static bool arena_open(runner *r, arena *a, size_t bytes) {
    a->bytes = bytes;
    a->guard = r->guard;
    a->image = malloc(arena_size(a));
    a->actual = malloc(arena_size(a));
    if (!a->image || !a->actual)
        return problem_with(r, "out of host memory for %zu bytes", arena_size(a));
    for (size_t i = 0; i < arena_size(a); i++)
        a->image[i] = (unsigned char)(0xA5 + i % 251);
    return true;
}

static bool arena_upload(runner *r, arena *a, cl_mem_flags flags) {
    cl_int code;
    a->whole = clCreateBuffer(r->context, flags, arena_size(a), NULL, &code);
    if (!opencl_ok(r, code, "clCreateBuffer"))
        return false;
    code = clEnqueueWriteBuffer(r->queue, a->whole, CL_TRUE, 0, arena_size(a), a->image, 0, NULL, NULL);
    if (!opencl_ok(r, code, "clEnqueueWriteBuffer") || a->bytes == 0)
        return code == CL_SUCCESS;
    const cl_buffer_region region = {a->guard, a->bytes};
    a->buffer = clCreateSubBuffer(a->whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    return opencl_ok(r, code, "clCreateSubBuffer");
}

static bool arena_download(runner *r, arena *a) {
    const cl_int code = clEnqueueReadBuffer(r->queue, a->whole, CL_TRUE, 0, arena_size(a), a->actual, 0, NULL, NULL);
    return opencl_ok(r, code, "clEnqueueReadBuffer");
}

static void arena_close(arena *a) {
    if (a->buffer)
        clReleaseMemObject(a->buffer);
    if (a->whole)
        clReleaseMemObject(a->whole);
    free(a->actual);
    free(a->image);
}

/* ---- One run -------------------------------------------------------------------------------------------------- */

typedef struct trial {
    const problem_line *p;
    problem_desc d;
    arena input, index, value, workspace;
    argmax_cl_plan plan;
    argmax_cl_status status;
} trial;

static size_t element_size(argmax_cl_dtype dtype) {
    return problem_dtype_find(dtype)->bits / 8;
}

static bool trial_open(runner *r, trial *t) {
    const problem_line *const p = t->p;
    if (!arena_open(r, &t->input, (size_t)problem_input_extent(p) * element_size(p->dtype)) ||
        !arena_open(r, &t->index, (size_t)problem_output_extent(p, &p->index) * element_size(p->index_type)) ||
        !arena_open(r, &t->value,
                    p->has_value ? (size_t)problem_output_extent(p, &p->value) * element_size(p->dtype) : 0))
        return false;
    const problem_dtype *const type = problem_dtype_find(p->dtype);
    for (size_t i = 0; i < arena_size(&t->input) / element_size(p->dtype); i++)
        problem_store(type, t->input.image, i, problem_poison(p));
    problem_fill(p, arena_inside(&t->input, t->input.image));
    return true;
}

static bool library_ok(runner *r, trial *t, argmax_cl_status status, const char *call) {
    t->status = status;
    return status == ARGMAX_CL_SUCCESS ||
           problem_with(r, "%s: status %d: %s", call, (int)status, argmax_cl_last_error());
}

static bool run_plan(runner *r, trial *t, const argmax_cl_buffers *buffers) {
    size_t bytes = 0;
    cl_event event = NULL;
    if (!library_ok(r, t, argmax_cl_plan_workspace_size(t->plan, &bytes), "plan_workspace_size") ||
        !arena_open(r, &t->workspace, bytes) || !arena_upload(r, &t->workspace, CL_MEM_READ_WRITE) ||
        !library_ok(r, t, argmax_cl_plan_enqueue(t->plan, r->queue, buffers, t->workspace.buffer, 0, NULL, &event),
                    "plan_enqueue"))
        return false;
    const bool ok = opencl_ok(r, clWaitForEvents(1, &event), "clWaitForEvents");
    clReleaseEvent(event);
    return ok && arena_download(r, &t->workspace);
}

static bool run_call(runner *r, trial *t, const argmax_cl_buffers *buffers) {
    cl_event event = NULL;
    const bool is_max = t->p->op == ARGMAX_CL_ARGMAX;
    if (!library_ok(r, t, (is_max ? argmax_cl : argmin_cl)(r->handle, r->queue, &t->d.desc, buffers, 0, NULL, &event),
                    is_max ? "argmax_cl" : "argmin_cl"))
        return false;
    const bool ok = opencl_ok(r, clWaitForEvents(1, &event), "clWaitForEvents");
    clReleaseEvent(event);
    return ok;
}

static bool run_buffers(runner *r, trial *t, run_route route) {
    if (!arena_upload(r, &t->input, CL_MEM_READ_ONLY) || !arena_upload(r, &t->index, CL_MEM_WRITE_ONLY) ||
        !arena_upload(r, &t->value, CL_MEM_WRITE_ONLY))
        return false;
    argmax_cl_buffers buffers = ARGMAX_CL_BUFFERS_INIT;
    buffers.input = t->input.buffer;
    buffers.index = t->index.buffer;
    buffers.value = t->p->has_value ? t->value.buffer : NULL;
    return (route == ROUTE_PLAN ? run_plan : run_call)(r, t, &buffers) && arena_download(r, &t->input) &&
           arena_download(r, &t->index) && arena_download(r, &t->value);
}

static bool run_host(runner *r, trial *t) {
    arena *const arenas[] = {&t->input, &t->index, &t->value};
    for (size_t i = 0; i < 3; i++)
        memcpy(arenas[i]->actual, arenas[i]->image, arena_size(arenas[i]));
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.input = t->input.bytes ? arena_inside(&t->input, t->input.actual) : NULL;
    arrays.index = t->index.bytes ? arena_inside(&t->index, t->index.actual) : NULL;
    arrays.value = t->value.bytes ? arena_inside(&t->value, t->value.actual) : NULL;
    const bool is_max = t->p->op == ARGMAX_CL_ARGMAX;
    return library_ok(r, t, (is_max ? argmax_cl_host : argmin_cl_host)(r->handle, &t->d.desc, &arrays, NULL),
                      is_max ? "argmax_cl_host" : "argmin_cl_host");
}

/* ---- The verdict ---------------------------------------------------------------------------------------------- */

/* True when the element at `address` of an output belongs to output number *number. */
static bool output_at(const problem_line *p, const problem_tensor *t, uint64_t address, uint64_t *number) {
    uint64_t sizes[PROBLEM_MAX_RANK], count = problem_output_count(p);
    problem_output_sizes(p, sizes);
    for (*number = 0; *number < count; ++*number) {
        uint64_t rest = *number, element = t->offset;
        for (uint32_t d = p->rank; d-- > 0; rest /= sizes[d])
            element += rest % sizes[d] * (uint64_t)t->stride[d];
        if (element == address)
            return true;
    }
    return false;
}

/* Compare an arena with its image; `t` NULL: nothing in it may have changed. */
static bool same(runner *r, const trial *of, const char *name, const arena *a, argmax_cl_dtype dtype,
                 const problem_tensor *t) {
    size_t i = 0;
    if (!a->image || memcmp(a->actual, a->image, arena_size(a)) == 0)
        return true;
    while (a->actual[i] == a->image[i])
        i++;
    const int64_t byte = (int64_t)i - (int64_t)a->guard;
    uint64_t number;
    if (!t || byte < 0 || (size_t)byte >= a->bytes ||
        !output_at(of->p, t, (uint64_t)byte / element_size(dtype), &number))
        return problem_with(r,
                            "byte %" PRId64 " of the %s (%zu bytes) changed from 0x%02X to 0x%02X: expected untouched",
                            byte, name, a->bytes, a->image[i], a->actual[i]);
    const problem_dtype *const type = problem_dtype_find(dtype);
    const uint64_t element = (uint64_t)byte / element_size(dtype);
    const uint64_t got = problem_load(type, arena_inside(a, a->actual), element);
    const uint64_t expected = problem_load(type, arena_inside(a, a->image), element);
    return problem_with(
        r, "%s of output %" PRIu64 " of %" PRIu64 ": 0x%" PRIX64 " (%" PRId64 "): expected 0x%" PRIX64 " (%" PRId64 ")",
        name, number, problem_output_count(of->p), got, (int64_t)got, expected, (int64_t)expected);
}

/* The workspace may change, but not the zones around it. */
static void forgive_inside(arena *a) {
    if (a->image)
        memcpy(arena_inside(a, a->image), arena_inside(a, a->actual), a->bytes);
}

static bool judge(runner *r, trial *t) {
    const problem_line *const p = t->p;
    unsigned char *const value = p->has_value ? arena_inside(&t->value, t->value.image) : NULL;
    oracle_solve(p, arena_inside(&t->input, t->input.image), arena_inside(&t->index, t->index.image), value);
    forgive_inside(&t->workspace);
    return same(r, t, "index", &t->index, p->index_type, &p->index) &&
           same(r, t, "value", &t->value, p->dtype, p->has_value ? &p->value : NULL) &&
           same(r, t, "input", &t->input, p->dtype, NULL) &&
           same(r, t, "workspace", &t->workspace, ARGMAX_CL_UINT8, NULL);
}

/* A plan is made for every forced problem, so that a refusal costs no data. */
static bool run(runner *r, trial *t, run_route route, bool forced) {
    if ((route == ROUTE_PLAN || forced) &&
        !library_ok(r, t, argmax_cl_plan_create(&t->plan, r->handle, t->p->op, &t->d.desc), "plan_create"))
        return false;
    return trial_open(r, t) && (route == ROUTE_HOST ? run_host(r, t) : run_buffers(r, t, route)) && judge(r, t);
}

run_result runner_run(runner *r, const problem_line *p, run_route route) {
    trial t;
    memset(&t, 0, sizeof t);
    t.p = p;
    problem_describe(p, &t.d);
    const bool forced = p->strategy[0] || p->tuning[0], ok = run(r, &t, route, forced);
    argmax_cl_plan_destroy(t.plan);
    arena_close(&t.workspace);
    arena_close(&t.value);
    arena_close(&t.index);
    arena_close(&t.input);
    const run_result result = ok                                                       ? RUN_OK
                              : forced && t.status == ARGMAX_CL_ERROR_INVALID_STRATEGY ? RUN_REFUSED
                                                                                       : RUN_FAILED;
    r->runs[result]++;
    return result;
}

run_result runner_report(runner *r, const problem_line *p, run_route route) {
    char line[PROBLEM_LINE_SIZE];
    problem_print(p, line, sizeof line);
    if (r->trace)
        fprintf(stderr, "run_problem --route %s '%s'\n", run_route_names[route], line);
    const run_result result = runner_run(r, p, route);
    if (result == RUN_FAILED)
        fprintf(stderr, "FAIL %s\n  run again: run_problem --route %s '%s'\n", r->message, run_route_names[route],
                line);
    return result;
}

void runner_print(const runner *r) {
    char device[256] = "", platform[256] = "", version[256] = "", driver[256] = "";
    cl_platform_id id = NULL;
    clGetDeviceInfo(r->device, CL_DEVICE_NAME, sizeof device, device, NULL);
    clGetDeviceInfo(r->device, CL_DEVICE_VERSION, sizeof version, version, NULL);
    clGetDeviceInfo(r->device, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    if (clGetDeviceInfo(r->device, CL_DEVICE_PLATFORM, sizeof id, &id, NULL) == CL_SUCCESS)
        clGetPlatformInfo(id, CL_PLATFORM_NAME, sizeof platform, platform, NULL);
    printf("%lu problems right, %lu wrong, %lu refused on %s | %s | driver %s | %s\n", r->runs[RUN_OK],
           r->runs[RUN_FAILED], r->runs[RUN_REFUSED], device, platform, driver, version);
}
