#include "cleanup.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* Static: a handler runs at any moment, and can neither lock nor trust the heap. */
static char places[8][PATH_MAX];
static volatile sig_atomic_t holding, waiting;
static pthread_t owner; /* the thread that makes and renames the files */

static void end_by(int signal_number) {
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i)
        if (places[i][0])
            (void)unlink(places[i]);
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
}

/* A driver's threads may be handed a signal, too; there, files could be removed while their owner renames them. */
static void handle(int signal_number) {
    if (!pthread_equal(pthread_self(), owner))
        (void)pthread_kill(owner, signal_number);
    else if (holding)
        waiting = signal_number;
    else
        end_by(signal_number);
}

void cleanup_install(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    owner = pthread_self();
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i) {
        struct sigaction before, after = {0};
        after.sa_handler = handle;
        (void)sigemptyset(&after.sa_mask);
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &after, NULL);
    }
}

void cleanup_hold(bool hold) {
    holding = hold;
    if (!hold && waiting)
        end_by((int)waiting);
}

char *cleanup_place(void) {
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i)
        if (!places[i][0])
            return places[i];
    return NULL;
}
