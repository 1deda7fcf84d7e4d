#include "stream.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct stream {
    reader *s;
    const blocks *plan;
    block slots[2];
    uint64_t filled, taken; /* blocks so far; slot = number % 2 */
    bool failed, stop, threaded;
    message why;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t moved;
};

static bool fill(stream *t, uint64_t which) {
    block *b = &t->slots[which % 2];
    blocks_get(t->plan, which, &b->where, &b->first, &b->last);
    b->count = box_count(&b->where, t->plan->rank);
    b->missing = 0;
    if (!t->s->read(t->s, &b->where, b->data, &t->why))
        return false;
    if (b->mask)
        b->missing = missing_mask(&t->s->missing, b->data, b->count, b->mask);
    return true;
}

/* Fills slots until all blocks are read. A slot is free again when the block after it has been asked for. */
static void *read_ahead(void *argument) {
    stream *t = argument;
    (void)pthread_mutex_lock(&t->lock);
    while (t->filled < t->plan->count && !t->stop && !t->failed) {
        if (t->filled >= t->taken + 1 + (t->taken == 0)) {
            (void)pthread_cond_wait(&t->moved, &t->lock);
            continue;
        }
        (void)pthread_mutex_unlock(&t->lock);
        const bool good = fill(t, t->filled);
        (void)pthread_mutex_lock(&t->lock);
        t->failed = !good;
        t->filled += good;
        (void)pthread_cond_broadcast(&t->moved);
    }
    (void)pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Signals stay with the thread that owns the temporary files. */
static bool start_thread(stream *t) {
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    t->threaded = pthread_create(&t->thread, NULL, read_ahead, t) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return t->threaded;
}

static bool take_memory(stream *t, message *m) {
    const uint64_t bytes = t->plan->block_elements * argmax_cl_dtype_size(t->s->a.dtype);
    for (size_t i = 0; i < 2 && i < t->plan->count; ++i) {
        block *b = &t->slots[i];
        b->data = page_memory(bytes, t->s->name, m);
        if (!b->data)
            return false;
        if (missing_possible(&t->s->missing))
            b->mask = page_memory(t->plan->block_elements, t->s->name, m);
        if (missing_possible(&t->s->missing) && !b->mask)
            return false;
    }
    return true;
}

stream *stream_open(reader *s, const blocks *plan, message *m) {
    stream *t = calloc(1, sizeof *t);
    if (!t) {
        (void)complain(m, "%s: no memory", s->name);
        return NULL;
    }
    t->s = s;
    t->plan = plan;
    (void)pthread_mutex_init(&t->lock, NULL);
    (void)pthread_cond_init(&t->moved, NULL);
    bool good = take_memory(t, m);
    if (good && plan->count > 1)
        good = start_thread(t) || complain(m, "%s: no thread to read it", s->name);
    if (good)
        return t;
    stream_close(t);
    return NULL;
}

block *stream_next(stream *t, message *m) {
    const uint64_t which = t->taken;
    bool good = true;
    if (!t->threaded) {
        good = fill(t, which);
        ++t->taken;
    } else {
        (void)pthread_mutex_lock(&t->lock);
        ++t->taken; /* the block before this one is done with */
        (void)pthread_cond_broadcast(&t->moved);
        while (t->filled <= which && !t->failed)
            (void)pthread_cond_wait(&t->moved, &t->lock);
        good = t->filled > which;
        (void)pthread_mutex_unlock(&t->lock);
    }
    if (!good)
        *m = t->why;
    return good ? &t->slots[which % 2] : NULL;
}

void stream_close(stream *t) {
    if (!t)
        return;
    if (t->threaded) {
        (void)pthread_mutex_lock(&t->lock);
        t->stop = true;
        (void)pthread_cond_broadcast(&t->moved);
        (void)pthread_mutex_unlock(&t->lock);
        (void)pthread_join(t->thread, NULL);
    }
    for (size_t i = 0; i < 2; ++i) {
        free(t->slots[i].data);
        free(t->slots[i].mask);
    }
    (void)pthread_cond_destroy(&t->moved);
    (void)pthread_mutex_destroy(&t->lock);
    free(t);
}
