#include "desc_input.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(size_t bytes) {
    void *const memory = malloc(bytes ? bytes : 1);
    REQUIRE(memory, "%zu bytes", bytes);
    return memory;
}

/* Mostly the size of this version; also smaller ones, of which those below the `first` version's are none, absurd ones,
 * and later versions with or without a field set. */
static bool take_struct_size(source *s, uint8_t *room, size_t first, size_t known) {
    const uint8_t kind = take_byte(s);
    size_t size = known;
    if (kind >= 250)
        size = kind == 255 ? (size_t)take_u64(s) : kind == 254 ? known - 8 : known + (size_t)(kind - 250) * 8;
    const bool larger = size > known && size <= 1024;
    if (larger)
        room[known] = kind & 1;
    memcpy(room, &size, sizeof size);
    return size % sizeof(void *) == 0 && ((size >= first && size <= known) || (larger && !(kind & 1)));
}

static int take_enum(source *s, int count) {
    const uint8_t byte = take_byte(s);
    return byte < 248 ? byte % count : (int)(int8_t)take_byte(s);
}

static uint32_t take_rank(source *s) {
    const uint8_t byte = take_byte(s);
    return byte < 248 ? 1u + byte % MAX_RANK : (uint32_t)take_number(s);
}

/* Strides that fit on each other from the last axis on, and what breaks that. */
static int64_t take_stride(source *s, uint64_t size, uint64_t *span) {
    const uint8_t kind = take_byte(s);
    uint64_t stride = *span;
    switch (kind % 16) {
    case 8:
        stride = 0;
        break;
    case 9:
        stride = take_number(s);
        break;
    case 10:
        stride = *span + kind / 16;
        break;
    case 11:
        stride = *span / 2;
        break;
    case 12:
        stride = (uint64_t)INT64_MIN;
        break;
    default:
        break;
    }
    if (stride == *span || kind % 16 == 10)
        *span = stride * (size ? size : 1);
    return (int64_t)(kind % 2 && kind % 16 < 8 ? 0 - stride : stride);
}

static void take_strides(source *s, uint32_t rank, const uint64_t *sizes, int64_t *strides) {
    uint32_t order[MAX_RANK];
    uint64_t span = 1;
    const uint32_t turn = take_byte(s);
    const uint32_t step = take_byte(s) % 4u * 2 + 1; /* odd: every axis comes once where the rank is 2^n */
    for (uint32_t i = 0; i < rank; ++i)
        order[i] = turn < 128 ? rank - 1 - i : (i * step + turn) % rank;
    for (uint32_t i = 0; i < rank; ++i)
        strides[i] = 0;
    for (uint32_t i = 0; i < rank; ++i)
        strides[order[i]] = take_stride(s, sizes[order[i]], &span);
}

/* The least that keeps negative strides in the buffer, some more, or anything. */
static uint64_t take_offset(source *s, uint32_t rank, const uint64_t *sizes, const int64_t *strides) {
    const uint8_t kind = take_byte(s);
    uint64_t offset = 0;
    for (uint32_t i = 0; i < rank && strides; ++i)
        if (strides[i] < 0 && sizes[i] > 1)
            offset += (sizes[i] - 1) * (0 - (uint64_t)strides[i]);
    return kind < 160 ? offset : kind < 224 ? offset + take_number(s) : take_number(s);
}

/* `shape` is the one that the contract asks for; NULL: any. */
static bool take_tensor(source *s, argmax_cl_dtype dtype, uint32_t rank, const uint64_t *shape, desc_tensor *t) {
    argmax_cl_tensor *const tensor = &t->as.tensor;
    const bool sound = take_struct_size(s, t->as.room, sizeof *tensor, sizeof *tensor);
    const uint8_t form = take_byte(s);
    t->given = true;
    tensor->dtype = dtype;
    tensor->rank = rank;
    if (shape && form < 100) { /* the shape follows from the input */
        tensor->rank = 0;
        tensor->offset = take_offset(s, 0, NULL, NULL);
        return sound;
    }
    const uint32_t count = rank <= MAX_RANK ? rank : MAX_RANK;
    t->sizes = allocate(count * sizeof *t->sizes);
    for (uint32_t i = 0; i < count; ++i)
        t->sizes[i] = shape ? shape[i] : take_number(s);
    if (form >= 250 && count)
        t->sizes[form % count] = take_number(s);
    tensor->sizes = form == 249 ? NULL : t->sizes;
    if (form % 2) {
        t->strides = allocate(count * sizeof *t->strides);
        take_strides(s, count, t->sizes, t->strides);
        tensor->strides = t->strides;
    }
    tensor->offset = take_offset(s, count, t->sizes, t->strides);
    if (form == 248)
        tensor->rank = (uint32_t)take_number(s) % (count + 1); /* no more than there are */
    return sound;
}

