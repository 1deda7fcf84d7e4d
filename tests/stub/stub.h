/* An OpenCL without a device, linked into a test program instead of the ICD loader: the entry points that the library
 * and its tests use, on host threads.
 *
 * It is there for ThreadSanitizer, which cannot look into a driver. So it orders no more than OpenCL promises: queues
 * and events have locks of their own, counts of references are atomic, everything else is bare. Two threads that set
 * arguments of one kernel, two kernels that share a workspace or a counter, or a released object in use are races here.
 * Kernels run on the queue's own threads and give the answer that the arguments describe (answer.c).
 *
 * It can be as hostile as an implementation may be: stub_manners says how. In-order queues always go on after a command
 * that failed, and host memory is always used in place.
 *
 * Environment: STUB_OPENCL_MEMORY, bytes that all buffers together may have; STUB_OPENCL_MANNERS, names of fields of
 * stub_manners, as name or name=number, with spaces between. At the exit of a process that leaves objects behind its
 * status is 1. */
#ifndef ARGMAX_CL_TESTS_STUB_H
#define ARGMAX_CL_TESTS_STUB_H

#include "families/family.h"

#include <pthread.h>
#include <stdatomic.h>

/* Answered by clGetDeviceInfo, as cl_ulong: how many objects are alive, and the bytes of all buffers. Other
 * implementations refuse these questions. */
#define STUB_OBJECTS_ALIVE 0x5701
#define STUB_MEMORY_USED 0x5702

/* How this OpenCL behaves. For tests to change while no command runs and no handle of the library is open. */
typedef struct stub_conduct {
    atomic_uint kill;     /* so many of the next launches die: their events fail */
    uint32_t kill_one_in; /* as does one of so many others, drawn at random; 0: none */
    uint32_t kill_after;  /* each after so many of its work-groups */
    atomic_bool hold;     /* merging waits while this is true */
    atomic_bool reuse;    /* a new object gets the address of the last one of its kind and size that went */
    bool drop_queues;     /* a released queue goes at once, while its commands still run */
    bool keep_arguments;  /* kernel objects hold references to their buffers */
    bool hold_queues;     /* events hold references to their queues */
    bool noise;           /* new buffers are filled with noise */
    uint32_t queues;      /* at most so many at a time; 0: any number */
    uint32_t units;       /* of each device; 0: as they are */
    size_t group, local;  /* largest work-group, bytes of local memory; 0: as they are */
    size_t parameters;    /* bytes of a kernel's arguments; 0: 1024, the least that OpenCL allows */
    uint32_t listed;      /* devices of a context, the handle's the last; 0: one */
    const char *version;  /* of the devices; NULL: OpenCL 2.0 stub */
    const char *platform; /* its name; NULL: Stub */
} stub_conduct;
extern stub_conduct stub_manners;

/* What every object starts with. */
typedef enum stub_kind { STUB_CONTEXT, STUB_QUEUE, STUB_BUFFER, STUB_PROGRAM, STUB_KERNEL, STUB_EVENT } stub_kind;

typedef struct stub_object {
    uint32_t alive; /* a mark that goes with the object */
    stub_kind kind;
    size_t bytes;
    atomic_uint references;
} stub_object;

/* objects.c. A new object with one reference. */
void *stub_new(stub_kind kind, size_t bytes);
/* Whether the handle is one of a living object of the kind. */
bool stub_is(const void *object, stub_kind kind);
void stub_retain(void *object);
/* Whether that was the last reference: the caller then takes the object apart and frees it by stub_free. */
bool stub_release(void *object);
void stub_free(void *object);
cl_ulong stub_alive(void);
cl_ulong stub_memory_used(void); /* buffers.c */
/* The answer of a clGet...Info. */
cl_int stub_answer(const void *from, size_t from_bytes, size_t bytes, void *to, size_t *needed);

struct _cl_context {
    stub_object object;
    cl_device_id device;
};

