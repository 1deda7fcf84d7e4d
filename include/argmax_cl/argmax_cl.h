/* argmax_cl: where the largest or the smallest element lies, along any axes of a tensor, on any OpenCL device.
 *
 * For each output element the operator looks at the input elements that share its position on the kept axes, and
 * writes the index of the largest (argmax) or smallest (argmin) one.
 *
 *   Shape      output rank = input rank; output size = 1 on a reduced axis, the input's size on every other.
 *   Index      position in the row-major flattening of the reduced axes alone, taken in ascending axis order, whatever
 *              the order of the axis list and whatever the strides.
 *   Ties       INCREASING: the lowest index among equal extrema; DECREASING: the highest.
 *   Order      integers as usual; -0 equals +0; denormals are distinct values on every device; infinities are values.
 *   NaN        PROPAGATE: a NaN beats every number, in argmax and in argmin; among NaNs the direction decides.
 *              IGNORE: NaNs never win; a slice of NaNs alone has no winner.
 *   Mask       optional uint8 tensor: elements whose mask is 0 never win; a slice with none left has no winner.
 *   No winner  index: all bits set (-1); value: 0x7E00, bfloat16 0x7FC0, 0x7FC00000, 0x7FF8000000000000; integers: 0.
 *   Value      optional second output of the input's dtype: the bits of the winning element, unchanged.
 *   Both       argminmax gives the smallest and the largest, each with outputs and a direction of its own.
 *
 * The result depends on the input alone: the same bits on every device, strategy, work-group size and run.
 *
 * Three ways to call, from simple to explicit:
 *   argmax_cl_host   arrays in host memory; the transfers are hidden.
 *   argmax_cl        OpenCL buffers and a queue of yours; plans and workspace are kept by the handle.
 *   argmax_cl_plan_* decide once, execute often, with a workspace that you own.
 * Beside them argmax_cl_partials_* give answers of blocks, which merge: for tensors in pieces, wherever these are.
 *
 * Units: sizes, strides and offsets are in elements; workspace sizes are in bytes.
 *
 * Errors: each function that can fail returns an argmax_cl_status. A call refused by its checks changes nothing and
 * enqueues nothing. argmax_cl_last_error() then tells which argument, what it was and what was expected. The library
 * never prints, exits or aborts.
 *
 * Threads: any number of threads may use one handle, and one plan, at the same time. Two enqueues that may run at the
 * same time need two workspaces. Destroy an object when no other thread uses it.
 *
 * Objects: a plan keeps its handle alive, a handle its context and device; neither keeps a queue or a buffer. They,
 * queue, context, workspace and event may be given up in any order, also while what was enqueued waits or runs, or
 * never. Destroying NULL does nothing. OpenCL objects do not survive fork(): in a forked child every call that needs
 * OpenCL returns ARGMAX_CL_ERROR_FORKED.
 */
#ifndef ARGMAX_CL_ARGMAX_CL_H
#define ARGMAX_CL_ARGMAX_CL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifdef __APPLE__
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(ARGMAX_CL_SHARED)
#ifdef ARGMAX_CL_BUILDING
#define ARGMAX_CL_API __declspec(dllexport)
#else
#define ARGMAX_CL_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define ARGMAX_CL_API __attribute__((visibility("default")))
#else
#define ARGMAX_CL_API
#endif

#define ARGMAX_CL_VERSION_MAJOR 0
#define ARGMAX_CL_VERSION_MINOR 1
#define ARGMAX_CL_VERSION_PATCH 0

/* Largest rank of a tensor. */
#define ARGMAX_CL_MAX_RANK 8

/* ---- Status ------------------------------------------------------------------------------------------------- */

