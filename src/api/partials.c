/* The public functions on partials: descriptors and blocks checked, then problem/partial.c and stream.c. */
#include "problem/partial.h"

#include "api/handle.h"
#include "api/host_arrays.h"
#include "api/stream.h"
#include "api/structs.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* A checked block: by axis, of MAX_RANK axes; and its mask. */
typedef struct block_place {
    uint64_t size[MAX_RANK], start[MAX_RANK];
    const void *mask;
} block_place;

/* Everything about the block lies within 63 bits, so that no index wraps. */
static argmax_cl_status check_block(const argmax_cl_block *given, const problem *p, block_place *out) {
    argmax_cl_block block = ARGMAX_CL_BLOCK_INIT;
    uint64_t product = 1;
    bool empty = false;
    for (uint32_t axis = 0; axis < MAX_RANK; axis++) {
        out->size[axis] = p->input.size[axis];
        out->start[axis] = 0;
    }
    out->mask = NULL;
    if (!given)
        return ARGMAX_CL_SUCCESS;
    const argmax_cl_status status = STRUCT_READ("block", argmax_cl_block, start, given, &block);
    if (status)
        return status;
    out->mask = block.mask;
    if (!block.sizes && !block.start)
        return ARGMAX_CL_SUCCESS;
    if (!block.sizes || !block.start)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "block->%s = NULL: expected %" PRIu32 " numbers",
                    block.sizes ? "start" : "sizes", p->rank);
    for (uint32_t axis = 0; axis < p->rank; axis++) {
        const uint64_t size = block.sizes[axis], start = block.start[axis], extent = p->input.size[axis];
        if (start > size || extent > size - start)
            return fail(ARGMAX_CL_ERROR_INVALID_BLOCK,
                        "block->start[%" PRIu32 "] = %" PRIu64 ": %" PRIu64
                        " elements from there; expected an end of at "
                        "most block->sizes[%" PRIu32 "] = %" PRIu64,
                        axis, start, extent, axis, size);
        empty = empty || size == 0;
        out->size[axis] = size;
        out->start[axis] = start;
    }
    for (uint32_t axis = 0; axis < p->rank && !empty; axis++)
        if (!multiply_u64(product, out->size[axis], &product) || product > INT64_MAX)
            return fail(ARGMAX_CL_ERROR_OVERFLOW,
                        "block->sizes[%" PRIu32 "] = %" PRIu64 ": expected a product of all sizes of at most 2^63-1",
                        axis, out->size[axis]);
    return ARGMAX_CL_SUCCESS;
}

/* The descriptor with outputs that partials are made of: their shape follows, whatever the caller's are. */
static argmax_cl_status check_for_partials(argmax_cl_operator op, const argmax_cl_desc *given, problem *p) {
    argmax_cl_desc desc;
    argmax_cl_tensor input, index = ARGMAX_CL_TENSOR_INIT, value = ARGMAX_CL_TENSOR_INIT;
    argmax_cl_status status = STRUCT_READ("desc", argmax_cl_desc, tuning, given, &desc);
    if (!status)
        status = STRUCT_READ("input", argmax_cl_tensor, offset, desc.input, &input);
    if (status)
        return status;
    index.dtype = ARGMAX_CL_INT64;
    value.dtype = input.dtype;
    desc.struct_size = sizeof desc;
    desc.index = &index;
    desc.value = &value;
    desc.max_index = op == ARGMAX_CL_ARGMINMAX ? &index : NULL;
    desc.max_value = op == ARGMAX_CL_ARGMINMAX ? &value : NULL;
    return check_desc(op, &desc, p);
}

static argmax_cl_status check_present(const char *name, const void *pointer, uint64_t outputs) {
    return pointer || outputs == 0 ? ARGMAX_CL_SUCCESS
                                   : fail(ARGMAX_CL_ERROR_INVALID_BUFFER,
                                          "%s = NULL: expected an array of %" PRIu64 " partials", name, outputs);
}

static argmax_cl_status stream_partials(argmax_cl_handle handle, problem *p, const block_place *place,
                                        const void *input, argmax_cl_partial *partials,
                                        const argmax_cl_host_options *options) {
    double compute = 0, total = 0;
    tuning_row tuning;
    const stream_task task = {.handle = handle,
                              .problem = p,
                              .arrays = {.input = input, .mask = place->mask},
                              .partials = partials,
                              .whole = place->size,
                              .origin = place->start,
                              .options = options,
                              .tuning = &tuning};
    argmax_cl_status status = strategy_request(p);
    if (!status)
        status = tuning_choose(p->tuning, &handle->facts, &tuning);
    if (!status && p->outputs)
        status = stream_run(&task, &compute, &total);
    if (!status && options->seconds_compute)
        *options->seconds_compute = compute;
    if (!status && options->seconds_transfer)
        *options->seconds_transfer = total > compute ? total - compute : 0;
    return status;
}

argmax_cl_status argmax_cl_partials_host(argmax_cl_handle handle, argmax_cl_operator op, const argmax_cl_desc *desc,
                                         const argmax_cl_block *block, const void *input, argmax_cl_partial *partials,
                                         const argmax_cl_host_options *given) {
    argmax_cl_host_options options = ARGMAX_CL_HOST_OPTIONS_INIT;
    problem p;
    block_place place;
    argmax_cl_status status = argmax_cl_get_device(handle, NULL, NULL);
    if (!status)
        status = device_enter();
    if (!status)
        status = check_for_partials(op, desc, &p);
    if (!status)
        status = check_block(block, &p, &place);
    if (!status && given)
        status = STRUCT_READ("options", argmax_cl_host_options, seconds_transfer, given, &options);
    if (!status)
        status = host_array_check("input", input, &p.input);
    if (!status)
        status = host_array_check("block->mask", place.mask, &p.mask);
    if (!status)
        status = check_present("partials", partials, p.outputs * extremes_of(&p));
    if (!status)
        status = stream_partials(handle, &p, &place, input, partials, &options);
    return status;
}

