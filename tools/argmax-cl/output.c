#include "output.h"
#include "cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The absolute path of a file that need not exist, in a folder that must; symbolic links are followed. NULL: errno. */
static char *resolve(const char *path) {
    struct stat link;
    char *resolved = realpath(path, NULL);
    if (resolved || errno != ENOENT || lstat(path, &link) == 0)
        return resolved;
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char *real_folder = folder ? realpath(folder, NULL) : NULL;
    if (real_folder && *base) {
        const size_t size = strlen(real_folder) + strlen(base) + 2;
        resolved = malloc(size);
        if (resolved) {
            *resolved = 0;
            append(resolved, size, "%s%s%s", real_folder, real_folder[1] ? "/" : "", base);
        }
    }
    free(real_folder);
    free(folder);
    return resolved;
}

static bool same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool output_same_target(const char *a, const char *b) {
    struct stat status_a, status_b;
    char *path_a = resolve(a), *path_b = resolve(b);
    const bool same = strcmp(a, b) == 0 || (path_a && path_b && strcmp(path_a, path_b) == 0) ||
                      (stat(a, &status_a) == 0 && stat(b, &status_b) == 0 && same_file(&status_a, &status_b));
    free(path_a);
    free(path_b);
    return same;
}

/* Refuse a target that exists and must not be replaced; *mode gets the permissions that the new file shall have. */
static bool check_target(const output *out, size_t count, const output_source *sources, mode_t *mode, message *m) {
    struct stat status;
    if (stat(out->target, &status) != 0) {
        const mode_t mask = umask(0);
        (void)umask(mask);
        *mode = 0666 & ~mask;
        return errno == ENOENT || complain(m, "%s: cannot be written: %s", out->name, strerror(errno));
    }
    *mode = status.st_mode & 0777;
    if (S_ISDIR(status.st_mode))
        return complain(m, "%s: a folder, expected a file to write", out->name);
    if (!S_ISREG(status.st_mode))
        return complain(m, "%s: a device or a pipe, expected a regular file: it is replaced when all is done",
                        out->name);
    for (size_t i = 0; i < count; ++i)
        if (same_file(&status, sources[i].status))
            return complain(m, "%s: %s, expected another one to write", out->name, sources[i].what);
    if (access(out->target, W_OK) != 0)
        return complain(m, "%s: cannot be written: %s", out->name, strerror(errno));
    return true;
}

/* A hidden name beside the target, with Xs for mkstemp; NULL when the path would be too long. */
static char *name_beside(const char *target) {
    const char *base = strrchr(target, '/') + 1;
    char *place = strlen(target) + 18 < PATH_MAX ? cleanup_place() : NULL;
    if (place)
        /* Not the target's own name: with it, a name at the file system's limit could not be written. */
        append(place, PATH_MAX, "%.*s.argmax-cl.XXXXXX", (int)(base - target), target);
    return place;
}

static bool make_temporary(output *out, mode_t mode, message *m) {
    cleanup_hold(true);
    char *place = name_beside(out->target);
    out->file = place ? mkstemp(place) : -1;
    out->temporary = place;
    if (place && out->file < 0)
        *place = 0;
    cleanup_hold(false);
    if (out->file < 0)
        return complain(m, "%s: cannot be written: %s", out->name, strerror(place ? errno : ENAMETOOLONG));
    (void)fcntl(out->file, F_SETFD, FD_CLOEXEC);
    (void)fchmod(out->file, mode); /* a file system without permissions refuses, and needs none */
    return true;
}