/* Values are pinned: they never change and are never reused. */
typedef enum argmax_cl_status {
    ARGMAX_CL_SUCCESS = 0,
    ARGMAX_CL_ERROR_INVALID_ARGUMENT = 1, /* a NULL that must not be, an unknown enumerator, a wrong struct_size */
    ARGMAX_CL_ERROR_INVALID_DTYPE = 2,    /* a dtype that is unknown or not allowed for this tensor */
    ARGMAX_CL_ERROR_INVALID_RANK = 3,     /* rank outside 1..8, or an output's rank that is not the input's */
    ARGMAX_CL_ERROR_INVALID_SIZE = 4,     /* an output size that does not follow from the input and the axes */
    ARGMAX_CL_ERROR_INVALID_AXES = 5,     /* no axis, an axis out of range, an axis given twice */
    ARGMAX_CL_ERROR_INVALID_STRIDES = 6,  /* two elements of an output could share an address */
    ARGMAX_CL_ERROR_EMPTY_REDUCTION = 7,  /* nothing to take the extremum of: a reduced axis of size 0 */
    ARGMAX_CL_ERROR_INDEX_RANGE = 8,      /* the index type cannot hold every index (or "no winner") */
    ARGMAX_CL_ERROR_OVERFLOW = 9,         /* a product of sizes, or an address, beyond 2^63-1 */
    ARGMAX_CL_ERROR_INVALID_BUFFER = 10,  /* a missing buffer, one of another context, or one with wrong access flags */
    ARGMAX_CL_ERROR_BUFFER_TOO_SMALL = 11,   /* a tensor addresses elements outside its buffer */
    ARGMAX_CL_ERROR_BUFFER_OVERLAP = 12,     /* an output shares memory with another tensor or with the workspace */
    ARGMAX_CL_ERROR_INVALID_WORKSPACE = 13,  /* the workspace is missing, too small, or not usable */
    ARGMAX_CL_ERROR_INVALID_QUEUE = 14,      /* no queue, or one of another context or device */
    ARGMAX_CL_ERROR_INVALID_WAIT_LIST = 15,  /* a NULL event, an event of another context, a count without a list */
    ARGMAX_CL_ERROR_INVALID_STRATEGY = 16,   /* a forced strategy or tuning row that is unknown or does not apply */
    ARGMAX_CL_ERROR_NO_DEVICE = 17,          /* no OpenCL device, or none that the selector names */
    ARGMAX_CL_ERROR_DEVICE_LIMIT = 18,       /* the device cannot hold or run it; the message names the limit */
    ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY = 19, /* malloc failed */
    ARGMAX_CL_ERROR_OPENCL = 20,             /* an OpenCL call failed: see argmax_cl_last_opencl_error */
    ARGMAX_CL_ERROR_BUILD = 21,              /* a kernel did not compile; the message holds the compiler's log */
    ARGMAX_CL_ERROR_KERNEL_SOURCE = 22,      /* a file of the folder named by ARGMAX_CL_KERNELS could not be read */
    ARGMAX_CL_ERROR_FORKED = 23,             /* the process was forked after OpenCL was first used */
    ARGMAX_CL_ERROR_INVALID_TUNING = 24,     /* a tuning file cannot be read, or has a line that is wrong */
    ARGMAX_CL_ERROR_INVALID_BLOCK = 25,      /* a block that does not lie within its tensor */
    ARGMAX_CL_ERROR_MEMORY_LIMIT = 26,       /* the memory limit cannot hold even the smallest block */
    ARGMAX_CL_ERROR_CANCELLED = 27           /* the caller's cancel flag was set */
} argmax_cl_status;

/* One sentence for a status; never NULL, static storage. */
ARGMAX_CL_API const char *argmax_cl_status_string(argmax_cl_status status);

/* What went wrong in the calling thread's last call that failed: the argument, its value, what was expected. Never
 * NULL; "" before the first failure. Valid until the thread's next call into the library. */
ARGMAX_CL_API const char *argmax_cl_last_error(void);

/* The code of the OpenCL call behind the calling thread's last failure, CL_SUCCESS when it was none. The name of that
 * call is in the message. */
