#include "relation.h"

#include <stdlib.h>
#include <string.h>

uint64_t relation_address(const problem_line *p, const problem_tensor *output, uint64_t i) {
    uint64_t sizes[PROBLEM_MAX_RANK], element = output->offset;
    problem_output_sizes(p, sizes);
    for (uint32_t d = p->rank; d-- > 0; i /= sizes[d])
        element += i % sizes[d] * (uint64_t)output->stride[d];
    return element;
}

/* ---- Axes ----------------------------------------------------------------------------------------------------- */

static problem_tensor *tensor_of(problem_line *p, size_t i) {
    return (problem_tensor *[]){&p->input, &p->index, &p->value}[i];
}

static void swap_axes(problem_line *p, uint32_t d, uint32_t e) {
    const uint64_t size = p->size[d];
    p->size[d] = p->size[e];
    p->size[e] = size;
    for (size_t i = 0; i < 3; i++) {
        problem_tensor *const t = tensor_of(p, i);
        const int64_t stride = t->stride[d];
        t->stride[d] = t->stride[e];
        t->stride[e] = stride;
    }
}

/* Room for an axis at d, of size 1; the ones from there on move up. */
static bool insert_axis(problem_line *p, uint32_t d, bool reduced) {
    if (p->rank == PROBLEM_MAX_RANK)
        return false;
    for (uint32_t i = 0; i < p->axis_count; i++)
        p->axes[i] += p->axes[i] >= d;
    p->size[p->rank++] = 1;
    for (size_t i = 0; i < 3; i++)
        tensor_of(p, i)->stride[p->rank - 1] = 0;
    for (uint32_t e = p->rank - 1; e > d; e--)
        swap_axes(p, e, e - 1);
    if (reduced)
        p->axes[p->axis_count++] = d;
    return true;
}

static void remove_axis(problem_line *p, uint32_t d) {
    uint32_t left = 0;
    for (uint32_t e = d; e + 1 < p->rank; e++)
        swap_axes(p, e, e + 1);
    for (uint32_t i = 0; i < p->axis_count; i++)
        if (p->axes[i] != d)
            p->axes[left++] = p->axes[i] - (p->axes[i] > d);
    p->axis_count = left;
    p->rank--;
}

static uint32_t random_axis(random_source *s, const problem_line *p) {
    return (uint32_t)random_below(s, p->rank);
}

/* ---- What follows --------------------------------------------------------------------------------------------- */

static bool same_answer(const relation_side *a, uint64_t i, const relation_side *b, uint64_t j, uint64_t reduction) {
    (void)reduction;
    return a->index[i] == b->index[j] && a->value[i] == b->value[j];
}

/* All bits of the index type set. */
static bool no_winner(const relation_side *a, uint64_t i) {
    return a->index[i] == UINT64_MAX >> (64 - problem_dtype_find(a->p.index_type)->bits);
}

static bool mirrored(const relation_side *a, uint64_t i, const relation_side *b, uint64_t j, uint64_t reduction) {
    const uint64_t expected = no_winner(a, i) ? a->index[i] : reduction - 1 - a->index[i];
    return b->index[j] == expected && a->value[i] == b->value[j];
}

static bool second_copy(const relation_side *a, uint64_t i, const relation_side *b, uint64_t j, uint64_t reduction) {
    const bool last = a->p.direction == ARGMAX_CL_DECREASING && !no_winner(a, i);
    return b->index[j] == a->index[i] + (last ? reduction : 0) && a->value[i] == b->value[j];
}

/* ---- Relations of shape --------------------------------------------------------------------------------------- */

static bool permute_kept(random_source *s, relation_side *a, relation_side *b) {
    const uint32_t d = random_axis(s, &a->p), e = random_axis(s, &a->p);
    if (d == e || problem_axis_reduced(&a->p, d) || problem_axis_reduced(&a->p, e))
        return false;
    swap_axes(&b->p, d, e);
    return true;
}

