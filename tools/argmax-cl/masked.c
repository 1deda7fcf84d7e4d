#include "masked.h"
#include "number.h"

#include <math.h>
#include <string.h>

/* The value that loses to every other. */
static void worst(const masked_rule *rule, uint64_t *bits) {
    const size_t size = argmax_cl_dtype_size(rule->dtype);
    const bool minimum = rule->op == ARGMAX_CL_ARGMIN;
    const uint64_t zero = 0;
    *bits = 0;
    switch (number_load(rule->dtype, &zero, 0).kind) {
    case NUMBER_FLOAT:
        (void)number_store(rule->dtype, minimum ? (double)INFINITY : -(double)INFINITY, bits);
        return;
    case NUMBER_SIGNED:
        (void)number_store(rule->dtype, -ldexp(1, (int)size * 8 - 1), bits);
        if (minimum)
            *bits = ~*bits;
        return;
    case NUMBER_UNSIGNED:
        *bits = minimum ? UINT64_MAX : 0;
    }
}

#define FILL(type)                                                                                                     \
    do {                                                                                                               \
        type *element = data; /* NOLINT(bugprone-macro-parentheses) */                                                 \
        type filler;                                                                                                   \
        memcpy(&filler, &bits, sizeof filler);                                                                         \
        for (uint64_t i = 0; i < count; ++i)                                                                           \
            element[i] = mask[i] ? element[i] : filler;                                                                \
    } while (0)

void masked_fill(const masked_rule *rule, const uint8_t *mask, void *data, uint64_t count) {
    uint64_t bits;
    worst(rule, &bits);
    switch (argmax_cl_dtype_size(rule->dtype)) {
    case 1:
        FILL(uint8_t);
        break;
    case 2:
        FILL(uint16_t);
        break;
    case 4:
        FILL(uint32_t);
        break;
    default:
        FILL(uint64_t);
    }
}

/* A walk over some axes of a block, in row-major order. */
typedef struct walk {
    uint32_t rank;
    uint64_t size[ARGMAX_CL_MAX_RANK], stride[ARGMAX_CL_MAX_RANK], at[ARGMAX_CL_MAX_RANK];
    uint64_t count, offset;
} walk;

static walk walk_over(const blocks *p, const box *b, bool fortran_order, bool reduced) {
    walk w = {.count = 1};
    uint64_t stride[ARGMAX_CL_MAX_RANK], next = 1;
    for (uint32_t i = 0; i < p->rank; ++i) {
        const uint32_t axis = fortran_order ? i : p->rank - 1 - i;
        stride[axis] = next;
        next *= b->size[axis];
    }
    for (uint32_t axis = 0; axis < p->rank; ++axis)
        if (p->reduced[axis] == reduced) {
            w.size[w.rank] = b->size[axis];
            w.stride[w.rank++] = stride[axis];
            w.count *= b->size[axis];
        }
    return w;
}

static void step(walk *w) {
    for (uint32_t i = w->rank; i-- > 0;) {
        w->offset += w->stride[i];
        if (++w->at[i] < w->size[i])
            return;
        w->offset -= w->size[i] * w->stride[i];
        w->at[i] = 0;
    }
}

/* The first or last place of a slice whose element is there and has the value; UINT64_MAX: there is none. */
static uint64_t search(const masked_rule *rule, walk slice, const uint8_t *mask, const char *data, const void *value) {
    const size_t size = argmax_cl_dtype_size(rule->dtype);
    uint64_t found = UINT64_MAX;
    for (uint64_t i = 0; i < slice.count; ++i, step(&slice))
        if (mask[slice.offset] && memcmp(data + slice.offset * size, value, size) == 0) {
            found = i;
            if (rule->direction == ARGMAX_CL_INCREASING)
                break;
        }
    return found;
}

void masked_repair(const masked_rule *rule, const blocks *p, const box *b, bool fortran_order, const uint8_t *mask,
                   const void *data, int64_t *index, const void *value) {
    const size_t size = argmax_cl_dtype_size(rule->dtype);
    const walk slice = walk_over(p, b, fortran_order, true);
    walk points = walk_over(p, b, fortran_order, false);
    uint64_t bits;
    worst(rule, &bits);
    const number filler = number_load(rule->dtype, &bits, 0);
    for (uint64_t point = 0; point < points.count; ++point, step(&points)) {
        const char *best = (const char *)value + point * size;
        if (number_equal(number_load(rule->dtype, best, 0), filler))
            index[point] =
                (int64_t)search(rule, slice, mask + points.offset, (const char *)data + points.offset * size, best);
    }
}
