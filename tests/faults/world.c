#include "world.h"
#include "objects.h"

#include "oracle.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPOILT 0x5A

bool complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    return false;
}

static cl_mem create_buffer(const world *w, cl_mem_flags flags, size_t bytes, void *content) {
    cl_int code;
    return clCreateBuffer(w->context, flags | (content ? CL_MEM_COPY_HOST_PTR : 0), bytes, content, &code);
}

/* The device is the one that ARGMAX_CL_TEST_DEVICE selects. */
bool world_open(world *w, const layer_control *layer) {
    cl_int code = CL_SUCCESS;
    argmax_cl_handle chooser = NULL;
    memset(w, 0, sizeof *w);
    w->layer = layer;
    if (argmax_cl_create_default(&chooser, getenv("ARGMAX_CL_TEST_DEVICE")))
        return complain("no device: %s\n", argmax_cl_last_error());
    argmax_cl_get_device(chooser, NULL, &w->device);
    argmax_cl_destroy(chooser);
    if (clGetDeviceInfo(w->device, CL_DEVICE_NAME, sizeof w->device_name - 1, w->device_name, NULL) != CL_SUCCESS)
        return complain("clGetDeviceInfo failed\n");
    w->context = clCreateContext(NULL, 1, &w->device, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        return complain("no context: %d\n", (int)code);
    w->queue = open_queue(w->context, w->device, false);
    w->unordered = open_queue(w->context, w->device, true);
    return (w->queue && w->unordered) || complain("no two queues\n");
}

void world_close(world *w) {
    if (w->queue)
        clReleaseCommandQueue(w->queue);
    if (w->unordered)
        clReleaseCommandQueue(w->unordered);
    if (w->context)
        clReleaseContext(w->context);
    w->queue = w->unordered = NULL;
    w->context = NULL;
}

bool world_pose(world *w, const char *line) {
    char error[300];
    if (!problem_parse(line, &w->p, error, sizeof error))
        return complain("%s: %s\n", line, error);
    const uint64_t outputs = problem_output_count(&w->p);
    if (outputs > WORLD_OUTPUTS || w->p.dtype != ARGMAX_CL_FLOAT32 || w->p.index_type != ARGMAX_CL_INT64)
        return complain("%s: expected float32, int64 and at most %d outputs\n", line, WORLD_OUTPUTS);
    const size_t bytes = (size_t)problem_input_extent(&w->p) * sizeof(float);
    w->input = malloc(bytes + 1);
    if (!w->input)
        return complain("no memory\n");
    problem_fill(&w->p, w->input);
    problem_line packed = w->p; /* the oracle's answers side by side */
    packed.index = packed.value = (problem_tensor){0};
    problem_resolve(&packed);
    oracle_solve(&packed, w->input, w->index, w->p.has_value ? w->value : NULL);
    problem_describe(&w->p, &w->d);
    argmax_cl_buffers_init(&w->buffers);
    w->buffers.input = bytes ? create_buffer(w, CL_MEM_READ_ONLY, bytes, w->input) : NULL;
    w->buffers.index = outputs ? create_buffer(w, CL_MEM_READ_WRITE, sizeof w->index, NULL) : NULL;
    w->buffers.value = outputs && w->p.has_value ? create_buffer(w, CL_MEM_READ_WRITE, sizeof w->value, NULL) : NULL;
    w->spare = outputs ? create_buffer(w, CL_MEM_READ_WRITE, sizeof w->index, NULL) : NULL;
    return true;
}

void world_forget(world *w) {
    const cl_mem buffers[] = {w->buffers.input, w->buffers.index, w->buffers.value, w->spare};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    argmax_cl_buffers_init(&w->buffers);
    w->spare = NULL;
    free(w->input);
    w->input = NULL;
}

bool world_spoil(world *w) {
    memset(w->got_index, SPOILT, sizeof w->got_index);
    memset(w->got_value, SPOILT, sizeof w->got_value);
    cl_int code = CL_SUCCESS;
    if (w->buffers.index)
        code =
            clEnqueueWriteBuffer(w->queue, w->buffers.index, CL_TRUE, 0, sizeof w->index, w->got_index, 0, NULL, NULL);
    if (w->buffers.value && code == CL_SUCCESS)
        code =
            clEnqueueWriteBuffer(w->queue, w->buffers.value, CL_TRUE, 0, sizeof w->value, w->got_value, 0, NULL, NULL);
    /* Intel's CPU runtime returns from a blocking write before other queues see it. */
    if (code == CL_SUCCESS)
        code = clFinish(w->queue);
    return code == CL_SUCCESS || complain("spoiling the outputs: %d\n", (int)code);
}

/* Element i is the answer, or bytes of SPOILT. */
static bool expect(const char *name, uint64_t i, const void *got, const void *answer, size_t bytes) {
    unsigned char spoilt[8];
    assert(got);
    memset(spoilt, SPOILT, sizeof spoilt);
    return memcmp(got, answer ? answer : spoilt, bytes) == 0 ||
           complain("%s %" PRIu64 " %s\n", name, i, answer ? "is wrong" : "was written");
}

bool world_outputs(world *w, uint64_t outputs) {
    int64_t index[WORLD_OUTPUTS];
    float value[WORLD_OUTPUTS];
    cl_int code = CL_SUCCESS;
    bool ok = true;
    if (w->buffers.index)
        code = clEnqueueReadBuffer(w->queue, w->buffers.index, CL_TRUE, 0, sizeof index, index, 0, NULL, NULL);
    if (w->buffers.value && code == CL_SUCCESS)
        code = clEnqueueReadBuffer(w->queue, w->buffers.value, CL_TRUE, 0, sizeof value, value, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        return complain("reading the outputs: %d\n", (int)code);
    for (uint64_t i = 0; w->buffers.index && i < WORLD_OUTPUTS && ok; i++)
        ok = expect("index", i, &index[i], i < outputs ? &w->index[i] : NULL, sizeof index[0]);
    for (uint64_t i = 0; w->buffers.value && i < WORLD_OUTPUTS && ok; i++)
        ok = expect("value", i, &value[i], i < outputs ? &w->value[i] : NULL, sizeof value[0]);
    return ok;
}

bool world_arrays(const world *w, uint64_t step, bool any) {
    const uint64_t outputs = problem_output_count(&w->p);
    bool ok = true;
    for (uint64_t i = 0; i < UINT64_C(2) * WORLD_OUTPUTS && ok; i++) {
        const bool output = i % step == 0 && i / step < outputs;
        ok = (output && any && w->got_index[i] == w->index[i / step]) ||
             expect("array's index", i, &w->got_index[i], output && !any ? &w->index[i / step] : NULL,
                    sizeof w->index[0]);
    }
    for (uint64_t i = 0; w->p.has_value && i < WORLD_OUTPUTS && ok; i++) {
        const bool output = i < outputs;
        ok = (output && any && memcmp(&w->got_value[i], &w->value[i], sizeof w->value[0]) == 0) ||
             expect("array's value", i, &w->got_value[i], output && !any ? &w->value[i] : NULL, sizeof w->value[0]);
    }
    return ok;
}

bool world_shut_gates(world *w) {
    cl_int code;
    for (size_t i = 0; i < 2; i++) {
        w->gates[i] = clCreateUserEvent(w->context, &code);
        if (code != CL_SUCCESS)
            return complain("clCreateUserEvent failed with %d\n", (int)code);
    }
    return true;
}

void world_open_gates(world *w) {
    for (size_t i = 0; i < 2; i++)
        if (w->gates[i]) {
            clSetUserEventStatus(w->gates[i], CL_COMPLETE);
            clReleaseEvent(w->gates[i]);
            w->gates[i] = NULL;
        }
}
