/* Memory between guard zones, so that every byte that changes shows. */
#ifndef ARGMAX_CL_TESTS_ARENA_H
#define ARGMAX_CL_TESTS_ARENA_H

#include "problem.h"

/* `bytes` bytes with a guard zone on each side. `buffer` has exactly those bytes, so that the library cannot see the
 * zones: a sub-buffer of `whole`, or host memory used in place. */
typedef struct arena {
    cl_mem whole, buffer;   /* NULL until uploaded; whole stays NULL for host memory, buffer without bytes */
    unsigned char *backing; /* the host memory in place */
    size_t bytes, guard;
    size_t shift;          /* bytes that host memory lies beyond all alignment */
    unsigned char *image;  /* what it was filled with, made into what it should become */
    unsigned char *actual; /* what it became */
} arena;

/* Host side. The content is undefined; false when there is no memory. Close it in any case. */
bool arena_open(arena *a, size_t bytes, size_t guard, size_t shift);
void arena_close(arena *a);

size_t arena_size(const arena *a); /* with both zones */
unsigned char *arena_inside(const arena *a, unsigned char *image);
/* Fill the image with varied bytes that never repeat with a power of two; or the zones alone with elements. */
void arena_fill(arena *a);
void arena_fill_guards(arena *a, const problem_dtype *type, uint64_t bits);

/* Device side. With `written` the transfer is not waited for, and *written is its event, or NULL. */
cl_int arena_upload(arena *a, cl_context context, cl_command_queue queue, cl_mem_flags flags, run_memory memory,
                    cl_event *written);
/* After the events. */
cl_int arena_download(arena *a, cl_command_queue queue, cl_uint count, const cl_event *list);

#endif
