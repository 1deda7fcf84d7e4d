/* The n-th request to the C library fails: malloc, calloc, realloc, fopen, ferror, pthread_mutex_init, as far as they
 * are called by what is linked into this program (linker option --wrap; not by shared libraries). And what they gave is
 * counted until it is given back. */
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

typedef enum host_kind { HOST_BLOCK, HOST_FILE, HOST_MUTEX, HOST_KINDS } host_kind;

/* Blocks of memory, open files and mutexes that were not given back. */
int64_t host_alive(host_kind kind);
const char *host_kind_name(host_kind kind);

#endif
