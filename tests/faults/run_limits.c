/* Too little of everything: buffers and workspaces one byte short, a device with hardly any memory left, devices that
 * tell odd facts of themselves. Each time the refusal has to name what was missing, and what is enough has to be right.
 * Needs the layer of ../layers; ends with 77 where no loader takes it. */
#include "census.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE "argmin float32 12x40x5 axes=1 last value"
#define TWO "argmax float32 3x40000 axes=1 value data=pair seed=777 strategy=split-rows"
#define WIDER "argmax float32 24x40000 axes=1 value data=pair seed=777 strategy=split-rows"

static argmax_cl_status one_call(world *w, const argmax_cl_buffers *buffers, cl_event *event) {
    return (w->p.op == ARGMAX_CL_ARGMIN ? argmin_cl : argmax_cl)(w->handle, w->queue, &w->d.desc, buffers, 0, NULL,
                                                                 event);
}

static bool outputs_right(world *w) {
    return world_outputs(w, problem_output_count(&w->p));
}

static bool told(argmax_cl_status got, argmax_cl_status expected, const char *name, size_t bytes) {
    char number[32];
    snprintf(number, sizeof number, "%zu", bytes);
    return (got == expected && strstr(argmax_cl_last_error(), name) && strstr(argmax_cl_last_error(), number)) ||
           complain("%s of %zu bytes: status %d, expected %d; message: %s\n", name, bytes, (int)got, (int)expected,
                    argmax_cl_last_error());
}

/* ---- one byte short ---- */

enum { INPUT, INDEX, VALUES, WORKSPACE, ROLES };

static const char *const role_names[ROLES] = {"buffers->input", "buffers->index", "buffers->value", "workspace"};

/* A buffer of so many bytes, or a part of that size of a larger one. */
static cl_mem buffer_of(const world *w, size_t bytes, bool part, cl_mem *whole) {
    cl_int code;
    const cl_buffer_region region = {0, bytes};
    *whole = clCreateBuffer(w->context, CL_MEM_READ_WRITE, part ? bytes + 4096 : bytes, NULL, &code);
    if (!part)
        return *whole;
    return *whole ? clCreateSubBuffer(*whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code) : NULL;
}

static argmax_cl_status call_with(world *w, const cl_mem memory[ROLES], bool by_plan, cl_event *event) {
    argmax_cl_buffers buffers = ARGMAX_CL_BUFFERS_INIT;
    buffers.input = memory[INPUT];
    buffers.index = memory[INDEX];
    buffers.value = memory[VALUES];
    return by_plan ? argmax_cl_plan_enqueue(w->plan, w->queue, &buffers, memory[WORKSPACE], 0, NULL, event)
                   : one_call(w, &buffers, event);
}

/* The role's buffer lacks a byte; then it has just enough. */
static bool short_of_one(world *w, int role, size_t bytes, bool part, bool by_plan) {
    cl_mem memory[ROLES] = {w->buffers.input, w->buffers.index, w->buffers.value, w->workspace};
    bool ok = true;
    for (size_t lacking = 1; lacking <= 1; lacking--) {
        cl_event event = (cl_event)(void *)w; /* any pointer but NULL */
        cl_mem whole;
        memory[role] = buffer_of(w, bytes - lacking, part, &whole);
        const argmax_cl_status status = call_with(w, memory, by_plan, &event);
        if (lacking)
            ok = told(status, role == WORKSPACE ? ARGMAX_CL_ERROR_INVALID_WORKSPACE : ARGMAX_CL_ERROR_BUFFER_TOO_SMALL,
                      role_names[role], bytes) &&
                 !event && world_outputs(w, 0);
        else if (status)
            ok = complain("%s of %zu bytes: %s\n", role_names[role], bytes, argmax_cl_last_error());
        if (event)
            clReleaseEvent(event);
        clFinish(w->queue);
        if (part)
            clReleaseMemObject(memory[role]);
        clReleaseMemObject(whole);
    }
    return ok;
}

