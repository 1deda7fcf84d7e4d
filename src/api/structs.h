/* Reading the public structs, whatever version the caller was compiled with. */
#ifndef ARGMAX_CL_STRUCTS_H
#define ARGMAX_CL_STRUCTS_H

#include "internal.h"

/* Copy a struct that starts with its struct_size. Fields that the caller's version lacks become zero, the default;
 * bytes beyond those known here must be zero, as they would ask for something unknown. `first_version` and `known` are
 * the struct's sizes in version 0.1 and now. */
argmax_cl_status struct_read(const char *name, const void *given, size_t first_version, size_t known, void *copy);

/* Size of a struct whose last field of version 0.1 is `field`. */
#define SIZE_UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

#define STRUCT_READ(name, type, last_field_of_first, given, copy)                                                      \
    struct_read(name, given, SIZE_UP_TO(type, last_field_of_first), sizeof(type), copy)

#endif
