/* Threads of the team that are free claim pieces of a job; the thread that waits for it is one of the team: see
 * sender.h. */
#include "api/sender.h"

#include "api/host_arrays.h"

#include <pthread.h>
#include <stdlib.h>
#ifndef _WIN32
#include <signal.h>
#include <unistd.h>
#endif

#define MEMBERS 12u
/* Shorter pieces cost more to send than they take. */
#define PIECE_BYTES ((uint64_t)2 << 20)

/* While one half of a member's memory is on its way, the other one is packed. */
typedef struct member {
    sender *team;
    pthread_t thread; /* the first member has none: it is the caller */
    unsigned char *half[2];
    cl_event sent[2]; /* NULL: the half is free */
    uint32_t turn;
} member;

struct sender {
    cl_command_queue queue; /* of the mapping alone */
    cl_mem pinned;
    unsigned char *mapped;
    uint64_t piece_bytes;
    uint32_t count; /* of members */
    member members[MEMBERS];
    bool has_lock, has_started, has_finished, stop;
    pthread_mutex_t lock;
    pthread_cond_t started, finished;
    /* The job: none when all its elements are taken and nobody is at one. */
    const void *array;
    tensor_view view;
    cl_command_queue to_queue;
    cl_mem to;
    uint64_t elements, taken;
    uint32_t busy;    /* members */
    cl_int code;      /* of the first failure */
    const char *call; /* that failed */
};

/* ---- A piece ----------------------------------------------------------------------------------------------------- */

static cl_int let_go(cl_event *event) {
    const cl_int code = *event ? clWaitForEvents(1, event) : CL_SUCCESS;
    if (*event)
        clReleaseEvent(*event);
    *event = NULL;
    return code;
}

static cl_int send_piece(member *m, uint64_t first, uint64_t count, const char **call) {
    const sender *const team = m->team;
    const size_t element = team->view.type->bits / 8;
    const uint32_t half = m->turn++ % 2;
    *call = "clWaitForEvents";
    cl_int code = let_go(&m->sent[half]);
    if (code != CL_SUCCESS)
        return code;
    host_gather_range(team->array, &team->view, first, count, m->half[half]);
    *call = "clEnqueueWriteBuffer";
    code = clEnqueueWriteBuffer(team->to_queue, team->to, CL_FALSE, (size_t)first * element, (size_t)count * element,
                                m->half[half], 0, NULL, &m->sent[half]);
    if (code != CL_SUCCESS) {
        m->sent[half] = NULL;
        return code;
    }
    *call = "clFlush";
    return clFlush(team->to_queue);
}

/* With the lock held, before and after. */
static void take_pieces(member *m) {
    sender *const team = m->team;
    while (team->taken < team->elements) {
        const uint64_t first = team->taken, most = team->piece_bytes / (team->view.type->bits / 8);
        const uint64_t count = team->elements - first < most ? team->elements - first : most;
        const char *call = NULL;
        team->taken += count;
        team->busy++;
        pthread_mutex_unlock(&team->lock);
        const cl_int code = send_piece(m, first, count, &call);
        pthread_mutex_lock(&team->lock);
        if (code != CL_SUCCESS && team->code == CL_SUCCESS) {
            team->code = code;
            team->call = call;
            team->taken = team->elements;
        }
        if (--team->busy == 0)
            pthread_cond_signal(&team->finished);
    }
}

/* ---- The team ---------------------------------------------------------------------------------------------------- */

static void *work(void *argument) {
    member *const m = argument;
    pthread_mutex_lock(&m->team->lock);
    while (!m->team->stop) {
        take_pieces(m);
        if (!m->team->stop)
            pthread_cond_wait(&m->team->started, &m->team->lock);
    }
    pthread_mutex_unlock(&m->team->lock);
    return NULL;
}

static uint32_t processors(void) {
#ifdef _SC_NPROCESSORS_ONLN
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < (long)MEMBERS ? (uint32_t)count : MEMBERS;
#else
    return 4;
#endif
}

/* The program's signals stay with its own threads. */
static bool start(member *m) {
#ifndef _WIN32
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
#endif
    const bool good = pthread_create(&m->thread, NULL, work, m) == 0;
#ifndef _WIN32
    pthread_sigmask(SIG_SETMASK, &before, NULL);
#endif
    return good;
}