ARGMAX_CL_API cl_int argmax_cl_last_opencl_error(void);

/* The library's version, "major.minor.patch"; static storage. */
ARGMAX_CL_API const char *argmax_cl_version(void);

/* ---- What to compute ---------------------------------------------------------------------------------------- */

typedef enum argmax_cl_dtype {
    ARGMAX_CL_FLOAT32 = 1,
    ARGMAX_CL_FLOAT16 = 2, /* IEEE binary16 */
    ARGMAX_CL_FLOAT64 = 3,
    ARGMAX_CL_BFLOAT16 = 4,
    ARGMAX_CL_INT8 = 5,
    ARGMAX_CL_INT16 = 6,
    ARGMAX_CL_INT32 = 7,
    ARGMAX_CL_INT64 = 8,
    ARGMAX_CL_UINT8 = 9,
    ARGMAX_CL_UINT16 = 10,
    ARGMAX_CL_UINT32 = 11,
    ARGMAX_CL_UINT64 = 12
} argmax_cl_dtype;

/* Bytes of one element, 0 for an unknown dtype; and its name ("float32"), NULL for an unknown one. */
ARGMAX_CL_API size_t argmax_cl_dtype_size(argmax_cl_dtype dtype);
ARGMAX_CL_API const char *argmax_cl_dtype_name(argmax_cl_dtype dtype);

typedef enum argmax_cl_operator {
    ARGMAX_CL_ARGMAX = 0,
    ARGMAX_CL_ARGMIN = 1,
    ARGMAX_CL_ARGMINMAX = 2 /* both from one read of the input */
} argmax_cl_operator;

typedef enum argmax_cl_direction {
    ARGMAX_CL_INCREASING = 0, /* the first of equal extrema */
    ARGMAX_CL_DECREASING = 1  /* the last of equal extrema */
} argmax_cl_direction;

typedef enum argmax_cl_nan_mode { ARGMAX_CL_NAN_PROPAGATE = 0, ARGMAX_CL_NAN_IGNORE = 1 } argmax_cl_nan_mode;

/* A tensor's place in its buffer. The element at position (p0, p1, ...) is element
 * offset + p0*strides[0] + p1*strides[1] + ... of the buffer.
 * The arrays are read during the call alone; they stay the caller's. */
typedef struct argmax_cl_tensor {
    size_t struct_size; /* sizeof(argmax_cl_tensor); INIT sets it */
    argmax_cl_dtype dtype;
    uint32_t rank;          /* 1..8; 0 with sizes NULL in an output: rank and shape follow from the input */
    const uint64_t *sizes;  /* rank elements */
    const int64_t *strides; /* rank elements; NULL: packed row-major. Input: any sign, zero and overlaps allowed.
                               Output: sorted by |stride|, each must exceed the extent of the smaller ones */
    uint64_t offset;        /* elements from the buffer's start to position 0 on every axis */
} argmax_cl_tensor;

