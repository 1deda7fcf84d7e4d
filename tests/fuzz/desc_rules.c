#include "desc_input.h"

#include <string.h>

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 wide;

#define LARGEST ((wide)INT64_MAX)
#define ABSURD ((wide)1 << 100) /* above every number that is allowed, and eight of them still fit */

static wide size_of(uint64_t size, int64_t stride) {
    const wide step = stride < 0 ? (wide)0 - (wide)(__extension__(__int128) stride) : (wide)stride;
    const wide extent = size > 1 ? (size - 1) * step : 0;
    return extent < ABSURD ? extent : ABSURD;
}

typedef struct shape {
    uint32_t rank;
    const uint64_t *size;
    bool empty;
} shape;

static shape shape_of(uint32_t rank, const uint64_t *size) {
    shape s = {rank, size, false};
    for (uint32_t i = 0; i < rank; ++i)
        s.empty = s.empty || size[i] == 0;
    return s;
}

static bool product_fits(const shape *s) {
    wide product = 1;
    for (uint32_t i = 0; i < s->rank && !s->empty; ++i) {
        product *= s->size[i];
        if (product > LARGEST)
            return false;
    }
    return true;
}

static bool addresses_fit(const shape *s, const int64_t *strides, uint64_t offset, uint32_t bytes) {
    wide down = 0, up = 0, packed = 1;
    if (offset > LARGEST)
        return false;
    if (s->empty)
        return true;
    for (uint32_t i = s->rank; i-- > 0;) {
        if (!strides)
            up += size_of(s->size[i], (int64_t)packed);
        else if (strides[i] < 0)
            down += size_of(s->size[i], strides[i]);
        else
            up += size_of(s->size[i], strides[i]);
        packed *= s->size[i];
    }
    return down <= offset && (offset + up + 1) * bytes <= LARGEST;
}

/* Every axis of size > 1 has a larger stride than the extent of all that have smaller ones, or come before it among
 * equal ones. */
static bool outputs_apart(const shape *s, const int64_t *strides) {
    for (uint32_t i = 0; i < s->rank; ++i) {
        const wide step = size_of(2, strides[i]);
        wide below = 0;
        for (uint32_t k = 0; k < s->rank; ++k) {
            const wide other = size_of(2, strides[k]);
            if (s->size[k] > 1 && (other < step || (other == step && k < i)))
                below += size_of(s->size[k], strides[k]);
        }
        if (s->size[i] > 1 && step <= below)
            return false;
    }
    return true;
}

/* A tensor of a shape that follows from the input's. */
static bool shaped_allowed(const argmax_cl_tensor *t, const shape *s) {
    const bool derived = t->rank == 0;
    if (derived ? t->sizes || t->strides : t->rank != s->rank || !t->sizes)
        return false;
    for (uint32_t i = 0; i < s->rank && !derived; ++i)
        if (t->sizes[i] != s->size[i])
            return false;
    return addresses_fit(s, t->strides, t->offset, (uint32_t)argmax_cl_dtype_size(t->dtype));
}

static bool output_allowed(const argmax_cl_tensor *t, const shape *s) {
    return shaped_allowed(t, s) && (!t->strides || outputs_apart(s, t->strides));
}

static bool axes_allowed(const argmax_cl_desc *d, uint32_t rank, bool reduced[MAX_RANK]) {
    if (d->axis_count < 1 || d->axis_count > rank || !d->axes)
        return false;
    for (uint32_t i = 0; i < d->axis_count; ++i) {
        if (d->axes[i] >= rank || reduced[d->axes[i]])
            return false;
        reduced[d->axes[i]] = true;
    }
    return true;
}

