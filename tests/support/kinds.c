#include "kinds.h"

#include <string.h>

static const argmax_cl_dtype index_types[4] = {ARGMAX_CL_INT64, ARGMAX_CL_UINT32, ARGMAX_CL_INT32, ARGMAX_CL_UINT64};

/* Kind `way` of a type: bit 0 is the direction, bit 1 the operator, bit 2 the NaN mode. */
static problem_line kind_of(uint32_t type, uint32_t way) {
    problem_line p;
    problem_init(&p);
    p.dtype = problem_dtypes[type].dtype;
    p.direction = way & 1 ? ARGMAX_CL_DECREASING : ARGMAX_CL_INCREASING;
    p.op = way & 2 ? ARGMAX_CL_ARGMIN : ARGMAX_CL_ARGMAX;
    p.nan_mode = way & 4 ? ARGMAX_CL_NAN_IGNORE : ARGMAX_CL_NAN_PROPAGATE;
    p.index_type = index_types[(way + type + way / 4) % 4];
    p.has_value = ((way ^ way >> 1 ^ way >> 2 ^ type >> 2) & 1) == 0;
    return p;
}

/* The type of kind i, and its way. */
static uint32_t find_kind(uint32_t i, uint32_t *way) {
    for (uint32_t type = 0; type < PROBLEM_DTYPE_COUNT; type++) {
        const uint32_t ways = problem_dtypes[type].mantissa_bits ? 8 : 4;
        if (i < ways) {
            *way = i;
            return type;
        }
        i -= ways;
    }
    *way = 0;
    return 0;
}

problem_line kind_at(uint32_t i) {
    uint32_t way;
    const uint32_t type = find_kind(i, &way);
    return kind_of(type, way);
}

uint32_t kind_type(uint32_t i) {
    uint32_t way;
    return find_kind(i, &way);
}

/* Halved for integers, since the tuning row that sweeps deal goes by the parity of type, way and strategy. */
bool kind_is_dealt(uint32_t i, uint32_t strategy) {
    uint32_t way;
    const uint32_t type = find_kind(i, &way);
    const bool floats = problem_dtypes[type].mantissa_bits != 0;
    const uint32_t turn = type + strategy + strategy / 4, all = floats ? 7 : 3,
                   first = floats ? turn & 3 : turn >> 1 & 1;
    return way == first || way == (first ^ all);
}

problem_line kind_sample(uint32_t i) {
    return kind_of(i, problem_dtypes[i].mantissa_bits ? (i * 3 + 4 * (i & 1)) % 8 : i % 4);
}

problem_line kind_shape(const problem_line *kind, uint32_t rank, const uint64_t *sizes, uint32_t axes_mask) {
    problem_line p = *kind;
    p.rank = rank;
    memcpy(p.size, sizes, rank * sizeof *sizes);
    p.axis_count = 0;
    for (uint32_t d = 0; d < rank; d++)
        if (axes_mask >> d & 1)
            p.axes[p.axis_count++] = d;
    problem_resolve(&p);
    return p;
}
