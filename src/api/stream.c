/* Blocks through a device: see stream.h. The thread of the call cuts, sends and merges; while it does so, the block
 * before is on its way or computed on. Copies go by way of pinned memory, each slot in a queue of its own, so that one
 * slot's transfer runs beside the other's kernel. Blocks that are used in place need no transfer and share a queue. */
#include "api/stream.h"

#include "api/gather_team.h"
#include "api/handle.h"
#include "api/host_arrays.h"
#include "problem/cut.h"
#include "problem/partial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLOTS 2u
#define PLANS 8u /* blocks of one cut have up to 2^(axes cut) shapes; few have more than one axis cut */
/* Copies that keep a device's link busy need be no larger. */
#define COPIED_BYTES ((uint64_t)64 << 20)

typedef struct slot {
    cl_command_queue queue; /* owned by the first slot that has it */
    bool owns_queue, busy;
    cl_mem staging; /* pinned, mapped at `staged` as long as it lives */
    void *staged;
    argmax_cl_buffers buffers;
    cl_mem workspace;
    size_t workspace_bytes;
    void *index, *value;  /* packed answers of a block */
    cl_event ready, done; /* before and after the kernels; ready only where time is taken */
    cut_block block;
} slot;

typedef struct shaped_plan {
    argmax_cl_plan plan; /* NULL: free */
    uint64_t extent[MAX_RANK];
} shaped_plan;

typedef struct stream {
    const stream_task *task;
    const problem *p;
    cl_context context;
    cut cut;
    bool in_place, direct; /* direct: blocks' answers are the answers */
    uint64_t zero[MAX_RANK];
    const uint64_t *whole, *origin;
    const dtype_info *index_type, *value_type; /* of blocks' answers; value_type NULL: none */
    argmax_cl_partial *tile;
    gather_team *team;
    shaped_plan plans[PLANS];
    uint32_t next_plan;
    slot slots[SLOTS];
    uint64_t elements_done;
    cl_ulong last_end; /* of a kernel, by the device's clock */
    double compute;
} stream;

