#include "append.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static const int held[] = {SIGINT, SIGTERM, SIGHUP};
enum { HELD = sizeof held / sizeof held[0] };

static volatile sig_atomic_t came; /* 0: none */

static void remember(int signal_number) {
    came = signal_number;
}

/* A mask would not do: the signal would go to a thread of the driver. */
static void hold_signals(struct sigaction before[HELD]) {
    const struct sigaction later = {.sa_handler = remember};
    came = 0;
    for (size_t i = 0; i < HELD; i++)
        if (sigaction(held[i], NULL, &before[i]) == 0 && before[i].sa_handler == SIG_DFL)
            sigaction(held[i], &later, NULL);
}

static void let_signals(const struct sigaction before[HELD]) {
    for (size_t i = 0; i < HELD; i++)
        sigaction(held[i], &before[i], NULL);
    if (came != 0)
        raise((int)came);
}

static size_t write_all(int file, const char *text, size_t bytes) {
    size_t done = 0;
    while (done < bytes) {
        const ssize_t more = write(file, text + done, bytes - done);
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0)
            break;
        done += (size_t)more;
    }
    return done;
}

bool append(int file, const char *text, size_t bytes) {
    struct sigaction before[HELD];
    struct stat status;
    hold_signals(before);
    const size_t done = write_all(file, text, bytes);
    const int why = errno;
    /* Only what is ours is taken back: another process may have appended since. */
    if (done > 0 && done < bytes && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        lseek(file, 0, SEEK_CUR) == status.st_size && ftruncate(file, status.st_size - (off_t)done) != 0)
        errno = why;
    let_signals(before);
    errno = why;
    return done == bytes;
}
