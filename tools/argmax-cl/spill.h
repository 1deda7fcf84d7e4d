/* Room for results: memory, or a file where they are larger than memory may be. */
#ifndef ARGMAX_CL_TOOL_SPILL_H
#define ARGMAX_CL_TOOL_SPILL_H

#include "message.h"

#include <stdint.h>

/* A place in a file; the file is the caller's. -1: in a file without a name, in $TMPDIR or /tmp. */
typedef struct spill_place {
    int file;
    uint64_t offset;
} spill_place;

#define SPILL_NOWHERE {-1, 0}

typedef struct spill {
    void *data;
    void *mapped; /* what of the file is in reach; NULL: memory, to be freed */
    uint64_t mapped_bytes;
} spill;

/* The name is for the message. */
bool spill_in_memory(spill *s, uint64_t bytes, const char *name, message *m);
/* The file gets the space it takes, so that a full disk is an error here and not a signal later. What is written to
 * s->data is in the file, at the place. */
bool spill_in_file(spill *s, uint64_t bytes, spill_place place, const char *name, message *m);

/* Leave it to the file: its memory is free until it is touched again. Does nothing to what is in memory. */
void spill_forget(const spill *s);

/* A zeroed one is fine. */
void spill_free(spill *s);

/* A file without a name in $TMPDIR, or /tmp. -1: errno says why. */
int spill_file(void);

#endif
