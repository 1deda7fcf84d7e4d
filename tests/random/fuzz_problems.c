/* fuzz_problems [--count N] [--seed S] [--seconds T] [--jobs J] [--device SELECTOR] [--kinds K] [--programs P]
 *               [--elements E] [--tuning ROW] [--complete 1] [--trace 1] [--batch B]
 *
 * Runs N random problems against the oracle, on J processes side by side; exit status 0 when all are right. Prints the
 * seed (taken from the clock unless given), and for each failure a small line that shows it again with run_problem, and
 * in the end how often each part of the contract was drawn.
 *   --seconds   end after that time, with those that are right by then
 *   --kinds     how many kinds of problems (types, modes, strategy, tuning row) they are shared out to; 500 problems
 * each unless given
 *   --programs  the number of compiled programs that the problems of a kind have, at most
 *   --elements  of the largest problems, about
 *   --tuning    a tuning row for all of them
 *   --complete  1: wrong as well unless everything was drawn at least once
 *   --trace     1: print each line before it runs
 *   --batch     run that batch of the seed alone, in this process */
#include "workers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct options {
    campaign campaign;
    uint64_t kinds, complete, batch, jobs, programs, trace;
} options;

static bool read_options(options *o, int argc, char **argv) {
    const struct {
        const char *name;
        uint64_t *number;
        const char **text;
        uint64_t least, most;
    } names[] = {
        {"--count", &o->campaign.count, NULL, 1, UINT64_C(1) << 40},
        {"--seed", &o->campaign.batch.seed, NULL, 0, UINT64_MAX},
        {"--jobs", &o->jobs, NULL, 1, WORKERS_MOST},
        {"--device", NULL, &o->campaign.selector, 0, 0},
        {"--seconds", &o->campaign.seconds, NULL, 1, UINT64_C(1) << 32},
        {"--kinds", &o->kinds, NULL, 1, UINT64_C(1) << 32},
        {"--programs", &o->programs, NULL, 1, BATCH_PROGRAMS_MOST},
        {"--elements", &o->campaign.batch.elements, NULL, 1, UINT64_C(1) << 30},
        {"--tuning", NULL, &o->campaign.batch.tuning, 0, 0},
        {"--complete", &o->complete, NULL, 0, 1},
        {"--trace", &o->trace, NULL, 0, 1},
        {"--batch", &o->batch, NULL, 0, UINT64_MAX - 1},
    };
    for (int i = 1; i < argc; i += 2) {
        size_t n = 0;
        char *end = "";
        while (n < sizeof names / sizeof names[0] && strcmp(names[n].name, argv[i]) != 0)
            n++;
        if (n == sizeof names / sizeof names[0] || i + 1 >= argc)
            return false;
        if (names[n].text)
            *names[n].text = argv[i + 1];
        else
            *names[n].number = strtoull(argv[i + 1], &end, 10);
        if (*end || (names[n].number && (*names[n].number < names[n].least || *names[n].number > names[n].most)))
            return false;
    }
    return true;
}

static bool run_one_batch(const options *o, batch_result *result) {
    runner r;
    const bool ok = runner_open(&r, o->campaign.selector);
    r.trace = o->campaign.trace;
    if (ok)
        differential_batch(&r, &o->campaign.batch, o->batch, result);
    else
        fprintf(stderr, "%s\n", r.message);
    runner_close(&r);
    return ok && result->wrong == 0;
}

int main(int argc, char **argv) {
    options o = {.campaign = {.batch = {.seed = (uint64_t)time(NULL), .elements = UINT64_C(1) << 20}, .count = 2000},
                 .jobs = 1,
                 .programs = 5,
                 .batch = UINT64_MAX};
    static batch_result result;
    if (!read_options(&o, argc, argv)) {
        fprintf(stderr,
                "usage: fuzz_problems [--count N] [--seed S] [--seconds T] [--jobs J] [--device SELECTOR] "
                "[--kinds K] [--programs P] [--elements E] [--tuning ROW] [--complete 1] [--trace 1] [--batch B]\n");
        return 2;
    }
    campaign *const c = &o.campaign;
    c->batch.problems = o.kinds ? (c->count + o.kinds - 1) / o.kinds : 500;
    c->batch.programs = (uint32_t)o.programs;
    c->jobs = (uint32_t)o.jobs;
    c->trace = o.trace != 0;
    printf("random problems: seed %" PRIu64 ", %" PRIu64 " problems, %" PRIu64
           " of a kind, %u programs, %u processes\n",
           c->batch.seed, c->count, c->batch.problems, c->batch.programs, c->jobs);
    fflush(stdout);
    const bool ok = o.batch == UINT64_MAX ? campaign_run(c, &result) : run_one_batch(&o, &result);
    histogram_print(&result.histogram, stdout);
    printf("%" PRIu64 " problems drawn, %" PRIu64 " right, %" PRIu64 " wrong\n", result.drawn, result.right,
           result.wrong);
    const bool complete = !o.complete || histogram_missing(&result.histogram, stdout) == 0;
    return ok && complete ? 0 : 1;
}