double host_clock(void) {
    struct timespec t = {0};
#ifdef CLOCK_MONOTONIC
    clock_gettime(CLOCK_MONOTONIC, &t);
#else
    timespec_get(&t, TIME_UTC);
#endif
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

argmax_cl_status stream_check_cancel(const argmax_cl_host_options *options, uint64_t done, uint64_t count) {
    return options->cancel && *options->cancel
               ? fail(ARGMAX_CL_ERROR_CANCELLED, "cancelled by options->cancel after %" PRIu64 " of %" PRIu64 " blocks",
                      done, count)
               : ARGMAX_CL_SUCCESS;
}

static uint64_t bytes_of(const problem *p, uint64_t elements) {
    uint64_t bytes;
    return multiply_u64(elements, p->input.type->bits / 8, &bytes) ? bytes : UINT64_MAX;
}

void stream_tell(const argmax_cl_host_options *options, const problem *p, uint64_t elements) {
    if (options->progress)
        options->progress(options->progress_user, bytes_of(p, elements), bytes_of(p, p->outputs * p->reduction));
}

static uint64_t magnitude(int64_t stride) {
    return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

/* ---- How blocks are cut ------------------------------------------------------------------------------------------ */

static uint64_t largest_buffer(const device_facts *facts) {
    return facts->max_buffer < SIZE_MAX ? facts->max_buffer : SIZE_MAX;
}

static bool has_too_small_buffers(const stream *s) {
    const uint64_t element = s->p->input.type->bits / 8, buffer = largest_buffer(&s->task->handle->facts);
    return buffer < element || buffer < sizeof(int64_t);
}

static argmax_cl_status cut_input(stream *s) {
    const device_facts *const facts = &s->task->handle->facts;
    const argmax_cl_host_options *const options = s->task->options;
    const uint64_t answer = sizeof(int64_t) + s->p->input.type->bits / 8;
    uint64_t needed = 0;
    const uint64_t wanted = s->in_place && stream_is_watched(options) ? WATCHED_BYTES
                            : s->in_place                             ? UINT64_MAX
                                                                      : COPIED_BYTES;
    const cut_limits limits = {.in_place = s->in_place,
                               .buffer = largest_buffer(facts),
                               .wanted = wanted,
                               .memory = options->memory_limit ? options->memory_limit
                                         : facts->memory       ? facts->memory / 2
                                                               : UINT64_MAX,
                               .copies = (uint64_t)2 * SLOTS,
                               .point_bytes = (uint64_t)2 * SLOTS * answer + sizeof(argmax_cl_partial)};
    if (cut_plan(s->p, &limits, &s->cut, &needed))
        return ARGMAX_CL_SUCCESS;
    if (options->memory_limit && !has_too_small_buffers(s))
        return fail(ARGMAX_CL_ERROR_MEMORY_LIMIT,
                    "options->memory_limit = %" PRIu64 " bytes: expected at least %" PRIu64
                    ", for blocks of one element",
                    options->memory_limit, needed);
    return fail(ARGMAX_CL_ERROR_DEVICE_LIMIT,
                "input: a block of one element needs buffers of %u bytes: expected at most %" PRIu64
                " bytes, the largest buffer of %s",
                (unsigned)sizeof(int64_t), (uint64_t)facts->max_buffer, facts->name);
}

/* A driver may refuse to use host memory in place, where it is mapped read-only for one. */
static bool works_in_place(const stream *s) {
    const device_facts *const facts = &s->task->handle->facts;
    const uint64_t element = s->p->input.type->bits / 8;
    const uint64_t elements = s->p->input.last - s->p->input.first + 1, most = largest_buffer(facts) / element;
    if (!facts->host_unified || most == 0)
        return false;
    cl_int code = CL_SUCCESS;
    const cl_mem probe = clCreateBuffer(s->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR,
                                        (size_t)((elements < most ? elements : most) * element),
                                        host_element(s->task->input, &s->p->input, s->p->input.first), &code);
    if (code != CL_SUCCESS)
        return false;
    clReleaseMemObject(probe);
    return true;
}

/* ---- Where a block lies ------------------------------------------------------------------------------------------ */

/* The block as a view of the caller's input. */
static tensor_view block_view(const stream *s, const cut_block *b) {
    tensor_view view = s->p->input;
    int64_t first = (int64_t)view.offset, below = 0, above = 0;
    for (uint32_t axis = 0; axis < s->p->rank; axis++) {
        if (s->p->input.size[axis] < 2)
            continue; /* the stride of such an axis may be any number */
        first += (int64_t)b->start[axis] * view.stride[axis];
        const int64_t reach = (int64_t)(b->extent[axis] - 1) * view.stride[axis];
        *(reach < 0 ? &below : &above) += reach;
    }
    memcpy(view.size, b->extent, sizeof view.size);
    view.offset = (uint64_t)first;
    view.first = (uint64_t)(first + below);
    view.last = (uint64_t)(first + above);
    return view;
}

/* An output's part that belongs to the block. */
static tensor_view output_view(const stream *s, const cut_block *b, const tensor_view *whole) {
    tensor_view view = *whole;
    for (uint32_t axis = 0; axis < s->p->rank; axis++) {
        if (s->p->reduced[axis] || s->p->input.size[axis] < 2)
            continue;
        view.offset = (uint64_t)((int64_t)view.offset + (int64_t)b->start[axis] * view.stride[axis]);
        view.size[axis] = b->extent[axis];
    }
    view.first = 0;
    view.last = 0; /* not used from here on */
    return view;
}

/* The block's memory in the order in which it lies: *memory has its axes outermost first, walked upwards, neighbours
 * made one; packed[] and *offset are the strides of the copy that follows from that. */
static void pack_order(const stream *s, const tensor_view *block, tensor_view *memory, int64_t packed[MAX_RANK],
                       uint64_t *offset) {
    uint32_t axes[MAX_RANK], count = 0, used = 0;
    for (uint32_t axis = 0; axis < s->p->rank; axis++) {
        packed[axis] = 0;
        if (block->size[axis] < 2 || block->stride[axis] == 0)
            continue;
        uint32_t at = count++;
        for (; at > 0 && magnitude(block->stride[axes[at - 1]]) < magnitude(block->stride[axis]); at--)
            axes[at] = axes[at - 1];
        axes[at] = axis;
    }
    uint64_t run = 1;
    *offset = 0;
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t axis = axes[i];
        packed[axis] = block->stride[axis] < 0 ? -(int64_t)run : (int64_t)run;
        *offset += block->stride[axis] < 0 ? (block->size[axis] - 1) * run : 0;
        run *= block->size[axis];
    }
    *memory = *block;
    memory->offset = block->first;
    for (uint32_t i = 0; i < MAX_RANK; i++)
        memory->size[i] = 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t size = block->size[axes[i]];
        const int64_t stride = (int64_t)magnitude(block->stride[axes[i]]);
        if (used && memory->stride[used - 1] % stride == 0 && (uint64_t)(memory->stride[used - 1] / stride) == size) {
            memory->size[used - 1] *= size;
            memory->stride[used - 1] = stride;
        } else {
            memory->size[used] = size;
            memory->stride[used++] = stride;
        }
    }
}

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

