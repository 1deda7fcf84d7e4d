/* The scenarios. Problems are small: what is tested is what surrounds the kernels. */
#include "scenario.h"

#include "api/handle.h"

#include <stdlib.h>
#include <string.h>

#define ONE "argmax float32 50x30 axes=1"
#define TWO "argmax float32 40000 axes=0 data=pair seed=777 strategy=split-rows"
#define TWO_VALUES "argmin float32 3x40000 axes=1 value data=pair seed=777 strategy=split-rows"
#define VALUE "argmin float32 12x40x5 axes=1 last value"
#define GAPS "argmax float32 40x30 axes=1 istrides=2,1 value"
#define BLOCKS "argmin float32 3x2000 axes=1 value data=pair seed=1777"
#define NOTHING "argmax float32 0x30 axes=1"
#define MANY "argmax float32 90x30 axes=1" /* of the first 1 to 90 rows */

/* ---- what a run of calls is made of ---- */

static argmax_cl_status one_call(world *w, cl_command_queue queue, cl_uint count, const cl_event *list,
                                 cl_event *event) {
    return (w->p.op == ARGMAX_CL_ARGMIN ? argmin_cl : argmax_cl)(w->handle, queue, &w->d.desc, &w->buffers, count, list,
                                                                 event);
}

static bool make_plan(world *w) {
    size_t bytes = 0;
    cl_int code = CL_SUCCESS;
    if (argmax_cl_plan_create(&w->plan, w->handle, w->p.op, &w->d.desc) ||
        argmax_cl_plan_workspace_size(w->plan, &bytes))
        return complain("plan_create: %s\n", argmax_cl_last_error());
    w->workspace = bytes ? clCreateBuffer(w->context, CL_MEM_READ_WRITE, bytes, NULL, &code) : NULL;
    return code == CL_SUCCESS || complain("clCreateBuffer failed with %d\n", (int)code);
}

static void drop_all(world *w) {
    world_open_gates(w);
    if (w->event)
        clReleaseEvent(w->event);
    w->event = NULL;
    clFinish(w->unordered);
    clFinish(w->queue);
    if (w->workspace)
        clReleaseMemObject(w->workspace);
    w->workspace = NULL;
    argmax_cl_plan_destroy(w->plan);
    w->plan = NULL;
}

/* ---- handles ---- */

static argmax_cl_status act_create(world *w) {
    return argmax_cl_create(&w->handle, w->context, w->device);
}

static argmax_cl_status act_create_default(world *w) {
    return argmax_cl_create_default(&w->handle, w->device_name);
}

static argmax_cl_status act_create_destroy(world *w) {
    const argmax_cl_status status = argmax_cl_create(&w->handle, w->context, w->device);
    argmax_cl_destroy(w->handle);
    w->handle = NULL;
    return status;
}

static bool has_handle(world *w) {
    cl_device_id device = NULL;
    return (w->handle && argmax_cl_get_device(w->handle, NULL, &device) == ARGMAX_CL_SUCCESS && device == w->device) ||
           complain("no handle, or of another device\n");
}

static bool no_handle(world *w) {
    return !w->handle || complain("a handle after a failure\n");
}

static void drop_handle(world *w) {
    argmax_cl_destroy(w->handle);
    w->handle = NULL;
}

static argmax_cl_status act_list(world *w) {
    cl_device_id devices[16];
    uint32_t count = 0;
    const argmax_cl_status status = argmax_cl_list_devices(16, devices, &count);
    w->turn = count;
    return status;
}

static bool always(world *w) {
    return w->handle || !w->handle;
}

/* ---- plans ---- */

static argmax_cl_status act_plan(world *w) {
    return argmax_cl_plan_create(&w->plan, w->handle, w->p.op, &w->d.desc);
}

/* The outputs of what the scenario's own plan or handle enqueues now. */
static bool works(world *w) {
    cl_int code = CL_SUCCESS;
    size_t bytes = 0;
    if (!w->plan || argmax_cl_plan_workspace_size(w->plan, &bytes))
        return complain("no plan\n");
    if (bytes && !w->workspace)
        w->workspace = clCreateBuffer(w->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code != CL_SUCCESS ||
        argmax_cl_plan_enqueue(w->plan, w->queue, &w->buffers, w->workspace, 0, NULL, NULL) != ARGMAX_CL_SUCCESS)
        return complain("plan_enqueue: %s\n", argmax_cl_last_error());
    return world_outputs(w, problem_output_count(&w->p));
}

