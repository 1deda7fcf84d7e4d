#include "merge.h"
#include "number.h"

#include <string.h>

static uint64_t load_index(argmax_cl_dtype type, const void *index, uint64_t point) {
    return argmax_cl_dtype_size(type) == 4 ? ((const uint32_t *)index)[point] : ((const uint64_t *)index)[point];
}

static void store_index(argmax_cl_dtype type, void *index, uint64_t point, uint64_t value) {
    if (argmax_cl_dtype_size(type) == 4)
        ((uint32_t *)index)[point] = (uint32_t)value;
    else
        ((uint64_t *)index)[point] = value;
}

/* All bits set. */
static uint64_t no_winner(argmax_cl_dtype type) {
    return argmax_cl_dtype_size(type) == 4 ? UINT32_MAX : UINT64_MAX;
}

void merge_make_global(const merge_rule *rule, const blocks *p, const box *b, partial block, uint64_t points) {
    bool moved = false, simple = true; /* simple: the outermost reduced axis alone is cut */
    uint64_t shift = 0, outer = p->rank;
    for (uint32_t axis = 0; axis < p->rank; ++axis) {
        if (!p->reduced[axis])
            continue;
        const bool whole = b->size[axis] == p->sizes[axis];
        moved |= !whole;
        simple &= whole || outer == p->rank;
        outer = outer == p->rank ? axis : outer;
        shift = shift * p->sizes[axis] + b->start[axis];
    }
    for (uint64_t point = 0; moved && point < points; ++point) {
        uint64_t local = load_index(rule->index_type, block.index, point), global = 0, weight = 1;
        if (local == no_winner(rule->index_type))
            continue;
        if (simple) {
            store_index(rule->index_type, block.index, point, local + shift);
            continue;
        }
        for (uint32_t axis = p->rank; axis-- > 0;)
            if (p->reduced[axis]) {
                global += (b->start[axis] + local % b->size[axis]) * weight;
                local /= b->size[axis];
                weight *= p->sizes[axis];
            }
        store_index(rule->index_type, block.index, point, global);
    }
}

/* Whether a beats b. A winner that is a NaN beats every number. */
static int compare(argmax_cl_operator op, number a, number b) {
    const bool a_nan = number_is_nan(a), b_nan = number_is_nan(b);
    if (a_nan || b_nan)
        return a_nan - b_nan;
    const int order = number_less(b, a) - number_less(a, b);
    return op == ARGMAX_CL_ARGMIN ? -order : order;
}

void merge_into(const merge_rule *rule, partial tile, partial block, uint64_t points) {
    const size_t size = argmax_cl_dtype_size(rule->dtype);
    const uint64_t none = no_winner(rule->index_type);
    for (uint64_t point = 0; point < points; ++point) {
        const uint64_t theirs = load_index(rule->index_type, block.index, point);
        const uint64_t ours = load_index(rule->index_type, tile.index, point);
        if (theirs == none)
            continue;
        if (ours != none) {
            const int order = compare(rule->op, number_load(rule->dtype, block.value, point),
                                      number_load(rule->dtype, tile.value, point));
            const bool earlier = rule->direction == ARGMAX_CL_INCREASING ? theirs < ours : theirs > ours;
            if (order < 0 || (order == 0 && !earlier))
                continue;
        }
        store_index(rule->index_type, tile.index, point, theirs);
        memcpy((char *)tile.value + point * size, (const char *)block.value + point * size, size);
    }
}