static bool index_fits(argmax_cl_dtype type, const argmax_cl_desc *d, wide reduction) {
    const argmax_cl_dtype input = d->input->dtype;
    const bool is_float = input == ARGMAX_CL_FLOAT16 || input == ARGMAX_CL_FLOAT32 || input == ARGMAX_CL_FLOAT64 ||
                          input == ARGMAX_CL_BFLOAT16;
    const bool may_lack_winner = d->mask || (is_float && d->nan_mode == ARGMAX_CL_NAN_IGNORE);
    switch (type) {
    case ARGMAX_CL_INT32:
        return reduction <= (wide)INT32_MAX + 1;
    case ARGMAX_CL_UINT32:
        return reduction <= (wide)UINT32_MAX + (may_lack_winner ? 0 : 1);
    case ARGMAX_CL_INT64:
        return reduction <= LARGEST + 1;
    case ARGMAX_CL_UINT64:
        return reduction < UINT64_MAX; /* there is no more without outputs, and far less with any */
    default:
        return false;
    }
}

/* Elements of a reduction, 2^100 at most. *nothing: an axis to reduce has none, though there are outputs. */
static wide reduction_of(const shape *in, const bool *reduced, uint64_t kept[MAX_RANK], bool *nothing) {
    bool no_outputs = false, no_elements = false;
    wide reduction = 1;
    for (uint32_t i = 0; i < in->rank; ++i) {
        kept[i] = reduced[i] ? 1 : in->size[i];
        no_outputs = no_outputs || kept[i] == 0;
        no_elements = no_elements || (reduced[i] && in->size[i] == 0);
        if (reduced[i])
            reduction = reduction > ABSURD / (in->size[i] + (wide)1) ? ABSURD : reduction * in->size[i];
    }
    *nothing = no_elements && !no_outputs;
    return no_elements ? 0 : reduction;
}

/* An index tensor, and a value tensor where one is wanted. */
static bool outputs_allowed(const argmax_cl_tensor *index, const argmax_cl_tensor *value, const argmax_cl_desc *d,
                            const shape *out, wide reduction) {
    return index && index_fits(index->dtype, d, reduction) && output_allowed(index, out) &&
           (!value || (value->dtype == d->input->dtype && output_allowed(value, out)));
}

bool desc_allowed(const desc_input *input, bool *known) {
    const size_t size = input->as.desc.struct_size;
    argmax_cl_desc copy = {0}, *const d = &copy;
    bool reduced[MAX_RANK] = {false}, nothing = false;
    uint64_t kept[MAX_RANK];
    *known = true;
    if (!input->sound_struct || (unsigned)input->op > 2)
        return false;
    memcpy(d, &input->as.desc, size < sizeof *d ? size : sizeof *d);
    if ((unsigned)d->axis_direction > 1 || (unsigned)d->max_direction > 1 || (unsigned)d->nan_mode > 1 || !d->input)
        return false;
    const bool both = input->op == ARGMAX_CL_ARGMINMAX;
    const argmax_cl_tensor *const t = d->input;
    if (!argmax_cl_dtype_size(t->dtype) || t->rank < 1 || t->rank > MAX_RANK || !t->sizes)
        return false;
    const shape in = shape_of(t->rank, t->sizes);
    if (!product_fits(&in) || !axes_allowed(d, t->rank, reduced) ||
        !addresses_fit(&in, t->strides, t->offset, (uint32_t)argmax_cl_dtype_size(t->dtype)))
        return false;
    const wide reduction = reduction_of(&in, reduced, kept, &nothing);
    const shape out = shape_of(t->rank, kept);
    return !nothing && (!d->mask || (d->mask->dtype == ARGMAX_CL_UINT8 && shaped_allowed(d->mask, &in))) &&
           outputs_allowed(d->index, d->value, d, &out, reduction) &&
           (both ? outputs_allowed(d->max_index, d->max_value, d, &out, reduction)
                 : !d->max_index && !d->max_value && !d->max_direction);
}

#else

bool desc_allowed(const desc_input *input, bool *known) {
    (void)input;
    *known = false;
    return false;
}

#endif
