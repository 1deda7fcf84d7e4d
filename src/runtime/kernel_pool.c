/* Kernel objects of a plan: created with every argument but the buffers, lent to one enqueue at a time. */
#include "families/family.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void set_argument(kernel_arguments *arguments, uint32_t i, const void *value, size_t bytes) {
    assert(i < OWN_ARGUMENTS_MOST && bytes <= sizeof arguments->own[i].value);
    memcpy(arguments->own[i].value, value, bytes);
    arguments->own[i].bytes = bytes;
}

/* Elements of the workspace, or of the tensor, before its answers. */
static int64_t answers_at(const struct argmax_cl_plan_s *plan, output_tensor output, int64_t offset) {
    const dtype_info *const type = output_view(&plan->problem, output)->type;
    return plan->layout.stored_count && type
               ? (int64_t)(answers_offset(&plan->problem, &plan->layout, &plan->geometry, output) / (type->bits / 8))
               : offset;
}

static dims_t dims_argument(const struct argmax_cl_plan_s *plan) {
    const layout *const l = &plan->layout;
    dims_t d = {.in_offset = l->in_offset,
                .index_offset = answers_at(plan, OUTPUT_INDEX, l->index_offset),
                .value_offset = answers_at(plan, OUTPUT_VALUE, l->value_offset),
                .outputs = l->outputs,
                .reduction = l->reduction,
                .kept_count = l->kept_count,
                .reduced_count = l->reduced_count,
                .repeated = l->repeated};
    d.mask.offset = l->mask_offset;
    d.maximum.index_offset = answers_at(plan, OUTPUT_MAX_INDEX, l->max_index_offset);
    d.maximum.value_offset = answers_at(plan, OUTPUT_MAX_VALUE, l->max_value_offset);
    for (uint32_t i = 0; i < l->kept_count; ++i) {
        d.mask.kept[i] = l->kept[i].mask;
        d.maximum.kept_index[i] = l->kept[i].max_index;
        d.maximum.kept_value[i] = l->kept[i].max_value;
        d.kept_size[i] = l->kept[i].size;
        d.kept_in[i] = l->kept[i].in;
        d.kept_index[i] = l->kept[i].index;
        d.kept_value[i] = l->kept[i].value;
    }
    for (uint32_t i = 0; i < l->reduced_count; ++i) {
        d.reduced_size[i] = l->reduced[i].size;
        d.reduced_in[i] = l->reduced[i].in;
        d.mask.reduced[i] = l->reduced[i].mask;
    }
    return d;
}

/* The number of buffers before the struct arguments. */
static cl_uint scan_buffers(const problem *p, const geometry *g) {
    return input_buffers(p) + (g->parts > 1 ? 1 : output_buffers(p));
}
static cl_uint merge_buffers(const problem *p) {
    return 2 + output_buffers(p);
}

cl_uint input_buffers(const problem *p) {
    return is_masked(p) ? 2 : 1;
}
cl_uint output_buffers(const problem *p) {
    return 1u + (p->value.type != NULL) + (p->max_index.type != NULL) + (p->max_value.type != NULL);
}

cl_uint finish_outputs(const problem *p, const geometry *g) {
    const cl_uint target = 1, dims = 1;
    return input_buffers(p) + target + dims + g->family->structs;
}

/* What finish.clh takes after the outputs: the counters, unless they are the target (launch.c), and a struct. */
static cl_uint finish_at(const struct argmax_cl_plan_s *plan) {
    return finish_outputs(&plan->problem, &plan->geometry) + output_buffers(&plan->problem);
}

cl_int kernel_set_stage(argmax_cl_plan plan, cl_kernel kernel, cl_ulong stage, cl_ulong counter) {
    const geometry *g = &plan->geometry;
    const finish_t finish = {stage, counter, g->merge_lanes, g->unit_counters, g->word_sets, g->set_words};
    return clSetKernelArg(kernel, finish_at(plan) + (has_words(g) ? 0 : 1), sizeof finish, &finish);
}

static cl_int set_finish(argmax_cl_plan plan, cl_kernel kernel, cl_ulong stage) {
    const cl_mem counters = NULL;
    const cl_int code =
        has_words(&plan->geometry) ? CL_SUCCESS : clSetKernelArg(kernel, finish_at(plan), sizeof counters, &counters);
    return code == CL_SUCCESS ? kernel_set_stage(plan, kernel, stage, 0) : code;
}

