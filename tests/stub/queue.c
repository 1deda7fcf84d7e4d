/* Queues of the stub. An in-order queue has one thread that runs its commands, an out-of-order queue has two
 * that take them as they come; each command first waits for its wait list. */
#include "stub.h"

#include <stdlib.h>
#include <string.h>

/* ---- commands ---- */

static void for_buffers(const stub_command *c, cl_int (*act)(cl_mem)) {
    static const stub_role roles[] = {ROLE_INPUT, ROLE_PARTIALS, ROLE_INDEX, ROLE_VALUE, ROLE_COUNTERS};
    for (size_t i = 0; c->arguments && i < sizeof roles / sizeof roles[0]; ++i)
        if (stub_buffer(c->arguments, roles[i]))
            act(stub_buffer(c->arguments, roles[i]));
    if (c->buffer)
        act(c->buffer);
}

static void run_command(stub_command *c) {
    cl_int status = CL_COMPLETE;
    if (c->wait_count && clWaitForEvents(c->wait_count, c->waits) != CL_SUCCESS)
        status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    else if (c->run)
        status = c->run(c);
    for_buffers(c, clReleaseMemObject);
    if (c->event) {
        stub_set_status(c->event, status);
        clReleaseEvent(c->event);
    }
    for (cl_uint i = 0; i < c->wait_count; ++i)
        clReleaseEvent(c->waits[i]);
    free(c->waits);
    free(c->arguments);
    free(c);
}

static atomic_uint queues;

static void free_queue(cl_command_queue queue) {
    atomic_fetch_sub(&queues, 1);
    stub_free(queue);
}

/* The last thread of a queue that nobody holds any more takes it with it. */
static void end_worker(stub_engine *engine) {
    const bool last = --engine->workers == 0;
    pthread_mutex_unlock(&engine->lock);
    if (!last)
        return;
    pthread_mutex_destroy(&engine->lock);
    pthread_cond_destroy(&engine->changed);
    if (engine->queue)
        free_queue(engine->queue);
    clReleaseContext(engine->context);
    free(engine);
}

static void *work(void *argument) {
    stub_engine *const engine = argument;
    pthread_mutex_lock(&engine->lock);
    for (;;) {
        while (!engine->first && !engine->closing)
            pthread_cond_wait(&engine->changed, &engine->lock);
        stub_command *const command = engine->first;
        if (!command)
            break;
        engine->first = command->next;
        ++engine->running;
        pthread_mutex_unlock(&engine->lock);
        run_command(command);
        pthread_mutex_lock(&engine->lock);
        --engine->running;
        pthread_cond_broadcast(&engine->changed);
    }
    end_worker(engine);
    return NULL;
}

/* ---- queues ---- */

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                                      cl_int *code) {
    (void)device;
    *code = !stub_is(context, STUB_CONTEXT)                                      ? CL_INVALID_CONTEXT
            : stub_manners.queues && atomic_load(&queues) >= stub_manners.queues ? CL_OUT_OF_RESOURCES
                                                                                 : CL_SUCCESS;
    if (*code != CL_SUCCESS)
        return NULL;
    const cl_command_queue queue = stub_new(STUB_QUEUE, sizeof *queue);
    stub_engine *const engine = calloc(1, sizeof *engine);
    if (!engine)
        abort();
    atomic_fetch_add(&queues, 1);
    queue->context = engine->context = context;
    queue->properties = properties;
    queue->engine = engine;
    engine->queue = queue;
    pthread_mutex_init(&engine->lock, NULL);
    pthread_cond_init(&engine->changed, NULL);
    stub_retain(context);
    const uint32_t workers = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE ? STUB_WORKERS : 1;
    engine->workers = workers;
    for (uint32_t i = 0; i < workers; ++i) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, engine) != 0)
            abort();
        pthread_detach(thread);
    }
    return queue;
}

