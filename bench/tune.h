/* argmax-cl-bench --tune: the tuning row that is fastest on this device. */
#ifndef BENCH_TUNE_H
#define BENCH_TUNE_H

#include "device.h"

typedef struct tune_options {
    double seconds;       /* for all of it */
    uint64_t bytes;       /* of each input; 0: what suits the device */
    const char *problems; /* a file of problems to measure besides; NULL: none */
    uint64_t drawn;       /* problems drawn at random to measure besides */
    const char *seed;     /* which ones these are */
    const char *filter;   /* only classes of problems with that in their name; NULL: all */
    const char *fields;   /* names of the fields to search, with commas between; NULL: all */
    const char *from;     /* a tuning file with the row to start from, and no other is tried whole; NULL: today's row */
    const char *to;       /* the file that gets the row; NULL: the one that the library reads */
    const char *commit;
} tune_options;

/* False after a failure, said on stderr; then nothing was written. Nothing is written either when no row was faster. */
bool tune(const bench_device *device, const tune_options *options);

#endif