#define COUNTERS_UNKNOWN UINT64_MAX

/* To bind a buffer takes the host longer than the other arguments together, and a queue's block stays for long. */
cl_int kernel_set_counters(argmax_cl_plan plan, kernel_set *set, const counter_loan *loan) {
    const cl_mem buffer = loan ? loan->buffer : NULL;
    const uint64_t number = loan ? loan->number : 0;
    if (has_words(&plan->geometry) || set->counters == number)
        return CL_SUCCESS;
    const cl_int code = clSetKernelArg(set->scan, finish_at(plan), sizeof buffer, &buffer);
    set->counters = code == CL_SUCCESS ? number : COUNTERS_UNKNOWN;
    return code;
}

/* A struct of dims as a kernel has it: `scalars` bytes, then lists, of `room` entries each. */
static size_t copy_dims(char *to, const void *from, size_t bytes, size_t scalars, uint32_t room) {
    const size_t list = room * sizeof(cl_ulong), full_list = MAX_RANK * sizeof(cl_ulong);
    const size_t list_count = (bytes - scalars) / full_list;
    memcpy(to, from, scalars);
    for (size_t i = 0; i < list_count; ++i)
        memcpy(to + scalars + i * list, (const char *)from + scalars + i * full_list, list);
    return scalars + list_count * list;
}

/* The dims with lists of `room` entries; `masked` where the kernel knows the mask. A repeated dim is for those that
 * tell indices. */
static cl_int set_dims(cl_kernel kernel, cl_uint at, const dims_t *dims, bool masked, bool both, uint32_t room) {
    char argument[sizeof *dims];
    size_t bytes = copy_dims(argument, dims, offsetof(dims_t, mask), offsetof(dims_t, reduced_size), room);
    if (masked)
        bytes += copy_dims(argument + bytes, &dims->mask, sizeof dims->mask, offsetof(mask_dims_t, reduced), room);
    if (both)
        bytes += copy_dims(argument + bytes, &dims->maximum, sizeof dims->maximum, offsetof(maximum_dims_t, kept_index),
                           room);
    if (dims->repeated.added) {
        memcpy(argument + bytes, &dims->repeated, sizeof dims->repeated);
        bytes += sizeof dims->repeated;
    }
    return clSetKernelArg(kernel, at, bytes, argument);
}

/* Entries of each list (ROOM of kernels/abi.h) for a kernel that knows so many reduced dims. */
static uint32_t dims_room(const dims_t *dims, cl_ulong reduced) {
    return (uint32_t)(dims->kept_count > reduced ? dims->kept_count : reduced);
}

/* The merging kernel knows the reduced dims only where it reads values. */
static cl_int set_merge(const struct argmax_cl_plan_s *plan, cl_kernel kernel, const dims_t *dims, bool idle) {
    const geometry *g = &plan->geometry;
    const problem *p = &plan->problem;
    const merge_t merge = {idle ? 0 : g->merge.jobs, g->merge.jobs_per_group, g->parts};
    const cl_uint at = merge_buffers(p);
    const cl_int code =
        set_dims(kernel, at, dims, false, wants_both(p), dims_room(dims, has_values(p) ? dims->reduced_count : 1));
    return code == CL_SUCCESS ? clSetKernelArg(kernel, at + 1, sizeof merge, &merge) : code;
}

static cl_int set_scan(const struct argmax_cl_plan_s *plan, cl_kernel kernel, bool idle) {
    const geometry *g = &plan->geometry;
    const cl_uint first = scan_buffers(&plan->problem, g);
    kernel_arguments arguments = {.dims = dims_argument(plan)};
    arguments.dims.mask.along = g->mask_along;
    if (!scan_answers(g))
        arguments.dims.repeated = (repeated_dim_t){0};
    g->family->arguments(&plan->layout, g, idle ? 0 : g->scan.jobs, &arguments);
    const dims_t *const dims = &arguments.dims;
    cl_int code = set_dims(kernel, first, dims, is_masked(&plan->problem), wants_both(&plan->problem),
                           dims_room(dims, dims->reduced_count));
    for (uint32_t i = 0; i < g->family->structs && code == CL_SUCCESS; ++i)
        code = clSetKernelArg(kernel, first + 1 + i, arguments.own[i].bytes, arguments.own[i].value);
    return code;
}

