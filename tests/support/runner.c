#include "runner.h"

#include "api/handle.h"
#include "arena.h"
#include "oracle.h"
#include "tuned.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void read_limits(runner *r) {
    const char *const text = getenv("ARGMAX_CL_TEST_STREAM");
    r->streams = text && sscanf(text, "%" SCNu64 ",%" SCNu64, &r->largest_buffer, &r->memory_limit) == 2;
    r->copies = r->streams && strstr(text, "copies");
    r->kills = getenv("ARGMAX_CL_TEST_KILLS") != NULL;
}

bool runner_open(runner *r, const char *selector) {
    memset(r, 0, sizeof *r);
    read_limits(r);
    if (argmax_cl_create_default(&r->handle, selector) != ARGMAX_CL_SUCCESS ||
        argmax_cl_get_device(r->handle, &r->context, &r->device) != ARGMAX_CL_SUCCESS)
        return problem_with(r, "%s", argmax_cl_last_error());
    cl_uint alignment_bits = 0;
    cl_int code =
        clGetDeviceInfo(r->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof alignment_bits, &alignment_bits, NULL);
    if (!opencl_ok(r, code, "clGetDeviceInfo"))
        return false;
    device_facts facts;
    if (device_query(r->device, &facts) != ARGMAX_CL_SUCCESS)
        return problem_with(r, "%s", argmax_cl_last_error());
    r->aligned_host = facts.aligned_buffers && !facts.copies_host_memory;
    /* A whole number of the alignment that sub-buffers need. */
    for (r->guard = alignment_bits / 8; r->guard < 256;)
        r->guard = r->guard ? r->guard * 2 : 256;
    r->queue = clCreateCommandQueue(r->context, r->device, 0, &code);
    if (!opencl_ok(r, code, "clCreateCommandQueue"))
        return false;
    r->loose_queue = clCreateCommandQueue(r->context, r->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code != CL_SUCCESS)
        r->loose_queue = NULL; /* optional in OpenCL */
    return true;
}

void runner_close(runner *r) {
    if (r->queue)
        clReleaseCommandQueue(r->queue);
    if (r->loose_queue)
        clReleaseCommandQueue(r->loose_queue);
    argmax_cl_destroy(r->handle);
    tuned_use("", "");
    memset(r, 0, sizeof *r);
}

/* ---- One run -------------------------------------------------------------------------------------------------- */

typedef struct trial {
    const problem_line *p;
    problem_desc d;
    arena input, index, value, mask, max_index, max_value, workspace;
    argmax_cl_plan plan;
    cl_command_queue queue;
    cl_uint written_count; /* transfers under way */
    cl_event written[6], done;
} trial;

static size_t element_size(argmax_cl_dtype dtype) {
    return problem_dtype_find(dtype)->bits / 8;
}

static bool open_arena(runner *r, const trial *t, arena *a, uint64_t elements, argmax_cl_dtype dtype) {
    const size_t element = element_size(dtype), bytes = (size_t)elements * element;
    return arena_open(a, bytes, r->guard, t->p->memory == MEMORY_HOST && !r->aligned_host ? element : 0) ||
           problem_with(r, "out of host memory for %zu bytes", bytes);
}

static bool trial_open(runner *r, trial *t, const void *content) {
    const problem_line *const p = t->p;
    const problem_dtype *const type = problem_dtype_find(p->dtype);
    const bool both = p->op == ARGMAX_CL_ARGMINMAX;
    if (!open_arena(r, t, &t->input, problem_input_extent(p), p->dtype) ||
        !open_arena(r, t, &t->index, problem_output_extent(p, &p->index), p->index_type) ||
        !open_arena(r, t, &t->value, p->has_value ? problem_output_extent(p, &p->value) : 0, p->dtype) ||
        (p->mask_of != MASK_ABSENT && !open_arena(r, t, &t->mask, problem_mask_extent(p), ARGMAX_CL_UINT8)) ||
        (both && !open_arena(r, t, &t->max_index, problem_output_extent(p, &p->max_index), p->max_index_type)) ||
        (both && p->has_max_value &&
         !open_arena(r, t, &t->max_value, problem_output_extent(p, &p->max_value), p->dtype)))
        return false;
    arena_fill_guards(&t->input, type, problem_poison(p));
    arena_fill(&t->index);
    arena_fill(&t->value);
    arena_fill(&t->max_index);
    arena_fill(&t->max_value);
    if (t->mask.image) {
        arena_fill_guards(&t->mask, problem_dtype_find(ARGMAX_CL_UINT8), 1);
        problem_fill_mask(p, arena_inside(&t->mask, t->mask.image));
    }
    if (content)
        memcpy(arena_inside(&t->input, t->input.image), content, t->input.bytes);
    else
        problem_fill(p, arena_inside(&t->input, t->input.image));
    return true;
}