static uint64_t one_byte_short(world *w, uint64_t *wrong) {
    uint64_t ran = 0;
    size_t bytes[ROLES] = {0};
    cl_int code;
    if (!world_pose(w, TWO) || argmax_cl_create(&w->handle, w->context, w->device) ||
        argmax_cl_plan_create(&w->plan, w->handle, w->p.op, &w->d.desc) ||
        argmax_cl_plan_workspace_size(w->plan, &bytes[WORKSPACE])) {
        ++*wrong;
        return 0;
    }
    w->workspace = clCreateBuffer(w->context, CL_MEM_READ_WRITE, bytes[WORKSPACE], NULL, &code);
    bytes[INPUT] = (size_t)problem_input_extent(&w->p) * sizeof(float);
    bytes[INDEX] = (size_t)problem_output_count(&w->p) * sizeof(int64_t);
    bytes[VALUES] = (size_t)problem_output_count(&w->p) * sizeof(float);
    for (int role = 0; role < ROLES; role++)
        for (int way = 0; way < 4; way++) {
            const bool by_plan = way & 1, part = way & 2;
            if (role == WORKSPACE && !by_plan)
                continue;
            ran++;
            *wrong += !world_spoil(w) || !short_of_one(w, role, bytes[role], part, by_plan);
        }
    *wrong += !world_spoil(w) || one_call(w, &w->buffers, NULL) || !outputs_right(w);
    clReleaseMemObject(w->workspace);
    argmax_cl_plan_destroy(w->plan);
    argmax_cl_destroy(w->handle);
    world_forget(w);
    return ran;
}

/* ---- hardly any memory left ---- */

static bool host_call(world *w, argmax_cl_status *status) {
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    const size_t bytes = (size_t)problem_input_extent(&w->p) * sizeof(float);
    memmove((char *)w->input + 1, w->input, bytes); /* at an odd address: no device uses it in place */
    arrays.input = (char *)w->input + 1;
    arrays.index = w->got_index;
    arrays.value = w->got_value;
    *status = (w->p.op == ARGMAX_CL_ARGMIN ? argmin_cl_host : argmax_cl_host)(w->handle, &w->d.desc, &arrays, NULL);
    memmove(w->input, (char *)w->input + 1, bytes);
    return *status ? world_arrays(w, 1, true) : world_arrays(w, 1, false);
}

static bool device_call(world *w, argmax_cl_status *status) {
    *status = one_call(w, &w->buffers, NULL);
    return *status ? world_outputs(w, 0) : outputs_right(w);
}

static bool names_a_full_device(void) {
    return (argmax_cl_last_opencl_error() == CL_MEM_OBJECT_ALLOCATION_FAILURE &&
            strstr(argmax_cl_last_error(), "clCreateBuffer for ") && strstr(argmax_cl_last_error(), " bytes")) ||
           complain("message on a full device: %s\n", argmax_cl_last_error());
}

/* More and more room, up to enough; more than enough must not be too little. */
static uint64_t full_device(world *w, bool (*call)(world *, argmax_cl_status *), uint64_t *wrong) {
    static const uint64_t rooms[] = {0,      16,     64,     256,    1024,    4096,    65536,
                                     262144, 479999, 480000, 524288, 1048576, 1310720, 2097152};
    uint64_t enough = 0, refused = 0;
    bool ok = world_pose(w, TWO);
    const census before = count_objects(w->layer);
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0] && ok; i++) {
        argmax_cl_status status = ARGMAX_CL_SUCCESS;
        ok = world_spoil(w) && !argmax_cl_create(&w->handle, w->context, w->device);
        w->layer->limit_memory(w->layer->bytes() + rooms[i]);
        ok = ok && call(w, &status) && (!status || (names_a_full_device() && !enough));
        enough += !status;
        refused += status != 0;
        w->layer->limit_memory(UINT64_MAX);
        ok = ok && world_spoil(w) && call(w, &status) && !status; /* the same handle, with room again */
        argmax_cl_destroy(w->handle);
        if (!ok)
            complain("  ^ with room for %" PRIu64 " bytes\n", rooms[i]);
    }
    clFinish(w->queue);
    ok = ok && enough && refused && same_objects(w->layer, &before);
    *wrong += !ok;
    world_forget(w);
    return refused;
}

/* What idle workspaces hold is given up for one that finds no room, here for another queue's: on its own the smaller
 * one would go anyway. */
