/* What the stub's kernels compute: the answer to the problem that their arguments describe, element by element.
 *
 * A scan of parts leaves the whole answer in each of its partials, with a mark made from the input's address and the
 * number of the output; the merge takes an answer only when all partials of the output have the right mark and agree.
 * So a workspace that two problems write, or a buffer that came to the wrong parameter, shows in the answer, as
 * MISROUTED. */
#include "stub.h"

#include <string.h>
#include <time.h>

#define MISROUTED ((uint64_t) - 77)
#define NO_INDEX UINT64_MAX

typedef struct partial {
    uint64_t mark, index;
} partial;

static uint64_t load(const void *from, int64_t element, uint32_t bits) {
    return bits == 8    ? ((const uint8_t *)from)[element]
           : bits == 16 ? ((const uint16_t *)from)[element]
           : bits == 32 ? ((const uint32_t *)from)[element]
                        : ((const uint64_t *)from)[element];
}

static void store(void *to, int64_t element, uint32_t bits, uint64_t value) {
    if (bits == 8)
        ((uint8_t *)to)[element] = (uint8_t)value;
    else if (bits == 16)
        ((uint16_t *)to)[element] = (uint16_t)value;
    else if (bits == 32)
        ((uint32_t *)to)[element] = (uint32_t)value;
    else
        ((uint64_t *)to)[element] = value;
}

/* Greater keys are better. False for what never wins. Of both extrema the second is the maximum. */
static bool key_of(const stub_options *o, bool minimum, uint64_t bits, uint64_t *key) {
    const uint64_t sign = (uint64_t)1 << (o->bits - 1), magnitude = bits & (sign - 1);
    const uint64_t infinity = (sign - 1) >> o->mantissa << o->mantissa, all = sign | (sign - 1);
    uint64_t rank = o->is_signed ? bits ^ sign : bits;
    if (o->is_float) {
        if (magnitude > infinity) {
            *key = UINT64_MAX;
            return !o->ignore_nan;
        }
        rank = magnitude && (bits & sign) ? sign - magnitude : sign + magnitude;
    }
    *key = minimum ? all - rank : rank;
    return true;
}

/* Sum of coordinate * stride of a position in row-major order. */
static int64_t place(uint64_t position, uint64_t count, const cl_ulong *size, const cl_long *stride) {
    int64_t sum = 0;
    for (uint64_t d = count; d-- > 0; position /= size[d])
        sum += (int64_t)(position % size[d]) * stride[d];
    return sum;
}

/* The reduction of one output: rows of columns, with what a step along each adds to address and index. */
typedef struct walk {
    uint64_t rows, columns, first_index;
    uint64_t count; /* dims of the rows */
    cl_ulong size[MAX_RANK];
    cl_long in[MAX_RANK], mask[MAX_RANK], index[MAX_RANK];
    int64_t column_in, column_mask, column_index;
} walk;

static walk walk_of(const stub_arguments *a, const dims_t *d) {
    const permuted_t *const order = a->permuted ? stub_argument(a, ROLE_GRID) : NULL;
    walk w = {.rows = 1, .count = d->reduced_count, .first_index = order ? order->first_index : 0};
    int64_t weight = 1;
    for (uint64_t i = d->reduced_count; i-- > 0;) {
        w.size[i] = d->reduced_size[i];
        w.in[i] = d->reduced_in[i];
        w.mask[i] = d->mask.reduced[i];
        w.index[i] = order ? order->weight[i] : weight;
        w.rows *= w.size[i];
        weight *= (int64_t)w.size[i];
    }
    --w.count;
    w.columns = w.size[w.count];
    w.rows /= w.columns;
    w.column_in = w.in[w.count];
    w.column_mask = w.mask[w.count];
    w.column_index = w.index[w.count];
    return w;
}

