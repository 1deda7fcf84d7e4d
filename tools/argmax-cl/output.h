/* Result files that appear all and whole, or not at all.
 *
 * Each is written beside its target under a temporary name; when all are complete and on disk they are renamed. SIGINT,
 * SIGTERM and SIGHUP remove the temporary files. */
#ifndef ARGMAX_CL_TOOL_OUTPUT_H
#define ARGMAX_CL_TOOL_OUTPUT_H

#include "array.h"

#include <sys/stat.h>

typedef struct output {
    const char *name; /* as the user gave it */
    char *target;     /* resolved; owned */
    char *temporary;  /* a place of cleanup.h; "" when it is gone */
    char *backup;     /* the same, for a second name of the file that the target replaced */
    int file;         /* -1: closed */
} output;

/* No output; close it without harm. */
#define OUTPUT_INIT {NULL, NULL, NULL, NULL, -1}

/* Whether two paths, which need not exist, are one file. */
bool output_same_target(const char *a, const char *b);

/* A file that is read, and must not be replaced. */
typedef struct output_source {
    const char *what; /* "the INPUT file" */
    const struct stat *status;
} output_source;

/* Resolve the path, refuse the sources and all that is not a regular file, and make the temporary file with room for
 * `bytes`, so that what cannot be written is known before anything is computed. */
bool output_open(output *out, const char *path, size_t count, const output_source *sources, uint64_t bytes, message *m);

/* Write all of it and close. */
bool output_write(output *out, const void *header, size_t header_bytes, const void *data, uint64_t bytes, message *m);

/* The same for a file that was written under its temporary name, out->temporary. */
bool output_finish(output *out, message *m);

/* Rename all outputs to their targets; when one fails, the others are as before. Entries that were never opened are
 * skipped. */
bool output_commit(output *outputs, size_t count, message *m);

/* Remove what is left of an output that was not committed, and free. */
void output_close(output *out);

#endif