static bool idle_workspaces_make_room(world *w) {
    const cl_command_queue first = w->queue;
    setenv("ARGMAX_CL_TUNING", FAULTS_BUILT "/two_launches.tuning", 1);
    bool ok = world_pose(w, TWO) && world_spoil(w) && !argmax_cl_create(&w->handle, w->context, w->device);
    const uint64_t before = w->layer->bytes();
    ok = ok && !one_call(w, &w->buffers, NULL) && outputs_right(w);
    const uint64_t kept = w->layer->bytes() - before;
    world_forget(w);
    ok = ok && world_pose(w, WIDER) && world_spoil(w);
    /* A larger one fits into what is left with the other's memory only. */
    argmax_cl_plan plan = NULL;
    size_t bytes = 0;
    ok = ok && !argmax_cl_plan_create(&plan, w->handle, w->p.op, &w->d.desc) &&
         !argmax_cl_plan_workspace_size(plan, &bytes);
    argmax_cl_plan_destroy(plan);
    w->layer->limit_memory(w->layer->bytes() + bytes - 1);
    w->queue = w->unordered;
    const argmax_cl_status status = ok ? one_call(w, &w->buffers, NULL) : ARGMAX_CL_SUCCESS;
    ok = clFinish(w->unordered) == CL_SUCCESS && ok;
    w->queue = first;
    w->layer->limit_memory(UINT64_MAX);
    ok = ok && kept > 0 && kept < bytes && !status && outputs_right(w);
    argmax_cl_destroy(w->handle);
    world_forget(w);
    setenv("ARGMAX_CL_TUNING", "", 1);
    return ok || complain("  ^ idle workspaces: %" PRIu64 " bytes kept, %zu needed; %s\n", kept, bytes,
                          argmax_cl_last_error());
}

/* On a queue in order a call that was made before creates no memory: its plan and its workspace are there. Its one
 * event is the first launch's, for which the second waits. */
static bool calls_in_order_create_nothing(world *w) {
    setenv("ARGMAX_CL_TUNING", FAULTS_BUILT "/two_launches.tuning", 1);
    bool ok = world_pose(w, TWO) && world_spoil(w) && !argmax_cl_create(&w->handle, w->context, w->device) &&
              !one_call(w, &w->buffers, NULL) && outputs_right(w) && world_spoil(w);
    const uint64_t events = w->layer->created(OBJECT_EVENT), memory = w->layer->created(OBJECT_MEMORY);
    const uint64_t calls = 3;
    for (uint64_t i = 0; i < calls; i++)
        ok = ok && !one_call(w, &w->buffers, NULL);
    const bool none = w->layer->created(OBJECT_EVENT) == events + calls && w->layer->created(OBJECT_MEMORY) == memory;
    ok = ok && outputs_right(w);
    argmax_cl_destroy(w->handle);
    world_forget(w);
    setenv("ARGMAX_CL_TUNING", "", 1);
    return (ok && none) || complain("  ^ calls in order: %s; %s\n", none ? "one event each" : "other events or memory",
                                    argmax_cl_last_error());
}

/* ---- odd facts ---- */

static const cl_uint none32 = 0, one32 = 1, many32 = UINT32_MAX, bits32 = 32;
static const cl_ulong none64 = 0, little64 = 100, all64 = UINT64_MAX;
static const size_t none = 0, one = 1, eight = 8, uneven = 200, all = SIZE_MAX, items0[3] = {0, 0, 0},
                    items1[3] = {1, 1, 1};
static const cl_device_type custom = CL_DEVICE_TYPE_CUSTOM, typeless = 0, gpu = CL_DEVICE_TYPE_GPU;
static const char blank[] = "", garbage[] = "Pocket calculator 7", old[] = "OpenCL 1.2", newest[] = "OpenCL 9.9 x";

