/* One problem, measured. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "device.h"
#include "limit.h"
#include "problem.h"

#include <stdio.h>

typedef struct run_options {
    double seconds; /* for the timed part of each problem */
    bool check;     /* look at the answers first */
    bool cached;    /* leave small inputs in the caches */
    bool calm;      /* the process hardly had to wait for cores in the repetitions that count */
} run_options;

typedef enum check_result { CHECK_NONE, CHECK_ORACLE, CHECK_PLANTED, CHECK_WRONG } check_result;

typedef struct run_result {
    char failure[256];    /* why there are no figures; "" when there are */
    bool skipped;         /* there are none because the device is too small, which is no fault */
    uint64_t bytes;       /* lines of input touched, and outputs */
    double device, wall;  /* median seconds of the library */
    double spread;        /* of the device time: between the quartiles, relative to the median */
    double best;          /* least device time of the library, seconds */
    double limit;         /* median seconds of the best reader of the same input lines */
    double limit_best;    /* least seconds of any reader */
    uint64_t limit_bytes; /* read by it */
    const char *reader;   /* "kernel" or "C loop" */
    double launch;        /* median wall seconds of an empty kernel, enqueue to finish */
    size_t repetitions;
    bool cached; /* the input may have been in a cache */
    bool calm;   /* the process hardly had to wait for cores in the repetitions that count */
    check_result check;
    char strategy[64], plan[512];
} run_result;

/* Bytes per second in a median time: of input lines and outputs; and of the reader. Their ratio; and the ratio of the
 * two best times, which other load on the machine disturbs less. */
double run_rate(const run_result *r);
double run_limit_rate(const run_result *r);
double run_ratio(const run_result *r);
double run_best_ratio(const run_result *r);

/* Memory that is kept from one problem to the next. */
typedef struct workbench {
    const bench_device *device;
    read_limit limit;
    void *host; /* the input, on huge pages where the system has them */
    size_t host_bytes;
} workbench;

bool workbench_open(workbench *bench, const bench_device *device);
void workbench_close(workbench *bench);

/* Measure. What fails is in result->failure. */
void run_problem(workbench *bench, const problem_line *p, const run_options *options, run_result *result);

#endif
