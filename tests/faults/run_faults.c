/* Makes the n-th call fail, for n = 1, 2, ... until a scenario has no n-th call: of OpenCL with several errors, then of
 * the C library. Each time the status and the message have to be right, no output written, no object left, and the same
 * handle has to give the right answer afterwards. Needs the layer of ../layers; ends with 77 where no loader takes it.
 *
 * usage: run_faults [--all] [--scenario NAME] [--list]
 *
 * Without --all, scenarios that compile kernels in each run meet every call with the first error, and each call with
 * one or two of the others. */
#include "census.h"
#include "host_faults.h"
#include "verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FAULTS_IN_A_SCENARIO_MAX 100000

/* What fails: in OpenCL, or in the C library where code is CL_SUCCESS. */
static const fault_order sweeps[] = {
    {0, CL_OUT_OF_RESOURCES, NULL, false},
    {0, CL_OUT_OF_HOST_MEMORY, NULL, false},
    {0, CL_MEM_OBJECT_ALLOCATION_FAILURE, NULL, false},
    {0, CL_INVALID_VALUE, NULL, false},
    {0, CL_DEVICE_NOT_AVAILABLE, NULL, false},
    {0, CL_BUILD_PROGRAM_FAILURE, "clBuildProgram", false},
    {0, CL_DEVICE_NOT_AVAILABLE, NULL, true},
    {0, CL_OUT_OF_RESOURCES, NULL, true},
    {0, CL_SUCCESS, NULL, false},
};

/* Of runs with other errors than the first, a cold scenario has one of so many. */
#define COLD_STEP 6

typedef struct tally {
    uint64_t opencl, host, survived, bad;
} tally;

typedef enum outcome { NO_SUCH_CALL, FAILED_WELL, SURVIVED, BAD } outcome;

/* ---- which calls failed ---- */

static struct {
    const char *call;
    uint64_t times;
} calls[64];

static void count_call(const char *call) {
    size_t i = 0;
    if (!call)
        return;
    while (calls[i].call && strcmp(calls[i].call, call) != 0)
        i++;
    calls[i].call = call;
    calls[i].times++;
}

static int by_name(const void *a, const void *b) {
    const char *const *const left = a, *const *const right = b;
    return strcmp(*left, *right);
}

static void print_calls(void) {
    size_t count = 0;
    while (calls[count].call)
        count++;
    qsort(calls, count, sizeof calls[0], by_name);
    for (size_t i = 0; i < count; i++)
        printf("%s%s %" PRIu64, i ? ", " : "", calls[i].call, calls[i].times);
    printf("\n");
}

/* ---- one fault ---- */

typedef struct fault {
    bool host;
    fault_order order;
    fault_report report;
    host_fault_report host_report;
    bool left_busy;
} fault;

static argmax_cl_status act_with(world *w, const scenario *s, fault *f) {
    if (f->host)
        host_fault_order(f->order.nth);
    else
        w->layer->order(&f->order);
    const uint64_t before = w->layer->left_busy();
    const argmax_cl_status status = s->act(w);
    f->left_busy = s->waits && !f->order.from_there_on && w->layer->left_busy() != before;
    f->host_report = host_fault_take();
    f->report = w->layer->report();
    return status;
}

static bool right(world *w, const scenario *s, argmax_cl_status status) {
    return status ? complain("status %d: %s\n", (int)status, argmax_cl_last_error()) : s->right(w);
}

static outcome judge(world *w, const scenario *s, const fault *f, argmax_cl_status status) {
    const char *const call = f->host ? f->host_report.call : f->report.call;
    if (!call)
        return right(w, s, status) ? NO_SUCH_CALL : BAD;
    if (status == ARGMAX_CL_SUCCESS) {
        const bool allowed = may_succeed(s, call, f->host ? 0 : f->report.about);
        if (!allowed)
            complain("success although the call failed\n");
        return s->right(w) && allowed ? SURVIVED : BAD;
    }
    const bool told =
        f->host ? host_verdict(status, &f->host_report) : opencl_verdict(s, status, &f->order, &f->report);
    const bool sound = s->unharmed(w);
    return told && sound ? FAILED_WELL : BAD;
}

static outcome one_fault(world *w, const scenario *s, fault *f) {
    const census before = count_objects(w->layer);
    if (!scenario_before(w, s))
        return BAD;
    outcome o = judge(w, s, f, act_with(w, s, f));
    if (f->left_busy) {
        complain("commands were left running\n");
        o = BAD;
    }
    scenario_after(w, s, true);
    if (o != NO_SUCH_CALL) {
        if (!scenario_before(w, s) || !right(w, s, s->act(w))) {
            complain("the same handle does not work afterwards\n");
            o = BAD;
        }
    }
    scenario_after(w, s, false);
    if (s->cold && !same_objects(w->layer, &before))
        o = BAD;
    if (!no_violations(w->layer))
        o = BAD;
    return o;
}

