/* Blocks go through the operator one by one; the library makes their answers one. */
#include "answer.h"
#include "number.h"
#include "progress.h"
#include "question.h"
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

/* Of results in a file, so many unpacked values are in memory. */
#define POINTS_UNPACKED ((uint64_t)1 << 20)

typedef struct computation {
    answer *r;
    const options *o;
    reader *s;
    mask_file *mask;
    argmax_cl_handle handle;
    message *m;
    question_rule rule;
    blocks plan;
    int64_t *index; /* of a block, row-major over its kept axes; of both extrema one after the other */
    void *value;
    argmax_cl_partial *tile; /* of the blocks of a tile so far */
    bool spilled;            /* results lie in files */
} computation;

static uint64_t memory_limit(const options *o) {
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    if (o->memory_limit)
        return o->memory_limit;
    return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes / MEMORY_PART : (uint64_t)1 << 30;
}

/* For a point of a block: its answer here and in the device's memory, and the tile's partial. */
static uint64_t point_bytes(const computation *c) {
    return c->r->extrema * (2 * (sizeof(int64_t) + argmax_cl_dtype_size(c->rule.dtype)) + sizeof(argmax_cl_partial));
}

/* For a point of the results: index, value, and what a packed value means. */
static uint64_t result_bytes(const computation *c) {
    return c->r->extrema * (argmax_cl_dtype_size(c->r->index_type) + argmax_cl_dtype_size(c->rule.dtype) +
                            (c->s->a.packing.is_packed ? argmax_cl_dtype_size(c->r->value_type) : 0));
}

/* Results take up to half of the memory; larger ones lie in files, and of these a tile is in memory. */
static bool make_plan(computation *c) {
    const size_t size = argmax_cl_dtype_size(c->rule.dtype);
    const uint64_t all = memory_limit(c->o), mask = c->mask->source.a.bytes, memory = all - mask;
    if (mask >= all)
        return complain(c->m,
                        "%s: a mask of %" PRIu64 " bytes, expected less than the %" PRIu64
                        " bytes of memory: see --memory-limit",
                        c->mask->source.name, mask, all);
    c->spilled = c->r->points > memory / 2 / result_bytes(c);
    const uint64_t results = c->spilled ? 0 : c->r->points * result_bytes(c);
    uint64_t needed = 0;
    const blocks_limits limits = {.memory = memory - results,
                                  .block = BLOCK_BYTES,
                                  .element_bytes = 2 * (size + (missing_possible(&c->s->missing) ? 1 : 0)),
                                  .point_bytes = point_bytes(c) + (c->spilled ? result_bytes(c) : 0)};
    return blocks_plan(&c->plan, c->s, c->r->reduced, &limits, &needed) ||
           complain(c->m, "%s: %" PRIu64 " bytes of memory, expected %" PRIu64 " or more for it: see --memory-limit",
                    c->s->name, all, mask + results + needed);
}

static bool take_room(const computation *c, spill *room, uint64_t bytes, spill_place place) {
    return c->spilled ? spill_in_file(room, bytes, place, c->s->name, c->m)
                      : spill_in_memory(room, bytes, c->s->name, c->m);
}

