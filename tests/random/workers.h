/* Campaigns of batches on several processes side by side. This process never touches OpenCL, so that it can fork
 * workers again and again, and outlives those that crash or hang. */
#ifndef ARGMAX_CL_TESTS_WORKERS_H
#define ARGMAX_CL_TESTS_WORKERS_H

#include "differential.h"

#define WORKERS_MOST 256

typedef struct campaign {
    batch_plan batch;
    uint64_t count;       /* right answers wanted */
    uint32_t jobs;        /* processes, at most WORKERS_MOST */
    const char *selector; /* of the device */
    uint64_t seconds;     /* not 0: end after that time, with what is right by then */
    bool trace;
} campaign;

/* Run batches 0, 1, 2 and on until enough answers were right, or 10 wrong; crashes and hangs count as wrong ones, and
 * are made small too. The batches are the same for any number of jobs. Prints how it goes. False when something was
 * wrong, or too few problems could be drawn. */
bool campaign_run(const campaign *c, batch_result *total);

#endif
