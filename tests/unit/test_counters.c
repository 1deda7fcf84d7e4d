/* Which queue gets which counters. */
#include "api/handle.h"
#include "unit.h"

/* Queues are told apart by their addresses alone. */
static cl_command_queue queue_at(const char *memory, uint32_t i) {
    return (cl_command_queue)(uintptr_t)(memory + i);
}

START_TEST(queues_share_no_counters) {
    static struct argmax_cl_handle_s handle;
    static const char memory[QUEUES_KEPT + 1];
    static cl_ulong first[QUEUES_KEPT];
    handle.lent = 0;
    for (int again = 0; again < 2; again++)
        for (uint32_t i = 0; i < QUEUES_KEPT; i++) {
            cl_ulong got = 1;
            ck_assert(counters_lend(&handle, queue_at(memory, i), &got));
            ck_assert(!again || got == first[i]);
            first[i] = got;
            for (uint32_t other = 0; other < i; other++)
                ck_assert_uint_ge(first[i] > first[other] ? first[i] - first[other] : first[other] - first[i],
                                  COUNTERS_A_QUEUE);
            ck_assert_uint_lt(got, (cl_ulong)QUEUES_KEPT * COUNTERS_A_QUEUE);
        }
}
END_TEST

/* Those that were lent some keep them. */
START_TEST(one_queue_too_many_gets_none) {
    static struct argmax_cl_handle_s handle;
    static const char memory[QUEUES_KEPT + 1];
    cl_ulong first, again;
    handle.lent = 0;
    ck_assert(counters_lend(&handle, queue_at(memory, 0), &first));
    for (uint32_t i = 1; i < QUEUES_KEPT; i++)
        ck_assert(counters_lend(&handle, queue_at(memory, i), &again));
    ck_assert(!counters_lend(&handle, queue_at(memory, QUEUES_KEPT), &again));
    ck_assert(counters_lend(&handle, queue_at(memory, 0), &again));
    ck_assert_uint_eq(first, again);
}
END_TEST

int main(void) {
    Suite *const suite = suite_create("counters");
    TCase *const tests = tcase_create("counters");
    tcase_add_test(tests, queues_share_no_counters);
    tcase_add_test(tests, one_queue_too_many_gets_none);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
