/* Kernels of the tests' own, to make and to check more data than the host should hold, and a way to give up. */
#ifndef ARGMAX_CL_TESTS_OWN_KERNELS_H
#define ARGMAX_CL_TESTS_OWN_KERNELS_H

#include "runner.h"

#include <stdio.h>
#include <stdlib.h>

/* For programs that cannot go on: print what failed, with the library's last message, and end with status 2. */
#define REQUIRE(what)                                                                                                  \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "%s:%d: %s failed; the library's last message: %s\n", __FILE__, __LINE__, #what,           \
                    argmax_cl_last_error());                                                                           \
            exit(2);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Compile a source; the kernels are taken from it by name. */
cl_program own_program(const runner *r, const char *source, const char *options);
cl_kernel own_kernel(cl_program program, const char *name);

/* Set the arguments from `first` on, each as { size, pointer }. */
typedef struct own_argument {
    size_t size;
    const void *value;
} own_argument;
#define OWN_ARGUMENT(variable) ((own_argument){sizeof(variable), &(variable)})
void own_arguments(cl_kernel kernel, cl_uint first, size_t count, const own_argument *arguments);

/* Enqueue on the runner's queue. */
void own_run(const runner *r, cl_kernel kernel, size_t items);

/* A buffer, NULL for no bytes. */
cl_mem own_buffer(const runner *r, cl_mem_flags flags, size_t bytes, const void *content);
void own_release(cl_mem buffer);

/* Seconds since some time in the past. */
double own_seconds(void);

#endif
