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

bool random_one_in(random_source *s, uint64_t n) {
    return random_below(s, n) == 0;
}

/* A size of about `scale`, a power of two, and often next to it or to 255 times one. */
static uint64_t random_size(random_source *s, uint64_t scale) {
    if (random_one_in(s, 3))
        return scale + random_below(s, 3) - (scale > 1 ? 1 : 0);
    if (scale > 128 && random_one_in(s, 4))
        return scale / 256 * 255 + random_below(s, 3) - 1 + (scale < 256 ? 255 : 0);
    return scale + random_below(s, scale);
}

void random_shuffle(random_source *s, uint32_t count, uint32_t *list) {
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t j = (uint32_t)random_below(s, i), kept = list[i - 1];
        list[i - 1] = list[j];
        list[j] = kept;
    }
}

/* Share the room out among the axes, logarithmically, but for those of size 1. */
static void random_shape(random_source *s, problem_line *p, uint64_t elements) {
    uint64_t weight[PROBLEM_MAX_RANK], all = 0, bits = 0;
    while (elements >> bits > 1)
        bits++;
    p->rank = 1 + (uint32_t)random_below(s, random_one_in(s, 2) ? 4 : PROBLEM_MAX_RANK);
    for (uint32_t d = 0; d < p->rank; d++) {
        weight[d] = random_one_in(s, 8) ? 0 : 1 + random_below(s, 100);
        all += weight[d];
    }
    for (uint32_t d = 0; d < p->rank; d++) {
        const uint64_t size = weight[d] ? random_size(s, (uint64_t)1 << bits * weight[d] / all) : 1;
        p->size[d] = size > elements ? elements : size;
        assert(p->size[d] > 0);
        elements /= p->size[d];
    }
}

/* Any of them; for half of the problems the longest is reduced, for a twelfth the shortest alone, which leaves many
 * outputs, for as many all. */
static void random_axes(random_source *s, problem_line *p) {
    uint32_t order[PROBLEM_MAX_RANK], longest = 0, shortest = 0;
    assert(p->rank > 0);
    for (uint32_t d = 0; d < p->rank; d++)
        order[d] = d;
    random_shuffle(s, p->rank, order);
    for (uint32_t i = 1; i < p->rank; i++) {
        const uint64_t size = p->size[order[i]], least = p->size[order[shortest]];
        longest = size > p->size[order[longest]] ? i : longest;
        shortest = least == 1 || (size > 1 && size < least) ? i : shortest;
    }
    const bool many_outputs = random_one_in(s, 12), long_reduction = random_one_in(s, 2);
    if (many_outputs || long_reduction) {
        const uint32_t chosen = many_outputs ? shortest : longest, first = order[0];
        order[0] = order[chosen];
        order[chosen] = first;
    }
    p->axis_count = 1;
    if (!many_outputs)
        p->axis_count = random_one_in(s, 12)
                            ? p->rank
                            : 1 + (uint32_t)random_below(s, random_one_in(s, 3) ? p->rank : (p->rank + 1) / 2);
    memcpy(p->axes, order, sizeof p->axes);
    if (random_one_in(s, 100)) /* nothing to do: a kept axis of size 0 */
        for (uint32_t d = 0; d < p->rank; d++)
            if (!problem_axis_reduced(p, d))
                p->size[d] = 0;
}

/* Strides of a dense tensor whose axes lie in a random order, some backwards, some with room to spare. */
static void random_layout(random_source *s, uint32_t rank, const uint64_t *sizes, bool is_input, problem_tensor *t) {
    uint32_t order[PROBLEM_MAX_RANK];
    const bool permuted = random_one_in(s, 2), negative = random_one_in(s, 2), padded = random_one_in(s, 2);
    int64_t span = 1 + (int64_t)(padded && random_one_in(s, 2) ? random_below(s, 3) : 0);
    for (uint32_t d = 0; d < rank; d++)
        order[d] = rank - 1 - d;
    if (permuted)
        random_shuffle(s, rank, order);
    t->has_strides = true;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t *const stride = &t->stride[order[i]];
        *stride = negative && random_one_in(s, 2) ? -span : span;
        span *= sizes[order[i]] ? (int64_t)sizes[order[i]] : 1;
        span += padded && random_one_in(s, 2) ? (int64_t)random_below(s, 5) : 0;
        if (is_input && random_one_in(s, 8)) /* broadcast, overlapping */
            *stride = random_one_in(s, 2) ? 0 : random_one_in(s, 2) ? *stride / 2 : (int64_t)random_below(s, 7) - 3;
        else if (sizes[order[i]] == 1 && random_one_in(s, 4))
            *stride = (int64_t)random_next(s) / 4; /* means nothing */
    }
}

