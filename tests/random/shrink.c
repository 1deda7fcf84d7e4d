#include "shrink.h"

#include <string.h>

typedef struct hunt {
    problem_line *best;
    shrink_fails fails;
    void *context;
    unsigned tried, most;
} hunt;

static bool same(const problem_line *a, const problem_line *b) {
    char one[PROBLEM_LINE_SIZE], other[PROBLEM_LINE_SIZE];
    problem_print(a, one, sizeof one);
    problem_print(b, other, sizeof other);
    return strcmp(one, other) == 0;
}

/* Keep the candidate if it differs and fails. */
static bool try(hunt *h, problem_line *candidate) {
    problem_resolve(candidate);
    if (h->tried >= h->most || same(candidate, h->best) || !problem_offsets_fit(candidate))
        return false;
    h->tried++;
    if (!h->fails(h->context, candidate))
        return false;
    *h->best = *candidate;
    return true;
}

/* ---- Words of the line ---------------------------------------------------------------------------------------- */

/* What a line can do without, those first that take most with them. */
typedef enum word {
    WORD_FIELDS,
    WORD_TUNING,
    WORD_STRATEGY,
    WORD_ROUTE,
    WORD_QUEUE,
    WORD_MEMORY,
    WORD_MASK,
    WORD_MASK_LAYOUT,
    WORD_MAXIMUM,
    WORD_MAX_OUTPUTS,
    WORD_VALUE,
    WORD_INPUT,
    WORD_INPUT_STRIDES,
    WORD_INPUT_OFFSET,
    WORD_INDEX,
    WORD_INDEX_STRIDES,
    WORD_INDEX_OFFSET,
    WORD_VALUE_LAYOUT,
    WORD_VALUE_STRIDES,
    WORD_VALUE_OFFSET,
    WORD_INDEX_TYPE,
    WORD_NAN,
    WORD_DIRECTION,
    WORD_OPERATOR,
    WORD_SEED,
    WORD_COUNT
} word;

static void drop(problem_line *p, word w) {
    switch (w) {
    case WORD_FIELDS:
        p->fields[0] = 0;
        break;
    case WORD_TUNING:
        p->tuning[0] = p->fields[0] = 0;
        break;
    case WORD_STRATEGY:
        p->strategy[0] = 0;
        break;
    case WORD_ROUTE:
        p->has_route = false;
        p->route = ROUTE_PLAN;
        break;
    case WORD_QUEUE:
        p->queue = QUEUE_IN_ORDER;
        break;
    case WORD_MEMORY:
        p->memory = MEMORY_DEVICE;
        break;
    case WORD_MASK:
        p->mask_of = MASK_ABSENT;
        memset(&p->mask, 0, sizeof p->mask);
        break;
    case WORD_MASK_LAYOUT:
        memset(&p->mask, 0, sizeof p->mask);
        break;
    case WORD_MAXIMUM:
        p->op = p->op == ARGMAX_CL_ARGMINMAX ? ARGMAX_CL_ARGMIN : p->op;
        break;
    case WORD_MAX_OUTPUTS:
        p->has_max_value = false;
        p->max_direction = ARGMAX_CL_INCREASING;
        p->max_index_type = ARGMAX_CL_INT64;
        memset(&p->max_index, 0, sizeof p->max_index);
        memset(&p->max_value, 0, sizeof p->max_value);
        break;
    case WORD_VALUE:
        p->has_value = false;
        memset(&p->value, 0, sizeof p->value);
        break;
    case WORD_INPUT:
        memset(&p->input, 0, sizeof p->input);
        break;
    case WORD_INPUT_STRIDES:
        p->input.has_strides = false;
        break;
    case WORD_INPUT_OFFSET:
        p->input.has_offset = false;
        break;
    case WORD_INDEX:
        memset(&p->index, 0, sizeof p->index);
        break;
    case WORD_INDEX_STRIDES:
        p->index.has_strides = false;
        break;
    case WORD_INDEX_OFFSET:
        p->index.has_offset = false;
        break;
    case WORD_VALUE_LAYOUT:
        memset(&p->value, 0, sizeof p->value);
        break;
    case WORD_VALUE_STRIDES:
        p->value.has_strides = false;
        break;
    case WORD_VALUE_OFFSET:
        p->value.has_offset = false;
        break;
    case WORD_INDEX_TYPE:
        p->index_type = ARGMAX_CL_INT64;
        break;
    case WORD_NAN:
        p->nan_mode = ARGMAX_CL_NAN_PROPAGATE;
        break;
    case WORD_DIRECTION:
        p->direction = ARGMAX_CL_INCREASING;
        break;
    case WORD_OPERATOR:
        p->op = ARGMAX_CL_ARGMAX;
        break;
    case WORD_SEED:
        p->seed = 0;
        break;
    default:
        break;
    }
}