static void take_axes(source *s, uint32_t rank, desc_input *d) {
    argmax_cl_desc *const desc = &d->as.desc;
    const uint8_t mask = take_byte(s), form = take_byte(s);
    uint32_t count = 0, axes[MAX_RANK] = {0};
    for (uint32_t i = 0; i < MAX_RANK && i < rank; ++i) {
        const uint32_t axis = form % 2 ? rank - 1 - i : i;
        if (mask >> i & 1)
            axes[count++] = axis;
    }
    if (!count)
        axes[count++] = 0;
    desc->axis_count = form == 254 ? rank + 1 + mask : form == 252 ? 0 : count;
    d->listed = count;
    const uint32_t listed = form == 254 ? MAX_RANK : count; /* a tensor that says to be of a higher rank has them all */
    d->axes = allocate(listed * sizeof *d->axes);
    memcpy(d->axes, axes, listed * sizeof *d->axes);
    if (form == 255)
        d->axes[mask % count] = (uint32_t)take_number(s);
    desc->axes = form == 253 ? NULL : d->axes;
}

static void output_shape(const desc_input *d, uint32_t rank, uint64_t shape[MAX_RANK]) {
    for (uint32_t i = 0; i < rank; ++i)
        shape[i] = d->input.sizes[i];
    for (uint32_t i = 0; i < d->listed; ++i)
        if (d->axes[i] < rank)
            shape[d->axes[i]] = 1;
}

static const argmax_cl_dtype index_types[] = {ARGMAX_CL_INT64, ARGMAX_CL_INT32, ARGMAX_CL_UINT64, ARGMAX_CL_UINT32};

/* The fields that the first version of a descriptor has not: what the operator asks for, mostly. */
static void take_mask_and_maximum(source *s, uint32_t rank, argmax_cl_dtype dtype, const uint64_t *shape,
                                  desc_input *d) {
    argmax_cl_desc *const desc = &d->as.desc;
    const uint8_t given = take_byte(s);
    const bool both = d->op == ARGMAX_CL_ARGMINMAX ? given != 255 : given == 254;
    if (given % 2 && given < 240) {
        const uint8_t other = take_byte(s);
        const argmax_cl_dtype type = other < 250 ? ARGMAX_CL_UINT8 : (argmax_cl_dtype)take_byte(s);
        d->sound_struct &= take_tensor(s, type, rank, d->input.sizes, &d->mask);
        desc->mask = &d->mask.as.tensor;
    }
    if (both) {
        d->sound_struct &= take_tensor(s, index_types[given / 4 % 4], rank, shape, &d->max_index);
        desc->max_index = &d->max_index.as.tensor;
        desc->max_direction = (argmax_cl_direction)take_enum(s, 2);
    } else if (given == 253) {
        desc->max_direction = ARGMAX_CL_DECREASING;
    }
    if (both && given / 2 % 2) {
        d->sound_struct &= take_tensor(s, given == 254 ? index_types[0] : dtype, rank, shape, &d->max_value);
        desc->max_value = &d->max_value.as.tensor;
    }
}

