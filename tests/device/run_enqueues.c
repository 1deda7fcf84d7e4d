/* run_enqueues [COUNT] [SELECTOR]
 *
 * So many enqueues by every route, in order and out of order, with and without events, of one and of two stages, while
 * plans come and go; then whether anything has grown since the first tenth: heap, resident memory, threads, open files
 * and, on an OpenCL that tells (tests/stub/), OpenCL objects. An answer of each batch is compared with the oracle's.
 * Exit status 0 when all is right and nothing has grown. */
#include "objects.h"
#include "oracle.h"
#include "problem.h"

#include <argmax_cl/argmax_cl.h>
#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUTS_MAX 16
#define BATCH 50 /* enqueues before the queue is finished */

static const char *const lines[] = {
    "argmax float32 4x20 axes=1 data=pair seed=3",
    "argmin float32 300 data=peak seed=299 strategy=split-rows",
    "argmax int16 200x9 axes=0 data=ties last strategy=split-columns",
};
#define LINES (sizeof lines / sizeof lines[0])

typedef struct job {
    problem_line p;
    problem_desc d;
    argmax_cl_plan plan;
    argmax_cl_buffers buffers;
    cl_mem workspace;
    int64_t expected[OUTPUTS_MAX];
    size_t bytes;
} job;

static job jobs[LINES];
static argmax_cl_handle handle;
static cl_context context;
static cl_device_id device;
static cl_command_queue queues[2]; /* in order, out of order */

#define REQUIRE(what)                                                                                                  \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "run_enqueues: %s failed: %s\n", #what, argmax_cl_last_error());                           \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static cl_mem make_buffer(size_t bytes, void *content) {
    cl_int code;
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (content ? CL_MEM_COPY_HOST_PTR : 0);
    const cl_mem buffer = clCreateBuffer(context, flags, bytes, content, &code);
    REQUIRE(code == CL_SUCCESS);
    return buffer;
}

static void open_job(job *j, const char *line) {
    char error[300];
    size_t workspace = 0;
    REQUIRE(problem_parse(line, &j->p, error, sizeof error));
    const size_t bytes = (size_t)problem_input_extent(&j->p) * problem_dtype_find(j->p.dtype)->bits / 8;
    void *const input = malloc(bytes);
    REQUIRE(input && problem_output_count(&j->p) <= OUTPUTS_MAX);
    problem_fill(&j->p, input);
    oracle_solve(&j->p, input, j->expected, NULL);
    problem_describe(&j->p, &j->d);
    j->bytes = (size_t)problem_output_count(&j->p) * 8;
    argmax_cl_buffers_init(&j->buffers);
    j->buffers.input = make_buffer(bytes, input);
    j->buffers.index = make_buffer(j->bytes, NULL);
    REQUIRE(!argmax_cl_plan_create(&j->plan, handle, j->p.op, &j->d.desc));
    REQUIRE(!argmax_cl_plan_workspace_size(j->plan, &workspace));
    j->workspace = workspace ? make_buffer(workspace, NULL) : NULL;
    free(input);
}

static void close_job(job *j) {
    argmax_cl_plan_destroy(j->plan);
    clReleaseMemObject(j->buffers.input);
    clReleaseMemObject(j->buffers.index);
    if (j->workspace)
        clReleaseMemObject(j->workspace);
}

/* ---- the enqueues ---- */

static argmax_cl_status put(const job *j, bool plan, cl_command_queue queue, cl_uint waits, const cl_event *list,
                            cl_event *done) {
    if (plan)
        return argmax_cl_plan_enqueue(j->plan, queue, &j->buffers, j->workspace, waits, list, done);
    return (j->p.op == ARGMAX_CL_ARGMIN ? argmin_cl : argmax_cl)(handle, queue, &j->d.desc, &j->buffers, waits, list,
                                                                 done);
}

/* One job on one queue; out of order each enqueue waits for the one before, whose outputs and workspace it has. */
static void run_batch(const job *j, bool plan, bool ordered, bool events) {
    int64_t got[OUTPUTS_MAX];
    const cl_command_queue queue = queues[!ordered];
    cl_event last = NULL;
    for (unsigned i = 0; i < BATCH; ++i) {
        cl_event done = NULL;
        REQUIRE(!put(j, plan, queue, last ? 1 : 0, last ? &last : NULL, ordered && !events ? NULL : &done));
        if (last)
            clReleaseEvent(last);
        last = done;
    }
    if (last)
        clReleaseEvent(last);
    REQUIRE(!clFinish(queue));
    REQUIRE(!clEnqueueReadBuffer(queue, j->buffers.index, CL_TRUE, 0, j->bytes, got, 0, NULL, NULL));
    REQUIRE(memcmp(got, j->expected, j->bytes) == 0);
}

