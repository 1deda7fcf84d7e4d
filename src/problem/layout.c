/* Collapse a problem: fewer and longer dimensions that address the same elements in the same order. */
#include "internal.h"

#include <string.h>

/* Bytes of input for each of answers that are moved. */
#define MOVED_SHARE 100

#define EACH_TENSOR(DO) DO(in) DO(mask) DO(index) DO(value) DO(max_index) DO(max_value)

/* Walk a dim from its other end. */
static layout_dim turned(layout_dim d, layout *out) {
#define TURN(tensor)                                                                                                   \
    out->tensor##_offset += (int64_t)(d.size - 1) * d.tensor;                                                          \
    d.tensor = -d.tensor;
    EACH_TENSOR(TURN)
    return d;
}

/* Falling input strides; where they are equal (broadcasts), falling index strides. */
static bool lies_outside(const layout_dim *a, const layout_dim *b) {
    if (a->in != b->in)
        return a->in > b->in;
    return magnitude(a->index) > magnitude(b->index);
}

static void insert_sorted(layout_dim *dims, uint32_t count, layout_dim d) {
    uint32_t at = count;
    while (at > 0 && lies_outside(&d, &dims[at - 1])) {
        dims[at] = dims[at - 1];
        --at;
    }
    dims[at] = d;
}

/* Sizes and strides are below 2^63 and every addressed range fits (check.c), but this product may not: it is compared
 * by division. */
bool continues(int64_t outer, int64_t inner, uint64_t inner_size) {
    if (inner == 0)
        return outer == 0;
    return outer % inner == 0 && outer / inner >= 0 && (uint64_t)(outer / inner) == inner_size;
}

/* Merge neighbours that walk as one dimension in every tensor. */
static uint32_t merge_neighbours(layout_dim *dims, uint32_t count) {
    uint32_t merged = 0;
    for (uint32_t i = 1; i < count; ++i) {
        layout_dim *outer = &dims[merged];
        const layout_dim *inner = &dims[i];
#define CONTINUES(tensor) continues(outer->tensor, inner->tensor, inner->size) &&
        if (EACH_TENSOR(CONTINUES) true) {
            const uint64_t size = outer->size * inner->size;
            *outer = *inner;
            outer->size = size;
        } else {
            dims[++merged] = *inner;
        }
    }
    return count ? merged + 1 : 0;
}

/* A reduction that memory has backwards on every dim is one that it has forwards, whose index counts from the other
 * end: first and last change places. */
static void turn_reduction(layout *out) {
    bool backward = false;
    for (uint32_t i = 0; i < out->reduced_count; ++i) {
        if (out->reduced[i].in > 0)
            return;
        backward |= out->reduced[i].in < 0;
    }
    for (uint32_t i = 0; backward && i < out->reduced_count; ++i)
        out->reduced[i] = turned(out->reduced[i], out);
    out->reversed = backward;
}

/* Of elements that are the same a reduction needs one: the first or the last, as of any equals. The longest dim whose
 * input and mask stand still is left out, and comes back in what is told of an index. With a mask and both extrema
 * arguments have no room for it: 1024 bytes are the least that devices take. */
static void leave_out_repeats(const problem *p, layout *out) {
    uint32_t longest = out->reduced_count;
    if (is_masked(p) && wants_both(p))
        return;
    for (uint32_t i = 0; i < out->reduced_count; ++i)
        if (out->reduced[i].in == 0 && out->reduced[i].mask == 0 &&
            (longest == out->reduced_count || out->reduced[i].size > out->reduced[longest].size))
            longest = i;
    if (longest == out->reduced_count)
        return;
    const uint64_t size = out->reduced[longest].size;
    uint64_t every = 1;
    for (uint32_t i = longest + 1; i < out->reduced_count; ++i) {
        every *= out->reduced[i].size;
        out->reduced[i - 1] = out->reduced[i];
    }
    out->repeated.every = every;
    out->repeated.added = every * (size - 1);
    out->reduction /= size;
    out->reduced_count = merge_neighbours(out->reduced, out->reduced_count - 1);
}

static int64_t stride_of(const tensor_view *view, uint32_t axis) {
    return view->type ? view->stride[axis] : 0;
}

/* Answers are computed side by side, in the order of the kept dims, so that more of these merge. */
static void store_side_by_side(const problem *p, layout *out) {
    int64_t *const offsets[OUTPUT_TENSORS] = {&out->index_offset, &out->value_offset, &out->max_index_offset,
                                              &out->max_value_offset};
    int64_t stride = 1;
    memcpy(out->stored, out->kept, sizeof out->stored);
    out->stored_count = out->kept_count;
    for (uint32_t i = 0; i < OUTPUT_TENSORS; ++i) {
        out->stored_offset[i] = *offsets[i];
        *offsets[i] = 0;
    }
    for (uint32_t i = out->kept_count; i-- > 0;) {
        out->kept[i].index = stride;
        out->kept[i].value = p->value.type ? stride : 0;
        out->kept[i].max_index = p->max_index.type ? stride : 0;
        out->kept[i].max_value = p->max_value.type ? stride : 0;
        stride *= (int64_t)out->kept[i].size;
    }
    out->kept_count = merge_neighbours(out->kept, out->kept_count);
}

/* Whether more outputs would be neighbours if their answers lay in the order of the input: worth another launch where
 * they are less than half a line of much input, whose answers are little beside it. */
