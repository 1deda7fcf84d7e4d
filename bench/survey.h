/* What many problems together say: percentiles, means by strategy and by type, and the worst of them. */
#ifndef BENCH_SURVEY_H
#define BENCH_SURVEY_H

#include "run.h"

typedef struct survey_row {
    char *line;
    argmax_cl_dtype dtype;
    char strategy[64];
    double ratio, naive; /* of the limit: the library's, the naive kernel's */
    double device, limit;
    uint64_t outputs;
    unsigned builds;
    double planned;
} survey_row;

typedef struct survey {
    survey_row *rows;
    size_t count, capacity;
    size_t failed, wrong, skipped;
} survey;

/* Note a result; the survey keeps copies. */
bool survey_add(survey *s, const char *line, const problem_line *p, const run_result *result);
/* The problem as a row of the table. */
void survey_head(FILE *file, const bench_device *device);
void survey_show(FILE *file, const char *line, const run_result *result);
/* How many programs were compiled for each type, in the order of the problems: before survey_report. */
void survey_report_programs(FILE *file, const survey *s);
/* The summary. The order of the rows is lost. */
void survey_report(FILE *file, survey *s);
void survey_free(survey *s);

#endif
