#include "oracle.h"

#include <string.h>

/* What an element is worth: NaN or not, and a number that rises with the value. */
typedef struct worth {
    bool is_nan;
    int64_t number;
} worth;

static worth float_worth(uint64_t bits, uint32_t width, uint32_t mantissa_bits) {
    const uint64_t sign = (uint64_t)1 << (width - 1);
    const uint64_t magnitude = bits & (sign - 1);
    const uint64_t infinity = (sign - 1) >> mantissa_bits << mantissa_bits;
    /* The magnitude of a float rises with its bits, so that -0 and +0 both become 0. */
    return (worth){magnitude > infinity, bits & sign ? -(int64_t)magnitude : (int64_t)magnitude};
}

static worth worth_of(argmax_cl_dtype dtype, uint64_t bits) {
    switch (dtype) {
    case ARGMAX_CL_FLOAT16:
        return float_worth(bits, 16, 10);
    case ARGMAX_CL_BFLOAT16:
        return float_worth(bits, 16, 7);
    case ARGMAX_CL_FLOAT32:
        return float_worth(bits, 32, 23);
    case ARGMAX_CL_FLOAT64:
        return float_worth(bits, 64, 52);
    case ARGMAX_CL_INT8:
        return (worth){false, (int8_t)bits};
    case ARGMAX_CL_INT16:
        return (worth){false, (int16_t)bits};
    case ARGMAX_CL_INT32:
        return (worth){false, (int32_t)bits};
    case ARGMAX_CL_UINT64:
        return (worth){false, (int64_t)(bits - ((uint64_t)1 << 63))};
    default: /* int64, and the smaller unsigned types as they are */
        return (worth){false, (int64_t)bits};
    }
}

/* Positive when a wins over b, 0 when they tie. NaNs beat numbers and tie with each other; where they are ignored they
 * never get here. */
static int compare(argmax_cl_operator op, worth a, worth b) {
    if (a.is_nan || b.is_nan)
        return (int)a.is_nan - (int)b.is_nan;
    const int rise = (a.number > b.number) - (a.number < b.number);
    return op == ARGMAX_CL_ARGMAX ? rise : -rise;
}

static uint64_t no_winner_value(argmax_cl_dtype dtype) {
    switch (dtype) {
    case ARGMAX_CL_FLOAT16:
        return 0x7E00;
    case ARGMAX_CL_BFLOAT16:
        return 0x7FC0;
    case ARGMAX_CL_FLOAT32:
        return 0x7FC00000;
    case ARGMAX_CL_FLOAT64:
        return 0x7FF8000000000000;
    default:
        return 0;
    }
}

/* Step through positions in row-major order; false after the last one. */
static bool next_position(uint32_t rank, const uint64_t *sizes, uint64_t *position) {
    for (uint32_t d = rank; d-- > 0;) {
        if (++position[d] < sizes[d])
            return true;
        position[d] = 0;
    }
    return false;
}

static uint64_t address(const problem_line *p, const problem_tensor *t, const uint64_t *position) {
    uint64_t element = t->offset;
    for (uint32_t d = 0; d < p->rank; d++)
        element += position[d] * (uint64_t)t->stride[d];
    return element;
}

typedef struct winner {
    bool found;
    uint64_t index, bits;
} winner;

/* What one extreme is: an operator of its own on the same elements. */
typedef struct extreme {
    argmax_cl_operator op;
    argmax_cl_direction direction;
} extreme;

/* The winner among the elements at `base` plus any position on the reduced axes, of the given sizes and strides; the
 * mask is looked at from `mask_base` on. */
static winner reduce(const problem_line *p, const extreme *e, const oracle_arrays *a, uint64_t base, uint64_t mask_base,
                     const problem_line *slice) {
    const problem_dtype *const type = problem_dtype_find(p->dtype);
    uint64_t position[PROBLEM_MAX_RANK] = {0}, index = 0;
    winner best = {false, UINT64_MAX, no_winner_value(p->dtype)};
    worth best_worth = {false, 0};
    do {
        const uint64_t bits = problem_load(type, a->input, base + address(slice, &slice->input, position));
        const worth w = worth_of(p->dtype, bits);
        const bool counts = !a->mask || a->mask[mask_base + address(slice, &slice->mask, position)];
        if (counts && !(w.is_nan && p->nan_mode == ARGMAX_CL_NAN_IGNORE)) {
            const int order = best.found ? compare(e->op, w, best_worth) : 1;
            if (order > 0 || (order == 0 && e->direction == ARGMAX_CL_DECREASING)) {
                best = (winner){true, index, bits};
                best_worth = w;
            }
        }
        index++;
    } while (next_position(slice->rank, slice->size, position));
    return best;
}

/* The reduced axes alone, in ascending order, as tensors that start at 0. */
static problem_line reduced_slice(const problem_line *p) {
    problem_line slice = *p;
    slice.rank = 0;
    slice.input.offset = slice.mask.offset = 0;
    for (uint32_t d = 0; d < p->rank; d++)
        if (problem_axis_reduced(p, d)) {
            slice.size[slice.rank] = p->size[d];
            slice.mask.stride[slice.rank] = p->mask.stride[d];
            slice.input.stride[slice.rank++] = p->input.stride[d];
        }
    return slice;
}

/* A pair of outputs. */
typedef struct answers {
    argmax_cl_dtype index_type;
    const problem_tensor *index_at, *value_at;
    void *index, *value;
} answers;

static void solve(const problem_line *p, const extreme *e, const oracle_arrays *a, const answers *to) {
    const problem_line slice = reduced_slice(p);
    uint64_t sizes[PROBLEM_MAX_RANK], position[PROBLEM_MAX_RANK] = {0};
    problem_output_sizes(p, sizes);
    if (problem_output_count(p) == 0)
        return;
    do {
        const winner best = reduce(p, e, a, address(p, &p->input, position), address(p, &p->mask, position), &slice);
        problem_store(problem_dtype_find(to->index_type), to->index, address(p, to->index_at, position), best.index);
        if (to->value)
            problem_store(problem_dtype_find(p->dtype), to->value, address(p, to->value_at, position), best.bits);
    } while (next_position(p->rank, sizes, position));
}

void oracle_solve_all(const problem_line *p, const oracle_arrays *a) {
    const bool both = p->op == ARGMAX_CL_ARGMINMAX;
    const extreme first = {both ? ARGMAX_CL_ARGMIN : p->op, p->direction};
    const extreme second = {ARGMAX_CL_ARGMAX, p->max_direction};
    solve(p, &first, a, &(answers){p->index_type, &p->index, &p->value, a->index, a->value});
    if (both)
        solve(p, &second, a, &(answers){p->max_index_type, &p->max_index, &p->max_value, a->max_index, a->max_value});
}

void oracle_solve(const problem_line *p, const void *input, void *index, void *value) {
    const oracle_arrays arrays = {.input = input, .index = index, .value = value};
    oracle_solve_all(p, &arrays);
}
