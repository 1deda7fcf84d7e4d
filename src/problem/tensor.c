/* One tensor of a descriptor: see tensor.h. */
#include "problem/tensor.h"

#include "api/structs.h"

#include <inttypes.h>

#define LARGEST ((uint64_t)INT64_MAX)

bool multiply_u64(uint64_t a, uint64_t b, uint64_t *product) {
    if (b && a > UINT64_MAX / b)
        return false;
    *product = a * b;
    return true;
}

bool add_u64(uint64_t a, uint64_t b, uint64_t *sum) {
    if (a > UINT64_MAX - b)
        return false;
    *sum = a + b;
    return true;
}

/* Distance in elements from position 0 to the last position of an axis, UINT64_MAX when it does not fit. */
static uint64_t axis_extent(uint64_t size, int64_t stride) {
    uint64_t extent;
    return size < 2 ? 0 : multiply_u64(size - 1, magnitude(stride), &extent) ? extent : UINT64_MAX;
}

static uint64_t add_saturating(uint64_t a, uint64_t b) {
    uint64_t sum;
    return add_u64(a, b, &sum) ? sum : UINT64_MAX;
}

argmax_cl_status tensor_read(const char *name, const argmax_cl_tensor *given, argmax_cl_tensor *tensor,
                             tensor_view *view) {
    const argmax_cl_status status = STRUCT_READ(name, argmax_cl_tensor, offset, given, tensor);
    if (status)
        return status;
    view->type = dtype_find(tensor->dtype);
    if (!view->type)
        return fail(ARGMAX_CL_ERROR_INVALID_DTYPE, "%s->dtype = %d: expected one of argmax_cl_dtype", name,
                    (int)tensor->dtype);
    for (uint32_t i = 0; i < MAX_RANK; i++) {
        view->size[i] = 1;
        view->stride[i] = 0;
    }
    return ARGMAX_CL_SUCCESS;
}

argmax_cl_status tensor_shape(const char *name, const argmax_cl_tensor *tensor, tensor_view *view) {
    if (tensor->rank < 1 || tensor->rank > MAX_RANK)
        return fail(ARGMAX_CL_ERROR_INVALID_RANK, "%s->rank = %" PRIu32 ": expected 1..%d", name, tensor->rank,
                    MAX_RANK);
    if (!tensor->sizes)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "%s->sizes = NULL: expected %" PRIu32 " sizes", name,
                    tensor->rank);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        view->size[i] = tensor->sizes[i];
        view->empty = view->empty || tensor->sizes[i] == 0;
    }
    uint64_t product = 1;
    for (uint32_t i = 0; i < tensor->rank && !view->empty; i++)
        if (!multiply_u64(product, view->size[i], &product) || product > LARGEST)
            return fail(ARGMAX_CL_ERROR_OVERFLOW,
                        "%s->sizes[%" PRIu32 "] = %" PRIu64 ": expected a product of all sizes of at most 2^63-1", name,
                        i, view->size[i]);
    return ARGMAX_CL_SUCCESS;
}

argmax_cl_status tensor_given_shape(const char *name, const argmax_cl_tensor *tensor, const problem *p, bool reduced,
                                    tensor_view *view) {
    const bool derived = tensor->rank == 0;
    if (derived && (tensor->sizes || tensor->strides))
        return fail(ARGMAX_CL_ERROR_INVALID_RANK,
                    "%s->rank = 0 with %s: expected the input's rank %" PRIu32 ", or rank 0 with neither", name,
                    tensor->sizes ? "sizes" : "strides", p->rank);
    if (!derived && tensor->rank != p->rank)
        return fail(ARGMAX_CL_ERROR_INVALID_RANK, "%s->rank = %" PRIu32 ": expected the input's rank %" PRIu32, name,
                    tensor->rank, p->rank);
    if (!derived && !tensor->sizes)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT,
                    "%s->sizes = NULL: expected %" PRIu32 " sizes, or rank 0 for the shape that follows", name,
                    p->rank);
    for (uint32_t i = 0; i < p->rank; i++) {
        const bool is_one = reduced && p->reduced[i];
        const uint64_t expected = is_one ? 1 : p->input.size[i];
        if (!derived && tensor->sizes[i] != expected)
            return fail(ARGMAX_CL_ERROR_INVALID_SIZE, "%s->sizes[%" PRIu32 "] = %" PRIu64 ": expected %" PRIu64 ", %s",
                        name, i, tensor->sizes[i], expected, is_one ? "as the axis is reduced" : "the input's size");
        view->size[i] = expected;
        view->empty = view->empty || expected == 0;
    }
    return ARGMAX_CL_SUCCESS;
}