static uint64_t solve(const stub_arguments *a, uint32_t x, const walk *w, int64_t start, int64_t mask_start) {
    const stub_options *const o = &a->options;
    const void *const input = stub_buffer(a, ROLE_INPUT)->bytes;
    const uint8_t *const mask = o->masked ? stub_buffer(a, ROLE_MASK)->bytes : NULL;
    const bool minimum = x == 0 && o->minimum, last = x == 0 ? o->last : o->max_last;
    uint64_t best = 0, best_index = NO_INDEX;
    for (uint64_t row = 0; row < w->rows; ++row) {
        int64_t at = start + place(row, w->count, w->size, w->in);
        int64_t mask_at = mask_start + place(row, w->count, w->size, w->mask);
        uint64_t index = w->first_index + (uint64_t)place(row, w->count, w->size, w->index);
        for (uint64_t column = 0; column < w->columns; ++column) {
            uint64_t key;
            if ((!mask || mask[mask_at]) && key_of(o, minimum, load(input, at, o->bits), &key) &&
                (best_index == NO_INDEX || key > best || (key == best && (index > best_index) == last))) {
                best = key;
                best_index = index;
            }
            at += w->column_in;
            mask_at += w->column_mask;
            index += (uint64_t)w->column_index;
        }
    }
    return best_index;
}

static int64_t start_of(const dims_t *d, uint64_t out) {
    return d->in_offset + place(out, d->kept_count, d->kept_size, d->kept_in);
}

/* From the first element of an output to the one of that index. */
static int64_t element_of(const stub_arguments *a, const dims_t *d, uint64_t index) {
    const permuted_t *const order = a->permuted ? stub_argument(a, ROLE_GRID) : NULL;
    if (!order)
        return place(index, d->reduced_count, d->reduced_size, d->reduced_in);
    int64_t at = 0;
    for (uint64_t i = 0; i < d->reduced_count; ++i) {
        const int64_t weight = order->weight[i];
        const uint64_t digit = index / (uint64_t)(weight < 0 ? -weight : weight) % d->reduced_size[i];
        at += (int64_t)(weight < 0 ? d->reduced_size[i] - 1 - digit : digit) * d->reduced_in[i];
    }
    return at;
}

static uint64_t mark_of(cl_mem input, uint64_t out) {
    return (uint64_t)(uintptr_t)input * 0x9E3779B97F4A7C15u + out;
}

/* What is told of it. */
static uint64_t told_index(const stub_options *o, const dims_t *d, uint32_t x, uint64_t index) {
    if (index == NO_INDEX || index == MISROUTED)
        return index;
    const bool wants_last = (x ? o->max_last : o->last) != o->reversed;
    const uint64_t at = o->reversed ? d->reduction - 1 - index : index;
    return o->repeated ? at + (at / d->repeated.every + wants_last) * d->repeated.added : at;
}

static void put(const stub_arguments *a, const dims_t *d, uint32_t x, uint64_t out, uint64_t index) {
    const stub_options *const o = &a->options;
    const maximum_dims_t *const m = &d->maximum;
    const cl_ulong count = d->kept_count;
    store(stub_buffer(a, x ? ROLE_MAX_INDEX : ROLE_INDEX)->bytes,
          (x ? m->index_offset : d->index_offset) + place(out, count, d->kept_size, x ? m->kept_index : d->kept_index),
          (x ? o->max_wide_index : o->wide_index) ? 64 : 32, told_index(o, d, x, index));
    if (!(x ? o->max_value : o->value))
        return;
    uint64_t bits = o->no_winner;
    if (index != NO_INDEX && index != MISROUTED)
        bits = load(stub_buffer(a, ROLE_INPUT)->bytes, start_of(d, out) + element_of(a, d, index), o->bits);
    store(stub_buffer(a, x ? ROLE_MAX_VALUE : ROLE_VALUE)->bytes,
          (x ? m->value_offset : d->value_offset) + place(out, count, d->kept_size, x ? m->kept_value : d->kept_value),
          o->bits, bits);
}

static uint32_t stub_extremes(const stub_arguments *a) {
    return a->options.both ? 2 : 1;
}

/* Whole answers without parts. */
static void scan(const stub_arguments *a, const dims_t *d, uint64_t parts) {
    const cl_mem input = stub_buffer(a, ROLE_INPUT);
    const walk w = walk_of(a, d);
    const uint32_t extremes = stub_extremes(a);
    for (uint64_t i = 0; i < d->outputs * extremes; ++i) {
        const uint32_t x = (uint32_t)(i % extremes);
        const uint64_t out = i / extremes;
        const int64_t mask_start = d->mask.offset + place(out, d->kept_count, d->kept_size, d->mask.kept);
        const uint64_t index = solve(a, x, &w, start_of(d, out), mask_start);
        if (parts == 0)
            put(a, d, x, out, index);
        for (uint64_t part = 0; part < parts; ++part)
            ((partial *)stub_buffer(a, ROLE_PARTIALS)->bytes)[part * d->outputs * extremes + i] =
                (partial){mark_of(input, i), index};
    }
}

