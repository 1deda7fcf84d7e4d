/* What the command line of argmax-cl-bench asks for. */
#ifndef BENCH_SETTINGS_H
#define BENCH_SETTINGS_H

#include "draw.h"
#include "run.h"
#include "tune.h"

enum { FILTERS_MAX = 8 };

typedef struct settings {
    const char *problems; /* NULL: those built in */
    const char *device, *json, *commit;
    const char *filters[FILTERS_MAX];
    int filter_count;
    bool tune, first, survey, print, programs;
    uint64_t random; /* problems to draw; 0: those of the file */
    draw_options draw;
    tune_options tuning;
    run_options run;
} settings;

/* Read the options. False after complaining; --help ends the process. The settings point into argv. */
bool settings_read(settings *s, int argc, char **argv);

#endif
