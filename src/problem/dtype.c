/* The one table of element types. */
#include "internal.h"

static const dtype_info dtypes[] = {
#define DTYPE(enumerator, name, bits, kind, mantissa, no_winner, index_type)                                           \
    [ARGMAX_CL_##enumerator] = {ARGMAX_CL_##enumerator, name, bits, kind, mantissa, no_winner, index_type},
#include "problem/dtype.def"
#undef DTYPE
};

const dtype_info *dtype_find(argmax_cl_dtype dtype) {
    const size_t at = (size_t)dtype;
    return at < sizeof dtypes / sizeof dtypes[0] && dtypes[at].name ? &dtypes[at] : NULL;
}

size_t argmax_cl_dtype_size(argmax_cl_dtype dtype) {
    const dtype_info *const type = dtype_find(dtype);
    return type ? type->bits / 8 : 0;
}

const char *argmax_cl_dtype_name(argmax_cl_dtype dtype) {
    const dtype_info *const type = dtype_find(dtype);
    return type ? type->name : NULL;
}