static void merge(const stub_arguments *a, const dims_t *d, uint64_t parts) {
    const uint32_t extremes = stub_extremes(a);
    for (uint64_t i = 0; i < d->outputs * extremes; ++i) {
        const partial *const all = (const partial *)stub_buffer(a, ROLE_PARTIALS)->bytes + i;
        uint64_t index = all->index;
        for (uint64_t part = 0; part < parts; ++part) {
            const partial *const p = &all[part * d->outputs * extremes];
            if (p->mark != mark_of(stub_buffer(a, ROLE_INPUT), i) || p->index != index)
                index = MISROUTED;
        }
        put(a, d, (uint32_t)(i % extremes), i / extremes, index);
    }
}

static void wait_while_held(void) {
    const struct timespec moment = {0, 100000};
    while (atomic_load(&stub_manners.hold))
        nanosleep(&moment, NULL);
}

/* The launch's first counter, and what stands beside it where there are words, which come where the partials do
 * otherwise. They must be ours alone, and 0. */
static volatile cl_uint *counters_of(const stub_arguments *a, const finish_t *finish) {
    const cl_mem counters = stub_buffer(a, a->options.words ? ROLE_PARTIALS : ROLE_COUNTERS);
    return (cl_uint *)counters->bytes + finish->counter;
}
static bool count_alone(const stub_arguments *a, const finish_t *finish) {
    volatile cl_uint *const counter = counters_of(a, finish);
    bool alone = true;
    for (size_t i = 0; i < finish->unit_counters; ++i)
        alone = alone && counter[i] == 0;
    ++*counter;
    wait_while_held();
    --*counter;
    return alone;
}

/* Whether this launch dies. */
static bool dies(void) {
    static atomic_uint drawn = 1;
    uint32_t left = atomic_load(&stub_manners.kill);
    while (left && !atomic_compare_exchange_weak(&stub_manners.kill, &left, left - 1))
        ;
    if (left || !stub_manners.kill_one_in)
        return left != 0;
    uint32_t before = atomic_load(&drawn), after;
    do
        after = before * 1664525u + 1013904223u;
    while (!atomic_compare_exchange_weak(&drawn, &before, after));
    return (after >> 8) % stub_manners.kill_one_in == 0;
}

/* What a launch leaves that dies after some of its work-groups: arrivals counted, words raised or left, partials of
 * some outputs, answers that are none. */
static void leave_ruins(const stub_arguments *a, const dims_t *d, bool merging, const finish_t *finish) {
    const uint32_t groups = stub_manners.kill_after;
    if (finish && finish->stage == STAGE_BOTH)
        for (size_t i = 0; i < finish->unit_counters; ++i)
            counters_of(a, finish)[i] = groups;
    for (uint64_t out = 0; out < d->outputs && out < groups; ++out)
        if (merging || !a->options.split)
            put(a, d, 0, out, MISROUTED);
        else if (!(finish && finish->stage == STAGE_BOTH && a->options.words))
            ((partial *)stub_buffer(a, ROLE_PARTIALS)->bytes)[out] = (partial){mark_of(NULL, out), MISROUTED};
}

/* Lists of `room` words each; where what follows them is. */
static const cl_ulong *read_lists(void *const lists[], size_t count, const cl_ulong *words, uint32_t room) {
    for (size_t i = 0; i < count; ++i)
        memcpy(lists[i], words + i * room, room * sizeof *words);
    return words + count * room;
}

/* The last of so many 64-bit words. */
static void to_front(void *list, uint64_t count) {
    cl_ulong words[MAX_RANK];
    memcpy(words, list, count * sizeof *words);
    memcpy(list, &words[count - 1], sizeof *words);
    memcpy((cl_ulong *)list + 1, words, (count - 1) * sizeof *words);
}

