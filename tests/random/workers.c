#include "workers.h"

#include "shrink.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SHIFT 20            /* batches of one worker: drivers keep what every compiled program took */
#define WRONG_MOST 10       /* failures before a campaign ends */
#define SILENCE_SECONDS 300 /* without a new problem: it hangs */
#define ALONE_SECONDS 60    /* the same for one problem in a process of its own */
#define CRASH_TRIES 150
#define NO_DEVICE 2 /* exit status of a worker */

typedef struct worker {
    pid_t pid; /* 0: none */
    uint64_t steps;
    double since;         /* when `steps` last changed */
    batch_result *result; /* shared with the process */
} worker;

typedef struct office {
    const campaign *c;
    batch_result *total;
    worker workers[WORKERS_MOST];
    uint64_t next, batches; /* to hand out */
    double start, said;
    bool no_device;
} office;

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
    (void)number;
    interrupted = 1;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void pause_briefly(void) {
    nanosleep(&(struct timespec){0, 10000000}, NULL);
}

/* ---- In a worker ---------------------------------------------------------------------------------------------- */

static int work(const campaign *c, uint64_t first, uint64_t count, batch_result *result) {
    runner r;
    bool ok = runner_open(&r, c->selector);
    r.trace = c->trace;
    if (!ok)
        fprintf(stderr, "%s\n", r.message);
    for (uint64_t i = 0; ok && i < count; i++)
        differential_batch(&r, &c->batch, first + i, result);
    runner_close(&r);
    return ok ? 0 : NO_DEVICE;
}

static int work_alone(const campaign *c, const problem_line *p) {
    runner r;
    if (!runner_open(&r, c->selector))
        return NO_DEVICE;
    const bool failed = runner_run(&r, p, ROUTE_PLAN) == RUN_FAILED;
    runner_close(&r);
    return failed ? 1 : 0;
}

/* ---- Crashes and hangs ---------------------------------------------------------------------------------------- */

/* Whether a problem alone in a process ends that process, or never ends. */
static bool crashes(void *context, const problem_line *p) {
    const campaign *const c = context;
    int status = 0;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0)
        exit(work_alone(c, p));
    for (const double start = seconds(); pid > 0 && waitpid(pid, &status, WNOHANG) == 0; pause_briefly())
        if (seconds() - start > ALONE_SECONDS)
            kill(pid, SIGKILL);
    return pid > 0 && WIFSIGNALED(status);
}

static void report_crash(office *o, const worker *w, int status) {
    char line[PROBLEM_LINE_SIZE], error[300];
    problem_line p;
    o->total->wrong++;
    memcpy(line, w->result->running, sizeof line);
    fprintf(stderr, "FAIL a process ended with %s %d\n  run again: run_problem '%s'\n",
            WIFSIGNALED(status) ? "signal" : "status", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
            line);
    if (!problem_parse(line, &p, error, sizeof error) || !crashes((void *)o->c, &p)) {
        fprintf(stderr, "  alone it does not\n");
        return;
    }
    const unsigned tried = shrink_problem(&p, crashes, (void *)o->c, CRASH_TRIES);
    problem_print(&p, line, sizeof line);
    fprintf(stderr, "  made small in %u runs: run_problem '%s'\n", tried, line);
}

/* ---- The campaign --------------------------------------------------------------------------------------------- */

static void add(batch_result *to, const batch_result *from) {
    to->batches += from->batches;
    to->drawn += from->drawn;
    to->right += from->right;
    to->wrong += from->wrong;
    to->programs += from->programs;
    histogram_merge(&to->histogram, &from->histogram);
}

/* What is finished, and what the workers have so far. */
static batch_result sum(const office *o) {
    batch_result all = *o->total;
    for (uint32_t i = 0; i < o->c->jobs; i++)
        if (o->workers[i].pid)
            add(&all, o->workers[i].result);
    return all;
}

