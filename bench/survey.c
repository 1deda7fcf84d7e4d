#include "survey.h"

#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORST = 10, MANY_OUTPUTS = 65536 };

bool survey_add(survey *s, const char *line, const problem_line *p, const run_result *r) {
    s->wrong += r->check == CHECK_WRONG;
    s->skipped += r->skipped;
    s->failed += r->failure[0] != 0 && !r->skipped;
    if (r->failure[0] != 0)
        return true;
    if (s->count == s->capacity) {
        const size_t more = 2 * s->capacity + 64;
        survey_row *const rows = realloc(s->rows, more * sizeof *rows);
        if (rows == NULL)
            return complain("no memory for the results of %zu problems", more);
        s->rows = rows;
        s->capacity = more;
    }
    survey_row *const row = &s->rows[s->count];
    *row = (survey_row){.line = strdup(line),
                        .dtype = p->dtype,
                        .ratio = run_ratio(r),
                        .naive = r->naive > 0 ? r->limit / r->naive : 0,
                        .device = r->device,
                        .limit = r->limit,
                        .outputs = r->outputs,
                        .builds = r->builds,
                        .planned = r->planned};
    snprintf(row->strategy, sizeof row->strategy, "%s", r->strategy);
    s->count += row->line != NULL;
    return row->line != NULL || complain("no memory for a problem's line");
}

void survey_free(survey *s) {
    for (size_t i = 0; i < s->count; i++)
        free(s->rows[i].line);
    free(s->rows);
    *s = (survey){.count = 0};
}

void survey_head(FILE *file, const bench_device *device) {
    fprintf(file, "%s, %s, driver %s%s%s\n", device->name, device->platform, device->driver,
            device->processor[0] ? ", " : "", device->processor);
    fprintf(file, "%6s %6s %9s %11s %-9s %-18s %s\n", "ratio", "naive", "GB/s", "device us", "right", "strategy",
            "problem");
    fflush(file);
}

void survey_show(FILE *file, const char *line, const run_result *r) {
    if (r->failure[0] != 0)
        fprintf(file, "%6s %6s %9s %11s %-9s %-18s %s: %s\n", "-", "-", "-", "-", "-", "-", line, r->failure);
    else
        fprintf(file, "%6.3f %6.3f %9.2f %11.1f %-9s %-18s %s%s%s\n", run_ratio(r),
                r->naive > 0 ? r->limit / r->naive : 0, 1e-9 * run_rate(r), 1e6 * r->device,
                report_check_name(r->check), r->strategy, line, r->cached ? "  # cached" : "",
                r->calm ? "" : "  # disturbed");
    fflush(file);
}

static int by_ratio(const void *a, const void *b) {
    const double x = ((const survey_row *)a)->ratio, y = ((const survey_row *)b)->ratio;
    return (x > y) - (x < y);
}

/* The ratio that a share of the problems stays below. */
static double percentile(const survey *s, double q) {
    const double place = q * (double)(s->count - 1);
    const size_t below = (size_t)place, above = below + 1 < s->count ? below + 1 : below;
    return s->rows[below].ratio + (place - (double)below) * (s->rows[above].ratio - s->rows[below].ratio);
}

/* A part of the problems. */
typedef struct group {
    size_t count, slower; /* than the naive kernel */
    double logarithms, least, to_naive;
} group;

static void count_row(group *g, const survey_row *row) {
    g->least = g->count == 0 || row->ratio < g->least ? row->ratio : g->least;
    g->count++;
    g->logarithms += log(row->ratio);
    if (row->naive > 0) {
        g->slower += row->naive > row->ratio;
        g->to_naive += log(row->ratio / row->naive);
    }
}

static double mean(const group *g, double sum) {
    return g->count > 0 ? exp(sum / (double)g->count) : 0;
}

static void show_group(FILE *file, const char *name, const group *g) {
    fprintf(file, "  %-20s %5zu %6.3f %6.3f %7.2f %5zu\n", name, g->count, mean(g, g->logarithms), g->least,
            mean(g, g->to_naive), g->slower);
}