struct _cl_mem {
    stub_object object;
    cl_context context;
    cl_mem parent; /* of a sub-buffer */
    size_t origin, size;
    cl_mem_flags flags;
    void *host;
    unsigned char *bytes;
};

/* ---- program.c --------------------------------------------------------------------------------------------------- */

/* What an argument of a kernel is for. */
typedef enum stub_role {
    ROLE_INPUT,
    ROLE_MASK,
    ROLE_PARTIALS,
    ROLE_INDEX,
    ROLE_VALUE,
    ROLE_MAX_INDEX,
    ROLE_MAX_VALUE,
    ROLE_DIMS,
    ROLE_GRID,
    ROLE_COUNTERS,
    ROLE_FINISH,
    ROLE_COUNT
} stub_role;

#define STUB_ARGUMENTS 12
#define STUB_ARGUMENT_BYTES 1024

/* From the build options. */
typedef struct stub_options {
    uint32_t bits, mantissa;
    bool is_float, is_signed, minimum, last, reversed, repeated, inner_first, ignore_nan;
    bool value, wide_index, split, one_launch, words, masked;
    bool both, max_last, max_value, max_wide_index;
    uint64_t no_winner;
    uint32_t kept, reduced; /* dims */
    size_t grid_tail;       /* bytes of rows_t and columns_t that not all kernels have */
} stub_options;

struct _cl_program {
    stub_object object;
    cl_context context;
    stub_options options;
};

/* Bare arguments: whoever sets them while another thread does, or enqueues, races. */
typedef struct stub_arguments {
    stub_options options;
    bool permuted, merges, copies; /* the kernel */
    size_t grid_bytes;
    uint32_t count;
    stub_role role[STUB_ARGUMENTS];
    bool set[STUB_ARGUMENTS];
    _Alignas(16) unsigned char bytes[STUB_ARGUMENTS][STUB_ARGUMENT_BYTES];
} stub_arguments;

/* Entries of each list of dims (ROOM of kernels/abi.h). */
static inline uint32_t stub_room(const stub_arguments *a) {
    return a->options.kept > a->options.reduced ? a->options.kept : a->options.reduced;
}

struct _cl_kernel {
    stub_object object;
    cl_program program;
    stub_arguments arguments;
};

/* The bytes that a kernel's arguments may have together. */
size_t stub_parameters(void);
/* The bytes of an argument, NULL when the kernel has none like it. */
const void *stub_argument(const stub_arguments *arguments, stub_role role);
/* The buffer that an argument names, NULL likewise or when it is NULL. */
cl_mem stub_buffer(const stub_arguments *arguments, stub_role role);

/* answer.c: run a kernel of so many work-groups. The status of the command. */
cl_int stub_run_kernel(const stub_arguments *arguments, size_t groups);

/* ---- events.c, queue.c ------------------------------------------------------------------------------------------- */

struct _cl_event {
    stub_object object;
    cl_context context;
    cl_command_queue queue; /* that it holds; NULL: none */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    cl_int status;
};

cl_event stub_event(cl_context context, cl_int status);
void stub_set_status(cl_event event, cl_int status);

typedef struct stub_command {
    struct stub_command *next;
    cl_int (*run)(struct stub_command *command);
    stub_arguments *arguments; /* of a kernel */
    size_t groups;
    cl_mem buffer; /* of a transfer */
    size_t offset, bytes, pattern_bytes;
    unsigned char pattern[128];
    void *to;
    const void *from;
    cl_uint wait_count;
    cl_event *waits, event;
} stub_command;

#define STUB_WORKERS 2 /* of an out-of-order queue */

/* What runs a queue's commands; it may outlive the queue. */
typedef struct stub_engine {
    cl_context context;
    cl_command_queue queue; /* to free in the end; NULL: it is gone already */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    stub_command *first, *last; /* not yet begun */
    uint32_t running, workers;
    bool closing;
} stub_engine;

struct _cl_command_queue {
    stub_object object;
    cl_context context;
    cl_command_queue_properties properties;
    stub_engine *engine;
};

#endif