/* A plan that lives for one enqueue, and a refusal. */
static void come_and_go(const job *j) {
    argmax_cl_plan plan = NULL;
    argmax_cl_buffers none = j->buffers;
    none.index = NULL;
    REQUIRE(!argmax_cl_plan_create(&plan, handle, j->p.op, &j->d.desc));
    REQUIRE(argmax_cl_plan_enqueue(plan, queues[0], &none, j->workspace, 0, NULL, NULL));
    REQUIRE(!argmax_cl_plan_enqueue(plan, queues[0], &j->buffers, j->workspace, 0, NULL, NULL));
    argmax_cl_plan_destroy(plan);
    REQUIRE(!clFinish(queues[0]));
}

static unsigned long run(unsigned long first, unsigned long count) {
    unsigned long done = 0;
    for (unsigned long n = first; done < count; ++n) {
        const job *const j = &jobs[n % LINES];
        run_batch(j, n / LINES % 2, n / LINES / 2 % 2, n / LINES / 4 % 2);
        come_and_go(j);
        done += BATCH + 1;
    }
    return done;
}

/* ---- what must not grow ---- */

typedef enum use { USE_HEAP, USE_RESIDENT, USE_THREADS, USE_FILES, USE_OBJECTS, USES } use;

static const struct {
    const char *name;
    long slack;  /* that has nothing to do with the number of enqueues */
    double each; /* of an enqueue */
} limits[USES] = {
    [USE_HEAP] = {"bytes of heap", 65536, 0.5}, [USE_RESIDENT] = {"KiB resident", 2048, 0.001},
    [USE_THREADS] = {"threads", 0, 0},          [USE_FILES] = {"open files", 0, 0},
    [USE_OBJECTS] = {"OpenCL objects", 0, 0},
};

static long status_line(const char *name) {
    char line[256];
    long value = -1;
    FILE *const file = fopen("/proc/self/status", "r");
    while (file && value < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            value = strtol(line + strlen(name), NULL, 10);
    if (file)
        fclose(file);
    return value;
}

static long open_files(void) {
    long count = 0;
    DIR *const folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        ++count;
    if (folder)
        closedir(folder);
    return count;
}

/* -1 for what cannot be told here. */
static void measure(long uses[USES]) {
    const cl_device_info objects_alive = 0x5701; /* STUB_OBJECTS_ALIVE */
    cl_ulong objects = 0;
    const struct mallinfo2 heap = mallinfo2();
    /* A sanitizer's malloc tells nothing here, and keeps what is freed; it looks for leaks itself. */
    const bool tells = heap.uordblks > 0;
    uses[USE_HEAP] = tells ? (long)(heap.uordblks + heap.hblkhd) : -1;
    uses[USE_RESIDENT] = tells ? status_line("VmRSS:") : -1;
    uses[USE_THREADS] = status_line("Threads:");
    uses[USE_FILES] = open_files();
    uses[USE_OBJECTS] =
        clGetDeviceInfo(device, objects_alive, sizeof objects, &objects, NULL) == CL_SUCCESS ? (long)objects : -1;
}

static bool report(const long before[USES], const long after[USES], unsigned long enqueues) {
    bool good = true;
    for (use u = 0; u < USES; ++u) {
        const long growth = after[u] - before[u];
        const bool right = (double)growth <= (double)limits[u].slack + limits[u].each * (double)enqueues;
        if (after[u] >= 0)
            printf("%-16s %10ld %10ld%s\n", limits[u].name, before[u], after[u], right ? "" : "  GROWS");
        good = good && right;
    }
    return good;
}

int main(int argc, char **argv) {
    const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
    long before[USES], after[USES];
    REQUIRE(!argmax_cl_create_default(&handle, argc > 2 ? argv[2] : NULL));
    REQUIRE(!argmax_cl_get_device(handle, &context, &device));
    for (int i = 0; i < 2; ++i)
        queues[i] = open_queue(context, device, i);
    REQUIRE(queues[0] && queues[1]);
    for (size_t i = 0; i < LINES; ++i)
        open_job(&jobs[i], lines[i]);
    const unsigned long first = run(0, count / 10);
    measure(before);
    const unsigned long rest = run(first / (BATCH + 1), count > first ? count - first : 1);
    measure(after);
    printf("%lu enqueues; after the first %lu and at the end:\n", first + rest, first);
    const bool good = report(before, after, rest);
    for (size_t i = 0; i < LINES; ++i)
        close_job(&jobs[i]);
    clReleaseCommandQueue(queues[0]);
    clReleaseCommandQueue(queues[1]);
    argmax_cl_destroy(handle);
    return !good;
}
