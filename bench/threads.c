#include "threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

enum { MAX_WORKERS = 255 };

/* The loop that runs, and the pool's state. `round` counts loops: a worker that sees it change joins the loop. */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t begin, end;
    unsigned workers; /* threads beside the caller */
    unsigned round, running;
    bool started;
    size_t chunks;
    atomic_size_t next;
    void (*work)(void *, size_t);
    void *context;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .begin = PTHREAD_COND_INITIALIZER, .end = PTHREAD_COND_INITIALIZER};

static void take_chunks(void) {
    for (;;) {
        const size_t chunk = atomic_fetch_add_explicit(&pool.next, 1, memory_order_relaxed);
        if (chunk >= pool.chunks)
            return;
        pool.work(pool.context, chunk);
    }
}

static void *worker(void *unused) {
    (void)unused;
    unsigned seen = 0;
    pthread_mutex_lock(&pool.mutex);
    for (;;) {
        while (pool.round == seen)
            pthread_cond_wait(&pool.begin, &pool.mutex);
        seen = pool.round;
        pthread_mutex_unlock(&pool.mutex);
        take_chunks();
        pthread_mutex_lock(&pool.mutex);
        if (--pool.running == 0)
            pthread_cond_signal(&pool.end);
    }
    return NULL;
}

/* Workers that cannot be started are done without: the caller alone finishes every loop. */
static void start_pool(void) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pool.started = true;
    for (long i = 1; i < cores && i <= MAX_WORKERS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, worker, NULL) != 0)
            break;
        pthread_detach(thread);
        pool.workers++;
    }
}

void parallel_for(size_t chunks, void (*work)(void *context, size_t chunk), void *context) {
    pthread_mutex_lock(&pool.mutex);
    if (!pool.started)
        start_pool();
    pool.chunks = chunks;
    pool.work = work;
    pool.context = context;
    atomic_store(&pool.next, 0);
    pool.running = pool.workers;
    pool.round++;
    pthread_cond_broadcast(&pool.begin);
    pthread_mutex_unlock(&pool.mutex);
    take_chunks();
    pthread_mutex_lock(&pool.mutex);
    while (pool.running > 0)
        pthread_cond_wait(&pool.end, &pool.mutex);
    pthread_mutex_unlock(&pool.mutex);
}

double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