static void show_groups(FILE *file, const survey *s) {
    fprintf(file, "%-22s %5s %6s %6s %7s %5s\n", "geometric means", "count", "ratio", "worst", "x naive", "lost");
    for (size_t i = 0; i < s->count; i++) {
        group g = {.count = 0};
        bool first = true;
        for (size_t j = 0; j < s->count; j++)
            if (strcmp(s->rows[i].strategy, s->rows[j].strategy) == 0) {
                first = first && j >= i;
                count_row(&g, &s->rows[j]);
            }
        if (first)
            show_group(file, s->rows[i].strategy, &g);
    }
    for (size_t t = 0; t < PROBLEM_DTYPE_COUNT; t++) {
        group g = {.count = 0};
        for (size_t i = 0; i < s->count; i++)
            if (s->rows[i].dtype == problem_dtypes[t].dtype)
                count_row(&g, &s->rows[i]);
        if (g.count > 0)
            show_group(file, problem_dtypes[t].name, &g);
    }
    group all = {.count = 0}, many = {.count = 0};
    for (size_t i = 0; i < s->count; i++) {
        count_row(&all, &s->rows[i]);
        if (s->rows[i].outputs >= MANY_OUTPUTS)
            count_row(&many, &s->rows[i]);
    }
    show_group(file, "65536 outputs, more", &many);
    show_group(file, "all", &all);
}

void survey_report_programs(FILE *file, const survey *s) {
    fprintf(file, "\n%-10s %8s %8s %8s %20s   (plans of problems after the first 100 that had something compiled)\n",
            "compiled", "problems", "programs", "seconds", "after 100 problems");
    for (size_t t = 0; t < PROBLEM_DTYPE_COUNT; t++) {
        size_t problems = 0, late = 0;
        unsigned programs = 0;
        double seconds = 0;
        for (size_t i = 0; i < s->count; i++)
            if (s->rows[i].dtype == problem_dtypes[t].dtype) {
                programs += s->rows[i].builds;
                late += problems >= 100 && s->rows[i].builds > 0;
                seconds += s->rows[i].planned;
                problems++;
            }
        if (problems > 0)
            fprintf(file, "%-10s %8zu %8u %8.1f %12zu of %zu\n", problem_dtypes[t].name, problems, programs, seconds,
                    late, problems > 100 ? problems - 100 : 0);
    }
}

void survey_report(FILE *file, survey *s) {
    static const double SHARES[] = {0, 0.01, 0.05, 0.1, 0.25, 0.5};
    fprintf(file, "\n%zu problems measured, %zu wrong, %zu failed, %zu beyond the device\n", s->count, s->wrong,
            s->failed, s->skipped);
    if (s->count == 0)
        return;
    size_t good = 0, near = 0, slower = 0;
    for (size_t i = 0; i < s->count; i++) {
        const survey_row *const row = &s->rows[i];
        good += row->ratio >= 0.9;
        near += row->device <= row->limit / 0.97 + 2e-6;
        slower += row->naive > row->ratio;
    }
    qsort(s->rows, s->count, sizeof s->rows[0], by_ratio);
    fputs("ratio:", file);
    for (size_t i = 0; i < sizeof SHARES / sizeof SHARES[0]; i++)
        if (i == 0)
            fprintf(file, "  worst %.3f", percentile(s, 0));
        else
            fprintf(file, "  %g %% %.3f", 100 * SHARES[i], percentile(s, SHARES[i]));
    const double all = (double)s->count;
    fprintf(
        file,
        "\nat least 0.9: %.1f %%; within limit / 0.97 + 2 us: %.1f %%; slower than the naive kernel: %zu (%.1f %%)\n",
        100 * (double)good / all, 100 * (double)near / all, slower, 100 * (double)slower / all);
    show_groups(file, s);
    fputs("the worst:\n", file);
    for (size_t i = 0; i < s->count && i < WORST; i++)
        fprintf(file, "%6.3f %6.3f %-18s %s\n", s->rows[i].ratio, s->rows[i].naive, s->rows[i].strategy,
                s->rows[i].line);
    fflush(file);
}
