/* One problem with its OpenCL objects. */
#include "job.h"

#include "objects.h"
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

cl_mem buffer_of(const runner *r, cl_mem_flags flags, size_t bytes, void *content) {
    cl_int code;
    const cl_mem buffer =
        clCreateBuffer(r->context, flags | (content ? CL_MEM_COPY_HOST_PTR : 0), bytes, content, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    return buffer;
}

void job_open(job *j, const char *line) {
    char error[300];
    memset(j, 0, sizeof *j);
    ck_assert_msg(problem_parse(line, &j->p, error, sizeof error), "%s: %s", line, error);
    const uint64_t count = problem_output_count(&j->p);
    ck_assert_uint_le(count, OUTPUTS_MAX);
    const size_t bytes = (size_t)problem_input_extent(&j->p) * problem_dtype_find(j->p.dtype)->bits / 8;
    j->input = malloc(bytes ? bytes : 1);
    ck_assert_ptr_nonnull(j->input);
    problem_fill(&j->p, j->input);
    oracle_solve(&j->p, j->input, j->expected, NULL);
    problem_describe(&j->p, &j->d);
    argmax_cl_buffers_init(&j->buffers);
    if (bytes)
        j->buffers.input = buffer_of(suite_runner(), CL_MEM_READ_ONLY, bytes, j->input);
    if (count)
        j->buffers.index = buffer_of(suite_runner(), CL_MEM_WRITE_ONLY, (size_t)count * 8, NULL);
}

void job_close(job *j) {
    if (j->buffers.input)
        clReleaseMemObject(j->buffers.input);
    if (j->buffers.index)
        clReleaseMemObject(j->buffers.index);
    free(j->input);
}

void job_spoil(const job *j, cl_command_queue queue) {
    int64_t spoilt[OUTPUTS_MAX];
    const size_t bytes = (size_t)problem_output_count(&j->p) * 8;
    memset(spoilt, 0x5A, sizeof spoilt);
    ck_assert_int_eq(clEnqueueWriteBuffer(queue, j->buffers.index, CL_TRUE, 0, bytes, spoilt, 0, NULL, NULL),
                     CL_SUCCESS);
}

bool job_is_right(const job *j, cl_command_queue queue, cl_event event) {
    int64_t index[OUTPUTS_MAX];
    const size_t bytes = (size_t)problem_output_count(&j->p) * 8;
    return clEnqueueReadBuffer(queue, j->buffers.index, CL_TRUE, 0, bytes, index, event ? 1 : 0, event ? &event : NULL,
                               NULL) == CL_SUCCESS &&
           memcmp(index, j->expected, bytes) == 0;
}

cl_command_queue queue_of(const runner *r, bool out_of_order) {
    const cl_command_queue queue = open_queue(r->context, r->device, out_of_order);
    ck_assert_ptr_nonnull(queue);
    return queue;
}

argmax_cl_plan plan_of(const job *j) {
    argmax_cl_plan plan = NULL;
    ck_assert_msg(argmax_cl_plan_create(&plan, suite_runner()->handle, j->p.op, &j->d.desc) == ARGMAX_CL_SUCCESS, "%s",
                  argmax_cl_last_error());
    return plan;
}

size_t workspace_bytes(argmax_cl_plan plan) {
    size_t bytes = 0;
    ck_assert_int_eq(argmax_cl_plan_workspace_size(plan, &bytes), ARGMAX_CL_SUCCESS);
    return bytes;
}

cl_mem workspace_of(argmax_cl_plan plan) {
    const size_t bytes = workspace_bytes(plan);
    return bytes ? buffer_of(suite_runner(), CL_MEM_READ_WRITE, bytes, NULL) : NULL;
}

argmax_cl_status job_enqueue(const job *j, argmax_cl_plan plan, cl_command_queue queue, cl_mem workspace, cl_uint count,
                             const cl_event *list, cl_event *event) {
    if (plan)
        return argmax_cl_plan_enqueue(plan, queue, &j->buffers, workspace, count, list, event);
    return (j->p.op == ARGMAX_CL_ARGMIN ? argmin_cl : argmax_cl)(suite_runner()->handle, queue, &j->d.desc, &j->buffers,
                                                                 count, list, event);
}
