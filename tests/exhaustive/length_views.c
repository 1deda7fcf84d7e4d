#include "length_views.h"

#define PHASES UINT64_C(16)  /* elements that the largest vector has */
#define COLUMNS UINT64_C(40) /* more than the widest vector, and no power of two */
#define STAGGER UINT64_C(7)  /* rows over which neighbouring columns spread their extrema */
#define ROUND_UP(n) (((n) + PHASES - 1) / PHASES * PHASES)

const char *const length_class_names[LENGTH_CLASSES] = {"rows", "aligned rows", "columns", "permuted", "flat"};

/* A line of elements, or of rows of columns, with an extremum at `longest` and perhaps another one behind it: that
 * windows before and behind it stay inside. */
static uint64_t line_length(uint64_t longest) {
    return ROUND_UP(2 * longest + 2 * PHASES);
}

static uint64_t regions(length_class class, uint64_t longest, bool ties) {
    return (class == LENGTH_ALIGNED ? PHASES : 1) * (ties ? longest - 1 : 1);
}

uint64_t length_buffer_elements(length_class class, uint64_t longest, bool ties) {
    return regions(class, longest, ties) * line_length(longest) * (class == LENGTH_COLUMNS ? COLUMNS : 1);
}

static uint64_t centre(uint64_t longest) {
    return ROUND_UP(longest);
}

bool length_is_extreme(length_class class, uint64_t longest, bool ties, uint64_t place) {
    const uint64_t column = class == LENGTH_COLUMNS ? place % COLUMNS : 0;
    const uint64_t along = class == LENGTH_COLUMNS ? place / COLUMNS : place;
    const uint64_t region = along / line_length(longest), at = along % line_length(longest);
    const uint64_t distance = ties ? region % (longest - 1) + 1 : 0;
    const uint64_t phase = class == LENGTH_ALIGNED ? region / (ties ? longest - 1 : 1) : 0;
    const uint64_t first = centre(longest) + phase + column % STAGGER;
    return at == first || (ties && at == first + distance);
}

/* Columns of a folded reduction: the last reduced dim. */
static uint64_t fold_of(uint64_t length) {
    return length % 4 == 0 ? 4 : length % 3 == 0 ? 3 : length % 2 == 0 ? 2 : 1;
}

static void add_dim(problem_line *p, uint64_t size, uint64_t stride, bool backwards, bool reduced) {
    p->size[p->rank] = size;
    p->input.stride[p->rank] = backwards ? -(int64_t)stride : (int64_t)stride;
    if (reduced)
        p->axes[p->axis_count++] = p->rank;
    p->rank++;
}

void length_view_describe(const length_view *v, problem_line *p) {
    const uint64_t line = line_length(v->longest), width = v->class == LENGTH_COLUMNS ? COLUMNS : 1;
    const uint64_t step = v->class == LENGTH_ALIGNED ? PHASES : 1;
    p->rank = p->axis_count = 0;
    p->input.has_strides = p->input.has_offset = true;
    p->input.offset = (centre(v->longest) - (v->class == LENGTH_FLAT ? v->from : 0)) * width;
    if (v->class == LENGTH_ALIGNED)
        add_dim(p, PHASES, regions(LENGTH_ROWS, v->longest, v->ties) * line, false, false);
    if (v->ties)
        add_dim(p, v->length > 1 ? v->length - 1 : 1, line * width, false, false);
    if (v->class != LENGTH_FLAT)
        add_dim(p, v->windows, v->apart * step * width, true, false);
    if (v->class == LENGTH_PERMUTED) {
        const uint64_t fold = fold_of(v->length);
        add_dim(p, v->length / fold, 1, false, true);
        add_dim(p, fold, v->length / fold, false, true);
    } else {
        add_dim(p, v->length, width, false, true);
    }
    if (v->class == LENGTH_COLUMNS)
        add_dim(p, COLUMNS, 1, false, false);
    problem_resolve(p);
}

/* Index of the element at a place in memory, counted from a window's start. */
static uint64_t index_of(const length_view *v, uint64_t place) {
    const uint64_t fold = fold_of(v->length), along = v->length / fold;
    return v->class == LENGTH_PERMUTED ? place % along * fold + place / along : place;
}

uint64_t length_view_answer(const length_view *v, uint64_t output, bool last) {
    const uint64_t column = v->class == LENGTH_COLUMNS ? output % COLUMNS : 0;
    if (v->class == LENGTH_COLUMNS)
        output /= COLUMNS;
    const uint64_t window = v->class == LENGTH_FLAT ? 0 : output % v->windows;
    if (v->class != LENGTH_FLAT)
        output /= v->windows;
    const uint64_t distances = v->ties && v->length > 1 ? v->length - 1 : 1;
    const uint64_t distance = output % distances + 1, phase = output / distances;
    const uint64_t step = v->class == LENGTH_ALIGNED ? PHASES : 1;
    const uint64_t place = v->from + window * v->apart * step + phase + column % STAGGER;
    const uint64_t second = v->ties ? place + distance : v->length;
    if (place >= v->length) /* nothing but equal elements */
        return last ? v->length - 1 : 0;
    const uint64_t one = index_of(v, place);
    if (second >= v->length)
        return one;
    const uint64_t two = index_of(v, second);
    return (two > one) == last ? two : one;
}