static bool no_plan(world *w) {
    return !w->plan || complain("a plan after a failure\n");
}

static bool before_plan(world *w) {
    return world_spoil(w) && make_plan(w);
}

static argmax_cl_status act_enqueue(world *w) {
    return argmax_cl_plan_enqueue(w->plan, w->queue, &w->buffers, w->workspace, 0, NULL, NULL);
}

static argmax_cl_status act_enqueue_event(world *w) {
    return argmax_cl_plan_enqueue(w->plan, w->unordered, &w->buffers, w->workspace, 2, w->gates, &w->event);
}

static argmax_cl_status act_warm_up(world *w) {
    return argmax_cl_plan_warm_up(w->plan, w->queue);
}

/* From nothing to nothing, as a careful program does it. */
static argmax_cl_status act_life(world *w) {
    argmax_cl_handle handle = NULL;
    argmax_cl_plan plan = NULL;
    argmax_cl_status status = argmax_cl_create(&handle, w->context, w->device);
    if (!status)
        status = argmax_cl_plan_create(&plan, handle, w->p.op, &w->d.desc);
    if (!status)
        status = argmax_cl_plan_warm_up(plan, w->queue);
    if (!status)
        status = argmax_cl_plan_enqueue(plan, w->queue, &w->buffers, NULL, 0, NULL, &w->event);
    argmax_cl_plan_destroy(plan);
    argmax_cl_destroy(handle);
    return status;
}

/* ---- calls ---- */

static argmax_cl_status act_call(world *w) {
    return one_call(w, w->queue, 0, NULL, NULL);
}

static argmax_cl_status act_call_event(world *w) {
    return one_call(w, w->unordered, 2, w->gates, &w->event);
}

static bool outputs_right(world *w) {
    return world_outputs(w, problem_output_count(&w->p));
}

static bool outputs_untouched(world *w) {
    cl_int code = clFinish(w->queue);
    return (code == CL_SUCCESS || complain("clFinish failed with %d\n", (int)code)) && world_outputs(w, 0);
}

static bool before_gates(world *w) {
    return world_spoil(w) && world_shut_gates(w);
}

static bool before_plan_and_gates(world *w) {
    return before_plan(w) && world_shut_gates(w);
}

/* The event comes with success, and nothing ran before the gates opened. */
static bool event_right(world *w) {
    if (!w->event || (w->gates[0] && !world_outputs(w, 0)))
        return complain("no event, or a command that did not wait\n");
    clFlush(w->unordered);
    world_open_gates(w);
    const cl_int code = clWaitForEvents(1, &w->event);
    return (code == CL_SUCCESS || complain("clWaitForEvents failed with %d\n", (int)code)) && outputs_right(w);
}

/* What was enqueued before the failure can be finished, and writes no output. */
static bool no_event(world *w) {
    if (w->event) {
        w->event = NULL;
        return complain("an event after a failure\n");
    }
    world_open_gates(w);
    const cl_int code = clFinish(w->unordered);
    return (code == CL_SUCCESS || complain("clFinish failed with %d\n", (int)code)) && outputs_untouched(w);
}

/* Every workspace that the handle keeps is waiting. */
static bool before_busy(world *w) {
    argmax_cl_buffers others = w->buffers;
    others.index = w->spare;
    if (!before_gates(w))
        return false;
    for (int i = 0; i < 8; i++)
        if (argmax_cl(w->handle, w->unordered, &w->d.desc, &others, 2, w->gates, NULL))
            return complain("argmax_cl: %s\n", argmax_cl_last_error());
    return true;
}

/* More shapes than the handle keeps plans. */
static bool before_many(world *w) {
    w->p.size[0] = w->d.output_size[0] = 1 + w->turn++ % 90;
    return world_spoil(w);
}

/* ---- host arrays ---- */

static argmax_cl_status host_call(world *w, const void *input) {
    double seconds;
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    argmax_cl_host_options options = ARGMAX_CL_HOST_OPTIONS_INIT;
    arrays.input = input;
    arrays.index = w->got_index;
    arrays.value = w->p.has_value ? w->got_value : NULL;
    options.seconds_compute = &seconds;
    return (w->p.op == ARGMAX_CL_ARGMIN ? argmin_cl_host : argmax_cl_host)(w->handle, &w->d.desc, &arrays,
                                                                           w->p.has_value ? &options : NULL);
}

