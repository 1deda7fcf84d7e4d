/* The element types of .npy files, by NumPy's codes. */
#ifndef ARGMAX_CL_TOOL_NPY_TYPES_H
#define ARGMAX_CL_TOOL_NPY_TYPES_H

#include <argmax_cl/argmax_cl.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct npy_type {
    const char *code;
    argmax_cl_dtype dtype;
    bool boolean;
} npy_type;

/* The type with the code, "f4"; NULL for an unknown one. The code need not end in a zero. */
const npy_type *npy_type_by_code(const char *code, size_t length);

/* The type of a dtype; boolean asks for b1. Never NULL for what the readers give, and for the index types. */
const npy_type *npy_type_of(argmax_cl_dtype dtype, bool boolean);

/* '<' where the least significant byte comes first, else '>'. */
char npy_native_order(void);

#endif
