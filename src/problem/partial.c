/* Keys, ties and places of partial answers: see partial.h; docs/partials.md has the format and why it is so. */
#include "problem/partial.h"

#include <string.h>

partial_place partial_place_of(const problem *p, const uint64_t *start, const uint64_t *extent, const uint64_t *size) {
    partial_place place = {0};
    for (uint32_t axis = 0; axis < p->rank; axis++)
        if (p->reduced[axis]) {
            place.start[place.count] = start[axis];
            place.extent[place.count] = extent[axis];
            place.size[place.count++] = size[axis];
        }
    return place;
}

/* Of an index in the block. An inner axis that is cut makes gaps, so an offset alone will not do: the index is
 * unravelled in the block and ravelled in the whole. */
static uint64_t global_index(const partial_place *place, uint64_t local) {
    uint64_t global = 0, weight = 1;
    for (uint32_t i = place->count; i-- > 0;) {
        const uint64_t extent = place->extent[i];
        global += (place->start[i] + local % extent) * weight;
        local /= extent;
        weight *= place->size[i];
    }
    return global;
}

/* Whether indices move by a constant: no axis but the outermost is cut. */
static bool moves_as_one(const partial_place *place) {
    for (uint32_t i = 1; i < place->count; i++)
        if (place->extent[i] != place->size[i])
            return false;
    return true;
}

/* With N NaNs of either sign: in PROPAGATE the NaNs lie on top, all as high as the lowest of them, and each number
 * below; in IGNORE they lie below the numbers, where no winner is. Zeros of both signs meet. */
static uint64_t float_key(const problem *p, uint64_t b) {
    const uint32_t width = p->input.type->bits;
    const uint64_t all = UINT64_MAX >> (64 - width), sign = UINT64_C(1) << (width - 1);
    const uint64_t nans = (UINT64_C(1) << p->input.type->mantissa_bits) - 1;
    const bool negative = (b & sign) != 0, minimum = p->op == ARGMAX_CL_ARGMIN;
    if (p->nan_mode == ARGMAX_CL_NAN_IGNORE) {
        if (minimum)
            return (negative ? b + nans : sign + nans - b) & all;
        return (negative ? nans - b : b + sign + nans) & all;
    }
    const uint64_t top = all - 2 * nans;
    const uint64_t key = (minimum ? (negative ? b - (nans + 1) : sign - (nans + 1) - b)
                                  : (negative ? 0 - (nans + 1) - b : b + sign - (nans + 1))) &
                         all;
    return key < top ? key : top;
}

uint64_t partial_key(const problem *p, uint64_t bits) {
    const dtype_info *const type = p->input.type;
    const uint64_t all = UINT64_MAX >> (64 - type->bits);
    if (type->kind == KIND_FLOAT)
        return float_key(p, bits);
    const uint64_t key = type->kind == KIND_SIGNED ? bits ^ (UINT64_C(1) << (type->bits - 1)) : bits;
    return p->op == ARGMAX_CL_ARGMIN ? ~key & all : key;
}

static uint64_t load(const void *array, uint64_t i, uint32_t bits) {
    const unsigned char *const at = (const unsigned char *)array + i * (bits / 8);
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (bits) {
    case 8:
        return *at;
    case 16:
        memcpy(&two, at, sizeof two);
        return two;
    case 32:
        memcpy(&four, at, sizeof four);
        return four;
    default:
        memcpy(&eight, at, sizeof eight);
        return eight;
    }
}

static void store(void *array, uint64_t i, uint32_t bits, uint64_t value) {
    unsigned char *const at = (unsigned char *)array + i * (bits / 8);
    const uint8_t one = (uint8_t)value;
    const uint16_t two = (uint16_t)value;
    const uint32_t four = (uint32_t)value;
    switch (bits) {
    case 8:
        *at = one;
        return;
    case 16:
        memcpy(at, &two, sizeof two);
        return;
    case 32:
        memcpy(at, &four, sizeof four);
        return;
    default:
        memcpy(at, &value, sizeof value);
    }
}

static bool beats(const argmax_cl_partial *a, const argmax_cl_partial *b) {
    return a->key > b->key || (a->key == b->key && a->tie > b->tie);
}

void partials_from_answers(const problem *p, const partial_place *place, const dtype_info *index_type, uint64_t count,
                           const void *index, const void *value, bool first, argmax_cl_partial *into) {
    const uint64_t none = UINT64_MAX >> (64 - index_type->bits);
    const uint64_t origin = global_index(place, 0);
    const bool constant = moves_as_one(place);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t local = load(index, i, index_type->bits);
        argmax_cl_partial mine = {0, 0, 0};
        if (local != none) {
            const uint64_t global = constant ? origin + local : global_index(place, local);
            mine.bits = load(value, i, p->input.type->bits);
            mine.key = partial_key(p, mine.bits);
            mine.tie = p->direction == ARGMAX_CL_INCREASING ? ~global : global + 1;
        }
        if (first || beats(&mine, &into[i]))
            into[i] = mine;
    }
}

void partials_merge(uint64_t count, argmax_cl_partial *into, const argmax_cl_partial *from) {
    for (uint64_t i = 0; i < count; i++)
        if (beats(&from[i], &into[i]))
            into[i] = from[i];
}

void partials_to_answers(const problem *p, uint64_t count, const argmax_cl_partial *partials, void *index,
                         void *value) {
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t tie = partials[i].tie;
        const bool found = tie != 0;
        const uint64_t at = p->direction == ARGMAX_CL_INCREASING ? ~tie : tie - 1;
        store(index, i, p->index.type->bits, found ? at : UINT64_MAX);
        if (value)
            store(value, i, p->input.type->bits, found ? partials[i].bits : p->input.type->no_winner);
    }
}
