/* Plans: a checked problem with every decision made and every program compiled. */
#include "families/family.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The work-items a work-group of this program may have on the device. */
static argmax_cl_status group_allowed(argmax_cl_handle handle, cl_program program, const char *name, uint32_t wanted,
                                      uint32_t *allowed) {
    size_t group = 0;
    cl_int code;
    const char *call = "clCreateKernel";
    const cl_kernel kernel = clCreateKernel(program, name, &code);
    if (code == CL_SUCCESS) {
        call = "clGetKernelWorkGroupInfo";
        code = clGetKernelWorkGroupInfo(kernel, handle->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL);
        clReleaseKernel(kernel);
    }
    if (code != CL_SUCCESS)
        return fail_opencl(call, code);
    *allowed = group < wanted ? (uint32_t)group : wanted;
    return ARGMAX_CL_SUCCESS;
}

static argmax_cl_status compile_copies(argmax_cl_plan plan, uint32_t *allowed) {
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    for (output_tensor output = 0; output < OUTPUT_TENSORS && !status; ++output) {
        char options[OPTIONS_CAPACITY];
        if (!output_view(&plan->problem, output)->type)
            continue;
        options_copies(&plan->problem, &plan->layout, &plan->geometry, output, options);
        status = program_get(plan->handle, "copies", options, &plan->copies_programs[output]);
        if (!status)
            status = group_allowed(plan->handle, plan->copies_programs[output], "copies", *allowed, allowed);
    }
    return status;
}

static argmax_cl_status compile_stages(argmax_cl_plan plan, uint32_t *allowed) {
    const geometry *g = &plan->geometry;
    const char *scan = g->family->kernel;
    options_scan(&plan->problem, &plan->layout, g, plan->scan_options);
    argmax_cl_status status = program_get(plan->handle, scan, plan->scan_options, &plan->scan_program);
    if (!status)
        status = group_allowed(plan->handle, plan->scan_program, scan, *allowed, allowed);
    if (!status && plan->layout.stored_count)
        status = compile_copies(plan, allowed);
    if (status || scan_answers(g))
        return status;
    options_merge(&plan->problem, &plan->layout, g, plan->merge_options);
    status = program_get(plan->handle, "merge", plan->merge_options, &plan->merge_program);
    if (!status)
        status = group_allowed(plan->handle, plan->merge_program, "merge", *allowed, allowed);
    return status;
}

/* Decide and compile by the tuning row as it is now; again with smaller work-groups where the compiled kernel needs
 * more registers than they leave, and with two launches where a compiler does not know the atomics that its device
 * lists. */
static argmax_cl_status decide(argmax_cl_plan plan) {
    device_facts device = plan->handle->facts;
    uint32_t limit = device.max_group < 65536 ? (uint32_t)device.max_group : 65536;
    tuning_row tuning;
    argmax_cl_status status = tuning_choose(plan->problem.tuning, &device, &tuning);
    if (!status)
        layout_collapse(&plan->problem, &tuning, &plan->layout);
    while (!status) {
        uint32_t allowed = limit;
        plan->merge_program = NULL;
        status = strategy_choose(&plan->problem, &plan->layout, &device, &tuning, limit, &plan->geometry);
        if (!status)
            status = compile_stages(plan, &allowed);
        if (status == ARGMAX_CL_ERROR_BUILD && plan->geometry.finish != ORDERING_NONE) {
            device.ordering = ORDERING_NONE;
            status = ARGMAX_CL_SUCCESS;
            continue;
        }
        if (status || allowed >= plan->geometry.scan.group || plan->geometry.scan.group == 1)
            break;
        limit = allowed ? allowed : 1;
    }
    return status;
}

static argmax_cl_status size_workspace(argmax_cl_plan plan) {
    const geometry *g = &plan->geometry;
    const uint64_t buffer = plan->handle->facts.max_buffer, most = buffer < SIZE_MAX ? buffer : SIZE_MAX;
    uint64_t partials = 0, bytes = 0;
    if (g->parts > 1 && (!multiply_u64(plan->layout.outputs, g->parts, &partials) ||
                         !multiply_u64(partials, partial_bytes(&plan->problem), &bytes) || bytes > most))
        return fail(ARGMAX_CL_ERROR_DEVICE_LIMIT,
                    "workspace of %" PRIu64 " outputs x %" PRIu64
                    " parts x %u bytes: the device's largest buffer has %" PRIu64 " bytes",
                    plan->layout.outputs, g->parts, partial_bytes(&plan->problem),
                    (uint64_t)plan->handle->facts.max_buffer);
    if (plan->layout.stored_count) /* no more than the outputs take, which is less than 2^63 each */
        bytes = answers_offset(&plan->problem, &plan->layout, g, OUTPUT_TENSORS);
    if (bytes > most)
        return fail(ARGMAX_CL_ERROR_DEVICE_LIMIT,
                    "workspace of %" PRIu64 " bytes, with the answers of %" PRIu64
                    " outputs: the device's largest buffer has %" PRIu64 " bytes",
                    bytes, plan->layout.outputs, (uint64_t)plan->handle->facts.max_buffer);
    plan->workspace_bytes = (size_t)bytes;
    return ARGMAX_CL_SUCCESS;
}

