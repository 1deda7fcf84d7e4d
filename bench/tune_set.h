/* The problems that --tune measures: every class of shapes, types of 1, 2, 4 and 8 bytes, all on random data. */
#ifndef BENCH_TUNE_SET_H
#define BENCH_TUNE_SET_H

#include "limit.h"
#include "problem.h"

enum { TUNE_PROBLEMS_MAX = 256, TUNE_TYPES = 4, TUNE_PLAN_TEXT = 2048 };

/* A plan of one problem under one tuning row. Plans that read the same do the same. */
typedef struct tune_plan {
    argmax_cl_plan plan; /* NULL: none */
    char text[TUNE_PLAN_TEXT];
} tune_plan;

typedef struct tune_problem {
    const char *shape; /* its class: "flat", "columns", ... */
    char line[PROBLEM_LINE_SIZE];
    problem_line p;
    problem_desc desc;
    argmax_cl_buffers buffers; /* shared */
    size_t index_bytes;
    uint64_t answer; /* digest of the right output */
    uint64_t bytes;  /* of the input, and of the outputs */
    bool small;      /* of a fixed size, and left in the caches */
} tune_problem;

typedef struct tune_set {
    const bench_device *device;
    read_limit limit;
    size_t count;
    tune_problem problems[TUNE_PROBLEMS_MAX];
    uint64_t input_bytes; /* of each problem that is not small */
    cl_mem inputs[TUNE_TYPES], index, workspace;
    size_t workspace_bytes, index_bytes;
    void *host[TUNE_TYPES]; /* the inputs' memory on a CPU device */
    void *answers;          /* index_bytes of host memory */
    char row_file[256];     /* where the library reads the row that is tried */
} tune_set;

/* What is to be measured. */
typedef struct tune_choice {
    uint64_t bytes;       /* of each input; 0: what suits the device */
    const char *filter;   /* of the classes, of which "drawn" is drawn at random; NULL: all */
    const char *problems; /* a file of more problems; NULL: none */
    uint64_t drawn;       /* how many are drawn, and with which seed */
    const char *seed;
} tune_choice;

/* Make the inputs and work out the right answers. Says on stderr what failed; close it also then. */
bool tune_set_open(tune_set *set, const bench_device *device, const tune_choice *choice);
void tune_set_close(tune_set *set);

/* Any change of one word changes it. */
uint64_t tune_digest(const void *data, size_t bytes);

/* ---- tune_plan.c ----------------------------------------------------------------------------------------------- */

/* The plan under a row, given as the line of a tuning file; false with argmax_cl_last_error() where it is refused. */
bool tune_plan_open(tune_set *set, tune_problem *problem, const char *row, tune_plan *plan);
void tune_plan_close(tune_plan *plan);

/* Run it once. False when the answers are wrong or cannot be had, said on stderr. */
bool tune_plan_check(tune_set *set, tune_problem *problem, const tune_plan *plan);

/* How much faster `b` is than `a`: the logarithm of the ratio of their times, measured in turns, and its error. */
typedef struct tune_gain {
    double gain, error;
    double a, b; /* seconds, medians */
    bool failed;
} tune_gain;
tune_gain tune_compare(tune_set *set, tune_problem *problem, const tune_plan *a, const tune_plan *b, double seconds);

/* Device seconds of one read of as many bytes as the large problems have. */
double tune_read_limit(tune_set *set);

/* ---- tune_verify.c --------------------------------------------------------------------------------------------- */

/* Whether the answers under the row are right on problems of all sorts; what is not is said on stderr. */
bool tune_verify(tune_set *set, const char *row);

#endif