/* A block as a problem of its own: the input's buffer starts at its lowest element, the outputs are packed. */
static argmax_cl_status block_problem(const stream *s, const cut_block *b, problem *out) {
    argmax_cl_tensor input = ARGMAX_CL_TENSOR_INIT, index = ARGMAX_CL_TENSOR_INIT, value = ARGMAX_CL_TENSOR_INIT;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    uint32_t axes[MAX_RANK];
    int64_t packed[MAX_RANK];
    tensor_view view = block_view(s, b), memory;
    input.dtype = value.dtype = view.type->dtype;
    input.rank = s->p->rank;
    input.sizes = view.size;
    input.strides = view.stride;
    input.offset = view.offset - view.first;
    if (!s->in_place) {
        pack_order(s, &view, &memory, packed, &input.offset);
        input.strides = packed;
    }
    index.dtype = s->index_type->dtype;
    desc.input = &input;
    desc.index = &index;
    desc.value = s->value_type ? &value : NULL;
    for (uint32_t axis = 0; axis < s->p->rank; axis++)
        if (s->p->reduced[axis])
            axes[desc.axis_count++] = axis;
    desc.axes = axes;
    desc.axis_direction = s->p->direction;
    desc.nan_mode = s->p->nan_mode;
    const argmax_cl_status status = check_desc(s->p->op, &desc, out);
    out->tuning = s->p->tuning;
    out->strategy = s->p->strategy;
    out->strategy_source = s->p->strategy_source;
    return status;
}

/* A strategy that is forced for the whole need not be possible for every block. */
static argmax_cl_status make_plan(const stream *s, const cut_block *b, argmax_cl_plan *plan) {
    problem p;
    argmax_cl_status status = block_problem(s, b, &p);
    if (!status)
        status = plan_create(plan, s->task->handle, &p);
    if (p.strategy && (status == ARGMAX_CL_ERROR_INVALID_STRATEGY || status == ARGMAX_CL_ERROR_DEVICE_LIMIT)) {
        p.strategy = p.strategy_source = NULL;
        status = plan_create(plan, s->task->handle, &p);
    }
    return status;
}

static argmax_cl_status find_plan(stream *s, const cut_block *b, cl_command_queue queue, argmax_cl_plan *plan) {
    for (uint32_t i = 0; i < PLANS; i++)
        if (s->plans[i].plan && memcmp(s->plans[i].extent, b->extent, sizeof b->extent) == 0) {
            *plan = s->plans[i].plan;
            return ARGMAX_CL_SUCCESS;
        }
    shaped_plan *const place = &s->plans[s->next_plan++ % PLANS];
    plan_release(place->plan);
    place->plan = NULL;
    argmax_cl_status status = make_plan(s, b, &place->plan);
    if (!status && s->task->options->seconds_compute)
        status = argmax_cl_plan_warm_up(place->plan, queue);
    memcpy(place->extent, b->extent, sizeof place->extent);
    *plan = place->plan;
    return status;
}

/* ---- Slots ------------------------------------------------------------------------------------------------------- */

static argmax_cl_status create_buffer(const stream *s, const char *name, cl_mem_flags flags, uint64_t bytes, void *host,
                                      cl_mem *out) {
    cl_int code = CL_SUCCESS;
    *out = clCreateBuffer(s->context, flags, (size_t)bytes, host, &code);
    if (code == CL_SUCCESS)
        return ARGMAX_CL_SUCCESS;
    *out = NULL;
    return fail_buffer(name, bytes, code);
}

