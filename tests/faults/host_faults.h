/* The n-th request to the C library fails: malloc, calloc, realloc, fopen, ferror, pthread_mutex_init, as far as they
 * are called by what is linked into this program (linker option --wrap; not by shared libraries). */
#ifndef ARGMAX_CL_TESTS_FAULTS_HOST_FAULTS_H
#define ARGMAX_CL_TESTS_FAULTS_HOST_FAULTS_H

#include <stdint.h>

typedef struct host_fault_report {
    uint64_t counted, failed;
    const char *call; /* the first that failed; NULL: none */
} host_fault_report;

/* Counted from 1, from now on, in this thread; 0: none. */
void host_fault_order(uint64_t nth);
/* Ends the order. */
host_fault_report host_fault_take(void);

#endif
