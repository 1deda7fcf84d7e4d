#include "array.h"

#include <inttypes.h>
#include <stdlib.h>

/* A buffer that starts and ends on a page can be used in place by every OpenCL device that shares the host's memory. */
#define PAGE 4096u

bool array_measure(array *a, const char *name, message *m) {
    char shape[SHAPE_TEXT];
    if (a->rank < 1 || a->rank > ARGMAX_CL_MAX_RANK)
        return complain(m, "%s: an array of rank %" PRIu32 ", expected rank 1 to %d", name, a->rank,
                        ARGMAX_CL_MAX_RANK);
    /* Sizes of 0 are left out of the product: a shape that only a 0 makes small is absurd all the same. */
    const uint64_t limit = (SIZE_MAX < INT64_MAX ? SIZE_MAX : INT64_MAX) - PAGE;
    uint64_t product = argmax_cl_dtype_size(a->dtype);
    bool empty = false;
    for (uint32_t axis = 0; axis < a->rank; ++axis) {
        const uint64_t size = a->sizes[axis];
        if (size == 0) {
            empty = true;
        } else if (product > limit / size) {
            format_shape(shape, a->rank, a->sizes);
            return complain(m, "%s: shape %s of %s, expected one of less than 2^%d bytes", name, shape,
                            array_type_name(a), SIZE_MAX < INT64_MAX ? 32 : 63);
        } else {
            product *= size;
        }
    }
    a->bytes = empty ? 0 : product;
    a->count = a->bytes / argmax_cl_dtype_size(a->dtype);
    return true;
}

void *page_memory(uint64_t bytes, const char *name, message *m) {
    void *memory = bytes < SIZE_MAX - PAGE ? aligned_alloc(PAGE, (size_t)((bytes / PAGE + 1) * PAGE)) : NULL;
    if (!memory)
        (void)complain(m, "%s: %" PRIu64 " bytes, expected what fits this machine's memory", name, bytes);
    return memory;
}

void array_free(array *a) {
    for (uint32_t axis = 0; axis < ARGMAX_CL_MAX_RANK; ++axis) {
        free(a->dimension_names[axis]);
        coordinate_free(&a->axes[axis]);
    }
    free(a->variable);
    *a = (array){0};
}

const char *array_type_name(const array *a) {
    return a->boolean ? "bool" : argmax_cl_dtype_name(a->dtype);
}

void format_shape(char text[SHAPE_TEXT], uint32_t rank, const uint64_t *sizes) {
    text[0] = 0;
    append(text, SHAPE_TEXT, "(");
    for (uint32_t axis = 0; axis < rank; ++axis)
        append(text, SHAPE_TEXT, axis ? ", %" PRIu64 : "%" PRIu64, sizes[axis]);
    append(text, SHAPE_TEXT, rank == 1 ? ",)" : ")");
}