static bool are_moved(const problem *p, const tuning_row *tuning, const layout *out) {
    const layout_dim *const near = &out->kept[out->kept_count - 1];
    const uint64_t element = p->input.type->bits / 8, bytes = out->reduction * element;
    if (tuning->group == 1 || !tuning->moved_bytes || out->kept_count == 1 || near->in != 1 ||
        near->size * element * 2 >= tuning->line_bytes || bytes / MOVED_SHARE < answer_bytes(p, false) ||
        bytes < tuning->moved_bytes / out->outputs)
        return false;
    return continues(near[-1].in, near->in, near->size) && continues(near[-1].mask, near->mask, near->size);
}

/* Whether an output is rather copied than computed again: not where its elements are no more bytes than its index, but
 * for so many outputs that all is storing them. */
static bool are_copied(const problem *p, uint64_t copied_bytes, const layout_dim *d) {
    const uint32_t bytes = p->index.type->bits / 8;
    const bool much = p->reduction > p->index.type->bits / p->input.type->bits || p->outputs >= copied_bytes / bytes;
    return d->in == 0 && d->mask == 0 && much;
}

/* The largest divisor of n in the upper half of 1..most, of which loads may be whole vectors if there is one; or 1. */
static uint64_t divisor_of(uint64_t n, uint64_t most) {
    uint64_t any = 1;
    for (uint64_t d = most; d >= most / 2; --d)
        if (n % d == 0) {
            if (d % 4 == 0)
                return d;
            any = any > 1 ? any : d;
        }
    return any;
}

static layout_dim every(layout_dim d, uint64_t step) {
#define FARTHER(tensor) d.tensor *= (int64_t)step;
    EACH_TENSOR(FARTHER)
    d.size /= step;
    return d;
}

/* Neighbours in the input whose answers are apart, while others' answers are neighbours: either the input would be read
 * or answers be stored element by element. So some outputs along the input come in turn with those others, and lines of
 * both are complete while caches hold them: by a dim of their own, where answers are lines apart and there is a number
 * that divides, else by the kernel (families/few_rows.c), which takes work-items side by side. */
static void take_both_orders(const problem *p, const tuning_row *tuning, layout *out) {
    const uint32_t count = out->kept_count, last = count - 1;
    const uint64_t element = p->input.type->bits / 8, answer = p->index.type->bits / 8;
    uint32_t near = 0;
    if (count < 2 || count == MAX_RANK || out->reduction * element > tuning->scattered_bytes)
        return;
    for (uint32_t i = 1; i < count; ++i)
        if (magnitude(out->kept[i].index) < magnitude(out->kept[near].index))
            near = i;
    const layout_dim walked = out->kept[last], other = out->kept[near];
    if (near == last || magnitude(other.index) * answer * 2 > tuning->line_bytes ||
        walked.size <= tuning->scattered_outputs)
        return;
    const bool are_lines = magnitude(walked.index) * answer >= tuning->line_bytes;
    const uint64_t some = are_lines ? divisor_of(walked.size, tuning->scattered_outputs) : 1;
    if (some == 1 && tuning->group == 1)
        return;
    memmove(&out->kept[near], &out->kept[near + 1], (last - near) * sizeof walked);
    if (some == 1) {
        out->kept[last - 1] = other;
        out->kept[last] = walked;
        out->both_orders = true;
        return;
    }
    out->kept[last - 1] = every(walked, some);
    out->kept[last] = other;
    out->kept[last + 1] = walked;
    out->kept[last + 1].size = some;
    ++out->kept_count;
}

void layout_collapse(const problem *p, const tuning_row *tuning, layout *out) {
    memset(out, 0, sizeof *out);
    out->in_offset = (int64_t)p->input.offset;
    out->index_offset = (int64_t)p->index.offset;
    out->value_offset = (int64_t)p->value.offset;
    out->mask_offset = (int64_t)p->mask.offset;
    out->max_index_offset = (int64_t)p->max_index.offset;
    out->max_value_offset = (int64_t)p->max_value.offset;
    out->outputs = p->outputs;
    out->reduction = p->reduction;
    for (uint32_t i = 0; i < p->rank; ++i) {
        const uint64_t size = p->input.size[i];
        if (size == 1)
            continue;
        layout_dim d = {.size = size, .in = p->input.stride[i], .mask = stride_of(&p->mask, i)};
        if (p->reduced[i]) {
            out->reduced[out->reduced_count++] = d;
        } else {
            d.index = p->index.stride[i];
            d.value = stride_of(&p->value, i);
            d.max_index = stride_of(&p->max_index, i);
            d.max_value = stride_of(&p->max_value, i);
            /* Outputs have no order among themselves. */
            if (are_copied(p, tuning->copied_bytes, &d)) {
                insert_sorted(out->copied, out->copied_count++, d);
                out->outputs /= size;
            } else {
                insert_sorted(out->kept, out->kept_count++, d.in < 0 ? turned(d, out) : d);
            }
        }
    }
    out->kept_count = merge_neighbours(out->kept, out->kept_count);
    out->copied_count = merge_neighbours(out->copied, out->copied_count);
    out->reduced_count = merge_neighbours(out->reduced, out->reduced_count);
    leave_out_repeats(p, out);
    turn_reduction(out);
    const layout_dim single = {.size = 1, .in = 1, .mask = is_masked(p)};
    if (!out->kept_count)
        out->kept[out->kept_count++] = single;
    if (!out->reduced_count)
        out->reduced[out->reduced_count++] = single;
    if (out->copied_count || are_moved(p, tuning, out))
        store_side_by_side(p, out);
    else
        take_both_orders(p, tuning, out);
}
