/* Absurd descriptors are refused for what they are, in microseconds. Needs no device. */
#include "absurd.h"
#include "internal.h"
#include "unit.h"

static argmax_cl_status check_row(void *desc) {
    problem p;
    return check_desc(ARGMAX_CL_ARGMAX, desc, &p);
}

START_TEST(each_row) {
    const absurd_row *const row = &absurd_rows[_i];
    problem p;
    expect_status(row->label, check_desc(ARGMAX_CL_ARGMAX, row->desc, &p), row->status, row->parts);
    const double took = least_microseconds(check_row, (void *)(uintptr_t)row->desc);
    ck_assert_msg(took < ABSURD_MICROSECONDS, "%s: %.1f microseconds", row->label, took);
    if (getenv("ARGMAX_CL_TEST_VERBOSE"))
        printf("%-45s %6.2f us\n", row->label, took);
}
END_TEST

TESTS_MAIN("absurd", NULL, NULL, TIMES(each_row, absurd_count))