static bool take_memory(computation *c) {
    const spill_place nowhere = SPILL_NOWHERE;
    const size_t size = argmax_cl_dtype_size(c->rule.dtype);
    answer *r = c->r;
    const uint64_t points = r->extrema * c->plan.tile_points, all = r->extrema * r->points;
    const bool stored = c->s->a.packing.is_packed; /* then values are not yet what goes to the file */
    if (!take_room(c, &r->index_room, all * argmax_cl_dtype_size(r->index_type), r->index_place) ||
        !take_room(c, &r->value_room, all * size, stored ? nowhere : r->value_place))
        return false;
    r->index = r->index_room.data;
    r->value = r->value_room.data;
    c->index = page_memory(points * sizeof *c->index, c->o->input, c->m);
    c->value = page_memory(points * size, c->o->input, c->m);
    c->tile = page_memory(points * sizeof *c->tile, c->o->input, c->m);
    return c->index && c->value && c->tile;
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

static bool told(const computation *c, argmax_cl_status status) {
    return status == ARGMAX_CL_SUCCESS || complain(c->m, "%s: %s", c->s->name, argmax_cl_last_error());
}

static bool reduce(computation *c, const argmax_cl_desc *desc, const argmax_cl_host_arrays *arrays) {
    double seconds = 0;
    argmax_cl_host_options host = ARGMAX_CL_HOST_OPTIONS_INIT;
    host.seconds_compute = &seconds;
    const argmax_cl_operator op = c->rule.op;
    const bool good =
        (!c->o->explain || c->r->plan || describe(c, desc)) &&
        (op == ARGMAX_CL_ARGMIN   ? argmin_cl_host
         : op == ARGMAX_CL_ARGMAX ? argmax_cl_host
                                  : argminmax_cl_host)(c->handle, desc, arrays, &host) == ARGMAX_CL_SUCCESS;
    c->r->seconds += seconds;
    return good || told(c, ARGMAX_CL_ERROR_OPENCL);
}

/* Where the answers are in all of the results. A negative scale makes the stored maximum the meant minimum. */
static void answers_in_results(const computation *c, argmax_cl_host_arrays *arrays) {
    const answer *r = c->r;
    char *const index[2] = {r->index, (char *)r->index + r->points * argmax_cl_dtype_size(r->index_type)};
    char *const value[2] = {r->value, (char *)r->value + r->points * argmax_cl_dtype_size(c->rule.dtype)};
    const size_t first = r->extrema > 1 && packing_reverses(&c->s->a.packing) ? 1 : 0;
    arrays->index = index[first];
    arrays->value = value[first];
    if (r->extrema > 1) {
        arrays->max_index = index[1 - first];
        arrays->max_value = value[1 - first];
    }
}

static void ask(const computation *c, question *q, argmax_cl_host_arrays *arrays, const block *b) {
    question_of_block(q, &c->plan, &b->where, &c->rule);
    arrays->input = b->data;
    if (b->missing) {
        question_with_mask(q, NULL, 0);
        arrays->mask = b->mask;
    } else if (c->mask->data) {
        question_with_mask(q, c->mask->strides, mask_offset(c->mask, &b->where, c->plan.rank));
        arrays->mask = c->mask->data;
    }
}

/* A block that has all of its reductions has the answers. */
static bool take_whole(computation *c, const block *b) {
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    question q;
    ask(c, &q, &arrays, b);
    question_into_answer(&q, &c->plan, &b->where, c->r);
    answers_in_results(c, &arrays);
    return reduce(c, &q.desc, &arrays);
}

/* Of other blocks partials are kept until the tile has all of them. */
static bool take_part(computation *c, const block *b, uint64_t points) {
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    argmax_cl_block place = ARGMAX_CL_BLOCK_INIT;
    question q;
    ask(c, &q, &arrays, b);
    arrays.index = c->index;
    arrays.value = c->value;
    if (c->r->extrema > 1) {
        arrays.max_index = c->index + points;
        arrays.max_value = (char *)c->value + points * argmax_cl_dtype_size(c->rule.dtype);
    }
    place.sizes = c->plan.sizes;
    place.start = b->where.start;
    if (!reduce(c, &q.desc, &arrays))
        return false;
    if (b->first)
        memset(c->tile, 0, (size_t)(c->r->extrema * points * sizeof *c->tile));
    return told(c, argmax_cl_partials_add(c->rule.op, &q.desc, &place, &arrays, c->tile));
}

static bool finish_tile(computation *c, const box *b) {
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    question q;
    question_of_tile(&q, &c->plan, b, &c->rule);
    question_into_answer(&q, &c->plan, b, c->r);
    answers_in_results(c, &arrays);
    return told(c, argmax_cl_partials_finish(c->rule.op, &q.desc, c->tile, &arrays));
}

static bool take_block(computation *c, const block *b) {
    uint64_t points = 1;
    for (uint32_t axis = 0; axis < c->plan.rank; ++axis)
        points *= c->r->reduced[axis] ? 1 : b->where.size[axis];
    c->r->missing += b->missing;
    if (b->missing && c->mask->data)
        mask_combine(c->mask, &c->s->a, &b->where, b->mask);
    if (b->first && b->last)
        return take_whole(c, b);
    return take_part(c, b, points) && (!b->last || finish_tile(c, &b->where));
}

static bool take_blocks(computation *c) {
    stream *t = stream_open(c->s, &c->plan, c->m);
    progress bar = progress_start(c->s->a.bytes);
    bool good = t != NULL;
    uint64_t bytes = 0;
    for (uint64_t i = 0; good && i < c->plan.count; ++i) {
        const block *b = stream_next(t, c->m);
        good = b && take_block(c, b);
        if (good && b->last)
            answer_forget(c->r);
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
    const uint64_t all = r->extrema * r->points;
    uint64_t index;
    if (!p->is_packed)
        return true;
    spill meant;
    if (!take_room(c, &meant, all * argmax_cl_dtype_size(r->value_type), r->value_place))
        return false;
    for (uint64_t i = 0; i < all; ++i) {
        const double value = answer_index(r, i, &index)
                                 ? packing_unpack(p, number_load(c->rule.dtype, r->value, i)).as.real
                                 : (double)NAN;
        (void)number_store(r->value_type, value, (char *)meant.data + i * argmax_cl_dtype_size(r->value_type));
        if (i % POINTS_UNPACKED == 0)
            spill_forget(&meant);
    }
    spill_free(&r->value_room);
    r->value_room = meant;
    r->value = meant.data;
    return true;
}

/* Where all is missing the value is NaN if the type has one; else the file's own mark. */
static void mark_none(const computation *c) {
    const size_t size = argmax_cl_dtype_size(c->rule.dtype);
    uint64_t bits = 0, index;
    if (!number_store(c->rule.dtype, (double)NAN, &bits))
        bits = c->s->missing.mark_count ? c->s->missing.marks[0] : 0;
    for (uint64_t i = 0; (c->r->missing || c->mask->data) && i < c->r->extrema * c->r->points; ++i)
        if (!answer_index(c->r, i, &index))
            memcpy((char *)c->r->value + i * size, &bits, size);
}

/* Of the mask's file nothing is read before it is known to fit. */
static bool read_mask(const computation *c) {
    if (!c->o->mask)
        return true;
    const bool good = mask_read(c->mask, &c->s->a, c->m);
    c->r->masked = c->mask->left_out;
    return good;
}

bool answer_compute(answer *r, const options *o, reader *s, mask_file *mask, argmax_cl_handle handle, message *m) {
    computation c = {.r = r, .o = o, .s = s, .mask = mask, .handle = handle, .m = m};
    const bool reverse = packing_reverses(&s->a.packing);
    c.rule = (question_rule){.op = r->extrema > 1                           ? ARGMAX_CL_ARGMINMAX
                                   : (o->op == ARGMAX_CL_ARGMIN) != reverse ? ARGMAX_CL_ARGMIN
                                                                            : ARGMAX_CL_ARGMAX,
                             .direction = o->direction,
                             .nan_mode = o->nan_mode,
                             .dtype = s->a.dtype,
                             .fortran_order = s->a.fortran_order};
    bool good = make_plan(&c) && read_mask(&c) && take_memory(&c) && take_blocks(&c);
    if (good)
        mark_none(&c);
    good = good && unpack(&c);
    r->blocks = c.plan.count;
    free(c.index);
    free(c.value);
    free(c.tile);
    return good;
}
