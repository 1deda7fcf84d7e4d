/* argmax_cl and argmin_cl: plans from a bounded cache, workspaces from the handle's pool. */
#include "api/handle.h"

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
           same_view(&a->mask, &b->mask, a->rank) && same_view(&a->index, &b->index, a->rank) &&
           same_view(&a->value, &b->value, a->rank) && same_view(&a->max_index, &b->max_index, a->rank) &&
           same_view(&a->max_value, &b->max_value, a->rank) && a->max_direction == b->max_direction &&
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

/* ---- the call ---- */

static argmax_cl_status enqueue_with_workspace(argmax_cl_plan plan, cl_command_queue queue, bool out_of_order,
                                               const argmax_cl_buffers *buffers, cl_uint wait_count,
                                               const cl_event *wait_list, cl_event *event) {
    const argmax_cl_handle handle = plan->handle;
    pooled_workspace *slot = NULL;
    cl_mem workspace = NULL;
    cl_event done = NULL;
    argmax_cl_status status =
        workspace_take(handle, out_of_order || handle->facts.queue_addresses_return ? NULL : queue,
                       plan->workspace_bytes, &slot, &workspace);
    if (status)
        return status;
    const bool asks = event || (slot && !slot->queue);
    status = plan_enqueue(plan, queue, out_of_order, buffers, workspace, wait_count, wait_list, asks ? &done : NULL);
    workspace_return(handle, slot, workspace, !status, done);
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
    bool out_of_order = false;
    argmax_cl_plan plan = NULL;
    if (event)
        *event = NULL;
    argmax_cl_status status = problem_open(handle, op, desc, &p);
    if (!status)
        status = get_plan(handle, &p, &plan);
    if (status)
        return status;
    status = check_queue(handle->context, handle->device, queue, &out_of_order);
    if (!status && plan->workspace_bytes)
        status = enqueue_with_workspace(plan, queue, out_of_order, buffers, wait_count, wait_list, event);
    else if (!status)
        status = plan_enqueue(plan, queue, out_of_order, buffers, NULL, wait_count, wait_list, event);
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

argmax_cl_status argminmax_cl(argmax_cl_handle handle, cl_command_queue queue, const argmax_cl_desc *desc,
                              const argmax_cl_buffers *buffers, cl_uint wait_count, const cl_event *wait_list,
                              cl_event *event) {
    return one_call(ARGMAX_CL_ARGMINMAX, handle, queue, desc, buffers, wait_count, wait_list, event);
}