static bool try_words(hunt *h) {
    bool found = false;
    for (int w = 0; w < WORD_COUNT; w++) {
        problem_line candidate = *h->best;
        drop(&candidate, (word)w);
        found = try(h, &candidate) || found;
    }
    return found;
}

/* Take one changed field of the tuning row away. */
static bool try_fields(hunt *h) {
    bool found = false;
    for (size_t start = 0; h->best->fields[start];) {
        problem_line candidate = *h->best;
        char *const field = candidate.fields + start;
        const size_t length = strcspn(field, ",");
        memmove(field, field + length + (field[length] == ','), strlen(field + length) + (field[length] != ','));
        const size_t left = strlen(candidate.fields);
        if (left && candidate.fields[left - 1] == ',')
            candidate.fields[left - 1] = 0;
        if (left && try(h, &candidate))
            found = true;
        else
            start += length + (h->best->fields[start + length] == ',');
    }
    return found;
}

/* From simple to complicated: an earlier one is tried in place of a later one. */
static const data_kind simple_data[] = {
    DATA_CONSTANT, DATA_ZEROS, DATA_WORST,   DATA_BEST,   DATA_INCREASING, DATA_DECREASING, DATA_PEAK,
    DATA_PAIR,     DATA_FAR,   DATA_TIES,    DATA_CLOSE,  DATA_ALLNAN,     DATA_NANPEAK,    DATA_NANPAIR,
    DATA_NUMBER,   DATA_NAN,   DATA_SPECIAL, DATA_RANDOM, DATA_BITS,
};
static const argmax_cl_dtype simple_types[] = {
    ARGMAX_CL_INT32,  ARGMAX_CL_FLOAT32, ARGMAX_CL_INT8,   ARGMAX_CL_UINT8,   ARGMAX_CL_INT16,   ARGMAX_CL_INT64,
    ARGMAX_CL_UINT32, ARGMAX_CL_UINT16,  ARGMAX_CL_UINT64, ARGMAX_CL_FLOAT16, ARGMAX_CL_FLOAT64, ARGMAX_CL_BFLOAT16,
};

static bool try_data(hunt *h) {
    const data_kind now = h->best->data;
    for (size_t i = 0; i < sizeof simple_data / sizeof simple_data[0] && simple_data[i] != now; i++) {
        problem_line candidate = *h->best;
        candidate.data = simple_data[i];
        if (try(h, &candidate))
            return true;
    }
    return false;
}

static bool try_types(hunt *h) {
    const argmax_cl_dtype now = h->best->dtype;
    for (size_t i = 0; i < sizeof simple_types / sizeof simple_types[0] && simple_types[i] != now; i++) {
        problem_line candidate = *h->best;
        candidate.dtype = simple_types[i];
        if (try(h, &candidate))
            return true;
    }
    return false;
}

/* ---- The shape ------------------------------------------------------------------------------------------------ */

static void remove_entry(void *list, size_t entry, uint32_t count, uint32_t at) {
    char *const place = (char *)list + at * entry;
    memmove(place, place + entry, (count - at - 1) * entry);
}

static void remove_axis(problem_line *p, uint32_t axis) {
    uint32_t left = 0;
    for (uint32_t i = 0; i < p->axis_count; i++)
        if (p->axes[i] != axis)
            p->axes[left++] = p->axes[i] - (p->axes[i] > axis);
    p->axis_count = left;
    remove_entry(p->size, sizeof p->size[0], p->rank, axis);
    remove_entry(p->input.stride, sizeof p->input.stride[0], p->rank, axis);
    remove_entry(p->index.stride, sizeof p->index.stride[0], p->rank, axis);
    remove_entry(p->value.stride, sizeof p->value.stride[0], p->rank, axis);
    remove_entry(p->mask.stride, sizeof p->mask.stride[0], p->rank, axis);
    remove_entry(p->max_index.stride, sizeof p->max_index.stride[0], p->rank, axis);
    remove_entry(p->max_value.stride, sizeof p->max_value.stride[0], p->rank, axis);
    p->rank--;
}

static bool try_axes(hunt *h) {
    bool found = false;
    for (uint32_t d = 0; d < h->best->rank;) {
        problem_line candidate = *h->best;
        remove_axis(&candidate, d);
        if (candidate.axis_count > 0 && try(h, &candidate))
            found = true;
        else
            d++;
    }
    problem_line sorted = *h->best;
    sorted.axis_count = 0;
    for (uint32_t d = 0; d < sorted.rank; d++)
        if (problem_axis_reduced(h->best, d))
            sorted.axes[sorted.axis_count++] = d;
    return try(h, &sorted) || found;
}

