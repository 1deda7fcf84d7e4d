#include "first.h"

#include "check.h"
#include "fill.h"
#include "report.h"
#include "threads.h"

#include <stdlib.h>

typedef struct first_job {
    argmax_cl_handle handle;
    argmax_cl_plan plan;
    argmax_cl_buffers buffers;
    cl_mem workspace;
    void *input, *index, *value;
    size_t input_bytes, index_bytes, value_bytes;
    double create, make_plan, run, again; /* seconds */
    unsigned builds, launches;            /* up to the first result */
} first_job;

static bool prepare(first_job *j, const bench_device *device, const problem_line *p) {
    const size_t element = argmax_cl_dtype_size(p->dtype);
    cl_int code;
    j->input_bytes = (size_t)problem_input_extent(p) * element;
    j->index_bytes = (size_t)problem_output_extent(p, &p->index) * argmax_cl_dtype_size(p->index_type);
    j->value_bytes = p->has_value ? (size_t)problem_output_extent(p, &p->value) * element : 0;
    j->input = aligned_alloc(4096, (j->input_bytes / 4096 + 1) * 4096);
    j->index = calloc(1, j->index_bytes);
    j->value = p->has_value ? calloc(1, j->value_bytes) : NULL;
    if (j->input == NULL || j->index == NULL || (p->has_value && j->value == NULL))
        return complain("no host memory for an input of %zu bytes", j->input_bytes);
    fill_data(p, j->input);
    if (check_method(p) == CHECK_PLANTED)
        fill_plant(p, j->input);
    argmax_cl_buffers_init(&j->buffers);
    j->buffers.input = device_buffer(device, j->input, j->input_bytes);
    j->buffers.index = clCreateBuffer(device->context, CL_MEM_READ_WRITE, j->index_bytes, NULL, &code);
    if (code == CL_SUCCESS && p->has_value)
        j->buffers.value = clCreateBuffer(device->context, CL_MEM_READ_WRITE, j->value_bytes, NULL, &code);
    return j->buffers.input != NULL && succeeded(code, "clCreateBuffer");
}

/* With the workspace, which a caller of argmax_cl gets from the handle. */
static bool run(first_job *j, const bench_device *device) {
    size_t bytes = 0;
    cl_int code = CL_SUCCESS;
    if (j->workspace == NULL && argmax_cl_plan_workspace_size(j->plan, &bytes) == ARGMAX_CL_SUCCESS && bytes > 0)
        j->workspace = clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (!succeeded(code, "clCreateBuffer"))
        return false;
    if (argmax_cl_plan_enqueue(j->plan, device->plain, &j->buffers, j->workspace, 0, NULL, NULL) != ARGMAX_CL_SUCCESS)
        return complain("%s", argmax_cl_last_error());
    return succeeded(clFinish(device->plain), "clFinish");
}

static bool time_all(first_job *j, const bench_device *device, const problem_line *p) {
    problem_desc desc;
    problem_describe(p, &desc);
    const unsigned builds = record_builds(), launches = record_launches();
    const double start = now();
    if (argmax_cl_create(&j->handle, device->context, device->id) != ARGMAX_CL_SUCCESS)
        return complain("%s", argmax_cl_last_error());
    const double created = now();
    if (argmax_cl_plan_create(&j->plan, j->handle, p->op, &desc.desc) != ARGMAX_CL_SUCCESS)
        return complain("%s", argmax_cl_last_error());
    const double planned = now();
    if (!run(j, device))
        return false;
    const double done = now();
    j->builds = record_builds() - builds;
    j->launches = record_launches() - launches;
    if (!run(j, device))
        return false;
    j->again = now() - done;
    j->create = created - start;
    j->make_plan = planned - created;
    j->run = done - planned;
    return true;
}

static bool check(first_job *j, const bench_device *device, const problem_line *p) {
    cl_int code =
        clEnqueueReadBuffer(device->plain, j->buffers.index, CL_TRUE, 0, j->index_bytes, j->index, 0, NULL, NULL);
    if (code == CL_SUCCESS && p->has_value)
        code =
            clEnqueueReadBuffer(device->plain, j->buffers.value, CL_TRUE, 0, j->value_bytes, j->value, 0, NULL, NULL);
    return succeeded(code, "clEnqueueReadBuffer") &&
           (check_answers_of(p, j->input, j->index, j->index_bytes, j->value, j->value_bytes) != CHECK_WRONG ||
            complain("the first answer is wrong"));
}

static void print(const first_job *j, const bench_device *device, const char *line, const char *commit, FILE *json) {
    const double total = j->create + j->make_plan + j->run;
    printf("%s, driver %s\n%s\n", device->name, device->driver, line);
    printf("create %.1f ms, plan %.1f ms, run %.1f ms: first result after %.1f ms; the next run %.3f ms\n",
           1e3 * j->create, 1e3 * j->make_plan, 1e3 * j->run, 1e3 * total, 1e3 * j->again);
    printf("%u programs compiled, %u kernels launched\n", j->builds, j->launches);
    if (json == NULL)
        return;
    fputc('{', json);
    report_strings(json, device, commit, line);
    fprintf(json, "\"first\": true, \"ms_create\": %.3f, \"ms_plan\": %.3f, \"ms_run\": %.3f, \"ms_first\": %.3f, ",
            1e3 * j->create, 1e3 * j->make_plan, 1e3 * j->run, 1e3 * total);
    fprintf(json, "\"programs\": %u, \"launches\": %u}\n", j->builds, j->launches);
}

bool first_result(const bench_device *device, const problem_line *p, const char *line, const char *commit, FILE *json) {
    first_job j = {.handle = NULL};
    bool good = prepare(&j, device, p) && time_all(&j, device, p) && check(&j, device, p);
    if (good) {
        print(&j, device, line, commit, json);
        good = j.builds <= j.launches || complain("more programs were compiled than kernels launched");
    }
    cl_mem const memories[] = {j.buffers.input, j.buffers.index, j.buffers.value, j.workspace};
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++)
        if (memories[i] != NULL)
            clReleaseMemObject(memories[i]);
    argmax_cl_plan_destroy(j.plan);
    argmax_cl_destroy(j.handle);
    free(j.input);
    free(j.index);
    free(j.value);
    return good;
}
