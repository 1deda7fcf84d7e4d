#include "trial.h"

#include "api/handle.h"
#include "tuned.h"

#include <stdlib.h>
#include <string.h>

static size_t element_size(argmax_cl_dtype dtype) {
    return problem_dtype_find(dtype)->bits / 8;
}

/* What has no memory is not wrong: not the failure that shrink_problem looks for. */
static bool no_memory(runner *r, size_t bytes) {
    r->status = ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY;
    return runner_failed(r, "out of host memory for %zu bytes", bytes);
}

static bool open_arena(runner *r, const trial *t, arena *a, uint64_t elements, argmax_cl_dtype dtype) {
    const size_t element = element_size(dtype), bytes = (size_t)elements * element;
    return arena_open(a, bytes, r->guard, t->p->memory == MEMORY_HOST && !r->aligned_host ? element : 0) ||
           no_memory(r, bytes);
}

static bool trial_open(runner *r, trial *t, const void *content) {
    const problem_line *const p = t->p;
    const problem_dtype *const type = problem_dtype_find(p->dtype);
    const bool both = p->op == ARGMAX_CL_ARGMINMAX;
    if (!open_arena(r, t, &t->input, problem_input_extent(p), p->dtype) ||
        !open_arena(r, t, &t->index, problem_output_extent(p, &p->index), p->index_type) ||
        !open_arena(r, t, &t->value, p->has_value ? problem_output_extent(p, &p->value) : 0, p->dtype) ||
        (p->mask_of != MASK_ABSENT && !open_arena(r, t, &t->mask, problem_mask_extent(p), ARGMAX_CL_UINT8)) ||
        (both && !open_arena(r, t, &t->max_index, problem_output_extent(p, &p->max_index), p->max_index_type)) ||
        (both && p->has_max_value &&
         !open_arena(r, t, &t->max_value, problem_output_extent(p, &p->max_value), p->dtype)))
        return false;
    arena_fill_guards(&t->input, type, problem_poison(p));
    arena_fill(&t->index);
    arena_fill(&t->value);
    arena_fill(&t->max_index);
    arena_fill(&t->max_value);
    if (t->mask.image) {
        arena_fill_guards(&t->mask, problem_dtype_find(ARGMAX_CL_UINT8), 1);
        problem_fill_mask(p, arena_inside(&t->mask, t->mask.image));
    }
    if (content)
        memcpy(arena_inside(&t->input, t->input.image), content, t->input.bytes);
    else
        problem_fill(p, arena_inside(&t->input, t->input.image));
    return true;
}

void trial_close(trial *t) {
    if (t->written_count)
        clWaitForEvents(t->written_count, t->written);
    if (t->done)
        clReleaseEvent(t->done);
    for (cl_uint i = 0; i < t->written_count; i++)
        clReleaseEvent(t->written[i]);
    argmax_cl_plan_destroy(t->plan);
    arena_close(&t->workspace);
    arena_close(&t->max_value);
    arena_close(&t->max_index);
    arena_close(&t->mask);
    arena_close(&t->value);
    arena_close(&t->index);
    arena_close(&t->input);
}

static bool library_ok(runner *r, argmax_cl_status status, const char *call) {
    r->status = status;
    return status == ARGMAX_CL_SUCCESS ||
           runner_failed(r, "%s: status %d: %s", call, (int)status, argmax_cl_last_error());
}

/* On the out-of-order queue the operator has to wait for the transfer. An arena that is not open has nothing. */
static bool upload(runner *r, trial *t, arena *a, cl_mem_flags flags) {
    if (!a->image)
        return true;
    cl_event written = NULL;
    const bool loose = t->queue == r->loose_queue;
    const cl_int code = arena_upload(a, r->context, t->queue, flags, t->p->memory, loose ? &written : NULL);
    if (written)
        t->written[t->written_count++] = written;
    return opencl_ok(r, code, "transfer to the device");
}

static bool download(runner *r, const trial *t, arena *a) {
    const bool wait = t->done && t->queue == r->loose_queue;
    return !a->image ||
           opencl_ok(r, arena_download(a, t->queue, wait, wait ? &t->done : NULL), "transfer from the device");
}

/* The workspace is nobody's memory in place: it may be anywhere, and comes without a transfer that must be waited for.
 */
static bool open_workspace(runner *r, trial *t) {
    size_t bytes = 0;
    if (!library_ok(r, argmax_cl_plan_workspace_size(t->plan, &bytes), "plan_workspace_size"))
        return false;
    if (bytes == 0)
        return true;
    if (!arena_open(&t->workspace, bytes, r->guard, 0))
        return no_memory(r, bytes);
    arena_fill(&t->workspace);
    return opencl_ok(r, arena_upload(&t->workspace, r->context, r->queue, CL_MEM_READ_WRITE, MEMORY_DEVICE, NULL),
                     "transfer of the workspace");
}

static bool enqueue(runner *r, trial *t, run_route route, const argmax_cl_buffers *buffers) {
    cl_event *const done = t->p->queue == QUEUE_SILENT && !r->kills ? NULL : &t->done;
    const cl_event *const list = t->written_count ? t->written : NULL;
    if (route == ROUTE_PLAN)
        return library_ok(
            r, argmax_cl_plan_enqueue(t->plan, t->queue, buffers, t->workspace.buffer, t->written_count, list, done),
            "plan_enqueue");
    static const char *const names[] = {"argmax_cl", "argmin_cl", "argminmax_cl"};
    argmax_cl_status (*const calls[])(argmax_cl_handle, cl_command_queue, const argmax_cl_desc *,
                                      const argmax_cl_buffers *, cl_uint, const cl_event *,
                                      cl_event *) = {argmax_cl, argmin_cl, argminmax_cl};
    const argmax_cl_operator op = t->p->op;
    return library_ok(r, calls[op](r->handle, t->queue, &t->d.desc, buffers, t->written_count, list, done), names[op]);
}

