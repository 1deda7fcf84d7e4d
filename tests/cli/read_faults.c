/* Loaded before a program (LD_PRELOAD), lets something happen at the n-th read from a file: READ_FAULT=N:WHAT:FILE with
 * WHAT one of
 *
 *   error     the read fails with EIO
 *   again     it is interrupted (EINTR), once
 *   short     the file loses its second half, before the read
 *   change    its last byte is written anew
 *   signal    SIGINT
 *
 * The file READ_FAULT_MARK appears when it did. Reads of a process that the program forks do not count. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_ulong count;
static unsigned long due_at;
static char what[16], path[4096];
static struct stat target;
static pid_t own;

__attribute__((constructor)) static void begin(void) {
    const char *const order = getenv("READ_FAULT");
    own = getpid();
    if (order && sscanf(order, "%lu:%15[a-z]:%4095[^\n]", &due_at, what, path) != 3)
        due_at = 0;
    if (due_at && stat(path, &target) != 0)
        due_at = 0;
}

/* Whether the read fails; errno says why. */
static int happens(int file) {
    struct stat status;
    if (!due_at || getpid() != own || fstat(file, &status) != 0 || status.st_ino != target.st_ino ||
        status.st_dev != target.st_dev || atomic_fetch_add(&count, 1) + 1 != due_at)
        return 0;
    const char *const mark_path = getenv("READ_FAULT_MARK");
    const int mark = open(mark_path ? mark_path : "/dev/null", O_WRONLY | O_CREAT, 0600);
    (void)close(mark);
    errno = strcmp(what, "again") == 0 ? EINTR : EIO;
    if (strcmp(what, "error") == 0 || strcmp(what, "again") == 0)
        return 1;
    const int other = open(path, O_RDWR);
    char last = 0;
    if (strcmp(what, "short") == 0)
        (void)!ftruncate(other, target.st_size / 2);
    if (strcmp(what, "change") == 0 && lseek(other, -1, SEEK_END) >= 0 && read(other, &last, 1) == 1 &&
        lseek(other, -1, SEEK_END) >= 0)
        (void)!write(other, &last, 1);
    if (strcmp(what, "signal") == 0)
        (void)kill(own, SIGINT);
    (void)close(other);
    return 0;
}

/* pread64 has 64 bits of the offset (off64_t, whose name not every C library shows) where pread may have 32. */
#define PASSED_ON(name, offset_type)                                                                                   \
    __attribute__((visibility("default"))) ssize_t name(int fd, void *buf, size_t nbytes, offset_type offset) {        \
        ssize_t (*real)(int, void *, size_t, offset_type) = NULL;                                                      \
        void *const found = dlsym(RTLD_NEXT, #name);                                                                   \
        memcpy(&real, &found, sizeof real);                                                                            \
        return happens(fd) ? -1 : real(fd, buf, nbytes, offset);                                                       \
    }
PASSED_ON(pread, off_t)
PASSED_ON(pread64, int64_t)
