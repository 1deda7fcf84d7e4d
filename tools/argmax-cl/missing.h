/* Which elements of an array are missing: marks that stand for "no data", and numbers outside a valid range. */
#ifndef ARGMAX_CL_TOOL_MISSING_H
#define ARGMAX_CL_TOOL_MISSING_H

#include <argmax_cl/argmax_cl.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MISSING_MARKS_MAX 16u

typedef struct missing_rule {
    argmax_cl_dtype dtype; /* any but the 16-bit floating-point types */
    size_t mark_count;
    uint64_t marks[MISSING_MARKS_MAX]; /* an element of the type in the first bytes of each; a NaN marks every NaN */
    bool has_low, has_high;            /* elements below low or above high are missing; NaNs are not */
    uint64_t low, high;                /* as the marks */
    bool all;                          /* nothing is valid */
} missing_rule;

/* Whether the rule can make any element missing. */
bool missing_possible(const missing_rule *rule);

/* mask[i] becomes 0 where element i is missing and 1 elsewhere. Returns how many are missing. */
uint64_t missing_mask(const missing_rule *rule, const void *data, uint64_t count, uint8_t *mask);

#endif
