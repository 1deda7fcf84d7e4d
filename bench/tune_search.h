/* The parts of --tune: what gains are worth (tune_score.c), one candidate (tune_try.c), the search (tune_search.c). */
#ifndef BENCH_TUNE_SEARCH_H
#define BENCH_TUNE_SEARCH_H

#include "tune_row.h"
#include "tune_set.h"

#include <signal.h>

/* ---- tune_score.c ---------------------------------------------------------------------------------------------- */

/* Least gain that counts, as a logarithm. */
#define TUNE_GAIN_LEAST 0.01

/* The weighted mean of gains, its error, and how far the problems lie apart. */
typedef struct score {
    double sum, squares, weights, variance;
    unsigned count;
} score;

void score_add(score *t, const tune_gain *gain, double weight);
double score_mean(const score *t);
/* Of the mean over these problems. */
double score_error(const score *t);
/* A gain beyond the noise; with a share below 1 one that was seen before. */
bool score_is_gain(const score *t, double share);
/* Too large to be chance. */
bool score_is_beyond_doubt(const score *t);
/* Clear from a sample of the problems: worse, no better, better. */
bool score_is_loss(const score *t);
bool score_is_idle(const score *t);
bool score_is_clear_gain(const score *t);

/* ---- tune_try.c ------------------------------------------------------------------------------------------------ */

typedef struct search {
    tune_set set;
    const char *row_name;                                         /* the built-in row that is changed */
    tune_row row;                                                 /* the best one so far ... */
    tune_plan plans[TUNE_PROBLEMS_MAX], tried[TUNE_PROBLEMS_MAX]; /* ... its plans, and those of a candidate */
    double weight[TUNE_PROBLEMS_MAX];
    bool fields[TUNE_FIELDS]; /* that are searched */
    double start, deadline;
    const volatile sig_atomic_t *interrupted;
    uint64_t random;
    unsigned candidates, wrong;
} search;

/* What became of a candidate. NO_EFFECT: all plans stayed what they were. */
typedef enum verdict { NO_EFFECT, WORSE, EQUAL, BETTER, REFUSED, OUT_OF_TIME } verdict;

bool search_time_is_up(const search *s);
void search_close_plans(const search *s, tune_plan *plans);

/* Look at `most` problems that the row has other plans for, or until it is clear what it is worth, and forget it. */
verdict search_probe(search *s, const tune_row *row, size_t most, score *total);
/* Take the row if it is better. */
verdict search_try(search *s, const tune_row *row, score *total);

/* ---- tune_search.c --------------------------------------------------------------------------------------------- */

/* Improve s->row until nothing helps or the time is up, with progress on stdout. */
void search_all(search *s, bool with_built_in_rows);
void search_report_time(const search *s);

#endif
