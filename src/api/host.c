/* The operator on arrays in host memory: a packed plan, transfers of the addressed ranges alone, and a queue of its own
 * for each call. What does not fit goes through stream.c. */
#include "api/handle.h"
#include "api/host_arrays.h"
#include "api/stream.h"
#include "api/structs.h"

#include <inttypes.h>
#include <stdlib.h>

/* What one call owns. */
typedef struct host_call {
    cl_context context;
    cl_device_id device;
    device_facts facts;
    argmax_cl_plan plan;
    cl_command_queue queue;
    argmax_cl_buffers buffers;
    cl_mem workspace;
    cl_event done;
    double seconds_compute, seconds_transfer; /* by the host's clock: from the first command to the end of the last */
} host_call;

static uint64_t range_bytes(const tensor_view *view) {
    return (view->last - view->first + 1) * (view->type->bits / 8);
}

/* Whether the device takes it all at once: buffers that it can have, within its memory or the caller's limit. An input
 * in place takes none, but a driver may refuse that: under a limit stream.c sees to it. */
static bool fits(const problem *p, const device_facts *facts, const tuning_row *tuning,
                 const argmax_cl_host_options *options) {
    const uint64_t buffer = facts->max_buffer < SIZE_MAX ? facts->max_buffer : SIZE_MAX;
    const uint64_t answers = answer_bytes(p, false), answer = answer_bytes(p, true);
    const uint64_t input = range_bytes(&p->input), mask = is_masked(p) ? range_bytes(&p->mask) : 0;
    if (p->outputs == 0)
        return true;
    if (input > buffer || mask > buffer || p->outputs > buffer / answer ||
        (input > WATCHED_BYTES && stream_is_watched(options)) ||
        (input > tuning->sent_at_once_bytes && !facts->host_unified))
        return false;
    const uint64_t limit = options->memory_limit ? options->memory_limit : facts->memory ? facts->memory : UINT64_MAX;
    const uint64_t taken = facts->host_unified && !options->memory_limit ? 0 : input + mask;
    return taken <= limit && p->outputs <= (limit - taken) / answers;
}

/* A tensor whose buffer starts at its lowest element. */
static argmax_cl_tensor at_lowest(const problem *p, const tensor_view *view) {
    argmax_cl_tensor tensor = ARGMAX_CL_TENSOR_INIT;
    if (!view->type)
        return tensor;
    tensor.dtype = view->type->dtype;
    tensor.rank = p->rank;
    tensor.sizes = view->size;
    tensor.strides = view->stride;
    tensor.offset = p->outputs ? view->offset - view->first : 0;
    return tensor;
}

static argmax_cl_tensor packed(const tensor_view *view) {
    argmax_cl_tensor tensor = ARGMAX_CL_TENSOR_INIT;
    tensor.dtype = view->type ? view->type->dtype : (argmax_cl_dtype)0;
    return tensor;
}

/* The same problem with the input's buffer starting at its lowest element and packed outputs. */
static argmax_cl_status create_packed_plan(argmax_cl_handle handle, const problem *p, argmax_cl_plan *plan) {
    const argmax_cl_tensor input = at_lowest(p, &p->input), mask = at_lowest(p, &p->mask);
    const argmax_cl_tensor index = packed(&p->index), value = packed(&p->value);
    const argmax_cl_tensor max_index = packed(&p->max_index), max_value = packed(&p->max_value);
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    uint32_t axes[MAX_RANK];
    desc.input = &input;
    desc.mask = p->mask.type ? &mask : NULL;
    desc.index = &index;
    desc.value = p->value.type ? &value : NULL;
    desc.max_index = p->max_index.type ? &max_index : NULL;
    desc.max_value = p->max_value.type ? &max_value : NULL;
    for (uint32_t i = 0; i < p->rank; i++)
        if (p->reduced[i])
            axes[desc.axis_count++] = i;
    desc.axes = axes;
    desc.axis_direction = p->direction;
    desc.max_direction = p->max_direction;
    desc.nan_mode = p->nan_mode;
    desc.strategy = p->strategy;
    desc.tuning = p->tuning;
    return argmax_cl_plan_create(plan, handle, p->op, &desc);
}

static argmax_cl_status create_buffer(const char *name, cl_context context, cl_mem_flags flags, uint64_t bytes,
                                      void *host, cl_mem *out) {
    cl_int code = CL_SUCCESS;
    *out = clCreateBuffer(context, flags, (size_t)bytes, host, &code);
    if (code == CL_SUCCESS)
        return ARGMAX_CL_SUCCESS;
    *out = NULL;
    return fail_buffer(name, bytes, code);
}

/* The input or the mask. Where the device works in host memory, it is used in place. A driver may refuse that (memory
 * that is mapped read-only, for one); a copy serves as well. */
