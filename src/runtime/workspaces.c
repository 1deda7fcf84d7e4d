/* Workspaces of the one-call functions: a queue's own, one whose last event is complete, or another one. The pool never
 * waits. */
#include "api/handle.h"

#include <string.h>

/* Larger ones are nobody's own: their calls take so long that the cost of an event does not count. */
#define QUEUE_WORKSPACE_BYTES ((size_t)1 << 20)

static void drop_workspace(pooled_workspace *w) {
    if (w->last)
        clReleaseEvent(w->last);
    if (w->buffer)
        clReleaseMemObject(w->buffer);
    memset(w, 0, sizeof *w);
}

void workspaces_release(argmax_cl_handle handle) {
    for (size_t i = 0; i < WORKSPACES_KEPT; ++i)
        drop_workspace(&handle->workspaces[i]);
    for (size_t i = 0; i < QUEUES_KEPT; ++i)
        drop_workspace(&handle->queue_workspaces[i]);
}

/* Under the cache lock: the queue's own workspace, or the place of the one unused for longest; NULL where another
 * thread has it. A queue is known by its address, as in counters.c. */
static pooled_workspace *find_own_workspace(argmax_cl_handle handle, cl_command_queue queue) {
    pooled_workspace *oldest = NULL;
    for (size_t i = 0; i < QUEUES_KEPT; ++i) {
        pooled_workspace *w = &handle->queue_workspaces[i];
        if (w->queue == queue)
            return w->taken ? NULL : w;
        if (!w->taken && (!oldest || w->last_use < oldest->last_use))
            oldest = w;
    }
    if (oldest) {
        drop_workspace(oldest);
        oldest->queue = queue;
    }
    return oldest;
}

/* Under the cache lock. An event of a command that is done is let go, since some implementations keep an event's queue
 * as long as the event. */
static bool idle(pooled_workspace *w) {
    cl_int state = CL_QUEUED;
    if (w->taken)
        return false;
    if (w->last &&
        clGetEventInfo(w->last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) == CL_SUCCESS &&
        state <= CL_COMPLETE) {
        clReleaseEvent(w->last);
        w->last = NULL;
    }
    return !w->last;
}

/* Under the cache lock: events that are done go at each call, whatever its queue. */
static void let_events_go(argmax_cl_handle handle) {
    for (size_t i = 0; i < WORKSPACES_KEPT; ++i)
        (void)idle(&handle->workspaces[i]);
}

/* Under the cache lock: an idle workspace that is large enough, else an idle slot, else NULL. */
static pooled_workspace *find_workspace(argmax_cl_handle handle, size_t bytes) {
    pooled_workspace *slot = NULL;
    for (size_t i = 0; i < WORKSPACES_KEPT; ++i) {
        pooled_workspace *w = &handle->workspaces[i];
        if (!idle(w))
            continue;
        if (w->buffer && w->bytes >= bytes)
            return w;
        if (!slot || !w->buffer)
            slot = w;
    }
    return slot;
}

/* Under the cache lock: give back what no enqueue is being put together with. OpenCL keeps a buffer until the kernels
 * that use it are done. */
static bool drop_idle(pooled_workspace *workspaces, size_t count) {
    bool made = false;
    for (size_t i = 0; i < count; ++i)
        if (idle(&workspaces[i]) && workspaces[i].buffer) {
            drop_workspace(&workspaces[i]);
            made = true;
        }
    return made;
}

/* Whether idle workspaces gave memory back: their buffers hold what a fuller device could use. */
static bool make_room(argmax_cl_handle handle) {
    pthread_mutex_lock(&handle->cache_lock);
    const bool anyones = drop_idle(handle->workspaces, WORKSPACES_KEPT);
    const bool made = drop_idle(handle->queue_workspaces, QUEUES_KEPT) || anyones;
    pthread_mutex_unlock(&handle->cache_lock);
    return made;
}

static cl_mem create_workspace(argmax_cl_handle handle, size_t bytes, cl_int *code) {
    cl_mem buffer = clCreateBuffer(handle->context, CL_MEM_READ_WRITE, bytes, NULL, code);
    if (*code != CL_SUCCESS && make_room(handle))
        buffer = clCreateBuffer(handle->context, CL_MEM_READ_WRITE, bytes, NULL, code);
    return buffer;
}

/* Under the cache lock: a place for a workspace, ours until it is returned; NULL when the pool is busy. */
static pooled_workspace *claim_slot(argmax_cl_handle handle, cl_command_queue in_order, size_t bytes) {
    pooled_workspace *w = NULL;
    let_events_go(handle);
    if (in_order && bytes <= QUEUE_WORKSPACE_BYTES)
        w = find_own_workspace(handle, in_order);
    if (!w)
        w = find_workspace(handle, bytes);
    if (!w)
        return NULL;
    if (w->bytes < bytes) {
        const cl_command_queue own = w->queue;
        drop_workspace(w);
        w->queue = own;
    }
    w->last_use = ++handle->uses;
    w->taken = true;
    return w;
}

argmax_cl_status workspace_take(argmax_cl_handle handle, cl_command_queue in_order, size_t bytes,
                                pooled_workspace **slot, cl_mem *buffer) {
    cl_int code = CL_SUCCESS;
    pthread_mutex_lock(&handle->cache_lock);
    pooled_workspace *const w = claim_slot(handle, in_order, bytes);
    pthread_mutex_unlock(&handle->cache_lock);
    *slot = w;
    *buffer = w ? w->buffer : NULL;
    if (!*buffer)
        *buffer = create_workspace(handle, bytes, &code);
    if (code == CL_SUCCESS) {
        if (w && !w->buffer) {
            w->buffer = *buffer;
            w->bytes = bytes;
        }
        return ARGMAX_CL_SUCCESS;
    }
    if (w) {
        pthread_mutex_lock(&handle->cache_lock);
        w->taken = false;
        pthread_mutex_unlock(&handle->cache_lock);
    }
    return fail_buffer("a workspace", bytes, code);
}

void workspace_return(argmax_cl_handle handle, pooled_workspace *slot, cl_mem buffer, bool enqueued, cl_event done) {
    if (!slot) {
        clReleaseMemObject(buffer);
        return;
    }
    pthread_mutex_lock(&handle->cache_lock);
    if (slot->last)
        clReleaseEvent(slot->last);
    slot->last = NULL;
    if (enqueued && !slot->queue && done && clRetainEvent(done) == CL_SUCCESS)
        slot->last = done;
    else if (!enqueued || !slot->queue)
        drop_workspace(slot);
    slot->taken = false;
    pthread_mutex_unlock(&handle->cache_lock);
}
