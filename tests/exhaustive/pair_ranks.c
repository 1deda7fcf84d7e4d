#include "pair_ranks.h"

#include <math.h>
#include <stdlib.h>

/* ---- What bits mean ------------------------------------------------------------------------------------------- */

static double float_value(const problem_dtype *t, uint32_t bits) {
    const int exponent_bits = (int)(t->bits - 1 - t->mantissa_bits);
    const uint32_t mantissa = bits & ((1u << t->mantissa_bits) - 1);
    const int exponent = (int)(bits >> t->mantissa_bits) & ((1 << exponent_bits) - 1);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const double sign = bits >> (t->bits - 1) ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1)
        return mantissa ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(mantissa, 1 - bias - (int)t->mantissa_bits);
    return sign * ldexp(1.0 + ldexp(mantissa, -(int)t->mantissa_bits), exponent - bias);
}

static double value_of(const problem_dtype *t, uint32_t bits) {
    if (t->mantissa_bits)
        return float_value(t, bits);
    const double weight_of_sign = ldexp(1, (int)t->bits - 1);
    return t->is_signed && bits >> (t->bits - 1) ? bits - 2 * weight_of_sign : bits;
}

static int by_value(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void pair_ranks_fill(const problem_dtype *type, argmax_cl_operator op, argmax_cl_nan_mode nan_mode, pair_ranks *out) {
    static double sorted[PAIR_VALUES];
    const uint32_t values = 1u << type->bits;
    size_t numbers = 0, distinct = 0;
    for (uint32_t bits = 0; bits < values; bits++)
        if (!isnan(value_of(type, bits)))
            sorted[numbers++] = value_of(type, bits);
    qsort(sorted, numbers, sizeof sorted[0], by_value);
    for (size_t i = 0; i < numbers; i++)
        if (i == 0 || sorted[i] != sorted[i - 1]) /* -0 == 0 */
            sorted[distinct++] = sorted[i];
    out->worst = 0;
    for (uint32_t bits = 0; bits < values; bits++) {
        const double value = value_of(type, bits);
        /* Integers have 2^16 values at most, so that ranks start at 0 for them, as no rank of theirs means "none". */
        const size_t lowest = type->mantissa_bits ? 1 : 0;
        size_t rank = nan_mode == ARGMAX_CL_NAN_IGNORE ? 0 : distinct + lowest;
        if (!isnan(value)) {
            const double *const found = bsearch(&value, sorted, distinct, sizeof value, by_value);
            const size_t place = (size_t)(found - sorted);
            rank = lowest + (op == ARGMAX_CL_ARGMAX ? place : distinct - 1 - place);
        }
        out->rank[bits] = (uint16_t)rank;
        if (rank <= out->rank[out->worst])
            out->worst = (uint16_t)bits;
    }
}

/* ---- A sample of pairs ---------------------------------------------------------------------------------------- */

#define SPECIALS_MAX 24

/* The ones that matter most come first. */
static uint32_t special_values(const problem_dtype *t, uint32_t out[SPECIALS_MAX]) {
    const uint32_t sign = 1u << (t->bits - 1), normal = 1u << t->mantissa_bits, infinity = sign - normal;
    const uint32_t of_float[] = {
        0, infinity + normal / 2, infinity, 1, normal, infinity + 1, infinity - 1, normal - 1, sign - 1,
        2, infinity / 2};
    const uint32_t of_integer[] = {0, 1, sign - 1, sign - 2, sign / 2, 255, 256, 127, 128, 0x5555, 0x7F00};
    const uint32_t *const from = t->mantissa_bits ? of_float : of_integer;
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof of_float / sizeof of_float[0]; i++) {
        out[count++] = from[i];
        out[count++] = from[i] | sign;
    }
    return count;
}

typedef struct pair_list {
    uint32_t *pairs;
    size_t count;
} pair_list;

static void add(pair_list *list, uint32_t a, uint32_t b) {
    list->pairs[list->count++] = (a & 0xFFFF) << 16 | (b & 0xFFFF);
}

static void mix(uint32_t *pairs, size_t count) {
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)(problem_mix(i) % i);
        const uint32_t held = pairs[i - 1];
        pairs[i - 1] = pairs[j];
        pairs[j] = held;
    }
}

uint32_t *pair_sample(const problem_dtype *type, uint64_t specials, uint64_t stride, size_t *count) {
    uint32_t special[SPECIALS_MAX];
    const uint32_t known = special_values(type, special);
    const size_t room = (size_t)known * known + (size_t)PAIR_VALUES * (4 + 2 * (size_t)known) +
                        (size_t)((UINT64_C(1) << 32) / stride) + 1;
    pair_list list = {malloc(room * sizeof(uint32_t)), 0};
    if (!list.pairs)
        return NULL;
    for (uint32_t i = 0; i < known * known; i++)
        add(&list, special[i / known], special[i % known]);
    const size_t in_order = list.count;
    for (uint32_t a = 0; a < PAIR_VALUES; a++) {
        add(&list, a, a);
        add(&list, a, a ^ 0x8000);
        add(&list, a, a + 1);
        add(&list, a, a - 1);
        for (uint32_t i = 0; i < specials && i < known; i++) {
            add(&list, a, special[i]);
            add(&list, special[i], a);
        }
    }
    for (uint64_t pair = stride / 2; pair < UINT64_C(1) << 32; pair += stride)
        add(&list, (uint32_t)(pair >> 16), (uint32_t)pair);
    mix(list.pairs + in_order, list.count - in_order);
    *count = list.count;
    return list.pairs;
}
