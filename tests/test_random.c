/* Random problems over the whole contract against the oracle. ARGMAX_CL_TEST_SEED and ARGMAX_CL_TEST_COUNT repeat or
 * lengthen a run; the seed comes from the clock unless given. */
#include "suite.h"

#include <time.h>

START_TEST(random_problems) {
    sweep s = {.r = suite_runner()};
    const uint64_t seed = suite_number("ARGMAX_CL_TEST_SEED", (uint64_t)time(NULL));
    const bool ok = sweep_random(&s, seed, suite_number("ARGMAX_CL_TEST_COUNT", 3000), 6);
    sweep_print(&s, "random problems");
    ck_assert_uint_eq(s.failures, 0);
    ck_assert(ok);
}
END_TEST

/* The same problems on every machine and at every time. */
START_TEST(random_problems_of_a_known_seed) {
    sweep s = {.r = suite_runner()};
    ck_assert(sweep_random(&s, 1, 500, 3));
}
END_TEST

SUITE_MAIN("random", random_problems, random_problems_of_a_known_seed)
