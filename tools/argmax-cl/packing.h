/* Packed data: stored numbers that mean others, scale * stored + offset. */
#ifndef ARGMAX_CL_TOOL_PACKING_H
#define ARGMAX_CL_TOOL_PACKING_H

#include "number.h"

typedef struct packing {
    bool is_packed;
    double scale, offset;
    argmax_cl_dtype dtype; /* of the numbers meant: FLOAT32 or FLOAT64 */
} packing;

/* Whether a larger stored number means a smaller one. */
bool packing_reverses(const packing *p);

/* What a stored number means; itself when nothing is packed. */
number packing_unpack(const packing *p, number stored);

/* The type of what packing_unpack gives for elements of the type. */
argmax_cl_dtype packing_dtype(const packing *p, argmax_cl_dtype stored);

#endif
