#include "problem.h"

#include <string.h>

/* ---- Names ---------------------------------------------------------------------------------------------------- */

const problem_dtype problem_dtypes[PROBLEM_DTYPE_COUNT] = {
    {ARGMAX_CL_FLOAT32, "float32", 32, 23, true, false}, {ARGMAX_CL_FLOAT16, "float16", 16, 10, true, false},
    {ARGMAX_CL_FLOAT64, "float64", 64, 52, true, false}, {ARGMAX_CL_BFLOAT16, "bfloat16", 16, 7, true, false},
    {ARGMAX_CL_INT8, "int8", 8, 0, true, false},         {ARGMAX_CL_INT16, "int16", 16, 0, true, false},
    {ARGMAX_CL_INT32, "int32", 32, 0, true, true},       {ARGMAX_CL_INT64, "int64", 64, 0, true, true},
    {ARGMAX_CL_UINT8, "uint8", 8, 0, false, false},      {ARGMAX_CL_UINT16, "uint16", 16, 0, false, false},
    {ARGMAX_CL_UINT32, "uint32", 32, 0, false, true},    {ARGMAX_CL_UINT64, "uint64", 64, 0, false, true},
};

const char *const data_kind_names[DATA_KIND_COUNT] = {
    "random", "ties", "constant", "increasing", "decreasing", "nan",     "allnan", "special", "bits",  "zeros",
    "worst",  "best", "peak",     "pair",       "nanpeak",    "nanpair", "number", "far",     "close",
};

const char *const mask_data_names[MASK_DATA_COUNT] = {"absent", "half", "few", "most", "all", "nothing"};
const char *const run_route_names[ROUTE_COUNT] = {"plan", "call", "host"};
const char *const run_queue_names[QUEUE_COUNT] = {"in", "silent", "out"};
const char *const run_memory_names[MEMORY_COUNT] = {"device", "host"};

const problem_dtype *problem_dtype_find(argmax_cl_dtype dtype) {
    for (size_t i = 0; i < PROBLEM_DTYPE_COUNT; i++)
        if (problem_dtypes[i].dtype == dtype)
            return &problem_dtypes[i];
    return NULL;
}

const problem_dtype *problem_dtype_named(const char *name) {
    for (size_t i = 0; i < PROBLEM_DTYPE_COUNT; i++)
        if (strcmp(problem_dtypes[i].name, name) == 0)
            return &problem_dtypes[i];
    return NULL;
}

/* ---- What follows from a problem ------------------------------------------------------------------------------ */

bool problem_axis_reduced(const problem_line *p, uint32_t axis) {
    for (uint32_t i = 0; i < p->axis_count; i++)
        if (p->axes[i] == axis)
            return true;
    return false;
}

void problem_output_sizes(const problem_line *p, uint64_t sizes[PROBLEM_MAX_RANK]) {
    for (uint32_t d = 0; d < p->rank; d++)
        sizes[d] = problem_axis_reduced(p, d) ? 1 : p->size[d];
}

static uint64_t product(uint32_t rank, const uint64_t *sizes) {
    uint64_t count = 1;
    for (uint32_t d = 0; d < rank; d++)
        count *= sizes[d];
    return count;
}

uint64_t problem_input_count(const problem_line *p) {
    return product(p->rank, p->size);
}

uint64_t problem_output_count(const problem_line *p) {
    uint64_t sizes[PROBLEM_MAX_RANK];
    problem_output_sizes(p, sizes);
    return product(p->rank, sizes);
}

uint64_t problem_reduction_count(const problem_line *p) {
    uint64_t count = 1;
    for (uint32_t i = 0; i < p->axis_count; i++)
        count *= p->size[p->axes[i]];
    return count;
}

/* Distance from position 0 to the lowest (up = false) or highest element addressed. */
static uint64_t reach(uint32_t rank, const uint64_t *sizes, const int64_t *strides, bool up) {
    uint64_t sum = 0;
    for (uint32_t d = 0; d < rank; d++)
        if (sizes[d] > 1 && (strides[d] > 0) == up)
            sum += (sizes[d] - 1) * (uint64_t)(strides[d] < 0 ? -strides[d] : strides[d]);
    return sum;
}

static uint64_t extent(uint32_t rank, const uint64_t *sizes, const problem_tensor *t) {
    return product(rank, sizes) == 0 ? 0 : t->offset + reach(rank, sizes, t->stride, true) + 1;
}

uint64_t problem_input_extent(const problem_line *p) {
    return extent(p->rank, p->size, &p->input);
}

