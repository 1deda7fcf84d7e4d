#include "host_faults.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local uint64_t due_at;
static _Thread_local host_fault_report done;

void host_fault_order(uint64_t nth) {
    done = (host_fault_report){0};
    due_at = nth;
}

host_fault_report host_fault_take(void) {
    const host_fault_report report = done;
    due_at = 0;
    return report;
}

static bool due(const char *call) {
    if (!due_at || ++done.counted != due_at)
        return false;
    done.failed++;
    done.call = call;
    errno = ENOMEM;
    return true;
}

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes) {
    return due("malloc") ? NULL : __real_malloc(bytes);
}

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes) {
    return due("calloc") ? NULL : __real_calloc(count, bytes);
}

void *__real_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes) {
    return due("realloc") ? NULL : __real_realloc(old, bytes);
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode) {
    return due("fopen") ? NULL : __real_fopen(path, mode);
}

/* What was read counts as cut off. */
int __real_ferror(FILE *file);
int __wrap_ferror(FILE *file);
int __wrap_ferror(FILE *file) {
    return due("ferror") ? 1 : __real_ferror(file);
}

int __real_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    return due("pthread_mutex_init") ? ENOMEM : __real_pthread_mutex_init(mutex, attributes);
}
