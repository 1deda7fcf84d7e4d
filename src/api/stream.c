/* Blocks through a device: see stream.h. The thread of the call cuts, sends and merges; while it does so, the block
 * before is on its way or computed on, and the next one is packed. */
#include "api/stream.h"

#include "api/handle.h"
#include "api/host_arrays.h"
#include "api/stream_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    const uint64_t extremes = extremes_of(s->p), answer = (sizeof(int64_t) + s->p->input.type->bits / 8) * extremes;
    const tuning_row *const t = s->task->tuning;
    uint64_t needed = 0;
    const uint64_t wanted = s->in_place && stream_is_watched(options) ? WATCHED_BYTES
                            : s->in_place                             ? UINT64_MAX
                                                                      : t->sent_block_bytes;
    const cut_limits limits = {.in_place = s->in_place,
                               .buffer = largest_buffer(facts),
                               .wanted = wanted,
                               .memory = options->memory_limit ? options->memory_limit
                                         : facts->memory       ? facts->memory / 2
                                                               : UINT64_MAX,
                               .copies = (uint64_t)s->slot_count + 2,
                               .point_bytes =
                                   (uint64_t)2 * s->slot_count * answer + extremes * sizeof(argmax_cl_partial),
                               .run = s->in_place ? t->mapped_run_bytes : t->sent_run_bytes,
                               .reduced = s->in_place ? t->mapped_reduced : t->sent_reduced};
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
                                        host_element(s->task->arrays.input, &s->p->input, s->p->input.first), &code);
    if (code != CL_SUCCESS)
        return false;
    clReleaseMemObject(probe);
    return true;
}

/* ---- All blocks -------------------------------------------------------------------------------------------------- */

static argmax_cl_status open_stream(stream *s) {
    s->in_place = works_in_place(s);
    s->slot_count = s->in_place ? SLOTS_IN_PLACE : SLOTS_COPIED;
    argmax_cl_status status = cut_input(s);
    if (status)
        return status;
    s->direct = s->cut.whole_reductions && !s->task->partials;
    for (uint32_t i = 0; i < 2 * extremes_of(s->p); i++)
        s->output[i] = s->direct ? stream_output_tensor(s, i)->type
                       : i % 2   ? s->p->input.type
                                 : dtype_find(ARGMAX_CL_INT64);
    const uint64_t copied = s->cut.input_bytes > s->cut.mask_bytes ? s->cut.input_bytes : s->cut.mask_bytes;
    if (!s->in_place)
        status = sender_open(s->context, s->task->handle->device, s->task->tuning, copied, &s->sender);
    for (uint32_t i = 0; i < s->slot_count && i < s->cut.count && !status; i++)
        status = stream_open_slot(s, &s->slots[i]);
    if (status || s->direct)
        return status;
    const uint64_t partials = s->cut.points * extremes_of(s->p);
    s->tile = malloc((size_t)partials * sizeof *s->tile);
    return s->tile ? ARGMAX_CL_SUCCESS
                   : fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for %" PRIu64 " partials", partials);
}

/* Nothing here may fail in a way that hides the first failure's message. What was enqueued before a failure may still
 * use the arrays, so the queues are finished first. */
static void close_stream(stream *s) {
    if (s->sender)
        (void)sender_wait(s->sender);
    for (uint32_t i = 0; i < s->slot_count; i++)
        stream_finish_slot(&s->slots[i]);
    sender_close(s->sender);
    for (uint32_t i = s->slot_count; i-- > 0;)
        stream_close_slot(&s->slots[i]);
    for (uint32_t i = 0; i < PLANS; i++)
        plan_release(s->plans[i].plan);
    free(s->tile);
}

/* Answers are taken while the next block is packed; what is used in place is not packed, and takes its turn at once. */
static argmax_cl_status pass_blocks(stream *s) {
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    const uint64_t count = s->cut.count, turns = s->slot_count;
    for (uint64_t i = 0; i < count && !status; i++) {
        slot *const t = &s->slots[i % turns], *const oldest = &s->slots[(i + 1) % turns];
        if (t->busy)
            status = stream_collect(s, t);
        if (!status)
            status = stream_check_cancel(s->task->options, i, count);
        if (!status)
            status = stream_begin(s, t, i);
        if (!status && !s->in_place && oldest->busy)
            status = stream_collect(s, oldest);
        if (!status)
            status = stream_submit(s, t);
    }
    for (uint64_t i = count; i < count + turns && !status; i++)
        if (s->slots[i % turns].busy)
            status = stream_collect(s, &s->slots[i % turns]);
    return status || !s->sender ? status : sender_finish(s->sender);
}

argmax_cl_status stream_run(const stream_task *task, double *compute, double *total) {
    stream s;
    memset(&s, 0, sizeof s);
    const double start = host_clock();
    s.task = task;
    s.p = task->problem;
    for (uint32_t x = 0; x < extremes_of(s.p); x++)
        s.extreme[x] = problem_of_extreme(s.p, x);
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