void desc_input_take(source *s, desc_input *d) {
    uint64_t shape[MAX_RANK] = {0};
    argmax_cl_desc *const desc = &d->as.desc;
    memset(d, 0, sizeof *d);
    d->sound_struct = take_struct_size(s, d->as.room, offsetof(argmax_cl_desc, mask), sizeof *desc);
    d->op = (argmax_cl_operator)take_enum(s, 3);
    desc->axis_direction = (argmax_cl_direction)take_enum(s, 2);
    desc->nan_mode = (argmax_cl_nan_mode)take_enum(s, 2);
    const uint32_t rank = take_rank(s), known = rank <= MAX_RANK ? rank : MAX_RANK;
    const argmax_cl_dtype dtype = (argmax_cl_dtype)(take_enum(s, 12) + 1);
    d->sound_struct &= take_tensor(s, dtype, rank, NULL, &d->input);
    take_axes(s, rank, d);
    output_shape(d, known, shape);
    const uint8_t outputs = take_byte(s);
    const argmax_cl_dtype index = outputs == 255 ? (argmax_cl_dtype)take_byte(s) : index_types[outputs % 4];
    d->sound_struct &= take_tensor(s, index, known, shape, &d->index);
    if (outputs / 4 % 2)
        d->sound_struct &= take_tensor(s, outputs == 254 ? index : dtype, known, shape, &d->value);
    desc->input = outputs == 253 ? NULL : &d->input.as.tensor;
    desc->index = outputs == 252 ? NULL : &d->index.as.tensor;
    desc->value = d->value.given ? &d->value.as.tensor : NULL;
    take_mask_and_maximum(s, known, dtype, shape, d);
}

void desc_input_free(desc_input *d) {
    desc_tensor *const tensors[] = {&d->input, &d->index, &d->value, &d->mask, &d->max_index, &d->max_value};
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; ++i) {
        free(tensors[i]->sizes);
        free(tensors[i]->strides);
    }
    free(d->axes);
}

void take_device(source *s, device_facts *device, uint32_t *group_limit) {
    const uint8_t flags = take_byte(s), units = take_byte(s), groups = take_byte(s), kind = take_byte(s);
    memset(device, 0, sizeof *device);
    device->type = flags & 1 ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU;
    device->clang_cpu = !(flags & 1) && flags & 2;
    device->little_endian = !(flags & 4);
    device->aligned_buffers = (flags & 1) && flags & 8;
    device->nv_ptx = (flags & 1) && flags & 16;
    device->sub_group = !device->nv_ptx && flags & 64 ? 16 : 0;
    device->wide_atomics = device->nv_ptx || flags & 32;
    device->compute_units = units < 240 ? 1u + units : 1u << (units - 240) * 2;
    *group_limit = groups < 32 ? 1u << groups / 2 : groups < 64 ? groups : 65536u >> groups % 17;
    if (*group_limit > 65536)
        *group_limit = 65536;
    device->max_group = *group_limit;
    device->local_bytes = (cl_ulong)*group_limit * 40 + (kind & 64 ? 65536 : 0);
    device->max_buffer = (cl_ulong)1 << (kind & 32 ? 31 : 62);
    device->ordering = device->nv_ptx ? ORDERING_PTX : kind % 4 == 3 ? ORDERING_NONE : (ordering)(kind % 4);
    device->address_bits = kind & 128 ? 32 : 64;
    snprintf(device->name, sizeof device->name, "fuzz");
}

static const struct {
    const char *name;
    uint32_t least, most;
    bool power;
} fields[] = {
#define FIELD(rows, name, least, most, power, otherwise, meaning) {#name, least, most, power},
#include "policy/tuning.def"
};

#define FIELD_COUNT (sizeof fields / sizeof fields[0])

void take_tuning(source *s, const device_facts *device) {
    char text[1000];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", tuning_class(device));
    const uint8_t count = take_byte(s);
    for (uint8_t i = 0; i < count % 12; ++i) {
        const size_t field = take_byte(s) % FIELD_COUNT;
        uint64_t value = take_number(s);
        value = value < fields[field].least  ? fields[field].least
                : value > fields[field].most ? fields[field].most
                                             : value;
        while (fields[field].power && value & (value - 1))
            value &= value - 1;
        used += (size_t)snprintf(text + used, sizeof text - used, " %s=%" PRIu64, fields[field].name, value);
    }
    setenv("ARGMAX_CL_TUNING", count % 12 ? scratch_file(text, used) : "", 1);
}