/* What to reduce and how. Zero is the default of every optional field; fields are only ever appended. */
typedef struct argmax_cl_desc {
    size_t struct_size;            /* sizeof(argmax_cl_desc); INIT sets it */
    const argmax_cl_tensor *input; /* any dtype */
    const argmax_cl_tensor *index; /* INT64, INT32, UINT64 or UINT32 */
    const argmax_cl_tensor *value; /* optional, the input's dtype; NULL: no value output */
    uint32_t axis_count;           /* 1..rank */
    const uint32_t *axes;          /* axis_count different axes in 0..rank-1, in any order */
    argmax_cl_direction axis_direction;
    argmax_cl_nan_mode nan_mode;  /* no effect on integers */
    const char *strategy;         /* NULL: chosen for the shape, or by the environment variable ARGMAX_CL_STRATEGY.
                                     A name forces that one, or the plan is refused */
    const char *tuning;           /* NULL: the tuning row of the device's class, with the changes of the user's tuning
                                     file, or of the one that the environment variable ARGMAX_CL_TUNING names. A name
                                     forces that row as it is built in: "cpu", "cpu-amd", "cpu-intel", "gpu",
                                     "gpu-intel" */
    const argmax_cl_tensor *mask; /* optional, UINT8, the input's shape (rank 0 with sizes NULL: it follows); strides as
                                     the input's, 0 broadcasts. Elements whose mask is 0 never win, in any mode, and a
                                     NaN among them does not propagate; a slice with none left has no winner. NULL: all
                                     elements count */
    const argmax_cl_tensor *max_index; /* ARGMINMAX: the maximum's; index, value and axis_direction are the minimum's.
                                          For other operators these three are NULL, NULL and 0 */
    const argmax_cl_tensor *max_value; /* optional */
    argmax_cl_direction max_direction;
} argmax_cl_desc;

#define ARGMAX_CL_TENSOR_INIT {sizeof(argmax_cl_tensor), (argmax_cl_dtype)0, 0, NULL, NULL, 0}
#define ARGMAX_CL_DESC_INIT                                                                                            \
    {sizeof(argmax_cl_desc),  NULL, NULL, NULL, 0,    NULL, ARGMAX_CL_INCREASING,                                      \
     ARGMAX_CL_NAN_PROPAGATE, NULL, NULL, NULL, NULL, NULL, ARGMAX_CL_INCREASING}

/* The same as the INIT macros, for languages without macros. NULL does nothing. */
ARGMAX_CL_API void argmax_cl_tensor_init(argmax_cl_tensor *tensor);
ARGMAX_CL_API void argmax_cl_desc_init(argmax_cl_desc *desc);

/* Coordinates of an index: coordinates[i] in 0..sizes[i]-1 with row-major weights, for `count` axes. For an index that
 * argmax_cl gave, pass the sizes of the reduced axes in ascending axis order. Refused when index is not below the
 * product of the sizes (so for "no winner" too); coordinates are then unchanged. */
ARGMAX_CL_API argmax_cl_status argmax_cl_unravel(uint64_t index, uint32_t count, const uint64_t *sizes,
                                                 uint64_t *coordinates);

/* ---- Handle ------------------------------------------------------------------------------------------------- */

/* One OpenCL context and device, with the programs compiled and the plans made for them. */
typedef struct argmax_cl_handle_s *argmax_cl_handle;

/* A handle for one device of a context of the caller's, or a sub-device of one; both are retained. *handle is NULL on
 * failure. */
ARGMAX_CL_API argmax_cl_status argmax_cl_create(argmax_cl_handle *handle, cl_context context, cl_device_id device);

/* A handle with a context of its own. The selector is a decimal index into argmax_cl_list_devices, or a part of the
 * device's or platform's name (letter case does not count; the first match is taken); NULL or "" takes the device
 * thought fastest: GPUs before others, then by compute units times clock. */
ARGMAX_CL_API argmax_cl_status argmax_cl_create_default(argmax_cl_handle *handle, const char *selector);

/* Frees the handle and its cached plans and programs. Plans of plan_create stay usable. */
ARGMAX_CL_API void argmax_cl_destroy(argmax_cl_handle handle);

/* The handle's context and device; not retained for the caller. Either pointer may be NULL. */
ARGMAX_CL_API argmax_cl_status argmax_cl_get_device(argmax_cl_handle handle, cl_context *context, cl_device_id *device);

/* All OpenCL devices in the selector's order. Writes up to `capacity` of them to devices (NULL when capacity is 0)
 * and their number to *count. No device is no error: *count is 0. */
ARGMAX_CL_API argmax_cl_status argmax_cl_list_devices(uint32_t capacity, cl_device_id *devices, uint32_t *count);

/* ---- One call on device buffers ----------------------------------------------------------------------------- */