static argmax_cl_status act_host(world *w) {
    return host_call(w, w->input);
}

/* At an odd address, so that no device uses it in place. world_pose has left room for that byte. */
static argmax_cl_status act_host_odd(world *w) {
    const size_t bytes = (size_t)problem_input_extent(&w->p) * sizeof(float);
    memmove((char *)w->input + 1, w->input, bytes);
    const argmax_cl_status status = host_call(w, (char *)w->input + 1);
    memmove(w->input, (char *)w->input + 1, bytes);
    return status;
}

/* Twelve blocks: in place where the device can, or by way of pinned memory. */
static argmax_cl_status stream(world *w, bool copies) {
    device_facts *const facts = &w->handle->facts;
    const device_facts own = *facts;
    facts->max_buffer = 2400;
    facts->host_unified = own.host_unified && !copies;
    const argmax_cl_status status = host_call(w, w->input);
    *facts = own;
    return status;
}

static argmax_cl_status act_stream(world *w) {
    return stream(w, false);
}

static argmax_cl_status act_stream_copied(world *w) {
    return stream(w, true);
}

static uint64_t gap(const world *w) {
    return w->p.index.has_strides ? (uint64_t)w->p.index.stride[0] : 1;
}

static bool arrays_right(world *w) {
    return world_arrays(w, gap(w), false);
}

static bool arrays_sound(world *w) {
    return world_arrays(w, gap(w), true);
}

/* ---- the table ---- */

#define SPOIL .before = world_spoil
#define AS_CALL .right = outputs_right, .unharmed = outputs_untouched, .after = drop_all
#define AS_PLAN .right = works, .unharmed = no_plan, .after = drop_all
#define AS_EVENT .right = event_right, .unharmed = no_event, .after = drop_all
#define AS_HOST .right = arrays_right, .unharmed = arrays_sound, .waits = true
#define TUNING .variable = "ARGMAX_CL_TUNING", .setting

