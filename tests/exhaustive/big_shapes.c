#include "big_shapes.h"

#include <stdio.h>
#include <string.h>

#define REST 0
#define AXES(mask) (mask)

typedef enum shape_sort {
    WHOLE,   /* the buffer, as far as the sizes divide it */
    TURNED,  /* the same, stored column by column */
    STEPPED, /* every second element */
    REVERSED,
    AT_END, /* fixed sizes, with an offset that ends them with the buffer */
    FAR     /* rank 2, with the rows as far apart as the buffer allows */
} shape_sort;

typedef struct shape {
    shape_sort sort;
    uint32_t rank;
    uint64_t size[4]; /* REST: what is left of the buffer */
    uint32_t axes;    /* mask of the reduced ones */
    bool value;
    argmax_cl_dtype index_type;
    bool many; /* hundreds of millions of outputs */
    const char *strategies[4];
} shape;

#define CHOSEN ""
#define WIDE ARGMAX_CL_INT64
#define NARROW ARGMAX_CL_UINT32

static const shape shapes[] = {
    {WHOLE, 1, {REST}, AXES(1), true, WIDE, false, {CHOSEN, "split-rows"}},
    {WHOLE, 2, {5, REST}, AXES(2), true, NARROW, false, {CHOSEN, "long-rows", "split-rows"}},
    {WHOLE, 2, {2, REST}, AXES(2), false, WIDE, false, {CHOSEN}},
    {WHOLE, 2, {REST, 4096}, AXES(2), false, WIDE, false, {CHOSEN, "long-rows", "short-rows", "split-rows"}},
    {WHOLE, 2, {REST, 1000}, AXES(2), true, WIDE, false, {CHOSEN}},
    {WHOLE, 2, {REST, 4096}, AXES(1), true, WIDE, false, {CHOSEN, "columns", "split-columns"}},
    {WHOLE, 2, {REST, 3}, AXES(1), false, WIDE, false, {CHOSEN, "split-columns"}},
    {WHOLE, 2, {1000, REST}, AXES(1), true, WIDE, false, {CHOSEN}},
    {WHOLE, 3, {16, REST, 1024}, AXES(2), true, WIDE, false, {CHOSEN, "columns", "split-columns"}},
    {WHOLE, 3, {REST, 1024, 64}, AXES(2), false, WIDE, false, {CHOSEN}},
    {TURNED, 2, {REST, 4096}, AXES(3), true, WIDE, false, {CHOSEN, "permuted-rows"}},
    {TURNED, 2, {4096, REST}, AXES(3), false, WIDE, false, {CHOSEN}},
    {TURNED, 3, {64, REST, 8}, AXES(3), true, WIDE, false, {CHOSEN}},
    {WHOLE, 4, {16, 32, 64, REST}, AXES(5), true, WIDE, false, {CHOSEN}},
    {WHOLE, 4, {16, 32, 64, REST}, AXES(10), true, WIDE, false, {CHOSEN}},
    {WHOLE, 4, {1024, REST, 4, 1024}, AXES(10), false, WIDE, false, {CHOSEN, "segment-rows", "long-rows"}},
    {STEPPED, 1, {REST}, AXES(1), true, WIDE, false, {CHOSEN, "split-strided-rows"}},
    {STEPPED, 2, {5, REST}, AXES(2), false, WIDE, false, {CHOSEN, "strided-rows"}},
    {STEPPED, 2, {REST, 1024}, AXES(1), true, WIDE, false, {CHOSEN, "strided-columns", "split-strided-columns"}},
    {REVERSED, 1, {REST}, AXES(1), true, WIDE, false, {CHOSEN}},
    {REVERSED, 2, {REST, 4096}, AXES(2), false, WIDE, false, {CHOSEN}},
    {REVERSED, 2, {REST, 4096}, AXES(1), true, WIDE, false, {CHOSEN}},
    {AT_END, 2, {16000, 64}, AXES(2), true, WIDE, false, {CHOSEN, "register-rows", "short-rows", "split-rows"}},
    {AT_END, 2, {1000, 1000}, AXES(1), true, WIDE, false, {CHOSEN, "split-columns"}},
    {AT_END, 1, {1000000}, AXES(1), true, WIDE, false, {CHOSEN}},
    {FAR, 2, {2, 1000}, AXES(2), true, WIDE, false, {CHOSEN, "short-rows"}},
    {FAR, 2, {2, 1000}, AXES(1), true, WIDE, false, {CHOSEN}},
    {FAR, 2, {2, 1000}, AXES(3), true, WIDE, false, {CHOSEN, "split-rows"}},
    {WHOLE, 2, {REST, 16}, AXES(2), true, WIDE, true, {CHOSEN, "register-rows", "short-rows"}},
    {WHOLE, 2, {REST, 7}, AXES(2), true, WIDE, true, {CHOSEN}},
    {WHOLE, 2, {REST, 2}, AXES(2), false, NARROW, true, {CHOSEN}},
    {WHOLE, 2, {5, REST}, AXES(1), true, NARROW, true, {CHOSEN}},
    {WHOLE, 3, {REST, 64, 64}, AXES(2), true, WIDE, true, {CHOSEN}},
};
#define SHAPE_COUNT (sizeof shapes / sizeof shapes[0])

