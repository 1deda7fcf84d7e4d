#include "histogram.h"

#include <inttypes.h>
#include <string.h>

/* ---- What a problem is ---------------------------------------------------------------------------------------- */

enum { LAYOUT_PACKED, LAYOUT_GIVEN, LAYOUT_PERMUTED, LAYOUT_PADDED, LAYOUT_NEGATIVE, LAYOUT_BROADCAST, LAYOUT_OVERLAP };

/* Bits of the above. */
static uint32_t layout_of(uint32_t rank, const uint64_t *sizes, const problem_tensor *t) {
    uint64_t span = 1, count = 1, nearest = 0;
    uint32_t bits = t->has_strides ? 1u << LAYOUT_GIVEN : 1u << LAYOUT_PACKED;
    for (uint32_t d = 0; d < rank; d++) {
        const uint64_t stride = magnitude(t->stride[d]);
        if (sizes[d] == 0)
            return bits;
        if (sizes[d] == 1)
            continue;
        bits |= t->stride[d] < 0 ? 1u << LAYOUT_NEGATIVE : 0;
        bits |= stride == 0 ? 1u << LAYOUT_BROADCAST : 0;
        bits |= nearest && stride > nearest ? 1u << LAYOUT_PERMUTED : 0;
        nearest = stride ? stride : nearest;
        count *= stride ? sizes[d] : 1;
        span += (sizes[d] - 1) * stride;
    }
    return bits | (span > count ? 1u << LAYOUT_PADDED : 0) | (span < count ? 1u << LAYOUT_OVERLAP : 0);
}

static uint32_t input_layout(const problem_line *p) {
    return layout_of(p->rank, p->size, &p->input);
}

static uint32_t output_layout(const problem_line *p, const problem_tensor *t) {
    uint64_t sizes[PROBLEM_MAX_RANK];
    problem_output_sizes(p, sizes);
    return layout_of(p->rank, sizes, t);
}

static uint32_t offsets_of(const problem_line *p) {
    return 1u << 0 | (p->input.has_offset ? 1u << 1 : 0) | (p->index.has_offset ? 1u << 2 : 0) |
           (p->has_value && p->value.has_offset ? 1u << 3 : 0);
}

/* 0 for 0, 1 for 1, 2 for 2 to 15, 3 for 16 to 255, and so on. */
static uint32_t length_class(uint64_t n) {
    uint32_t class = n < 2 ? (uint32_t)n : 2;
    for (n >>= 4; n > 0 && class < 6; n >>= 4)
        class ++;
    return class;
}

static uint32_t axes_order(const problem_line *p) {
    for (uint32_t i = 1; i < p->axis_count; i++)
        if (p->axes[i] < p->axes[i - 1])
            return 1;
    return 0;
}

static uint32_t tuning_of(const problem_line *p) {
    const uint32_t row = p->tuning[0] == 0 ? 0 : p->tuning[0] == 'c' ? 1 : 2;
    return row + (p->fields[0] ? 2 : 0);
}

static const char *const field_names[] = {
#define FIELD(rows, name, least, most, power, otherwise, meaning) #name,
#include "policy/tuning.def"
};

#define FIELD_COUNT ((uint32_t)(sizeof field_names / sizeof field_names[0]))
_Static_assert(sizeof field_names / sizeof field_names[0] <= HISTOGRAM_CELLS, "as many cells as fields");

static void count_fields(const problem_line *p, uint64_t *cells) {
    for (const char *field = p->fields; *field; field += *field == ',') {
        for (uint32_t i = 0; i < FIELD_COUNT; i++)
            if (strlen(field_names[i]) == strcspn(field, ":") &&
                strncmp(field_names[i], field, strcspn(field, ":")) == 0)
                cells[i]++;
        field += strcspn(field, ",");
    }
}

/* ---- The dimensions ------------------------------------------------------------------------------------------- */

enum {
    DTYPE,
    INDEX,
    OPERATOR,
    MAXIMUM,
    MASK,
    MASK_IN,
    DIRECTION,
    NAN_MODE,
    VALUE,
    RANK,
    AXES,
    AXES_ORDER,
    INPUT,
    INDEX_OUT,
    VALUE_OUT,
    OFFSETS,
    REDUCTION,
    OUTPUTS,
    DATA,
    ROUTE,
    QUEUE,
    MEMORY,
    FORCED,
    TAKEN,
    TUNING,
    FIELDS,
    VECTOR,
    LOAD,
    LAUNCHES,
    DIMS
};

#define LAYOUTS "packed", "strides", "permuted", "padded", "negative"

