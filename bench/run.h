/* One problem, measured. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "device.h"
#include "limit.h"
#include "naive.h"
#include "problem.h"
#include "scratch.h"

#include <stdio.h>

typedef struct run_options {
    double seconds; /* for the timed part of each problem */
    bool check;     /* look at the answers first */
    bool cached;    /* leave small inputs in the caches */
    bool programs;  /* make the plan, which compiles what it needs, and nothing else */
    bool naive;     /* beside the naive kernel, whose answers are the right ones; random data made on the device */
} run_options;

typedef enum check_result { CHECK_NONE, CHECK_ORACLE, CHECK_PLANTED, CHECK_NAIVE, CHECK_WRONG } check_result;

typedef struct run_result {
    char failure[256];   /* why there are no figures; "" when there are */
    bool skipped;        /* there are none because the device is too small, which is no fault */
    uint64_t bytes;      /* lines of input touched, and outputs */
    double device, wall; /* median seconds of the library */
    double spread;       /* of the device time: between the quartiles, relative to the median */
    double best;         /* least device time of the library, seconds */
    double limit;        /* median seconds of the best kernel that reads the input's lines and stores the outputs */
    double limit_best;   /* least seconds of it */
    double naive;        /* median seconds of the naive kernel; 0: not measured */
    unsigned builds;     /* programs that the plan had compiled */
    double planned;      /* seconds to make the plan */
    uint64_t outputs;
    const char *reader; /* "kernel" or "C loop" */
    double launch;      /* median wall seconds of an empty kernel, enqueue to finish */
    size_t repetitions;
    bool cached; /* the input may have been in a cache */
    bool calm;   /* the process hardly had to wait for cores in the repetitions that count */
    check_result check;
    char strategy[64], plan[512];
} run_result;

/* Bytes per second in a median time: of the library; and of the limit. Their ratio; and the ratio of the two best
 * times, which other load on the machine disturbs less. */
double run_rate(const run_result *r);
double run_limit_rate(const run_result *r);
double run_ratio(const run_result *r);
double run_best_ratio(const run_result *r);

/* Memory that is kept from one problem to the next. */
typedef struct workbench {
    const bench_device *device;
    read_limit limit;
    scratch scratch;
    naive_kernels naive;
    void *host; /* an input that is made on the host */
    size_t host_bytes;
} workbench;

bool workbench_open(workbench *bench, const bench_device *device);
void workbench_close(workbench *bench);

/* Measure. What fails is in result->failure. */
void run_problem(workbench *bench, const problem_line *p, const run_options *options, run_result *result);

#endif