const scenario scenarios[] = {
    {"create", "a handle", ONE, .act = act_create, .right = has_handle, .unharmed = no_handle, .after = drop_handle},
    {"create-destroy", "a handle, and away with it", ONE, .act = act_create_destroy, .right = no_handle,
     .unharmed = no_handle},
    {"create-default", "a handle by a device's name", ONE, .act = act_create_default, .right = has_handle,
     .unharmed = no_handle, .after = drop_handle},
    {"list", "all devices", ONE, .act = act_list, .right = always, .unharmed = always},
    {"life", "handle, plan, warm-up, enqueue, and away with all", ONE, SPOIL, .act = act_life, .right = outputs_right,
     .unharmed = no_event, .after = drop_all, .cold = true},
    {"plan", "a first plan, one stage", ONE, SPOIL, .act = act_plan, AS_PLAN, .cold = true},
    {"plan-two", "a first plan, two launches", TWO, SPOIL, .act = act_plan, AS_PLAN, .cold = true,
     TUNING = FAULTS_BUILT "/two_launches.tuning"},
    {"plan-again", "a plan whose programs are there", VALUE, SPOIL, .act = act_plan, AS_PLAN},
    {"tuning-file", "a plan with a tuning file", ONE, SPOIL, .act = act_plan, AS_PLAN,
     TUNING = FAULTS_BUILT "/two_launches.tuning"},
    {"user-file", "a plan with the user's own tuning file", ONE, SPOIL, .act = act_plan, AS_PLAN,
     .variable = "XDG_CONFIG_HOME", .setting = FAULTS_BUILT "/config"},
    {"kernel-folder", "a first plan with kernels from a folder", ONE, SPOIL, .act = act_plan, AS_PLAN, .cold = true,
     .variable = "ARGMAX_CL_KERNELS", .setting = FAULTS_KERNELS},
    {"call", "a first call", ONE, SPOIL, .act = act_call, AS_CALL, .cold = true},
    {"call-again", "a call whose plan is there", ONE, SPOIL, .act = act_call, AS_CALL},
    {"call-values", "a call with values", VALUE, SPOIL, .act = act_call, AS_CALL},
    {"call-two", "a call in two launches", TWO, SPOIL, .act = act_call, AS_CALL,
     TUNING = FAULTS_BUILT "/two_launches.tuning"},
    {"call-one-launch", "a first call that scans and merges in one launch", TWO_VALUES, SPOIL, .act = act_call, AS_CALL,
     .cold = true, .one_launch = true, TUNING = FAULTS_BUILT "/one_launch.tuning"},
    {"call-merging", "the same with its plan there", TWO_VALUES, SPOIL, .act = act_call, AS_CALL, .one_launch = true,
     TUNING = FAULTS_BUILT "/one_launch.tuning"},
    {"call-event", "a call with wait list and event on an out-of-order queue", TWO, .before = before_gates,
     .act = act_call_event, AS_EVENT},
    {"call-busy", "a call while all workspaces that are kept are in use", TWO, .before = before_busy,
     .act = act_call_event, AS_EVENT},
    {"call-many", "calls of more shapes than plans are kept", MANY, .before = before_many, .act = act_call, AS_CALL},
    {"call-empty", "a marker for no outputs", NOTHING, .before = before_gates, .act = act_call_event, AS_EVENT},
    {"enqueue", "a plan and the caller's workspace", TWO, .before = before_plan, .act = act_enqueue, AS_CALL,
     TUNING = FAULTS_BUILT "/two_launches.tuning"},
    {"enqueue-event", "the same with wait list and event, out of order", TWO_VALUES, .before = before_plan_and_gates,
     .act = act_enqueue_event, AS_EVENT},
    {"warm-up", "warming a plan up", TWO, .before = before_plan, .act = act_warm_up, .right = works,
     .unharmed = outputs_untouched, .after = drop_all},
    {"host", "a first call on host arrays", ONE, SPOIL, .act = act_host, AS_HOST, .cold = true},
    {"host-gaps", "a call on host arrays with gaps, values and times", GAPS, SPOIL, .act = act_host, AS_HOST},
    {"host-copied", "a call on host arrays that no device uses in place", VALUE, SPOIL, .act = act_host_odd, AS_HOST},
    {"host-two", "a call on host arrays in two launches", TWO_VALUES, SPOIL, .act = act_host, AS_HOST,
     TUNING = FAULTS_BUILT "/two_launches.tuning"},
    {"stream", "a call on host arrays in twelve blocks", BLOCKS, SPOIL, .act = act_stream, AS_HOST},
    {"stream-copied", "the same by way of pinned memory", BLOCKS, SPOIL, .act = act_stream_copied, AS_HOST},
};
const size_t scenario_count = sizeof scenarios / sizeof scenarios[0];

/* ---- around ---- */

static bool merges_in_one_launch(world *w) {
    char text[4096] = "";
    argmax_cl_plan plan = NULL;
    if (!argmax_cl_plan_create(&plan, w->handle, w->p.op, &w->d.desc))
        argmax_cl_plan_describe(plan, text, sizeof text, NULL);
    argmax_cl_plan_destroy(plan);
    return strstr(text, "launches=1") != NULL;
}

bool scenario_open(world *w, const scenario *s, bool *skip) {
    w->turn = 0;
    setenv("ARGMAX_CL_TUNING", "", 1);
    if (s->variable)
        setenv(s->variable, s->setting, 1);
    if (s->variable && strcmp(s->variable, "XDG_CONFIG_HOME") == 0)
        unsetenv("ARGMAX_CL_TUNING");
    const bool handle = s->before || s->one_launch;
    if (!world_pose(w, s->line) || (handle && act_create(w)))
        return complain("%s: %s\n", s->name, argmax_cl_last_error());
    *skip = s->one_launch && !merges_in_one_launch(w);
    if (s->cold)
        drop_handle(w);
    return true;
}

void scenario_close(world *w, const scenario *s) {
    drop_handle(w);
    world_forget(w);
    if (s->variable)
        unsetenv(s->variable);
}

bool scenario_before(world *w, const scenario *s) {
    if (s->cold && !w->handle && act_create(w))
        return complain("%s: %s\n", s->name, argmax_cl_last_error());
    return !s->before || s->before(w);
}

void scenario_after(world *w, const scenario *s, bool keep_handle) {
    if (s->after)
        s->after(w);
    if (s->cold && !keep_handle)
        drop_handle(w);
}
