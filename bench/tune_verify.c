/* The row that was found, on problems that nobody measures: odd sizes, gaps, ties, NaNs, other orders and types. */
#include "run.h"
#include "tune_set.h"

static const char *const lines[] = {
    "argmax float32 1000003",
    "argmin int8 313x517 axes=1 last data=ties",
    "argmax float16 517x313 axes=0 data=nan",
    "argmax float64 37x41x43 axes=1 data=special",
    "argmax int16 4099x33 axes=1 strides=35,1 offset=1",
    "argmin uint8 7x100003 axes=1 data=pair",
    "argmax uint8 100003x5 axes=0 last data=pair",
    "argmin float32 33x65x17 axes=0,2 value data=special",
    "argmax int64 100003x3 axes=0 index=int32",
    "argmax bfloat16 30000x7 axes=1 value data=nanpair",
    "argmax float32 2000x301 axes=0 strides=602,2 data=ties",
    "argmin uint16 300x64x31 axes=1 last nan=ignore data=ties",
    "argmax float16 1x65537 axes=1 nan=ignore data=number",
    "argmax int8 70000x9 axes=1 data=pair",
    "argmax uint32 513x129x65 axes=0,2 strides=1,513,66177 data=pair",
};

bool tune_verify(tune_set *set, const char *row) {
    workbench bench;
    tune_plan plan;
    const run_options options = {.seconds = 0, .check = true};
    /* From now on the library reads this row. */
    bool good = tune_plan_open(set, &set->problems[0], row, &plan) && workbench_open(&bench, set->device);
    tune_plan_close(&plan);
    if (!good)
        return complain("%s", argmax_cl_last_error());
    for (size_t i = 0; i < sizeof lines / sizeof lines[0] && good; i++) {
        problem_line p;
        run_result result = {.reader = ""};
        char error[256];
        if (!problem_parse(lines[i], &p, error, sizeof error)) {
            good = complain("%s: %s", lines[i], error);
            break;
        }
        run_problem(&bench, &p, &options, &result);
        if (result.failure[0] != 0)
            good = complain("%s: %s", lines[i], result.failure);
        else if (result.check == CHECK_WRONG)
            good = complain("WRONG ANSWERS: %s with the plan %s; nothing is written", lines[i], result.plan);
    }
    workbench_close(&bench);
    return good;
}