static argmax_cl_status create_kernel(cl_program program, const char *name, cl_kernel *kernel) {
    cl_int code;
    *kernel = clCreateKernel(program, name, &code);
    return *kernel ? ARGMAX_CL_SUCCESS : fail_opencl("clCreateKernel", code);
}

/* Whether the arguments could be set; if not there is no kernel either. */
static argmax_cl_status arguments_set(cl_int code, cl_kernel *kernel) {
    if (code == CL_SUCCESS)
        return ARGMAX_CL_SUCCESS;
    clReleaseKernel(*kernel);
    *kernel = NULL;
    return fail_opencl("clSetKernelArg", code);
}

/* The scan's kernel, to scan or, without jobs, to merge only. */
static argmax_cl_status create_scan(argmax_cl_plan plan, bool idle, cl_ulong stage, cl_kernel *kernel) {
    const argmax_cl_status status = create_kernel(plan->scan_program, plan->geometry.family->kernel, kernel);
    if (status)
        return status;
    cl_int code = set_scan(plan, *kernel, idle || stage == STAGE_MERGE);
    if (code == CL_SUCCESS && plan->geometry.finish != ORDERING_NONE)
        code = set_finish(plan, *kernel, stage);
    return arguments_set(code, kernel);
}

static argmax_cl_status create_merge(argmax_cl_plan plan, bool idle, cl_kernel *kernel) {
    const dims_t dims = dims_argument(plan);
    const argmax_cl_status status = create_kernel(plan->merge_program, "merge", kernel);
    return status ? status : arguments_set(set_merge(plan, *kernel, &dims, idle), kernel);
}

static argmax_cl_status create_copies(argmax_cl_plan plan, bool idle, output_tensor output, cl_kernel *kernel) {
    copies_t copies = copies_argument(&plan->problem, &plan->layout, &plan->geometry, output);
    const argmax_cl_status status = create_kernel(plan->copies_programs[output], "copies", kernel);
    copies.jobs = idle ? 0 : copies.jobs;
    return status ? status : arguments_set(clSetKernelArg(*kernel, 2, sizeof copies, &copies), kernel);
}

static argmax_cl_status create_set(argmax_cl_plan plan, bool idle, kernel_set **out) {
    kernel_set *set = calloc(1, sizeof *set);
    if (!set)
        return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for the kernels of a plan");
    argmax_cl_status status = create_scan(plan, idle, STAGE_BOTH, &set->scan);
    if (!status && plan->merge_program)
        status = create_merge(plan, idle, &set->merge);
    for (output_tensor output = 0; output < OUTPUT_TENSORS && !status; ++output)
        if (plan->copies_programs[output])
            status = create_copies(plan, idle, output, &set->copies[output]);
    if (status)
        kernel_sets_release(set);
    else
        *out = set;
    return status;
}

argmax_cl_status kernel_set_need_merge(argmax_cl_plan plan, kernel_set *set) {
    return set->merge ? ARGMAX_CL_SUCCESS : create_scan(plan, false, STAGE_MERGE, &set->merge);
}

argmax_cl_status kernel_set_take(argmax_cl_plan plan, kernel_set **set) {
    pthread_mutex_lock(&plan->kernels_lock);
    kernel_set *idle = plan->kernels;
    if (idle)
        plan->kernels = idle->next;
    pthread_mutex_unlock(&plan->kernels_lock);
    if (!idle)
        return create_set(plan, false, set);
    idle->next = NULL;
    *set = idle;
    return ARGMAX_CL_SUCCESS;
}

void kernel_set_return(argmax_cl_plan plan, kernel_set *set) {
    pthread_mutex_lock(&plan->kernels_lock);
    set->next = plan->kernels;
    plan->kernels = set;
    pthread_mutex_unlock(&plan->kernels_lock);
}

argmax_cl_status kernel_set_idle(argmax_cl_plan plan, kernel_set **set) {
    return create_set(plan, true, set);
}

void kernel_sets_release(kernel_set *sets) {
    while (sets) {
        kernel_set *next = sets->next;
        if (sets->scan)
            clReleaseKernel(sets->scan);
        if (sets->merge)
            clReleaseKernel(sets->merge);
        for (output_tensor output = 0; output < OUTPUT_TENSORS; ++output)
            if (sets->copies[output])
                clReleaseKernel(sets->copies[output]);
        free(sets);
        sets = next;
    }
}
