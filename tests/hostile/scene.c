#include "scene.h"

#include <string.h>

const char *const lines[LINES] = {"argmax float32 50x30 axes=1",
                                  "argmax float32 5000 axes=0 data=pair seed=7 strategy=split-rows",
                                  "argmax int64 5000 axes=0 data=pair seed=8 strategy=split-rows",
                                  "argmin float32 64x50 axes=0 strategy=split-columns",
                                  "argmax float32 2x1000x24 axes=1 data=pair seed=9 strategy=split-columns tuning=gpu"};

argmax_cl_handle open_handle(void) {
    argmax_cl_handle handle = NULL;
    ck_assert_int_eq(argmax_cl_create(&handle, suite_runner()->context, suite_runner()->device), ARGMAX_CL_SUCCESS);
    return handle;
}

void open_scene(scene *s, const char *line, argmax_cl_handle handle, bool by_plan) {
    memset(s, 0, sizeof *s);
    job_open(&s->j, line);
    s->handle = handle;
    if (s->j.d.desc.value)
        s->j.buffers.value = buffer_of(suite_runner(), CL_MEM_READ_WRITE, OUTPUTS_MAX * sizeof(int64_t), NULL);
    if (by_plan) {
        ck_assert_int_eq(argmax_cl_plan_create(&s->plan, handle, s->j.p.op, &s->j.d.desc), ARGMAX_CL_SUCCESS);
        s->workspace = workspace_of(s->plan);
    }
}

void close_scene(scene *s) {
    if (s->workspace)
        clReleaseMemObject(s->workspace);
    if (s->j.buffers.value)
        clReleaseMemObject(s->j.buffers.value);
    argmax_cl_plan_destroy(s->plan);
    job_close(&s->j);
}

argmax_cl_status enqueue(const scene *s, cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event) {
    return s->plan ? argmax_cl_plan_enqueue(s->plan, queue, &s->j.buffers, s->workspace, count, list, event)
                   : (s->j.p.op == ARGMAX_CL_ARGMIN ? argmin_cl : argmax_cl)(s->handle, queue, &s->j.d.desc,
                                                                             &s->j.buffers, count, list, event);
}

cl_int outcome(cl_event event) {
    cl_int state = CL_QUEUED;
    clWaitForEvents(1, &event);
    ck_assert_int_eq(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL), CL_SUCCESS);
    clReleaseEvent(event);
    return state;
}

cl_int enqueue_and_wait(const scene *s, cl_command_queue queue) {
    cl_event done = NULL;
    ck_assert_int_eq(enqueue(s, queue, 0, NULL, &done), ARGMAX_CL_SUCCESS);
    return outcome(done);
}

void expect_right(const scene *s, cl_command_queue queue, const char *when) {
    job_spoil(&s->j, queue);
    ck_assert_int_eq(enqueue_and_wait(s, queue), CL_COMPLETE);
    ck_assert_msg(job_is_right(&s->j, queue, NULL), "%s %s", s->j.d.desc.strategy ? s->j.d.desc.strategy : "", when);
}
