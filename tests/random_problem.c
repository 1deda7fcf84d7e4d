#include "random_problem.h"

#include <assert.h>
#include <string.h>

uint64_t random_next(random_source *s) {
    return problem_mix(s->state++);
}

uint64_t random_below(random_source *s, uint64_t n) {
    assert(n > 0);
    return random_next(s) % n;
}

static bool one_in(random_source *s, uint64_t n) {
    return random_below(s, n) == 0;
}

void random_kind(random_source *s, problem_line *p) {
    static const argmax_cl_dtype index_types[] = {ARGMAX_CL_INT64, ARGMAX_CL_INT32, ARGMAX_CL_UINT64, ARGMAX_CL_UINT32};
    problem_init(p);
    p->op = one_in(s, 2) ? ARGMAX_CL_ARGMIN : ARGMAX_CL_ARGMAX;
    p->dtype = problem_dtypes[random_below(s, PROBLEM_DTYPE_COUNT)].dtype;
    p->index_type = index_types[random_below(s, 4)];
    p->direction = one_in(s, 2) ? ARGMAX_CL_DECREASING : ARGMAX_CL_INCREASING;
    p->nan_mode = one_in(s, 2) ? ARGMAX_CL_NAN_IGNORE : ARGMAX_CL_NAN_PROPAGATE;
    p->has_value = one_in(s, 2);
}

/* A size between 1 and `most`, as likely small as large, and often next to a power of two or to 255 times one. */
static uint64_t random_size(random_source *s, uint64_t most) {
    uint64_t bits = 0;
    while (most >> bits > 1)
        bits++;
    const uint64_t scale = (uint64_t)1 << random_below(s, bits + 1);
    uint64_t size = scale + random_below(s, scale);
    if (one_in(s, 3))
        size = scale + random_below(s, 3) - 1;
    else if (one_in(s, 8))
        size = (scale > 255 ? scale / 256 : 1) * 255 + random_below(s, 3) - 1;
    return size < 1 ? 1 : size > most ? most : size;
}

static void shuffle(random_source *s, uint32_t count, uint32_t *list) {
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t j = (uint32_t)random_below(s, i), kept = list[i - 1];
        list[i - 1] = list[j];
        list[j] = kept;
    }
}

/* Give the room to the axes in random order, so that any of them may be the long one. */
static void random_shape(random_source *s, problem_line *p, uint64_t elements) {
    uint32_t order[PROBLEM_MAX_RANK];
    p->rank = 1 + (uint32_t)random_below(s, one_in(s, 2) ? 3 : PROBLEM_MAX_RANK);
    for (uint32_t d = 0; d < p->rank; d++)
        order[d] = d;
    shuffle(s, p->rank, order);
    for (uint32_t i = 0; i < p->rank; i++) {
        const uint64_t size = one_in(s, 8) ? 1 : random_size(s, elements);
        assert(size > 0);
        p->size[order[i]] = size;
        elements /= size;
    }
}

static void random_axes(random_source *s, problem_line *p) {
    uint32_t order[PROBLEM_MAX_RANK];
    for (uint32_t d = 0; d < p->rank; d++)
        order[d] = d;
    shuffle(s, p->rank, order);
    p->axis_count = 1 + (uint32_t)random_below(s, one_in(s, 3) ? p->rank : (p->rank + 1) / 2);
    memcpy(p->axes, order, sizeof p->axes);
    if (one_in(s, 100)) /* nothing to do: a kept axis of size 0 */
        for (uint32_t d = 0; d < p->rank; d++)
            if (!problem_axis_reduced(p, d))
                p->size[d] = 0;
}

/* Strides of a dense tensor whose axes lie in a random order, some backwards, some with room to spare. */
static void random_layout(random_source *s, uint32_t rank, const uint64_t *sizes, bool is_input, problem_tensor *t) {
    uint32_t order[PROBLEM_MAX_RANK];
    const bool permuted = one_in(s, 2), negative = one_in(s, 2), padded = one_in(s, 2);
    int64_t span = 1 + (int64_t)(padded && one_in(s, 2) ? random_below(s, 3) : 0);
    for (uint32_t d = 0; d < rank; d++)
        order[d] = rank - 1 - d;
    if (permuted)
        shuffle(s, rank, order);
    t->has_strides = true;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t *const stride = &t->stride[order[i]];
        *stride = negative && one_in(s, 2) ? -span : span;
        span *= sizes[order[i]] ? (int64_t)sizes[order[i]] : 1;
        span += padded && one_in(s, 2) ? (int64_t)random_below(s, 5) : 0;
        if (is_input && one_in(s, 8))
            *stride = one_in(s, 2) ? 0 : *stride / 2; /* broadcast, overlapping */
        else if (sizes[order[i]] == 1 && one_in(s, 4))
            *stride = (int64_t)random_next(s) / 4; /* means nothing */
    }
}

static void random_offset(random_source *s, problem_tensor *t) {
    if (one_in(s, 2))
        return;
    t->has_offset = true; /* on top of the least one, which problem_resolve has put there */
    t->offset += random_below(s, one_in(s, 2) ? 4 : 70);
}

static void random_tensors(random_source *s, problem_line *p) {
    uint64_t sizes[PROBLEM_MAX_RANK];
    problem_tensor *const tensors[] = {&p->input, &p->index, &p->value};
    problem_output_sizes(p, sizes);
    for (size_t i = 0; i < 3; i++)
        if (one_in(s, 2))
            random_layout(s, p->rank, i ? sizes : p->size, i == 0, tensors[i]);
    problem_resolve(p);
    for (size_t i = 0; i < 3; i++)
        random_offset(s, tensors[i]);
}

void random_problem(random_source *s, problem_line *p, uint64_t elements) {
    const problem_line kind = *p;
    problem_init(p);
    p->op = kind.op;
    p->dtype = kind.dtype;
    p->index_type = kind.index_type;
    p->direction = kind.direction;
    p->nan_mode = kind.nan_mode;
    p->has_value = kind.has_value;
    memcpy(p->strategy, kind.strategy, sizeof p->strategy);
    memcpy(p->tuning, kind.tuning, sizeof p->tuning);
    random_shape(s, p, elements);
    random_axes(s, p);
    random_tensors(s, p);
    p->data = (data_kind)random_below(s, DATA_KIND_COUNT);
    p->seed = random_below(s, 100000);
}