static void trial_close(trial *t) {
    if (t->written_count)
        clWaitForEvents(t->written_count, t->written);
    if (t->done)
        clReleaseEvent(t->done);
    for (cl_uint i = 0; i < t->written_count; i++)
        clReleaseEvent(t->written[i]);
    argmax_cl_plan_destroy(t->plan);
    arena_close(&t->workspace);
    arena_close(&t->max_value);
    arena_close(&t->max_index);
    arena_close(&t->mask);
    arena_close(&t->value);
    arena_close(&t->index);
    arena_close(&t->input);
}

static bool library_ok(runner *r, argmax_cl_status status, const char *call) {
    r->status = status;
    return status == ARGMAX_CL_SUCCESS ||
           problem_with(r, "%s: status %d: %s", call, (int)status, argmax_cl_last_error());
}

/* On the out-of-order queue the operator has to wait for the transfer. An arena that is not open has nothing. */
static bool upload(runner *r, trial *t, arena *a, cl_mem_flags flags) {
    if (!a->image)
        return true;
    cl_event written = NULL;
    const bool loose = t->queue == r->loose_queue;
    const cl_int code = arena_upload(a, r->context, t->queue, flags, t->p->memory, loose ? &written : NULL);
    if (written)
        t->written[t->written_count++] = written;
    return opencl_ok(r, code, "transfer to the device");
}

static bool download(runner *r, const trial *t, arena *a) {
    const bool wait = t->done && t->queue == r->loose_queue;
    return !a->image ||
           opencl_ok(r, arena_download(a, t->queue, wait, wait ? &t->done : NULL), "transfer from the device");
}

/* The workspace is nobody's memory in place: it may be anywhere, and comes without a transfer that must be waited for.
 */
static bool open_workspace(runner *r, trial *t) {
    size_t bytes = 0;
    if (!library_ok(r, argmax_cl_plan_workspace_size(t->plan, &bytes), "plan_workspace_size"))
        return false;
    if (bytes == 0)
        return true;
    if (!arena_open(&t->workspace, bytes, r->guard, 0))
        return problem_with(r, "out of host memory for %zu bytes", bytes);
    arena_fill(&t->workspace);
    return opencl_ok(r, arena_upload(&t->workspace, r->context, r->queue, CL_MEM_READ_WRITE, MEMORY_DEVICE, NULL),
                     "transfer of the workspace");
}

static bool enqueue(runner *r, trial *t, run_route route, const argmax_cl_buffers *buffers) {
    cl_event *const done = t->p->queue == QUEUE_SILENT && !r->kills ? NULL : &t->done;
    const cl_event *const list = t->written_count ? t->written : NULL;
    if (route == ROUTE_PLAN)
        return library_ok(
            r, argmax_cl_plan_enqueue(t->plan, t->queue, buffers, t->workspace.buffer, t->written_count, list, done),
            "plan_enqueue");
    static const char *const names[] = {"argmax_cl", "argmin_cl", "argminmax_cl"};
    argmax_cl_status (*const calls[])(argmax_cl_handle, cl_command_queue, const argmax_cl_desc *,
                                      const argmax_cl_buffers *, cl_uint, const cl_event *,
                                      cl_event *) = {argmax_cl, argmin_cl, argminmax_cl};
    const argmax_cl_operator op = t->p->op;
    return library_ok(r, calls[op](r->handle, t->queue, &t->d.desc, buffers, t->written_count, list, done), names[op]);
}

/* Wait where the reading of the outputs does not. */
static bool finish(runner *r, const trial *t) {
    if (r->kills) {
        const cl_int code = clWaitForEvents(1, &t->done);
        r->died = code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        return opencl_ok(r, code, "clWaitForEvents");
    }
    if (t->p->queue == QUEUE_SILENT)
        return opencl_ok(r, clFinish(t->queue), "clFinish");
    return t->queue == r->loose_queue || opencl_ok(r, clWaitForEvents(1, &t->done), "clWaitForEvents");
}

