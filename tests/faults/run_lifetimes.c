/* Objects given up in every order, while commands wait and after they are done, or never: each time the outputs have to
 * be right and no object may stay. Needs the layer of ../layers; ends with 77 where no loader takes it.
 *
 * usage: run_lifetimes           a third of the orders, in each of the ways by turns
 *        run_lifetimes --all     every order in every way
 *        run_lifetimes --never   end with everything alive */
#include "census.h"
#include "objects.h"

#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define ONE "argmin float32 12x40x5 axes=1 last value"
#define TWO "argmax float32 3x40000 axes=1 value data=pair seed=777 strategy=split-rows"

extern char **environ;

/* ---- what a caller holds ---- */

typedef enum thing { HANDLE, PLAN, QUEUE, CONTEXT, EVENT, WORKSPACE, THINGS } thing;

static const char *const thing_names[THINGS] = {"handle", "plan", "queue", "context", "event", "workspace"};

typedef struct caller {
    argmax_cl_handle handle;
    argmax_cl_plan plan;
    cl_command_queue queue;
    cl_context context;
    cl_event event, gate;
    cl_mem workspace;
} caller;

static void give_up(caller *c, thing t) {
    if (t == HANDLE)
        argmax_cl_destroy(c->handle);
    else if (t == PLAN)
        argmax_cl_plan_destroy(c->plan);
    else if (t == QUEUE)
        clReleaseCommandQueue(c->queue);
    else if (t == CONTEXT)
        clReleaseContext(c->context);
    else if (t == EVENT)
        clReleaseEvent(c->event);
    else if (c->workspace)
        clReleaseMemObject(c->workspace);
}

static bool acquire(world *w, caller *c, bool one_call, bool out_of_order) {
    cl_int code;
    size_t bytes = 0;
    memset(c, 0, sizeof *c);
    if (clRetainContext(w->context) != CL_SUCCESS || argmax_cl_create(&c->handle, w->context, w->device) ||
        argmax_cl_plan_create(&c->plan, c->handle, w->p.op, &w->d.desc) ||
        argmax_cl_plan_workspace_size(c->plan, &bytes))
        return complain("%s\n", argmax_cl_last_error());
    c->context = w->context;
    c->queue = open_queue(w->context, w->device, out_of_order);
    c->gate = clCreateUserEvent(w->context, &code);
    if (bytes)
        c->workspace = clCreateBuffer(w->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    const argmax_cl_status status =
        one_call ? (w->p.op == ARGMAX_CL_ARGMIN ? argmin_cl : argmax_cl)(c->handle, c->queue, &w->d.desc, &w->buffers,
                                                                         1, &c->gate, &c->event)
                 : argmax_cl_plan_enqueue(c->plan, c->queue, &w->buffers, c->workspace, 1, &c->gate, &c->event);
    return status == ARGMAX_CL_SUCCESS || complain("%s\n", argmax_cl_last_error());
}

/* The outputs become right while nobody holds an event or a queue to wait with. */
static bool outputs_come(world *w) {
    const struct timespec pause = {0, 1000000};
    const uint64_t outputs = problem_output_count(&w->p);
    int64_t last;
    for (int i = 0; i < 10000; i++) {
        if (clEnqueueReadBuffer(w->queue, w->buffers.value, CL_TRUE, (size_t)(outputs - 1) * sizeof(float),
                                sizeof(float), &last, 0, NULL, NULL) != CL_SUCCESS)
            return complain("clEnqueueReadBuffer failed\n");
        if (memcmp(&last, &w->value[outputs - 1], sizeof(float)) == 0)
            break;
        nanosleep(&pause, NULL);
    }
    nanosleep(&pause, NULL);
    return world_outputs(w, outputs);
}

/* `order` holds each thing once. */
static bool one_order(world *w, const thing *order, bool waiting, bool one_call, bool out_of_order) {
    caller c;
    const census before = count_objects(w->layer);
    bool ok = world_spoil(w) && acquire(w, &c, one_call, out_of_order);
    if (!ok)
        return false;
    clFlush(c.queue);
    if (!waiting) {
        clSetUserEventStatus(c.gate, CL_COMPLETE);
        ok = clFinish(c.queue) == CL_SUCCESS;
    }
    for (int i = 0; i < THINGS; i++)
        give_up(&c, order[i]);
    if (waiting) {
        ok = world_outputs(w, 0);
        clSetUserEventStatus(c.gate, CL_COMPLETE);
    }
    clReleaseEvent(c.gate);
    ok = outputs_come(w) && same_objects(w->layer, &before) && no_violations(w->layer) && ok;
    if (!ok)
        for (int i = 0; i < THINGS; i++)
            complain("%s%s", thing_names[order[i]], i < THINGS - 1 ? ", " : waiting ? ", waiting\n" : ", done\n");
    return ok;
}

/* Permutation number `number` of the things. */
static void arrange(unsigned number, thing order[THINGS]) {
    thing left[THINGS];
    for (int i = 0; i < THINGS; i++)
        left[i] = (thing)i;
    for (unsigned i = 0, count = THINGS; count > 0; i++, count--) {
        const unsigned at = number % count;
        number /= count;
        order[i] = left[at];
        memmove(&left[at], &left[at + 1], (count - 1 - at) * sizeof left[0]);
    }
}

#define ORDERS 720
#define WAYS 8 /* commands wait or are done; by plan or by call; in order or not */

/* Intel's CPU runtime waits for itself, for ever, when it deletes an out-of-order queue that was released while
 * commands waited: the commands are done there before the queue goes. */
static bool deletes_waiting_queues(const world *w) {
    cl_platform_id platform = NULL;
    char name[256] = "";
    return clGetDeviceInfo(w->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) != CL_SUCCESS ||
           clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL) != CL_SUCCESS ||
           strstr(name, "Intel") == NULL;
}

