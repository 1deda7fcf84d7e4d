/* The caller's arrays of a host-array call: see host_arrays.h. */
#include "api/host_arrays.h"

#include "api/structs.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

typedef struct span {
    const char *name;
    uintptr_t first, end; /* addresses; equal when nothing is addressed */
} span;

unsigned char *host_element(const void *array, const tensor_view *view, uint64_t element) {
    return (unsigned char *)(uintptr_t)array + (size_t)element * (view->type->bits / 8);
}

static argmax_cl_status check_array(const char *name, const void *array, const tensor_view *view, span *out) {
    *out = (span){name, 0, 0};
    if (!view->type)
        return array ? fail(ARGMAX_CL_ERROR_INVALID_BUFFER,
                            "%s is given, but the descriptor has no such tensor: expected NULL", name)
                     : ARGMAX_CL_SUCCESS;
    if (view->empty)
        return ARGMAX_CL_SUCCESS;
    if (!array)
        return fail(ARGMAX_CL_ERROR_INVALID_BUFFER, "%s = NULL: expected an array", name);
    /* check_desc has proven that the bytes fit 63 bits; an address space may be smaller. */
    const uint64_t bytes = (view->last + 1) * (view->type->bits / 8);
    if (bytes > UINTPTR_MAX - (uintptr_t)array)
        return fail(ARGMAX_CL_ERROR_OVERFLOW,
                    "%s: its last element ends %" PRIu64 " bytes after it; expected an end within the address space",
                    name, bytes);
    out->first = (uintptr_t)host_element(array, view, view->first);
    out->end = (uintptr_t)host_element(array, view, view->last + 1);
    return ARGMAX_CL_SUCCESS;
}

static argmax_cl_status check_disjoint(const span *a, const span *b) {
    return a->first < b->end && b->first < a->end
               ? fail(ARGMAX_CL_ERROR_BUFFER_OVERLAP,
                      "%s (addresses 0x%" PRIxPTR "..0x%" PRIxPTR ") overlaps %s (0x%" PRIxPTR "..0x%" PRIxPTR
                      "): expected disjoint memory",
                      a->name, a->first, a->end - 1, b->name, b->first, b->end - 1)
               : ARGMAX_CL_SUCCESS;
}

argmax_cl_status host_array_check(const char *name, const void *array, const tensor_view *view) {
    span ignored;
    return check_array(name, array, view, &ignored);
}

/* What is read first, then what is written. */
enum { SPAN_INPUT, SPAN_MASK, SPAN_INDEX, SPAN_VALUE, SPAN_MAX_INDEX, SPAN_MAX_VALUE, SPANS };

static argmax_cl_status check_outputs(const argmax_cl_host_arrays *arrays, const problem *p, span spans[SPANS]) {
    argmax_cl_status status = check_array("arrays->index", arrays->index, &p->index, &spans[SPAN_INDEX]);
    if (!status)
        status = check_array("arrays->value", arrays->value, &p->value, &spans[SPAN_VALUE]);
    if (!status)
        status = check_array("arrays->max_index", arrays->max_index, &p->max_index, &spans[SPAN_MAX_INDEX]);
    if (!status)
        status = check_array("arrays->max_value", arrays->max_value, &p->max_value, &spans[SPAN_MAX_VALUE]);
    return status;
}

/* No output overlaps anything. */
static argmax_cl_status check_all_disjoint(const span spans[SPANS]) {
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    for (int a = SPAN_INDEX; a < SPANS && !status; a++)
        for (int b = SPAN_INPUT; b < a && !status; b++)
            status = check_disjoint(&spans[a], &spans[b]);
    return status;
}

argmax_cl_status host_arrays_check(const argmax_cl_host_arrays *given, const problem *p,
                                   argmax_cl_host_arrays *arrays) {
    span spans[SPANS] = {{0}};
    argmax_cl_status status = STRUCT_READ("arrays", argmax_cl_host_arrays, value, given, arrays);
    if (!status)
        status = check_array("arrays->input", arrays->input, &p->input, &spans[SPAN_INPUT]);
    if (!status)
        status = check_array("arrays->mask", arrays->mask, &p->mask, &spans[SPAN_MASK]);
    if (!status)
        status = check_outputs(arrays, p, spans);
    return status ? status : check_all_disjoint(spans);
}

argmax_cl_status host_outputs_check(const argmax_cl_host_arrays *given, const problem *p,
                                    argmax_cl_host_arrays *arrays) {
    span spans[SPANS] = {{0}};
    argmax_cl_status status = STRUCT_READ("arrays", argmax_cl_host_arrays, value, given, arrays);
    if (!status)
        status = check_outputs(arrays, p, spans);
    return status ? status : check_all_disjoint(spans);
}

bool host_is_packed(const tensor_view *view) {
    uint64_t expected = 1;
    for (uint32_t i = MAX_RANK; i-- > 0;) {
        if (view->size[i] > 1 && (uint64_t)view->stride[i] != expected)
            return false;
        expected *= view->size[i];
    }
    return true;
}