static bool walks_as_one(const problem_line *p, const problem_tensor *t, uint32_t axis) {
    return !t->has_strides || t->stride[axis] == (int64_t)p->size[axis + 1] * t->stride[axis + 1];
}

static bool outputs_walk_as_one(const problem_line *p, uint32_t axis) {
    return walks_as_one(p, &p->index, axis) && walks_as_one(p, &p->value, axis) &&
           walks_as_one(p, &p->max_index, axis) && walks_as_one(p, &p->max_value, axis);
}

/* Two neighbours as one axis, where the outputs allow it. */
static bool try_merging(hunt *h) {
    bool found = false;
    for (uint32_t d = 0; d + 1 < h->best->rank;) {
        problem_line candidate = *h->best;
        const bool reduced = problem_axis_reduced(&candidate, d);
        candidate.size[d + 1] *= candidate.size[d];
        remove_axis(&candidate, d);
        if (reduced == problem_axis_reduced(h->best, d + 1) && (reduced || outputs_walk_as_one(h->best, d)) &&
            try(h, &candidate))
            found = true;
        else
            d++;
    }
    return found;
}

static bool try_size(hunt *h, uint32_t axis, uint64_t size) {
    problem_line candidate = *h->best;
    candidate.size[axis] = size;
    if (try(h, &candidate))
        return true;
    /* The place of an extremum depends on the seed and the sizes: keep it where it was, or at the end. */
    const uint64_t reduction = problem_reduction_count(&candidate);
    candidate.seed = reduction ? candidate.seed % reduction : 0;
    if (try(h, &candidate))
        return true;
    candidate.seed = reduction ? reduction - 1 : 0;
    return try(h, &candidate);
}

/* The least size that fails, as far as halving the distance finds it; never 0 in place of more. */
static bool try_sizes(hunt *h) {
    bool found = false;
    for (uint32_t d = 0; d < h->best->rank; d++) {
        uint64_t passes = 0;
        if (h->best->size[d] <= 1)
            continue;
        if (try_size(h, d, 1)) {
            found = true;
            continue;
        }
        for (passes = 1; h->best->size[d] - passes > 1;) {
            const uint64_t middle = passes + (h->best->size[d] - passes) / 2;
            if (try_size(h, d, middle))
                found = true;
            else
                passes = middle;
        }
    }
    return found;
}

static bool try_seeds(hunt *h) {
    bool found = false;
    for (uint64_t seed = 1; seed < 4 && seed < h->best->seed; seed++) {
        problem_line candidate = *h->best;
        candidate.seed = seed;
        if (try(h, &candidate))
            return true;
    }
    for (uint64_t step = h->best->seed / 2; step > 0; step /= 2) {
        problem_line candidate = *h->best;
        candidate.seed -= step;
        found = try(h, &candidate) || found;
    }
    return found;
}

static bool try_offsets(hunt *h) {
    bool found = false;
    problem_tensor *const tensors[] = {&h->best->input, &h->best->index, &h->best->value};
    for (size_t i = 0; i < 3; i++)
        for (uint64_t step = tensors[i]->has_offset ? tensors[i]->offset : 0; step > 0; step /= 2) {
            const uint64_t offset = tensors[i]->offset;
            if (step > offset)
                continue;
            problem_line candidate = *h->best;
            (problem_tensor *[]){&candidate.input, &candidate.index, &candidate.value}[i]->offset = offset - step;
            found = try(h, &candidate) || found;
        }
    return found;
}

/* Plain numbers in the place of odd ones. Outputs keep their order, so that they stay free of overlaps. */
static bool try_strides(hunt *h) {
    bool found = false;
    for (uint32_t d = 0; h->best->input.has_strides && d < h->best->rank; d++) {
        problem_line packed = *h->best;
        packed.input.has_strides = packed.input.has_offset = false;
        problem_resolve(&packed);
        const int64_t plain[] = {packed.input.stride[d], 0, 1};
        for (size_t i = 0; i < 3 && h->best->input.stride[d] != plain[i]; i++) {
            problem_line candidate = *h->best;
            candidate.input.stride[d] = plain[i];
            if (try(h, &candidate)) {
                found = true;
                break;
            }
        }
    }
    return found;
}

unsigned shrink_problem(problem_line *p, shrink_fails fails, void *context, unsigned tries) {
    static bool (*const steps[])(hunt *) = {try_words,   try_fields, try_axes,    try_merging, try_sizes,
                                            try_offsets, try_types,  try_strides, try_data,    try_seeds};
    hunt h = {p, fails, context, 0, tries};
    for (bool found = true; found && h.tried < h.most;) {
        found = false;
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
            found = steps[i](&h) || found;
    }
    return h.tried;
}