/* Every `step`-th pair of an order and a way. */
static uint64_t all_orders(world *w, const char *line, unsigned step, uint64_t *wrong) {
    const bool may_wait = deletes_waiting_queues(w);
    uint64_t ran = 0;
    if (!world_pose(w, line)) {
        ++*wrong;
        return 0;
    }
    for (unsigned i = 0; i < ORDERS * WAYS; i += step, ran++) {
        const unsigned way = i % WAYS;
        thing order[THINGS];
        arrange(i / WAYS, order);
        *wrong += !one_order(w, order, (way & 1) && (may_wait || !(way & 4)), way & 2, way & 4);
    }
    world_forget(w);
    return ran;
}

/* ---- longer lives ---- */

/* Plans go on without their handle, and events tell without either. */
static bool plan_outlives_handle(world *w) {
    caller c;
    bool ok = world_pose(w, TWO) && world_spoil(w);
    const census before = count_objects(w->layer);
    ok = ok && acquire(w, &c, false, false);
    if (!ok)
        return false;
    clSetUserEventStatus(c.gate, CL_COMPLETE);
    give_up(&c, HANDLE);
    give_up(&c, CONTEXT);
    for (int i = 0; i < 5 && ok; i++) {
        give_up(&c, EVENT);
        ok = world_spoil(w) &&
             argmax_cl_plan_enqueue(c.plan, c.queue, &w->buffers, c.workspace, 0, NULL, &c.event) == ARGMAX_CL_SUCCESS;
        ok = ok && clWaitForEvents(1, &c.event) == CL_SUCCESS && world_outputs(w, problem_output_count(&w->p));
    }
    give_up(&c, PLAN);
    give_up(&c, QUEUE);
    give_up(&c, WORKSPACE);
    ok = clWaitForEvents(1, &c.event) == CL_SUCCESS && ok;
    give_up(&c, EVENT);
    clReleaseEvent(c.gate);
    ok = same_objects(w->layer, &before) && no_violations(w->layer) && ok;
    world_forget(w);
    return ok || complain("  ^ a plan without its handle\n");
}

/* Queues come and go, some at the address of one that went, while the handle stays. */
static bool handle_outlives_queues(world *w) {
    argmax_cl_handle handle = NULL;
    bool ok = world_pose(w, TWO);
    const census before = count_objects(w->layer);
    ok = ok && argmax_cl_create(&handle, w->context, w->device) == ARGMAX_CL_SUCCESS;
    for (int i = 0; i < 100 && ok; i++) {
        cl_int code;
        const cl_command_queue queue = clCreateCommandQueue(w->context, w->device, 0, &code);
        ok = world_spoil(w) && argmax_cl(handle, queue, &w->d.desc, &w->buffers, 0, NULL, NULL) == ARGMAX_CL_SUCCESS;
        clReleaseCommandQueue(queue);
        ok = ok && outputs_come(w);
    }
    argmax_cl_destroy(handle);
    ok = same_objects(w->layer, &before) && no_violations(w->layer) && ok;
    world_forget(w);
    return ok || complain("  ^ queues that come and go\n");
}

static bool destroying_nothing(void) {
    argmax_cl_destroy(NULL);
    argmax_cl_plan_destroy(NULL);
    return true;
}

/* ---- never ---- */

/* Ends with everything alive and, where the commands are quick, still running. */
static int never(void) {
    static world w; /* still reachable: no leak to a leak checker */
    static caller c;
    const char *why;
    const layer_control *const layer = layer_open(&why);
    if (!layer || !world_open(&w, layer) || !world_pose(&w, TWO) || !acquire(&w, &c, true, false))
        return EXIT_FAILURE;
    clSetUserEventStatus(c.gate, CL_COMPLETE);
    clFlush(c.queue);
    return EXIT_SUCCESS;
}

static bool never_is_fine(const char *self) {
    char *const words[] = {(char *)self, "--never", NULL};
    int result = -1;
    pid_t child;
    if (posix_spawn(&child, self, NULL, NULL, words, environ) != 0 || waitpid(child, &result, 0) != child ||
        result != 0)
        return complain("a program that destroys nothing ended with %d\n", result);
    return true;
}

int main(int count, char **words) {
    static world w;
    const char *why;
    uint64_t wrong = 0;
    const bool all = count == 2 && strcmp(words[1], "--all") == 0;
    if (count == 2 && strcmp(words[1], "--never") == 0)
        return never();
    if (count > 1 && !all) {
        complain("usage: run_lifetimes [--all | --never]\n");
        return EXIT_FAILURE;
    }
    const layer_control *const layer = layer_open(&why);
    if (!layer) {
        printf("SKIPPED: %s\n", why);
        return EXIT_SKIPPED;
    }
    const census nothing = count_objects(layer);
    wrong += !world_open(&w, layer);
    /* Steps that share no factor with the number of ways. */
    const uint64_t one = wrong ? 0 : all_orders(&w, ONE, all ? 1 : 25, &wrong);
    const uint64_t two = wrong ? 0 : all_orders(&w, TWO, all ? 9 : 87, &wrong);
    wrong += !destroying_nothing() || !plan_outlives_handle(&w) || !handle_outlives_queues(&w);
    world_close(&w);
    wrong += !same_objects(layer, &nothing) || !never_is_fine(words[0]);
    printf("%s: %" PRIu64 " orders in one launch and %" PRIu64 " with a workspace, %" PRIu64 " wrong\n", w.device_name,
           one, two, wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
