/* Blocks go through the operator one by one; their answers become the answer. */
#include "answer.h"
#include "masked.h"
#include "merge.h"
#include "progress.h"
#include "stream.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Blocks that keep a disk and a device busy need be no larger. */
#define BLOCK_BYTES ((uint64_t)64 << 20)
/* Without --memory-limit: a quarter of the machine's memory. */
#define MEMORY_PART 4u

typedef struct computation {
    answer *r;
    const options *o;
    reader *s;
    argmax_cl_handle handle;
    message *m;
    merge_rule rule;
    blocks plan;
    partial block, tile; /* row-major over the block's kept axes */
    uint64_t none;       /* an element that stands for the value of no winner */
} computation;

static uint64_t memory_limit(const options *o) {
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    if (o->memory_limit)
        return o->memory_limit;
    return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes / MEMORY_PART : (uint64_t)1 << 30;
}

static uint64_t largest_buffer(argmax_cl_handle handle) {
    cl_device_id device = NULL;
    cl_ulong bytes = 0;
    if (argmax_cl_get_device(handle, NULL, &device) != ARGMAX_CL_SUCCESS ||
        clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof bytes, &bytes, NULL) != CL_SUCCESS)
        return BLOCK_BYTES;
    return bytes;
}

static bool make_plan(computation *c) {
    const size_t size = argmax_cl_dtype_size(c->rule.dtype), index_size = argmax_cl_dtype_size(c->rule.index_type);
    const uint64_t results = c->r->points * (size + index_size);
    const uint64_t memory = memory_limit(c->o);
    uint64_t needed = 0;
    const blocks_limits limits = {.memory = memory > results ? memory - results : 0,
                                  .buffer = largest_buffer(c->handle),
                                  .block = BLOCK_BYTES,
                                  .element_bytes = 2 * (size + (missing_possible(&c->s->missing) ? 1 : 0)),
                                  .point_bytes = 2 * (size + index_size)};
    return blocks_plan(&c->plan, c->s, c->r->reduced, &limits, &needed) ||
           complain(c->m, "%s: %" PRIu64 " bytes of memory, expected %" PRIu64 " or more for it: %s", c->s->name,
                    memory, results + needed,
                    limits.buffer < needed ? "the device's buffers may be too small as well" : "see --memory-limit");
}

static bool take_memory(computation *c) {
    const size_t size = argmax_cl_dtype_size(c->rule.dtype), index_size = argmax_cl_dtype_size(c->rule.index_type);
    answer *r = c->r;
    const partial all[] = {
        {page_memory(r->points * index_size, c->o->input, c->m), page_memory(r->points * size, c->o->input, c->m)},
        {page_memory(c->plan.tile_points * index_size, c->o->input, c->m),
         page_memory(c->plan.tile_points * size, c->o->input, c->m)},
        {page_memory(c->plan.tile_points * index_size, c->o->input, c->m),
         page_memory(c->plan.tile_points * size, c->o->input, c->m)}};
    r->index = all[0].index;
    r->value = all[0].value;
    c->block = all[1];
    c->tile = all[2];
    return r->index && r->value && c->block.index && c->block.value && c->tile.index && c->tile.value;
}

static void fortran_strides(uint32_t rank, const uint64_t *sizes, int64_t strides[ARGMAX_CL_MAX_RANK]) {
    int64_t stride = 1;
    for (uint32_t axis = 0; axis < rank; ++axis) {
        strides[axis] = stride;
        stride *= sizes[axis] ? (int64_t)sizes[axis] : 1;
    }
}

static bool describe(computation *c, const argmax_cl_desc *desc) {
    argmax_cl_plan plan = NULL;
    size_t length = 0;
    bool good = argmax_cl_plan_create(&plan, c->handle, c->rule.op, desc) == ARGMAX_CL_SUCCESS &&
                argmax_cl_plan_describe(plan, NULL, 0, &length) == ARGMAX_CL_SUCCESS;
    c->r->plan = good ? malloc(length + 1) : NULL;
    if (c->r->plan)
        good = argmax_cl_plan_describe(plan, c->r->plan, length + 1, NULL) == ARGMAX_CL_SUCCESS;
    argmax_cl_plan_destroy(plan);
    return good;
}

/* The block's own answers, with indices in the block. */
static bool reduce(computation *c, const block *b) {
    int64_t strides[ARGMAX_CL_MAX_RANK];
    uint32_t axes[ARGMAX_CL_MAX_RANK];
    uint32_t axis_count = 0;
    double seconds = 0;
    for (uint32_t axis = 0; axis < c->plan.rank; ++axis)
        if (c->r->reduced[axis])
            axes[axis_count++] = axis;
    fortran_strides(c->plan.rank, b->where.size, strides);
    argmax_cl_tensor in = ARGMAX_CL_TENSOR_INIT, index = ARGMAX_CL_TENSOR_INIT, value = ARGMAX_CL_TENSOR_INIT;
    in.dtype = value.dtype = c->rule.dtype;
    in.rank = c->plan.rank;
    in.sizes = b->where.size;
    in.strides = c->s->a.fortran_order ? strides : NULL;
    index.dtype = c->rule.index_type;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    desc.input = &in;
    desc.index = &index;
    desc.value = &value;
    desc.axis_count = axis_count;
    desc.axes = axes;
    desc.axis_direction = c->rule.direction;
    desc.nan_mode = c->o->nan_mode;
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.input = b->data;
    arrays.index = c->block.index;
    arrays.value = c->block.value;
    argmax_cl_host_options host = ARGMAX_CL_HOST_OPTIONS_INIT;
    host.seconds_compute = &seconds;
    const bool good = (!c->o->explain || c->r->plan || describe(c, &desc)) &&
                      (c->rule.op == ARGMAX_CL_ARGMIN ? argmin_cl_host : argmax_cl_host)(c->handle, &desc, &arrays,
                                                                                         &host) == ARGMAX_CL_SUCCESS;
    c->r->seconds += seconds;
    return good || complain(c->m, "%s: %s", c->s->name, argmax_cl_last_error());
}

