/* What the OpenCL layer of this folder offers to the program that it is loaded into.
 *
 * The layer sits between a program and OpenCL: the ICD loader takes it from the environment variable OPENCL_LAYERS. It
 * makes a chosen call fail, counts the objects that the program owns, and reports what the specification forbids and
 * implementations let pass. It knows the calls that the library and its tests make; the test layer_covers_library finds
 * one that is missing. A program gets at it with layer_open(). */
#ifndef ARGMAX_CL_TESTS_LAYERS_CONTROL_H
#define ARGMAX_CL_TESTS_LAYERS_CONTROL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifdef __APPLE__
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif
#include <stdbool.h>
#include <stdint.h>

typedef enum object_kind {
    OBJECT_CONTEXT,
    OBJECT_DEVICE, /* counted are retains less releases */
    OBJECT_QUEUE,
    OBJECT_MEMORY,
    OBJECT_PROGRAM,
    OBJECT_KERNEL,
    OBJECT_EVENT,
    OBJECT_USER_EVENT,
    OBJECT_KINDS
} object_kind;

/* Which call fails, and how. */
typedef struct fault_order {
    uint64_t nth;       /* counted from 1, from the order on; 0: none */
    cl_int code;        /* what it returns */
    const char *call;   /* calls of that name alone count; NULL: all */
    bool from_there_on; /* every later call fails, too: a device that is lost */
} fault_order;

/* What came of an order. A failing call does not reach OpenCL, but for releases, which do what they should and return
 * the code. It writes garbage where it would have put an answer or an event. */
typedef struct fault_report {
    uint64_t counted;    /* calls */
    uint64_t failed;     /* of them */
    const char *call;    /* the first that failed; NULL: none */
    uint64_t about;      /* what it asked for: the name of the info, the flags of the buffer; 0 otherwise */
    bool objects_denied; /* a creation failed for the limit of memory */
} fault_report;

typedef struct layer_control {
    void (*order)(const fault_order *order);
    /* Ends the order. */
    fault_report (*report)(void);

    /* Buffers of more bytes together than this fail as they would on a full device; UINT64_MAX: no limit. */
    void (*limit_memory)(uint64_t bytes);
    /* Devices, or kernels asked about work-groups, answer this question with that value from now on; NULL: as they do.
     * One answer at a time. */
    void (*pretend)(cl_uint question, const void *answer, size_t bytes);
    /* The n-th launch from now on, counted from 1, runs so many of its work-groups and no more, as if it were killed,
     * though OpenCL calls it complete. 0: none. */
    void (*cut_launch)(uint64_t nth, uint64_t groups);
    /* Whether that launch has come. */
    bool (*launch_was_cut)(void);

    /* Objects that the program has created or retained, and not yet released as often. */
    uint64_t (*alive)(object_kind kind);
    uint64_t (*created)(object_kind kind);
    uint64_t (*bytes)(void); /* of all buffers alive */
    const char *(*kind_name)(object_kind kind);
    /* Queues released for the last time while they had commands that nobody had waited for. */
    uint64_t (*left_busy)(void);
    /* What was wrong since the start, a sentence each; NULL after the last one that was kept. */
    uint64_t (*violations)(void);
    const char *(*violation)(uint64_t i);
} layer_control;

/* What is told of a clSetKernelArg that puts no memory object where there was one. */
#define ARGUMENT_FORGOTTEN UINT64_C(1024)

/* The log of a program whose build was made to fail. */
#define LAYER_BUILD_LOG "<source>:1:1: error: refused by the test layer"

#define LAYER_ENTRY "argmax_cl_test_layer"
typedef const layer_control *(*layer_entry)(void);

/* NULL, with a sentence in *why, where no layer was loaded. Call it after the first OpenCL call. */
const layer_control *layer_open(const char **why);

#endif
