/* Coordinate descent: one field of the row after the other goes up and down, first in large steps, then in small ones.
 * A value is kept when the problems that it touches gain more than the noise, twice. */
#include "tune.h"

#include "threads.h"
#include "tune_row.h"
#include "tune_set.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Least gain that counts, and how often the error of the measurement it must exceed. */
static const double GAIN_LEAST = 0.01, ERRORS = 3;

/* Seconds for one problem: at a first look, to confirm a gain, in the closing table. */
static const double LOOK = 0.04, CONFIRM = 0.15, CLOSING = 0.15;

typedef struct search {
    tune_set set;
    const char *row_name; /* the built-in row that is changed */
    tune_row row;         /* the best one so far */
    tune_plan plans[TUNE_PROBLEMS_MAX], tried[TUNE_PROBLEMS_MAX];
    double weight[TUNE_PROBLEMS_MAX];
    double start, deadline;
    uint64_t random;
    unsigned candidates, wrong;
    bool matters[TUNE_FIELDS]; /* some value of the field changed some plan */
} search;

/* What became of a candidate. NO_EFFECT: all plans stayed what they were. */
typedef enum verdict { NO_EFFECT, WORSE, EQUAL, BETTER, REFUSED, OUT_OF_TIME } verdict;

static volatile sig_atomic_t interrupted;

static void interrupt(int signal) {
    (void)signal;
    interrupted = 1;
}

static bool time_is_up(const search *s) {
    return interrupted || now() > s->deadline;
}

/* ---- One candidate --------------------------------------------------------------------------------------------- */

/* The weighted mean of gains, and its error. */
typedef struct score {
    double sum, weights, variance;
    unsigned count;
} score;

static void score_add(score *t, const tune_gain *g, double weight) {
    t->sum += weight * g->gain;
    t->variance += weight * weight * g->error * g->error;
    t->weights += weight;
    t->count++;
}

static double score_mean(const score *t) {
    return t->weights > 0 ? t->sum / t->weights : 0;
}

static double score_error(const score *t) {
    return t->weights > 0 ? sqrt(t->variance) / t->weights : 0;
}

static bool is_gain(const score *t, double share) {
    return score_mean(t) > share * GAIN_LEAST && score_mean(t) > share * ERRORS * score_error(t);
}

/* No hope left before all problems are measured. */
static bool is_loss(const score *t) {
    const double most = score_mean(t) + 2 * score_error(t);
    return (t->count >= 1 && most < -0.2) || (t->count >= 3 && most < -0.005);
}

static bool is_idle(const score *t) {
    return t->count >= 8 && score_mean(t) + 2 * score_error(t) < GAIN_LEAST;
}

/* Another order for each candidate, so that no class of problems always decides first. */
static void shuffle(search *s, size_t order[TUNE_PROBLEMS_MAX]) {
    for (size_t i = 0; i < s->set.count; i++) {
        s->random = problem_mix(s->random + i);
        const size_t j = (size_t)(s->random % (i + 1));
        order[i] = order[j];
        order[j] = i;
    }
}

static void close_plans(const search *s, tune_plan *plans) {
    for (size_t i = 0; i < s->set.count; i++)
        tune_plan_close(&plans[i]);
}

/* Look at the problems whose plans the row changes; s->tried keeps these plans. */
static verdict look(search *s, const char *row, score *total) {
    size_t order[TUNE_PROBLEMS_MAX];
    shuffle(s, order);
    for (size_t i = 0; i < s->set.count; i++) {
        const size_t n = order[i];
        tune_problem *const p = &s->set.problems[n];
        if (time_is_up(s))
            return OUT_OF_TIME;
        if (!tune_plan_open(&s->set, p, row, &s->tried[n]))
            return REFUSED;
        if (strcmp(s->tried[n].text, s->plans[n].text) == 0) {
            tune_plan_close(&s->tried[n]);
            continue;
        }
        if (!tune_plan_check(&s->set, p, &s->tried[n])) {
            s->wrong++;
            return REFUSED;
        }
        const tune_gain gain = tune_compare(&s->set, p, &s->plans[n], &s->tried[n], LOOK);
        if (gain.failed)
            return REFUSED;
        score_add(total, &gain, s->weight[n]);
        if (is_loss(total))
            return WORSE;
        if (is_idle(total))
            return EQUAL;
    }
    return total->count == 0 ? NO_EFFECT : is_gain(total, 1) ? BETTER : EQUAL;
}

/* The same problems again, for longer: one of many candidates looks better by chance. */
static verdict confirm(search *s, score *total) {
    for (size_t n = 0; n < s->set.count; n++) {
        if (s->tried[n].plan == NULL)
            continue;
        if (time_is_up(s))
            return OUT_OF_TIME;
        const tune_gain gain = tune_compare(&s->set, &s->set.problems[n], &s->plans[n], &s->tried[n], CONFIRM);
        if (gain.failed)
            return REFUSED;
        score_add(total, &gain, s->weight[n]);
    }
    return is_gain(total, 0.7) ? BETTER : EQUAL;
}

