/* run_pairs [--device SELECTOR] [--all] [--stride K] [--specials N] [--batch PAIRS] [--elements N] [--only TEXT]
 * TYPE...
 *
 * Compares pairs of elements of 8- and 16-bit types through each way that the kernels have (pair_scenarios.c), for both
 * operators, both directions and both NaN modes, and checks every answer against a table of ranks (pair_ranks.c): all
 * 2^16 pairs of 8-bit types; of 16-bit types all 2^32 with --all, else the sample that pair_sample describes.
 * --only takes the scenarios with that in their names, --from starts with the first such one. --elements bounds the
 * input of a scenario whose reductions are too long for all pairs. Data are made and answers checked by kernels of its
 * own, some answers also on the host; each check is made to fail first. Exit status 0 when all answers are right. */
#include "arguments.h"
#include "pair_trial.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* Batches on the queue before we wait. */
#define IN_FLIGHT 16

static unsigned long long answers, failures;

static void report(const pair_trial *t, const char *pattern, const pair_session *s, uint32_t sense, uint32_t direction,
                   const pair_verdict *v) {
    const uint32_t ones = (1u << s->type->bits) - 1;
    failures += v->wrong;
    if (v->wrong)
        fprintf(stderr,
                "FAIL %s %s, pattern %s x %" PRIu32 ", %s %s nan=%s: %u wrong; a=0x%X b=0x%X gave %d, expected %d\n",
                s->type->name, t->s->name, pattern, t->run, pair_operator(sense) ? "argmin" : "argmax",
                direction ? "last" : "first", pair_nan_mode(sense) ? "ignore" : "propagate", v->wrong,
                v->pair >> s->type->bits & ones, v->pair & ones, (int)v->got, (int)v->expected);
}

/* Answers that nobody gave must all be wrong. */
static void make_checks_fail(const pair_session *s, const pair_trial *t) {
    pair_verdict verdicts[PAIR_SENSES][2];
    pair_spoil(s, t);
    for (uint32_t sense = 0; sense < s->senses; sense++)
        for (uint32_t direction = 0; direction < 2; direction++) {
            pair_check(s, t, sense, direction, 0);
            REQUIRE(pair_check_here(s, t, sense, direction, 0) > 0);
        }
    pair_verdicts(s, verdicts);
    for (uint32_t sense = 0; sense < s->senses; sense++)
        REQUIRE(verdicts[sense][0].wrong == t->pairs && verdicts[sense][1].wrong == t->pairs);
}

static void run_batch(const pair_session *s, const pair_trial *t, uint64_t first, size_t letters, bool here) {
    for (uint32_t sense = 0; sense < s->senses; sense++) {
        pair_fill(s, t, sense, first, letters);
        for (uint32_t direction = 0; direction < 2; direction++) {
            pair_compare(s, t, sense, direction);
            pair_check(s, t, sense, direction, first);
            if (here)
                failures += pair_check_here(s, t, sense, direction, first);
        }
    }
}

static void run_pattern(const pair_session *s, pair_trial *t, const char *text, size_t letters) {
    pair_verdict verdicts[PAIR_SENSES][2];
    pair_use_pattern(s, t, text, letters);
    make_checks_fail(s, t);
    uint64_t batch = 0;
    for (uint64_t done = 0; done < t->total; done += t->pairs, batch++) {
        const uint64_t first = done + t->pairs <= t->total ? done : t->total - t->pairs;
        run_batch(s, t, first, letters, batch == 0);
        if (batch % IN_FLIGHT == IN_FLIGHT - 1)
            REQUIRE(!clFinish(s->r.queue));
    }
    pair_verdicts(s, verdicts);
    for (uint32_t sense = 0; sense < s->senses; sense++)
        for (uint32_t direction = 0; direction < 2; direction++)
            report(t, text, s, sense, direction, &verdicts[sense][direction]);
    answers += t->total * s->senses * 2;
}

static void run_scenario(pair_session *s, const pair_scenario *scenario) {
    const double start = own_seconds();
    const unsigned long long failures_before = failures;
    pair_trial t;
    char text[PAIR_PATTERN_MAX + 1];
    uint32_t patterns = 0;
    if (!pair_open_trial(s, &t, scenario)) {
        printf("%-9s %-27s not on this device\n", s->type->name, scenario->name);
        return;
    }
    const double planned = own_seconds();
    for (size_t letters; (letters = pair_pattern(scenario->patterns[s->width], patterns, text)) > 0; patterns++) {
        text[letters] = '\0';
        run_pattern(s, &t, text, letters);
    }
    printf("%-9s %-27s %10" PRIu64 " pairs x %2" PRIu32 " patterns x %" PRIu32 " modes, %llu wrong, %.1f + %.1f s\n",
           s->type->name, scenario->name, t.total, patterns, s->senses * 2, failures - failures_before, planned - start,
           own_seconds() - planned);
    fflush(stdout);
    pair_close_trial(s, &t);
}

static bool read_options(int argc, char **argv, pair_options *o, int *types) {
    const argument_option known[] = {{"--device", &o->device, NULL},     {"--only", &o->only, NULL},
                                     {"--from", &o->from, NULL},         {"--stride", NULL, &o->stride},
                                     {"--specials", NULL, &o->specials}, {"--batch", NULL, &o->batch},
                                     {"--elements", NULL, &o->elements}};
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++)
        if (strcmp(argv[i], "--all") == 0)
            o->all = true;
        else if (i + 1 < argc && arguments_take(known, sizeof known / sizeof known[0], argv[i], argv[i + 1]))
            i++;
        else
            return false;
    *types = i;
    return i < argc && o->stride > 0;
}

int main(int argc, char **argv) {
    static pair_session s;
    pair_options o = {.stride = 65537, .specials = 4, .elements = UINT64_C(1) << 27};
    int types = 0;
    const double start = own_seconds();
    if (!read_options(argc, argv, &o, &types)) {
        fprintf(stderr, "usage: run_pairs [--device SELECTOR] [--all] [--stride K] [--specials N] [--batch PAIRS] "
                        "[--elements N] [--only TEXT] [--from TEXT] TYPE...\n");
        return 2;
    }
    s.o = &o;
    snprintf(s.tuning_file, sizeof s.tuning_file, "/tmp/run_pairs.%ld.tuning", (long)getpid());
    REQUIRE(runner_open(&s.r, o.device));
    REQUIRE(!device_query(s.r.device, &s.facts));
    if (o.batch == 0)
        o.batch = s.facts.type & CL_DEVICE_TYPE_CPU ? UINT64_C(1) << 20 : UINT64_C(1) << 26;
    for (int i = types; i < argc; i++) {
        if (!pair_open_type(&s, argv[i])) {
            fprintf(stderr, "TYPE = %s: expected float16, bfloat16, int16, uint16, int8 or uint8\n", argv[i]);
            return 2;
        }
        bool begun = !o.from;
        for (size_t k = 0; k < pair_scenario_count; k++) {
            begun = begun || strstr(pair_scenarios[k].name, o.from);
            if (begun && (!o.only || strstr(pair_scenarios[k].name, o.only)))
                run_scenario(&s, &pair_scenarios[k]);
        }
        pair_close_type(&s);
    }
    printf("%s: %llu answers, %llu wrong, %.1f s\n", s.facts.name, answers, failures, own_seconds() - start);
    remove(s.tuning_file);
    runner_close(&s.r);
    return failures ? 1 : answers ? 0 : 2;
}
