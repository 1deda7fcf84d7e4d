/* What lies below a folder, for tests of what a program touches. All functions fail the test when they cannot do it. */
#ifndef ARGMAX_CL_TESTS_SNAPSHOT_H
#define ARGMAX_CL_TESTS_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

typedef struct snapshot_entry {
    char *path; /* from the folder on */
    struct stat status;
    uint64_t content; /* hash of a file's bytes, of a link's target */
} snapshot_entry;

typedef struct snapshot {
    snapshot_entry *entries;
    size_t count;
} snapshot;

void snapshot_take(snapshot *s, const char *folder);
void snapshot_free(snapshot *s);

/* The same things are there with the same content, permissions, owners and times of change, but for the file `written`
 * (NULL: none), which is new or another one. The folder's own times may differ, and where something was written those
 * of folders in it and of other names of what it replaced. `label` names the case. */
void snapshot_expect(const snapshot *before, const snapshot *after, const char *label, const char *written);

#endif