static bool list_axes_otherwise(random_source *s, relation_side *a, relation_side *b) {
    random_shuffle(s, b->p.axis_count, b->p.axes);
    return a->p.axis_count > 1;
}

static bool split_axis(random_source *s, relation_side *a, relation_side *b) {
    const uint32_t d = random_axis(s, &a->p);
    const uint64_t inner = 2 + random_below(s, 16);
    if (a->p.size[d] % inner != 0 || !insert_axis(&b->p, d, problem_axis_reduced(&a->p, d)))
        return false;
    b->p.size[d] = a->p.size[d] / inner;
    b->p.size[d + 1] = inner;
    for (size_t i = 0; i < 3; i++)
        tensor_of(&b->p, i)->stride[d] = (int64_t)inner * tensor_of(&b->p, i)->stride[d + 1];
    return true;
}

static bool merge_axes(random_source *s, relation_side *a, relation_side *b) {
    const uint32_t d = random_axis(s, &a->p);
    if (d + 1 == a->p.rank || problem_axis_reduced(&a->p, d) != problem_axis_reduced(&a->p, d + 1))
        return false;
    for (size_t i = 0; i < 3; i++) {
        const problem_tensor *const t = tensor_of(&a->p, i);
        if ((i == 0 || !problem_axis_reduced(&a->p, d)) && t->stride[d] != (int64_t)a->p.size[d + 1] * t->stride[d + 1])
            return false;
    }
    b->p.size[d + 1] *= a->p.size[d];
    remove_axis(&b->p, d);
    return true;
}

/* Walk the reduced axes from their other ends. */
static bool reverse(random_source *s, relation_side *a, relation_side *b) {
    (void)s;
    for (uint32_t d = 0; d < a->p.rank; d++)
        if (problem_axis_reduced(&a->p, d)) {
            b->p.input.offset += (a->p.size[d] - 1) * (uint64_t)a->p.input.stride[d];
            b->p.input.stride[d] = -a->p.input.stride[d];
        }
    b->p.direction = a->p.direction == ARGMAX_CL_INCREASING ? ARGMAX_CL_DECREASING : ARGMAX_CL_INCREASING;
    return true;
}

/* Everything twice, one after the other. */
static bool duplicate(random_source *s, relation_side *a, relation_side *b) {
    (void)s;
    (void)a;
    if (!insert_axis(&b->p, 0, true))
        return false;
    b->p.size[0] = 2;
    return true;
}

/* Fewer outputs: each is as it was among more. */
static bool keep_some(random_source *s, relation_side *a, relation_side *b) {
    const uint32_t d = random_axis(s, &a->p);
    if (problem_axis_reduced(&a->p, d) || a->p.size[d] < 2)
        return false;
    b->p.size[d] = 1 + random_below(s, a->p.size[d] - 1);
    return true;
}

static uint64_t same_place(const relation_side *a, const relation_side *b, uint64_t j) {
    uint64_t sizes[PROBLEM_MAX_RANK], larger[PROBLEM_MAX_RANK], i = 0, weight = 1;
    problem_output_sizes(&a->p, larger);
    problem_output_sizes(&b->p, sizes);
    for (uint32_t d = a->p.rank; d-- > 0; j /= sizes[d]) {
        i += j % sizes[d] * weight;
        weight *= larger[d];
    }
    return i;
}

/* ---- Relations of values -------------------------------------------------------------------------------------- */

static uint64_t mask_of(const problem_dtype *t) {
    return UINT64_MAX >> (64 - t->bits);
}

/* The value with the opposite place in the order. */
static uint64_t opposite(const problem_dtype *t, uint64_t bits) {
    return t->mantissa_bits ? bits ^ (uint64_t)1 << (t->bits - 1) : ~bits & mask_of(t);
}