static verdict try_row(search *s, const tune_row *row, score *total) {
    char text[TUNE_ROW_TEXT];
    tune_row_print(row, s->row_name, text);
    *total = (score){0};
    verdict v = look(s, text, total);
    if (v != NO_EFFECT)
        s->candidates++;
    if (v == BETTER) {
        *total = (score){0};
        v = confirm(s, total);
    }
    if (v == BETTER) {
        s->row = *row;
        for (size_t n = 0; n < s->set.count; n++)
            if (s->tried[n].plan != NULL) {
                tune_plan_close(&s->plans[n]);
                s->plans[n] = s->tried[n];
                s->tried[n].plan = NULL;
            }
    }
    close_plans(s, s->tried);
    return v;
}

/* ---- The search ------------------------------------------------------------------------------------------------ */

static void report_time(const search *s) {
    printf("%5.0f s  ", now() - s->start);
}

static void report_gain(const score *total) {
    printf("%+.1f %% (+- %.1f) on %u problem%s\n", 100 * (exp(score_mean(total)) - 1), 100 * score_error(total),
           total->count, total->count == 1 ? "" : "s");
    fflush(stdout);
}

/* From today's value on in one direction, until it gets worse, or twice no better. True when the row changed. */
static bool walk(search *s, size_t field, double factor, bool up) {
    enum { EQUALS_MOST = 2 };
    bool moved = false;
    int equals = 0;
    for (uint32_t value = s->row.value[field]; !time_is_up(s);) {
        const uint32_t next = tune_step(field, value, factor, up), before = s->row.value[field];
        tune_row candidate = s->row;
        score total;
        if (next == value)
            break;
        value = candidate.value[field] = next;
        const verdict v = try_row(s, &candidate, &total);
        s->matters[field] = s->matters[field] || v != NO_EFFECT;
        if (v == BETTER) {
            report_time(s);
            printf("%s %u -> %u: ", tune_field_name(field), before, next);
            report_gain(&total);
            moved = true;
            equals = 0;
        } else if (v == EQUAL) {
            equals++;
        }
        if (v == WORSE || v == REFUSED || equals == EQUALS_MOST)
            break;
    }
    return moved;
}

/* Every field once; true when the row changed. */
static bool pass(search *s, double factor, bool all_fields) {
    bool changed = false;
    for (size_t field = 0; field < TUNE_FIELDS && !time_is_up(s); field++) {
        const unsigned before = s->candidates;
        if (!all_fields && !s->matters[field])
            continue;
        const bool moved = walk(s, field, factor, true) || walk(s, field, factor, false);
        changed = changed || moved;
        if (!moved && s->candidates > before) {
            report_time(s);
            printf("%s stays %u, %u tried\n", tune_field_name(field), s->row.value[field], s->candidates - before);
            fflush(stdout);
        }
    }
    return changed;
}

/* The built-in rows of all classes, whole: a device may resemble another class. */
static void try_built_in(search *s) {
    tune_row row;
    score total;
    const char *name;
    for (size_t i = 0; !time_is_up(s) && (name = tune_row_built_in(i, &row)) != NULL; i++)
        if (try_row(s, &row, &total) == BETTER) {
            report_time(s);
            printf("the values of the built-in row %s: ", name);
            report_gain(&total);
        }
}

static void search_all(search *s, bool from_elsewhere) {
    static const double FACTORS[] = {4, 2, 1.4, 2, 1.4};
    if (!from_elsewhere)
        try_built_in(s);
    for (size_t i = 0; i < sizeof FACTORS / sizeof FACTORS[0] && !time_is_up(s); i++) {
        report_time(s);
        printf("steps of %g:\n", FACTORS[i]);
        if (!pass(s, FACTORS[i], i == 0) && i >= 2)
            break;
    }
}

/* ---- Before and after ------------------------------------------------------------------------------------------ */

static bool open_plans(search *s, const tune_row *row, tune_plan *plans) {
    char text[TUNE_ROW_TEXT];
    tune_row_print(row, s->row_name, text);
    for (size_t n = 0; n < s->set.count; n++) {
        tune_problem *const p = &s->set.problems[n];
        if (!tune_plan_open(&s->set, p, text, &plans[n]))
            return complain("%s: %s", p->line, argmax_cl_last_error());
        if (!tune_plan_check(&s->set, p, &plans[n]))
            return false;
    }
    return true;
}

/* Problems that are far from the read limit weigh more, up to three times. */
static void weigh(search *s) {
    const double limit = tune_read_limit(&s->set);
    for (size_t n = 0; n < s->set.count; n++) {
        const tune_gain both = tune_compare(&s->set, &s->set.problems[n], &s->plans[n], &s->plans[n], LOOK);
        const double ratio = limit > 0 && both.a > 0 ? limit / both.a : 1;
        s->weight[n] = s->set.problems[n].small || ratio > 1 ? 1 : ratio < 1.0 / 3 ? 3 : 1 / ratio;
    }
}

