/* The limit: how fast the same bytes can be read, and as many as the answers have be stored, by the best kernel for it
 * that we know how to write. */
#ifndef BENCH_LIMIT_H
#define BENCH_LIMIT_H

#include "device.h"

typedef struct read_limit {
    cl_kernel kernel;
    cl_mem never;   /* the kernel's output, hardly ever written */
    cl_mem scratch; /* read through to push everything else out of the caches; NULL until needed */
} read_limit;

bool limit_open(read_limit *limit, const bench_device *device);
void limit_close(read_limit *limit);

/* What is read and where as much as the answers is stored; in bytes, of which whole vectors count. */
typedef struct limit_traffic {
    cl_mem input, answers; /* answers NULL: nothing is stored */
    uint64_t offset, bytes, answer_bytes;
} limit_traffic;

/* The kernel's forms, to be tried in turn for each problem: 0..limit_forms()-1. */
enum { LIMIT_FORMS = 8, LIMIT_READERS = 4 /* the first: all that differ where little is stored */ };
int limit_forms(const limit_traffic *traffic);

/* Device seconds, below 0 on failure. */
double limit_time(const read_limit *limit, const bench_device *device, int form, const limit_traffic *traffic);
/* The same with a C loop on all cores, from and to the host's memory: wall seconds. */
double limit_time_host(const void *data, uint64_t bytes, void *answers, uint64_t answer_bytes);

/* Enqueue a read of enough other data that nothing earlier stays in the device's caches. */
bool limit_flush(read_limit *limit, const bench_device *device, cl_command_queue queue);

#endif