/* The OpenCL buffers behind a descriptor's tensors. A buffer may be NULL for a tensor without elements. */
typedef struct argmax_cl_buffers {
    size_t struct_size; /* sizeof(argmax_cl_buffers); INIT sets it */
    cl_mem input;       /* read only; not CL_MEM_WRITE_ONLY */
    cl_mem index;       /* written; not CL_MEM_READ_ONLY */
    cl_mem value;       /* written; NULL when the descriptor has no value tensor */
    cl_mem mask;        /* read only; may be the input's buffer. These three: NULL without such a tensor */
    cl_mem max_index;   /* written */
    cl_mem max_value;   /* written */
} argmax_cl_buffers;

#define ARGMAX_CL_BUFFERS_INIT {sizeof(argmax_cl_buffers), NULL, NULL, NULL, NULL, NULL, NULL}
ARGMAX_CL_API void argmax_cl_buffers_init(argmax_cl_buffers *buffers);

/* Enqueue the operator on a queue (in-order or out-of-order) of the handle's context and device, after the events of
 * the wait list. Returns when it is enqueued, not when it is done. Plans of earlier calls are reused.
 *   wait_count, wait_list  as in clEnqueueNDRangeKernel.
 *   event                  NULL, or where to put an event for the whole operation, which the caller releases; NULL is
 *                          put there on failure. Its profiling times are those of the operation's last command, of
 *                          which there may be several: for the start of all, enqueue a marker before and take its
 * event. The buffers must live until the operation is done. */
ARGMAX_CL_API argmax_cl_status argmax_cl(argmax_cl_handle handle, cl_command_queue queue, const argmax_cl_desc *desc,
                                         const argmax_cl_buffers *buffers, cl_uint wait_count,
                                         const cl_event *wait_list, cl_event *event);
ARGMAX_CL_API argmax_cl_status argmin_cl(argmax_cl_handle handle, cl_command_queue queue, const argmax_cl_desc *desc,
                                         const argmax_cl_buffers *buffers, cl_uint wait_count,
                                         const cl_event *wait_list, cl_event *event);
/* Argmin and argmax from one read of the input: the same for ARGMAX_CL_ARGMINMAX. */
ARGMAX_CL_API argmax_cl_status argminmax_cl(argmax_cl_handle handle, cl_command_queue queue, const argmax_cl_desc *desc,
                                            const argmax_cl_buffers *buffers, cl_uint wait_count,
                                            const cl_event *wait_list, cl_event *event);

/* ---- Plan and execute --------------------------------------------------------------------------------------- */

/* Every decision and every compiled program for one descriptor, without buffers. */
typedef struct argmax_cl_plan_s *argmax_cl_plan;

/* Check the descriptor, decide, compile. The descriptor is not needed afterwards. *plan is NULL on failure. */
ARGMAX_CL_API argmax_cl_status argmax_cl_plan_create(argmax_cl_plan *plan, argmax_cl_handle handle,
                                                     argmax_cl_operator op, const argmax_cl_desc *desc);

/* Bytes of the workspace that plan_enqueue needs; 0: none. */
ARGMAX_CL_API argmax_cl_status argmax_cl_plan_workspace_size(argmax_cl_plan plan, size_t *bytes);

/* As argmax_cl, with a workspace of the caller's: a buffer of at least workspace_size bytes that may be read and
 * written by kernels and overlaps no tensor (NULL when that size is 0). It serves one enqueue in flight, or several on
 * one in-order queue. When OpenCL fails after the checks, outputs and
 * workspace are undefined. */
ARGMAX_CL_API argmax_cl_status argmax_cl_plan_enqueue(argmax_cl_plan plan, cl_command_queue queue,
                                                      const argmax_cl_buffers *buffers, cl_mem workspace,
                                                      cl_uint wait_count, const cl_event *wait_list, cl_event *event);

