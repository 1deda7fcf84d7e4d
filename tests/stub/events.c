/* Events of the stub: a status behind a lock of its own. */
#include "stub.h"

cl_event stub_event(cl_context context, cl_int status) {
    const cl_event event = stub_new(STUB_EVENT, sizeof *event);
    event->context = context;
    event->status = status;
    pthread_mutex_init(&event->lock, NULL);
    pthread_cond_init(&event->changed, NULL);
    stub_retain(context);
    return event;
}

static cl_int status_of(cl_event event, bool wait) {
    pthread_mutex_lock(&event->lock);
    while (wait && event->status > CL_COMPLETE)
        pthread_cond_wait(&event->changed, &event->lock);
    const cl_int status = event->status;
    pthread_mutex_unlock(&event->lock);
    return status;
}

void stub_set_status(cl_event event, cl_int status) {
    pthread_mutex_lock(&event->lock);
    event->status = status;
    pthread_cond_broadcast(&event->changed);
    pthread_mutex_unlock(&event->lock);
}

cl_event clCreateUserEvent(cl_context context, cl_int *code) {
    *code = stub_is(context, STUB_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT;
    return *code == CL_SUCCESS ? stub_event(context, CL_SUBMITTED) : NULL;
}

cl_int clSetUserEventStatus(cl_event event, cl_int status) {
    if (!stub_is(event, STUB_EVENT))
        return CL_INVALID_EVENT;
    stub_set_status(event, status);
    return CL_SUCCESS;
}

cl_int clWaitForEvents(cl_uint count, const cl_event *events) {
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < count; ++i) {
        if (!stub_is(events[i], STUB_EVENT))
            return CL_INVALID_EVENT;
        if (status_of(events[i], true) < 0)
            code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return code;
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t bytes, void *to, size_t *needed) {
    if (!stub_is(event, STUB_EVENT))
        return CL_INVALID_EVENT;
    if (what == CL_EVENT_CONTEXT)
        return stub_answer(&event->context, sizeof event->context, bytes, to, needed);
    if (what != CL_EVENT_COMMAND_EXECUTION_STATUS)
        return CL_INVALID_VALUE;
    const cl_int status = status_of(event, false);
    return stub_answer(&status, sizeof status, bytes, to, needed);
}

/* No command takes any time. */
cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t bytes, void *to, size_t *needed) {
    const cl_ulong never = 0;
    (void)what;
    return stub_is(event, STUB_EVENT) ? stub_answer(&never, sizeof never, bytes, to, needed) : CL_INVALID_EVENT;
}

cl_int clRetainEvent(cl_event event) {
    if (!stub_is(event, STUB_EVENT))
        return CL_INVALID_EVENT;
    stub_retain(event);
    return CL_SUCCESS;
}

cl_int clReleaseEvent(cl_event event) {
    if (!stub_is(event, STUB_EVENT))
        return CL_INVALID_EVENT;
    if (stub_release(event)) {
        pthread_mutex_destroy(&event->lock);
        pthread_cond_destroy(&event->changed);
        if (event->queue)
            clReleaseCommandQueue(event->queue);
        clReleaseContext(event->context);
        stub_free(event);
    }
    return CL_SUCCESS;
}
