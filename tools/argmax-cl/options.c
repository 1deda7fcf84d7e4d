#include "options.h"
#include "axes.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char options_help[] =
    "argmax-cl [options] INPUT          where the largest elements lie, along any axes\n"
    "argmax-cl tune [options]           find the tuning values that are fastest on a device: argmax-cl-bench --tune\n"
    "\n"
    "  INPUT: file.npy | file.nc | file.nc:variable | file.h5:/path | - (.npy on standard input)\n"
    "\n"
    "  --min                            the index of the minimum\n"
    "  --both                           the minimum and the maximum, from one read\n"
    "  -a, --axis LIST                  axes to reduce, comma-separated: numbers, negative ones from the end, or names "
    "of\n"
    "                                   dimensions; default: all\n"
    "  --last                           the last of equal extrema (default: the first)\n"
    "  --nan propagate|ignore           default: propagate\n"
    "  --index-type int32|uint32|int64|uint64     default: int64\n"
    "  --fill mask|keep                 elements that the file calls missing: leave them out (default), or take them\n"
    "  --mask FILE                      leave elements out that are 0 in it: .npy or file.nc:variable of bool, uint8 "
    "or\n"
    "                                   int8, of INPUT's shape or one that broadcasts to it\n"
    "  --squeeze                        drop the reduced axes (default: keep them with size 1)\n"
    "  -o, --output FILE.npy|FILE.nc    write the indices\n"
    "  --values FILE.npy|FILE.nc        write the extreme values\n"
    "  --plot FILE.png                  draw maps of the indices and the values, by gnuplot\n"
    "  -d, --device SELECTOR            index or part of a name\n"
    "  --list-devices                   show the devices\n"
    "  --memory-limit BYTES             memory for data, as 512M; default: a quarter of the machine's\n"
    "  --json                           print the answer as JSON, for scripts\n"
    "  --explain                        print the plan as well: collapsed shape, strategy, tuning row, build options, "
    "device\n"
    "  -h, --help                       print this\n"
    "  --version                        print the version, and whether NetCDF can be read\n"
    "\n"
    "Without -o, --values and --plot it prints a summary. Exit status: 0, 2 for wrong usage, 1 for any other "
    "failure.\n";

enum {
    OPTION_MIN = 256,
    OPTION_BOTH,
    OPTION_LAST,
    OPTION_NAN,
    OPTION_INDEX,
    OPTION_SQUEEZE,
    OPTION_VALUES,
    OPTION_LIST,
    OPTION_EXPLAIN,
    OPTION_VERSION,
    OPTION_FILL,
    OPTION_MASK,
    OPTION_MEMORY,
    OPTION_JSON,
    OPTION_PLOT,
    OPTION_END
};

static const struct option long_options[] = {
    {"min", no_argument, NULL, OPTION_MIN},
    {"both", no_argument, NULL, OPTION_BOTH},
    {"axis", required_argument, NULL, 'a'},
    {"last", no_argument, NULL, OPTION_LAST},
    {"nan", required_argument, NULL, OPTION_NAN},
    {"index-type", required_argument, NULL, OPTION_INDEX},
    {"squeeze", no_argument, NULL, OPTION_SQUEEZE},
    {"output", required_argument, NULL, 'o'},
    {"values", required_argument, NULL, OPTION_VALUES},
    {"device", required_argument, NULL, 'd'},
    {"list-devices", no_argument, NULL, OPTION_LIST},
    {"explain", no_argument, NULL, OPTION_EXPLAIN},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {"fill", required_argument, NULL, OPTION_FILL},
    {"mask", required_argument, NULL, OPTION_MASK},
    {"json", no_argument, NULL, OPTION_JSON},
    {"plot", required_argument, NULL, OPTION_PLOT},
    {"memory-limit", required_argument, NULL, OPTION_MEMORY},
    {NULL, 0, NULL, 0},
};

typedef struct choice {
    const char *name;
    int value;
} choice;

static const choice fill_modes[] = {{"mask", 0}, {"keep", 1}, {0}};
static const choice nan_modes[] = {{"propagate", ARGMAX_CL_NAN_PROPAGATE}, {"ignore", ARGMAX_CL_NAN_IGNORE}, {0}};
static const choice index_types[] = {{"int32", ARGMAX_CL_INT32},
                                     {"uint32", ARGMAX_CL_UINT32},
                                     {"int64", ARGMAX_CL_INT64},
                                     {"uint64", ARGMAX_CL_UINT64},
                                     {0}};

/* The value of the choice named text; -1 and a message when there is none. */
static int choose(const choice *choices, const char *option, const char *text, message *m) {
    char names[80] = "";
    for (const choice *c = choices; c->name; ++c) {
        if (strcmp(c->name, text) == 0)
            return c->value;
        append(names, sizeof names, "%s%s", *names ? ", " : "", c->name);
    }
    (void)complain(m, "%s: \"%.200s\", expected one of %s", option, text, names);
    return -1;
}

