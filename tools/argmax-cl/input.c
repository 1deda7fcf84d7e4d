#include "input.h"
#include "netcdf_file.h"
#include "npy.h"
#include "spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is taken from a pipe at once. */
#define SPOOL_BYTES ((size_t)1 << 20)

/* First bytes of the files that libnetcdf reads. */
static const char *const netcdf_magics[] = {"CDF\001", "CDF\002", "CDF\005", "\211HDF\r\n\032\n"};

static bool netcdf_magic(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < sizeof netcdf_magics / sizeof netcdf_magics[0]; ++i) {
        const size_t size = strlen(netcdf_magics[i]);
        if (length >= size && memcmp(bytes, netcdf_magics[i], size) == 0)
            return true;
    }
    return false;
}

/* The file's part of INPUT, and its variable's: the shortest "path:" that names something that exists, so that both a
 * path and a variable may have colons. *variable is NULL for a path alone; owns the copy in *path. */
static bool split(const char *input, char **path, const char **variable, message *m) {
    struct stat ignored;
    *variable = NULL;
    *path = strdup(input);
    if (!*path)
        return complain(m, "%s: no memory", input);
    if (stat(input, &ignored) == 0)
        return true;
    const int why = errno;
    const char *last = strrchr(input, ':');
    for (char *colon = strchr(*path, ':'); colon; colon = strchr(colon + 1, ':')) {
        *colon = 0;
        if ((*path)[0] && stat(*path, &ignored) == 0) {
            *variable = input + (colon - *path) + 1;
            return true;
        }
        *colon = ':';
    }
    if (last)
        (*path)[last - input] = 0;
    return complain(m, "%s: %s, expected file.npy or file.nc:variable", *path, strerror(why));
}

/* A pipe cannot be read twice or from the middle: its bytes go into a file without a name. */
static bool spool(int *file, message *m) {
    char *bytes = malloc(SPOOL_BYTES);
    ssize_t got = -1, put = 0;
    *file = bytes ? spill_file() : -1;
    while (*file >= 0 && (got = read(STDIN_FILENO, bytes, SPOOL_BYTES)) != 0) {
        for (ssize_t done = 0; got > 0 && done < got && put >= 0; done += put > 0 ? put : 0)
            put = write(*file, bytes + done, (size_t)(got - done));
        if ((got < 0 && errno != EINTR) || put < 0)
            break;
    }
    free(bytes);
    return got == 0 ||
           complain(m, "-: standard input: cannot be %s: %s", *file < 0 || put < 0 ? "kept" : "read", strerror(errno));
}

static bool open_npy(int file, const char *path, const char *variable, reader *s, message *m) {
    if (variable)
        return complain(m, "%s: an .npy file, which has no variables, expected it without \":%s\"", path, variable);
    const int own = fcntl(file, F_DUPFD_CLOEXEC, 3);
    return own < 0 ? complain(m, "%s: %s", path, strerror(errno)) : npy_open(own, path, s, m);
}

static bool open_found(int file, const char *path, const char *variable, bool with_missing, reader *s,
                       struct stat *status, message *m) {
    uint8_t first[8] = {0};
    if (fstat(file, status) != 0)
        return complain(m, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status->st_mode))
        return complain(m, "%s: not a regular file, expected file.npy or file.nc:variable", path);
    ssize_t length = 0;
    do
        length = pread(file, first, sizeof first, 0);
    while (length < 0 && errno == EINTR);
    if (length < 0)
        return complain(m, "%s: cannot be read: %s", path, strerror(errno));
    if (npy_magic(first, (size_t)length))
        return open_npy(file, path, variable, s, m);
    if ((variable && *variable) || netcdf_magic(first, (size_t)length))
        return netcdf_open(path, variable, with_missing, s, m);
    if (length == 0)
        return complain(m, "%s: empty, expected an .npy or a NetCDF file", path);
    return complain(m,
                    "%s: begins with the bytes %02x %02x %02x %02x, expected an .npy file (93 4e 55 4d 50 59) or a "
                    "NetCDF file",
                    path, first[0], first[1], first[2], first[3]);
}

static bool open_standard_input(reader *s, struct stat *status, message *m) {
    int file = -1;
    if (fstat(STDIN_FILENO, status) == 0 && S_ISREG(status->st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0)
        return open_found(STDIN_FILENO, "-", NULL, false, s, status, m);
    const bool good = spool(&file, m) && open_found(file, "-", NULL, false, s, status, m);
    if (file >= 0)
        (void)close(file);
    return good;
}

bool input_open(const char *input, bool with_missing, reader *s, struct stat *status, message *m) {
    char *path = NULL;
    const char *variable = NULL;
    if (strcmp(input, "-") == 0)
        return open_standard_input(s, status, m);
    bool good = split(input, &path, &variable, m);
    if (good) {
        /* NONBLOCK: opening a FIFO would wait for its writer. */
        const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        good = file < 0 ? complain(m, "%s: cannot be opened: %s", path, strerror(errno))
                        : open_found(file, path, variable, with_missing, s, status, m);
        if (file >= 0)
            (void)close(file);
    }
    free(path);
    return good;
}

bool input_unchanged(const reader *s, const struct stat *status, message *m) {
    struct stat now;
    if (stat(s->path, &now) != 0 || now.st_dev != status->st_dev || now.st_ino != status->st_ino)
        return true;
    return (now.st_size == status->st_size && now.st_mtim.tv_sec == status->st_mtim.tv_sec &&
            now.st_mtim.tv_nsec == status->st_mtim.tv_nsec) ||
           complain(m, "%s: changed while it was read, expected a file that stays as it is", s->path);
}
