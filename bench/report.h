/* What is shown: a table for people, JSON lines for programs. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "run.h"

const char *report_check_name(check_result check);

/* `width`: characters of the longest problem. */
void report_head(FILE *file, const bench_device *device, int width);
void report_row(FILE *file, const char *line, const run_result *result, int width);
/* `p` is NULL when the line is no problem. */
void report_json(FILE *file, const bench_device *device, const char *commit, const char *line, const problem_line *p,
                 const run_result *result);

/* What every JSON line begins with: "problem": ..., "device": ..., and so on, each with its comma. */
void report_strings(FILE *file, const bench_device *device, const char *commit, const char *line);

#endif
