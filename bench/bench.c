/* argmax-cl-bench: how fast the library is on this device, beside how fast the same bytes can be read at all. */
#include "append.h"
#include "first.h"
#include "report.h"
#include "run.h"
#include "tune.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#ifndef BENCH_COMMIT
#define BENCH_COMMIT "unknown"
#endif

enum { FILTERS_MAX = 8 };

static const char USAGE[] =
    "Usage: argmax-cl-bench [options]\n"
    "Measures each problem of a file, interleaved with a reader of the same bytes (the limit).\n"
    "\n"
    "  --problems FILE    one problem a line (see the head of bench/problems.txt); - reads lines as they come;\n"
    "                     default: the file bench/problems.txt of the sources\n"
    "  --filter TEXT      only lines that contain TEXT, comment included; may be repeated, all must be there\n"
    "  --device SELECTOR  index or part of a name; default: the fastest\n"
    "  --seconds S        time for each problem, beside its preparation and check; default: 1\n"
    "  --json FILE        append a JSON line for each problem; - writes them instead of the table\n"
    "  --cached           leave inputs below 256 MiB in the caches of a GPU\n"
    "  --no-check         do not look at the answers\n"
    "  --commit TEXT      the version that the JSON lines name; default: that of the build\n"
    "  --first            time what the first result of a process costs, on the first selected problem alone\n"
    "  --tune             search the tuning parameters that are fastest on the device, and write them to the file "
    "that\n"
    "                     the library reads (docs/tuning.md); --filter TEXT: for classes with TEXT in their name;\n"
    "                     --seconds S: at most, 300 unless given; --json and --problems have no meaning then\n"
    "  --from FILE        with --tune: start from the row of that tuning file alone\n"
    "  --to FILE          with --tune: write to that file\n"
    "  --fields LIST      with --tune: these fields alone, names with commas between\n"
    "  --bytes N          with --tune: size of the inputs\n"
    "  --help\n"
    "\n"
    "GB/s counts the cache lines of the input that must be touched, and the outputs, over the device's time from\n"
    "the first command's start to the last one's end; all figures are medians, the spread is between the quartiles.\n"
    "limit: GB/s of the best reader of the same input; wall: enqueue to finish; launch: the same for an empty kernel.\n"
    "Exit status: 0; 1 when a problem failed, an answer was wrong, or a file could not be written; 2 for a wrong "
    "option.\n";

typedef struct settings {
    const char *problems, *device, *json, *commit;
    const char *filters[FILTERS_MAX];
    int filter_count;
    bool tune, first;
    tune_options tuning;
    run_options run;
} settings;

/* The files that the whole run works with. */
typedef struct session {
    const settings *settings;
    bench_device device;
    workbench bench;
    FILE *table, *json; /* NULL: not wanted */
    bool json_full;     /* nothing can be added to it any more */
    int width;
    bool all_good;
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
    if (s->table != NULL)
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
    if (s->table != NULL && !s->settings->first)
        report_head(s->table, &s->device, s->width);
    while (fgets(line, sizeof line, file) != NULL) {
        if (!selected(s->settings, line))
            continue;
        measure_line(s, line);
        if (s->settings->first || s->json_full)
            break;
    }
}

static bool measure_all(const settings *s) {
    session all = {.settings = s, .table = stdout, .all_good = true};
    const bool from_stdin = strcmp(s->problems, "-") == 0, to_stdout = s->json != NULL && strcmp(s->json, "-") == 0;
    FILE *const problems = from_stdin ? stdin : fopen(s->problems, "r");
    if (problems == NULL)
        return complain("%s: %s", s->problems, strerror(errno));
    bool good = true;
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

static bool read_seconds(const char *text, double *seconds) {
    char *end;
    *seconds = strtod(text, &end);
    return (end != text && *end == 0 && *seconds >= 0 && *seconds <= 3600) ||
           complain("--seconds %s: expected a number from 0 to 3600", text);
}

static bool read_bytes(const char *text, uint64_t *bytes) {
    char *end;
    errno = 0;
    *bytes = strtoull(text, &end, 10);
    return (errno == 0 && end != text && *end == 0 && *bytes >= 1 << 16 && *bytes % 4096 == 0) ||
           complain("--bytes %s: expected a multiple of 4096, at least 65536", text);
}

static bool read_options(int argc, char **argv, settings *s) {
    static const struct option options[] = {
        {"problems", required_argument, NULL, 'p'}, {"filter", required_argument, NULL, 'f'},
        {"device", required_argument, NULL, 'd'},   {"seconds", required_argument, NULL, 's'},
        {"json", required_argument, NULL, 'j'},     {"cached", no_argument, NULL, 'c'},
        {"no-check", no_argument, NULL, 'n'},       {"commit", required_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},           {"tune", no_argument, NULL, 't'},
        {"from", required_argument, NULL, 'r'},     {"to", required_argument, NULL, 'o'},
        {"bytes", required_argument, NULL, 'b'},    {"first", no_argument, NULL, '1'},
        {"fields", required_argument, NULL, 'l'},   {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "d:h", options, NULL)) != -1;) {
        switch (option) {
        case 'p':
            s->problems = optarg;
            break;
        case 'f':
            if (s->filter_count == FILTERS_MAX)
                return complain("--filter: expected at most %d", FILTERS_MAX);
            s->filters[s->filter_count++] = optarg;
            break;
        case 'd':
            s->device = optarg;
            break;
        case 's':
            if (!read_seconds(optarg, &s->run.seconds))
                return false;
            s->tuning.seconds = s->run.seconds;
            break;
        case 't':
            s->tune = true;
            break;
        case '1':
            s->first = true;
            break;
        case 'r':
            s->tuning.from = optarg;
            break;
        case 'o':
            s->tuning.to = optarg;
            break;
        case 'l':
            s->tuning.fields = optarg;
            break;
        case 'b':
            if (!read_bytes(optarg, &s->tuning.bytes))
                return false;
            break;
        case 'j':
            s->json = optarg;
            break;
        case 'c':
            s->run.cached = true;
            break;
        case 'n':
            s->run.check = false;
            break;
        case 'v':
            s->commit = optarg;
            break;
        case 'h':
            fputs(USAGE, stdout);
            exit(0);
        default:
            return false;
        }
    }
    return optind == argc || complain("%s: expected options alone", argv[optind]);
}

int main(int argc, char **argv) {
    settings s = {.problems = BENCH_PROBLEMS,
                  .commit = BENCH_COMMIT,
                  .run = {.seconds = 1, .check = true},
                  .tuning = {.seconds = 300}};
    if (!read_options(argc, argv, &s))
        return 2;
    signal(SIGXFSZ, SIG_IGN); /* a file that cannot grow is an error like any other */
    bool good = s.tune ? tune_device(&s) : measure_all(&s);
    if (fflush(stdout) != 0 || ferror(stdout))
        good = complain("standard output: %s", strerror(errno));
    return good ? 0 : 1;
}