static void lay_out(const shape *s, uint64_t elements, problem_line *p) {
    const uint64_t step = s->sort == STEPPED ? 2 : 1;
    uint64_t known = step, apart = step;
    p->rank = s->rank;
    for (uint32_t d = 0; d < s->rank; d++)
        known *= s->size[d] == REST ? 1 : s->size[d];
    for (uint32_t d = 0; d < s->rank; d++) {
        p->size[d] = s->size[d] == REST ? elements / known : s->size[d];
        if (s->axes >> d & 1)
            p->axes[p->axis_count++] = d;
    }
    for (uint32_t i = 0; i < s->rank; i++) {
        const uint32_t d = s->sort == TURNED ? i : s->rank - 1 - i;
        p->input.stride[d] = s->sort == REVERSED ? -(int64_t)apart : (int64_t)apart;
        apart *= p->size[d];
    }
    if (s->sort == FAR)
        p->input.stride[0] = (int64_t)(elements - p->size[1]);
    if (s->sort == AT_END)
        p->input.offset = elements - apart;
    p->input.has_strides = s->sort != WHOLE && s->sort != AT_END;
    p->input.has_offset = s->sort == AT_END;
    p->index_type = s->index_type;
    p->has_value = s->value;
}

/* Sets of places: both sides of a number of elements or bytes, both ends, the last one. */
#define SETS 6
static bool plant(uint32_t set, uint32_t bytes, big_problem *b) {
    const uint64_t end = problem_input_extent(&b->p);
    const uint64_t between[4] = {UINT64_C(1) << 31, UINT64_C(1) << 32, (UINT64_C(1) << 32) / bytes,
                                 (UINT64_C(1) << 33) / bytes};
    b->planted_count = 2;
    if (set < 4) {
        b->planted[0] = between[set] - 1;
        b->planted[1] = between[set];
        for (uint32_t before = 0; before < set; before++)
            if (between[before] == between[set])
                return false;
        return between[set] < end;
    }
    b->planted[0] = set == 5 ? end - 1 : b->p.input.has_offset ? b->p.input.offset : 0;
    b->planted[1] = end - 1;
    b->planted_count = set == 4 ? 2 : 1;
    return true;
}

/* All of them at once: they belong to different outputs. */
static void plant_all(uint32_t bytes, big_problem *b) {
    big_problem one = *b;
    size_t count = 0;
    for (uint32_t set = 0; set < SETS; set++)
        if (plant(set, bytes, &one) && count + one.planted_count <= BIG_PLANTED_MAX) {
            memcpy(b->planted + count, one.planted, one.planted_count * sizeof one.planted[0]);
            count += one.planted_count;
        }
    b->planted_count = count;
}

bool big_shape(size_t i, const problem_dtype *type, argmax_cl_operator op, uint64_t elements, big_problem *out) {
    const bool many = type->bits == 8 && elements > (UINT64_C(1) << 32) + (1u << 20);
    for (size_t k = 0; k < SHAPE_COUNT; k++)
        for (size_t way = 0; way < 4 && shapes[k].strategies[way] && (many || !shapes[k].many); way++)
            for (uint32_t set = 0; set < (shapes[k].many ? 1 : SETS); set++) {
                memset(out, 0, sizeof *out);
                problem_init(&out->p);
                out->p.op = op;
                out->p.dtype = type->dtype;
                lay_out(&shapes[k], elements, &out->p);
                snprintf(out->p.strategy, sizeof out->p.strategy, "%s", shapes[k].strategies[way]);
                problem_resolve(&out->p);
                if (shapes[k].many)
                    plant_all(type->bits / 8, out);
                else if (!plant(set, type->bits / 8, out))
                    continue;
                if (i-- == 0)
                    return true;
            }
    return false;
}
