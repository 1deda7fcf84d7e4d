/* What stays on the device from one problem to the next: buffers, and the kernels that fill and compare them. */
#ifndef BENCH_SCRATCH_H
#define BENCH_SCRATCH_H

#include "device.h"
#include "problem.h"

typedef struct scratch_buffer {
    cl_mem memory; /* NULL: never wanted */
    void *host;    /* what a CPU device uses for it, on huge pages where the system has them; else NULL */
    size_t bytes;  /* at least as many as were asked for */
} scratch_buffer;

typedef struct scratch {
    const bench_device *device;
    scratch_buffer input, index, value, workspace;
    scratch_buffer mask, max_index, max_value;
    scratch_buffer other_index, other_value; /* of the naive kernel; the first also takes what the limit stores */
    cl_mem wrong;
    cl_kernel fill_random, fill_word, count_different;
    argmax_cl_dtype filled; /* what the input holds random data of, for so many bytes */
    size_t filled_bytes;
} scratch;

bool scratch_open(scratch *s, const bench_device *device);
void scratch_close(scratch *s);

/* Make the buffer hold so many bytes; what it held may be lost. */
bool scratch_reserve(scratch *s, scratch_buffer *buffer, size_t bytes);

/* Random data in the input for this problem. */
bool scratch_fill(scratch *s, const problem_line *p, size_t bytes);
/* CHECK_FILLER in every byte. */
bool scratch_spoil(const scratch *s, const scratch_buffer *buffer, size_t bytes);
/* Words of four bytes that differ, below 0 on failure. */
int64_t scratch_different(const scratch *s, const scratch_buffer *a, const scratch_buffer *b, size_t bytes);

#endif
