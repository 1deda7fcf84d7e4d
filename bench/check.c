#include "check.h"

#include "fill.h"
#include "oracle.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>

/* Beyond this many elements the oracle takes too long. */
static const uint64_t ORACLE_MOST = (uint64_t)1 << 28;

check_result check_method(const problem_line *p) {
    if (problem_input_count(p) <= ORACLE_MOST)
        return CHECK_ORACLE;
    return fill_can_plant(p) ? CHECK_PLANTED : CHECK_NONE;
}

/* The oracle on all cores: each solves slices of the problem along its largest kept axis. */
typedef struct oracle_job {
    const problem_line *p;
    const void *input;
    void *index, *value;
    uint32_t axis;
    uint64_t slice; /* positions on the axis that are solved together */
} oracle_job;

static void solve_slice(void *context, size_t chunk) {
    const oracle_job *const job = context;
    problem_line p = *job->p;
    const uint64_t first = (uint64_t)chunk * job->slice, rest = p.size[job->axis] - first;
    problem_tensor *const tensors[] = {&p.input, &p.index, &p.value};
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++)
        tensors[i]->offset += first * (uint64_t)tensors[i]->stride[job->axis];
    p.size[job->axis] = rest < job->slice ? rest : job->slice;
    oracle_solve(&p, job->input, job->index, job->value);
}

void check_solve(const problem_line *p, const void *input, void *index, void *value) {
    oracle_job job = {p, input, index, value, 0, 0};
    uint64_t most = 1;
    for (uint32_t d = 0; d < p->rank; d++)
        if (!problem_axis_reduced(p, d) && p->size[d] > most) {
            most = p->size[d];
            job.axis = d;
        }
    job.slice = most / 256 + 1;
    if (most == 1)
        oracle_solve(p, input, index, value);
    else
        parallel_for((size_t)((most + job.slice - 1) / job.slice), solve_slice, &job);
}

static check_result check_by_oracle(const problem_line *p, const void *input, const void *index, size_t index_bytes,
                                    const void *value, size_t value_bytes) {
    void *const right_index = malloc(index_bytes), *const right_value = value != NULL ? malloc(value_bytes) : NULL;
    check_result result = CHECK_NONE;
    if (right_index != NULL && (value == NULL || right_value != NULL)) {
        memset(right_index, CHECK_FILLER, index_bytes);
        if (value != NULL)
            memset(right_value, CHECK_FILLER, value_bytes);
        check_solve(p, input, right_index, right_value);
        result = CHECK_ORACLE;
        if (memcmp(index, right_index, index_bytes) != 0 ||
            (value != NULL && memcmp(value, right_value, value_bytes) != 0))
            result = CHECK_WRONG;
    }
    free(right_index);
    free(right_value);
    return result;
}

check_result check_answers_of(const problem_line *p, const void *input, const void *index, size_t index_bytes,
                              const void *value, size_t value_bytes) {
    switch (check_method(p)) {
    case CHECK_ORACLE:
        return check_by_oracle(p, input, index, index_bytes, value, value_bytes);
    case CHECK_PLANTED:
        return fill_count_wrong(p, index, value) == 0 ? CHECK_PLANTED : CHECK_WRONG;
    default:
        return CHECK_NONE;
    }
}