static void tell(const scenario *s, const fault *f) {
    complain("  ^ %s, call %" PRIu64 ": %s (0x%" PRIx64 ") %s%s\n\n", s->name, f->order.nth,
             f->host ? (f->host_report.call ? f->host_report.call : "none of the C library")
                     : (f->report.call ? f->report.call : "none"),
             f->report.about, f->host ? "" : code_name(f->order.code), f->order.from_there_on ? " from there on" : "");
}

/* ---- a scenario ---- */

/* n = first, first + step, ... */
static void sweep(world *w, const scenario *s, const fault_order *order, uint64_t first, uint64_t step, tally *t) {
    fault f = {.host = order->code == CL_SUCCESS, .order = *order};
    outcome o = BAD;
    for (f.order.nth = first; f.order.nth < FAULTS_IN_A_SCENARIO_MAX; f.order.nth += step) {
        o = one_fault(w, s, &f);
        if (o == NO_SUCH_CALL)
            break;
        *(f.host ? &t->host : &t->opencl) += 1;
        count_call(f.host ? f.host_report.call : f.report.call);
        t->survived += o == SURVIVED;
        if (o == BAD) {
            tell(s, &f);
            if (++t->bad % 20 == 0)
                break; /* the rest will be alike */
        }
    }
}

static double seconds(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_scenario(world *w, const scenario *s, bool all, tally *total) {
    const double start = seconds();
    const census before = count_objects(w->layer);
    bool skip = false;
    tally t = {0};
    fault none = {0};
    if (!scenario_open(w, s, &skip) || (!skip && one_fault(w, s, &none) != NO_SUCH_CALL)) {
        complain("  ^ %s, without any fault\n", s->name);
        t.bad++;
    } else if (!skip) {
        for (size_t i = 0; i < sizeof sweeps / sizeof sweeps[0]; i++) {
            const bool each = all || !s->cold || i == 0 || sweeps[i].code == CL_SUCCESS || sweeps[i].call;
            sweep(w, s, &sweeps[i], each ? 1 : 1 + i % COLD_STEP, each ? 1 : COLD_STEP, &t);
        }
    }
    scenario_close(w, s);
    if (!same_objects(w->layer, &before)) {
        complain("  ^ %s, in the end\n", s->name);
        t.bad++;
    }
    printf("%-16s %6" PRIu64 " OpenCL calls failed, %4" PRIu64 " of the C library, %5" PRIu64 " survived, %3" PRIu64
           " wrong, %5.1f s%s\n",
           s->name, t.opencl, t.host, t.survived, t.bad, seconds() - start,
           skip ? " (skipped: not on this device)" : "");
    fflush(stdout);
    total->opencl += t.opencl;
    total->host += t.host;
    total->survived += t.survived;
    total->bad += t.bad;
}

static int run_all(const char *only, bool all) {
    static world w;
    const char *why;
    tally total = {0};
    size_t ran = 0;
    const layer_control *const layer = layer_open(&why);
    if (!layer) {
        printf("SKIPPED: %s\n", why);
        return EXIT_SKIPPED;
    }
    const census nothing = count_objects(layer);
    bool ok = world_open(&w, layer);
    for (size_t i = 0; i < scenario_count && ok; i++)
        if (!only || strcmp(only, scenarios[i].name) == 0) {
            run_scenario(&w, &scenarios[i], all, &total);
            ran++;
        }
    world_close(&w);
    ok = same_objects(layer, &nothing) && no_violations(layer) && ok;
    print_calls();
    printf("%s: %zu scenarios, %" PRIu64 " OpenCL calls and %" PRIu64 " of the C library failed, %" PRIu64
           " survived, %" PRIu64 " wrong\n",
           w.device_name, ran, total.opencl, total.host, total.survived, total.bad);
    return ok && ran && !total.bad ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int count, char **words) {
    const char *only = NULL;
    bool all = false;
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--scenario") == 0 && i + 1 < count) {
            only = words[++i];
        } else if (strcmp(words[i], "--all") == 0) {
            all = true;
        } else if (strcmp(words[i], "--list") == 0) {
            for (size_t k = 0; k < scenario_count; k++)
                printf("%-16s %s: %s\n", scenarios[k].name, scenarios[k].meaning, scenarios[k].line);
            return EXIT_SUCCESS;
        } else {
            complain("usage: run_faults [--all] [--scenario NAME] [--list]\n");
            return EXIT_FAILURE;
        }
    }
    return run_all(only, all);
}
