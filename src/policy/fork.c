/* The guard against use in a forked child, where OpenCL hangs. */
#include "internal.h"

#ifndef _WIN32
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/* The one state outside handles: a fork copies handles too. Nothing asks the system at each call, which would take 0.2
 * to 0.3 us. */
static pthread_once_t first_use = PTHREAD_ONCE_INIT;
static long first_pid;
static int watched; /* what pthread_atfork said */
static atomic_bool forked;

static void note_fork(void) {
    atomic_store_explicit(&forked, true, memory_order_relaxed);
}

static void watch_forks(void) {
    first_pid = (long)getpid();
    watched = pthread_atfork(NULL, NULL, note_fork);
}
#endif

argmax_cl_status device_enter(void) {
#ifndef _WIN32
    pthread_once(&first_use, watch_forks);
    if (watched != 0)
        return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory to tell forks of this process");
    if (atomic_load_explicit(&forked, memory_order_relaxed))
        return fail(ARGMAX_CL_ERROR_FORKED,
                    "process %ld is a fork of process %ld, which had used OpenCL: its calls would hang; expected the "
                    "first use after the fork, or a new program",
                    (long)getpid(), first_pid);
#endif
    return ARGMAX_CL_SUCCESS;
}
