/* The problem that is made of a good descriptor, and the arithmetic behind it. */
#include "descriptor_row.h"

static problem checked(const row *r) {
    const argmax_cl_desc desc = descriptor(r);
    problem p;
    expect_status(r->label, check_desc((argmax_cl_operator)r->op, &desc, &p), ARGMAX_CL_SUCCESS, NULL);
    return p;
}

START_TEST(a_problem_holds_what_was_checked) {
    const row r = {.label = "facts",
                   .input = TENSOR(FLOAT32, 3, SIZES(3, 4, 5), STRIDES(-20, 5, 0), 50),
                   .index = TENSOR(INT32, 3, SIZES(1, 4, 1), STRIDES(9, -2, 9), 7),
                   .value = FOLLOWS(FLOAT32),
                   OVER(2, 2, 0),
                   .op = ARGMAX_CL_ARGMIN,
                   .direction = ARGMAX_CL_DECREASING,
                   IGNORE};
    const problem p = checked(&r);
    ck_assert(p.op == ARGMAX_CL_ARGMIN && p.direction == ARGMAX_CL_DECREASING && p.nan_mode == ARGMAX_CL_NAN_IGNORE);
    ck_assert(p.rank == 3 && p.reduced[0] && !p.reduced[1] && p.reduced[2] && !p.reduced[3]);
    ck_assert(p.outputs == 4 && p.reduction == 15);
    ck_assert(p.input.first == 10 && p.input.last == 65 && p.input.offset == 50 && !p.input.empty);
    ck_assert(p.index.first == 1 && p.index.last == 7 && p.index.type->dtype == ARGMAX_CL_INT32);
    ck_assert(p.value.first == 0 && p.value.last == 3 && p.value.type->dtype == ARGMAX_CL_FLOAT32);
    ck_assert(p.value.stride[0] == 4 && p.value.stride[1] == 1 && p.value.stride[2] == 1);
    ck_assert(p.value.size[0] == 1 && p.value.size[1] == 4 && p.value.size[2] == 1);
    for (int i = 3; i < MAX_RANK; i++)
        ck_assert(p.input.size[i] == 1 && p.input.stride[i] == 0 && p.value.size[i] == 1 && p.value.stride[i] == 0);
    ck_assert(!p.strategy && !p.tuning);
}
END_TEST

START_TEST(integers_have_one_nan_mode) {
    const row r = {
        .label = "int8", .input = TENSOR(INT8, 1, SIZES(3), NULL, 0), .index = FOLLOWS(INT64), OVER(1, 0), IGNORE};
    const problem p = checked(&r);
    ck_assert_int_eq(p.nan_mode, ARGMAX_CL_NAN_PROPAGATE);
    ck_assert(p.value.type == NULL);
}
END_TEST

START_TEST(empty_problems_say_so) {
    const row r = {
        .label = "empty", .input = TENSOR(FLOAT32, 3, SIZES(2, 0, 3), NULL, 0), .index = FOLLOWS(INT64), OVER(1, 2)};
    const problem p = checked(&r);
    ck_assert(p.outputs == 0 && p.reduction == 3 && p.input.empty && p.index.empty);
    ck_assert(p.index.size[0] == 2 && p.index.size[1] == 0 && p.index.size[2] == 1);
}
END_TEST

START_TEST(products_and_sums_do_not_wrap) {
    uint64_t r = 0;
    ck_assert(multiply_u64(P(32), P(31), &r) && r == P(63));
    ck_assert(multiply_u64(UINT64_MAX, 1, &r) && r == UINT64_MAX);
    ck_assert(multiply_u64(0, UINT64_MAX, &r) && r == 0);
    ck_assert(multiply_u64(UINT64_MAX, 0, &r) && r == 0);
    ck_assert(!multiply_u64(P(32), P(32), &r) && !multiply_u64(UINT64_MAX, 2, &r));
    ck_assert(add_u64(UINT64_MAX, 0, &r) && r == UINT64_MAX);
    ck_assert(add_u64(P(63), P(63) - 1, &r) && r == UINT64_MAX);
    ck_assert(!add_u64(UINT64_MAX, 1, &r) && !add_u64(P(63), P(63), &r));
}
END_TEST

TESTS_MAIN("problem", NULL, NULL, ONCE(a_problem_holds_what_was_checked), ONCE(integers_have_one_nan_mode),
           ONCE(empty_problems_say_so), ONCE(products_and_sums_do_not_wrap))
