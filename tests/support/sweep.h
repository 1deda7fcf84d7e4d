/* Runs a problem through every strategy and both tuning rows. Each answer is compared with the oracle's bit for bit, so
 * that all strategies agree with each other too. */
#ifndef ARGMAX_CL_TESTS_SWEEP_H
#define ARGMAX_CL_TESTS_SWEEP_H

#include "runner.h"

#define SWEEP_MAX_STRATEGIES 32
#define SWEEP_TUNINGS 2
extern const char *const sweep_tunings[SWEEP_TUNINGS];

typedef struct sweep {
    runner *r;
    unsigned long accepted[SWEEP_MAX_STRATEGIES][SWEEP_TUNINGS]; /* problems that a strategy took, and got right */
    unsigned long problems, runs, failures;
} sweep;

/* Run a problem under every strategy, each with both tuning rows or with the one dealt to it: half the kinds of
 * problems get the one, half the other, so that half the programs are compiled. Failures are printed. False after a
 * failure. */
typedef enum sweep_extent { SWEEP_BOTH_TUNINGS, SWEEP_DEALT_TUNING } sweep_extent;
bool sweep_problem(sweep *s, const problem_line *line, sweep_extent extent);

/* The number of the tuning row that is dealt to a problem under a strategy. */
size_t sweep_dealt_tuning(const problem_line *p, uint32_t strategy);

/* Run a problem under the strategy of this number, which may refuse it. */
void sweep_one(sweep *s, const problem_line *line, uint32_t strategy, sweep_extent extent);

/* Whether that strategy accepts a problem under the tuning row that is dealt to it, and the number of its programs
 * (probe.h). Nothing is compiled. Another refusal than that of the strategy is a failure. */
bool sweep_accepts(sweep *s, const problem_line *line, uint32_t strategy, uint64_t *programs);

/* Run a problem under one strategy, which must accept it; false, and counted, when it does not or an answer is wrong.
 */
bool sweep_strategy(sweep *s, const problem_line *line, const char *name, sweep_extent extent);

/* The same where its kind, which has this number, is dealt to the strategy. */
bool sweep_dealt_strategy(sweep *s, const problem_line *line, uint32_t kind, const char *name, sweep_extent extent);

/* Run a problem with the strategy left to the library, and through one route after the other. */
bool sweep_chosen(sweep *s, const problem_line *line, sweep_extent extent);

/* A table of what each strategy accepted, to stdout. */
void sweep_print(const sweep *s, const char *title);

#endif
