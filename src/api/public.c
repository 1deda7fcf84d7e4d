/* Public helpers that need neither a descriptor nor OpenCL. */
#include "internal.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *argmax_cl_version(void) {
    return TEXT(ARGMAX_CL_VERSION_MAJOR) "." TEXT(ARGMAX_CL_VERSION_MINOR) "." TEXT(ARGMAX_CL_VERSION_PATCH);
}

argmax_cl_status argmax_cl_unravel(uint64_t index, uint32_t count, const uint64_t *sizes, uint64_t *coordinates) {
    if (count && !sizes)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "sizes = NULL: expected %u sizes", (unsigned)count);
    if (count && !coordinates)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "coordinates = NULL: expected room for %u", (unsigned)count);

    /* What is left of the index after dividing by every size is 0 exactly when the index is below their product;
     * the product itself may not fit. */
    uint64_t rest = index;
    for (uint32_t i = count; i-- > 0;) {
        if (sizes[i] == 0)
            return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "sizes[%u] = 0: there is no index to unravel", (unsigned)i);
        rest /= sizes[i];
    }
    if (rest)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT,
                    "index = %llu: expected an index below the product of the %u sizes%s", (unsigned long long)index,
                    (unsigned)count, index == UINT64_MAX ? "; this one says that there was no winner" : "");

    rest = index;
    for (uint32_t i = count; i-- > 0;) {
        const uint64_t size = sizes[i];
        coordinates[i] = rest % size;
        rest /= size;
    }
    return ARGMAX_CL_SUCCESS;
}
