/* Every strategy once under each tuning row, through all three calls: short enough to run under sanitizers. */
#include "internal.h"
#include "suite.h"

#include <stdio.h>

static const char *const shapes[] = {
    "7x3001 axes=1 value",
    "3001x70 axes=0 value",
    "31x70 axes=0 value",
    "301x12 axes=1 value",
    "7x3001 axes=1 strides=6002,2",
    "3001x70 axes=0 strides=140,2",
    "31x70 axes=0 strides=140,2",
    "300000",
    "300000 strides=2",
    "20000x70 axes=0",
    "20000x70 axes=0 strides=140,2",
    "300x4000 strides=1,300 value",
    "300x7x70 axes=0,2 value",
};

/* Run the first shape that the strategy accepts; false when there is none. */
static bool run_strategy(runner *r, const char *strategy, const char *tuning, run_route route) {
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
        char line[PROBLEM_LINE_SIZE], error[300];
        problem_line p;
        snprintf(line, sizeof line, "argmax float32 %s data=special strategy=%s tuning=%s", shapes[i], strategy,
                 tuning);
        ck_assert_msg(problem_parse(line, &p, error, sizeof error), "%s: %s", line, error);
        const run_result result = runner_report(r, &p, route);
        ck_assert_msg(result != RUN_FAILED, "%s: %s", line, r->message);
        if (result == RUN_OK)
            return true;
    }
    return false;
}

START_TEST(every_strategy_runs) {
    for (uint32_t i = 0; i < strategy_count(); ++i)
        for (size_t t = 0; t < SWEEP_TUNINGS; ++t)
            for (run_route route = ROUTE_PLAN; route < ROUTE_COUNT; ++route)
                ck_assert_msg(run_strategy(suite_runner(), strategy_name(i), sweep_tunings[t], route),
                              "no shape here for strategy=%s tuning=%s", strategy_name(i), sweep_tunings[t]);
}
END_TEST

SUITE_MAIN("smoke", every_strategy_runs)
