/* The public structs: their defaults, and how any version of one is read. */
#include "api/structs.h"

#include <string.h>

/* No version of a struct will be as large; a larger struct_size is an uninitialised one. */
#define STRUCT_SIZE_LIMIT 1024

argmax_cl_status struct_read(const char *name, const void *given, size_t first_version, size_t known, void *copy) {
    if (!given)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "%s = NULL: expected a struct", name);
    size_t size;
    memcpy(&size, given, sizeof size);
    /* Each version ends where a pointer may end: none ends within one. */
    if (size < first_version || size > STRUCT_SIZE_LIMIT || size % sizeof(void *))
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "%s->struct_size = %zu: expected %zu, which its INIT sets", name,
                    size, known);
    for (size_t i = known; i < size; i++)
        if (((const unsigned char *)given)[i])
            return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT,
                        "%s->struct_size = %zu: byte %zu is set, but version %s knows %zu bytes", name, size, i,
                        argmax_cl_version(), known);
    memset(copy, 0, known);
    memcpy(copy, given, size < known ? size : known);
    return ARGMAX_CL_SUCCESS;
}

void argmax_cl_tensor_init(argmax_cl_tensor *tensor) {
    if (tensor)
        *tensor = (argmax_cl_tensor)ARGMAX_CL_TENSOR_INIT;
}

void argmax_cl_desc_init(argmax_cl_desc *desc) {
    if (desc)
        *desc = (argmax_cl_desc)ARGMAX_CL_DESC_INIT;
}

void argmax_cl_buffers_init(argmax_cl_buffers *buffers) {
    if (buffers)
        *buffers = (argmax_cl_buffers)ARGMAX_CL_BUFFERS_INIT;
}

void argmax_cl_host_arrays_init(argmax_cl_host_arrays *arrays) {
    if (arrays)
        *arrays = (argmax_cl_host_arrays)ARGMAX_CL_HOST_ARRAYS_INIT;
}

void argmax_cl_host_options_init(argmax_cl_host_options *options) {
    if (options)
        *options = (argmax_cl_host_options)ARGMAX_CL_HOST_OPTIONS_INIT;
}

void argmax_cl_block_init(argmax_cl_block *block) {
    if (block)
        *block = (argmax_cl_block)ARGMAX_CL_BLOCK_INIT;
}
