/* The device that is measured: its queues, its facts, and how long its commands took. */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include <argmax_cl/argmax_cl.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DRAM is read in pieces of this many bytes on every device that we know. */
#define LINE_BYTES 64

typedef struct bench_device {
    argmax_cl_handle handle;
    cl_context context; /* the handle's */
    cl_device_id id;
    cl_command_queue timed; /* in order, with profiling: device times */
    cl_command_queue plain; /* in order: wall times */
    cl_kernel empty;        /* does nothing: the launch time */
    bool is_cpu;
    cl_uint compute_units;
    uint64_t max_buffer, cache; /* bytes; the cache is the largest that the device admits to */
    char name[256], driver[256], platform[256];
    char processor[64]; /* PROCESSOR_BYTES; of a CPU device, as tuning files call it; "": unknown */
} bench_device;

/* Open the device that the selector names. Says on stderr what failed. Close it also after a failure. */
bool device_open(bench_device *device, const char *selector);
void device_close(bench_device *device);

/* Print "bench: ..." on stderr and return false. */
bool complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* True when code is CL_SUCCESS; else complains about the call. */
bool succeeded(cl_int code, const char *call);

/* Build one kernel from a source; NULL after complaining. */
cl_kernel device_kernel(const bench_device *device, const char *source, const char *options, const char *name);

/* A buffer in the device's own memory holding a copy of `host`, or on a CPU device `host` itself, which must then
 * outlive it. NULL after complaining. */
cl_mem device_buffer(const bench_device *device, void *host, size_t bytes);

/* Between these two every kernel that the library (or the bench) launches is noted. `stop` waits for the queue and
 * returns the seconds from the first noted command's start to the last one's end, below 0 after complaining. Where the
 * device's clock stands still (Mesa's llvmpipe) they are those of the host, from `start` on an idle queue to the end.
 */
void record_start(cl_command_queue queue);
double record_stop(cl_command_queue queue);
/* Programs compiled and kernels launched since the process began. */
unsigned record_builds(void);
unsigned record_launches(void);

#endif
