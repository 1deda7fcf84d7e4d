/* INPUT, whatever kind of file it names, read block by block. */
#ifndef ARGMAX_CL_TOOL_READER_H
#define ARGMAX_CL_TOOL_READER_H

#include "array.h"
#include "missing.h"

/* A block of an array: where it begins and how far it goes on each axis. */
typedef struct box {
    uint64_t start[ARGMAX_CL_MAX_RANK], size[ARGMAX_CL_MAX_RANK];
} box;

typedef struct reader {
    array a;
    missing_rule missing;
    uint64_t chunk[ARGMAX_CL_MAX_RANK]; /* blocks that are multiples of it read nothing twice; 1: any block is fine */
    /* Fill data with the box's elements, packed, in the array's order of axes and this machine's byte order. One thread
     * at a time. */
    bool (*read)(struct reader *s, const box *b, void *data, message *m);
    void (*close)(struct reader *s); /* NULL: not open */
    int file;                        /* a descriptor, or libnetcdf's number of the file or group */
    int variable;
    uint64_t offset; /* of the first element in the file */
    bool swapped;    /* elements are in the other byte order */
    char *name;      /* for messages; owned */
    char *path;      /* of the file; owned */
} reader;

/* All of the array. */
box box_whole(const array *a);
uint64_t box_count(const box *b, uint32_t rank);

/* Closes and frees; a zeroed source is fine. */
void reader_close(reader *s);

#endif
