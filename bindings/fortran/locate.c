/* One array of Fortran's, by its C descriptor: the shape read backwards is the row-major shape, and what MAXLOC says
 * about NaN, emptiness and counting from 1 is added. */
#include "ISO_Fortran_binding.h" /* the compiler's own: CMakeLists.txt copies it */

#include <argmax_cl/argmax_cl.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* dim 0: over the whole array. */
argmax_cl_status argmax_cl_fortran_locate(const CFI_cdesc_t *array, int dtype, int op, int dim, int back,
                                          argmax_cl_handle handle, CFI_cdesc_t *where);
argmax_cl_status argmax_cl_fortran_enqueue(argmax_cl_handle handle, cl_command_queue queue, const argmax_cl_desc *desc,
                                           const argmax_cl_buffers *buffers, cl_uint wait_count,
                                           const cl_event *wait_list, cl_event *event);

/* argmax_cl, since Fortran does not let a module and a function of C's have one name. */
argmax_cl_status argmax_cl_fortran_enqueue(argmax_cl_handle handle, cl_command_queue queue, const argmax_cl_desc *desc,
                                           const argmax_cl_buffers *buffers, cl_uint wait_count,
                                           const cl_event *wait_list, cl_event *event) {
    return argmax_cl(handle, queue, desc, buffers, wait_count, wait_list, event);
}

/* For callers without a handle; it lives as long as the process. */
static argmax_cl_status default_handle(argmax_cl_handle *handle) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static argmax_cl_handle made;
    (void)pthread_mutex_lock(&lock);
    const argmax_cl_status status = made ? ARGMAX_CL_SUCCESS : argmax_cl_create_default(&made, NULL);
    *handle = made;
    (void)pthread_mutex_unlock(&lock);
    return status;
}

/* A packed copy, for elements whose distance is no multiple of their size: a component of a derived type may have one.
 * NULL without memory. */
static void *pack(const CFI_cdesc_t *array, uint64_t count) {
    char *copy = malloc(count * array->elem_len);
    for (uint64_t i = 0; copy && i < count; ++i) {
        const char *from = array->base_addr;
        uint64_t rest = i;
        for (int d = 0; d < array->rank; ++d) {
            const uint64_t extent = (uint64_t)array->dim[d].extent;
            from += (int64_t)(rest % extent) * array->dim[d].sm;
            rest /= extent;
        }
        memcpy(copy + i * array->elem_len, from, array->elem_len);
    }
    return copy;
}

/* One answer for each element of index: an element's number in Fortran's order, or ~0 for "no winner". */
static argmax_cl_status solve(const CFI_cdesc_t *array, uint64_t count, int dtype, int op, int dim, int back,
                              argmax_cl_handle handle, int64_t *index) {
    uint64_t sizes[ARGMAX_CL_MAX_RANK];
    int64_t strides[ARGMAX_CL_MAX_RANK];
    uint32_t axes[ARGMAX_CL_MAX_RANK];
    const int rank = (unsigned char)array->rank;
    const int64_t width = (int64_t)array->elem_len;
    int64_t before = 0; /* bytes from the lowest address to the first element */
    int fits = 1;
    for (int axis = 0; axis < rank; ++axis) {
        const CFI_dim_t d = array->dim[rank - 1 - axis];
        sizes[axis] = (uint64_t)d.extent;
        strides[axis] = d.sm / width;
        axes[axis] = (uint32_t)axis;
        before += d.sm < 0 ? -d.sm * (d.extent - 1) : 0;
        fits = fits && d.sm % width == 0;
    }
    if (dim)
        axes[0] = (uint32_t)(rank - dim);
    void *packed = fits ? NULL : pack(array, count);
    if (!fits && !packed)
        return ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY;

    argmax_cl_tensor input = ARGMAX_CL_TENSOR_INIT, output = ARGMAX_CL_TENSOR_INIT;
    input.dtype = (argmax_cl_dtype)dtype;
    input.rank = (uint32_t)rank;
    input.sizes = sizes;
    input.strides = packed ? NULL : strides;
    input.offset = packed ? 0 : (uint64_t)(before / width);
    output.dtype = ARGMAX_CL_INT64;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    desc.input = &input;
    desc.index = &output;
    desc.axis_count = dim ? 1 : (uint32_t)rank;
    desc.axes = axes;
    desc.axis_direction = back ? ARGMAX_CL_DECREASING : ARGMAX_CL_INCREASING;
    desc.nan_mode = ARGMAX_CL_NAN_IGNORE;
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.input = packed ? packed : (const char *)array->base_addr - before;
    arrays.index = index;
    argmax_cl_status status = handle ? ARGMAX_CL_SUCCESS : default_handle(&handle);
    if (!status)
        status = (op == ARGMAX_CL_ARGMIN ? argmin_cl_host : argmax_cl_host)(handle, &desc, &arrays, NULL);
    free(packed);
    return status;
}

argmax_cl_status argmax_cl_fortran_locate(const CFI_cdesc_t *array, int dtype, int op, int dim, int back,
                                          argmax_cl_handle handle, CFI_cdesc_t *where) {
    int64_t *found = where->base_addr;
    uint64_t elements = 1, answers = 1;
    for (int d = 0; d < array->rank; ++d)
        elements *= (uint64_t)array->dim[d].extent;
    for (int d = 0; d < where->rank; ++d)
        answers *= (uint64_t)where->dim[d].extent;
    if (elements == 0) { /* MAXLOC's answer to nothing */
        memset(found, 0, answers * sizeof *found);
        return ARGMAX_CL_SUCCESS;
    }
    const argmax_cl_status status = solve(array, elements, dtype, op, dim, back, handle, found);
    if (status)
        return status;
    if (dim == 0) {                                            /* found[0] is a number in Fortran's order */
        uint64_t rest = found[0] < 0 ? 0 : (uint64_t)found[0]; /* NaNs alone: gfortran says the first */
        for (int d = 0; d < array->rank; ++d) {
            found[d] = 1 + (int64_t)(rest % (uint64_t)array->dim[d].extent);
            rest /= (uint64_t)array->dim[d].extent;
        }
        return ARGMAX_CL_SUCCESS;
    }
    for (uint64_t i = 0; i < answers; ++i)
        found[i] = found[i] < 0 ? 1 : found[i] + 1;
    return ARGMAX_CL_SUCCESS;
}
