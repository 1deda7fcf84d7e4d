/* argmax_cl and argmin_cl: plans from a bounded cache, workspaces from a pool that never waits. */
#include "handle.h"

#include <string.h>

/* ---- plans: the least recently used one makes room ---- */

static bool same_view(const tensor_view *a, const tensor_view *b, uint32_t rank) {
    if (a->type != b->type)
        return false;
    return !a->type || (a->offset == b->offset && memcmp(a->size, b->size, rank * sizeof a->size[0]) == 0 &&
                        memcmp(a->stride, b->stride, rank * sizeof a->stride[0]) == 0);
}

static bool same_problem(const problem *a, const problem *b) {
    return a->op == b->op && a->direction == b->direction && a->nan_mode == b->nan_mode && a->rank == b->rank &&
           memcmp(a->reduced, b->reduced, sizeof a->reduced) == 0 && same_view(&a->input, &b->input, a->rank) &&
           same_view(&a->index, &b->index, a->rank) && same_view(&a->value, &b->value, a->rank) &&
           a->strategy == b->strategy && a->tuning == b->tuning;
}

/* Under the cache lock. */
static argmax_cl_plan find_plan(argmax_cl_handle handle, const problem *p) {
    for (size_t i = 0; i < PLANS_KEPT; ++i) {
        cached_plan *c = &handle->plans[i];
        if (c->plan && same_problem(&c->plan->problem, p)) {
            c->last_use = ++handle->uses;
            atomic_fetch_add(&c->plan->references, 1);
            return c->plan;
        }
    }
    return NULL;
}

/* Under the cache lock. The plan that had to go, for the caller to release outside it. */
static argmax_cl_plan keep_plan(argmax_cl_handle handle, argmax_cl_plan plan) {
    cached_plan *oldest = &handle->plans[0];
    for (size_t i = 1; i < PLANS_KEPT && oldest->plan; ++i)
        if (!handle->plans[i].plan || handle->plans[i].last_use < oldest->last_use)
            oldest = &handle->plans[i];
    const argmax_cl_plan evicted = oldest->plan;
    atomic_fetch_add(&plan->references, 1);
    oldest->plan = plan;
    oldest->last_use = ++handle->uses;
    return evicted;
}

static argmax_cl_status get_plan(argmax_cl_handle handle, const problem *p, argmax_cl_plan *plan) {
    pthread_mutex_lock(&handle->cache_lock);
    *plan = find_plan(handle, p);
    pthread_mutex_unlock(&handle->cache_lock);
    if (*plan)
        return ARGMAX_CL_SUCCESS;
    const argmax_cl_status status = plan_create(plan, handle, p);
    if (status)
        return status;
    pthread_mutex_lock(&handle->cache_lock);
    const argmax_cl_plan evicted = keep_plan(handle, *plan);
    pthread_mutex_unlock(&handle->cache_lock);
    plan_release(evicted);
    return ARGMAX_CL_SUCCESS;
}

void cached_plans_release(argmax_cl_handle handle) {
    for (size_t i = 0; i < PLANS_KEPT; ++i) {
        plan_release(handle->plans[i].plan);
        handle->plans[i].plan = NULL;
    }
}

/* ---- workspaces: the queue's own, one whose last event is complete, or another one ---- */

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

/* A queue that is none, or out of order, has no workspace of its own; what is wrong with it, the enqueue tells. */
static bool runs_in_order(cl_command_queue queue) {
    cl_command_queue_properties properties = 0;
    return queue &&
           clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL) == CL_SUCCESS &&
           !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
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

static bool idle(const pooled_workspace *w) {
    cl_int state = CL_QUEUED;
    if (w->taken)
        return false;
    if (!w->last)
        return true;
    return clGetEventInfo(w->last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) == CL_SUCCESS &&
           state <= CL_COMPLETE;
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
        if (workspaces[i].buffer && idle(&workspaces[i])) {
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
static pooled_workspace *claim_slot(argmax_cl_handle handle, cl_command_queue queue, size_t bytes) {
    pooled_workspace *w = NULL;
    if (bytes <= QUEUE_WORKSPACE_BYTES && runs_in_order(queue))
        w = find_own_workspace(handle, queue);
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

/* A workspace for one enqueue. `slot` is NULL when the pool is busy: the buffer then lives for this enqueue alone. */
static argmax_cl_status take_workspace(argmax_cl_handle handle, cl_command_queue queue, size_t bytes,
                                       pooled_workspace **slot, cl_mem *buffer) {
    cl_int code = CL_SUCCESS;
    pthread_mutex_lock(&handle->cache_lock);
    pooled_workspace *const w = claim_slot(handle, queue, bytes);
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

/* Give it back with the event after which it is idle; on its own queue it needs none. After an enqueue that failed, of
 * which half may be on its way, or without an event that can be kept, the buffer goes: OpenCL keeps it until the
 * enqueued kernels are done. */
static void return_workspace(argmax_cl_handle handle, pooled_workspace *slot, cl_mem buffer, bool enqueued,
                             cl_event done) {
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

/* ---- the call ---- */

static argmax_cl_status enqueue_with_workspace(argmax_cl_handle handle, argmax_cl_plan plan, cl_command_queue queue,
                                               const argmax_cl_buffers *buffers, cl_uint wait_count,
                                               const cl_event *wait_list, cl_event *event) {
    pooled_workspace *slot = NULL;
    cl_mem workspace = NULL;
    cl_event done = NULL;
    argmax_cl_status status = take_workspace(handle, queue, plan->workspace_bytes, &slot, &workspace);
    if (status)
        return status;
    const bool asks = event || (slot && !slot->queue);
    status = argmax_cl_plan_enqueue(plan, queue, buffers, workspace, wait_count, wait_list, asks ? &done : NULL);
    return_workspace(handle, slot, workspace, !status, done);
    if (event)
        *event = done;
    else if (done)
        clReleaseEvent(done);
    return status;
}

static argmax_cl_status one_call(argmax_cl_operator op, argmax_cl_handle handle, cl_command_queue queue,
                                 const argmax_cl_desc *desc, const argmax_cl_buffers *buffers, cl_uint wait_count,
                                 const cl_event *wait_list, cl_event *event) {
    problem p;
    argmax_cl_plan plan = NULL;
    if (event)
        *event = NULL;
    argmax_cl_status status = problem_open(handle, op, desc, &p);
    if (!status)
        status = get_plan(handle, &p, &plan);
    if (status)
        return status;
    if (plan->workspace_bytes)
        status = enqueue_with_workspace(handle, plan, queue, buffers, wait_count, wait_list, event);
    else
        status = argmax_cl_plan_enqueue(plan, queue, buffers, NULL, wait_count, wait_list, event);
    plan_release(plan);
    return status;
}

argmax_cl_status argmax_cl(argmax_cl_handle handle, cl_command_queue queue, const argmax_cl_desc *desc,
                           const argmax_cl_buffers *buffers, cl_uint wait_count, const cl_event *wait_list,
                           cl_event *event) {
    return one_call(ARGMAX_CL_ARGMAX, handle, queue, desc, buffers, wait_count, wait_list, event);
}

argmax_cl_status argmin_cl(argmax_cl_handle handle, cl_command_queue queue, const argmax_cl_desc *desc,
                           const argmax_cl_buffers *buffers, cl_uint wait_count, const cl_event *wait_list,
                           cl_event *event) {
    return one_call(ARGMAX_CL_ARGMIN, handle, queue, desc, buffers, wait_count, wait_list, event);
}
