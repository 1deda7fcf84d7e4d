#include "mask.h"
#include "input.h"

#include <stdlib.h>
#include <string.h>

/* NumPy's rule: shapes are aligned at the end, and an axis that is missing or has size 1 repeats. */
static bool broadcast(mask_file *k, const array *input, const char *input_name, message *m) {
    const array *a = &k->source.a;
    char own[SHAPE_TEXT], whole[SHAPE_TEXT];
    bool good = a->rank <= input->rank;
    const uint32_t ahead = good ? input->rank - a->rank : 0; /* axes that it lacks */
    int64_t stride = 1;
    for (uint32_t i = 0; i < a->rank && good; ++i) {
        const uint32_t axis = a->fortran_order ? i : a->rank - 1 - i;
        good = a->sizes[axis] == 1 || a->sizes[axis] == input->sizes[ahead + axis];
        k->strides[ahead + axis] = a->sizes[axis] == 1 ? 0 : stride;
        stride *= a->sizes[axis] ? (int64_t)a->sizes[axis] : 1;
    }
    if (good)
        return true;
    format_shape(own, a->rank, a->sizes);
    format_shape(whole, input->rank, input->sizes);
    return complain(
        m, "%s: a mask of shape %s, expected one that broadcasts to %s of %s: the same sizes from the end, or 1",
        k->source.name, own, whole, input_name);
}

bool mask_open(mask_file *k, const char *path, const array *input, const char *input_name, message *m) {
    const array *a = &k->source.a;
    if (!input_open(path, false, &k->source, &k->identity, m))
        return false;
    if (a->dtype != ARGMAX_CL_UINT8 && a->dtype != ARGMAX_CL_INT8)
        return complain(m, "%s: a mask of %s, expected bool, uint8 or int8", k->source.name, array_type_name(a));
    if (a->packing.is_packed)
        return complain(m, "%s: a mask with scale_factor or add_offset, expected plain bytes", k->source.name);
    return broadcast(k, input, input_name, m);
}

bool mask_read(mask_file *k, const array *input, message *m) {
    const array *a = &k->source.a;
    const box whole = box_whole(a);
    uint64_t zeros = 0;
    k->data = page_memory(a->bytes, k->source.name, m);
    if (!k->data || !k->source.read(&k->source, &whole, k->data, m) || !input_unchanged(&k->source, &k->identity, m))
        return false;
    for (uint64_t i = 0; i < a->count; ++i)
        zeros += k->data[i] == 0;
    k->left_out = a->count ? input->count / a->count * zeros : 0;
    return true;
}

uint64_t mask_offset(const mask_file *k, const box *b, uint32_t rank) {
    uint64_t offset = 0;
    for (uint32_t axis = 0; axis < rank; ++axis)
        offset += b->start[axis] * (uint64_t)k->strides[axis];
    return offset;
}

void mask_combine(const mask_file *k, const array *input, const box *b, uint8_t *packed) {
    const uint32_t rank = input->rank;
    const uint32_t inner = input->fortran_order ? 0 : rank - 1; /* the contiguous axis of the block */
    const uint64_t run = b->size[inner], stride = (uint64_t)k->strides[inner];
    uint64_t position[ARGMAX_CL_MAX_RANK] = {0};
    const uint8_t *from = k->data + mask_offset(k, b, rank);
    for (uint64_t runs = run ? box_count(b, rank) / run : 0; runs > 0; --runs, packed += run) {
        for (uint64_t i = 0; i < run; ++i)
            packed[i] &= from[i * stride] != 0;
        for (uint32_t i = 1; i < rank; ++i) {
            const uint32_t axis = input->fortran_order ? i : rank - 1 - i;
            from += k->strides[axis];
            if (++position[axis] < b->size[axis])
                break;
            from -= (int64_t)b->size[axis] * k->strides[axis];
            position[axis] = 0;
        }
    }
}

void mask_close(mask_file *k) {
    free(k->data);
    reader_close(&k->source);
    *k = (mask_file){.data = NULL};
}
