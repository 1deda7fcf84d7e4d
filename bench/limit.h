/* The read limit: how fast the same bytes can be read at all, by the best reader that we know how to write. */
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

/* The kernel's geometries, to be tried in turn for each problem: 0..LIMIT_VARIANTS-1. */
enum { LIMIT_VARIANTS = 4 };

/* Device seconds to read `bytes` of the buffer from `offset` on (whole vectors within them), below 0 on failure. */
double limit_read(const read_limit *limit, const bench_device *device, int variant, cl_mem buffer, uint64_t offset,
                  uint64_t bytes);
/* The same with a C loop on all cores: wall seconds. */
double limit_read_host(const void *data, uint64_t bytes);

/* Enqueue a read of enough other data that nothing earlier stays in the device's caches. */
bool limit_flush(read_limit *limit, const bench_device *device, cl_command_queue queue);

#endif
