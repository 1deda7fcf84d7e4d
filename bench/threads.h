/* All cores on one loop: for the read limit of a CPU device and for making gigabytes of data quickly. */
#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

#include <stddef.h>

/* Call work(context, chunk) once for each chunk in 0..chunks-1, on as many threads as there are cores, and return when
 * all are done. A thread takes the next chunk when it is free, so that a busy core slows only its own. The threads
 * live until the process ends; only one loop runs at a time. */
void parallel_for(size_t chunks, void (*work)(void *context, size_t chunk), void *context);

/* Seconds on a clock that never steps. */
double now(void);

#endif
