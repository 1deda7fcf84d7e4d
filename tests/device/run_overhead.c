/* run_overhead [--device SELECTOR] [--count N] [PROBLEM...]
 *
 * What an enqueue costs the host beyond the OpenCL calls that nobody can do without, clSetKernelArg and
 * clEnqueueNDRangeKernel: by plan, by the one-call function with its plan cached, and by a one-call function that is
 * given another descriptor each time, of two whose plans are cached. The queue is idle before each, the routes take
 * turns. Prints medians of N repetitions in microseconds; the calls themselves count two readings of the clock each.
 * Needs a dynamic linker that lets a program stand before the ICD loader. Exit status 0 when all answers are right. */
#include "arguments.h"
#include "oracle.h"
#include "own_kernels.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>

#define REPETITIONS_MAX 100000

static const char *const usual[] = {
    "argmax float32 1024",
    "argmax float32 65536",
    "argmax float64 65536",
    "argmax float32 1048576",
    "argmax float32 32x50257 axes=1",
    "argmax float32 65536x64 axes=0 value",
    "argmin float16 64x100x128 axes=0,2",
};

/* ---- The OpenCL calls, timed ----------------------------------------------------------------------------------- */

static double calls_seconds; /* since it was last set to 0 */

static void *next_of(const char *name) {
    void *const address = dlsym(RTLD_NEXT, name);
    REQUIRE(address);
    return address;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void *arg_value) {
    static cl_int (*next)(cl_kernel, cl_uint, size_t, const void *);
    if (!next)
        *(void **)&next = next_of("clSetKernelArg");
    const double start = own_seconds();
    const cl_int code = next(kernel, arg_index, arg_size, arg_value);
    calls_seconds += own_seconds() - start;
    return code;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                              const size_t *global_work_offset, const size_t *global_work_size,
                              const size_t *local_work_size, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event) {
    static cl_int (*next)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                          const cl_event *, cl_event *);
    if (!next)
        *(void **)&next = next_of("clEnqueueNDRangeKernel");
    const double start = own_seconds();
    const cl_int code = next(command_queue, kernel, work_dim, global_work_offset, global_work_size, local_work_size,
                             num_events_in_wait_list, event_wait_list, event);
    calls_seconds += own_seconds() - start;
    return code;
}

/* ---- One problem ----------------------------------------------------------------------------------------------- */

typedef enum route { BY_PLAN, BY_CALL, BY_TWO_CALLS, ROUTES } route;

typedef struct job {
    problem_line p, other; /* the other one: argmin for argmax */
    problem_desc d, other_d;
    argmax_cl_plan plan;
    argmax_cl_buffers buffers;
    cl_mem workspace;
} job;

static cl_mem open_input(const runner *r, const problem_line *p, void **content) {
    const size_t bytes = (size_t)problem_input_extent(p) * problem_dtype_find(p->dtype)->bits / 8;
    *content = malloc(bytes);
    REQUIRE(*content);
    problem_fill(p, *content);
    return own_buffer(r, CL_MEM_READ_ONLY, bytes, *content);
}

static void open_job(const runner *r, job *j, void **content) {
    size_t bytes = 0;
    const uint64_t outputs = problem_output_count(&j->p);
    j->other = j->p;
    j->other.op = j->p.op == ARGMAX_CL_ARGMAX ? ARGMAX_CL_ARGMIN : ARGMAX_CL_ARGMAX;
    problem_describe(&j->p, &j->d);
    problem_describe(&j->other, &j->other_d);
    argmax_cl_buffers_init(&j->buffers);
    j->buffers.input = open_input(r, &j->p, content);
    j->buffers.index = own_buffer(r, CL_MEM_READ_WRITE, (size_t)outputs * sizeof(int64_t), NULL);
    if (j->p.has_value)
        j->buffers.value =
            own_buffer(r, CL_MEM_READ_WRITE, (size_t)outputs * problem_dtype_find(j->p.dtype)->bits / 8, NULL);
    REQUIRE(!argmax_cl_plan_create(&j->plan, r->handle, j->p.op, &j->d.desc));
    REQUIRE(!argmax_cl_plan_workspace_size(j->plan, &bytes));
    j->workspace = own_buffer(r, CL_MEM_READ_WRITE, bytes, NULL);
}

static void close_job(job *j) {
    argmax_cl_plan_destroy(j->plan);
    own_release(j->buffers.input);
    own_release(j->buffers.index);
    own_release(j->buffers.value);
    own_release(j->workspace);
}