static void random_offset(random_source *s, problem_tensor *t) {
    if (random_one_in(s, 2))
        return;
    t->has_offset = true; /* on top of the least one, which problem_resolve has put there */
    t->offset += random_below(s, random_one_in(s, 2) ? 4 : 70);
}

static void random_tensors(random_source *s, problem_line *p) {
    uint64_t sizes[PROBLEM_MAX_RANK];
    problem_tensor *const tensors[] = {&p->input, &p->index, &p->value};
    problem_output_sizes(p, sizes);
    for (size_t i = 0; i < 3; i++)
        if (random_one_in(s, 2))
            random_layout(s, p->rank, i ? sizes : p->size, i == 0, tensors[i]);
    problem_resolve(p);
    for (size_t i = 0; i < 3; i++)
        random_offset(s, tensors[i]);
}

/* Half of the masks lie as the input does, a third of the others broadcast some axes. */
static void random_mask(random_source *s, problem_line *p) {
    if (random_one_in(s, 2)) {
        p->mask = p->input;
        return;
    }
    if (random_one_in(s, 2))
        random_layout(s, p->rank, p->size, true, &p->mask);
    problem_resolve(p);
    if (random_one_in(s, 3)) {
        p->mask.has_strides = true;
        p->mask.has_offset = false;
        for (uint32_t d = 0; d < p->rank; d++)
            p->mask.stride[d] = random_one_in(s, 2) ? 0 : p->mask.stride[d];
    }
    problem_resolve(p);
    random_offset(s, &p->mask);
}

static void random_maximum(random_source *s, problem_line *p) {
    uint64_t sizes[PROBLEM_MAX_RANK];
    problem_tensor *const tensors[] = {&p->max_index, &p->max_value};
    problem_output_sizes(p, sizes);
    for (size_t i = 0; i < 2; i++)
        if (random_one_in(s, 2))
            random_layout(s, p->rank, sizes, false, tensors[i]);
    problem_resolve(p);
    for (size_t i = 0; i < 2; i++)
        random_offset(s, tensors[i]);
}

void random_problem(random_source *s, problem_line *p, uint64_t elements) {
    problem_tensor *const tensors[] = {&p->input, &p->index, &p->value, &p->mask, &p->max_index, &p->max_value};
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++)
        memset(tensors[i], 0, sizeof *tensors[i]);
    for (bool trivial = true; trivial;) {
        random_shape(s, p, elements);
        random_axes(s, p);
        const bool single = problem_output_count(p) == 1 && p->rank < 5;
        trivial = (single || problem_reduction_count(p) == 1) && !random_one_in(s, 8);
    }
    random_tensors(s, p);
    if (p->op == ARGMAX_CL_ARGMINMAX)
        random_maximum(s, p);
    if (p->mask_of != MASK_ABSENT)
        random_mask(s, p);
    random_data(s, p);
    random_way(s, p);
}

void random_data(random_source *s, problem_line *p) {
    p->data = (data_kind)random_below(s, DATA_KIND_COUNT);
    p->seed = random_below(s, 100000);
    if (p->mask_of != MASK_ABSENT)
        p->mask_of = (mask_data)(1 + random_below(s, MASK_DATA_COUNT - 1));
}

/* Rows that promise aligned buffers get them. */
void random_way(random_source *s, problem_line *p) {
    const bool aligned = strstr(p->fields, "aligned:2") != NULL;
    p->has_route = true;
    p->route = aligned ? (random_one_in(s, 2) ? ROUTE_PLAN : ROUTE_CALL) : (run_route)random_below(s, ROUTE_COUNT);
    p->queue = p->route == ROUTE_HOST ? QUEUE_IN_ORDER : (run_queue)random_below(s, QUEUE_COUNT);
    p->memory = !aligned && random_one_in(s, 3) ? MEMORY_HOST : MEMORY_DEVICE;
}

void random_shrink_to(random_source *s, problem_line *p, uint32_t axis, uint64_t unit) {
    const uint64_t size = p->size[axis];
    if (unit == 0 || unit > size)
        return;
    const uint64_t near = (1 + random_below(s, size / unit)) * unit + random_below(s, 3) - 1;
    p->size[axis] = near < 1 ? 1 : near > size ? size : near;
    problem_resolve(p);
}

uint64_t random_dealt(uint64_t seed, uint64_t turn, uint32_t n) {
    uint32_t hand[RANDOM_DEALT_MOST];
    random_source s = {problem_mix(seed ^ problem_mix(turn / n + n))};
    assert(n <= RANDOM_DEALT_MOST);
    for (uint32_t i = 0; i < n; i++)
        hand[i] = i;
    random_shuffle(&s, n, hand);
    return hand[turn % n];
}