static const char *const operators[] = {"argmax", "argmin", "argminmax"};
static const char *const max_outputs[] = {"none", "first", "last", "value"};
static const char *const directions[] = {"first", "last"};
static const char *const nan_modes[] = {"propagate", "ignore"};
static const char *const values[] = {"none", "value"};
static const char *const ranks[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
static const char *const orders[] = {"rising", "shuffled"};
static const char *const input_layouts[] = {LAYOUTS, "broadcast", "overlapping"};
static const char *const output_layouts[] = {LAYOUTS};
static const char *const offsets[] = {"any", "input", "index", "value"};
static const char *const lengths[] = {"0", "1", "2..15", "16..255", "256..4095", "4096..65535", "65536.."};
static const char *const tunings[] = {"device's", "cpu", "gpu", "cpu changed", "gpu changed"};
static const char *const vectors[] = {"1", "2", "4", "8", "16", "32"};
static const char *const loads[] = {"aligned", "unaligned", "packed", "strided"};
static const char *const launches[] = {"whole", "parts, 2 launches", "parts, 1 launch"};
static const char *const dims[] = {"1x1", "1xN", "Nx1", "NxN"};

#define COUNT(names) (sizeof(names) / sizeof *(names))

/* `names` NULL: types or strategies. The first `spare` cells and those from `needed` on may stay at 0: not every device
 * has them, they cannot be, or are rare. */
static const struct {
    const char *title;
    uint32_t cells;
    const char *const *names;
    uint32_t spare, needed;
} dimensions[HISTOGRAM_DIMENSIONS] = {
    [DTYPE] = {"type", PROBLEM_DTYPE_COUNT, NULL, 0, 99},
    [INDEX] = {"index", PROBLEM_DTYPE_COUNT, NULL, 0, 99},
    [OPERATOR] = {"operator", COUNT(operators), operators, 0, 99},
    [MAXIMUM] = {"maximum", COUNT(max_outputs), max_outputs, 0, 99},
    [MASK] = {"mask", MASK_DATA_COUNT, mask_data_names, 0, 99},
    [MASK_IN] = {"mask layout", COUNT(input_layouts), input_layouts, 0, 99},
    [DIRECTION] = {"ties", COUNT(directions), directions, 0, 99},
    [NAN_MODE] = {"NaN", COUNT(nan_modes), nan_modes, 0, 99},
    [VALUE] = {"value output", COUNT(values), values, 0, 99},
    [RANK] = {"rank", COUNT(ranks), ranks, 0, 99},
    [AXES] = {"axes reduced", COUNT(ranks), ranks, 0, 99},
    [AXES_ORDER] = {"axes listed", COUNT(orders), orders, 0, 99},
    [INPUT] = {"input", COUNT(input_layouts), input_layouts, 0, 99},
    [INDEX_OUT] = {"index output", COUNT(output_layouts), output_layouts, 0, 99},
    [VALUE_OUT] = {"value layout", COUNT(output_layouts), output_layouts, 0, 99},
    [OFFSETS] = {"offset", COUNT(offsets), offsets, 0, 99},
    [REDUCTION] = {"reduction", COUNT(lengths), lengths, 1, 6},
    [OUTPUTS] = {"outputs", COUNT(lengths), lengths, 0, 6},
    [DATA] = {"data", DATA_KIND_COUNT, data_kind_names, 0, 99},
    [ROUTE] = {"route", ROUTE_COUNT, run_route_names, 0, 99},
    [QUEUE] = {"queue", QUEUE_COUNT, run_queue_names, 0, 99},
    [MEMORY] = {"memory", MEMORY_COUNT, run_memory_names, 0, 99},
    [FORCED] = {"forced", 0, NULL, 0, 99},
    [TAKEN] = {"strategy", 0, NULL, 0, 99},
    [TUNING] = {"tuning row", COUNT(tunings), tunings, 0, 99},
    [FIELDS] = {"changed", COUNT(field_names), field_names, 0, COUNT(field_names)},
    [VECTOR] = {"vector", COUNT(vectors), vectors, 0, 5},
    [LOAD] = {"load", COUNT(loads), loads, 1, 2},
    [LAUNCHES] = {"launches", COUNT(launches), launches, 0, 2},
    [DIMS] = {"kept x reduced", COUNT(dims), dims, 0, 99},
};

static uint32_t cells_of(uint32_t dimension) {
    return dimension == FORCED || dimension == TAKEN ? strategy_count() : dimensions[dimension].cells;
}

static const char *name_of(uint32_t dimension, uint32_t cell) {
    if (dimension == FORCED || dimension == TAKEN)
        return strategy_name(cell);
    return dimensions[dimension].names ? dimensions[dimension].names[cell] : problem_dtypes[cell].name;
}

static bool needed(uint32_t dimension, uint32_t cell) {
    return cell >= dimensions[dimension].spare && cell < dimensions[dimension].needed &&
           (dimension != INDEX || problem_dtypes[cell].is_index);
}

/* ---- Counting ------------------------------------------------------------------------------------------------- */

static uint32_t type_number(argmax_cl_dtype dtype) {
    return (uint32_t)(problem_dtype_find(dtype) - problem_dtypes);
}

static void count_bits(uint64_t *cells, uint32_t bits) {
    for (uint32_t i = 0; bits >> i; i++)
        cells[i] += bits >> i & 1;
}

static void count_strategy(uint64_t *cells, const char *name) {
    for (uint32_t i = 0; i < strategy_count(); i++)
        cells[i] += strcmp(strategy_name(i), name) == 0;
}

static uint32_t log2_of(uint32_t n) {
    uint32_t log = 0;
    while (n >> log > 1)
        log++;
    return log;
}

static void add_geometry(histogram *h, const probe *how) {
    const geometry *const g = &how->geometry;
    count_strategy(h->count[TAKEN], g->strategy);
    h->count[VECTOR][log2_of(g->vector)]++;
    h->count[LOAD][g->load]++;
    h->count[LAUNCHES][g->parts == 1 ? 0 : g->finish == ORDERING_NONE ? 1 : 2]++;
    h->count[DIMS][(how->kept_dims > 1 ? 2 : 0) + (how->reduced_dims > 1 ? 1 : 0)]++;
}

static void count_maximum(const problem_line *p, uint64_t *cells) {
    if (p->op != ARGMAX_CL_ARGMINMAX) {
        cells[0]++;
        return;
    }
    cells[p->max_direction == ARGMAX_CL_DECREASING ? 2 : 1]++;
    cells[3] += p->has_max_value;
}

void histogram_add(histogram *h, const problem_line *p, const probe *how) {
    const struct {
        uint32_t dimension;
        uint64_t cell;
    } single[] = {
        {DTYPE, type_number(p->dtype)},
        {INDEX, type_number(p->index_type)},
        {OPERATOR, p->op},
        {MASK, p->mask_of},
        {DIRECTION, p->direction == ARGMAX_CL_DECREASING},
        {NAN_MODE, p->nan_mode == ARGMAX_CL_NAN_IGNORE},
        {VALUE, p->has_value},
        {RANK, p->rank - 1},
        {AXES, p->axis_count - 1},
        {AXES_ORDER, axes_order(p)},
        {REDUCTION, length_class(problem_reduction_count(p))},
        {OUTPUTS, length_class(problem_output_count(p))},
        {DATA, p->data},
        {ROUTE, p->route},
        {QUEUE, p->queue},
        {MEMORY, p->memory},
        {TUNING, tuning_of(p)},
    };
    for (size_t i = 0; i < sizeof single / sizeof single[0]; i++)
        h->count[single[i].dimension][single[i].cell]++;
    count_bits(h->count[INPUT], input_layout(p));
    count_bits(h->count[INDEX_OUT], output_layout(p, &p->index));
    if (p->has_value)
        count_bits(h->count[VALUE_OUT], output_layout(p, &p->value));
    if (p->mask_of != MASK_ABSENT)
        count_bits(h->count[MASK_IN], layout_of(p->rank, p->size, &p->mask));
    count_maximum(p, h->count[MAXIMUM]);
    count_bits(h->count[OFFSETS], offsets_of(p));
    count_strategy(h->count[FORCED], p->strategy);
    count_fields(p, h->count[FIELDS]);
    if (!how->empty)
        add_geometry(h, how);
}

void histogram_merge(histogram *to, const histogram *from) {
    for (uint32_t d = 0; d < HISTOGRAM_DIMENSIONS; d++)
        for (uint32_t c = 0; c < HISTOGRAM_CELLS; c++)
            to->count[d][c] += from->count[d][c];
}

void histogram_print(const histogram *h, FILE *to) {
    for (uint32_t d = 0; d < HISTOGRAM_DIMENSIONS; d++) {
        fprintf(to, "  %-14s", dimensions[d].title);
        for (uint32_t c = 0; c < cells_of(d); c++)
            if (h->count[d][c] || needed(d, c))
                fprintf(to, " %s:%" PRIu64, name_of(d, c), h->count[d][c]);
        fprintf(to, "\n");
    }
}

uint32_t histogram_missing(const histogram *h, FILE *to) {
    uint32_t missing = 0;
    for (uint32_t d = 0; d < HISTOGRAM_DIMENSIONS; d++)
        for (uint32_t c = 0; c < cells_of(d); c++)
            if (needed(d, c) && h->count[d][c] == 0) {
                fprintf(to, "never drawn: %s %s\n", dimensions[d].title, name_of(d, c));
                missing++;
            }
    return missing;
}