/* A finished tile goes to its place among all points. */
static void keep_tile(computation *c, const box *b, partial tile, uint64_t points) {
    const size_t size = argmax_cl_dtype_size(c->rule.dtype), index_size = argmax_cl_dtype_size(c->rule.index_type);
    uint64_t run = 1, position[ARGMAX_CL_MAX_RANK] = {0};
    uint32_t outer = c->plan.rank; /* axes before it are walked, the others are one run */
    while (outer > 0 && (c->r->reduced[outer - 1] || b->size[outer - 1] == c->r->sizes[outer - 1])) {
        --outer;
        run *= c->r->reduced[outer] ? 1 : b->size[outer];
    }
    if (outer > 0)
        run *= b->size[--outer];
    for (uint64_t done = 0; done < points; done += run) {
        uint64_t place = 0;
        for (uint32_t axis = 0; axis < c->plan.rank; ++axis)
            if (!c->r->reduced[axis])
                place = place * c->r->sizes[axis] + b->start[axis] + (axis < outer ? position[axis] : 0);
        memcpy((char *)c->r->index + place * index_size, (const char *)tile.index + done * index_size,
               run * index_size);
        memcpy((char *)c->r->value + place * size, (const char *)tile.value + done * size, run * size);
        for (uint32_t axis = outer; axis-- > 0;) {
            if (c->r->reduced[axis])
                continue;
            if (++position[axis] < b->size[axis])
                break;
            position[axis] = 0;
        }
    }
}

static bool take_block(computation *c, const block *b) {
    uint64_t points = 1;
    for (uint32_t axis = 0; axis < c->plan.rank; ++axis)
        points *= c->r->reduced[axis] ? 1 : b->where.size[axis];
    if (b->missing)
        masked_fill(&c->rule, b->mask, b->data, b->count);
    if (!reduce(c, b))
        return false;
    if (b->missing)
        masked_repair(&c->rule, &c->plan, &b->where, c->s->a.fortran_order, b->mask, b->data, &c->none, c->block);
    c->r->missing += b->missing;
    merge_make_global(&c->rule, &c->plan, &b->where, c->block, points);
    if (!b->first)
        merge_into(&c->rule, c->tile, c->block, points);
    if (b->last)
        keep_tile(c, &b->where, b->first ? c->block : c->tile, points);
    if (b->first && !b->last) {
        const partial swap = c->tile;
        c->tile = c->block;
        c->block = swap;
    }
    return true;
}

static bool take_blocks(computation *c) {
    stream *t = stream_open(c->s, &c->plan, c->m);
    progress bar = progress_start(c->s->a.bytes);
    bool good = t != NULL;
    uint64_t bytes = 0;
    for (uint64_t i = 0; good && i < c->plan.count; ++i) {
        const block *b = stream_next(t, c->m);
        good = b && take_block(c, b);
        bytes += b ? b->count * argmax_cl_dtype_size(c->rule.dtype) : 0;
        progress_show(&bar, bytes);
    }
    progress_end(&bar);
    stream_close(t);
    return good;
}

/* What the stored values mean. The value of no winner becomes NaN. */
static bool unpack(computation *c) {
    const packing *p = &c->s->a.packing;
    answer *r = c->r;
    uint64_t index;
    if (!p->is_packed)
        return true;
    void *meant = page_memory(r->points * argmax_cl_dtype_size(r->value_type), c->o->input, c->m);
    for (uint64_t i = 0; meant && i < r->points; ++i) {
        const double value = answer_index(r, i, &index)
                                 ? packing_unpack(p, number_load(c->rule.dtype, r->value, i)).as.real
                                 : (double)NAN;
        (void)number_store(r->value_type, value, (char *)meant + i * argmax_cl_dtype_size(r->value_type));
    }
    if (meant) {
        free(r->value);
        r->value = meant;
    }
    return meant != NULL;
}

/* NaN where the type has one; else the file's own mark. */
static uint64_t value_of_none(const reader *s) {
    uint64_t bits = 0;
    if (!number_store(s->a.dtype, (double)NAN, &bits))
        bits = s->missing.mark_count ? s->missing.marks[0] : 0;
    return bits;
}

bool answer_compute(answer *r, const options *o, reader *s, argmax_cl_handle handle, message *m) {
    computation c = {.r = r, .o = o, .s = s, .handle = handle, .m = m, .none = value_of_none(s)};
    const bool reverse = packing_reverses(&s->a.packing);
    c.rule = (merge_rule){.op = (o->op == ARGMAX_CL_ARGMIN) != reverse ? ARGMAX_CL_ARGMIN : ARGMAX_CL_ARGMAX,
                          .direction = o->direction,
                          .dtype = s->a.dtype,
                          .index_type = o->index_type};
    const bool good = make_plan(&c) && take_memory(&c) && take_blocks(&c) && unpack(&c);
    r->blocks = c.plan.count;
    free(c.block.index);
    free(c.block.value);
    free(c.tile.index);
    free(c.tile.value);
    return good;
}
