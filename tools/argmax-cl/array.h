/* What an array is: type, shape, names and coordinates, without its elements. */
#ifndef ARGMAX_CL_TOOL_ARRAY_H
#define ARGMAX_CL_TOOL_ARRAY_H

#include "coordinate.h"
#include "message.h"
#include "packing.h"

#include <argmax_cl/argmax_cl.h>

#include <stdbool.h>
#include <stdint.h>

/* Room for every shape as text, "(1, 2, 3)". */
#define SHAPE_TEXT 200

typedef struct array {
    argmax_cl_dtype dtype; /* as stored, which is also as compared */
    bool boolean;          /* b1: compared as uint8, written as b1 */
    bool fortran_order;    /* the first axis is the contiguous one */
    uint32_t rank;         /* 1..8 */
    uint64_t sizes[ARGMAX_CL_MAX_RANK];
    uint64_t count, bytes;
    char *variable;                            /* owned; NULL: the file has no variables */
    char *dimension_names[ARGMAX_CL_MAX_RANK]; /* owned; NULL: no name */
    coordinate axes[ARGMAX_CL_MAX_RANK];       /* owned; without values: none in the file */
    packing packing;                           /* how stored numbers are meant */
    char units[64];                            /* of the values meant; "": unknown */
    char notes[1024];                          /* what the reader wants said about the data; lines that end in \n */
} array;

/* Rank 1 to 8 and sizes whose bytes fit the address space: fills count and bytes. The name is for the message. */
bool array_measure(array *a, const char *name, message *m);

/* Frees what the array owns; a zeroed array is fine. */
void array_free(array *a);

/* "float32", or "bool" for b1. */
const char *array_type_name(const array *a);

/* Page-aligned memory for so many bytes, to be freed with free(); the name is for the message. */
void *page_memory(uint64_t bytes, const char *name, message *m);

/* The shape as Python writes it: (), (5,), (2, 3). */
void format_shape(char text[SHAPE_TEXT], uint32_t rank, const uint64_t *sizes);

#endif
