#include "settings.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#ifndef BENCH_COMMIT
#define BENCH_COMMIT "unknown"
#endif

static const char USAGE[] =
    "Usage: argmax-cl-bench [options]\n"
    "Measures each problem of a file, interleaved with a reader of the same bytes (the limit).\n"
    "\n"
    "  --problems FILE    one problem a line (see the head of bench/problems.txt); - reads lines as they come;\n"
    "                     default: bench/problems.txt of the sources, which is built in\n"
    "  --filter TEXT      only lines that contain TEXT, comment included; may be repeated, all must be there\n"
    "  --device SELECTOR  index or part of a name; default: the fastest\n"
    "  --seconds S        time for each problem, beside its preparation and check; default: 1, with --random 0.1\n"
    "  --json FILE        append a JSON line for each problem; - writes them instead of the table\n"
    "  --cached           leave inputs below 256 MiB in the caches of a GPU\n"
    "  --no-check         do not look at the answers\n"
    "  --commit TEXT      the version that the JSON lines name; default: that of the build\n"
    "  --random N         measure N problems drawn at random beside the naive kernel (below) instead of a file's\n"
    "  --seed TEXT        which problems are drawn; default: 1\n"
    "  --bytes LEAST..MOST  of their inputs, with K, M or G for powers of 1024; default: 64M..512M\n"
    "  --dtypes LIST      of these types alone, names with commas between\n"
    "  --wide             also offsets, values, last extrema, ignored NaNs, gaps, backward axes, broadcasts and\n"
    "                     unsigned types\n"
    "  --survey           measure the problems of --problems as --random does\n"
    "  --programs         compile what the selected or drawn problems need, say how many programs that is, and "
    "measure\n"
    "                     nothing\n"
    "  --print            print the selected or drawn problems and measure nothing\n"
    "  --first            time what the first result of a process costs, on the first selected problem alone\n"
    "  --tune             search the tuning parameters that are fastest on the device, and write them to the file "
    "that\n"
    "                     the library reads (docs/tuning.md); --filter TEXT: for classes with TEXT in their name;\n"
    "                     --seconds S: at most, 300 unless given; --problems FILE: measured besides; --random N: of\n"
    "                     so many that are drawn (--seed), 24 unless given; --json has no meaning\n"
    "  --from FILE        with --tune: start from the row of that tuning file alone\n"
    "  --to FILE          with --tune: write to that file\n"
    "  --fields LIST      with --tune: these fields alone, names with commas between\n"
    "  --bytes N          with --tune: size of the inputs\n"
    "  --help\n"
    "\n"
    "GB/s counts the cache lines of the input that must be touched, and the outputs, over the device's time from\n"
    "the first command's start to the last one's end; all figures are medians, the spread is between the quartiles.\n"
    "limit: GB/s of the best kernel that reads the same input and stores as many bytes as the outputs have; ratio: "
    "its\n"
    "time over the library's; wall: enqueue to finish; launch: the same for an empty kernel.\n"
    "naive: the limit's time over that of the naive kernel, one work-item an output and a plain loop (below 1024\n"
    "outputs, on a CPU for one, a work-group an output). Its answers are those that the library's are compared with.\n"
    "Exit status: 0; 1 when a problem failed, an answer was wrong, or a file could not be written; 2 for a wrong "
    "option.\n";

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

/* A number of bytes with K, M or G after it; *end is what follows. */
static uint64_t read_size(const char *text, char **end) {
    uint64_t bytes = strtoull(text, end, 10);
    static const char UNITS[] = "KMG";
    const char *const unit = **end != 0 ? strchr(UNITS, **end) : NULL;
    if (unit != NULL) {
        bytes <<= 10 * (unit - UNITS + 1);
        (*end)++;
    }
    return bytes;
}

static bool read_range(const char *text, draw_options *draw) {
    char *end;
    draw->least = draw->most = read_size(text, &end);
    if (strncmp(end, "..", 2) == 0)
        draw->most = read_size(end + 2, &end);
    return (*end == 0 && draw->least >= 64 && draw->least <= draw->most && draw->most <= (uint64_t)1 << 40) ||
           complain("--bytes %s: expected LEAST..MOST, as in 64M..512M", text);
}

static bool read_count(const char *text, uint64_t *count) {
    char *end;
    *count = strtoull(text, &end, 10);
    return (end != text && *end == 0 && *count > 0 && *count <= 1000000) ||
           complain("--random %s: expected a number from 1 to 1000000", text);
}

bool settings_read(settings *s, int argc, char **argv) {
    *s = (settings){.commit = BENCH_COMMIT,
                    .run = {.seconds = -1, .check = true},
                    .draw = {.seed = "1", .least = 64 << 20, .most = 512 << 20, .outputs_most = (uint64_t)2 << 30},
                    .tuning = {.seconds = 300, .drawn = 24, .seed = "tuning"}};
    static const struct option options[] = {{"problems", required_argument, NULL, 'p'},
                                            {"filter", required_argument, NULL, 'f'},
                                            {"device", required_argument, NULL, 'd'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {"json", required_argument, NULL, 'j'},
                                            {"cached", no_argument, NULL, 'c'},
                                            {"no-check", no_argument, NULL, 'n'},
                                            {"commit", required_argument, NULL, 'v'},
                                            {"help", no_argument, NULL, 'h'},
                                            {"tune", no_argument, NULL, 't'},
                                            {"from", required_argument, NULL, 'r'},
                                            {"to", required_argument, NULL, 'o'},
                                            {"bytes", required_argument, NULL, 'b'},
                                            {"first", no_argument, NULL, '1'},
                                            {"fields", required_argument, NULL, 'l'},
                                            {"random", required_argument, NULL, 'R'},
                                            {"seed", required_argument, NULL, 'S'},
                                            {"dtypes", required_argument, NULL, 'D'},
                                            {"wide", no_argument, NULL, 'W'},
                                            {"survey", no_argument, NULL, 'V'},
                                            {"print", no_argument, NULL, 'P'},
                                            {"programs", no_argument, NULL, 'G'},
                                            {NULL, 0, NULL, 0}};
    const char *bytes = NULL;
    for (int option; (option = getopt_long(argc, argv, "d:h", options, NULL)) != -1;) {
        switch (option) {
        case 'p':
            s->problems = s->tuning.problems = optarg;
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
            bytes = optarg;
            break;
        case 'R':
            if (!read_count(optarg, &s->random))
                return false;
            s->tuning.drawn = s->random;
            s->survey = true;
            break;
        case 'S':
            s->draw.seed = s->tuning.seed = optarg;
            break;
        case 'D':
            if (!draw_types_known(optarg))
                return false;
            s->draw.types = optarg;
            break;
        case 'W':
            s->draw.wide = true;
            break;
        case 'V':
            s->survey = true;
            break;
        case 'G':
            s->programs = s->survey = true;
            break;
        case 'P':
            s->print = true;
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
    s->run.naive = s->survey;
    s->run.programs = s->programs;
    if (s->run.seconds < 0)
        s->run.seconds = s->survey ? 0.1 : 1;
    if (bytes != NULL && !(s->tune ? read_bytes(bytes, &s->tuning.bytes) : read_range(bytes, &s->draw)))
        return false;
    return optind == argc || complain("%s: expected options alone", argv[optind]);
}
