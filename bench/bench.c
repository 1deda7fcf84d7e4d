/* argmax-cl-bench: how fast the library is on this device, beside how fast the same bytes can be read at all. */
#include "append.h"
#include "first.h"
#include "problems_txt.h"
#include "report.h"
#include "settings.h"
#include "survey.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* The files that the whole run works with. */
typedef struct session {
    const settings *settings;
    bench_device device;
    workbench bench;
    FILE *table, *json; /* NULL: not wanted */
    bool json_full;     /* nothing can be added to it any more */
    int width;
    bool all_good;
    survey survey;
} session;

static bool selected(const settings *s, const char *line) {
    for (int i = 0; i < s->filter_count; i++)
        if (strstr(line, s->filters[i]) == NULL)
            return false;
    return !problem_is_blank(line);
}

/* The line as it is shown: no comment, no spaces around. */
static void without_comment(const char *line, char text[PROBLEM_LINE_SIZE]) {
    const size_t start = strspn(line, " \t");
    size_t length = strcspn(line + start, "#\r\n");
    while (length > 0 && strchr(" \t", line[start + length - 1]) != NULL)
        length--;
    snprintf(text, PROBLEM_LINE_SIZE, "%.*s", (int)length, line + start);
}

/* "argmax float32 largest" with the number of elements that the largest buffer holds, in whole pages. */
static void put_largest(const bench_device *device, char text[PROBLEM_LINE_SIZE]) {
    char op[32], dtype[32], rest[PROBLEM_LINE_SIZE] = "";
    if (sscanf(text, "%31s %31s largest%[^\n]", op, dtype, rest) < 2 || strstr(text, " largest") == NULL)
        return;
    for (size_t i = 0; i < PROBLEM_DTYPE_COUNT; i++)
        if (strcmp(dtype, problem_dtypes[i].name) == 0)
            snprintf(text, PROBLEM_LINE_SIZE, "%s %s %llu%.900s", op, dtype,
                     (unsigned long long)(device->max_buffer / 4096 * 4096 / (problem_dtypes[i].bits / 8)), rest);
}

/* What is printed into `line`, an open_memstream, goes to the JSON file in one piece. */
static void put_json(session *s, FILE *line, char *const *text, const size_t *bytes) {
    const char *const name = s->settings->json;
    const bool complete = fclose(line) == 0;
    s->json_full = !complete || !append(fileno(s->json), *text, *bytes);
    if (s->json_full)
        s->all_good = complain("%s: %s", strcmp(name, "-") == 0 ? "standard output" : name, strerror(errno));
    free(*text);
}

static void measure_line(session *s, const char *line) {
    problem_line p;
    char error[256], text[PROBLEM_LINE_SIZE];
    run_result result = {.reader = ""};
    without_comment(line, text);
    put_largest(&s->device, text);
    const bool parsed = problem_parse(text, &p, error, sizeof error);
    char *json_text = NULL;
    size_t json_bytes = 0;
    FILE *const json = s->json != NULL ? open_memstream(&json_text, &json_bytes) : NULL;
    if (s->json != NULL && json == NULL)
        s->all_good = complain("no memory for a JSON line");
    if (parsed && s->settings->first) {
        s->all_good = first_result(&s->device, &p, text, s->settings->commit, json);
        if (json != NULL)
            put_json(s, json, &json_text, &json_bytes);
        return;
    }
    if (!parsed)
        snprintf(result.failure, sizeof result.failure, "%s", error);
    else
        run_problem(&s->bench, &p, &s->settings->run, &result);
    s->all_good = s->all_good && (result.failure[0] == 0 || result.skipped) && result.check != CHECK_WRONG;
    if (s->settings->survey && parsed)
        s->all_good = survey_add(&s->survey, text, &p, &result) && s->all_good;
    if (s->table != NULL && s->settings->programs && result.failure[0] == 0)
        fprintf(s->table, "%u programs, %.0f ms  %-18s %s\n", result.builds, 1e3 * result.planned, result.strategy,
                text);
    else if (s->table != NULL && s->settings->survey)
        survey_show(s->table, text, &result);
    else if (s->table != NULL)
        report_row(s->table, text, &result, s->width);
    if (json != NULL) {
        report_json(json, &s->device, s->settings->commit, text, parsed ? &p : NULL, &result);
        put_json(s, json, &json_text, &json_bytes);
    }
}