uint64_t problem_mask_extent(const problem_line *p) {
    return p->mask_of == MASK_ABSENT ? 0 : extent(p->rank, p->size, &p->mask);
}

uint64_t problem_output_extent(const problem_line *p, const problem_tensor *output) {
    uint64_t sizes[PROBLEM_MAX_RANK];
    problem_output_sizes(p, sizes);
    return extent(p->rank, sizes, output);
}

static void resolve_tensor(uint32_t rank, const uint64_t *sizes, problem_tensor *t) {
    if (!t->has_strides) {
        uint64_t packed = 1;
        for (uint32_t d = rank; d-- > 0;) {
            t->stride[d] = (int64_t)packed;
            packed *= sizes[d] ? sizes[d] : 1;
        }
    }
    if (!t->has_offset)
        t->offset = reach(rank, sizes, t->stride, false);
}

void problem_resolve(problem_line *p) {
    uint64_t sizes[PROBLEM_MAX_RANK] = {0};
    problem_output_sizes(p, sizes);
    resolve_tensor(p->rank, p->size, &p->input);
    resolve_tensor(p->rank, sizes, &p->index);
    resolve_tensor(p->rank, sizes, &p->value);
    resolve_tensor(p->rank, p->size, &p->mask);
    resolve_tensor(p->rank, sizes, &p->max_index);
    resolve_tensor(p->rank, sizes, &p->max_value);
}

bool problem_offsets_fit(const problem_line *p) {
    uint64_t sizes[PROBLEM_MAX_RANK];
    problem_output_sizes(p, sizes);
    return p->input.offset >= reach(p->rank, p->size, p->input.stride, false) &&
           p->index.offset >= reach(p->rank, sizes, p->index.stride, false) &&
           p->value.offset >= reach(p->rank, sizes, p->value.stride, false) &&
           p->mask.offset >= reach(p->rank, p->size, p->mask.stride, false) &&
           p->max_index.offset >= reach(p->rank, sizes, p->max_index.stride, false) &&
           p->max_value.offset >= reach(p->rank, sizes, p->max_value.stride, false);
}

void problem_init(problem_line *p) {
    memset(p, 0, sizeof *p);
    p->dtype = ARGMAX_CL_FLOAT32;
    p->index_type = ARGMAX_CL_INT64;
    p->max_index_type = ARGMAX_CL_INT64;
}

static argmax_cl_tensor describe_tensor(argmax_cl_dtype dtype, uint32_t rank, const uint64_t *sizes,
                                        const problem_tensor *t) {
    argmax_cl_tensor tensor = ARGMAX_CL_TENSOR_INIT;
    tensor.dtype = dtype;
    tensor.rank = rank;
    tensor.sizes = sizes;
    tensor.strides = t->has_strides ? t->stride : NULL;
    tensor.offset = t->offset;
    return tensor;
}

void problem_describe(const problem_line *p, problem_desc *d) {
    problem_output_sizes(p, d->output_size);
    d->input = describe_tensor(p->dtype, p->rank, p->size, &p->input);
    d->index = describe_tensor(p->index_type, p->rank, d->output_size, &p->index);
    d->value = describe_tensor(p->dtype, p->rank, d->output_size, &p->value);
    d->mask = describe_tensor(ARGMAX_CL_UINT8, p->rank, p->size, &p->mask);
    d->max_index = describe_tensor(p->max_index_type, p->rank, d->output_size, &p->max_index);
    d->max_value = describe_tensor(p->dtype, p->rank, d->output_size, &p->max_value);
    argmax_cl_desc_init(&d->desc);
    d->desc.input = &d->input;
    d->desc.index = &d->index;
    d->desc.value = p->has_value ? &d->value : NULL;
    d->desc.mask = p->mask_of != MASK_ABSENT ? &d->mask : NULL;
    if (p->op == ARGMAX_CL_ARGMINMAX) {
        d->desc.max_index = &d->max_index;
        d->desc.max_value = p->has_max_value ? &d->max_value : NULL;
        d->desc.max_direction = p->max_direction;
    }
    d->desc.axis_count = p->axis_count;
    d->desc.axes = p->axes;
    d->desc.axis_direction = p->direction;
    d->desc.nan_mode = p->nan_mode;
    d->desc.strategy = p->strategy[0] ? p->strategy : NULL;
    /* Changed fields come with their row, by a file: see tuned.h. */
    d->desc.tuning = p->tuning[0] && !p->fields[0] ? p->tuning : NULL;
}