static bool run_buffers(runner *r, trial *t, run_route route) {
    t->queue = t->p->queue == QUEUE_OUT_OF_ORDER && r->loose_queue ? r->loose_queue : r->queue;
    if (!upload(r, t, &t->input, CL_MEM_READ_ONLY) || !upload(r, t, &t->index, CL_MEM_WRITE_ONLY) ||
        !upload(r, t, &t->value, CL_MEM_WRITE_ONLY) || !upload(r, t, &t->mask, CL_MEM_READ_ONLY) ||
        !upload(r, t, &t->max_index, CL_MEM_WRITE_ONLY) || !upload(r, t, &t->max_value, CL_MEM_WRITE_ONLY) ||
        (route == ROUTE_PLAN && !open_workspace(r, t)))
        return false;
    argmax_cl_buffers buffers = ARGMAX_CL_BUFFERS_INIT;
    buffers.input = t->input.buffer;
    buffers.index = t->index.buffer;
    buffers.value = t->p->has_value ? t->value.buffer : NULL;
    buffers.mask = t->mask.buffer;
    buffers.max_index = t->max_index.buffer;
    buffers.max_value = t->max_value.buffer;
    return enqueue(r, t, route, &buffers) && finish(r, t) && download(r, t, &t->index) && download(r, t, &t->value) &&
           download(r, t, &t->max_index) && download(r, t, &t->max_value) && download(r, t, &t->mask) &&
           download(r, t, &t->input) && (!t->workspace.image || download(r, t, &t->workspace));
}

/* The arrays lie in the arenas' own images, or beyond all alignment. */
static unsigned char *host_array(arena *a) {
    if (a->bytes == 0)
        return NULL;
    memcpy(a->backing + a->shift, a->image, arena_size(a));
    return a->backing + a->shift + a->guard;
}

/* The device of the host call may pretend to have less. */
static argmax_cl_status limited_host_call(runner *r, const trial *t, const argmax_cl_host_arrays *arrays) {
    device_facts *const facts = &r->handle->facts;
    const device_facts own = *facts;
    argmax_cl_host_options options = ARGMAX_CL_HOST_OPTIONS_INIT;
    options.memory_limit = r->memory_limit;
    if (r->largest_buffer)
        facts->max_buffer = r->largest_buffer;
    facts->host_unified = own.host_unified && !r->copies;
    argmax_cl_status (*const calls[])(argmax_cl_handle, const argmax_cl_desc *, const argmax_cl_host_arrays *,
                                      const argmax_cl_host_options *) = {argmax_cl_host, argmin_cl_host,
                                                                         argminmax_cl_host};
    const argmax_cl_status status = calls[t->p->op](r->handle, &t->d.desc, arrays, &options);
    *facts = own;
    return status;
}