/* Wait where the reading of the outputs does not. */
static bool finish(runner *r, const trial *t) {
    if (r->kills) {
        const cl_int code = clWaitForEvents(1, &t->done);
        r->died = code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        return opencl_ok(r, code, "clWaitForEvents");
    }
    if (t->p->queue == QUEUE_SILENT)
        return opencl_ok(r, clFinish(t->queue), "clFinish");
    return t->queue == r->loose_queue || opencl_ok(r, clWaitForEvents(1, &t->done), "clWaitForEvents");
}

static bool run_buffers(runner *r, trial *t, run_route route) {
    t->queue = t->p->queue == QUEUE_OUT_OF_ORDER && r->loose_queue ? r->loose_queue : r->queue;
    if (!upload(r, t, &t->input, CL_MEM_READ_ONLY) || !upload(r, t, &t->index, CL_MEM_WRITE_ONLY) ||
        !upload(r, t, &t->value, CL_MEM_WRITE_ONLY) || !upload(r, t, &t->mask, CL_MEM_READ_ONLY) ||
        !upload(r, t, &t->max_index, CL_MEM_WRITE_ONLY) || !upload(r, t, &t->max_value, CL_MEM_WRITE_ONLY) ||
        (route == ROUTE_PLAN && !open_workspace(r, t)))
        return false;
    argmax_cl_buffers buffers = ARGMAX_CL_BUFFERS_INIT;
    buffers.input = t->input.buffer;
    buffers.index = t->index.buffer;
    buffers.value = t->p->has_value ? t->value.buffer : NULL;
    buffers.mask = t->mask.buffer;
    buffers.max_index = t->max_index.buffer;
    buffers.max_value = t->max_value.buffer;
    return enqueue(r, t, route, &buffers) && finish(r, t) && download(r, t, &t->index) && download(r, t, &t->value) &&
           download(r, t, &t->max_index) && download(r, t, &t->max_value) && download(r, t, &t->mask) &&
           download(r, t, &t->input) && (!t->workspace.image || download(r, t, &t->workspace));
}

/* The arrays lie in the arenas' own images, or beyond all alignment. */
static unsigned char *host_array(arena *a) {
    if (a->bytes == 0)
        return NULL;
    memcpy(a->backing + a->shift, a->image, arena_size(a));
    return a->backing + a->shift + a->guard;
}

/* The device of the host call may pretend to have less. */
static argmax_cl_status limited_host_call(runner *r, const trial *t, const argmax_cl_host_arrays *arrays) {
    device_facts *const facts = &r->handle->facts;
    const device_facts own = *facts;
    argmax_cl_host_options options = ARGMAX_CL_HOST_OPTIONS_INIT;
    options.memory_limit = r->memory_limit;
    if (r->largest_buffer)
        facts->max_buffer = r->largest_buffer;
    facts->host_unified = own.host_unified && !r->copies;
    argmax_cl_status (*const calls[])(argmax_cl_handle, const argmax_cl_desc *, const argmax_cl_host_arrays *,
                                      const argmax_cl_host_options *) = {argmax_cl_host, argmin_cl_host,
                                                                         argminmax_cl_host};
    const argmax_cl_status status = calls[t->p->op](r->handle, &t->d.desc, arrays, &options);
    *facts = own;
    return status;
}

static bool run_host(runner *r, trial *t) {
    arena *const arenas[] = {&t->input, &t->index, &t->value, &t->mask, &t->max_index, &t->max_value};
    const size_t count = sizeof arenas / sizeof arenas[0];
    for (size_t i = 0; i < count; i++) {
        if (!arenas[i]->image)
            continue;
        arenas[i]->backing = malloc(arena_size(arenas[i]) + arenas[i]->shift);
        if (!arenas[i]->backing)
            return no_memory(r, arena_size(arenas[i]));
    }
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.input = host_array(&t->input);
    arrays.index = host_array(&t->index);
    arrays.value = host_array(&t->value);
    arrays.mask = host_array(&t->mask);
    arrays.max_index = host_array(&t->max_index);
    arrays.max_value = host_array(&t->max_value);
    if (!library_ok(r, limited_host_call(r, t, &arrays), run_route_names[ROUTE_HOST])) {
        r->died = r->kills && strstr(r->message, "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST");
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (arenas[i]->image)
            memcpy(arenas[i]->actual, arenas[i]->bytes ? arenas[i]->backing + arenas[i]->shift : arenas[i]->image,
                   arena_size(arenas[i]));
    return true;
}

bool trial_run(runner *r, trial *t, run_route route, const void *content) {
    const problem_line *const p = t->p;
    const bool forced = p->strategy[0] || p->tuning[0];
    problem_describe(p, &t->d);
    r->status = ARGMAX_CL_SUCCESS;
    if (!tuned_use(p->tuning, p->fields))
        return runner_failed(r, "the tuning row \"%s\" with the fields \"%s\" cannot be had", p->tuning, p->fields);
    if ((route == ROUTE_PLAN || forced) &&
        !library_ok(r, argmax_cl_plan_create(&t->plan, r->handle, p->op, &t->d.desc), "plan_create"))
        return false;
    return trial_open(r, t, content) && (route == ROUTE_HOST ? run_host(r, t) : run_buffers(r, t, route));
}