bool output_open(output *out, const char *path, size_t count, const output_source *sources, uint64_t bytes,
                 message *m) {
    mode_t mode = 0;
    out->name = path;
    out->target = resolve(path);
    if (!out->target)
        return complain(m, "%s: cannot be written: %s", path, strerror(errno));
    if (!check_target(out, count, sources, &mode, m) || !make_temporary(out, mode, m))
        return false;
        /* Not every file system can promise space: then the write itself will tell. */
#ifdef __APPLE__ /* has no posix_fallocate */
    const int code = 0;
    (void)bytes;
#else
    const int code = posix_fallocate(out->file, 0, (off_t)bytes);
#endif
    return (code != ENOSPC && code != EFBIG && code != EDQUOT) ||
           complain(m, "%s: cannot be written: %s", path, strerror(code));
}

static bool write_fully(int file, const void *bytes, uint64_t size) {
    const uint64_t largest = (uint64_t)1 << 30; /* some systems refuse 2 GiB and more at once */
    for (uint64_t done = 0; done < size;) {
        const uint64_t ask = size - done < largest ? size - done : largest;
        const ssize_t put = write(file, (const char *)bytes + done, (size_t)ask);
        if (put < 0 && errno != EINTR)
            return false;
        done += put > 0 ? (uint64_t)put : 0;
    }
    return true;
}

bool output_write(output *out, const void *header, size_t header_bytes, const void *data, uint64_t bytes, message *m) {
    const bool written =
        write_fully(out->file, header, header_bytes) && write_fully(out->file, data, bytes) && fsync(out->file) == 0;
    const int why = errno;
    const bool closed = close(out->file) == 0;
    out->file = -1;
    return (written && closed) || complain(m, "%s: cannot be written: %s", out->name, strerror(written ? errno : why));
}

bool output_finish(output *out, message *m) {
    return output_write(out, "", 0, "", 0, m);
}

/* A second name for the file that the target is now, so that it can come back when a later rename fails. */
static bool back_up(output *out) {
    struct stat status;
    if (lstat(out->target, &status) != 0)
        return errno == ENOENT;
    if (!S_ISREG(status.st_mode)) {
        errno = EISDIR; /* it was checked before: something else was put there meanwhile */
        return false;
    }
    char *place = name_beside(out->target);
    if (!place)
        return false;
    const int file = mkstemp(place);
    if (file >= 0)
        (void)close(file);
    out->backup = place;
    /* A link leaves the target in place; where links are unknown, the target is away until the new one is there. */
    return file >= 0 && unlink(place) == 0 && (link(out->target, place) == 0 || rename(out->target, place) == 0);
}

static void forget(char *place) {
    if (place && *place) {
        (void)unlink(place);
        *place = 0;
    }
}

static void put_back(output *out, bool renamed) {
    if (out->backup && *out->backup) {
        (void)rename(out->backup, out->target);
        forget(out->backup);
    } else if (renamed) {
        (void)unlink(out->target);
    }
}

static void sync_folder(const char *target) {
    char folder[PATH_MAX] = "";
    append(folder, sizeof folder, "%.*s", (int)(strrchr(target, '/') + 1 - target), target);
    const int file = open(folder, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        (void)fsync(file);
        (void)close(file);
    }
}

bool output_commit(output *outputs, size_t count, message *m) {
    size_t done = 0;
    bool good = true;
    cleanup_hold(true);
    for (; done < count && good; ++done) {
        output *out = &outputs[done];
        if (out->target)
            good = ((done + 1 == count || back_up(out)) && rename(out->temporary, out->target) == 0) ||
                   complain(m, "%s: cannot be written: %s", out->name, strerror(errno));
    }
    for (size_t i = 0; i < done; ++i) {
        output *out = &outputs[i];
        if (!out->target)
            continue;
        if (!good) {
            put_back(out, i + 1 < done);
        } else {
            forget(out->backup);
            *out->temporary = 0;
            sync_folder(out->target);
        }
    }
    cleanup_hold(false);
    return good;
}

void output_close(output *out) {
    if (out->file >= 0)
        (void)close(out->file);
    cleanup_hold(true);
    forget(out->temporary);
    cleanup_hold(false);
    free(out->target);
    *out = (output)OUTPUT_INIT;
}