/* Run the plan's kernels on nothing and wait, so that a driver which compiles at a kernel's first run does it now. */
ARGMAX_CL_API argmax_cl_status argmax_cl_plan_warm_up(argmax_cl_plan plan, cl_command_queue queue);

/* One line: strategy, collapsed shape, geometry, tuning row, build options. Writes at most `capacity` bytes with the
 * closing zero (text may be NULL when capacity is 0); *needed, when not NULL, gets the length without it. */
ARGMAX_CL_API argmax_cl_status argmax_cl_plan_describe(argmax_cl_plan plan, char *text, size_t capacity,
                                                       size_t *needed);

ARGMAX_CL_API void argmax_cl_plan_destroy(argmax_cl_plan plan);

/* ---- One call on host arrays -------------------------------------------------------------------------------- */

/* The arrays behind a descriptor's tensors; each tensor's offset counts from its pointer. An array may be NULL for a
 * tensor without elements. The arrays must not overlap, but for equal input bytes. */
typedef struct argmax_cl_host_arrays {
    size_t struct_size; /* sizeof(argmax_cl_host_arrays); INIT sets it */
    const void *input;
    void *index;
    void *value;      /* NULL when the descriptor has no value tensor */
    const void *mask; /* and so are these three */
    void *max_index;
    void *max_value;
} argmax_cl_host_arrays;

#define ARGMAX_CL_HOST_ARRAYS_INIT {sizeof(argmax_cl_host_arrays), NULL, NULL, NULL, NULL, NULL, NULL}
ARGMAX_CL_API void argmax_cl_host_arrays_init(argmax_cl_host_arrays *arrays);

/* Told after each block, by the thread that made the call: bytes of the input that are done, by shape, and all. It
 * must not call the library with the same arrays. */
typedef void (*argmax_cl_progress)(void *user, uint64_t done, uint64_t total);

/* What a host call reports and obeys. Zero is the default of every field; fields are only ever appended. */
typedef struct argmax_cl_host_options {
    size_t struct_size;          /* sizeof(argmax_cl_host_options); INIT sets it */
    double *seconds_compute;     /* NULL, or where to put the time from the enqueue to the end of the last kernel; of an
                                    input in blocks, the kernels' times together */
    double *seconds_transfer;    /* NULL, or where to put the time of both transfers; of an input in blocks, what of the
                                    call's time no kernel ran in */
    uint64_t memory_limit;       /* bytes that the call may take for blocks and results, on device and host together;
                                    workspaces, some KiB, come on top. 0: what the device has */
    argmax_cl_progress progress; /* NULL, or whom to tell */
    void *progress_user;         /* handed to progress */
    const volatile int *cancel;  /* NULL, or a number that another thread, a signal handler or progress sets to anything
                                    but 0 to end the call at the next block with ARGMAX_CL_ERROR_CANCELLED */
} argmax_cl_host_options;

#define ARGMAX_CL_HOST_OPTIONS_INIT {sizeof(argmax_cl_host_options), NULL, NULL, 0, NULL, NULL, NULL}
ARGMAX_CL_API void argmax_cl_host_options_init(argmax_cl_host_options *options);

/* Compute on the handle's device and wait. options may be NULL. Bytes between the addressed output elements are not
 * touched. Size is no reason to refuse: what is larger than the device's memory, its largest buffer or the memory limit
 * goes through in blocks, with the same answer. Where device and host share memory the input is used in place. An input
 * larger than 256 MiB with a progress callback or a cancel flag goes through in blocks as well. After a failure in the
 * middle the outputs are undefined, and the handle works on. */
ARGMAX_CL_API argmax_cl_status argmax_cl_host(argmax_cl_handle handle, const argmax_cl_desc *desc,
                                              const argmax_cl_host_arrays *arrays,
                                              const argmax_cl_host_options *options);