static argmax_cl_status call(const runner *r, const job *j, bool other) {
    const problem_line *const p = other ? &j->other : &j->p;
    return (p->op == ARGMAX_CL_ARGMAX ? argmax_cl : argmin_cl)(
        r->handle, r->queue, other ? &j->other_d.desc : &j->d.desc, &j->buffers, 0, NULL, NULL);
}

/* Seconds until the enqueue returned; those of the OpenCL calls in it are in calls_seconds. */
static double enqueue(const runner *r, const job *j, route way, uint64_t repetition) {
    calls_seconds = 0;
    const double start = own_seconds();
    const argmax_cl_status status =
        way == BY_PLAN ? argmax_cl_plan_enqueue(j->plan, r->queue, &j->buffers, j->workspace, 0, NULL, NULL)
                       : call(r, j, way == BY_TWO_CALLS && repetition % 2);
    const double seconds = own_seconds() - start;
    REQUIRE(!status);
    REQUIRE(!clFinish(r->queue));
    return seconds;
}

static bool is_right(const runner *r, const job *j, const void *content) {
    const size_t outputs = (size_t)problem_output_count(&j->p);
    const size_t value_bytes = outputs * problem_dtype_find(j->p.dtype)->bits / 8;
    int64_t *const expected = calloc(outputs, sizeof *expected), *const got = calloc(outputs, sizeof *got);
    void *const value = malloc(value_bytes);
    REQUIRE(expected && got && value);
    oracle_solve(&j->p, content, expected, j->p.has_value ? value : NULL);
    REQUIRE(!clEnqueueReadBuffer(r->queue, j->buffers.index, CL_TRUE, 0, outputs * sizeof *got, got, 0, NULL, NULL));
    const bool right = memcmp(got, expected, outputs * sizeof *got) == 0;
    free(expected);
    free(got);
    free(value);
    return right;
}

/* ---- Figures --------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, uint64_t count) {
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

static bool run_problem(const runner *r, const char *line, uint64_t count) {
    static double calls[ROUTES][REPETITIONS_MAX], rest[ROUTES][REPETITIONS_MAX];
    job j = {.plan = NULL};
    void *content = NULL;
    char error[300];
    REQUIRE(problem_parse(line, &j.p, error, sizeof error));
    open_job(r, &j, &content);
    for (uint64_t i = 0; i < UINT64_C(8) * ROUTES; i++) /* compiled, cached, warm */
        enqueue(r, &j, (route)(i % ROUTES), i / ROUTES);
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t way = 0; way < ROUTES; way++) {
            const double seconds = enqueue(r, &j, (route)way, i);
            calls[way][i] = calls_seconds * 1e6;
            rest[way][i] = (seconds - calls_seconds) * 1e6;
        }
    printf("%-40s", line);
    for (uint64_t way = 0; way < ROUTES; way++)
        printf(" %8.2f %8.2f", median(calls[way], count), median(rest[way], count));
    enqueue(r, &j, BY_PLAN, 0);
    const bool right = is_right(r, &j, content);
    puts(right ? "" : "  WRONG");
    fflush(stdout);
    free(content);
    close_job(&j);
    return right;
}

int main(int argc, char **argv) {
    const char *device = NULL;
    uint64_t count = 2000;
    const argument_option known[] = {{"--device", &device, NULL}, {"--count", NULL, &count}};
    int i = 1;
    bool ok = true;
    for (; i + 1 < argc && argv[i][0] == '-' && ok; i += 2)
        ok = arguments_take(known, sizeof known / sizeof known[0], argv[i], argv[i + 1]);
    if (!ok || count < 1 || count > REPETITIONS_MAX) {
        fprintf(stderr, "usage: run_overhead [--device SELECTOR] [--count 1..%d] [PROBLEM...]\n", REPETITIONS_MAX);
        return 2;
    }
    runner r;
    REQUIRE(runner_open(&r, device));
    const double start = own_seconds();
    for (int n = 0; n < 1000; n++)
        own_seconds();
    printf("microseconds of the host, medians of %" PRIu64 "; a reading of the clock takes %.3f\n", count,
           (own_seconds() - start) * 1e3);
    printf("%-40s %17s %17s %17s\n%-40s", "", "plan_enqueue", "one call", "one of two calls", "problem");
    for (int way = 0; way < ROUTES; way++)
        printf(" %8s %8s", "OpenCL", "rest");
    puts("");
    bool right = true;
    for (size_t n = 0; i >= argc && n < sizeof usual / sizeof usual[0]; n++)
        right &= run_problem(&r, usual[n], count);
    for (; i < argc; i++)
        right &= run_problem(&r, argv[i], count);
    runner_close(&r);
    return !right;
}