/* Called with a constant element size, so that each copy becomes one move. */
static inline void scatter_row(unsigned char *to, int64_t step, const unsigned char *from, uint64_t count,
                               size_t element) {
    for (uint64_t i = 0; i < count; i++)
        memcpy(to + (int64_t)i * step * (int64_t)element, from + i * element, element);
}

static inline void gather_row(unsigned char *to, const unsigned char *from, int64_t step, uint64_t count,
                              size_t element) {
    for (uint64_t i = 0; i < count; i++)
        memcpy(to + i * element, from + (int64_t)i * step * (int64_t)element, element);
}

static void scatter(unsigned char *to, int64_t step, const unsigned char *from, uint64_t count, size_t element) {
    if (step == 1 || count == 1)
        memcpy(to, from, (size_t)count * element);
    else if (element == 1)
        scatter_row(to, step, from, count, 1);
    else if (element == 2)
        scatter_row(to, step, from, count, 2);
    else if (element == 4)
        scatter_row(to, step, from, count, 4);
    else
        scatter_row(to, step, from, count, 8);
}

static void gather(unsigned char *to, const unsigned char *from, int64_t step, uint64_t count, size_t element) {
    if (step == 1 || count == 1)
        memcpy(to, from, (size_t)count * element);
    else if (element == 1)
        gather_row(to, from, step, count, 1);
    else if (element == 2)
        gather_row(to, from, step, count, 2);
    else if (element == 4)
        gather_row(to, from, step, count, 4);
    else
        gather_row(to, from, step, count, 8);
}

/* The innermost axis that has more than one element; 0 when none has. */
static uint32_t inner_axis(const tensor_view *view) {
    uint32_t axis = MAX_RANK - 1;
    while (axis > 0 && view->size[axis] == 1)
        axis--;
    return axis;
}

static uint64_t rows_of(const tensor_view *view, uint32_t inner) {
    uint64_t rows = 1;
    for (uint32_t axis = 0; axis < inner; axis++)
        rows *= view->size[axis];
    return rows;
}

/* Some rows along the inner axis between the tensor's places and packed ones; one of `to` and `from` is where the first
 * of these lies. */
static void walk_rows(unsigned char *array, const tensor_view *view, uint32_t inner, uint64_t first, uint64_t rows,
                      unsigned char *to, const unsigned char *from) {
    const size_t element = view->type->bits / 8;
    uint64_t at[MAX_RANK] = {0}, done = 0;
    int64_t place = (int64_t)view->offset;
    assert((to != NULL) != (from != NULL));
    for (uint32_t axis = inner; axis-- > 0; first /= view->size[axis]) {
        at[axis] = first % view->size[axis];
        place += view->size[axis] > 1 ? (int64_t)at[axis] * view->stride[axis] : 0;
    }
    for (; rows > 0; rows--) {
        unsigned char *const here = array + place * (int64_t)element;
        if (to)
            gather(to + done, here, view->stride[inner], view->size[inner], element);
        if (from)
            scatter(here, view->stride[inner], from + done, view->size[inner], element);
        done += view->size[inner] * element;
        /* The next row: count up the other axes, the last of them fastest. The stride of an axis of size 1 may be
         * any number and is not used. */
        for (uint32_t axis = inner; axis-- > 0;) {
            if (view->size[axis] == 1)
                continue;
            place += view->stride[axis];
            if (++at[axis] < view->size[axis])
                break;
            place -= (int64_t)at[axis] * view->stride[axis];
            at[axis] = 0;
        }
    }
}

void host_scatter(void *array, const tensor_view *view, const void *packed) {
    const uint32_t inner = inner_axis(view);
    walk_rows(array, view, inner, 0, rows_of(view, inner), NULL, packed);
}

void host_gather(const void *array, const tensor_view *view, void *packed) {
    const uint32_t inner = inner_axis(view);
    host_gather_range(array, view, 0, rows_of(view, inner) * view->size[inner], packed);
}

/* The rest of a row, whole rows, the beginning of another. */
void host_gather_range(const void *array, const tensor_view *view, uint64_t first, uint64_t count, void *packed) {
    unsigned char *const from = (unsigned char *)(uintptr_t)array;
    unsigned char *to = packed;
    const uint32_t inner = inner_axis(view);
    const uint64_t row = view->size[inner];
    while (count > 0) {
        const uint64_t at = first % row, left = row - at, rows = at == 0 && count >= row ? count / row : 1;
        tensor_view some = *view;
        some.offset = (uint64_t)((int64_t)view->offset + (int64_t)at * view->stride[inner]);
        some.size[inner] = left < count ? left : count;
        walk_rows(from, &some, inner, first / row, rows, to, NULL);
        to += rows * some.size[inner] * (view->type->bits / 8);
        first += rows * some.size[inner];
        count -= rows * some.size[inner];
    }
}
