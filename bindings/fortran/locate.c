/* One array of Fortran's, by its C descriptor: the shape read backwards is the row-major shape, and what MAXLOC says
 * about NaN, emptiness and counting from 1 is added. */
#include "ISO_Fortran_binding.h" /* the compiler's own: CMakeLists.txt copies it */

#include <argmax_cl/argmax_cl.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* dim 0: over the whole array; mask: a logical, a logical array of the array's shape, or NULL. */
argmax_cl_status argmax_cl_fortran_locate(const CFI_cdesc_t *array, int dtype, int op, int dim, int back,
                                          argmax_cl_handle handle, CFI_cdesc_t *where, const CFI_cdesc_t *mask);
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

/* An array in units of `unit` bytes: its sizes and strides row-major, and the units from the lowest one to that of the
 * first element. 0 where a distance is no multiple of them. */
static int lay_out(const CFI_cdesc_t *array, int64_t unit, argmax_cl_tensor *tensor, uint64_t sizes[ARGMAX_CL_MAX_RANK],
                   int64_t strides[ARGMAX_CL_MAX_RANK]) {
    const int rank = (unsigned char)array->rank;
    int fits = 1;
    int64_t before = 0;
    for (int axis = 0; axis < rank; ++axis) {
        const CFI_dim_t d = array->dim[rank - 1 - axis];
        sizes[axis] = (uint64_t)d.extent;
        strides[axis] = d.sm / unit;
        before += d.sm < 0 ? -d.sm / unit * (d.extent - 1) : 0;
        fits = fits && d.sm % unit == 0;
    }
    tensor->rank = (uint32_t)rank;
    tensor->sizes = sizes;
    tensor->strides = strides;
    tensor->offset = (uint64_t)before;
    return fits;
}

/* The byte of a logical that tells .true. from .false., the low one. */
static const char *low_byte(const CFI_cdesc_t *mask) {
    const union {
        uint16_t number;
        unsigned char first;
    } one = {1};
    return (const char *)mask->base_addr + (one.first ? 0 : mask->elem_len - 1);
}

/* One answer for each element of index: an element's number in Fortran's order, or ~0 for "no winner". */
static argmax_cl_status solve(const CFI_cdesc_t *array, uint64_t count, int dtype, int op, int dim, int back,
                              argmax_cl_handle handle, const CFI_cdesc_t *mask, int64_t *index) {
    uint64_t sizes[ARGMAX_CL_MAX_RANK];
    int64_t strides[ARGMAX_CL_MAX_RANK], mask_strides[ARGMAX_CL_MAX_RANK];
    uint32_t axes[ARGMAX_CL_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
    argmax_cl_tensor input = ARGMAX_CL_TENSOR_INIT, kept = ARGMAX_CL_TENSOR_INIT, output = ARGMAX_CL_TENSOR_INIT;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    input.dtype = (argmax_cl_dtype)dtype;
    arrays.input = array->base_addr;
    void *packed = NULL;
    if (lay_out(array, (int64_t)array->elem_len, &input, sizes, strides)) {
        arrays.input = (const char *)array->base_addr - input.offset * array->elem_len;
    } else {
        packed = pack(array, count);
        if (!packed)
            return ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY;
        input.strides = NULL;
        input.offset = 0;
        arrays.input = packed;
    }
    if (mask) { /* in place: of each logical one byte */
        (void)lay_out(mask, 1, &kept, sizes, mask_strides);
        kept.dtype = ARGMAX_CL_UINT8;
        desc.mask = &kept;
        arrays.mask = low_byte(mask) - kept.offset;
    }
    if (dim)
        axes[0] = input.rank - (uint32_t)dim;
    output.dtype = ARGMAX_CL_INT64;
    desc.input = &input;
    desc.index = &output;
    desc.axis_count = dim ? 1 : input.rank;
    desc.axes = axes;
    desc.axis_direction = back ? ARGMAX_CL_DECREASING : ARGMAX_CL_INCREASING;
    desc.nan_mode = ARGMAX_CL_NAN_IGNORE;
    arrays.index = index;
    argmax_cl_status status = handle ? ARGMAX_CL_SUCCESS : default_handle(&handle);
    if (!status)
        status = (op == ARGMAX_CL_ARGMIN ? argmin_cl_host : argmax_cl_host)(handle, &desc, &arrays, NULL);
    free(packed);
    return status;
}

/* What gfortran says where no number is left: the first element that counts, from 1, as all of these are NaN; 0 without
 * any. Of answer number `answer`, in Fortran's order. */
static int64_t first_that_counts(const CFI_cdesc_t *array, const CFI_cdesc_t *mask, int dim, uint64_t answer) {
    if (!mask)
        return 1;
    const char *slice = low_byte(mask);
    uint64_t length = 1;
    for (int d = 0; d < array->rank; ++d) {
        const uint64_t extent = (uint64_t)array->dim[d].extent;
        if (dim == 0 || d == dim - 1) {
            length *= extent;
        } else {
            slice += (int64_t)(answer % extent) * mask->dim[d].sm;
            answer /= extent;
        }
    }
    for (uint64_t i = 0; i < length; ++i) {
        const char *element = slice + (dim ? (int64_t)i * mask->dim[dim - 1].sm : 0);
        uint64_t rest = i;
        for (int d = 0; d < array->rank && dim == 0; ++d) {
            element += (int64_t)(rest % (uint64_t)array->dim[d].extent) * mask->dim[d].sm;
            rest /= (uint64_t)array->dim[d].extent;
        }
        if (*element)
            return (int64_t)i + 1;
    }
    return 0;
}

argmax_cl_status argmax_cl_fortran_locate(const CFI_cdesc_t *array, int dtype, int op, int dim, int back,
                                          argmax_cl_handle handle, CFI_cdesc_t *where, const CFI_cdesc_t *mask) {
    int64_t *found = where->base_addr;
    uint64_t elements = 1, answers = 1;
    for (int d = 0; d < array->rank; ++d)
        elements *= (uint64_t)array->dim[d].extent;
    for (int d = 0; d < where->rank; ++d)
        answers *= (uint64_t)where->dim[d].extent;
    const int all_or_none = mask && mask->rank == 0;
    if (elements == 0 || (all_or_none && !*low_byte(mask))) { /* MAXLOC's answer to nothing */
        memset(found, 0, answers * sizeof *found);
        return ARGMAX_CL_SUCCESS;
    }
    if (all_or_none)
        mask = NULL;
    const argmax_cl_status status = solve(array, elements, dtype, op, dim, back, handle, mask, found);
    if (status)
        return status;
    for (uint64_t i = 0; i < (dim ? answers : 1); ++i)
        found[i] = found[i] < 0 ? first_that_counts(array, mask, dim, i) : found[i] + 1;
    if (dim == 0 && found[0] > 0) { /* a number in Fortran's order */
        uint64_t rest = (uint64_t)found[0] - 1;
        for (int d = 0; d < array->rank; ++d) {
            found[d] = 1 + (int64_t)(rest % (uint64_t)array->dim[d].extent);
            rest /= (uint64_t)array->dim[d].extent;
        }
    } else if (dim == 0) {
        memset(found, 0, answers * sizeof *found);
    }
    return ARGMAX_CL_SUCCESS;
}