/* Width of the table's first column: the longest selected problem, without its comment. */
static int widest(const settings *s, FILE *file) {
    char line[PROBLEM_LINE_SIZE];
    int width = (int)strlen("problem");
    while (fgets(line, sizeof line, file) != NULL) {
        char text[PROBLEM_LINE_SIZE];
        without_comment(line, text);
        if (selected(s, line) && (int)strlen(text) > width)
            width = (int)strlen(text);
    }
    rewind(file);
    return width;
}

static void measure_file(session *s, FILE *file) {
    char line[PROBLEM_LINE_SIZE];
    s->width = file == stdin ? 48 : widest(s->settings, file);
    if (s->table != NULL && s->settings->survey)
        survey_head(s->table, &s->device);
    else if (s->table != NULL && !s->settings->first)
        report_head(s->table, &s->device, s->width);
    while (fgets(line, sizeof line, file) != NULL) {
        if (!selected(s->settings, line))
            continue;
        measure_line(s, line);
        if (s->settings->first || s->json_full)
            break;
    }
    if (s->table != NULL && s->settings->survey)
        survey_report_programs(s->table, &s->survey);
    if (s->table != NULL && s->settings->survey && !s->settings->programs)
        survey_report(s->table, &s->survey);
}

/* The problems that --random draws, as a file. */
static FILE *draw_file(const settings *s) {
    FILE *const file = tmpfile();
    for (uint64_t i = 0; file != NULL && i < s->random; i++) {
        problem_line p;
        char text[PROBLEM_LINE_SIZE];
        draw_problem(&s->draw, i, &p);
        problem_print(&p, text, sizeof text);
        fprintf(file, "%s\n", text);
    }
    if (file != NULL)
        rewind(file);
    return file;
}

static FILE *open_problems(const settings *s) {
    if (s->random > 0)
        return draw_file(s);
    if (s->problems == NULL) {
        FILE *const file = tmpfile();
        if (file != NULL) {
            fputs(PROBLEMS_TXT, file);
            rewind(file);
        }
        return file;
    }
    return strcmp(s->problems, "-") == 0 ? stdin : fopen(s->problems, "r");
}

static void print_problems(const settings *s, FILE *file) {
    char line[PROBLEM_LINE_SIZE], text[PROBLEM_LINE_SIZE];
    while (fgets(line, sizeof line, file) != NULL)
        if (selected(s, line)) {
            without_comment(line, text);
            puts(text);
        }
}

static bool measure_all(const settings *s) {
    session all = {.settings = s, .table = stdout, .all_good = true};
    const bool to_stdout = s->json != NULL && strcmp(s->json, "-") == 0;
    FILE *const problems = open_problems(s);
    if (problems == NULL)
        return complain("%s: %s", s->random > 0 || s->problems == NULL ? "a temporary file" : s->problems,
                        strerror(errno));
    bool good = true;
    if (s->print) {
        print_problems(s, problems);
        if (problems != stdin)
            fclose(problems);
        return true;
    }
    if (to_stdout) {
        all.table = NULL;
        all.json = stdout;
    } else if (s->json != NULL) {
        all.json = fopen(s->json, "a");
        good = all.json != NULL || complain("%s: %s", s->json, strerror(errno));
    }
    if (good) {
        good = device_open(&all.device, s->device);
        if (good && workbench_open(&all.bench, &all.device)) {
            measure_file(&all, problems);
            good = all.all_good;
            survey_free(&all.survey);
            workbench_close(&all.bench);
        } else {
            good = false;
        }
        device_close(&all.device);
    }
    if (all.json != NULL && all.json != stdout && fclose(all.json) != 0)
        good = complain("%s: %s", s->json, strerror(errno));
    if (problems != stdin)
        fclose(problems);
    return good;
}

static bool tune_device(const settings *s) {
    bench_device device;
    tune_options options = s->tuning;
    options.commit = s->commit;
    options.filter = s->filter_count > 0 ? s->filters[0] : NULL;
    const bool good = device_open(&device, s->device) && tune(&device, &options);
    device_close(&device);
    return good;
}

int main(int argc, char **argv) {
    settings s;
    if (!settings_read(&s, argc, argv))
        return 2;
    signal(SIGXFSZ, SIG_IGN); /* a file that cannot grow is an error like any other */
    bool good = s.tune ? tune_device(&s) : measure_all(&s);
    if (fflush(stdout) != 0 || ferror(stdout))
        good = complain("standard output: %s", strerror(errno));
    return good ? 0 : 1;
}