/* The outputs of extreme x, as those of an operator with one. */
static argmax_cl_host_arrays arrays_of_extreme(const argmax_cl_host_arrays *arrays, uint32_t x) {
    argmax_cl_host_arrays one = *arrays;
    if (x) {
        one.index = arrays->max_index;
        one.value = arrays->max_value;
    }
    return one;
}

/* Packed copies of both answers, unless they are packed. */
static argmax_cl_status add(const problem *p, const partial_place *place, const argmax_cl_host_arrays *arrays,
                            argmax_cl_partial *partials) {
    assert(p->index.type && p->value.type);
    const bool index_packed = host_is_packed(&p->index), value_packed = host_is_packed(&p->value);
    const size_t index_bytes = (size_t)p->outputs * (p->index.type->bits / 8);
    const size_t value_bytes = (size_t)p->outputs * (p->value.type->bits / 8);
    void *const index_copy = index_packed ? NULL : malloc(index_bytes);
    void *const value_copy = value_packed ? NULL : malloc(value_bytes);
    const bool good = (index_copy || index_packed) && (value_copy || value_packed);
    if (good && index_copy)
        host_gather(arrays->index, &p->index, index_copy);
    if (good && value_copy)
        host_gather(arrays->value, &p->value, value_copy);
    if (good)
        partials_from_answers(p, place, p->index.type, p->outputs,
                              index_copy ? index_copy : host_element(arrays->index, &p->index, p->index.first),
                              value_copy ? value_copy : host_element(arrays->value, &p->value, p->value.first), false,
                              partials);
    free(index_copy);
    free(value_copy);
    return good ? ARGMAX_CL_SUCCESS
                : fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for packed copies of the answers, %zu bytes",
                       index_bytes + value_bytes);
}

argmax_cl_status argmax_cl_partials_add(argmax_cl_operator op, const argmax_cl_desc *desc, const argmax_cl_block *block,
                                        const argmax_cl_host_arrays *given, argmax_cl_partial *partials) {
    argmax_cl_host_arrays arrays;
    problem p;
    block_place place;
    argmax_cl_status status = check_desc(op, desc, &p);
    if (!status && !(p.value.type && (p.max_value.type || !wants_both(&p))))
        status = fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "desc->%s = NULL: expected a tensor, as partials hold values",
                      p.value.type ? "max_value" : "value");
    if (!status)
        status = check_block(block, &p, &place);
    if (!status)
        status = host_outputs_check(given, &p, &arrays);
    if (!status)
        status = check_present("partials", partials, p.outputs * extremes_of(&p));
    if (status || p.outputs == 0)
        return status;
    const partial_place reduced = partial_place_of(&p, place.start, p.input.size, place.size);
    for (uint32_t x = 0; x < extremes_of(&p) && !status; x++) {
        const problem one = problem_of_extreme(&p, x);
        const argmax_cl_host_arrays its = arrays_of_extreme(&arrays, x);
        status = add(&one, &reduced, &its, partials + x * p.outputs);
    }
    return status;
}

argmax_cl_status argmax_cl_partials_merge(uint64_t count, argmax_cl_partial *into, const argmax_cl_partial *from) {
    argmax_cl_status status = check_present("into", into, count);
    if (!status)
        status = check_present("from", from, count);
    if (!status)
        partials_merge(count, into, from);
    return status;
}

/* Straight into the caller's arrays where they are packed. */
static argmax_cl_status finish(const problem *p, const argmax_cl_partial *partials,
                               const argmax_cl_host_arrays *arrays) {
    const bool index_packed = host_is_packed(&p->index), value_packed = !p->value.type || host_is_packed(&p->value);
    const size_t index_bytes = (size_t)p->outputs * (p->index.type->bits / 8);
    const size_t value_bytes = (size_t)p->outputs * (p->input.type->bits / 8);
    void *const index_copy = index_packed ? NULL : malloc(index_bytes);
    void *const value_copy = value_packed ? NULL : malloc(value_bytes);
    const bool good = (index_copy || index_packed) && (value_copy || value_packed);
    if (good)
        partials_to_answers(p, p->outputs, partials,
                            index_copy ? index_copy : host_element(arrays->index, &p->index, p->index.first),
                            value_copy      ? value_copy
                            : p->value.type ? host_element(arrays->value, &p->value, p->value.first)
                                            : NULL);
    if (good && index_copy)
        host_scatter(arrays->index, &p->index, index_copy);
    if (good && value_copy)
        host_scatter(arrays->value, &p->value, value_copy);
    free(index_copy);
    free(value_copy);
    return good ? ARGMAX_CL_SUCCESS
                : fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for packed copies of the answers, %zu bytes",
                       index_bytes + value_bytes);
}

argmax_cl_status argmax_cl_partials_finish(argmax_cl_operator op, const argmax_cl_desc *desc,
                                           const argmax_cl_partial *partials, const argmax_cl_host_arrays *given) {
    argmax_cl_host_arrays arrays;
    problem p;
    argmax_cl_status status = check_desc(op, desc, &p);
    if (!status)
        status = host_outputs_check(given, &p, &arrays);
    if (!status)
        status = check_present("partials", partials, p.outputs * extremes_of(&p));
    for (uint32_t x = 0; x < extremes_of(&p) && !status && p.outputs; x++) {
        const problem one = problem_of_extreme(&p, x);
        const argmax_cl_host_arrays its = arrays_of_extreme(&arrays, x);
        status = finish(&one, partials + x * p.outputs, &its);
    }
    return status;
}
