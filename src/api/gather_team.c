/* A team for each stream: see gather_team.h. The caller is one of it. */
#include "api/gather_team.h"

#include "api/host_arrays.h"

#include <pthread.h>
#include <stdlib.h>
#ifndef _WIN32
#include <signal.h>
#include <unistd.h>
#endif

#define MEMBERS 16u
/* Shorter pieces are copied before a thread is awake. */
#define PIECE_BYTES ((uint64_t)1 << 20)

typedef struct member {
    gather_team *team;
    uint32_t part;
    pthread_t thread;
} member;

struct gather_team {
    uint32_t parts; /* the caller's is 0 */
    member members[MEMBERS];
    pthread_mutex_t lock;
    pthread_cond_t started, finished;
    uint64_t jobs;    /* so far */
    uint32_t running; /* members at the job */
    bool stop;
    const void *array;
    const tensor_view *view;
    void *packed;
};

static void *work(void *argument) {
    const member *const self = argument;
    gather_team *const team = self->team;
    uint64_t done = 0;
    pthread_mutex_lock(&team->lock);
    for (;;) {
        while (team->jobs == done && !team->stop)
            pthread_cond_wait(&team->started, &team->lock);
        if (team->stop)
            break;
        done = team->jobs;
        pthread_mutex_unlock(&team->lock);
        host_gather_part(team->array, team->view, team->packed, self->part, team->parts);
        pthread_mutex_lock(&team->lock);
        if (--team->running == 0)
            pthread_cond_signal(&team->finished);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

static uint32_t processors(void) {
#ifdef _SC_NPROCESSORS_ONLN
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < (long)MEMBERS ? (uint32_t)count : MEMBERS;
#else
    return 4;
#endif
}

/* The program's signals stay with its own threads. */
static bool start(member *m) {
#ifndef _WIN32
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
#endif
    const bool good = pthread_create(&m->thread, NULL, work, m) == 0;
#ifndef _WIN32
    pthread_sigmask(SIG_SETMASK, &before, NULL);
#endif
    return good;
}

gather_team *gather_team_open(uint64_t bytes) {
    const uint64_t pieces = bytes / PIECE_BYTES, most = processors();
    const uint32_t wanted = (uint32_t)(pieces < most ? pieces : most);
    gather_team *const team = wanted > 1 ? calloc(1, sizeof *team) : NULL;
    if (!team)
        return NULL;
    const bool lock = pthread_mutex_init(&team->lock, NULL) == 0;
    const bool begin = lock && pthread_cond_init(&team->started, NULL) == 0;
    if (!begin || pthread_cond_init(&team->finished, NULL) != 0) {
        if (begin)
            pthread_cond_destroy(&team->started);
        if (lock)
            pthread_mutex_destroy(&team->lock);
        free(team);
        return NULL;
    }
    /* Members learn how many they are with the first job. */
    for (team->parts = 1; team->parts < wanted; team->parts++) {
        member *const m = &team->members[team->parts];
        m->team = team;
        m->part = team->parts;
        if (!start(m))
            break;
    }
    return team;
}

void gather_team_run(gather_team *team, const void *array, const tensor_view *view, void *packed) {
    if (!team) {
        host_gather(array, view, packed);
        return;
    }
    pthread_mutex_lock(&team->lock);
    team->array = array;
    team->view = view;
    team->packed = packed;
    team->running = team->parts - 1;
    team->jobs++;
    pthread_cond_broadcast(&team->started);
    pthread_mutex_unlock(&team->lock);
    host_gather_part(array, view, packed, 0, team->parts);
    pthread_mutex_lock(&team->lock);
    while (team->running)
        pthread_cond_wait(&team->finished, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

void gather_team_close(gather_team *team) {
    if (!team)
        return;
    pthread_mutex_lock(&team->lock);
    team->stop = true;
    pthread_cond_broadcast(&team->started);
    pthread_mutex_unlock(&team->lock);
    for (uint32_t i = 1; i < team->parts; i++)
        pthread_join(team->members[i].thread, NULL);
    pthread_cond_destroy(&team->finished);
    pthread_cond_destroy(&team->started);
    pthread_mutex_destroy(&team->lock);
    free(team);
}