static bool negate(random_source *s, relation_side *a, relation_side *b) {
    const problem_dtype *const t = problem_dtype_find(a->p.dtype);
    const uint64_t extent = problem_input_extent(&a->p);
    (void)s;
    for (uint64_t i = 0; i < extent; i++)
        problem_store(t, b->input, i, opposite(t, problem_load(t, a->input, i)));
    b->p.op = a->p.op == ARGMAX_CL_ARGMAX ? ARGMAX_CL_ARGMIN : ARGMAX_CL_ARGMAX;
    return true;
}

static bool negated(const relation_side *a, uint64_t i, const relation_side *b, uint64_t j, uint64_t reduction) {
    const uint64_t value = a->value[i];
    (void)reduction;
    return a->index[i] == b->index[j] &&
           b->value[j] ==
               (no_winner(a, i) || !a->p.has_value ? value : opposite(problem_dtype_find(a->p.dtype), value));
}

/* A whole number of magnitude 255 at most, which every type but the 8-bit ones holds exactly. */
static uint64_t whole(const problem_dtype *t, int64_t number) {
    if (!t->mantissa_bits)
        return (uint64_t)number & mask_of(t);
    const uint64_t sign = number < 0 ? (uint64_t)1 << (t->bits - 1) : 0;
    uint64_t magnitude = (uint64_t)(number < 0 ? -number : number), exponent = 0;
    if (magnitude == 0)
        return 0;
    while (magnitude >> exponent > 1)
        exponent++;
    const uint64_t bias = ((uint64_t)1 << (t->bits - t->mantissa_bits - 2)) - 1;
    return sign | (bias + exponent) << t->mantissa_bits |
           (magnitude ^ (uint64_t)1 << exponent) << (t->mantissa_bits - exponent);
}

#define SHIFT 51 /* odd, so that bits of every weight change */

/* Whole numbers, and the same SHIFT higher: within the 8-bit types, signed or not. */
static bool shift(random_source *s, relation_side *a, relation_side *b) {
    const problem_dtype *const t = problem_dtype_find(a->p.dtype);
    const uint64_t extent = problem_input_extent(&a->p);
    for (uint64_t i = 0; i < extent; i++) {
        const int64_t number = (int64_t)random_below(s, 70) - (t->is_signed ? 35 : 0);
        problem_store(t, a->input, i, whole(t, number));
        problem_store(t, b->input, i, whole(t, number + SHIFT));
    }
    return true;
}

static bool shifted(const relation_side *a, uint64_t i, const relation_side *b, uint64_t j, uint64_t reduction) {
    const problem_dtype *const t = problem_dtype_find(a->p.dtype);
    (void)reduction;
    if (a->index[i] != b->index[j] || !a->p.has_value)
        return a->index[i] == b->index[j];
    for (int64_t number = -35; number < 70; number++)
        if (whole(t, number) == a->value[i] && whole(t, number + SHIFT) == b->value[j])
            return true;
    return false;
}

/* ---- Relations of types --------------------------------------------------------------------------------------- */

/* A type that holds every value of `t`. */
static argmax_cl_dtype wider(argmax_cl_dtype t) {
    switch (t) {
    case ARGMAX_CL_FLOAT16:
    case ARGMAX_CL_BFLOAT16:
        return ARGMAX_CL_FLOAT32;
    case ARGMAX_CL_FLOAT32:
        return ARGMAX_CL_FLOAT64;
    case ARGMAX_CL_INT8:
    case ARGMAX_CL_UINT8:
        return ARGMAX_CL_INT16;
    case ARGMAX_CL_INT16:
    case ARGMAX_CL_UINT16:
        return ARGMAX_CL_INT32;
    case ARGMAX_CL_INT32:
    case ARGMAX_CL_UINT32:
        return ARGMAX_CL_INT64;
    default:
        return t;
    }
}

