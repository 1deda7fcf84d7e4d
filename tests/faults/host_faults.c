#include "host_faults.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
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

static atomic_int_fast64_t alive[HOST_KINDS];

int64_t host_alive(host_kind kind) {
    return atomic_load(&alive[kind]);
}

const char *host_kind_name(host_kind kind) {
    static const char *const names[] = {"blocks of memory", "open files", "mutexes"};
    return names[kind];
}

static void *given(host_kind kind, void *what) {
    if (what)
        atomic_fetch_add(&alive[kind], 1);
    return what;
}

static void given_back(host_kind kind, const void *what) {
    if (what)
        atomic_fetch_sub(&alive[kind], 1);
}

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes) {
    return due("malloc") ? NULL : given(HOST_BLOCK, __real_malloc(bytes));
}

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes) {
    return due("calloc") ? NULL : given(HOST_BLOCK, __real_calloc(count, bytes));
}

/* Never called to free. */
void *__real_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes) {
    if (due("realloc"))
        return NULL;
    return old ? __real_realloc(old, bytes) : given(HOST_BLOCK, __real_realloc(NULL, bytes));
}

void __real_free(void *block);
void __wrap_free(void *block);
void __wrap_free(void *block) {
    given_back(HOST_BLOCK, block);
    __real_free(block);
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode) {
    return due("fopen") ? NULL : given(HOST_FILE, __real_fopen(path, mode));
}

int __real_fclose(FILE *file);
int __wrap_fclose(FILE *file);
int __wrap_fclose(FILE *file) {
    given_back(HOST_FILE, file);
    return __real_fclose(file);
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
    if (due("pthread_mutex_init"))
        return ENOMEM;
    given(HOST_MUTEX, mutex);
    return __real_pthread_mutex_init(mutex, attributes);
}

int __real_pthread_mutex_destroy(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex) {
    given_back(HOST_MUTEX, mutex);
    return __real_pthread_mutex_destroy(mutex);
}
