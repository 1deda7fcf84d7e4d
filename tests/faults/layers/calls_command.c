/* Calls that put commands on a queue or wait for them. */
#include "layer.h"

#include <stdatomic.h>

/* An event that a failing enqueue leaves is garbage. */
#define FAULT_COMMAND(event)                                                                                           \
    do {                                                                                                               \
        cl_int due;                                                                                                    \
        if (fault_due(THIS_CALL, 0, &due)) {                                                                           \
            spoil(event, sizeof *(event));                                                                             \
            return due;                                                                                                \
        }                                                                                                              \
    } while (0)

/* The queue, NULL when it or the list of events is not what it must be: what crashes a driver is not handed on. */
static object *start(const char *call, cl_command_queue queue, cl_uint count, const cl_event *events) {
    object *const q = object_use(call, OBJECT_QUEUE, queue);
    return q && objects_wait(call, count, events, q->context) ? q : NULL;
}

/* A command that blocks ends those before it, too, as far as its queue is in order; none here is used otherwise. */
static cl_int started(object *queue, cl_int code, bool blocks, const cl_event *event) {
    if (code == CL_SUCCESS)
        queue->busy = !blocks;
    if (code == CL_SUCCESS && event) {
        layer_lock();
        object_born(OBJECT_EVENT, *event, queue->context, NULL);
        layer_unlock();
    }
    return code;
}

static bool check_arguments(const char *call, const object *queue, const object *kernel) {
    const kernel_arguments *const args = kernel->args;
    bool ok = true;
    for (cl_uint i = 0; i < args->count && i < 64; i++) {
        if (!(args->set >> i & 1)) {
            violation("%s: argument %u is not set", call, (unsigned)i);
            ok = false;
        }
        const object *const m = args->memory[i] ? object_use(call, OBJECT_MEMORY, args->memory[i]) : NULL;
        ok = ok && (m || !args->memory[i]);
        objects_same_context(call, queue, m);
    }
    objects_same_context(call, queue, kernel);
    return ok;
}

static void check_sizes(const char *call, cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *global,
                        const size_t *local) {
    size_t items = 1, limit = 0;
    cl_device_id device = NULL;
    if (dims < 1 || dims > 3 || !global)
        violation("%s: %u dimensions, sizes %p", call, (unsigned)dims, (const void *)global);
    for (cl_uint i = 0; i < dims && global && local; i++) {
        items *= local[i];
        if (global[i] == 0 || local[i] == 0 || global[i] % local[i])
            violation("%s: %zu work-items in work-groups of %zu", call, global[i], local[i]);
    }
    if ((pretends(CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, NULL) ||
         (next->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL) == CL_SUCCESS &&
          next->clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, NULL) ==
              CL_SUCCESS)) &&
        limit && items > limit)
        violation("%s: a work-group of %zu, the kernel allows %zu", call, items, limit);
}

/* ---- a launch that is killed ---- */

static struct {
    atomic_ullong left; /* launches up to the one that is cut, itself too */
    uint64_t groups;
    atomic_bool done;
} cut;

void launch_cut(uint64_t nth, uint64_t groups) {
    cut.groups = groups;
    atomic_store(&cut.done, false);
    atomic_store(&cut.left, nth);
}

bool launch_has_been_cut(void) {
    return atomic_load(&cut.done);
}

/* Whether this launch is the one. */
static bool is_cut(void) {
    unsigned long long left = atomic_load(&cut.left);
    while (left && !atomic_compare_exchange_weak(&cut.left, &left, left - 1))
        ;
    if (left == 1)
        atomic_store(&cut.done, true);
    return left == 1;
}

static cl_int enqueue_cut(cl_command_queue queue, cl_kernel kernel, const size_t *global, const size_t *local,
                          cl_uint count, const cl_event *events, cl_event *event) {
    const size_t whole = *global / *local, groups = cut.groups < whole ? (size_t)cut.groups : whole;
    const size_t rest = groups * *local;
    return rest ? next->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &rest, local, count, events, event)
                : next->clEnqueueMarkerWithWaitList(queue, count, events, event);
}

static cl_int CL_API_CALL on_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                                                    const size_t *offset, const size_t *global, const size_t *local,
                                                    cl_uint count, const cl_event *events, cl_event *event) {
    FAULT_COMMAND(event);
    object *const q = start(THIS_CALL, queue, count, events);
    const object *const k = object_use(THIS_CALL, OBJECT_KERNEL, kernel);
    if (!q || !k || !k->args)
        return CL_INVALID_VALUE;
    check_sizes(THIS_CALL, queue, kernel, dims, global, local);
    if (!check_arguments(THIS_CALL, q, k))
        return CL_INVALID_KERNEL_ARGS;
    const bool dies = dims == 1 && !offset && local && *local && is_cut();
    return started(q,
                   dies
                       ? enqueue_cut(queue, kernel, global, local, count, events, event)
                       : next->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, count, events, event),
                   false, event);
}

static cl_int CL_API_CALL on_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *events,
                                                         cl_event *event) {
    FAULT_COMMAND(event);
    object *const q = start(THIS_CALL, queue, count, events);
    return q ? started(q, next->clEnqueueMarkerWithWaitList(queue, count, events, event), false, event)
             : CL_INVALID_VALUE;
}

