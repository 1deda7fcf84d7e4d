/* The distribution. Element types by weight; the bytes of the elements log-uniform; rank 1 to 5; sizes by cutting the
 * logarithm of the number of elements at random points, which gives many odd sizes, and often 2 or 3 beside millions;
 * each axis reduced with probability 0.45, at least one; one in three argmin; one in five permuted, padded or all
 * backwards. The wide draw adds offsets, values, the last extremum, NaNs ignored, elements with gaps, single axes
 * backwards, broadcasts and the wider unsigned types. */
#include "draw.h"

#include "device.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RANK_MOST = 5 };

typedef struct source {
    uint64_t state;
} source;

static uint64_t next(source *s) {
    return problem_mix(s->state++);
}

static uint64_t below(source *s, uint64_t n) {
    return next(s) % n;
}

static bool one_in(source *s, uint64_t n) {
    return below(s, n) == 0;
}

/* In [0, 1). */
static double share(source *s) {
    return (double)(next(s) >> 11) * 0x1p-53;
}

static source source_of(const char *seed, uint64_t number) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *seed != 0; seed++)
        hash = (hash ^ (unsigned char)*seed) * UINT64_C(0x100000001b3);
    return (source){problem_mix(hash ^ problem_mix(number))};
}

static bool listed(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == 0 || at[length] == ','))
            return true;
    }
    return false;
}

bool draw_types_known(const char *types) {
    for (const char *at = types; at != NULL; at = strchr(at, ',')) {
        char name[32];
        at += *at == ',';
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        if (problem_dtype_named(name) == NULL)
            return complain("--dtypes %s: expected names of element types with commas between", types);
    }
    return true;
}

static unsigned weight_of(const draw_options *o, const problem_dtype *type) {
    if (o->types != NULL)
        return listed(o->types, type->name) ? 1 : 0;
    switch (type->dtype) {
    case ARGMAX_CL_FLOAT32:
        return 5;
    case ARGMAX_CL_FLOAT16:
        return 3;
    case ARGMAX_CL_UINT16:
    case ARGMAX_CL_UINT32:
    case ARGMAX_CL_UINT64:
        return o->wide ? 1 : 0;
    default:
        return 1;
    }
}

static const problem_dtype *draw_type(const draw_options *o, source *s) {
    unsigned all = 0;
    for (size_t i = 0; i < PROBLEM_DTYPE_COUNT; i++)
        all += weight_of(o, &problem_dtypes[i]);
    uint64_t place = below(s, all);
    size_t i = 0;
    for (; place >= weight_of(o, &problem_dtypes[i]); i++)
        place -= weight_of(o, &problem_dtypes[i]);
    return &problem_dtypes[i];
}

/* Cut the logarithm; the largest size makes up for what rounding lost. */
static void draw_sizes(source *s, problem_line *p, double elements) {
    static const uint32_t RANKS[] = {1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5};
    double cuts[RANK_MOST + 1] = {0}, rest = elements;
    p->rank = RANKS[below(s, sizeof RANKS / sizeof RANKS[0])];
    for (uint32_t d = 1; d < p->rank; d++) {
        const double cut = share(s);
        uint32_t at = d;
        for (; at > 1 && cuts[at - 1] > cut; at--)
            cuts[at] = cuts[at - 1];
        cuts[at] = cut;
    }
    cuts[p->rank] = 1;
    uint32_t largest = 0;
    for (uint32_t d = 0; d < p->rank; d++) {
        const double size = floor(exp((cuts[d + 1] - cuts[d]) * log(elements)) + 0.5);
        p->size[d] = size < 2 ? 2 : (uint64_t)size;
        largest = p->size[d] > p->size[largest] ? d : largest;
    }
    for (uint32_t d = 0; d < p->rank; d++)
        rest /= d == largest ? 1 : (double)p->size[d];
    p->size[largest] = rest < 2 ? 2 : (uint64_t)rest;
}

static void draw_axes(source *s, problem_line *p) {
    assert(p->rank > 0);
    p->axis_count = 0;
    for (uint32_t d = 0; d < p->rank; d++)
        if (share(s) < 0.45)
            p->axes[p->axis_count++] = d;
    if (p->axis_count == 0)
        p->axes[p->axis_count++] = (uint32_t)below(s, p->rank);
}

/* Strides of a tensor whose axes lie in `order`, innermost first, `step` apart, with gaps of up to `gap` elements. */
static void lay_out(source *s, problem_line *p, const uint32_t *order, int64_t step, uint64_t gap) {
    int64_t span = step;
    p->input.has_strides = true;
    for (uint32_t i = 0; i < p->rank; i++) {
        p->input.stride[order[i]] = span;
        span = span * (int64_t)p->size[order[i]] + (gap > 0 ? (int64_t)below(s, gap + 1) : 0);
    }
}

static void draw_layout(source *s, problem_line *p, int64_t step) {
    uint32_t order[RANK_MOST];
    for (uint32_t d = 0; d < p->rank; d++)
        order[d] = p->rank - 1 - d;
    const bool changed = one_in(s, 5);
    const uint64_t way = below(s, 3);
    for (uint32_t i = p->rank; changed && way == 0 && i > 1; i--) {
        const uint32_t j = (uint32_t)below(s, i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
    if (changed || step > 1)
        lay_out(s, p, order, step, changed && way == 1 ? 16 : 0);
    for (uint32_t d = 0; changed && way == 2 && d < p->rank; d++)
        p->input.stride[d] = -p->input.stride[d];
}

static void force_strides(problem_line *p) {
    problem_resolve(p);
    p->input.has_strides = true;
}

static void draw_wide(source *s, problem_line *p) {
    p->has_value = one_in(s, 3);
    p->direction = one_in(s, 3) ? ARGMAX_CL_DECREASING : ARGMAX_CL_INCREASING;
    p->nan_mode = one_in(s, 5) ? ARGMAX_CL_NAN_IGNORE : ARGMAX_CL_NAN_PROPAGATE;
    if (one_in(s, 6)) {
        force_strides(p);
        const uint64_t d = below(s, p->rank);
        p->input.stride[d] = -p->input.stride[d];
    }
    if (one_in(s, 8) && p->rank > 1) {
        force_strides(p);
        p->input.stride[below(s, p->rank)] = 0;
    }
    if (one_in(s, 3)) {
        problem_resolve(p);
        p->input.has_offset = true;
        p->input.offset += 1 + below(s, 63);
    }
}

static uint64_t output_bytes(const problem_line *p) {
    const uint64_t each = argmax_cl_dtype_size(p->index_type) + (p->has_value ? argmax_cl_dtype_size(p->dtype) : 0);
    return problem_output_count(p) * each;
}

void draw_problem(const draw_options *o, uint64_t number, problem_line *p) {
    source s = source_of(o->seed, number);
    do {
        const problem_dtype *const type = draw_type(o, &s);
        const double bytes = (double)o->least * pow((double)o->most / (double)o->least, share(&s));
        problem_init(p);
        p->dtype = type->dtype;
        const int64_t step = o->wide && one_in(&s, 6) ? 2 + (int64_t)below(&s, 2) : 1;
        draw_sizes(&s, p, bytes * 8 / (double)type->bits / (double)step);
        draw_axes(&s, p);
        p->op = one_in(&s, 3) ? ARGMAX_CL_ARGMIN : ARGMAX_CL_ARGMAX;
        draw_layout(&s, p, step);
        if (o->wide)
            draw_wide(&s, p);
        problem_resolve(p);
    } while (output_bytes(p) > o->outputs_most);
}
