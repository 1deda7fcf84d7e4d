/* A plan and buffers to enqueues: a scan, where it has parts perhaps a merge, and copies. Everything was decided
 * before.
 */
#include "api/handle.h"

#include <stdlib.h>

static cl_int set_buffers(cl_kernel kernel, cl_uint first, const cl_mem *buffers, cl_uint count) {
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < count && code == CL_SUCCESS; ++i)
        code = clSetKernelArg(kernel, first + i, sizeof buffers[i], &buffers[i]);
    return code;
}

static argmax_cl_status run(cl_command_queue queue, cl_kernel kernel, const launch_grid *grid, cl_uint wait_count,
                            const cl_event *wait_list, cl_event *event) {
    const size_t global = (size_t)grid->groups * grid->group;
    const size_t local = grid->group;
    const cl_int code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, wait_count, wait_list, event);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clEnqueueNDRangeKernel", code);
}

static cl_mem output_buffer(const argmax_cl_buffers *b, output_tensor output) {
    const cl_mem buffers[OUTPUT_TENSORS] = {b->index, b->value, b->max_index, b->max_value};
    return buffers[output];
}

static cl_int set_outputs(const problem *p, cl_kernel kernel, cl_uint first, const argmax_cl_buffers *b) {
    cl_mem outputs[OUTPUT_TENSORS];
    cl_uint count = 0;
    for (output_tensor output = 0; output < OUTPUT_TENSORS; ++output)
        if (output_view(p, output)->type)
            outputs[count++] = output_buffer(b, output);
    return set_buffers(kernel, first, outputs, count);
}

/* The buffers of a kernel in the order of its parameters (TARGET in kernels/memory/index.clh, FINISH_PARAMETERS in
 * finish.clh). `target` takes the partial answers of a scan that has parts. */
static cl_int set_scan_buffers(argmax_cl_plan plan, cl_kernel scan, const argmax_cl_buffers *b, cl_mem target) {
    const geometry *g = &plan->geometry;
    const problem *p = &plan->problem;
    const cl_mem inputs[] = {b->input, b->mask};
    const cl_uint count = input_buffers(p);
    cl_int code = set_buffers(scan, 0, inputs, count);
    if (code == CL_SUCCESS && g->parts > 1)
        code = set_buffers(scan, count, &target, 1);
    if (code == CL_SUCCESS && scan_answers(g))
        code = set_outputs(p, scan, g->parts == 1 ? count : finish_outputs(p, g), b);
    return code;
}

static cl_int set_merge_buffers(argmax_cl_plan plan, cl_kernel merge, const argmax_cl_buffers *b, cl_mem workspace) {
    const cl_mem buffers[] = {b->input, workspace};
    if (plan->geometry.finish != ORDERING_NONE)
        return set_scan_buffers(plan, merge, b, workspace);
    const cl_int code = set_buffers(merge, 0, buffers, 2);
    return code == CL_SUCCESS ? set_outputs(&plan->problem, merge, 2, b) : code;
}

static argmax_cl_status status_of_set(cl_int code) {
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clSetKernelArg", code);
}

/* One launch, which merges too where there are parts, with the counters of the loan. */
static argmax_cl_status run_once(argmax_cl_plan plan, kernel_set *set, cl_command_queue queue,
                                 const argmax_cl_buffers *buffers, cl_mem workspace, const counter_loan *loan,
                                 cl_uint wait_count, const cl_event *wait_list, cl_event *event) {
    const geometry *g = &plan->geometry;
    cl_int code = set_scan_buffers(plan, set->scan, buffers, has_words(g) ? loan->buffer : workspace);
    if (code == CL_SUCCESS && g->parts > 1)
        code = kernel_set_counters(plan, set, loan);
    if (code == CL_SUCCESS && g->parts > 1)
        code = kernel_set_stage(plan, set->scan, STAGE_BOTH, loan->first);
    const argmax_cl_status status = status_of_set(code);
    return status ? status : run(queue, set->scan, &g->scan, wait_count, wait_list, event);
}

/* What a further launch waits for: the event of the one before, to be put at the front, and what the first waits for.
 */
static argmax_cl_status list_for_next(cl_uint wait_count, const cl_event *wait_list, cl_event **list) {
    *list = calloc((size_t)wait_count + 1, sizeof **list);
    if (!*list)
        return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for a wait list of %u events",
                    (unsigned)wait_count + 1);
    for (cl_uint i = 0; i < wait_count; ++i)
        (*list)[i + 1] = wait_list[i];
    return ARGMAX_CL_SUCCESS;
}

/* Put both stages on the queue. The second waits for the first's event on every queue, as every further launch does,
 * since some implementations go on with an in-order queue after a command that failed, and would merge what nobody has
 * left; and for the caller's events too, since some call a command complete that they left out when one of those
 * failed. */