ARGMAX_CL_API argmax_cl_status argmin_cl_host(argmax_cl_handle handle, const argmax_cl_desc *desc,
                                              const argmax_cl_host_arrays *arrays,
                                              const argmax_cl_host_options *options);
ARGMAX_CL_API argmax_cl_status argminmax_cl_host(argmax_cl_handle handle, const argmax_cl_desc *desc,
                                                 const argmax_cl_host_arrays *arrays,
                                                 const argmax_cl_host_options *options);

/* ---- Partials: answers of blocks, which merge ---------------------------------------------------------------- */

/* The best of some elements of one reduction. Partials of the same reduction merge in any order and grouping to the
 * same bits: the greater (key, tie) wins. They are plain numbers, which may be stored or sent to a machine of the same
 * byte order; docs/partials.md has the format. All zero: no element yet, which every element beats. */
typedef struct argmax_cl_partial {
    uint64_t key;  /* the value as an unsigned number: greater is better, equal is equal */
    uint64_t tie;  /* INCREASING: ~index, DECREASING: index + 1, of the index in the whole tensor; 0: no winner */
    uint64_t bits; /* the winning element, in the low bits */
} argmax_cl_partial;

/* Where the input of a descriptor lies in a larger tensor of the same rank. */
typedef struct argmax_cl_block {
    size_t struct_size;    /* sizeof(argmax_cl_block); INIT sets it */
    const uint64_t *sizes; /* rank elements: those of the larger tensor */
    const uint64_t *start; /* rank elements: the position in it of the input's position 0. Both may be NULL: the input
                              is the whole */
    const void *mask;      /* the mask's array, of a descriptor that has one, for argmax_cl_partials_host; else NULL */
} argmax_cl_block;

#define ARGMAX_CL_BLOCK_INIT {sizeof(argmax_cl_block), NULL, NULL, NULL}
ARGMAX_CL_API void argmax_cl_block_init(argmax_cl_block *block);

/* The partials of a block in host memory, one for each of the descriptor's outputs, in row-major order; of ARGMINMAX
 * those of the minimum, then as many of the maximum, here and below. The descriptor's input is the block, with the
 * block's sizes and strides; its index and value tensors are not used and may be NULL. block NULL: the input is the
 * whole. Blocks of any size and options as in argmax_cl_host. */
ARGMAX_CL_API argmax_cl_status argmax_cl_partials_host(argmax_cl_handle handle, argmax_cl_operator op,
                                                       const argmax_cl_desc *desc, const argmax_cl_block *block,
                                                       const void *input, argmax_cl_partial *partials,
                                                       const argmax_cl_host_options *options);

/* Add a block's answers, which any of the calls above gave for this descriptor and operator, to partials: the better of
 * the two stays in partials[i], which is all zero before the first block. arrays->index and arrays->value are read,
 * arrays->input is not used, and the descriptor must have a value tensor. */
ARGMAX_CL_API argmax_cl_status argmax_cl_partials_add(argmax_cl_operator op, const argmax_cl_desc *desc,
                                                      const argmax_cl_block *block, const argmax_cl_host_arrays *arrays,
                                                      argmax_cl_partial *partials);

/* Put the better of into[i] and from[i] into into[i], for count partials of the same operator, dtype, direction and
 * NaN mode. */
ARGMAX_CL_API argmax_cl_status argmax_cl_partials_merge(uint64_t count, argmax_cl_partial *into,
                                                        const argmax_cl_partial *from);

/* Indices and, when the descriptor has a value tensor, values. The descriptor is that of the larger tensor, or of as
 * much of it on the kept axes as the partials belong to; it tells of the output arrays, and arrays->input is not used.
 */
ARGMAX_CL_API argmax_cl_status argmax_cl_partials_finish(argmax_cl_operator op, const argmax_cl_desc *desc,
                                                         const argmax_cl_partial *partials,
                                                         const argmax_cl_host_arrays *arrays);

#ifdef __cplusplus
}
#endif

#endif
