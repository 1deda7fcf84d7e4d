#include "snapshot.h"

#include <check.h>
#include <ftw.h>
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

static int by_path(const void *a, const void *b) {
    return strcmp(((const snapshot_entry *)a)->path, ((const snapshot_entry *)b)->path);
}

void snapshot_take(snapshot *s, const char *folder) {
    *s = (snapshot){NULL, 0};
    filling = s;
    ck_assert_int_eq(nftw(folder, add, 16, FTW_PHYS), 0);
    qsort(s->entries, s->count, sizeof *s->entries, by_path);
}

void snapshot_free(snapshot *s) {
    for (size_t i = 0; i < s->count; ++i)
        free(s->entries[i].path);
    free(s->entries);
}

static bool is_named(const snapshot_entry *e, const char *name) {
    return name && strncmp(e->path, "./", 2) == 0 && strcmp(e->path + 2, name) == 0;
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

void snapshot_expect(const snapshot *before, const snapshot *after, const char *label, const char *written) {
    bool seen = !written;
    for (size_t b = 0, a = 0; b < before->count || a < after->count;) {
        const snapshot_entry *const old = b < before->count ? &before->entries[b] : NULL;
        const snapshot_entry *const new = a < after->count ? &after->entries[a] : NULL;
        const int order = !old ? 1 : !new ? -1 : strcmp(old->path, new->path);
        const snapshot_entry *const any = order < 0 ? old : new;
        const bool named = is_named(any, written);
        ck_assert_msg(order >= 0, "%s: %s is gone", label, any->path);
        ck_assert_msg(order <= 0 || named, "%s: %s is new", label, any->path);
        ck_assert_msg(order != 0 || named || same(old, new, written != NULL), "%s: %s was changed", label, any->path);
        ck_assert_msg(!named ||
                          (S_ISREG(new->status.st_mode) && (order > 0 || old->status.st_ino != new->status.st_ino)),
                      "%s: %s is not a new file", label, any->path);
        seen = seen || named;
        b += order <= 0;
        a += order >= 0;
    }
    ck_assert_msg(seen, "%s: %s is not there", label, written);
}
