/* What every geometry is made of, at the numbers where it breaks, and the strategies' names. Needs no device. */
#include "families/geometry.h"
#include "unit.h"

#include <inttypes.h>

/* Drivers allow a compiled kernel any number of work-items, such as 192 or 819. */
START_TEST(powers_keep_both_limits) {
    static const struct {
        uint64_t n;
        uint32_t limit, expected;
    } rows[] = {
        {1, 1, 1},
        {7, 100, 4},
        {8, 100, 8},
        {256, 200, 128},
        {256, 255, 128},
        {256, 256, 256},
        {256, 257, 256},
        {1024, 819, 512},
        {3, 3, 2},
        {UINT64_MAX, 1, 1},
        {UINT64_MAX, UINT32_MAX, UINT32_C(1) << 31},
        {UINT64_C(1) << 31, UINT32_MAX, UINT32_C(1) << 31},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_msg(floor_power(rows[i].n, rows[i].limit) == rows[i].expected,
                      "floor_power(%" PRIu64 ", %" PRIu32 ") = %" PRIu32 ": expected %" PRIu32, rows[i].n,
                      rows[i].limit, floor_power(rows[i].n, rows[i].limit), rows[i].expected);
}
END_TEST

/* Names are listed as far as they fit. */
START_TEST(names_fit_their_room) {
    char whole[1000], part[1000];
    strategy_names(whole, sizeof whole);
    for (uint32_t i = 0; i < strategy_count(); i++)
        ck_assert_msg(strstr(whole, strategy_name(i)), "%s", strategy_name(i));
    ck_assert_ptr_null(strategy_name(strategy_count()));
    for (size_t capacity = 1; capacity <= strlen(whole); capacity++) {
        memset(part, 'x', sizeof part);
        strategy_names(part, capacity);
        ck_assert_uint_lt(strlen(part), capacity);
        ck_assert(strncmp(part, whole, strlen(part)) == 0 && part[capacity] == 'x');
    }
}
END_TEST

/* Each family once, with all that the stages ask of it. */
START_TEST(families_are_whole) {
    uint32_t seen = 0;
    const family *of;
    for (uint32_t i = 0; (of = family_at(i)) != NULL; i++) {
        ck_assert(of->name && of->kernel && of->lay_out && of->options && of->arguments && of->describe);
        ck_assert_msg(of->structs >= 1 && of->structs <= OWN_ARGUMENTS_MOST, "%s", of->name);
        for (uint32_t k = 0; k < i; k++)
            ck_assert_msg(strcmp(family_at(k)->name, of->name) != 0, "%s", of->name);
        for (uint32_t k = 0; k < strategy_count(); k++)
            seen += strategy_at(k)->family == of;
    }
    ck_assert_uint_eq(seen, strategy_count());
    ck_assert_ptr_null(strategy_at(strategy_count()));
}
END_TEST

/* The upper half of a product, as OpenCL's mul_hi. */
static uint64_t upper_half(uint64_t a, uint64_t b) {
    const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), cross = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    const uint64_t other = (a & UINT32_MAX) * (b >> 32) + (cross & UINT32_MAX);
    return (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32);
}

/* As kernels/memory/index.clh does it, and as it does with ONE_JOB. */
static void divides(uint64_t n, uint64_t divisor) {
    const uint64_t m = reciprocal(divisor), quotient = m ? upper_half(n, m) : n;
    const uint64_t exact = quotient - (quotient * divisor > n);
    ck_assert_msg(exact == n / divisor, "%" PRIu64 " / %" PRIu64 " = %" PRIu64 ": expected %" PRIu64, n, divisor, exact,
                  n / divisor);
}
static void divides_few(uint64_t number, uint64_t by) {
    const uint32_t n = (uint32_t)number, divisor = (uint32_t)by;
    const uint64_t m = reciprocal(divisor);
    const uint32_t quotient = m ? (uint32_t)((uint64_t)n * ((uint32_t)(m >> 32) + 1) >> 32) : n;
    const uint32_t exact = quotient - (quotient * divisor > n);
    ck_assert_msg(exact == n / divisor, "%" PRIu32 " / %" PRIu32 " = %" PRIu32 ": expected %" PRIu32, n, divisor, exact,
                  n / divisor);
}

/* Where a quotient steps up, to the last number. */
static void divides_up_to(uint64_t last, uint64_t divisor, void (*divides_one)(uint64_t n, uint64_t divisor)) {
    for (uint64_t k = 1; k <= last / divisor; k = k < 50 ? k + 1 : k > UINT64_MAX / 3 ? UINT64_MAX : k * 3) {
        divides_one(k * divisor - 1, divisor);
        divides_one(k * divisor, divisor);
    }
    divides_one(last / divisor * divisor, divisor);
    divides_one(last / divisor * divisor - (last >= divisor), divisor);
    divides_one(last, divisor);
}
START_TEST(jobs_are_divided_exactly) {
    for (uint64_t i = 1; i < 6000; i++)
        divides_up_to(INT64_MAX, i < 4000 ? i : (UINT64_C(1) << (i % 59 + 4)) + i % 7 - 3, divides);
}
END_TEST
START_TEST(few_jobs_are_divided_exactly) {
    for (uint64_t i = 1; i < 6000; i++)
        divides_up_to(INT32_MAX, i < 4000 ? i : (UINT64_C(1) << (i % 27 + 4)) + i % 7 - 3, divides_few);
}
END_TEST

TESTS_MAIN("geometry", NULL, NULL, ONCE(jobs_are_divided_exactly), ONCE(few_jobs_are_divided_exactly),
           ONCE(families_are_whole), ONCE(names_fit_their_room), ONCE(powers_keep_both_limits))
