#include "npy_types.h"

#include <stdint.h>
#include <string.h>

static const npy_type types[] = {
    {"f2", ARGMAX_CL_FLOAT16, false}, {"f4", ARGMAX_CL_FLOAT32, false}, {"f8", ARGMAX_CL_FLOAT64, false},
    {"i1", ARGMAX_CL_INT8, false},    {"i2", ARGMAX_CL_INT16, false},   {"i4", ARGMAX_CL_INT32, false},
    {"i8", ARGMAX_CL_INT64, false},   {"u1", ARGMAX_CL_UINT8, false},   {"u2", ARGMAX_CL_UINT16, false},
    {"u4", ARGMAX_CL_UINT32, false},  {"u8", ARGMAX_CL_UINT64, false},  {"b1", ARGMAX_CL_UINT8, true},
};

#define TYPE_COUNT (sizeof types / sizeof types[0])

const npy_type *npy_type_by_code(const char *code, size_t length) {
    for (size_t i = 0; i < TYPE_COUNT; ++i)
        if (length == strlen(types[i].code) && memcmp(code, types[i].code, length) == 0)
            return &types[i];
    return NULL;
}

const npy_type *npy_type_of(argmax_cl_dtype dtype, bool boolean) {
    for (size_t i = 0; i < TYPE_COUNT; ++i)
        if (types[i].dtype == dtype && types[i].boolean == boolean)
            return &types[i];
    return NULL;
}

char npy_native_order(void) {
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first ? '<' : '>';
}