static uint64_t widen_float(const problem_dtype *from, const problem_dtype *to, uint64_t bits) {
    const uint32_t exponent_bits = from->bits - 1 - from->mantissa_bits, wide_bits = to->bits - 1 - to->mantissa_bits;
    const uint64_t sign = bits >> (from->bits - 1) << (to->bits - 1);
    const uint64_t most = ((uint64_t)1 << exponent_bits) - 1;
    uint64_t mantissa = bits & (((uint64_t)1 << from->mantissa_bits) - 1);
    uint64_t exponent = bits >> from->mantissa_bits & most;
    const uint64_t bias = ((uint64_t)1 << (wide_bits - 1)) - ((uint64_t)1 << (exponent_bits - 1));
    const uint32_t up = to->mantissa_bits - from->mantissa_bits;
    if (exponent == most)
        return sign | (((uint64_t)1 << wide_bits) - 1) << to->mantissa_bits | mantissa << up;
    if (exponent == 0 && bias == 0)
        return sign | mantissa << up;
    if (exponent == 0 && mantissa == 0)
        return sign;
    if (exponent == 0) { /* a subnormal becomes a normal one */
        for (exponent = 1; !(mantissa >> from->mantissa_bits & 1); mantissa <<= 1)
            exponent--;
        mantissa &= ((uint64_t)1 << from->mantissa_bits) - 1;
    }
    return sign | (exponent + bias) << to->mantissa_bits | mantissa << up;
}

static uint64_t widen_bits(argmax_cl_dtype dtype, uint64_t bits) {
    const problem_dtype *const from = problem_dtype_find(dtype), *const to = problem_dtype_find(wider(dtype));
    if (from->mantissa_bits)
        return widen_float(from, to, bits);
    const bool negative = from->is_signed && bits >> (from->bits - 1) & 1;
    return (negative ? bits | ~mask_of(from) : bits) & mask_of(to);
}

static bool widen(random_source *s, relation_side *a, relation_side *b) {
    const problem_dtype *const from = problem_dtype_find(a->p.dtype), *const to = problem_dtype_find(wider(a->p.dtype));
    const uint64_t extent = problem_input_extent(&a->p);
    void *const wide = from == to ? NULL : malloc((size_t)extent * to->bits / 8);
    (void)s;
    if (!wide)
        return false;
    for (uint64_t i = 0; i < extent; i++)
        problem_store(to, wide, i, widen_bits(a->p.dtype, problem_load(from, a->input, i)));
    free(b->input);
    b->input = wide;
    b->p.dtype = to->dtype;
    return true;
}

static bool widened(const relation_side *a, uint64_t i, const relation_side *b, uint64_t j, uint64_t reduction) {
    (void)reduction;
    return a->index[i] == b->index[j] && (!a->p.has_value || b->value[j] == widen_bits(a->p.dtype, a->value[i]));
}

/* ---- Relations of the way ------------------------------------------------------------------------------------- */

static bool run_otherwise(random_source *s, relation_side *a, relation_side *b) {
    random_way(s, &b->p);
    b->p.fields[0] = b->p.strategy[0] = 0;
    memcpy(b->p.tuning, strcmp(a->p.tuning, "gpu") == 0 ? "cpu" : "gpu", sizeof "cpu");
    return true;
}

const relation relations[] = {
    {"kept axes permuted", permute_kept, same_answer, NULL},
    {"axes listed in another order", list_axes_otherwise, same_answer, NULL},
    {"an axis split in two", split_axis, same_answer, NULL},
    {"two axes merged", merge_axes, same_answer, NULL},
    {"reversed, FIRST and LAST swapped", reverse, mirrored, NULL},
    {"duplicated", duplicate, second_copy, NULL},
    {"fewer outputs", keep_some, same_answer, same_place},
    {"argmin of the negation", negate, negated, NULL},
    {"a constant added", shift, shifted, NULL},
    {"a wider type", widen, widened, NULL},
    {"another tuning row and route", run_otherwise, same_answer, NULL},
};
const uint32_t relation_count = sizeof relations / sizeof relations[0];
