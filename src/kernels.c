/* Kernel objects of a plan: created with every argument but the buffers, lent to one enqueue at a time. */
#include "handle.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *scan_kernel_name(const geometry *g) {
    static const char *const names[] = {[FAMILY_ROWS] = "rows",
                                        [FAMILY_HELD] = "held",
                                        [FAMILY_BLOCKS] = "blocks",
                                        [FAMILY_ABREAST] = "abreast",
                                        [FAMILY_COLUMNS] = "columns",
                                        [FAMILY_FOLDED] = "folded",
                                        [FAMILY_TRANSPOSED] = "transposed"};
    return names[g->family];
}

static kernel_dims dims_argument(const layout *l) {
    kernel_dims d = {.in_offset = l->in_offset,
                     .index_offset = l->index_offset,
                     .value_offset = l->value_offset,
                     .outputs = l->outputs,
                     .reduction = l->reduction,
                     .kept_count = l->kept_count,
                     .reduced_count = l->reduced_count};
    for (uint32_t i = 0; i < l->kept_count; ++i) {
        d.kept_size[i] = l->kept[i].size;
        d.kept_in[i] = l->kept[i].in;
        d.kept_index[i] = l->kept[i].index;
        d.kept_value[i] = l->kept[i].value;
    }
    for (uint32_t i = 0; i < l->reduced_count; ++i) {
        d.reduced_size[i] = l->reduced[i].size;
        d.reduced_in[i] = l->reduced[i].in;
    }
    return d;
}

/* The number of buffers before the struct arguments. */
static cl_uint scan_buffers(const problem *p, const geometry *g) {
    return g->parts > 1 || !p->value.type ? 2 : 3;
}
static cl_uint merge_buffers(const problem *p) {
    return p->value.type ? 4 : 3;
}

cl_uint finish_outputs(const geometry *g) {
    const cl_uint buffers = 2, structs = g->family == FAMILY_FOLDED ? 3 : 2;
    return buffers + structs;
}

/* What finish.clh takes after the outputs: the counters, unless they are the target (launch.c), and a struct. */
static cl_uint finish_at(const struct argmax_cl_plan_s *plan) {
    return finish_outputs(&plan->geometry) + (plan->problem.value.type ? 2 : 1);
}

cl_int kernel_set_stage(argmax_cl_plan plan, cl_kernel kernel, cl_ulong stage, cl_ulong counter) {
    const geometry *g = &plan->geometry;
    const kernel_finish finish = {stage, counter, g->merge_lanes};
    return clSetKernelArg(kernel, finish_at(plan) + (has_words(g) ? 0 : 1), sizeof finish, &finish);
}

static cl_int set_finish(argmax_cl_plan plan, cl_kernel kernel, cl_ulong stage) {
    const cl_mem counters = plan->handle->counters;
    const cl_int code =
        has_words(&plan->geometry) ? CL_SUCCESS : clSetKernelArg(kernel, finish_at(plan), sizeof counters, &counters);
    return code == CL_SUCCESS ? kernel_set_stage(plan, kernel, stage, 0) : code;
}

/* The dims with lists of `room` entries. */
static cl_int set_dims(cl_kernel kernel, cl_uint at, const kernel_dims *dims, uint32_t room) {
    const size_t scalars = offsetof(kernel_dims, reduced_size), list = room * sizeof(cl_ulong);
    const size_t list_count = (sizeof *dims - scalars) / (MAX_RANK * sizeof(cl_ulong));
    const char *const lists = (const char *)dims + scalars;
    char argument[sizeof *dims];
    memcpy(argument, dims, scalars);
    for (size_t i = 0; i < list_count; ++i)
        memcpy(argument + scalars + i * list, lists + i * MAX_RANK * sizeof(cl_ulong), list);
    return clSetKernelArg(kernel, at, scalars + list_count * list, argument);
}

static cl_int set_structs(cl_kernel kernel, cl_uint first, const kernel_dims *dims, const void *rest, size_t bytes) {
    const cl_int code = set_dims(kernel, first, dims, dims_room(dims->kept_count, dims->reduced_count));
    return code == CL_SUCCESS ? clSetKernelArg(kernel, first + 1, bytes, rest) : code;
}

/* The merging kernel knows the reduced dims only where it reads values. */
static cl_int set_merge(const struct argmax_cl_plan_s *plan, cl_kernel kernel, const kernel_dims *dims, bool idle) {
    const geometry *g = &plan->geometry;
    const problem *p = &plan->problem;
    const kernel_merge merge = {idle ? 0 : g->merge.jobs, g->merge.jobs_per_group, g->parts};
    const cl_uint at = merge_buffers(p);
    const cl_int code =
        set_dims(kernel, at, dims, dims_room(dims->kept_count, p->value.type ? dims->reduced_count : 1));
    return code == CL_SUCCESS ? clSetKernelArg(kernel, at + 1, sizeof merge, &merge) : code;
}

