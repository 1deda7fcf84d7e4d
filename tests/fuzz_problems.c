/* fuzz_problems [--count N] [--seed S] [--kinds K] [--device SELECTOR] [--tuning ROW] [--trace 1]
 *
 * Runs N random problems against the oracle; exit status 0 when all are right. Prints the seed (taken from the clock
 * unless given), for each failure the line that runs it again, and in the end the counts and the device. K bounds the
 * number of programs compiled. --tuning gives every problem one tuning row. --trace 1 prints each line before it
 * runs. */
#include "sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int argc, char **argv) {
    uint64_t count = 2000, kinds = 60, seed = (uint64_t)time(NULL);
    const char *selector = NULL, *tuning = NULL;
    bool trace = false;
    for (int i = 1; i < argc; i += 2) {
        const char *const text = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--count") == 0)
            count = strtoull(text, NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(text, NULL, 10);
        else if (strcmp(argv[i], "--kinds") == 0)
            kinds = strtoull(text, NULL, 10);
        else if (strcmp(argv[i], "--device") == 0)
            selector = text;
        else if (strcmp(argv[i], "--tuning") == 0)
            tuning = text;
        else if (strcmp(argv[i], "--trace") == 0)
            trace = strcmp(text, "0") != 0;
        else
            kinds = 0;
    }
    if (count == 0 || kinds == 0) {
        fprintf(stderr, "usage: fuzz_problems [--count N] [--seed S] [--kinds K] [--device SELECTOR] [--tuning ROW] "
                        "[--trace 1]\n");
        return 2;
    }
    runner r;
    bool ok = runner_open(&r, selector);
    if (ok) {
        sweep s = {.r = &r, .tuning = tuning};
        r.trace = trace;
        ok = sweep_random(&s, seed, count, kinds);
        runner_print(&r);
    } else {
        fprintf(stderr, "%s\n", r.message);
    }
    runner_close(&r);
    return ok ? 0 : 1;
}
