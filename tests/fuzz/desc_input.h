/* Descriptors, devices and tuning files from an input's bytes. What a byte means depends on what was read before, so
 * that small changes to an input stay small changes to a descriptor, and zeros are a sound one. */
#ifndef ARGMAX_CL_TESTS_FUZZ_DESC_INPUT_H
#define ARGMAX_CL_TESTS_FUZZ_DESC_INPUT_H

#include "fuzz.h"
#include "internal.h"

#define STRUCT_ROOM 1040 /* more than any struct_size that is read */

typedef struct desc_tensor {
    union {
        argmax_cl_tensor tensor;
        uint8_t room[STRUCT_ROOM];
    } as;
    uint64_t *sizes; /* owned, exactly as many as the rank, so that a sanitizer sees what reads beyond */
    int64_t *strides;
    bool given;
} desc_tensor;

typedef struct desc_input {
    argmax_cl_operator op;
    union {
        argmax_cl_desc desc;
        uint8_t room[STRUCT_ROOM];
    } as;
    desc_tensor input, index, value, mask, max_index, max_value;
    uint32_t *axes;    /* owned */
    uint32_t listed;   /* axes that it has room for */
    bool sound_struct; /* every struct_size is one that is allowed */
} desc_input;

void desc_input_take(source *s, desc_input *d);
void desc_input_free(desc_input *d);

/* A device, and how many work-items a compiled kernel leaves to a work-group. */
void take_device(source *s, device_facts *device, uint32_t *group_limit);
/* Changes to a row, as ARGMAX_CL_TUNING has them; none when the bytes say so. */
void take_tuning(source *s, const device_facts *device);

/* desc_rules.c: whether the contract (docs/semantics.md) allows it, told apart in other words than src/problem/check.c.
 * Without 128-bit integers there is no second opinion: then *known is false. */
bool desc_allowed(const desc_input *d, bool *known);

#endif
