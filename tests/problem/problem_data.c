/* The data of a problem. Every value comes from an ordinal: the types' values in rising order, numbered so that 0 is
 * zero (the middle of an unsigned type), which makes "best", "worst" and "between" mean the same for all of them. */
#include "problem.h"

#include <stdlib.h>
#include <string.h>

uint64_t problem_load(const problem_dtype *type, const void *array, uint64_t i) {
    switch (type->bits) {
    case 8:
        return ((const uint8_t *)array)[i];
    case 16:
        return ((const uint16_t *)array)[i];
    case 32:
        return ((const uint32_t *)array)[i];
    default:
        return ((const uint64_t *)array)[i];
    }
}

void problem_store(const problem_dtype *type, void *array, uint64_t i, uint64_t bits) {
    switch (type->bits) {
    case 8:
        ((uint8_t *)array)[i] = (uint8_t)bits;
        break;
    case 16:
        ((uint16_t *)array)[i] = (uint16_t)bits;
        break;
    case 32:
        ((uint32_t *)array)[i] = (uint32_t)bits;
        break;
    default:
        ((uint64_t *)array)[i] = bits;
    }
}

uint64_t problem_mix(uint64_t x) {
    x += 0x9E3779B97F4A7C15u; /* splitmix64 */
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* ---- Bit patterns --------------------------------------------------------------------------------------------- */

static uint64_t sign_bit(const problem_dtype *t) {
    return (uint64_t)1 << (t->bits - 1);
}

static uint64_t infinity(const problem_dtype *t) {
    return sign_bit(t) - ((uint64_t)1 << t->mantissa_bits);
}

static int64_t lowest_ordinal(const problem_dtype *t) {
    return t->mantissa_bits ? -(int64_t)infinity(t) : (int64_t)(0 - sign_bit(t));
}

static int64_t highest_ordinal(const problem_dtype *t) {
    return t->mantissa_bits ? (int64_t)infinity(t) : (int64_t)(sign_bit(t) - 1);
}

static uint64_t from_ordinal(const problem_dtype *t, int64_t ordinal) {
    if (t->mantissa_bits)
        return ordinal < 0 ? sign_bit(t) | (uint64_t)-ordinal : (uint64_t)ordinal;
    return (uint64_t)ordinal ^ (t->is_signed ? 0 : sign_bit(t));
}

/* Any sign and payload, quiet or signalling; the canonical ones and the smallest payloads often. */
static uint64_t some_nan(const problem_dtype *t, uint64_t random) {
    const uint64_t payloads = ((uint64_t)1 << t->mantissa_bits) - 1, quiet = (payloads >> 1) + 1;
    const uint64_t sign = random & 1 ? sign_bit(t) : 0;
    const uint64_t choice[4] = {quiet, 1, payloads, 1 + (random >> 3) % payloads};
    return sign | infinity(t) | choice[(random >> 1) & 3];
}

static uint64_t finite(const problem_dtype *t, uint64_t random) {
    if (t->mantissa_bits && (random & infinity(t)) == infinity(t))
        random ^= (uint64_t)1 << t->mantissa_bits;
    return random;
}

static uint64_t special(const problem_dtype *t, uint64_t random) {
    const int64_t normal = (int64_t)1 << t->mantissa_bits;
    const int64_t low = lowest_ordinal(t), high = highest_ordinal(t);
    const int64_t ordinals[] = {0,       0,          1,          -1,  2,    -2,      normal,
                                -normal, normal - 1, 1 - normal, low, high, low + 1, high - 1};
    const uint64_t count = sizeof ordinals / sizeof ordinals[0], choice = random % (count + 4);
    random = problem_mix(random);
    if (t->mantissa_bits && choice == 0)
        return sign_bit(t); /* -0 */
    if (t->mantissa_bits && choice >= count + 2)
        return some_nan(t, random);
    return from_ordinal(t, ordinals[choice % count]);
}

static uint64_t best(const problem_line *p, const problem_dtype *t, bool finite_only) {
    const int64_t step = finite_only ? 1 : 0;
    return from_ordinal(t, p->op == ARGMAX_CL_ARGMAX ? highest_ordinal(t) - step : lowest_ordinal(t) + step);
}

static uint64_t worst(const problem_line *p, const problem_dtype *t) {
    return from_ordinal(t, p->op == ARGMAX_CL_ARGMAX ? lowest_ordinal(t) : highest_ordinal(t));
}

uint64_t problem_poison(const problem_line *p) {
    const problem_dtype *const t = problem_dtype_find(p->dtype);
    return t->mantissa_bits && p->nan_mode == ARGMAX_CL_NAN_PROPAGATE ? some_nan(t, 0) : best(p, t, false);
}

/* ---- Elements by place in the buffer -------------------------------------------------------------------------- */

/* Element i of n, from the lowest finite value to the highest without ever falling. */
static uint64_t slope(const problem_dtype *t, uint64_t i, uint64_t n) {
    const uint64_t range = (uint64_t)highest_ordinal(t) - (uint64_t)lowest_ordinal(t) - 1;
    const uint64_t rise = n <= range ? i * (range / n) : i / (n / range + 1);
    return from_ordinal(t, (int64_t)((uint64_t)lowest_ordinal(t) + 1 + rise));
}

/* An ordinal with four finite ones above it and one below. */
static int64_t close_base(const problem_line *p, const problem_dtype *t) {
    const uint64_t range = (uint64_t)highest_ordinal(t) - (uint64_t)lowest_ordinal(t) - 6;
    return (int64_t)((uint64_t)lowest_ordinal(t) + 2 + problem_mix(p->seed) % range);
}

/* Four neighbouring values, and with every other seed one element that is better than all by one step. */
static uint64_t close_element(const problem_line *p, const problem_dtype *t, uint64_t i, uint64_t n, uint64_t random) {
    const bool alone = p->seed % 2 == 1 && i == problem_mix(p->seed + 1) % n;
    const int64_t best_step = p->op == ARGMAX_CL_ARGMAX ? 4 : -1;
    return from_ordinal(t, close_base(p, t) + (alone ? best_step : (int64_t)(random % 4)));
}

static uint64_t element(const problem_line *p, const problem_dtype *t, uint64_t i, uint64_t n) {
    const bool is_float = t->mantissa_bits != 0;
    const uint64_t random = problem_mix(i ^ problem_mix(p->seed));
    switch (p->data) {
    case DATA_TIES:
    case DATA_PEAK:
    case DATA_PAIR:
    case DATA_FAR:
        return from_ordinal(t, ((int64_t)(random % 5) - 2) * (highest_ordinal(t) / 4));
    case DATA_CONSTANT:
        return finite(t, problem_mix(p->seed));
    case DATA_CLOSE:
        return close_element(p, t, i, n, random);
    case DATA_INCREASING:
        return slope(t, i, n);
    case DATA_DECREASING:
        return slope(t, n - 1 - i, n);
    case DATA_NAN:
        return is_float && random % 8 == 0 ? some_nan(t, random >> 3) : finite(t, random);
    case DATA_ALLNAN:
    case DATA_NUMBER:
        return is_float ? some_nan(t, random) : finite(t, random);
    case DATA_SPECIAL:
        return special(t, random);
    case DATA_BITS:
        return random;
    case DATA_ZEROS:
        return is_float && random & 1 ? sign_bit(t) : 0;
    case DATA_WORST:
        return worst(p, t);
    case DATA_BEST:
        return best(p, t, false);
    default:
        return finite(t, random);
    }
}

/* ---- Elements by position in the tensor ----------------------------------------------------------------------- */

/* Step through positions in row-major order, keeping the element's address; false after the last one. */
static bool advance(uint32_t rank, const uint64_t *sizes, const int64_t *strides, uint64_t *position,
                    int64_t *address) {
    for (uint32_t d = rank; d-- > 0;) {
        *address += strides[d];
        if (++position[d] < sizes[d])
            return true;
        *address -= (int64_t)position[d] * strides[d];
        position[d] = 0;
    }
    return false;
}

/* Distance of an index on the reduced axes from index 0, in elements. */
static int64_t reduced_distance(const problem_line *p, uint64_t index) {
    int64_t distance = 0;
    for (uint32_t d = p->rank; d-- > 0;)
        if (problem_axis_reduced(p, d)) {
            distance += (int64_t)(index % p->size[d]) * p->input.stride[d];
            index /= p->size[d];
        }
    return distance;
}

/* Put `bits` at every reduction's place, or `shift` indices after it. */
static void plant(const problem_line *p, const problem_dtype *t, void *elements, uint64_t shift, uint64_t bits) {
    const uint64_t reduction = problem_reduction_count(p);
    uint64_t kept[PROBLEM_MAX_RANK], position[PROBLEM_MAX_RANK] = {0}, place = (p->seed + shift) % reduction;
    int64_t address = (int64_t)p->input.offset;
    problem_output_sizes(p, kept);
    do {
        problem_store(t, elements, (uint64_t)(address + reduced_distance(p, place)), bits);
        place = (place + 1) % reduction;
    } while (advance(p->rank, kept, p->input.stride, position, &address));
}

static void plant_all(const problem_line *p, const problem_dtype *t, void *elements) {
    const bool is_float = t->mantissa_bits != 0;
    if (p->data == DATA_PEAK || p->data == DATA_PAIR || p->data == DATA_FAR)
        plant(p, t, elements, 0, best(p, t, true));
    if (p->data == DATA_FAR)
        plant(p, t, elements, problem_reduction_count(p) / 2, best(p, t, true));
    if (p->data == DATA_PAIR)
        plant(p, t, elements, 1, best(p, t, true));
    if (is_float && (p->data == DATA_NANPEAK || p->data == DATA_NANPAIR))
        plant(p, t, elements, 0, some_nan(t, problem_mix(p->seed)));
    if (is_float && p->data == DATA_NANPAIR)
        plant(p, t, elements, 1, some_nan(t, problem_mix(p->seed + 1)));
    if (is_float && p->data == DATA_NUMBER)
        plant(p, t, elements, 0, worst(p, t));
}

static void poison_gaps(const problem_line *p, const problem_dtype *t, void *elements, uint64_t extent) {
    unsigned char *const addressed = calloc(extent ? (size_t)extent : 1, 1);
    if (!addressed)
        return;
    uint64_t position[PROBLEM_MAX_RANK] = {0};
    int64_t address = (int64_t)p->input.offset;
    do
        addressed[address] = 1;
    while (advance(p->rank, p->size, p->input.stride, position, &address));
    for (uint64_t i = 0; i < extent; i++)
        if (!addressed[i])
            problem_store(t, elements, i, problem_poison(p));
    free(addressed);
}

void problem_fill(const problem_line *p, void *elements) {
    const problem_dtype *const t = problem_dtype_find(p->dtype);
    const uint64_t extent = problem_input_extent(p), count = problem_input_count(p);
    for (uint64_t i = 0; i < extent; i++)
        problem_store(t, elements, i, element(p, t, i, extent));
    if (count == 0)
        return;
    plant_all(p, t, elements);
    if ((p->input.has_strides || p->input.has_offset) && count <= (uint64_t)1 << 24)
        poison_gaps(p, t, elements, extent);
}

/* What counts has any value but 0. */
void problem_fill_mask(const problem_line *p, uint8_t *elements) {
    const uint64_t extent = problem_mask_extent(p), salt = problem_mix(p->seed + 0x6D61736B);
    for (uint64_t i = 0; i < extent; i++) {
        const uint64_t random = problem_mix(i ^ salt);
        const bool counts[MASK_DATA_COUNT] = {
            [MASK_HALF] = random % 2, [MASK_FEW] = random % 16 == 0, [MASK_MOST] = random % 16 != 0, [MASK_ALL] = true};
        elements[i] = counts[p->mask_of] ? (uint8_t)(1 + (random >> 32) % 255) : 0;
    }
}
