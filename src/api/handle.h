/* The objects behind the opaque handles, for the stages that touch OpenCL. */
#ifndef ARGMAX_CL_HANDLE_H
#define ARGMAX_CL_HANDLE_H

#include "internal.h"

#include <pthread.h>
#include <stdatomic.h>

/* A compiled program; programs stay as long as their handle. */
typedef struct program_entry {
    struct program_entry *next;
    cl_program program;
    char key[]; /* kernel name, space, options */
} program_entry;

/* A workspace of the one-call functions: for one in-order queue, where each command waits for those before it, or for
 * whoever finds it idle. */
typedef struct pooled_workspace {
    cl_mem buffer;
    size_t bytes;
    cl_command_queue queue; /* its own; NULL: anyone's */
    uint64_t last_use;      /* on its own queue */
    cl_event last;          /* of the last enqueue that used it; NULL: none, or on its own queue */
    bool taken;             /* an enqueue is being put together with it */
} pooled_workspace;

/* Counters of an in-order queue: its launches use them up from the front. */
typedef struct counter_block {
    cl_command_queue queue;
    cl_mem buffer;       /* NULL: none yet */
    uint64_t number;     /* tells it from others that had its buffer's address; from 1 on */
    uint64_t room, used; /* counters */
    uint64_t last_loan;
} counter_block;

/* What one launch gets of it. */
typedef struct counter_loan {
    cl_mem buffer;
    uint64_t number;
    cl_ulong first; /* of its counters */
} counter_loan;

#define WORKSPACES_KEPT 8
#define QUEUES_KEPT 64
#define PLANS_KEPT 64

typedef struct cached_plan {
    argmax_cl_plan plan; /* NULL: free */
    uint64_t last_use;
} cached_plan;

struct argmax_cl_handle_s {
    atomic_uint references;
    cl_context context;
    cl_device_id device;
    device_facts facts;
    pthread_mutex_t build_lock; /* programs */
    program_entry *programs;
    pthread_mutex_t cache_lock; /* plans, workspaces */
    cached_plan plans[PLANS_KEPT];
    uint64_t uses;
    pooled_workspace workspaces[WORKSPACES_KEPT], queue_workspaces[QUEUES_KEPT];
    pthread_mutex_t lend_lock; /* who has which counters */
    counter_block blocks[QUEUES_KEPT];
    uint32_t lent; /* blocks with a queue */
    uint64_t blocks_made, loans;
};

void handle_retain(argmax_cl_handle handle);
void handle_release(argmax_cl_handle handle);

/* One kernel object per stage, with all arguments set but the buffers. No two threads use one at the same time. */
typedef struct kernel_set {
    struct kernel_set *next;
    cl_kernel scan, merge;            /* merge is NULL for one stage, and until needed where the scan merges too */
    cl_kernel copies[OUTPUT_TENSORS]; /* NULL unless the layout has copied dims, and without the tensor */
    uint64_t counters;                /* number of the block that is the scan's argument; 0: none */
} kernel_set;

struct argmax_cl_plan_s {
    atomic_uint references;
    argmax_cl_handle handle;
    problem problem;
    layout layout; /* this and what follows is unset when problem.outputs is 0 */
    geometry geometry;
    size_t workspace_bytes;
    cl_program scan_program, merge_program; /* the handle's, as the next ones */
    cl_program copies_programs[OUTPUT_TENSORS];
    char scan_options[OPTIONS_CAPACITY], merge_options[OPTIONS_CAPACITY];
    pthread_mutex_t kernels_lock;
    kernel_set *kernels; /* idle ones */
};

/* api/plan.c: from what the user said to a checked problem with its strategy and tuning row named. */
argmax_cl_status problem_open(argmax_cl_handle handle, argmax_cl_operator op, const argmax_cl_desc *desc, problem *p);
/* A plan for a checked problem; *out is unchanged on failure. NULL may be released. */
argmax_cl_status plan_create(argmax_cl_plan *out, argmax_cl_handle handle, const problem *p);
void plan_release(argmax_cl_plan plan);

/* runtime/launch.c: an enqueue on a queue that was checked; *event is NULL after a failure. */
argmax_cl_status plan_enqueue(argmax_cl_plan plan, cl_command_queue queue, bool out_of_order,
                              const argmax_cl_buffers *given, cl_mem workspace, cl_uint wait_count,
                              const cl_event *wait_list, cl_event *event);

/* api/onecall.c: what argmax_cl and argmin_cl keep. */
void cached_plans_release(argmax_cl_handle handle);

/* runtime/workspaces.c: a workspace for one enqueue, on the queue `in_order`, or on any where that is NULL. *slot is
 * NULL when the pool is busy: the buffer then lives for this enqueue alone. */
argmax_cl_status workspace_take(argmax_cl_handle handle, cl_command_queue in_order, size_t bytes,
                                pooled_workspace **slot, cl_mem *buffer);
/* Give it back with the event after which it is idle; on its own queue it needs none. After an enqueue that failed, of
 * which half may be on its way, or without an event that can be kept, the buffer goes: OpenCL keeps it until the
 * enqueued kernels are done. */
void workspace_return(argmax_cl_handle handle, pooled_workspace *slot, cl_mem buffer, bool enqueued, cl_event done);
void workspaces_release(argmax_cl_handle handle);

/* runtime/program.c: the program of kernels/<kernel>.cl built with the options, from the handle's cache or compiled. */
argmax_cl_status program_get(argmax_cl_handle handle, const char *kernel, const char *options, cl_program *program);
void programs_release(argmax_cl_handle handle);

/* runtime/counters.c: zeroed counters for one launch on an in-order queue; false when there are none. */
bool counters_lend(argmax_cl_handle handle, cl_command_queue queue, uint64_t count, counter_loan *loan);
void counters_release(argmax_cl_handle handle);

/* runtime/kernel_pool.c: kernel objects with their arguments. */
/* Buffers that a scan reads, and outputs. */
cl_uint input_buffers(const problem *p);
cl_uint output_buffers(const problem *p);
/* Where the outputs begin among the arguments of a scan that merges too. */
cl_uint finish_outputs(const problem *p, const geometry *g);
/* Choose what the next launch of a scan that can merge too does. */
cl_int kernel_set_stage(argmax_cl_plan plan, cl_kernel kernel, cl_ulong stage, cl_ulong counter);
/* Give the scan the counters of a loan, or with NULL none, where they are an argument of their own. */
cl_int kernel_set_counters(argmax_cl_plan plan, kernel_set *set, const counter_loan *loan);
/* A kernel that merges only, unless the set has one: for launches without counters. */
argmax_cl_status kernel_set_need_merge(argmax_cl_plan plan, kernel_set *set);
argmax_cl_status kernel_set_take(argmax_cl_plan plan, kernel_set **set);
void kernel_set_return(argmax_cl_plan plan, kernel_set *set);
void kernel_sets_release(kernel_set *sets);
/* A set whose kernels find no job, for warming up; release it with kernel_sets_release. */
argmax_cl_status kernel_set_idle(argmax_cl_plan plan, kernel_set **set);

#endif
