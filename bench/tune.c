/* The row that --tune starts from, the search in between, and what becomes of the row that it finds. */
#include "tune.h"

#include "threads.h"
#include "tune_search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Seconds for one problem: to weigh it, and in the closing table at most. */
static const double LOOK = 0.04, CLOSING = 0.15;

/* Share of the time for the search with what comes before it, and for the search alone at least. */
static const double SEARCH = 0.85, SEARCH_LEAST = 0.5;

/* And for one candidate of many, which a busy machine can make long. */
static const double PATIENCE = 0.04;

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number) {
    interrupted = signal_number;
}

/* Every run but the last steps of a save can be interrupted; a signal that was ignored from the start stays ignored. */
static void take_signals(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = interrupt};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
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
static bool closing_table(search *s, const tune_row *first, double seconds, double gains[2]) {
    tune_row rows[2] = {*first, *first};
    const double each = fmin(CLOSING, seconds / (2 * (double)s->set.count));
    score totals[2] = {{.count = 0}, {.count = 0}};
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
                gain[i] = tune_compare(&s->set, p, &s->tried[n], &s->plans[n], each);
            tune_plan_close(&s->tried[n]);
            if (gain[i].failed || interrupted)
                return interrupted ? false : complain("%s: the closing measurement failed", p->line);
            score_add(&totals[i], &gain[i], 1);
        }
        printf("%-48s %9.2f %11.3f %11.3f\n", p->line, 1e-9 * (double)p->bytes / gain[1].b, exp(gain[0].gain),
               exp(gain[1].gain));
    }
    for (int i = 0; i < 2; i++)
        gains[i] = exp(score_mean(&totals[i]));
    printf("%-48s %9s %11.3f %11.3f\n", "geometric mean", "", gains[0], gains[1]);
    return true;
}

static bool save(search *s, const tune_options *options, const char *path, const double gains[2]) {
    char row[TUNE_ROW_TEXT], text[2 * TUNE_ROW_TEXT], date[16] = "";
    if (gains[0] < 1 + TUNE_GAIN_LEAST / 2) {
        printf("no faster row was found: %s stays as it is\n", path);
        return true;
    }
    const time_t seconds = time(NULL);
    struct tm utc;
    if (gmtime_r(&seconds, &utc) != NULL)
        strftime(date, sizeof date, "%Y-%m-%d", &utc);
    tune_row_print(&s->row, s->row_name, row);
    if (!tune_verify(&s->set, row))
        return false;
    snprintf(
        text, sizeof text,
        "# argmax-cl-bench --tune, %s, version %s, driver %.200s: %zu problems of %g MiB; times the speed of the\n"
        "# row before: %.3f; of the built-in row: %.3f. This section, to the next device, is replaced as a whole.\n"
        "%s\n",
        date, options->commit, s->set.device->driver, s->set.count, (double)s->set.input_bytes / 1048576, gains[0],
        gains[1], row);
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
    return tune_row_of(device->id, options->from, &s->row_name, &s->row) &&
           tune_fields_listed(options->fields, s->row_name, s->fields);
}

bool tune(const bench_device *device, const tune_options *options) {
    static search s;
    char path[TUNE_PATH];
    double gains[2] = {0, 0};
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    s.start = now();
    s.interrupted = &interrupted;
    s.deadline = s.start + SEARCH * options->seconds;
    s.patience = PATIENCE * options->seconds;
    if (!begin(&s, device, options, path))
        return false;
    take_signals();
    const tune_row first = s.row;
    const tune_choice choice = {options->bytes, options->filter, options->problems, options->drawn, options->seed};
    bool good = tune_set_open(&s.set, device, &choice) && open_plans(&s, &first, s.plans);
    if (good) {
        printf("%s, driver %s: %zu problems of %g MiB, up to %.0f s\n", device->name, device->driver, s.set.count,
               (double)s.set.input_bytes / 1048576, options->seconds);
        weigh(&s);
        s.deadline = fmax(s.deadline, now() + SEARCH_LEAST * options->seconds);
        search_all(&s, options->from == NULL);
        search_report_time(&s);
        printf("%u candidates tried%s\n", s.candidates, now() > s.deadline ? ", the time is up" : "");
        good = !interrupted && closing_table(&s, &first, (1 - SEARCH) * options->seconds, gains) &&
               save(&s, options, path, gains);
    }
    const bool stopped = interrupted && !good;
    if (stopped)
        complain("interrupted: nothing was written");
    if (s.wrong > 0)
        good = complain("%u candidates gave wrong answers, and were refused", s.wrong);
    search_close_plans(&s, s.plans);
    tune_set_close(&s.set);
    if (stopped) { /* nothing is left behind: end as the signal would have */
        signal((int)interrupted, SIG_DFL);
        raise((int)interrupted);
    }
    return good;
}
