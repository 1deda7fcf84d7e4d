#include "missing.h"

#include <string.h>

bool missing_possible(const missing_rule *rule) {
    return rule->mark_count > 0 || rule->has_low || rule->has_high || rule->all;
}

/* One loop a condition, so that the compiler makes vectors of it. An element that is no NaN equals itself. */
#define MASK_OF(suffix, type)                                                                                          \
    static void mask_##suffix(const missing_rule *rule, const void *data, uint64_t count, uint8_t *mask) {             \
        const type *element = data;                                                                                    \
        type bound;                                                                                                    \
        for (size_t k = 0; k < rule->mark_count; ++k) {                                                                \
            memcpy(&bound, &rule->marks[k], sizeof bound);                                                             \
            if (bound != bound) /* NOLINT(misc-redundant-expression): a NaN */                                         \
                for (uint64_t i = 0; i < count; ++i)                                                                   \
                    mask[i] &= element[i] == element[i]; /* NOLINT(misc-redundant-expression) */                       \
            else                                                                                                       \
                for (uint64_t i = 0; i < count; ++i)                                                                   \
                    mask[i] &= element[i] != bound;                                                                    \
        }                                                                                                              \
        memcpy(&bound, &rule->low, sizeof bound);                                                                      \
        for (uint64_t i = 0; rule->has_low && i < count; ++i)                                                          \
            mask[i] &= !(element[i] < bound);                                                                          \
        memcpy(&bound, &rule->high, sizeof bound);                                                                     \
        for (uint64_t i = 0; rule->has_high && i < count; ++i)                                                         \
            mask[i] &= !(element[i] > bound);                                                                          \
    }

MASK_OF(i8, int8_t)
MASK_OF(i16, int16_t)
MASK_OF(i32, int32_t)
MASK_OF(i64, int64_t)
MASK_OF(u8, uint8_t)
MASK_OF(u16, uint16_t)
MASK_OF(u32, uint32_t)
MASK_OF(u64, uint64_t)
MASK_OF(f32, float)
MASK_OF(f64, double)

static void (*mask_function(argmax_cl_dtype dtype))(const missing_rule *, const void *, uint64_t, uint8_t *) {
    switch (dtype) {
    case ARGMAX_CL_INT8:
        return mask_i8;
    case ARGMAX_CL_INT16:
        return mask_i16;
    case ARGMAX_CL_INT32:
        return mask_i32;
    case ARGMAX_CL_INT64:
        return mask_i64;
    case ARGMAX_CL_UINT8:
        return mask_u8;
    case ARGMAX_CL_UINT16:
        return mask_u16;
    case ARGMAX_CL_UINT32:
        return mask_u32;
    case ARGMAX_CL_UINT64:
        return mask_u64;
    case ARGMAX_CL_FLOAT32:
        return mask_f32;
    case ARGMAX_CL_FLOAT64:
        return mask_f64;
    case ARGMAX_CL_FLOAT16:
    case ARGMAX_CL_BFLOAT16: /* in no file that has a rule */
        break;
    }
    return NULL;
}

uint64_t missing_mask(const missing_rule *rule, const void *data, uint64_t count, uint8_t *mask) {
    void (*const apply)(const missing_rule *, const void *, uint64_t, uint8_t *) = mask_function(rule->dtype);
    uint64_t present = 0;
    memset(mask, !rule->all, (size_t)count);
    if (apply)
        apply(rule, data, count, mask);
    for (uint64_t i = 0; i < count; ++i)
        present += mask[i];
    return count - present;
}
