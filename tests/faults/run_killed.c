/* Launches of the library's own kernels that run some of their work-groups and no more, as a watchdog leaves them: what
 * comes next on the queue is right and ends, and a merge of partial answers that nobody wrote reads nothing outside its
 * buffers. Needs the layer of layers/; ends with 77 where no loader takes it. */
#include "census.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Words, two words, partials of rows and of columns, words of columns, claimed pieces; and several outputs. */
static const char *const lines[] = {
    "argmax float32 1x60000 axes=1 value data=pair seed=777 strategy=split-rows",
    "argmax float32 3x40000 axes=1 last data=pair seed=777 strategy=split-rows",
    "argmin float32 3x40000 axes=1 value data=pair seed=777 strategy=split-rows tuning=gpu",
    "argmax float32 2000x24 axes=0 value data=pair seed=777 strategy=split-columns",
    "argmax float32 2000x24 axes=0 data=pair seed=777 strategy=split-columns tuning=gpu",
    "argmin float32 2x2000x41 axes=1 value data=pair seed=777 strategy=split-stream tuning=gpu",
};

static argmax_cl_status call(world *w, bool by_plan) {
    return by_plan ? argmax_cl_plan_enqueue(w->plan, w->queue, &w->buffers, w->workspace, 0, NULL, NULL)
                   : (w->p.op == ARGMAX_CL_ARGMIN ? argmin_cl : argmax_cl)(w->handle, w->queue, &w->d.desc, &w->buffers,
                                                                           0, NULL, NULL);
}

static bool finished(world *w, argmax_cl_status status) {
    return !status ? clFinish(w->queue) == CL_SUCCESS : complain("%s\n", argmax_cl_last_error());
}

/* Noise where partial answers go. */
static bool spoil_workspace(world *w, size_t bytes) {
    unsigned char *const noise = malloc(bytes ? bytes : 1);
    if (!noise)
        return complain("no memory\n");
    for (size_t i = 0; i < bytes; i++)
        noise[i] = (unsigned char)((i + 1) * UINT64_C(0x9E3779B97F4A7C15) >> 56);
    const bool ok =
        !bytes || clEnqueueWriteBuffer(w->queue, w->workspace, CL_TRUE, 0, bytes, noise, 0, NULL, NULL) == CL_SUCCESS;
    free(noise);
    return ok;
}

/* The n-th launch dies after so many work-groups, some times in a row; then two calls. False with *came where the
 * operation has fewer launches. */
static bool kill_and_go_on(world *w, uint64_t nth, uint64_t groups, bool by_plan, size_t bytes, bool *came) {
    bool ok = true;
    for (int i = 0; i < 2 && ok; i++) {
        w->layer->cut_launch(nth, groups);
        ok = spoil_workspace(w, bytes) && finished(w, call(w, by_plan));
        *came = w->layer->launch_was_cut();
        w->layer->cut_launch(0, 0);
    }
    for (int i = 0; i < 2 && ok; i++)
        ok = world_spoil(w) && finished(w, call(w, by_plan)) && world_outputs(w, problem_output_count(&w->p));
    return ok;
}

static uint64_t kill_launches(world *w, const char *line, uint64_t *wrong) {
    uint64_t kills = 0;
    size_t bytes = 0;
    bool ok = world_pose(w, line) && !argmax_cl_create(&w->handle, w->context, w->device) &&
              !argmax_cl_plan_create(&w->plan, w->handle, w->p.op, &w->d.desc) &&
              !argmax_cl_plan_workspace_size(w->plan, &bytes);
    cl_int code = CL_SUCCESS;
    if (ok && bytes)
        w->workspace = clCreateBuffer(w->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    ok = ok && code == CL_SUCCESS;
    for (int by_plan = 0; by_plan < 2; by_plan++)
        for (uint64_t nth = 1; nth <= 2 && ok; nth++)
            for (uint64_t groups = 0; groups < 4 && ok; groups++) {
                bool came = false;
                alarm(60); /* a work-group that waits for one that died would wait for ever */
                ok = kill_and_go_on(w, nth, groups, by_plan, bytes, &came);
                alarm(0);
                kills += came;
                if (!ok)
                    complain("  ^ launch %" PRIu64 " died after %" PRIu64 " work-groups: %s\n", nth, groups, line);
            }
    *wrong += !ok;
    if (w->workspace)
        clReleaseMemObject(w->workspace);
    w->workspace = NULL;
    argmax_cl_plan_destroy(w->plan);
    argmax_cl_destroy(w->handle);
    w->plan = NULL;
    w->handle = NULL;
    world_forget(w);
    return kills;
}

int main(void) {
    static world w;
    const char *why;
    uint64_t kills = 0, wrong = 0;
    const layer_control *const layer = layer_open(&why);
    if (!layer) {
        printf("SKIPPED: %s\n", why);
        return EXIT_SKIPPED;
    }
    const census nothing = count_objects(layer);
    if (!world_open(&w, layer))
        return EXIT_FAILURE;
    static const char *const tunings[] = {FAULTS_BUILT "/one_launch.tuning", FAULTS_BUILT "/two_launches.tuning",
                                          FAULTS_BUILT "/gpu_one_launch.tuning",
                                          FAULTS_KERNELS "/../tests/device/lists/tail.tuning"};
    for (size_t t = 0; t < sizeof tunings / sizeof tunings[0]; t++) {
        setenv("ARGMAX_CL_TUNING", tunings[t], 1);
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
            kills += kill_launches(&w, lines[i], &wrong);
    }
    world_close(&w);
    wrong += !same_objects(layer, &nothing) || !no_violations(layer);
    printf("%s: %" PRIu64 " launches killed, %" PRIu64 " wrong\n", w.device_name, kills, wrong);
    return wrong || !kills ? EXIT_FAILURE : EXIT_SUCCESS;
}