static bool start(office *o, worker *w) {
    const uint64_t left = o->batches - o->next, fair = (left + o->c->jobs - 1) / o->c->jobs;
    const uint64_t count = fair < SHIFT ? fair : SHIFT;
    assert(w->result);
    memset(w->result, 0, sizeof *w->result);
    w->steps = 0;
    w->since = seconds();
    fflush(NULL);
    w->pid = fork();
    if (w->pid == 0) {
        signal(SIGINT, SIG_IGN); /* a terminal sends it to all; the parent ends its workers */
        signal(SIGTERM, SIG_DFL);
        exit(work(o->c, o->next, count, w->result));
    }
    if (w->pid < 0) {
        perror("fork");
        w->pid = 0;
        return false;
    }
    o->next += count;
    return true;
}

/* Look after one worker: take in what it left when it ended, end it when it hangs. */
static void look_after(office *o, worker *w) {
    int status = 0;
    if (w->result->steps != w->steps) {
        w->steps = w->result->steps;
        w->since = seconds();
    }
    if (waitpid(w->pid, &status, WNOHANG) == w->pid) {
        w->pid = 0;
        add(o->total, w->result);
        o->no_device = o->no_device || (WIFEXITED(status) && WEXITSTATUS(status) == NO_DEVICE);
        if (!(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || o->no_device)))
            report_crash(o, w, status);
    } else if (seconds() - w->since > SILENCE_SECONDS) {
        kill(w->pid, SIGKILL);
    }
}

static void say(office *o) {
    const batch_result now = sum(o);
    const double passed = seconds() - o->start;
    printf("%6.0f s: %" PRIu64 " right, %" PRIu64 " wrong, %" PRIu64 " drawn, %" PRIu64 " programs, %" PRIu64
           " batches, %.0f right/s\n",
           passed, now.right, now.wrong, now.drawn, now.programs, now.batches, (double)now.right / passed);
    fflush(stdout);
    o->said = seconds();
}

/* More batches where the strategies of some hardly ever applied. */
static void make_up(office *o) {
    const uint64_t per_batch = o->c->batch.problems, most = 4 * (o->c->count / per_batch + 4);
    if (o->total->right < o->c->count && o->batches < most)
        o->batches += (o->c->count - o->total->right + per_batch - 1) / per_batch;
}

/* Memory that this process and its children see alike. */
static void *shared_memory(size_t bytes) {
    FILE *const file = tmpfile();
    void *memory = MAP_FAILED;
    if (file && ftruncate(fileno(file), (off_t)bytes) == 0)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    if (memory == MAP_FAILED)
        perror("shared memory");
    if (file)
        fclose(file);
    return memory == MAP_FAILED ? NULL : memory;
}

static bool open_office(office *o) {
    batch_result *const shared = shared_memory(o->c->jobs * sizeof(batch_result));
    if (!shared)
        return false;
    for (uint32_t i = 0; i < o->c->jobs; i++)
        o->workers[i].result = &shared[i];
    o->batches = (o->c->count + o->c->batch.problems - 1) / o->c->batch.problems;
    o->start = o->said = seconds();
    return true;
}

/* End what runs; what it counted so far stays. */
static void close_office(office *o) {
    *o->total = sum(o);
    for (uint32_t i = 0; i < o->c->jobs; i++) {
        worker *const w = &o->workers[i];
        if (w->pid && kill(w->pid, SIGKILL) == 0)
            waitpid(w->pid, NULL, 0);
        w->pid = 0;
    }
}

bool campaign_run(const campaign *c, batch_result *total) {
    static office o;
    memset(&o, 0, sizeof o);
    memset(total, 0, sizeof *total);
    o.c = c;
    o.total = total;
    bool ok = open_office(&o), late = false;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    for (uint32_t busy = 1; ok && busy > 0 && !late && !o.no_device && !interrupted;) {
        busy = 0;
        late = c->seconds && seconds() - o.start > (double)c->seconds;
        for (uint32_t i = 0; i < c->jobs; i++) {
            worker *const w = &o.workers[i];
            if (w->pid)
                look_after(&o, w);
            if (!w->pid && o.next < o.batches && total->wrong < WRONG_MOST)
                ok = start(&o, w) && ok;
            busy += w->pid != 0;
        }
        if (busy == 0 && total->wrong == 0) {
            make_up(&o);
            busy = o.next < o.batches;
        }
        if (seconds() - o.said > 30)
            say(&o);
        pause_briefly();
    }
    close_office(&o);
    say(&o);
    return ok && !o.no_device && !interrupted && total->wrong == 0 && (late || total->right >= c->count);
}