static argmax_cl_status run_both(argmax_cl_plan plan, kernel_set *set, cl_command_queue queue,
                                 const argmax_cl_buffers *buffers, cl_mem workspace, cl_uint wait_count,
                                 const cl_event *wait_list, cl_event *event) {
    const geometry *g = &plan->geometry;
    cl_event scanned = NULL, *list = &scanned;
    argmax_cl_status status = kernel_set_need_merge(plan, set);
    if (!status && wait_count)
        status = list_for_next(wait_count, wait_list, &list);
    if (status)
        return status;
    cl_int code = set_scan_buffers(plan, set->scan, buffers, workspace);
    if (code == CL_SUCCESS && g->finish != ORDERING_NONE)
        code = kernel_set_counters(plan, set, NULL);
    if (code == CL_SUCCESS && g->finish != ORDERING_NONE)
        code = kernel_set_stage(plan, set->scan, STAGE_SCAN, 0);
    if (code == CL_SUCCESS)
        code = set_merge_buffers(plan, set->merge, buffers, workspace);
    status = status_of_set(code);
    if (!status)
        status = run(queue, set->scan, &g->scan, wait_count, wait_list, &scanned);
    if (!status) { /* else nobody says what `scanned` is now */
        list[0] = scanned;
        status = run(queue, set->merge, &g->merge, wait_count + 1, list, event);
        clReleaseEvent(scanned);
    }
    if (list != &scanned)
        free(list);
    return status;
}

/* Put the launches that copy answers out of the workspace on the queue, one behind the other; `*done` is the event of
 * those before, and the last one's in the end. */
static argmax_cl_status run_copies(argmax_cl_plan plan, kernel_set *set, cl_command_queue queue,
                                   const argmax_cl_buffers *buffers, cl_mem workspace, cl_uint wait_count,
                                   const cl_event *wait_list, cl_event *done) {
    cl_event *list = done;
    argmax_cl_status status = wait_count ? list_for_next(wait_count, wait_list, &list) : ARGMAX_CL_SUCCESS;
    if (status)
        return status;
    for (output_tensor output = 0; output < OUTPUT_TENSORS && !status; ++output) {
        cl_event copied = NULL;
        const cl_mem both[] = {workspace, output_buffer(buffers, output)};
        if (!set->copies[output])
            continue;
        list[0] = *done;
        status = status_of_set(set_buffers(set->copies[output], 0, both, 2));
        if (!status)
            status = run(queue, set->copies[output], &plan->geometry.copies, wait_count + 1, list, &copied);
        if (!status) {
            clReleaseEvent(*done);
            *done = copied;
        }
    }
    if (list != done)
        free(list);
    return status;
}

/* Where a kernel object holds a reference to its arguments, one in the pool would keep the caller's memory alive. */
static cl_int forget_buffers(argmax_cl_plan plan, const kernel_set *set) {
    const argmax_cl_buffers none = ARGMAX_CL_BUFFERS_INIT;
    cl_int code = set_scan_buffers(plan, set->scan, &none, NULL);
    if (code == CL_SUCCESS && set->merge)
        code = set_merge_buffers(plan, set->merge, &none, NULL);
    for (output_tensor output = 0; output < OUTPUT_TENSORS && code == CL_SUCCESS; ++output)
        if (set->copies[output])
            code = set_buffers(set->copies[output], 0, (const cl_mem[]){NULL, NULL}, 2);
    return code;
}

/* Enqueues that write a workspace hold their queue's lock, whatever the handle: two plans with one workspace on one
 * in-order queue must not mix their stages. Queues that share a lock lose a moment. */
#define FOUR_LOCKS                                                                                                     \
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER
static pthread_mutex_t queue_locks[16] = {FOUR_LOCKS, FOUR_LOCKS, FOUR_LOCKS, FOUR_LOCKS};

static pthread_mutex_t *lock_of(cl_command_queue queue) {
    return &queue_locks[(uint64_t)(uintptr_t)queue * UINT64_C(0x9E3779B97F4A7C15) >> 60];
}