/* "512M": bytes in units of 1024. */
static bool parse_memory(const char *text, options *o, message *m) {
    static const char units[] = "KMGT";
    char *end = NULL;
    errno = 0;
    const unsigned long long count = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (*text < '0' || *text > '9' || errno || (*end && (!unit || end[1])) || count == 0 || count > UINT64_MAX >> shift)
        return complain(m, "--memory-limit: \"%.200s\", expected bytes, as 512M, with one of K, M, G, T or nothing",
                        text);
    o->memory_limit = (uint64_t)count << shift;
    return true;
}

static bool take_file(const char **slot, const char *option, const char *path, message *m) {
    if (!*path)
        return complain(m, "%s: an empty name, expected a file to write", option);
    *slot = path;
    return true;
}

static bool apply(int option, char *argument, options *o, message *m) {
    int value = 0;
    switch (option) {
    case OPTION_MIN:
        o->op = ARGMAX_CL_ARGMIN;
        break;
    case OPTION_BOTH:
        o->op = ARGMAX_CL_ARGMINMAX;
        break;
    case 'a':
        o->axes = argument;
        return axes_check(argument, m);
    case OPTION_LAST:
        o->direction = ARGMAX_CL_DECREASING;
        break;
    case OPTION_NAN:
        value = choose(nan_modes, "--nan", argument, m);
        o->nan_mode = value ? ARGMAX_CL_NAN_IGNORE : ARGMAX_CL_NAN_PROPAGATE;
        break;
    case OPTION_INDEX:
        value = choose(index_types, "--index-type", argument, m);
        o->index_type = value > 0 ? (argmax_cl_dtype)value : o->index_type;
        break;
    case OPTION_SQUEEZE:
        o->squeeze = true;
        break;
    case 'o':
        return take_file(&o->output, "--output", argument, m);
    case OPTION_VALUES:
        return take_file(&o->values, "--values", argument, m);
    case OPTION_PLOT:
        return take_file(&o->plot, "--plot", argument, m);
    case 'd':
        o->device = argument;
        break;
    case OPTION_EXPLAIN:
        o->explain = true;
        break;
    case OPTION_LIST:
        o->action = ACTION_LIST_DEVICES;
        break;
    case 'h':
        o->action = ACTION_HELP;
        break;
    case OPTION_VERSION:
        o->action = ACTION_VERSION;
        break;
    case OPTION_JSON:
        o->json = true;
        break;
    case OPTION_FILL:
        value = choose(fill_modes, "--fill", argument, m);
        o->keep_fill = value == 1;
        break;
    case OPTION_MASK:
        o->mask = argument;
        return *argument || complain(m, "--mask: an empty name, expected file.npy or file.nc:variable");
    default:
        return parse_memory(argument, o, m);
    }
    return value >= 0;
}

/* What getopt_long would have printed. Words are cut at 200 characters, as in all messages here, so that what was
 * expected still fits. */
static bool refuse(int why, char **argv, message *m) {
    const char *word = argv[optind - 1];
    if (why == ':')
        return complain(m, "%.200s: nothing after it, expected its value; see argmax-cl --help", word);
    if (optopt && optopt < 256 && strncmp(word, "--", 2) != 0)
        return complain(m, "-%c: unknown option; see argmax-cl --help", optopt);
    return complain(m, "%.200s: %s; see argmax-cl --help", word,
                    optopt ? "a value, expected none" : "unknown or ambiguous option");
}

bool options_parse(int argc, char **argv, options *o, message *m) {
    bool given[OPTION_END] = {false};
    *o = (options){.index_type = ARGMAX_CL_INT64};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":a:o:d:h", long_options, NULL)) != -1;) {
        if (option == '?' || option == ':')
            return refuse(option, argv, m);
        if (given[option])
            return complain(m, "%.200s: given twice, expected once",
                            argv[optind - (optind > 1 && optarg == argv[optind - 1] ? 2 : 1)]);
        given[option] = true;
        if (!apply(option, optarg, o, m))
            return false;
        if (o->action != ACTION_COMPUTE)
            return true;
    }
    if (optind == argc)
        return complain(m, "INPUT: missing, expected file.npy or file.nc:variable; see argmax-cl --help");
    if (optind + 1 < argc)
        return complain(m, "%.200s: a second INPUT, expected one", argv[optind + 1]);
    o->input = argv[optind];
    if (given[OPTION_MIN] && given[OPTION_BOTH])
        return complain(m, "--min: with --both, which has the minimum, expected one of the two");
    if (o->plot && given[OPTION_BOTH])
        return complain(m, "--plot: with --both, expected one extremum to draw: the maximum, or --min");
    if (o->mask && strcmp(o->mask, "-") == 0 && strcmp(o->input, "-") == 0)
        return complain(m, "--mask: -, which is INPUT as well, expected another file");
    return true;
}