static argmax_cl_status send(host_call *call, const char *name, const tensor_view *view, uint32_t vector,
                             const void *array, cl_mem *buffer) {
    unsigned char *const from = host_element(array, view, view->first);
    const uint64_t bytes = range_bytes(view);
    cl_int code = CL_SUCCESS;
    if (call->facts.host_unified && (uintptr_t)from % ((uintptr_t)vector * (view->type->bits / 8)) == 0) {
        *buffer = clCreateBuffer(call->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, (size_t)bytes, from, &code);
        if (code == CL_SUCCESS)
            return ARGMAX_CL_SUCCESS;
        *buffer = NULL;
    }
    const argmax_cl_status status = create_buffer(name, call->context, CL_MEM_READ_ONLY, bytes, NULL, buffer);
    if (status)
        return status;
    code = clEnqueueWriteBuffer(call->queue, *buffer, CL_TRUE, 0, (size_t)bytes, from, 0, NULL, NULL);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clEnqueueWriteBuffer", code);
}

static argmax_cl_status send_inputs(host_call *call, const problem *p, const argmax_cl_host_arrays *arrays) {
    const argmax_cl_status status =
        send(call, "the input", &p->input, plan_input_vector(call->plan), arrays->input, &call->buffers.input);
    return status || !is_masked(p)
               ? status
               : send(call, "the mask", &p->mask, plan_mask_vector(call->plan), arrays->mask, &call->buffers.mask);
}

static argmax_cl_status create_output(const host_call *call, const char *name, const problem *p,
                                      const tensor_view *view, cl_mem *buffer) {
    return view->type ? create_buffer(name, call->context, CL_MEM_READ_WRITE, p->outputs * (view->type->bits / 8), NULL,
                                      buffer)
                      : ARGMAX_CL_SUCCESS;
}

static argmax_cl_status create_outputs(host_call *call, const problem *p) {
    size_t workspace = 0;
    argmax_cl_status status = create_output(call, "the index", p, &p->index, &call->buffers.index);
    if (!status)
        status = create_output(call, "the value", p, &p->value, &call->buffers.value);
    if (!status)
        status = create_output(call, "the maximum's index", p, &p->max_index, &call->buffers.max_index);
    if (!status)
        status = create_output(call, "the maximum's value", p, &p->max_value, &call->buffers.max_value);
    if (!status)
        status = argmax_cl_plan_workspace_size(call->plan, &workspace);
    if (!status && workspace)
        status = create_buffer("a workspace", call->context, CL_MEM_READ_WRITE, workspace, NULL, &call->workspace);
    return status;
}

static argmax_cl_status compute(host_call *call) {
    const argmax_cl_status status =
        argmax_cl_plan_enqueue(call->plan, call->queue, &call->buffers, call->workspace, 0, NULL, &call->done);
    if (status)
        return status;
    const cl_int code = clWaitForEvents(1, &call->done);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clWaitForEvents", code);
}

/* Straight into the caller's array when it is packed, else by way of a packed copy. */
static argmax_cl_status receive(host_call *call, const char *name, const tensor_view *view, uint64_t outputs,
                                cl_mem buffer, void *array) {
    const size_t bytes = (size_t)(outputs * (view->type->bits / 8));
    void *const copy = host_is_packed(view) ? NULL : malloc(bytes);
    if (!copy && !host_is_packed(view))
        return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for a packed copy of the %s output, %zu bytes", name,
                    bytes);
    void *const to = copy ? copy : host_element(array, view, view->first);
    const cl_int code = clEnqueueReadBuffer(call->queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
    if (copy && code == CL_SUCCESS)
        host_scatter(array, view, copy);
    free(copy);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clEnqueueReadBuffer", code);
}

static argmax_cl_status receive_all(host_call *call, const problem *p, const argmax_cl_host_arrays *arrays) {
    argmax_cl_status status = receive(call, "index", &p->index, p->outputs, call->buffers.index, arrays->index);
    if (!status && p->value.type)
        status = receive(call, "value", &p->value, p->outputs, call->buffers.value, arrays->value);
    if (!status && p->max_index.type)
        status = receive(call, "max_index", &p->max_index, p->outputs, call->buffers.max_index, arrays->max_index);
    if (!status && p->max_value.type)
        status = receive(call, "max_value", &p->max_value, p->outputs, call->buffers.max_value, arrays->max_value);
    return status;
}

/* The transfers' time ends before the kernels' begins: the write blocks. `warm` compiles first what a driver would
 * compile at the first run, so that it does not count as the kernels' time. */
static argmax_cl_status transfer_and_compute(host_call *call, const problem *p, const argmax_cl_host_arrays *arrays,
                                             bool warm) {
    cl_int code = CL_SUCCESS;
    call->queue = clCreateCommandQueue(call->context, call->device, 0, &code);
    if (code != CL_SUCCESS) {
        call->queue = NULL;
        return fail_opencl("clCreateCommandQueue", code);
    }
    argmax_cl_status status = create_outputs(call, p);
    if (!status && warm)
        status = argmax_cl_plan_warm_up(call->plan, call->queue);
    const double start = host_clock();
    if (!status)
        status = send_inputs(call, p, arrays);
    const double sent = host_clock();
    if (!status)
        status = compute(call);
    const double computed = host_clock();
    if (!status)
        status = receive_all(call, p, arrays);
    call->seconds_compute = computed - sent;
    call->seconds_transfer = sent - start + host_clock() - computed;
    return status;
}

