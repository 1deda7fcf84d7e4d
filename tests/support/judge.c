/* Every byte of a trial against the oracle. */
#include "oracle.h"
#include "trial.h"

#include <inttypes.h>
#include <string.h>

/* True when the element at `address` of an output belongs to output number *number. */
static bool output_at(const problem_line *p, const problem_tensor *t, uint64_t address, uint64_t *number) {
    uint64_t sizes[PROBLEM_MAX_RANK], count = problem_output_count(p);
    problem_output_sizes(p, sizes);
    for (*number = 0; *number < count; ++*number) {
        uint64_t rest = *number, element = t->offset;
        for (uint32_t d = p->rank; d-- > 0; rest /= sizes[d])
            element += rest % sizes[d] * (uint64_t)t->stride[d];
        if (element == address)
            return true;
    }
    return false;
}

/* Compare an arena with its image; `t` NULL: nothing in it may have changed. */
static bool same(runner *r, const trial *of, const char *name, const arena *a, argmax_cl_dtype dtype,
                 const problem_tensor *t) {
    size_t i = 0;
    if (!a->image || memcmp(a->actual, a->image, arena_size(a)) == 0)
        return true;
    while (a->actual[i] == a->image[i])
        i++;
    const problem_dtype *const type = problem_dtype_find(dtype);
    const int64_t byte = (int64_t)i - (int64_t)a->guard;
    const uint64_t element = (uint64_t)byte / (type->bits / 8);
    uint64_t number;
    if (!t || byte < 0 || (size_t)byte >= a->bytes || !output_at(of->p, t, element, &number))
        return runner_failed(r,
                             "byte %" PRId64 " of the %s (%zu bytes) changed from 0x%02X to 0x%02X: expected untouched",
                             byte, name, a->bytes, a->image[i], a->actual[i]);
    const uint64_t got = problem_load(type, arena_inside(a, a->actual), element);
    const uint64_t expected = problem_load(type, arena_inside(a, a->image), element);
    return runner_failed(
        r, "%s of output %" PRIu64 " of %" PRIu64 ": 0x%" PRIX64 " (%" PRId64 "): expected 0x%" PRIX64 " (%" PRId64 ")",
        name, number, problem_output_count(of->p), got, (int64_t)got, expected, (int64_t)expected);
}

/* The workspace may change, but not the zones around it. */
static void forgive_inside(arena *a) {
    if (a->image)
        memcpy(arena_inside(a, a->image), arena_inside(a, a->actual), a->bytes);
}

/* NULL for an arena of nothing, which the problem does not have. */
static unsigned char *image_of(arena *a) {
    return a->bytes ? arena_inside(a, a->image) : NULL;
}

bool trial_judge(runner *r, trial *t) {
    const problem_line *const p = t->p;
    const oracle_arrays arrays = {.input = arena_inside(&t->input, t->input.image),
                                  .mask = image_of(&t->mask),
                                  .index = arena_inside(&t->index, t->index.image),
                                  .value = image_of(&t->value),
                                  .max_index = image_of(&t->max_index),
                                  .max_value = image_of(&t->max_value)};
    oracle_solve_all(p, &arrays);
    forgive_inside(&t->workspace);
    return same(r, t, "index", &t->index, p->index_type, &p->index) &&
           same(r, t, "value", &t->value, p->dtype, p->has_value ? &p->value : NULL) &&
           same(r, t, "max_index", &t->max_index, p->max_index_type, &p->max_index) &&
           same(r, t, "max_value", &t->max_value, p->dtype, &p->max_value) &&
           same(r, t, "mask", &t->mask, ARGMAX_CL_UINT8, NULL) && same(r, t, "input", &t->input, p->dtype, NULL) &&
           same(r, t, "workspace", &t->workspace, ARGMAX_CL_UINT8, NULL);
}
