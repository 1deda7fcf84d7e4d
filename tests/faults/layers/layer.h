/* The parts of the layer and what they hand each other. One lock guards all of it. */
#ifndef ARGMAX_CL_TESTS_LAYERS_LAYER_H
#define ARGMAX_CL_TESTS_LAYERS_LAYER_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "control.h"

#include <CL/cl_icd.h>
#include <CL/cl_layer.h>

/* The calls of the next layer or of the loader. */
extern const cl_icd_dispatch *next;

/* Each replaces the calls that it knows. */
void take_query_calls(cl_icd_dispatch *table);
void take_object_calls(cl_icd_dispatch *table);
void take_command_calls(cl_icd_dispatch *table);

/* ---- faults.c ---- */

/* Count this call; true when it has to fail, with the code. `about` is kept for the report. */
bool fault_due(const char *call, uint64_t about, cl_int *code);
void fault_order_set(const fault_order *order);
fault_report fault_report_take(void);
/* Fill with bytes that no answer has: what a failing call leaves is not to be read. NULL does nothing. */
void spoil(void *where, size_t bytes);

/* The name of the call in a function on_NAME of this layer. */
#define THIS_CALL (__func__ + sizeof "on_" - 1)

#define FAULT(about)                                                                                                   \
    do {                                                                                                               \
        cl_int due;                                                                                                    \
        if (fault_due(THIS_CALL, about, &due))                                                                         \
            return due;                                                                                                \
    } while (0)

/* For calls that return an object. */
#define FAULT_OBJECT(about, code_ret)                                                                                  \
    do {                                                                                                               \
        cl_int due;                                                                                                    \
        if (fault_due(THIS_CALL, about, &due)) {                                                                       \
            if (code_ret)                                                                                              \
                *(code_ret) = due;                                                                                     \
            return NULL;                                                                                               \
        }                                                                                                              \
    } while (0)

/* ---- objects.c ---- */

typedef struct kernel_arguments {
    cl_uint count;
    uint64_t set; /* bit i: argument i */
    const void *memory[64];
} kernel_arguments;

typedef struct object {
    const void *key;
    object_kind kind;
    int64_t references;     /* the program's own */
    const void *context;    /* that it belongs to */
    const void *parent;     /* buffer of a sub-buffer, program of a kernel */
    uint64_t children;      /* sub-buffers, which keep it usable */
    uint64_t bytes;         /* of a buffer without parent */
    kernel_arguments *args; /* of a kernel */
    bool settled;           /* a user event has its status */
    bool busy;              /* a queue has commands that nobody waited for */
    bool refused;           /* a program whose build was made to fail */
} object;

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void violation(const char *format, ...);

/* A new object, also where one with the same address has died. */
object *object_born(object_kind kind, const void *key, const void *context, const void *parent);
/* The object, dead or alive; NULL for one never seen. */
object *object_find(const void *key);
/* The object that a call uses; NULL, and a violation, where it is NULL, unknown, dead or of another kind. */
object *object_use(const char *call, object_kind kind, const void *key);
/* False, and a violation, where the program may not do that. */
bool object_retain(const char *call, object_kind kind, const void *key);
bool object_release(const char *call, object_kind kind, const void *key);
/* Whether a list of events is what the specification allows, and of the context. */
bool objects_wait(const char *call, cl_uint count, const cl_event *events, const void *context);
void objects_same_context(const char *call, const object *a, const object *b);

uint64_t objects_alive(object_kind kind);
uint64_t objects_created(object_kind kind);
/* Of all buffers alive; and a buffer's own. */
uint64_t objects_bytes(void);
uint64_t queues_left_busy(void);
void object_weighs(object *o, uint64_t bytes);
const char *object_kind_name(object_kind kind);
uint64_t violation_count(void);
const char *violation_text(uint64_t i);

/* ---- what the program sets ---- */

void memory_limit_set(uint64_t bytes);
bool memory_limit_met(void);
void launch_cut(uint64_t nth, uint64_t groups);
bool launch_has_been_cut(void);
void device_pretend(cl_uint question, const void *answer, size_t bytes);
/* Answers for the device or the kernel that pretends; false where it does not. */
bool pretends(cl_uint question, size_t bytes, void *value, size_t *needed);

/* Recursive, so that a wrapper may hold it around what it calls here. */
void layer_lock(void);
void layer_unlock(void);

#endif
