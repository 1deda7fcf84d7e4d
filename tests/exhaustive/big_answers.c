#include "big_answers.h"

#include <stdlib.h>
#include <threads.h>

#define THREADS 16
#define SHARE 4096 /* outputs that are worth a thread */

uint64_t big_bits(const problem_dtype *type, argmax_cl_operator op, uint32_t worth) {
    const uint32_t number = op == ARGMAX_CL_ARGMAX ? worth : BIG_PEAK - worth;
    if (!type->mantissa_bits || number == 0)
        return number;
    const uint64_t bias = ((uint64_t)1 << (type->bits - 2 - type->mantissa_bits)) - 1;
    uint64_t exponent = 0;
    while (number >> (exponent + 1))
        exponent++;
    const uint64_t fraction =
        ((uint64_t)number << type->mantissa_bits >> exponent) - ((uint64_t)1 << type->mantissa_bits);
    return (bias + exponent) << type->mantissa_bits | fraction;
}

/* The reduced dims of a problem, in the order of the index. */
typedef struct reduced_dims {
    uint32_t rank;
    uint64_t size[PROBLEM_MAX_RANK], count;
    int64_t stride[PROBLEM_MAX_RANK];
} reduced_dims;

static reduced_dims reduced_of(const problem_line *p) {
    reduced_dims d = {0, {0}, 1, {0}};
    for (uint32_t axis = 0; axis < p->rank; axis++)
        if (problem_axis_reduced(p, axis)) {
            d.size[d.rank] = p->size[axis];
            d.stride[d.rank++] = p->input.stride[axis];
            d.count *= p->size[axis];
        }
    return d;
}

static uint64_t place_of(const reduced_dims *d, uint64_t base, uint64_t index) {
    for (uint32_t i = d->rank; i-- > 0; index /= d->size[i])
        base += index % d->size[i] * (uint64_t)d->stride[i];
    return base;
}

/* First or last position on the last dim, whose first element is at `start`, that lies at `place`. */
static bool find_on_last(const reduced_dims *d, uint64_t start, uint64_t place, bool last, uint64_t *position) {
    const int64_t stride = d->stride[d->rank - 1], distance = (int64_t)(place - start);
    const uint64_t size = d->size[d->rank - 1];
    if (stride == 0) {
        *position = last ? size - 1 : 0;
        return distance == 0;
    }
    *position = (uint64_t)(distance / stride);
    return distance % stride == 0 && distance / stride >= 0 && *position < size;
}

/* The winner among the planted ones; segments are the positions on all reduced dims but the last. */
static bool find_planted(const big_problem *b, const reduced_dims *d, uint64_t base, bool last, uint64_t *index) {
    const uint64_t size = d->size[d->rank - 1], segments = size ? d->count / size : 0;
    for (uint64_t i = 0; i < segments && b->planted_count > 0; i++) {
        const uint64_t segment = last ? segments - 1 - i : i;
        const uint64_t start = place_of(d, base, segment * size);
        bool found = false;
        for (size_t k = 0; k < b->planted_count; k++) {
            uint64_t position;
            if (!find_on_last(d, start, b->planted[k], last, &position))
                continue;
            const uint64_t candidate = segment * size + position;
            *index = !found || (last ? candidate > *index : candidate < *index) ? candidate : *index;
            found = true;
        }
        if (found)
            return true;
    }
    return false;
}

/* The winner where nothing is planted: nobody looks further than the greatest worth there is. */
static uint64_t find_common(const reduced_dims *d, uint64_t base, bool last) {
    uint64_t best = 0, best_worth = 0;
    for (uint64_t i = 0; i < d->count; i++) {
        const uint64_t index = last ? d->count - 1 - i : i, worth = place_of(d, base, index) % BIG_PERIOD;
        if (i == 0 || worth > best_worth) {
            best = index;
            best_worth = worth;
        }
        if (worth == BIG_PERIOD - 1)
            break;
    }
    return best;
}

static big_answer solve(const big_problem *b, const reduced_dims *d, uint64_t output) {
    const problem_line *const p = &b->p;
    const bool last = p->direction == ARGMAX_CL_DECREASING;
    uint64_t base = p->input.offset;
    for (uint32_t axis = p->rank; axis-- > 0;)
        if (!problem_axis_reduced(p, axis)) {
            base += output % p->size[axis] * (uint64_t)p->input.stride[axis];
            output /= p->size[axis];
        }
    big_answer answer;
    const bool planted = find_planted(b, d, base, last, &answer.index);
    if (!planted)
        answer.index = find_common(d, base, last);
    const uint64_t place = place_of(d, base, answer.index);
    answer.value = big_bits(problem_dtype_find(p->dtype), p->op, planted ? BIG_PEAK : (uint32_t)(place % BIG_PERIOD));
    return answer;
}

big_answer big_solve(const big_problem *b, uint64_t output) {
    const reduced_dims d = reduced_of(&b->p);
    return solve(b, &d, output);
}

typedef struct share {
    const big_problem *b;
    uint64_t first, from, to, wrong, example;
    const void *index, *value;
} share;

static int check_share(void *argument) {
    share *const s = argument;
    const problem_line *const p = &s->b->p;
    const problem_dtype *const type = problem_dtype_find(p->dtype), *const index_type =
                                                                        problem_dtype_find(p->index_type);
    const uint64_t index_mask = index_type->bits == 64 ? UINT64_MAX : UINT32_MAX;
    const reduced_dims d = reduced_of(p);
    for (uint64_t output = s->from; output < s->to; output++) {
        const big_answer right = solve(s->b, &d, output);
        const uint64_t i = output - s->first;
        if (problem_load(index_type, s->index, i) == (right.index & index_mask) &&
            (!s->value || problem_load(type, s->value, i) == right.value))
            continue;
        if (s->wrong++ == 0)
            s->example = output;
    }
    return 0;
}

uint64_t big_check(const big_problem *b, uint64_t first, uint64_t count, const void *index, const void *value,
                   uint64_t *example) {
    share shares[THREADS];
    thrd_t threads[THREADS];
    uint64_t wrong = 0;
    const uint64_t wanted = count / SHARE + 1, shared_by = wanted < THREADS ? wanted : THREADS;
    for (uint64_t i = 0; i < shared_by; i++) {
        shares[i] =
            (share){b, first, first + count * i / shared_by, first + count * (i + 1) / shared_by, 0, 0, index, value};
        if (thrd_create(&threads[i], check_share, &shares[i]) != thrd_success)
            abort();
    }
    for (uint64_t i = 0; i < shared_by; i++) {
        thrd_join(threads[i], NULL);
        if (shares[i].wrong && !wrong)
            *example = shares[i].example;
        wrong += shares[i].wrong;
    }
    return wrong;
}
