/* One call of check_queue and check_enqueue, and what it names: objects of two contexts of one device. Nothing is
 * enqueued. Every function fails the test that uses it when OpenCL fails. */
#ifndef ARGMAX_CL_TESTS_ENQUEUE_CALL_H
#define ARGMAX_CL_TESTS_ENQUEUE_CALL_H

#include "internal.h"
#include "unit.h"

enum { ROWS = 4, COLUMNS = 6, INPUT_BYTES = ROWS * COLUMNS * 4, INDEX_BYTES = ROWS * 8, VALUE_BYTES = ROWS * 4 };
enum { WORKSPACE_BYTES = 100 };

/* What fixtures make and release. */
typedef struct given_objects {
    cl_device_id device;
    cl_context context, other_context;
    cl_command_queue queue, other_queue;
    cl_mem input, index, value, workspace; /* just large enough for a good call */
    cl_mem other_buffer;                   /* of the other context */
} given_objects;
extern given_objects given;

void open_given(void);
void close_given(void);

typedef struct call {
    problem p;
    cl_command_queue queue;
    argmax_cl_buffers buffers;
    cl_mem workspace;
    size_t workspace_bytes;
    cl_uint wait_count;
    const cl_event *wait_list;
} call;

/* A buffer of the context, and a part of one: it may start at each multiple of part_alignment, of 256 bytes or more. */
cl_mem buffer(cl_mem_flags flags, size_t bytes, void *host);
cl_mem part(cl_mem parent, cl_mem_flags flags, size_t origin, size_t bytes);
size_t part_alignment(void);

argmax_cl_tensor tensor(argmax_cl_dtype dtype, const uint64_t *sizes, uint64_t offset);
/* Over axis 1; it must be a good one. */
problem checked(const argmax_cl_tensor *in, const argmax_cl_tensor *index, const argmax_cl_tensor *values);
/* Packed float32 (4, 6) over axis 1 with int64 indices and values, at these offsets. */
problem problem_at(uint64_t in_offset, uint64_t index_offset, uint64_t value_offset);

/* The given objects, and nothing to wait for. */
call good_call(void);
/* With an input that kernels read in vectors of so many elements. */
argmax_cl_status check(const call *c, uint32_t input_vector);
/* Read by elements, as expect_status of unit.h. */
void expect(const char *label, const call *c, argmax_cl_status status, const char *parts);

#define ACCEPTED ARGMAX_CL_SUCCESS, NULL

#endif
