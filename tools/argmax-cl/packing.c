#include "packing.h"

bool packing_reverses(const packing *p) {
    return p->is_packed && p->scale < 0;
}

number packing_unpack(const packing *p, number stored) {
    if (!p->is_packed)
        return stored;
    const double meant = number_as_double(stored) * p->scale + p->offset;
    return (number){NUMBER_FLOAT, {.real = p->dtype == ARGMAX_CL_FLOAT32 ? (double)(float)meant : meant}};
}

argmax_cl_dtype packing_dtype(const packing *p, argmax_cl_dtype stored) {
    return p->is_packed ? p->dtype : stored;
}
