#include "runner.h"

#include "api/handle.h"
#include "trial.h"
#include "tuned.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool runner_failed(runner *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->message, sizeof r->message, format, arguments);
    va_end(arguments);
    return false;
}

bool opencl_ok(runner *r, cl_int code, const char *what) {
    return code == CL_SUCCESS || runner_failed(r, "%s failed with OpenCL error %d", what, code);
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
        return runner_failed(r, "%s", argmax_cl_last_error());
    cl_uint alignment_bits = 0;
    cl_int code =
        clGetDeviceInfo(r->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof alignment_bits, &alignment_bits, NULL);
    if (!opencl_ok(r, code, "clGetDeviceInfo"))
        return false;
    device_facts facts;
    if (device_query(r->device, &facts) != ARGMAX_CL_SUCCESS)
        return runner_failed(r, "%s", argmax_cl_last_error());
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

static run_route route_of(const runner *r, const problem_line *p, run_route otherwise) {
    return r->streams ? ROUTE_HOST : p->has_route ? p->route : otherwise;
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
    const bool ok = trial_run(r, &t, route_of(r, p, route), NULL) && trial_judge(r, &t);
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
    const bool ok = trial_run(r, &t, route_of(r, p, route), input);
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