/* Global sizes must fit what the device counts with. */
static argmax_cl_status check_grid(argmax_cl_plan plan) {
    const uint64_t limit = plan->handle->facts.address_bits < 64 ? UINT32_MAX : SIZE_MAX;
    const launch_grid *grids[] = {&plan->geometry.scan, &plan->geometry.merge, &plan->geometry.copies};
    for (size_t i = 0; i < sizeof grids / sizeof grids[0]; ++i)
        if (grids[i]->group && grids[i]->groups > limit / grids[i]->group)
            return fail(ARGMAX_CL_ERROR_DEVICE_LIMIT, "%" PRIu64 " work-groups: the device counts with %u bits",
                        grids[i]->groups, plan->handle->facts.address_bits);
    return ARGMAX_CL_SUCCESS;
}

/* The kernels take arrays and structs as the host has written them. */
static argmax_cl_status check_byte_order(const device_facts *device) {
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, sizeof first);
    return device->little_endian == (first == 1)
               ? ARGMAX_CL_SUCCESS
               : fail(ARGMAX_CL_ERROR_DEVICE_LIMIT, "%s is %s-endian: expected the host's order of bytes", device->name,
                      device->little_endian ? "little" : "big");
}

argmax_cl_status plan_create(argmax_cl_plan *out, argmax_cl_handle handle, const problem *p) {
    argmax_cl_plan plan = calloc(1, sizeof *plan);
    if (!plan)
        return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for a plan");
    if (pthread_mutex_init(&plan->kernels_lock, NULL) != 0) {
        free(plan);
        return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for a plan's lock");
    }
    atomic_init(&plan->references, 1);
    handle_retain(handle);
    plan->handle = handle;
    plan->problem = *p;
    plan->geometry.aligned_elements = 1;
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    if (p->outputs != 0) {
        status = check_byte_order(&handle->facts);
        if (!status)
            status = decide(plan);
        if (!status)
            status = size_workspace(plan);
        if (!status)
            status = check_grid(plan);
    }
    if (status)
        plan_release(plan);
    else
        *out = plan;
    return status;
}

void plan_release(argmax_cl_plan plan) {
    if (!plan || atomic_fetch_sub(&plan->references, 1) != 1)
        return;
    kernel_sets_release(plan->kernels);
    pthread_mutex_destroy(&plan->kernels_lock);
    handle_release(plan->handle);
    free(plan);
}

argmax_cl_status problem_open(argmax_cl_handle handle, argmax_cl_operator op, const argmax_cl_desc *desc, problem *p) {
    memset(p, 0, sizeof *p);
    if (!handle)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "handle = NULL: expected a handle of argmax_cl_create");
    argmax_cl_status status = device_enter();
    if (!status)
        status = check_desc(op, desc, p);
    if (!status)
        status = strategy_request(p);
    return status;
}

argmax_cl_status argmax_cl_plan_create(argmax_cl_plan *plan, argmax_cl_handle handle, argmax_cl_operator op,
                                       const argmax_cl_desc *desc) {
    problem p;
    if (!plan)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "plan = NULL: expected where to put the plan");
    *plan = NULL;
    argmax_cl_status status = problem_open(handle, op, desc, &p);
    if (!status)
        status = plan_create(plan, handle, &p);
    return status;
}

argmax_cl_status argmax_cl_plan_workspace_size(argmax_cl_plan plan, size_t *bytes) {
    if (!plan || !bytes)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "%s = NULL: expected %s", plan ? "bytes" : "plan",
                    plan ? "where to put the size" : "a plan of argmax_cl_plan_create");
    *bytes = plan->workspace_bytes;
    return ARGMAX_CL_SUCCESS;
}

void argmax_cl_plan_destroy(argmax_cl_plan plan) {
    plan_release(plan);
}