static argmax_cl_status open_queue(stream *s, slot *t) {
    cl_int code = CL_SUCCESS;
    t->queue = clCreateCommandQueue(s->context, s->task->handle->device,
                                    s->task->options->seconds_compute ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    t->owns_queue = code == CL_SUCCESS;
    if (code == CL_SUCCESS)
        return ARGMAX_CL_SUCCESS;
    t->queue = NULL;
    return fail_opencl("clCreateCommandQueue", code);
}

static argmax_cl_status open_staging(stream *s, slot *t) {
    const uint64_t bytes = s->cut.input_bytes;
    argmax_cl_status status =
        create_buffer(s, "a block of the input", CL_MEM_READ_ONLY, bytes, NULL, &t->buffers.input);
    if (!status)
        status = create_buffer(s, "pinned memory", CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &t->staging);
    if (status)
        return status;
    cl_int code = CL_SUCCESS;
    t->staged = clEnqueueMapBuffer(t->queue, t->staging, CL_TRUE, CL_MAP_WRITE, 0, (size_t)bytes, 0, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        return ARGMAX_CL_SUCCESS;
    t->staged = NULL;
    return fail_opencl("clEnqueueMapBuffer", code);
}

static argmax_cl_status open_slot(stream *s, slot *t) {
    const uint64_t index_bytes = s->cut.points * (s->index_type->bits / 8);
    const uint64_t value_bytes = s->value_type ? s->cut.points * (s->value_type->bits / 8) : 0;
    t->buffers = (argmax_cl_buffers)ARGMAX_CL_BUFFERS_INIT;
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    if (s->in_place && t != s->slots)
        t->queue = s->slots->queue;
    else
        status = open_queue(s, t);
    if (!status && !s->in_place)
        status = open_staging(s, t);
    if (!status)
        status = create_buffer(s, "the index", CL_MEM_READ_WRITE, index_bytes, NULL, &t->buffers.index);
    if (!status && value_bytes)
        status = create_buffer(s, "the value", CL_MEM_READ_WRITE, value_bytes, NULL, &t->buffers.value);
    if (status)
        return status;
    t->index = malloc((size_t)index_bytes);
    t->value = value_bytes ? malloc((size_t)value_bytes) : NULL;
    return t->index && (t->value || !value_bytes)
               ? ARGMAX_CL_SUCCESS
               : fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for the answers of a block, %" PRIu64 " bytes",
                      index_bytes + value_bytes);
}

static void release_memory(cl_mem *memory) {
    if (*memory)
        clReleaseMemObject(*memory);
    *memory = NULL;
}

static void release_event(cl_event *event) {
    if (*event)
        clReleaseEvent(*event);
    *event = NULL;
}

/* Nothing here may fail in a way that hides the first failure's message. What was enqueued before a failure may still
 * use the arrays, so the queues are finished first. */
static void close_stream(stream *s) {
    for (uint32_t i = 0; i < SLOTS; i++) {
        slot *const t = &s->slots[i];
        if (t->staged)
            clEnqueueUnmapMemObject(t->queue, t->staging, t->staged, 0, NULL, NULL);
        if (t->queue && clFinish(t->queue) != CL_SUCCESS)
            clFinish(t->queue); /* nothing may be under way any more when the caller gets the arrays back */
    }
    for (uint32_t i = SLOTS; i-- > 0;) {
        slot *const t = &s->slots[i];
        release_event(&t->ready);
        release_event(&t->done);
        release_memory(&t->buffers.input);
        release_memory(&t->buffers.index);
        release_memory(&t->buffers.value);
        release_memory(&t->workspace);
        release_memory(&t->staging);
        if (t->owns_queue)
            clReleaseCommandQueue(t->queue);
        free(t->index);
        free(t->value);
    }
    for (uint32_t i = 0; i < PLANS; i++)
        plan_release(s->plans[i].plan);
    gather_team_close(s->team);
    free(s->tile);
}

/* ---- One block --------------------------------------------------------------------------------------------------- */

static argmax_cl_status need_workspace(const stream *s, slot *t, argmax_cl_plan plan) {
    size_t bytes = 0;
    const argmax_cl_status status = argmax_cl_plan_workspace_size(plan, &bytes);
    if (status || bytes <= t->workspace_bytes)
        return status;
    release_memory(&t->workspace);
    t->workspace_bytes = bytes;
    return create_buffer(s, "a workspace", CL_MEM_READ_WRITE, bytes, NULL, &t->workspace);
}

/* The range of the caller's memory that the block addresses; a copy of it where the kernels want another alignment. */
static argmax_cl_status send_in_place(const stream *s, slot *t, argmax_cl_plan plan) {
    const tensor_view view = block_view(s, &t->block);
    const uint32_t element = view.type->bits / 8;
    unsigned char *const from = host_element(s->task->input, &view, view.first);
    const uint64_t bytes = (view.last - view.first + 1) * element;
    if ((uintptr_t)from % ((uintptr_t)plan_input_vector(plan) * element) == 0)
        return create_buffer(s, "a block of the input", CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, from,
                             &t->buffers.input);
    const argmax_cl_status status =
        create_buffer(s, "a block of the input", CL_MEM_READ_ONLY, bytes, NULL, &t->buffers.input);
    if (status)
        return status;
    const cl_int code =
        clEnqueueWriteBuffer(t->queue, t->buffers.input, CL_TRUE, 0, (size_t)bytes, from, 0, NULL, NULL);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clEnqueueWriteBuffer", code);
}

static argmax_cl_status send_copy(const stream *s, slot *t) {
    const tensor_view view = block_view(s, &t->block);
    tensor_view memory;
    int64_t packed[MAX_RANK];
    uint64_t offset, elements = 1;
    pack_order(s, &view, &memory, packed, &offset);
    for (uint32_t i = 0; i < MAX_RANK; i++)
        elements *= memory.size[i];
    gather_team_run(s->team, s->task->input, &memory, t->staged);
    const cl_int code = clEnqueueWriteBuffer(t->queue, t->buffers.input, CL_FALSE, 0,
                                             (size_t)(elements * (view.type->bits / 8)), t->staged, 0, NULL, NULL);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clEnqueueWriteBuffer", code);
}

static argmax_cl_status submit(stream *s, slot *t, uint64_t which) {
    argmax_cl_plan plan = NULL;
    t->block = cut_get(&s->cut, which);
    argmax_cl_status status = find_plan(s, &t->block, t->queue, &plan);
    if (!status)
        status = need_workspace(s, t, plan);
    if (!status)
        status = s->in_place ? send_in_place(s, t, plan) : send_copy(s, t);
    if (!status && s->task->options->seconds_compute) {
        const cl_int code = clEnqueueMarkerWithWaitList(t->queue, 0, NULL, &t->ready);
        if (code != CL_SUCCESS)
            t->ready = NULL;
        status = code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clEnqueueMarkerWithWaitList", code);
    }
    if (!status)
        status = argmax_cl_plan_enqueue(plan, t->queue, &t->buffers, t->workspace, 0, NULL, &t->done);
    if (status)
        return status;
    t->busy = true;
    const cl_int code = clFlush(t->queue);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clFlush", code);
}

/* Kernels of two slots may wait for each other: only what comes after the other's end counts. */
static argmax_cl_status take_time(stream *s, const slot *t) {
    cl_ulong from = 0, to = 0;
    cl_int code = clGetEventProfilingInfo(t->ready, CL_PROFILING_COMMAND_END, sizeof from, &from, NULL);
    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(t->done, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL);
    if (code != CL_SUCCESS)
        return fail_opencl("clGetEventProfilingInfo", code);
    if (from < s->last_end)
        from = s->last_end;
    if (to > from) {
        s->compute += (double)(to - from) * 1e-9;
        s->last_end = to;
    }
    return ARGMAX_CL_SUCCESS;
}

/* Into the caller's array where the block's answers lie there as one run. */
static argmax_cl_status read_answers(const slot *t, cl_mem buffer, uint64_t bytes, void *to) {
    const cl_int code = clEnqueueReadBuffer(t->queue, buffer, CL_TRUE, 0, (size_t)bytes, to, 0, NULL, NULL);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clEnqueueReadBuffer", code);
}

static argmax_cl_status read_direct(const stream *s, const slot *t, cl_mem buffer, const tensor_view *whole,
                                    void *array, void *scratch) {
    const tensor_view view = output_view(s, &t->block, whole);
    const bool packed = host_is_packed(&view);
    const argmax_cl_status status = read_answers(t, buffer, t->block.points * (view.type->bits / 8),
                                                 packed ? host_element(array, &view, view.offset) : scratch);
    if (!status && !packed)
        host_scatter(array, &view, scratch);
    return status;
}

static void scatter_partials(const stream *s, const cut_block *b) {
    uint64_t at[MAX_RANK] = {0}, stride[MAX_RANK], next = 1;
    for (uint32_t axis = s->p->rank; axis-- > 0;) {
        stride[axis] = s->p->reduced[axis] ? 0 : next;
        next *= s->p->reduced[axis] ? 1 : s->p->input.size[axis];
    }
    for (uint64_t point = 0; point < b->points; point++) {
        uint64_t place = 0;
        for (uint32_t axis = 0; axis < s->p->rank; axis++)
            place += (b->start[axis] + at[axis]) * stride[axis];
        s->task->partials[place] = s->tile[point];
        for (uint32_t axis = s->p->rank; axis-- > 0;) {
            if (s->p->reduced[axis])
                continue;
            if (++at[axis] < b->extent[axis])
                break;
            at[axis] = 0;
        }
    }
}

/* The tile is complete: its answers go where the caller wants them. */
static void deliver_tile(stream *s, slot *t) {
    if (s->task->partials) {
        scatter_partials(s, &t->block);
        return;
    }
    const tensor_view index = output_view(s, &t->block, &s->p->index);
    partials_to_answers(s->p, t->block.points, s->tile, t->index, s->p->value.type ? t->value : NULL);
    host_scatter(s->task->index, &index, t->index);
    if (s->p->value.type) {
        const tensor_view value = output_view(s, &t->block, &s->p->value);
        host_scatter(s->task->value, &value, t->value);
    }
}

static argmax_cl_status merge_block(stream *s, slot *t) {
    const cut_block *const b = &t->block;
    argmax_cl_status status = read_answers(t, t->buffers.index, b->points * (s->index_type->bits / 8), t->index);
    if (!status)
        status = read_answers(t, t->buffers.value, b->points * (s->value_type->bits / 8), t->value);
    if (status)
        return status;
    uint64_t start[MAX_RANK];
    for (uint32_t axis = 0; axis < s->p->rank; axis++)
        start[axis] = s->origin[axis] + b->start[axis];
    const partial_place place = partial_place_of(s->p, start, b->extent, s->whole);
    partials_from_answers(s->p, &place, s->index_type, b->points, t->index, t->value, b->first, s->tile);
    if (b->last)
        deliver_tile(s, t);
    return ARGMAX_CL_SUCCESS;
}

static argmax_cl_status collect(stream *s, slot *t) {
    t->busy = false;
    const cl_int code = clWaitForEvents(1, &t->done);
    argmax_cl_status status = code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clWaitForEvents", code);
    if (!status && t->ready)
        status = take_time(s, t);
    release_event(&t->ready);
    release_event(&t->done);
    if (s->in_place)
        release_memory(&t->buffers.input);
    if (!status && !s->direct)
        status = merge_block(s, t);
    if (!status && s->direct)
        status = read_direct(s, t, t->buffers.index, &s->p->index, s->task->index, t->index);
    if (!status && s->direct && s->p->value.type)
        status = read_direct(s, t, t->buffers.value, &s->p->value, s->task->value, t->value);
    if (!status) {
        s->elements_done += t->block.elements;
        stream_tell(s->task->options, s->p, s->elements_done);
    }
    return status;
}

/* ---- All blocks -------------------------------------------------------------------------------------------------- */

static argmax_cl_status open_stream(stream *s) {
    s->in_place = works_in_place(s);
    argmax_cl_status status = cut_input(s);
    if (status)
        return status;
    s->direct = s->cut.whole_reductions && !s->task->partials;
    s->index_type = s->direct ? s->p->index.type : dtype_find(ARGMAX_CL_INT64);
    s->value_type = s->direct ? s->p->value.type : s->p->input.type;
    s->team = s->in_place ? NULL : gather_team_open(s->cut.input_bytes);
    for (uint32_t i = 0; i < SLOTS && i < s->cut.count && !status; i++)
        status = open_slot(s, &s->slots[i]);
    if (status || s->direct)
        return status;
    s->tile = malloc((size_t)s->cut.points * sizeof *s->tile);
    return s->tile ? ARGMAX_CL_SUCCESS
                   : fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for %" PRIu64 " partials", s->cut.points);
}

static argmax_cl_status pass_blocks(stream *s) {
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    for (uint64_t i = 0; i < s->cut.count && !status; i++) {
        slot *const t = &s->slots[i % SLOTS];
        if (t->busy)
            status = collect(s, t);
        if (!status)
            status = stream_check_cancel(s->task->options, i, s->cut.count);
        if (!status)
            status = submit(s, t, i);
    }
    for (uint64_t i = s->cut.count; i < s->cut.count + SLOTS && !status; i++)
        if (s->slots[i % SLOTS].busy)
            status = collect(s, &s->slots[i % SLOTS]);
    return status;
}

argmax_cl_status stream_run(const stream_task *task, double *compute, double *total) {
    stream s;
    memset(&s, 0, sizeof s);
    const double start = host_clock();
    s.task = task;
    s.p = task->problem;
    s.context = task->handle->context;
    s.whole = task->whole ? task->whole : task->problem->input.size;
    s.origin = task->origin ? task->origin : s.zero;
    argmax_cl_status status = open_stream(&s);
    if (!status)
        status = pass_blocks(&s);
    close_stream(&s);
    *compute = s.compute;
    *total = host_clock() - start;
    return status;
}