static argmax_cl_status open_pinned(sender *team, cl_context context, cl_device_id device, uint64_t bytes) {
    cl_int code = CL_SUCCESS;
    team->queue = clCreateCommandQueue(context, device, 0, &code);
    if (code != CL_SUCCESS) {
        team->queue = NULL;
        return fail_opencl("clCreateCommandQueue", code);
    }
    team->pinned = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, (size_t)bytes, NULL, &code);
    if (code != CL_SUCCESS) {
        team->pinned = NULL;
        return fail_buffer("pinned memory", bytes, code);
    }
    team->mapped =
        clEnqueueMapBuffer(team->queue, team->pinned, CL_TRUE, CL_MAP_WRITE, 0, (size_t)bytes, 0, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        return ARGMAX_CL_SUCCESS;
    team->mapped = NULL;
    return fail_opencl("clEnqueueMapBuffer", code);
}

static argmax_cl_status open_members(sender *team, uint32_t wanted) {
    for (uint32_t i = 0; i < wanted; i++) {
        member *const m = &team->members[i];
        m->team = team;
        m->half[0] = team->mapped + team->piece_bytes * 2 * i;
        m->half[1] = m->half[0] + team->piece_bytes;
    }
    team->has_lock = pthread_mutex_init(&team->lock, NULL) == 0;
    team->has_started = team->has_lock && pthread_cond_init(&team->started, NULL) == 0;
    team->has_finished = team->has_started && pthread_cond_init(&team->finished, NULL) == 0;
    if (!team->has_finished)
        return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for a lock");
    for (team->count = 1; team->count < wanted && start(&team->members[team->count]);)
        team->count++;
    return ARGMAX_CL_SUCCESS;
}

argmax_cl_status sender_open(cl_context context, cl_device_id device, uint64_t bytes, sender **out) {
    const uint64_t piece = bytes < PIECE_BYTES ? bytes : PIECE_BYTES, pieces = (bytes - 1) / piece + 1;
    const uint32_t most = processors(), wanted = pieces < most ? (uint32_t)pieces : most;
    sender *const team = calloc(1, sizeof *team);
    *out = team;
    if (!team)
        return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for threads, %zu bytes", sizeof *team);
    team->piece_bytes = piece;
    argmax_cl_status status = open_pinned(team, context, device, piece * 2 * wanted);
    if (!status)
        status = open_members(team, wanted);
    if (!status)
        return status;
    sender_close(team);
    *out = NULL;
    return status;
}

/* ---- A job ------------------------------------------------------------------------------------------------------- */

void sender_start(sender *team, const void *array, const tensor_view *view, cl_command_queue queue, cl_mem buffer) {
    pthread_mutex_lock(&team->lock);
    team->array = array;
    team->view = *view;
    team->to_queue = queue;
    team->to = buffer;
    team->code = CL_SUCCESS;
    team->taken = 0;
    team->elements = 1;
    for (uint32_t axis = 0; axis < MAX_RANK; axis++)
        team->elements *= view->size[axis];
    pthread_cond_broadcast(&team->started);
    pthread_mutex_unlock(&team->lock);
}

argmax_cl_status sender_wait(sender *team) {
    pthread_mutex_lock(&team->lock);
    take_pieces(&team->members[0]);
    while (team->busy)
        pthread_cond_wait(&team->finished, &team->lock);
    const cl_int code = team->code;
    team->code = CL_SUCCESS;
    pthread_mutex_unlock(&team->lock);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl(team->call, code);
}

argmax_cl_status sender_finish(sender *team) {
    cl_int code = CL_SUCCESS;
    for (uint32_t i = 0; i < 2 * team->count && code == CL_SUCCESS; i++)
        code = let_go(&team->members[i / 2].sent[i % 2]);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clWaitForEvents", code);
}

static void close_members(sender *team) {
    if (team->has_finished) {
        pthread_mutex_lock(&team->lock);
        team->stop = true;
        pthread_cond_broadcast(&team->started);
        pthread_mutex_unlock(&team->lock);
    }
    for (uint32_t i = 1; i < team->count; i++)
        pthread_join(team->members[i].thread, NULL);
    for (uint32_t i = 0; i < 2 * team->count; i++)
        if (team->members[i / 2].sent[i % 2])
            clReleaseEvent(team->members[i / 2].sent[i % 2]);
    if (team->has_finished)
        pthread_cond_destroy(&team->finished);
    if (team->has_started)
        pthread_cond_destroy(&team->started);
    if (team->has_lock)
        pthread_mutex_destroy(&team->lock);
}

void sender_close(sender *team) {
    if (!team)
        return;
    close_members(team);
    if (team->mapped)
        clEnqueueUnmapMemObject(team->queue, team->pinned, team->mapped, 0, NULL, NULL);
    if (team->queue && clFinish(team->queue) != CL_SUCCESS)
        clFinish(team->queue);
    if (team->pinned)
        clReleaseMemObject(team->pinned);
    if (team->queue)
        clReleaseCommandQueue(team->queue);
    free(team);
}
