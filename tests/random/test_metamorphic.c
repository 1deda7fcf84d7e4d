/* Answers that follow from other answers: no oracle takes part. */
#include "probe.h"
#include "relation.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KINDS 12     /* of problems, the same for all relations */
#define PROBLEMS 250 /* of a relation */
#define PROGRAMS 11  /* that a relation may need beyond those of the relations before */
#define PROGRAMS_MOST 1024

#define POOL 32 /* problems of a relation that are drawn again with other data */

static uint64_t programs[PROGRAMS_MOST];
static uint32_t program_count;

/* Whether both sides' programs are known, or may join. */
static bool admit(const relation_side *a, const relation_side *b, uint32_t most) {
    const relation_side *const sides[] = {a, b};
    uint64_t fresh[2];
    uint32_t fresh_count = 0;
    for (size_t side = 0; side < 2; side++) {
        probe how;
        uint32_t known = 0;
        probe_problem(suite_runner(), &sides[side]->p, &how);
        ck_assert_msg(how.status == ARGMAX_CL_SUCCESS, "%s", argmax_cl_last_error());
        while (known < program_count && programs[known] != how.programs)
            known++;
        if (known == program_count)
            fresh[fresh_count++] = how.programs;
    }
    if (program_count + fresh_count > most)
        return false;
    for (uint32_t i = 0; i < fresh_count; i++)
        programs[program_count++] = fresh[i];
    return true;
}