static const struct {
    cl_uint question;
    const char *meaning;
    const void *answer;
    size_t bytes;
    bool refused; /* a problem as small as these may be refused, with the limit named */
} facts[] = {
    {CL_DEVICE_MAX_COMPUTE_UNITS, "no compute units", &none32, sizeof none32, false},
    {CL_DEVICE_MAX_COMPUTE_UNITS, "2^32-1 compute units", &many32, sizeof many32, false},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, "no clock", &none32, sizeof none32, false},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, "work-groups of none", &none, sizeof none, false},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, "work-groups of one", &one, sizeof one, false},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, "work-groups of 2^64-1", &all, sizeof all, false},
    {CL_DEVICE_MAX_WORK_ITEM_SIZES, "no work-items", items0, sizeof items0, false},
    {CL_DEVICE_MAX_WORK_ITEM_SIZES, "one work-item", items1, sizeof items1, false},
    {CL_KERNEL_WORK_GROUP_SIZE, "kernels for work-groups of none", &none, sizeof none, false},
    {CL_KERNEL_WORK_GROUP_SIZE, "kernels for work-groups of one", &one, sizeof one, false},
    {CL_KERNEL_WORK_GROUP_SIZE, "kernels for work-groups of eight", &eight, sizeof eight, false},
    {CL_KERNEL_WORK_GROUP_SIZE, "kernels for work-groups of 200", &uneven, sizeof uneven, false},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, "work-groups of 200", &uneven, sizeof uneven, false},
    {CL_DEVICE_LOCAL_MEM_SIZE, "no local memory", &none64, sizeof none64, false},
    {CL_DEVICE_LOCAL_MEM_SIZE, "100 bytes of local memory", &little64, sizeof little64, false},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, "no cache", &none64, sizeof none64, false},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, "a cache of 2^64-1 bytes", &all64, sizeof all64, false},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, "no buffers", &none64, sizeof none64, true},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, "buffers of 100 bytes", &little64, sizeof little64, true},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, "buffers of 2^64-1 bytes", &all64, sizeof all64, false},
    {CL_DEVICE_ADDRESS_BITS, "32-bit addresses", &bits32, sizeof bits32, false},
    {CL_DEVICE_ADDRESS_BITS, "0-bit addresses", &none32, sizeof none32, false},
    {CL_DEVICE_TYPE, "a custom device", &custom, sizeof custom, false},
    {CL_DEVICE_TYPE, "no type", &typeless, sizeof typeless, false},
    {CL_DEVICE_TYPE, "a GPU", &gpu, sizeof gpu, false},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, "memory of its own", &none32, sizeof none32, false},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, "the host's memory", &one32, sizeof one32, false},
    {CL_DEVICE_NAME, "no name", blank, sizeof blank, false},
    {CL_DEVICE_EXTENSIONS, "no extensions", blank, sizeof blank, false},
    {CL_DEVICE_VERSION, "no version", blank, sizeof blank, false},
    {CL_DEVICE_VERSION, "a strange version", garbage, sizeof garbage, false},
    {CL_DEVICE_VERSION, "OpenCL 1.2", old, sizeof old, false},
    {CL_DEVICE_VERSION, "OpenCL 9.9", newest, sizeof newest, false},
    {CL_DEVICE_OPENCL_C_VERSION, "no compiler's version", blank, sizeof blank, false},
};

static bool limit_named(argmax_cl_status status) {
    return status == ARGMAX_CL_ERROR_DEVICE_LIMIT || complain("status %d: %s\n", (int)status, argmax_cl_last_error());
}

static bool odd_fact(world *w, size_t i, const char *line) {
    bool ok = world_pose(w, line) && world_spoil(w);
    const census before = count_objects(w->layer);
    w->layer->pretend(facts[i].question, facts[i].answer, facts[i].bytes);
    argmax_cl_status status = argmax_cl_create(&w->handle, w->context, w->device);
    ok = ok && (!status || complain("%s\n", argmax_cl_last_error()));
    if (!status) {
        ok = device_call(w, &status) && (!status || (facts[i].refused && limit_named(status))) && ok;
        ok = world_spoil(w) && host_call(w, &status) && (!status || (facts[i].refused && limit_named(status))) && ok;
        if (status && !facts[i].refused)
            complain("%s\n", argmax_cl_last_error());
        argmax_cl_destroy(w->handle);
    }
    w->layer->pretend(0, NULL, 0);
    ok = same_objects(w->layer, &before) && no_violations(w->layer) && ok;
    world_forget(w);
    return ok || complain("  ^ a device with %s: %s\n\n", facts[i].meaning, line);
}

static uint64_t odd_facts(world *w, uint64_t *wrong) {
    static const char *const lines[] = {VALUE, TWO, TWO " tuning=gpu"};
    const size_t count = sizeof facts / sizeof facts[0];
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++)
            *wrong += !odd_fact(w, i, lines[k]);
    return count;
}

int main(void) {
    static world w;
    const char *why;
    uint64_t wrong = 0;
    const layer_control *const layer = layer_open(&why);
    if (!layer) {
        printf("SKIPPED: %s\n", why);
        return EXIT_SKIPPED;
    }
    const census nothing = count_objects(layer);
    if (!world_open(&w, layer))
        return EXIT_FAILURE;
    const uint64_t shorts = one_byte_short(&w, &wrong);
    const uint64_t full = full_device(&w, device_call, &wrong) + full_device(&w, host_call, &wrong);
    wrong += !idle_workspaces_make_room(&w);
    wrong += !calls_in_order_create_nothing(&w);
    const uint64_t odd = odd_facts(&w, &wrong);
    world_close(&w);
    wrong += !same_objects(layer, &nothing) || !no_violations(layer);
    printf("%s: one byte short in %" PRIu64 " ways, no room on the device %" PRIu64 " times, %" PRIu64
           " odd facts; %" PRIu64 " wrong\n",
           w.device_name, shorts, full, odd, wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