/* Every problem under the row that was the start, under the built-in one, and under the one that was found. */
static bool closing_table(search *s, const tune_row *first, double gains[2]) {
    tune_row rows[2] = {*first, *first};
    score totals[2];
    memset(totals, 0, sizeof totals);
    for (size_t i = 0;; i++)
        if (strcmp(tune_row_built_in(i, &rows[1]), s->row_name) == 0)
            break;
    printf("%-48s %9s %11s %11s\n", "problem", "GB/s", "to start", "to built-in");
    for (size_t n = 0; n < s->set.count; n++) {
        tune_problem *const p = &s->set.problems[n];
        tune_gain gain[2];
        for (int i = 0; i < 2; i++) {
            char text[TUNE_ROW_TEXT];
            tune_row_print(&rows[i], s->row_name, text);
            const bool good = tune_plan_open(&s->set, p, text, &s->tried[n]);
            gain[i].failed = true;
            if (good && tune_plan_check(&s->set, p, &s->tried[n]))
                gain[i] = tune_compare(&s->set, p, &s->tried[n], &s->plans[n], CLOSING);
            tune_plan_close(&s->tried[n]);
            if (gain[i].failed || interrupted)
                return interrupted ? false : complain("%s: the closing measurement failed", p->line);
            score_add(&totals[i], &gain[i], 1);
        }
        printf("%-48s %9.2f %11.3f %11.3f\n", p->line, 1e-9 * (double)p->bytes / gain[1].b, exp(gain[0].gain),
               exp(gain[1].gain));
        fflush(stdout);
    }
    for (int i = 0; i < 2; i++)
        gains[i] = exp(score_mean(&totals[i]));
    printf("%-48s %9s %11.3f %11.3f\n", "geometric mean", "", gains[0], gains[1]);
    return true;
}

static bool save(const search *s, const tune_options *options, const char *path, const double gains[2]) {
    char row[TUNE_ROW_TEXT], text[2 * TUNE_ROW_TEXT], date[16] = "";
    const time_t seconds = time(NULL);
    struct tm utc;
    if (gmtime_r(&seconds, &utc) != NULL)
        strftime(date, sizeof date, "%Y-%m-%d", &utc);
    tune_row_print(&s->row, s->row_name, row);
    snprintf(
        text, sizeof text,
        "# argmax-cl-bench --tune, %s, version %s, driver %.200s: %zu problems of %llu MiB; times the speed of the\n"
        "# row before: %.3f; of the built-in row: %.3f. This section, to the next device, is replaced as a whole.\n"
        "%s\n",
        date, options->commit, s->set.device->driver, s->set.count, (unsigned long long)(s->set.input_bytes >> 20),
        gains[0], gains[1], row);
    if (!tune_file_save(path, s->set.device->name, text))
        return false;
    printf("written for \"%s\": %s\n", s->set.device->name, path);
    return true;
}

/* The row to begin with, and the file to write; the environment that tells them is ours from then on. */
static bool begin(search *s, const bench_device *device, const tune_options *options, char path[TUNE_PATH]) {
    if (strchr(device->name, '"') != NULL || strlen(device->name) > 200)
        return complain("the device's name cannot stand in a tuning file: %s", device->name);
    if (options->to != NULL)
        snprintf(path, TUNE_PATH, "%s", options->to);
    else if (!tune_file_path(path))
        return false;
    return tune_row_of(device->id, options->from, &s->row_name, &s->row);
}

bool tune(const bench_device *device, const tune_options *options) {
    static search s;
    const struct sigaction action = {.sa_handler = interrupt};
    char path[TUNE_PATH];
    double gains[2] = {0, 0};
    s.start = now();
    s.deadline = s.start + 0.85 * options->seconds;
    if (!begin(&s, device, options, path))
        return false;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    const tune_row first = s.row;
    bool good = tune_set_open(&s.set, device, options->bytes, options->filter) && open_plans(&s, &first, s.plans);
    if (good) {
        printf("%s, driver %s: %zu problems of %llu MiB, up to %.0f s\n", device->name, device->driver, s.set.count,
               (unsigned long long)(s.set.input_bytes >> 20), options->seconds);
        weigh(&s);
        search_all(&s, options->from != NULL);
        report_time(&s);
        printf("%u candidates tried%s\n", s.candidates, now() > s.deadline ? ", the time is up" : "");
        good = !interrupted && closing_table(&s, &first, gains) && save(&s, options, path, gains);
    }
    if (interrupted)
        complain("interrupted: nothing was written");
    if (s.wrong > 0)
        good = complain("%u candidates gave wrong answers, and were refused", s.wrong);
    close_plans(&s, s.plans);
    tune_set_close(&s.set);
    return good;
}