static void *fresh_memory(uint64_t elements) {
    void *const memory = calloc((size_t)elements + 1, 8);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

/* Everything said out loud, so that no change makes the library choose other strides. */
static void draw_problem(random_source *s, uint64_t seed, problem_line *p) {
    problem_tensor *const tensors[] = {&p->input, &p->index, &p->value};
    random_kind(seed, random_below(s, KINDS), NULL, p);
    p->strategy[0] = p->fields[0] = 0;
    /* What relations change of a shape has no word for a mask or for a maximum's outputs. */
    p->mask_of = MASK_ABSENT;
    p->op = p->op == ARGMAX_CL_ARGMINMAX ? ARGMAX_CL_ARGMIN : p->op;
    do
        random_problem(s, p, UINT64_C(1) << (6 + random_below(s, 7)));
    while (problem_output_count(p) == 0);
    for (size_t i = 0; i < 3; i++)
        tensors[i]->has_strides = tensors[i]->has_offset = true;
}

static void draw(random_source *s, uint64_t seed, const problem_line *pool, uint32_t pooled, relation_side *a,
                 relation_side *b) {
    memset(a, 0, sizeof *a);
    memset(b, 0, sizeof *b);
    if (pooled > 0 && random_one_in(s, 2)) {
        a->p = pool[random_below(s, pooled < POOL ? pooled : POOL)];
        random_data(s, &a->p);
        random_way(s, &a->p);
    } else {
        draw_problem(s, seed, &a->p);
    }
    const uint64_t extent = problem_input_extent(&a->p);
    b->p = a->p;
    a->input = fresh_memory(extent);
    b->input = fresh_memory(extent);
    problem_fill(&a->p, a->input);
    memcpy(b->input, a->input, (size_t)extent * problem_dtype_find(a->p.dtype)->bits / 8);
}

static void discard(relation_side *side) {
    free(side->input);
    free(side->index);
    free(side->value);
}

static void solve(relation_side *side) {
    const problem_line *const p = &side->p;
    const problem_dtype *const index_type = problem_dtype_find(p->index_type), *const type =
                                                                                   problem_dtype_find(p->dtype);
    const uint64_t outputs = problem_output_count(p);
    void *const index = fresh_memory(problem_output_extent(p, &p->index));
    void *const value = fresh_memory(problem_output_extent(p, &p->value));
    side->index = fresh_memory(outputs);
    side->value = fresh_memory(outputs);
    ck_assert_msg(runner_solve(suite_runner(), p, ROUTE_PLAN, side->input, index, value), "%s",
                  suite_runner()->message);
    for (uint64_t i = 0; i < outputs; i++) {
        side->index[i] = problem_load(index_type, index, relation_address(p, &p->index, i));
        if (p->has_value)
            side->value[i] = problem_load(type, value, relation_address(p, &p->value, i));
    }
    free(index);
    free(value);
}

/* The output of `a` at the same place in memory as output j of `b`. */
static uint64_t partner_in_memory(const relation_side *a, const relation_side *b, uint64_t j, const uint64_t *at,
                                  uint64_t outputs) {
    const uint64_t address = relation_address(&b->p, &b->p.index, j);
    (void)a;
    for (uint64_t i = 0; i < outputs; i++)
        if (at[(j + i) % outputs] == address)
            return (j + i) % outputs;
    return UINT64_MAX;
}

static void compare(const relation *r, const relation_side *a, const relation_side *b) {
    const uint64_t outputs = problem_output_count(&a->p), others = problem_output_count(&b->p);
    uint64_t *const at = fresh_memory(outputs);
    char line[PROBLEM_LINE_SIZE], other[PROBLEM_LINE_SIZE];
    for (uint64_t i = 0; i < outputs; i++)
        at[i] = relation_address(&a->p, &a->p.index, i);
    problem_print(&a->p, line, sizeof line);
    problem_print(&b->p, other, sizeof other);
    for (uint64_t j = 0; j < others; j++) {
        const uint64_t i = r->partner ? r->partner(a, b, j) : partner_in_memory(a, b, j, at, outputs);
        ck_assert_msg(i < outputs && r->follows(a, i, b, j, problem_reduction_count(&a->p)),
                      "%s: output %d\n  %s\n  %s", r->name, (int)j, line, other);
    }
    free(at);
}

static void check_relation(const relation *r, uint64_t seed) {
    const uint32_t most = program_count + PROGRAMS < PROGRAMS_MOST ? program_count + PROGRAMS : PROGRAMS_MOST;
    random_source s = {problem_mix(seed)};
    problem_line pool[POOL];
    uint32_t done = 0;
    for (uint32_t i = 0; done < PROBLEMS && i < 600 * PROBLEMS; i++) {
        relation_side a, b;
        draw(&s, seed, pool, done, &a, &b);
        if (r->make(&s, &a, &b) && admit(&a, &b, most)) {
            solve(&a);
            solve(&b);
            compare(r, &a, &b);
            pool[done++ % POOL] = a.p;
        }
        discard(&a);
        discard(&b);
    }
    printf("%-34s %u pairs, %u programs\n", r->name, done, program_count);
    fflush(stdout);
    ck_assert_uint_eq(done, PROBLEMS);
}

static void check_named(const char *name) {
    const uint64_t seed = suite_number("ARGMAX_CL_TEST_SEED", (uint64_t)time(NULL));
    printf("seed %lu: ", (unsigned long)seed);
    for (uint32_t i = 0; i < relation_count; i++)
        if (strcmp(relations[i].name, name) == 0) {
            check_relation(&relations[i], seed);
            return;
        }
    ck_abort_msg("no relation \"%s\"", name);
}

#define RELATION_TEST(test, name)                                                                                      \
    START_TEST(test) {                                                                                                 \
        check_named(name);                                                                                             \
    }                                                                                                                  \
    END_TEST

RELATION_TEST(kept_axes_in_any_order, "kept axes permuted")
RELATION_TEST(the_list_of_axes_in_any_order, "axes listed in another order")
RELATION_TEST(one_axis_is_two, "an axis split in two")
RELATION_TEST(two_axes_are_one, "two axes merged")
RELATION_TEST(first_is_last_backwards, "reversed, FIRST and LAST swapped")
RELATION_TEST(twice_the_same, "duplicated")
RELATION_TEST(outputs_are_independent, "fewer outputs")
RELATION_TEST(argmin_is_argmax_of_the_negation, "argmin of the negation")
RELATION_TEST(a_constant_changes_nothing, "a constant added")
RELATION_TEST(a_wider_type_changes_nothing, "a wider type")
RELATION_TEST(the_way_changes_nothing, "another tuning row and route")

SUITE_MAIN("metamorphic", kept_axes_in_any_order, the_list_of_axes_in_any_order, one_axis_is_two, two_axes_are_one,
           first_is_last_backwards, twice_the_same, outputs_are_independent, argmin_is_argmax_of_the_negation,
           a_constant_changes_nothing, a_wider_type_changes_nothing, the_way_changes_nothing)
