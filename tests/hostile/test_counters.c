/* Which launch gets which counters, on a handle of the tests' own OpenCL. */
#include "api/handle.h"
#include "unit.h"

/* Queues are told apart by their addresses alone. */
static cl_command_queue queue_at(const char *memory, uint32_t i) {
    return (cl_command_queue)(uintptr_t)(memory + i);
}

static argmax_cl_handle open_handle(void) {
    argmax_cl_handle handle = NULL;
    ck_assert_int_eq(argmax_cl_create_default(&handle, NULL), ARGMAX_CL_SUCCESS);
    return handle;
}

static cl_uint references(cl_mem buffer) {
    cl_uint count = 0;
    ck_assert_int_eq(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL), CL_SUCCESS);
    return count;
}

/* Not even with the launch before, which may have died. */
START_TEST(launches_share_no_counters) {
    const argmax_cl_handle handle = open_handle();
    static const char memory[1];
    counter_loan last = {NULL, 0, 0};
    uint64_t blocks = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        const uint64_t counts[] = {1, 4, 130, 4096}, count = counts[i % 4];
        counter_loan loan;
        ck_assert(counters_lend(handle, queue_at(memory, 0), count, &loan));
        size_t bytes = 0;
        ck_assert_int_eq(clGetMemObjectInfo(loan.buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL), CL_SUCCESS);
        ck_assert_uint_le((loan.first + count) * sizeof(cl_uint), bytes);
        ck_assert_uint_eq(loan.first % 2, 0); /* words of 64 bits stand there */
        if (loan.number == last.number)
            ck_assert_uint_ge(loan.first, last.first + counts[(i + 3) % 4]);
        else
            blocks++;
        last = loan;
    }
    ck_assert_uint_gt(blocks, 1);
    ck_assert_uint_lt(blocks, 10000 / 15);
    argmax_cl_destroy(handle);
}
END_TEST

START_TEST(queues_share_no_memory_object) {
    const argmax_cl_handle handle = open_handle();
    static const char memory[QUEUES_KEPT];
    static counter_loan loans[QUEUES_KEPT];
    for (uint32_t i = 0; i < QUEUES_KEPT; i++) {
        ck_assert(counters_lend(handle, queue_at(memory, i), 4, &loans[i]));
        ck_assert_uint_eq(references(loans[i].buffer), 1);
        for (uint32_t other = 0; other < i; other++)
            ck_assert(loans[i].buffer != loans[other].buffer && loans[i].number != loans[other].number);
    }
    argmax_cl_destroy(handle);
}
END_TEST

/* Those that were lent some keep them. */
START_TEST(one_queue_too_many_gets_none) {
    const argmax_cl_handle handle = open_handle();
    static const char memory[QUEUES_KEPT + 1];
    counter_loan first, again;
    ck_assert(counters_lend(handle, queue_at(memory, 0), 4, &first));
    for (uint32_t i = 1; i < QUEUES_KEPT; i++)
        ck_assert(counters_lend(handle, queue_at(memory, i), 4, &again));
    ck_assert(!counters_lend(handle, queue_at(memory, QUEUES_KEPT), 4, &again));
    ck_assert(counters_lend(handle, queue_at(memory, 0), 4, &again));
    ck_assert_uint_eq(first.number, again.number);
    argmax_cl_destroy(handle);
}
END_TEST

/* Nobody says when a queue is gone. */
START_TEST(a_queue_unused_for_long_makes_room) {
    const argmax_cl_handle handle = open_handle();
    static const char memory[QUEUES_KEPT + 1];
    counter_loan loan, last;
    uint32_t refused = 0;
    for (uint32_t i = 0; i < QUEUES_KEPT; i++)
        ck_assert(counters_lend(handle, queue_at(memory, i), 4, &loan));
    while (!counters_lend(handle, queue_at(memory, QUEUES_KEPT), 4, &loan)) {
        for (uint32_t i = 1; i < QUEUES_KEPT; i++)
            ck_assert(counters_lend(handle, queue_at(memory, i), 4, &last));
        ck_assert_uint_lt(++refused, 1000);
    }
    ck_assert_uint_gt(refused, 1);
    for (uint32_t i = 1; i <= QUEUES_KEPT; i++) /* the others keep theirs */
        ck_assert(counters_lend(handle, queue_at(memory, i), 4, &last));
    ck_assert(!counters_lend(handle, queue_at(memory, 0), 4, &loan));
    argmax_cl_destroy(handle);
}
END_TEST

/* Queues may live for one call; the blocks of one that lives on grow. */
START_TEST(a_new_queue_costs_little) {
    const argmax_cl_handle handle = open_handle();
    static const char memory[2];
    counter_loan loan;
    size_t bytes = 0, before = 0;
    for (uint64_t block = 1; block <= 4; block++) {
        do
            ck_assert(counters_lend(handle, queue_at(memory, 0), 4, &loan));
        while (loan.number < block);
        before = bytes;
        ck_assert_int_eq(clGetMemObjectInfo(loan.buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL), CL_SUCCESS);
        ck_assert_uint_ge(bytes, before);
        ck_assert(block > 1 || bytes <= 4096);
    }
    ck_assert_uint_ge(bytes, 262144);
    argmax_cl_destroy(handle);
}
END_TEST

/* Plans then make two launches. */
START_TEST(a_full_device_lends_none) {
    const argmax_cl_handle handle = open_handle();
    static const char memory[1];
    counter_loan loan;
    ck_assert_int_eq(setenv("STUB_OPENCL_MEMORY", "1000", 1), 0);
    ck_assert(!counters_lend(handle, queue_at(memory, 0), 4, &loan));
    ck_assert_int_eq(unsetenv("STUB_OPENCL_MEMORY"), 0);
    ck_assert(counters_lend(handle, queue_at(memory, 0), 4, &loan));
    argmax_cl_destroy(handle);
}
END_TEST

TESTS_MAIN("counters", NULL, NULL, ONCE(launches_share_no_counters), ONCE(queues_share_no_memory_object),
           ONCE(one_queue_too_many_gets_none), ONCE(a_queue_unused_for_long_makes_room), ONCE(a_new_queue_costs_little),
           ONCE(a_full_device_lends_none))