cl_int clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what, size_t bytes, void *to,
                             size_t *needed) {
    if (!stub_is(queue, STUB_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (what == CL_QUEUE_CONTEXT)
        return stub_answer(&queue->context, sizeof queue->context, bytes, to, needed);
    if (what == CL_QUEUE_DEVICE)
        return stub_answer(&queue->context->device, sizeof queue->context->device, bytes, to, needed);
    if (what == CL_QUEUE_PROPERTIES)
        return stub_answer(&queue->properties, sizeof queue->properties, bytes, to, needed);
    return CL_INVALID_VALUE;
}

cl_int clReleaseCommandQueue(cl_command_queue queue) {
    if (!stub_is(queue, STUB_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (stub_release(queue)) {
        stub_engine *const engine = queue->engine;
        const bool drop = stub_manners.drop_queues;
        pthread_mutex_lock(&engine->lock);
        engine->closing = true;
        if (drop)
            engine->queue = NULL;
        pthread_cond_broadcast(&engine->changed);
        pthread_mutex_unlock(&engine->lock);
        if (drop)
            free_queue(queue);
    }
    return CL_SUCCESS;
}

cl_int clFlush(cl_command_queue queue) {
    return stub_is(queue, STUB_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

cl_int clFinish(cl_command_queue queue) {
    if (!stub_is(queue, STUB_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    stub_engine *const engine = queue->engine;
    pthread_mutex_lock(&engine->lock);
    while (engine->first || engine->running)
        pthread_cond_wait(&engine->changed, &engine->lock);
    pthread_mutex_unlock(&engine->lock);
    return CL_SUCCESS;
}

/* Put a copy of the command on the queue; `wait`: until it is done. */
static cl_int put(cl_command_queue queue, const stub_command *what, cl_uint wait_count, const cl_event *waits,
                  cl_event *event, bool wait) {
    if (!stub_is(queue, STUB_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    stub_command *const c = malloc(sizeof *c);
    cl_event *const copies = calloc(wait_count + 1, sizeof *copies);
    if (!c || !copies)
        abort();
    *c = *what;
    c->wait_count = wait_count;
    c->waits = copies;
    for (cl_uint i = 0; i < wait_count; ++i) {
        copies[i] = waits[i];
        clRetainEvent(copies[i]);
    }
    const cl_event done = event || wait ? stub_event(queue->context, CL_QUEUED) : NULL;
    c->event = done;
    if (done && stub_manners.hold_queues) {
        done->queue = queue;
        stub_retain(queue);
    }
    if (done)
        clRetainEvent(done);
    for_buffers(c, clRetainMemObject);
    stub_engine *const engine = queue->engine;
    pthread_mutex_lock(&engine->lock);
    if (engine->first)
        engine->last->next = c;
    else
        engine->first = c;
    engine->last = c;
    pthread_cond_broadcast(&engine->changed);
    pthread_mutex_unlock(&engine->lock);
    const cl_int code = wait ? clWaitForEvents(1, &done) : CL_SUCCESS;
    if (event)
        *event = done;
    else if (done)
        clReleaseEvent(done);
    return code;
}

static cl_int run_kernel(stub_command *c) {
    return stub_run_kernel(c->arguments, c->groups);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint wait_count, const cl_event *waits,
                              cl_event *event) {
    if (!stub_is(kernel, STUB_KERNEL))
        return CL_INVALID_KERNEL;
    if (dims != 1 || offset || !*local || *global % *local || (stub_manners.group && *local > stub_manners.group))
        return CL_INVALID_WORK_GROUP_SIZE;
    stub_command c = {.run = run_kernel, .arguments = malloc(sizeof *c.arguments), .groups = *global / *local};
    if (!c.arguments)
        abort();
    *c.arguments = kernel->arguments;
    for (uint32_t i = 0; i < c.arguments->count; ++i)
        if (!c.arguments->set[i]) {
            free(c.arguments);
            return CL_INVALID_KERNEL_ARGS;
        }
    return put(queue, &c, wait_count, waits, event, false);
}

static cl_int read_bytes(stub_command *c) {
    memcpy(c->to, c->buffer->bytes + c->offset, c->bytes);
    return CL_COMPLETE;
}

static cl_int write_bytes(stub_command *c) {
    memcpy(c->buffer->bytes + c->offset, c->from, c->bytes);
    return CL_COMPLETE;
}

static cl_int fill_bytes(stub_command *c) {
    for (size_t i = 0; i < c->bytes; i += c->pattern_bytes)
        memcpy(c->buffer->bytes + c->offset + i, c->pattern, c->pattern_bytes);
    return CL_COMPLETE;
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                           void *to, cl_uint wait_count, const cl_event *waits, cl_event *event) {
    const stub_command c = {.run = read_bytes, .buffer = buffer, .offset = offset, .bytes = bytes, .to = to};
    if (!stub_is(buffer, STUB_BUFFER) || offset > buffer->size || bytes > buffer->size - offset)
        return CL_INVALID_VALUE;
    return put(queue, &c, wait_count, waits, event, blocking);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                            const void *from, cl_uint wait_count, const cl_event *waits, cl_event *event) {
    const stub_command c = {.run = write_bytes, .buffer = buffer, .offset = offset, .bytes = bytes, .from = from};
    if (!stub_is(buffer, STUB_BUFFER) || offset > buffer->size || bytes > buffer->size - offset)
        return CL_INVALID_VALUE;
    return put(queue, &c, wait_count, waits, event, blocking);
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_bytes,
                           size_t offset, size_t bytes, cl_uint wait_count, const cl_event *waits, cl_event *event) {
    stub_command c = {
        .run = fill_bytes, .buffer = buffer, .offset = offset, .bytes = bytes, .pattern_bytes = pattern_bytes};
    if (!stub_is(buffer, STUB_BUFFER) || offset > buffer->size || bytes > buffer->size - offset ||
        pattern_bytes > sizeof c.pattern)
        return CL_INVALID_VALUE;
    memcpy(c.pattern, pattern, pattern_bytes);
    return put(queue, &c, wait_count, waits, event, false);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint wait_count, const cl_event *waits, cl_event *event) {
    const stub_command c = {.run = NULL};
    return put(queue, &c, wait_count, waits, event, false);
}

/* Buffers are host memory: there is nothing to wait for. */
void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
                         size_t bytes, cl_uint wait_count, const cl_event *waits, cl_event *event, cl_int *code) {
    (void)flags;
    const bool good = stub_is(buffer, STUB_BUFFER) && offset <= buffer->size && bytes <= buffer->size - offset;
    const stub_command c = {.run = NULL};
    *code = good ? put(queue, &c, wait_count, waits, event, blocking) : CL_INVALID_VALUE;
    return *code == CL_SUCCESS ? buffer->bytes + offset : NULL;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer, void *mapped, cl_uint wait_count,
                               const cl_event *waits, cl_event *event) {
    const stub_command c = {.run = NULL};
    return stub_is(buffer, STUB_BUFFER) && mapped ? put(queue, &c, wait_count, waits, event, false) : CL_INVALID_VALUE;
}