/* The other objects of a transfer. */
static bool check_transfer(const char *call, const object *queue, cl_mem memory, size_t bytes, const void *host) {
    const object *const m = object_use(call, OBJECT_MEMORY, memory);
    objects_same_context(call, queue, m);
    if (!host || !bytes)
        violation("%s: %zu bytes at %p", call, bytes, host);
    return m && host;
}

static cl_int CL_API_CALL on_clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset,
                                                 size_t bytes, void *host, cl_uint count, const cl_event *events,
                                                 cl_event *event) {
    FAULT_COMMAND(event);
    object *const q = start(THIS_CALL, queue, count, events);
    if (!q || !check_transfer(THIS_CALL, q, memory, bytes, host))
        return CL_INVALID_VALUE;
    return started(q, next->clEnqueueReadBuffer(queue, memory, blocking, offset, bytes, host, count, events, event),
                   blocking, event);
}

static cl_int CL_API_CALL on_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                                  size_t offset, size_t bytes, const void *host, cl_uint count,
                                                  const cl_event *events, cl_event *event) {
    FAULT_COMMAND(event);
    object *const q = start(THIS_CALL, queue, count, events);
    if (!q || !check_transfer(THIS_CALL, q, memory, bytes, host))
        return CL_INVALID_VALUE;
    return started(q, next->clEnqueueWriteBuffer(queue, memory, blocking, offset, bytes, host, count, events, event),
                   blocking, event);
}

static cl_int CL_API_CALL on_clEnqueueFillBuffer(cl_command_queue queue, cl_mem memory, const void *pattern,
                                                 size_t pattern_bytes, size_t offset, size_t bytes, cl_uint count,
                                                 const cl_event *events, cl_event *event) {
    FAULT_COMMAND(event);
    object *const q = start(THIS_CALL, queue, count, events);
    if (!q || !check_transfer(THIS_CALL, q, memory, bytes, pattern))
        return CL_INVALID_VALUE;
    return started(
        q, next->clEnqueueFillBuffer(queue, memory, pattern, pattern_bytes, offset, bytes, count, events, event), false,
        event);
}

static void *CL_API_CALL on_clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                               cl_map_flags flags, size_t offset, size_t bytes, cl_uint count,
                                               const cl_event *events, cl_event *event, cl_int *code_ret) {
    FAULT_OBJECT(flags, code_ret);
    cl_int code = CL_INVALID_VALUE;
    void *mapped = NULL;
    object *const q = start(THIS_CALL, queue, count, events);
    if (q && check_transfer(THIS_CALL, q, memory, bytes, &code)) {
        mapped = next->clEnqueueMapBuffer(queue, memory, blocking, flags, offset, bytes, count, events, event, &code);
        (void)started(q, code, blocking, event);
    }
    if (code_ret)
        *code_ret = code;
    return mapped;
}

static cl_int CL_API_CALL on_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *mapped, cl_uint count,
                                                     const cl_event *events, cl_event *event) {
    FAULT_COMMAND(event);
    object *const q = start(THIS_CALL, queue, count, events);
    if (!q || !check_transfer(THIS_CALL, q, memory, 1, mapped))
        return CL_INVALID_VALUE;
    return started(q, next->clEnqueueUnmapMemObject(queue, memory, mapped, count, events, event), false, event);
}

static cl_int CL_API_CALL on_clFlush(cl_command_queue queue) {
    FAULT(0);
    return object_use(THIS_CALL, OBJECT_QUEUE, queue) ? next->clFlush(queue) : CL_INVALID_COMMAND_QUEUE;
}

static cl_int CL_API_CALL on_clFinish(cl_command_queue queue) {
    FAULT(0);
    object *const q = object_use(THIS_CALL, OBJECT_QUEUE, queue);
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    q->busy = false;
    return next->clFinish(queue);
}

static cl_int CL_API_CALL on_clWaitForEvents(cl_uint count, const cl_event *events) {
    FAULT(0);
    const object *const first = count && events ? object_find(events[0]) : NULL;
    if (!count || !objects_wait(THIS_CALL, count, events, first ? first->context : NULL))
        return CL_INVALID_VALUE;
    return next->clWaitForEvents(count, events);
}

static cl_int CL_API_CALL on_clSetUserEventStatus(cl_event event, cl_int status) {
    FAULT(0);
    object *const o = object_use(THIS_CALL, OBJECT_USER_EVENT, event);
    if (!o)
        return CL_INVALID_EVENT;
    if (o->settled)
        violation("%s: the event had its status", THIS_CALL);
    o->settled = true;
    return next->clSetUserEventStatus(event, status);
}

void take_command_calls(cl_icd_dispatch *table) {
    table->clEnqueueNDRangeKernel = on_clEnqueueNDRangeKernel;
    table->clEnqueueMarkerWithWaitList = on_clEnqueueMarkerWithWaitList;
    table->clEnqueueReadBuffer = on_clEnqueueReadBuffer;
    table->clEnqueueWriteBuffer = on_clEnqueueWriteBuffer;
    table->clEnqueueFillBuffer = on_clEnqueueFillBuffer;
    table->clEnqueueMapBuffer = on_clEnqueueMapBuffer;
    table->clEnqueueUnmapMemObject = on_clEnqueueUnmapMemObject;
    table->clFlush = on_clFlush;
    table->clFinish = on_clFinish;
    table->clWaitForEvents = on_clWaitForEvents;
    table->clSetUserEventStatus = on_clSetUserEventStatus;
}