static bool run_host(runner *r, trial *t) {
    arena *const arenas[] = {&t->input, &t->index, &t->value, &t->mask, &t->max_index, &t->max_value};
    const size_t count = sizeof arenas / sizeof arenas[0];
    for (size_t i = 0; i < count; i++) {
        if (!arenas[i]->image)
            continue;
        arenas[i]->backing = malloc(arena_size(arenas[i]) + arenas[i]->shift);
        if (!arenas[i]->backing)
            return problem_with(r, "out of host memory for %zu bytes", arena_size(arenas[i]));
    }
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.input = host_array(&t->input);
    arrays.index = host_array(&t->index);
    arrays.value = host_array(&t->value);
    arrays.mask = host_array(&t->mask);
    arrays.max_index = host_array(&t->max_index);
    arrays.max_value = host_array(&t->max_value);
    if (!library_ok(r, limited_host_call(r, t, &arrays), run_route_names[ROUTE_HOST])) {
        r->died = r->kills && strstr(r->message, "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST");
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (arenas[i]->image)
            memcpy(arenas[i]->actual, arenas[i]->bytes ? arenas[i]->backing + arenas[i]->shift : arenas[i]->image,
                   arena_size(arenas[i]));
    return true;
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

/* NULL for an arena of nothing, which the problem does not have. */
static unsigned char *image_of(arena *a) {
    return a->bytes ? arena_inside(a, a->image) : NULL;
}

static bool judge(runner *r, trial *t) {
    const problem_line *const p = t->p;
    const oracle_arrays arrays = {.input = arena_inside(&t->input, t->input.image),
                                  .mask = image_of(&t->mask),
                                  .index = arena_inside(&t->index, t->index.image),
                                  .value = image_of(&t->value),
                                  .max_index = image_of(&t->max_index),
                                  .max_value = image_of(&t->max_value)};
    oracle_solve_all(p, &arrays);
    forgive_inside(&t->workspace);
    return same(r, t, "index", &t->index, p->index_type, &p->index) &&
           same(r, t, "value", &t->value, p->dtype, p->has_value ? &p->value : NULL) &&
           same(r, t, "max_index", &t->max_index, p->max_index_type, &p->max_index) &&
           same(r, t, "max_value", &t->max_value, p->dtype, &p->max_value) &&
           same(r, t, "mask", &t->mask, ARGMAX_CL_UINT8, NULL) && same(r, t, "input", &t->input, p->dtype, NULL) &&
           same(r, t, "workspace", &t->workspace, ARGMAX_CL_UINT8, NULL);
}

static run_route route_of(const runner *r, const problem_line *p, run_route otherwise) {
    return r->streams ? ROUTE_HOST : p->has_route ? p->route : otherwise;
}

/* A plan is made for every forced problem, so that a refusal costs no data. */
static bool run(runner *r, trial *t, run_route route, const void *content) {
    const problem_line *const p = t->p;
    const bool forced = p->strategy[0] || p->tuning[0];
    problem_describe(p, &t->d);
    r->status = ARGMAX_CL_SUCCESS;
    if (!tuned_use(p->tuning, p->fields))
        return problem_with(r, "the tuning row \"%s\" with the fields \"%s\" cannot be had", p->tuning, p->fields);
    if ((route == ROUTE_PLAN || forced) &&
        !library_ok(r, argmax_cl_plan_create(&t->plan, r->handle, p->op, &t->d.desc), "plan_create"))
        return false;
    return trial_open(r, t, content) && (route == ROUTE_HOST ? run_host(r, t) : run_buffers(r, t, route));
}

/* A strategy or tuning row that does not suit, or what no kernel of the device can do. */
static bool is_refusal(const runner *r, const problem_line *p) {
    const bool forced = p->strategy[0] || p->tuning[0], general = p->mask_of || p->op == ARGMAX_CL_ARGMINMAX;
    return (forced && r->status == ARGMAX_CL_ERROR_INVALID_STRATEGY) ||
           (general && r->handle->facts.no_general && r->status == ARGMAX_CL_ERROR_DEVICE_LIMIT);
}

static run_result run_once(runner *r, const problem_line *p, run_route route) {
    trial t;
    memset(&t, 0, sizeof t);
    t.p = p;
    r->died = false;
    const bool ok = run(r, &t, route_of(r, p, route), NULL) && judge(r, &t);
    trial_close(&t);
    return ok ? RUN_OK : is_refusal(r, p) ? RUN_REFUSED : RUN_FAILED;
}

#define DEATHS_MOST 100 /* in a row */

run_result runner_run(runner *r, const problem_line *p, run_route route) {
    run_result result = run_once(r, p, route);
    for (int i = 0; i < DEATHS_MOST && result == RUN_FAILED && r->died; i++) {
        r->deaths++;
        result = run_once(r, p, route);
    }
    r->runs[result]++;
    return result;
}

bool runner_solve(runner *r, const problem_line *p, run_route route, const void *input, void *index, void *value) {
    trial t;
    memset(&t, 0, sizeof t);
    t.p = p;
    const bool ok = run(r, &t, route_of(r, p, route), input);
    if (ok && t.index.bytes)
        memcpy(index, arena_inside(&t.index, t.index.actual), t.index.bytes);
    if (ok && t.value.bytes && value)
        memcpy(value, arena_inside(&t.value, t.value.actual), t.value.bytes);
    trial_close(&t);
    return ok;
}

bool runner_may_refuse(const runner *r) {
    return r->handle->facts.loop_limit != 0;
}

run_result runner_report(runner *r, const problem_line *p, run_route route) {
    char line[PROBLEM_LINE_SIZE];
    problem_print(p, line, sizeof line);
    route = route_of(r, p, route);
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