/* Nothing here may fail in a way that hides the first failure's message. A queue is finished first, as what was
 * enqueued before a failure may still use the arrays. */
static void release(host_call *call) {
    cl_mem const memory[] = {call->workspace,     call->buffers.max_value, call->buffers.max_index, call->buffers.value,
                             call->buffers.index, call->buffers.mask,      call->buffers.input};
    if (call->queue)
        clFinish(call->queue);
    if (call->done)
        clReleaseEvent(call->done);
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        if (memory[i])
            clReleaseMemObject(memory[i]);
    if (call->queue)
        clReleaseCommandQueue(call->queue);
    argmax_cl_plan_destroy(call->plan);
}

static argmax_cl_status run_at_once(argmax_cl_handle handle, const problem *p, const argmax_cl_host_arrays *arrays,
                                    const argmax_cl_host_options *options, double *compute, double *transfer) {
    host_call call = {.context = handle->context,
                      .device = handle->device,
                      .facts = handle->facts,
                      .buffers = ARGMAX_CL_BUFFERS_INIT};
    argmax_cl_status status = create_packed_plan(handle, p, &call.plan);
    if (!status)
        status = stream_check_cancel(options, 0, 1);
    if (!status && p->outputs)
        status = transfer_and_compute(&call, p, arrays, options->seconds_compute != NULL);
    *compute = call.seconds_compute;
    *transfer = call.seconds_transfer;
    release(&call);
    if (!status)
        stream_tell(options, p, p->outputs * p->reduction);
    return status;
}

static argmax_cl_status run_in_blocks(argmax_cl_handle handle, problem *p, const tuning_row *tuning,
                                      const argmax_cl_host_arrays *arrays, const argmax_cl_host_options *options,
                                      double *compute, double *transfer) {
    double total = 0;
    const stream_task task = {.handle = handle, .problem = p, .arrays = *arrays, .options = options, .tuning = tuning};
    argmax_cl_status status = strategy_request(p);
    if (!status)
        status = stream_run(&task, compute, &total);
    *transfer = total > *compute ? total - *compute : 0;
    return status;
}

static argmax_cl_status run(argmax_cl_operator op, argmax_cl_handle handle, const argmax_cl_desc *desc,
                            const argmax_cl_host_arrays *given, const argmax_cl_host_options *given_options) {
    argmax_cl_host_options options = ARGMAX_CL_HOST_OPTIONS_INIT;
    argmax_cl_host_arrays arrays;
    problem p;
    tuning_row tuning;
    double compute = 0, transfer = 0;
    argmax_cl_status status = argmax_cl_get_device(handle, NULL, NULL);
    if (!status)
        status = device_enter();
    if (!status)
        status = check_desc(op, desc, &p);
    if (!status && given_options)
        status = STRUCT_READ("options", argmax_cl_host_options, seconds_transfer, given_options, &options);
    if (!status)
        status = host_arrays_check(given, &p, &arrays);
    if (!status)
        status = tuning_choose(p.tuning, &handle->facts, &tuning);
    bool at_once = !status && fits(&p, &handle->facts, &tuning, &options);
    if (at_once) {
        status = run_at_once(handle, &p, &arrays, &options, &compute, &transfer);
        at_once = status != ARGMAX_CL_ERROR_DEVICE_LIMIT; /* a workspace, or a grid, that is too large */
        status = at_once ? status : ARGMAX_CL_SUCCESS;
    }
    if (!status && !at_once)
        status = run_in_blocks(handle, &p, &tuning, &arrays, &options, &compute, &transfer);
    if (!status && options.seconds_compute)
        *options.seconds_compute = compute;
    if (!status && options.seconds_transfer)
        *options.seconds_transfer = transfer;
    return status;
}

argmax_cl_status argmax_cl_host(argmax_cl_handle handle, const argmax_cl_desc *desc,
                                const argmax_cl_host_arrays *arrays, const argmax_cl_host_options *options) {
    return run(ARGMAX_CL_ARGMAX, handle, desc, arrays, options);
}

argmax_cl_status argmin_cl_host(argmax_cl_handle handle, const argmax_cl_desc *desc,
                                const argmax_cl_host_arrays *arrays, const argmax_cl_host_options *options) {
    return run(ARGMAX_CL_ARGMIN, handle, desc, arrays, options);
}

argmax_cl_status argminmax_cl_host(argmax_cl_handle handle, const argmax_cl_desc *desc,
                                   const argmax_cl_host_arrays *arrays, const argmax_cl_host_options *options) {
    return run(ARGMAX_CL_ARGMINMAX, handle, desc, arrays, options);
}