static argmax_cl_status launch(argmax_cl_plan plan, cl_command_queue queue, bool out_of_order,
                               const argmax_cl_buffers *buffers, cl_mem workspace, cl_uint wait_count,
                               const cl_event *wait_list, cl_event *event) {
    kernel_set *set = NULL;
    argmax_cl_status status = kernel_set_take(plan, &set);
    if (status)
        return status;
    pthread_mutex_t *const lock = plan->workspace_bytes ? lock_of(queue) : NULL;
    counter_loan loan = {NULL, 0, 0};
    if (lock)
        pthread_mutex_lock(lock);
    const geometry *g = &plan->geometry;
    const bool copies = plan->layout.stored_count > 0;
    cl_event done = NULL, *const scanned = copies ? &done : event;
    argmax_cl_buffers aside;
    const argmax_cl_buffers *answers = buffers;
    if (copies) {
        aside = *buffers;
        aside.index = aside.value = aside.max_index = aside.max_value = workspace;
        answers = &aside;
    }
    const bool once =
        g->parts == 1 || (g->finish != ORDERING_NONE && !out_of_order && !plan->handle->facts.queue_addresses_return &&
                          counters_lend(plan->handle, queue, g->counters, &loan));
    if (once)
        status = run_once(plan, set, queue, answers, workspace, &loan, wait_count, wait_list, scanned);
    else
        status = run_both(plan, set, queue, answers, workspace, wait_count, wait_list, scanned);
    if (!status && copies) {
        status = run_copies(plan, set, queue, buffers, workspace, wait_count, wait_list, &done);
        if (event && !status)
            *event = done;
        else
            clReleaseEvent(done);
    }
    if (lock)
        pthread_mutex_unlock(lock);
    if (plan->handle->facts.kernels_keep_arguments && forget_buffers(plan, set) != CL_SUCCESS)
        kernel_sets_release(set);
    else
        kernel_set_return(plan, set);
    return status;
}

/* Nothing to compute: the wait list and the event still mean what they say. */
static argmax_cl_status launch_nothing(cl_command_queue queue, cl_uint wait_count, const cl_event *wait_list,
                                       cl_event *event) {
    if (!wait_count && !event)
        return ARGMAX_CL_SUCCESS;
    const cl_int code = clEnqueueMarkerWithWaitList(queue, wait_count, wait_list, event);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clEnqueueMarkerWithWaitList", code);
}

uint32_t plan_input_vector(argmax_cl_plan plan) {
    const uint32_t elements = plan->geometry.aligned_elements;
    return elements ? elements : 1;
}

uint32_t plan_mask_vector(argmax_cl_plan plan) {
    const uint32_t elements = plan->geometry.aligned_mask;
    return elements ? elements : 1;
}

argmax_cl_status plan_enqueue(argmax_cl_plan plan, cl_command_queue queue, bool out_of_order,
                              const argmax_cl_buffers *given, cl_mem workspace, cl_uint wait_count,
                              const cl_event *wait_list, cl_event *event) {
    argmax_cl_buffers buffers;
    argmax_cl_status status = check_enqueue(plan->handle->context, &plan->problem, plan->geometry.aligned_elements,
                                            plan->geometry.aligned_mask, !plan->handle->facts.copies_host_memory, given,
                                            workspace, plan->workspace_bytes, wait_count, wait_list, &buffers);
    if (!status && plan->problem.outputs == 0)
        status = launch_nothing(queue, wait_count, wait_list, event);
    else if (!status)
        status = launch(plan, queue, out_of_order, &buffers, workspace, wait_count, wait_list, event);
    if (status && event)
        *event = NULL;
    return status;
}

argmax_cl_status argmax_cl_plan_enqueue(argmax_cl_plan plan, cl_command_queue queue, const argmax_cl_buffers *buffers,
                                        cl_mem workspace, cl_uint wait_count, const cl_event *wait_list,
                                        cl_event *event) {
    bool out_of_order = false;
    if (event)
        *event = NULL;
    if (!plan)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "plan = NULL: expected a plan of argmax_cl_plan_create");
    argmax_cl_status status = device_enter();
    if (!status)
        status = check_queue(plan->handle->context, plan->handle->device, queue, &out_of_order);
    return status ? status : plan_enqueue(plan, queue, out_of_order, buffers, workspace, wait_count, wait_list, event);
}

argmax_cl_status argmax_cl_plan_warm_up(argmax_cl_plan plan, cl_command_queue queue) {
    kernel_set *set = NULL;
    if (!plan)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "plan = NULL: expected a plan of argmax_cl_plan_create");
    bool out_of_order = false;
    argmax_cl_status status = device_enter();
    if (!status)
        status = check_queue(plan->handle->context, plan->handle->device, queue, &out_of_order);
    if (status || plan->problem.outputs == 0)
        return status;
    status = kernel_set_idle(plan, &set);
    if (status)
        return status;
    status = status_of_set(forget_buffers(plan, set));
    if (!status)
        status = run(queue, set->scan, &plan->geometry.scan, 0, NULL, NULL);
    if (!status && set->merge)
        status = run(queue, set->merge, &plan->geometry.merge, 0, NULL, NULL);
    for (output_tensor output = 0; output < OUTPUT_TENSORS && !status; ++output)
        if (set->copies[output])
            status = run(queue, set->copies[output], &plan->geometry.copies, 0, NULL, NULL);
    if (!status) {
        const cl_int code = clFinish(queue);
        if (code != CL_SUCCESS)
            status = fail_opencl("clFinish", code);
    }
    kernel_sets_release(set);
    return status;
}
