/* Blocks of a source, read ahead by a thread of its own: one is read while another is computed on. */
#ifndef ARGMAX_CL_TOOL_STREAM_H
#define ARGMAX_CL_TOOL_STREAM_H

#include "blocks.h"

typedef struct stream stream;

/* A block in memory. It stays until the next call of stream_next. */
typedef struct block {
    box where;
    bool first, last;        /* of its tile */
    void *data;              /* page-aligned */
    uint8_t *mask;           /* NULL: the source's rule makes nothing missing */
    uint64_t count, missing; /* elements; of them missing */
} block;

/* Source and plan must outlive the stream. NULL with a message when memory or threads are short. */
stream *stream_open(reader *s, const blocks *plan, message *m);

/* The next block; NULL with a message when it cannot be read. Ask for no more blocks than the plan has. */
block *stream_next(stream *t, message *m);

/* Waits for a read that is under way. NULL does nothing. */
void stream_close(stream *t);

#endif