/* The argument's lists have room for fewer dims than ours. */
static dims_t read_dims(const stub_arguments *a) {
    const cl_ulong *const words = stub_argument(a, ROLE_DIMS);
    const uint32_t room = stub_room(a);
    dims_t d = {.outputs = words[0],
                .reduction = words[1],
                .in_offset = (cl_long)words[2],
                .index_offset = (cl_long)words[3],
                .value_offset = (cl_long)words[4],
                .kept_count = a->options.kept,
                .reduced_count = a->options.reduced};
    void *const lists[] = {d.reduced_size, d.reduced_in, d.kept_size, d.kept_in, d.kept_index, d.kept_value};
    const cl_ulong *const after = read_lists(lists, sizeof lists / sizeof lists[0], words + 5, room), *end = after;
    if (a->options.masked) {
        void *const mask_lists[] = {d.mask.reduced, d.mask.kept};
        d.mask.offset = (cl_long)after[0];
        d.mask.along = (cl_long)after[1];
        end = read_lists(mask_lists, 2, after + 3, room);
    }
    if (a->options.both) {
        void *const maximum_lists[] = {d.maximum.kept_index, d.maximum.kept_value};
        d.maximum.index_offset = (cl_long)end[0];
        d.maximum.value_offset = (cl_long)end[1];
        end = read_lists(maximum_lists, 2, end + 4, room);
    }
    if (a->options.repeated)
        d.repeated = (repeated_dim_t){.every = end[0], .added = end[1]};
    if (a->options.inner_first) { /* the last one here is the first one of the input */
        to_front(d.reduced_size, d.reduced_count);
        to_front(d.reduced_in, d.reduced_count);
        to_front(d.mask.reduced, d.reduced_count);
    }
    return d;
}

/* Copy to an output; a launch that dies has copied nothing. */
static cl_int run_copies(const stub_arguments *a, size_t groups) {
    const copies_t *const c = stub_argument(a, ROLE_GRID);
    const unsigned char *const answers = stub_buffer(a, ROLE_PARTIALS)->bytes;
    unsigned char *const all = stub_buffer(a, ROLE_INDEX)->bytes;
    uint64_t elements = c->jobs ? 1 : 0;
    if (c->jobs && groups > stub_manners.kill_after && dies())
        return CL_OUT_OF_RESOURCES;
    for (uint32_t d = 0; d < a->options.kept; ++d)
        elements *= c->size[d];
    for (uint64_t i = 0; i < elements; ++i) {
        int64_t to = c->offset, from = c->answers;
        uint64_t rest = i;
        for (uint32_t d = a->options.kept; d-- > 0;) {
            to += (int64_t)(rest % c->size[d]) * c->stride[d];
            from += (int64_t)(rest % c->size[d]) * c->from[d];
            rest /= c->size[d];
        }
        store(all, to, a->options.bits, load(answers, from, a->options.bits));
    }
    return CL_COMPLETE;
}

cl_int stub_run_kernel(const stub_arguments *a, size_t groups) {
    if (a->copies)
        return run_copies(a, groups);
    const dims_t dims = read_dims(a), *const d = &dims;
    const finish_t *const finish = stub_argument(a, ROLE_FINISH);
    const cl_ulong *const grid = stub_argument(a, ROLE_GRID); /* jobs, jobs_per_group, parts */
    const cl_ulong stage = finish ? finish->stage : STAGE_SCAN;
    const bool no_jobs = grid[0] == 0;
    const bool merges = a->merges ? !no_jobs : no_jobs && stage == STAGE_MERGE;
    if ((merges || !no_jobs) && groups > stub_manners.kill_after && dies()) {
        leave_ruins(a, d, merges, finish);
        return CL_OUT_OF_RESOURCES;
    }
    if (merges) {
        wait_while_held();
        merge(a, d, grid[2]);
    }
    if (a->merges || no_jobs) /* merging, or warming up */
        return CL_COMPLETE;
    if (a->options.words && stage == STAGE_BOTH) {
        if (count_alone(a, finish))
            scan(a, d, 0);
        return CL_COMPLETE;
    }
    scan(a, d, a->options.split ? grid[2] : 0);
    if (stage == STAGE_BOTH && count_alone(a, finish))
        merge(a, d, grid[2]);
    return CL_COMPLETE;
}