/* Those of an empty tensor may be beyond any address and saturate: nothing uses them. */
static void pack_strides(uint32_t rank, tensor_view *view) {
    uint64_t stride = 1;
    for (uint32_t i = rank; i-- > 0;) {
        view->stride[i] = (int64_t)stride;
        if (!multiply_u64(stride, view->size[i], &stride) || stride > LARGEST)
            stride = LARGEST;
    }
}

/* Everything addressed must lie in 0..2^63-1, in elements and in bytes. */
static argmax_cl_status address_range(const char *name, uint32_t rank, tensor_view *view) {
    uint64_t down = 0, up = 0;
    for (uint32_t i = 0; i < rank; i++) {
        const uint64_t extent = axis_extent(view->size[i], view->stride[i]);
        if (view->stride[i] < 0)
            down = add_saturating(down, extent);
        else
            up = add_saturating(up, extent);
    }
    if (down > view->offset)
        return fail(ARGMAX_CL_ERROR_BUFFER_TOO_SMALL,
                    "%s->offset = %" PRIu64 ": negative strides reach %s%" PRIu64
                    " elements below it, before the buffer's start; expected an offset of at least that",
                    name, view->offset, down == UINT64_MAX ? "at least " : "", down);
    const uint64_t last = add_saturating(view->offset, up);
    if (last > LARGEST)
        return fail(ARGMAX_CL_ERROR_OVERFLOW,
                    "%s->offset = %" PRIu64 ": strides reach %s%" PRIu64
                    " elements above it; expected element numbers of at most 2^63-1",
                    name, view->offset, up == UINT64_MAX ? "at least " : "", up);
    uint64_t bytes;
    if (!multiply_u64(last + 1, view->type->bits / 8, &bytes) || bytes > LARGEST)
        return fail(ARGMAX_CL_ERROR_OVERFLOW,
                    "%s->offset = %" PRIu64 ": the last %s is element %" PRIu64
                    "; expected byte addresses of at most 2^63-1",
                    name, view->offset, view->type->name, last);
    view->first = view->offset - down;
    view->last = last;
    return ARGMAX_CL_SUCCESS;
}

argmax_cl_status tensor_addresses(const char *name, const argmax_cl_tensor *tensor, uint32_t rank, tensor_view *view) {
    view->offset = tensor->offset;
    if (view->offset > LARGEST)
        return fail(ARGMAX_CL_ERROR_OVERFLOW, "%s->offset = %" PRIu64 ": expected at most 2^63-1", name, view->offset);
    if (tensor->strides)
        for (uint32_t i = 0; i < rank; i++)
            view->stride[i] = tensor->strides[i];
    else
        pack_strides(rank, view);
    return view->empty ? ARGMAX_CL_SUCCESS : address_range(name, rank, view);
}

argmax_cl_status tensor_distinct(const char *name, uint32_t rank, const tensor_view *view) {
    uint32_t order[MAX_RANK] = {0}; /* axes of size > 1 by rising |stride| */
    uint32_t count = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (view->size[i] < 2)
            continue;
        uint32_t at = count++;
        for (; at > 0 && magnitude(view->stride[order[at - 1]]) > magnitude(view->stride[i]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    uint64_t extent = 0; /* of the axes before; saturates, and no stride exceeds that */
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t axis = order[i];
        if (magnitude(view->stride[axis]) <= extent)
            return fail(ARGMAX_CL_ERROR_INVALID_STRIDES,
                        "%s->strides[%" PRIu32 "] = %" PRId64 ": expected more than %" PRIu64
                        " in size, the extent of the smaller strides, or two elements could share an address",
                        name, axis, view->stride[axis], extent);
        extent = add_saturating(extent, axis_extent(view->size[axis], view->stride[axis]));
    }
    return ARGMAX_CL_SUCCESS;
}

uint64_t answer_bytes(const problem *p, bool largest) {
    const tensor_view *const outputs[] = {&p->index, &p->value, &p->max_index, &p->max_value};
    uint64_t all = 0, most = 1;
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        const uint64_t bytes = outputs[i]->type ? outputs[i]->type->bits / 8 : 0;
        all += bytes;
        most = bytes > most ? bytes : most;
    }
    return largest ? most : all;
}