static cl_int set_rows(const struct argmax_cl_plan_s *plan, cl_kernel kernel, cl_uint first, const kernel_dims *dims,
                       uint64_t jobs) {
    const geometry *g = &plan->geometry;
    const layout_dim *last = &plan->layout.reduced[plan->layout.reduced_count - 1];
    kernel_rows rows = {.jobs = jobs,
                        .jobs_per_group = g->scan.jobs_per_group,
                        .parts = g->parts,
                        .per_parts = reciprocal(g->parts),
                        .vectors = g->units,
                        .chunk = g->chunk,
                        .segment = last->size,
                        .segment_vectors = g->segment_vectors,
                        .stride = last->in};
    size_t bytes = offsetof(kernel_rows, gaps);
    if (g->gaps) {
        rows.gaps.ahead_by = g->ahead_by;
        rows.gaps.turn = g->turn;
        rows.gaps.turned_by = g->turned_by;
        bytes += sizeof rows.gaps;
    } else if (g->pieces) {
        rows.late.pieces = g->pieces;
        rows.late.piece = g->piece;
        bytes += sizeof rows.late;
    }
    return set_structs(kernel, first, dims, &rows, bytes);
}

static cl_int set_held(const struct argmax_cl_plan_s *plan, cl_kernel kernel, cl_uint first, const kernel_dims *dims,
                       uint64_t jobs) {
    const geometry *g = &plan->geometry;
    const kernel_held held = {
        .jobs = jobs, .jobs_per_group = g->scan.jobs_per_group, .vectors = (cl_uint)g->units, .unused = 0};
    return set_structs(kernel, first, dims, &held, sizeof held);
}

/* 2^32 / n, rounded up; 0 for 1. */
static cl_uint short_reciprocal(uint64_t n) {
    return n == 1 ? 0 : (cl_uint)(UINT32_MAX / n + 1);
}

static cl_int set_blocks(const struct argmax_cl_plan_s *plan, cl_kernel kernel, cl_uint first, const kernel_dims *dims,
                         uint64_t jobs) {
    const geometry *g = &plan->geometry;
    const uint64_t answers = plan->layout.outputs / g->outers, columns = answers * g->fused;
    const uint64_t vectors = columns / g->vector, wides = g->units * columns / g->wide;
    const kernel_blocks blocks = {.jobs = jobs,
                                  .jobs_per_group = g->scan.jobs_per_group,
                                  .outers = g->outers,
                                  .blocks = g->batch,
                                  .rows = (cl_uint)g->units,
                                  .columns = (cl_uint)columns,
                                  .answers = (cl_uint)answers,
                                  .per_answers = short_reciprocal(answers),
                                  .vectors = (cl_uint)vectors,
                                  .per_vectors = short_reciprocal(vectors),
                                  .wides = (cl_uint)wides,
                                  .per_wides = g->pad ? short_reciprocal(wides) : 0,
                                  .pad = g->pad,
                                  .pass = g->pass,
                                  .unused = 0};
    return set_structs(kernel, first, dims, &blocks, sizeof blocks);
}

static cl_int set_abreast(const struct argmax_cl_plan_s *plan, cl_kernel kernel, cl_uint first, const kernel_dims *dims,
                          uint64_t jobs) {
    const geometry *g = &plan->geometry;
    const layout *l = &plan->layout;
    const layout_dim *column = &l->kept[l->kept_count - 1];
    const uint64_t segment = l->reduced[l->reduced_count - 1].size;
    const kernel_abreast abreast = {.jobs = jobs,
                                    .jobs_per_group = g->scan.jobs_per_group,
                                    .columns = column->size,
                                    .tiles = g->tiles,
                                    .side = g->side,
                                    .segments = l->reduction / segment,
                                    .segment = segment,
                                    .segment_vectors = g->segment_vectors,
                                    .column_stride = column->in};
    return set_structs(kernel, first, dims, &abreast, sizeof abreast);
}

static cl_int set_transposed(const struct argmax_cl_plan_s *plan, cl_kernel kernel, cl_uint first,
                             const kernel_dims *dims, uint64_t jobs) {
    const geometry *g = &plan->geometry;
    const kernel_transposed transposed = {.jobs = jobs, .jobs_per_group = g->scan.jobs_per_group, .blocks = g->outers};
    return set_structs(kernel, first, dims, &transposed, sizeof transposed);
}

