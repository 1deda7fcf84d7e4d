/* What a scenario of faults works with: a context and queues of its own, one problem with its buffers and the oracle's
 * answer, and the objects of the library that it makes. */
#ifndef ARGMAX_CL_TESTS_FAULTS_WORLD_H
#define ARGMAX_CL_TESTS_FAULTS_WORLD_H

#include "layers/control.h"
#include "problem.h"

#define WORLD_OUTPUTS 96 /* at most, int64 indices and float32 values */

typedef struct world {
    const layer_control *layer;
    cl_context context;
    cl_device_id device;
    cl_command_queue queue, unordered; /* in-order, and out-of-order where the device has it (else in-order, too) */
    char device_name[256];

    problem_line p;
    problem_desc d;
    argmax_cl_buffers buffers;
    cl_mem spare; /* another index buffer */
    float *input;
    int64_t index[WORLD_OUTPUTS]; /* expected */
    float value[WORLD_OUTPUTS];
    int64_t got_index[2 * WORLD_OUTPUTS]; /* host arrays, with gaps where the scenario has them */
    float got_value[WORLD_OUTPUTS];

    argmax_cl_handle handle;
    argmax_cl_plan plan;
    cl_mem workspace;
    cl_event gates[2], event;
    uint64_t turn; /* of this scenario's runs */
} world;

/* True, or a message on stderr. */
bool world_open(world *w, const layer_control *layer);
void world_close(world *w);

/* A problem line and its buffers; and away with them. */
bool world_pose(world *w, const char *line);
void world_forget(world *w);

/* Fill outputs and host arrays with what no problem gives. */
bool world_spoil(world *w);
/* Whether the first `outputs` outputs hold the answer and the others what world_spoil left; 0: untouched. Says so on
 * stderr where they do not. */
bool world_outputs(world *w, uint64_t outputs);
/* The same for the host arrays: indices at every `step` elements. `any`: each output may be either. */
bool world_arrays(const world *w, uint64_t step, bool any);

/* User events that nothing passes until they are opened. */
bool world_shut_gates(world *w);
void world_open_gates(world *w);

/* fprintf to stderr; false. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
bool complain(const char *format, ...);

#endif
