/* A problem on a handle of its own, for tests on the tests' own OpenCL. Handles ask a device for its habits once, so
 * each test has its handles to itself. Every function fails the test that uses it when OpenCL fails. */
#ifndef ARGMAX_CL_TESTS_SCENE_H
#define ARGMAX_CL_TESTS_SCENE_H

#include "stub.h" /* before Check, which has a macro `fail` */

#include "job.h"

/* Problems of one stage and of two, by rows and by columns. */
#define LINES ((size_t)5)
extern const char *const lines[LINES];

/* By plan or by call, with or without values. */
typedef struct scene {
    job j;
    argmax_cl_handle handle;
    argmax_cl_plan plan; /* NULL: by call */
    cl_mem workspace;
} scene;

argmax_cl_handle open_handle(void);
void open_scene(scene *s, const char *line, argmax_cl_handle handle, bool by_plan);
void close_scene(scene *s);

argmax_cl_status enqueue(const scene *s, cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event);
/* The status of an operation that is done; releases its event. */
cl_int outcome(cl_event event);
/* The outcome of an operation that waits for nothing. */
cl_int enqueue_and_wait(const scene *s, cl_command_queue queue);
/* Fails the test unless the operation ends well and with the right answer. */
void expect_right(const scene *s, cl_command_queue queue, const char *when);

#endif
