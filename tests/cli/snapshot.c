#include "snapshot.h"

#include <check.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static snapshot *filling; /* nftw hands no argument on */

static uint64_t hash(uint64_t h, const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; ++i)
        h = (h ^ bytes[i]) * 0x100000001B3u;
    return h;
}

static uint64_t content_of(const char *path, const struct stat *status) {
    unsigned char block[4096];
    uint64_t h = 0xCBF29CE484222325u;
    if (S_ISLNK(status->st_mode)) {
        const ssize_t length = readlink(path, (char *)block, sizeof block);
        return hash(h, block, length > 0 ? (size_t)length : 0);
    }
    FILE *const file = S_ISREG(status->st_mode) ? fopen(path, "rb") : NULL;
    for (size_t count; file && (count = fread(block, 1, sizeof block, file)) > 0;)
        h = hash(h, block, count);
    if (file)
        (void)fclose(file);
    return h;
}

static int add(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)type;
    (void)place;
    snapshot_entry *const grown = realloc(filling->entries, (filling->count + 1) * sizeof *grown);
    ck_assert_ptr_nonnull(grown);
    filling->entries = grown;
    grown[filling->count++] = (snapshot_entry){strdup(path), *status, content_of(path, status)};
    return 0;
}

void snapshot_take(snapshot *s, const char *folder) {
    *s = (snapshot){NULL, 0};
    filling = s;
    ck_assert_int_eq(nftw(folder, add, 16, FTW_PHYS), 0);
    ck_assert_ptr_nonnull(s->entries);
}

void snapshot_free(snapshot *s) {
    for (size_t i = 0; i < s->count; ++i)
        free(s->entries[i].path);
    free(s->entries);
}

static const snapshot_entry *find(const snapshot *s, const char *path) {
    for (size_t i = 0; i < s->count; ++i)
        if (strcmp(s->entries[i].path, path) == 0)
            return &s->entries[i];
    return NULL;
}

static bool same_time(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* A file that another name of was replaced has one name less, and a later time of change. */
static bool same(const snapshot_entry *a, const snapshot_entry *b, bool written) {
    const struct stat *const x = &a->status, *const y = &b->status;
    return a->content == b->content && x->st_ino == y->st_ino && x->st_mode == y->st_mode && x->st_uid == y->st_uid &&
           x->st_gid == y->st_gid &&
           (S_ISDIR(x->st_mode) ? written || strcmp(a->path, ".") == 0 || same_time(&x->st_mtim, &y->st_mtim)
                                : same_time(&x->st_mtim, &y->st_mtim) && x->st_size == y->st_size &&
                                      (written || same_time(&x->st_ctim, &y->st_ctim)));
}

static void expect_written(const snapshot *before, const snapshot *after, const char *label, const char *path) {
    const snapshot_entry *const old = find(before, path), *const new = find(after, path);
    ck_assert_msg(new != NULL, "%s: %s is not there", label, path);
    if (new)
        ck_assert_msg(S_ISREG(new->status.st_mode) && !(old && old->status.st_ino == new->status.st_ino),
                      "%s: %s is not a new file", label, path);
}

void snapshot_expect(const snapshot *before, const snapshot *after, const char *label, const char *written) {
    char path[PATH_MAX] = "";
    if (written) {
        (void)snprintf(path, sizeof path, "./%s", written);
        expect_written(before, after, label, path);
    }
    for (size_t i = 0; i < before->count; ++i) {
        const snapshot_entry *const old = &before->entries[i], *const new = find(after, old->path);
        ck_assert_msg(new != NULL, "%s: %s is gone", label, old->path);
        ck_assert_msg(strcmp(old->path, path) == 0 || (new &&same(old, new, written != NULL)), "%s: %s was changed",
                      label, old->path);
    }
    for (size_t i = 0; i < after->count; ++i) {
        const char *const name = after->entries[i].path;
        ck_assert_msg(strcmp(name, path) == 0 || find(before, name) != NULL, "%s: %s is new", label, name);
    }
}