static cl_int set_columns(const struct argmax_cl_plan_s *plan, cl_kernel kernel, cl_uint first, const kernel_dims *dims,
                          const layout_dim *column, uint64_t jobs) {
    const geometry *g = &plan->geometry;
    const cl_ulong last = dims->reduced_count - 1, fused = g->fused;
    kernel_columns columns = {.jobs = jobs,
                              .jobs_per_group = g->scan.jobs_per_group,
                              .parts = g->parts,
                              .rows = g->units,
                              .chunk = g->chunk,
                              .columns = column->size * fused,
                              .tiles = g->tiles,
                              .outers = g->outers,
                              .per_tiles = reciprocal(g->tiles),
                              .per_outers = reciprocal(g->outers),
                              .segment = (dims->reduced_size[last] + fused - 1) / fused,
                              .stride = dims->reduced_in[last],
                              .column_stride = column->in,
                              .column_index = column->index,
                              .column_value = column->value};
    size_t bytes = offsetof(kernel_columns, segment_rows);
    if (fused > 1) {
        columns.segment_rows = dims->reduced_size[last];
        bytes += sizeof columns.segment_rows;
    } else if (g->pieces) {
        columns.late.pieces = (cl_uint)g->pieces;
        columns.late.piece = (cl_uint)g->piece;
        bytes += sizeof columns.late;
    }
    return set_structs(kernel, first, dims, &columns, bytes);
}

/* The folded dim leaves the list of reduced dims; what a step along each of them adds to the index goes along. */
static cl_int set_folded(const struct argmax_cl_plan_s *plan, cl_kernel kernel, cl_uint first, const kernel_dims *dims,
                         uint64_t jobs) {
    const layout *l = &plan->layout;
    kernel_dims rest = *dims;
    kernel_weights weights = {{0}, 0};
    uint64_t weight = l->reduction;
    rest.reduced_count = 0;
    for (uint32_t i = 0; i < l->reduced_count; ++i) {
        weight /= l->reduced[i].size;
        if (i == plan->geometry.fold) {
            weights.column = (cl_long)weight;
            continue;
        }
        rest.reduced_size[rest.reduced_count] = l->reduced[i].size;
        rest.reduced_in[rest.reduced_count] = l->reduced[i].in;
        weights.row[rest.reduced_count++] = (cl_long)weight;
    }
    const cl_int code = set_columns(plan, kernel, first, &rest, &l->reduced[plan->geometry.fold], jobs);
    return code == CL_SUCCESS ? clSetKernelArg(kernel, first + 2, sizeof weights, &weights) : code;
}

static cl_int set_scan(const struct argmax_cl_plan_s *plan, cl_kernel kernel, const kernel_dims *dims, bool idle) {
    const geometry *g = &plan->geometry;
    const layout *l = &plan->layout;
    const cl_uint first = scan_buffers(&plan->problem, g);
    const uint64_t jobs = idle ? 0 : g->scan.jobs;
    if (g->family == FAMILY_ROWS)
        return set_rows(plan, kernel, first, dims, jobs);
    if (g->family == FAMILY_HELD)
        return set_held(plan, kernel, first, dims, jobs);
    if (g->family == FAMILY_BLOCKS)
        return set_blocks(plan, kernel, first, dims, jobs);
    if (g->family == FAMILY_ABREAST)
        return set_abreast(plan, kernel, first, dims, jobs);
    if (g->family == FAMILY_TRANSPOSED)
        return set_transposed(plan, kernel, first, dims, jobs);
    if (g->family == FAMILY_FOLDED)
        return set_folded(plan, kernel, first, dims, jobs);
    return set_columns(plan, kernel, first, dims, &l->kept[l->kept_count - 1], jobs);
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
    const kernel_dims dims = dims_argument(&plan->layout);
    const argmax_cl_status status = create_kernel(plan->scan_program, scan_kernel_name(&plan->geometry), kernel);
    if (status)
        return status;
    cl_int code = set_scan(plan, *kernel, &dims, idle || stage == STAGE_MERGE);
    if (code == CL_SUCCESS && plan->geometry.finish != HANDOVER_NONE)
        code = set_finish(plan, *kernel, stage);
    return arguments_set(code, kernel);
}

static argmax_cl_status create_merge(argmax_cl_plan plan, bool idle, cl_kernel *kernel) {
    const kernel_dims dims = dims_argument(&plan->layout);
    const argmax_cl_status status = create_kernel(plan->merge_program, "merge", kernel);
    return status ? status : arguments_set(set_merge(plan, *kernel, &dims, idle), kernel);
}

static argmax_cl_status create_set(argmax_cl_plan plan, bool idle, kernel_set **out) {
    kernel_set *set = calloc(1, sizeof *set);
    if (!set)
        return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for the kernels of a plan");
    argmax_cl_status status = create_scan(plan, idle, STAGE_BOTH, &set->scan);
    if (!status && plan->merge_program)
        status = create_merge(plan, idle, &set->merge);
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
        free(sets);
        sets = next;
    }
}
