/* Threads of the team that are free claim pieces of a job, a transfer of several after the other; the thread that waits
 * for it is one of the team: see sender.h. */
#include "api/sender.h"

#include "api/host_arrays.h"

#include <pthread.h>
#include <stdlib.h>
#ifndef _WIN32
#include <signal.h>
#include <unistd.h>
#endif

#define MEMBERS 12u
#define TRANSFERS_MOST 16u /* as the field allows */

/* Pinned memory that is packed by pieces and then sent as one. */
typedef struct transfer {
    unsigned char *memory;
    cl_event sent;            /* when it was used last; NULL: never */
    uint64_t first, elements; /* of the job */
    uint64_t claimed, packed; /* of these */
    bool open;                /* from its first piece's claim until it is sent */
} transfer;

struct sender {
    cl_command_queue queue; /* of the mapping alone */
    cl_mem pinned;
    unsigned char *mapped;
    sender_sizes sizes;
    uint32_t count;             /* of members */
    pthread_t threads[MEMBERS]; /* the first member has none: it is the caller */
    uint32_t turn;              /* the transfer that is filled, or the next one */
    transfer transfers[TRANSFERS_MOST];
    bool has_lock, has_changed, stop;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* whatever somebody may wait for */
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

/* A piece: `count` elements from `first` of the transfer `of`. */
typedef struct piece {
    transfer *of;
    uint64_t first, count;
} piece;

/* With the lock held: false where the transfer whose turn it is has not been sent yet. */
static bool claim(sender *team, piece *p) {
    const uint64_t element = team->view.type->bits / 8, most = team->sizes.piece_bytes / element;
    transfer *const t = &team->transfers[team->turn];
    if (t->open && t->claimed == t->elements)
        return false;
    if (!t->open) {
        const uint64_t left = team->elements - team->taken, all = team->sizes.transfer_bytes / element;
        *t = (transfer){.memory = t->memory,
                        .sent = t->sent,
                        .first = team->taken,
                        .elements = left < all ? left : all,
                        .open = true};
    }
    const uint64_t left = t->elements - t->claimed;
    *p = (piece){t, t->claimed, left < most ? left : most};
    t->claimed += p->count;
    team->taken += p->count;
    if (t->claimed == t->elements)
        team->turn = (team->turn + 1) % team->sizes.transfers;
    return true;
}

/* All that pack pieces of a transfer wait for what it has sent before; who packs the last one lets that event go. */
static cl_int pack(const sender *team, const piece *p, const char **call) {
    const transfer *const t = p->of;
    *call = "clWaitForEvents";
    const cl_int code = t->sent ? clWaitForEvents(1, &t->sent) : CL_SUCCESS;
    if (code == CL_SUCCESS)
        host_gather_range(team->array, &team->view, t->first + p->first, p->count,
                          t->memory + p->first * (team->view.type->bits / 8));
    return code;
}

static cl_int send_all(const sender *team, transfer *t, const char **call) {
    const size_t element = team->view.type->bits / 8;
    if (t->sent)
        clReleaseEvent(t->sent);
    *call = "clEnqueueWriteBuffer";
    const cl_int code = clEnqueueWriteBuffer(team->to_queue, team->to, CL_FALSE, (size_t)t->first * element,
                                             (size_t)t->elements * element, t->memory, 0, NULL, &t->sent);
    if (code != CL_SUCCESS) {
        t->sent = NULL;
        return code;
    }
    *call = "clFlush";
    return clFlush(team->to_queue);
}

/* With the lock held, before and after. After a failure nothing more is claimed or sent. */
static void note(sender *team, cl_int code, const char *call) {
    if (code == CL_SUCCESS || team->code != CL_SUCCESS)
        return;
    team->code = code;
    team->call = call;
    team->taken = team->elements;
}

/* With the lock held, before and after. */
static void take_pieces(sender *team) {
    while (team->taken < team->elements) {
        piece p;
        if (!claim(team, &p)) {
            pthread_cond_wait(&team->changed, &team->lock);
            continue;
        }
        const char *call = NULL;
        team->busy++;
        pthread_mutex_unlock(&team->lock);
        cl_int code = pack(team, &p, &call);
        pthread_mutex_lock(&team->lock);
        note(team, code, call);
        p.of->packed += p.count;
        if (p.of->packed == p.of->elements && team->code == CL_SUCCESS) {
            pthread_mutex_unlock(&team->lock);
            code = send_all(team, p.of, &call);
            pthread_mutex_lock(&team->lock);
            note(team, code, call);
            p.of->open = false;
        }
        team->busy--;
        pthread_cond_broadcast(&team->changed);
    }
}

/* ---- The team ---------------------------------------------------------------------------------------------------- */

static void *work(void *argument) {
    sender *const team = argument;
    pthread_mutex_lock(&team->lock);
    while (!team->stop) {
        take_pieces(team);
        if (!team->stop)
            pthread_cond_wait(&team->changed, &team->lock);
    }
    pthread_mutex_unlock(&team->lock);
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
static bool start(sender *team, pthread_t *thread) {
#ifndef _WIN32
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
#endif
    const bool good = pthread_create(thread, NULL, work, team) == 0;
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
    team->has_lock = pthread_mutex_init(&team->lock, NULL) == 0;
    team->has_changed = team->has_lock && pthread_cond_init(&team->changed, NULL) == 0;
    if (!team->has_changed)
        return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for a lock");
    for (team->count = 1; team->count < wanted && start(team, &team->threads[team->count]);)
        team->count++;
    return ARGMAX_CL_SUCCESS;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

sender_sizes sender_sizes_for(const tuning_row *tuning, uint64_t bytes) {
    const uint64_t most = least(bytes, tuning->transfer_bytes), align = sizeof(cl_ulong16);
    const uint64_t share = most / tuning->transfer_pieces,
                   each = share < tuning->piece_bytes ? tuning->piece_bytes : share;
    sender_sizes s;
    s.piece_bytes = (least(each, bytes) + align - 1) / align * align;
    s.transfer_bytes = s.piece_bytes * least(tuning->transfer_pieces, (bytes - 1) / s.piece_bytes + 1);
    s.transfers = (uint32_t)least(tuning->transfers, (bytes - 1) / s.transfer_bytes + 1);
    return s;
}

argmax_cl_status sender_open(cl_context context, cl_device_id device, const tuning_row *tuning, uint64_t bytes,
                             sender **out) {
    sender *const team = calloc(1, sizeof *team);
    *out = team;
    if (!team)
        return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for threads, %zu bytes", sizeof *team);
    const sender_sizes sizes = team->sizes = sender_sizes_for(tuning, bytes);
    argmax_cl_status status = open_pinned(team, context, device, sizes.transfer_bytes * sizes.transfers);
    for (uint32_t i = 0; i < sizes.transfers && !status; i++)
        team->transfers[i].memory = team->mapped + sizes.transfer_bytes * i;
    if (!status)
        status = open_members(team, (uint32_t)least(processors(), (bytes - 1) / sizes.piece_bytes + 1));
    if (!status)
        return status;
    sender_close(team);
    *out = NULL;
    return status;
}

/* ---- A job ------------------------------------------------------------------------------------------------------- */

void sender_start(sender *team, const void *array, const tensor_view *view, cl_command_queue queue, cl_mem buffer) {
    pthread_mutex_lock(&team->lock);
    for (uint32_t i = 0; i < team->sizes.transfers; i++)
        team->transfers[i].open = false; /* those that a failed job left */
    team->array = array;
    team->view = *view;
    team->to_queue = queue;
    team->to = buffer;
    team->code = CL_SUCCESS;
    team->taken = 0;
    team->elements = 1;
    for (uint32_t axis = 0; axis < MAX_RANK; axis++)
        team->elements *= view->size[axis];
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
}

argmax_cl_status sender_wait(sender *team) {
    pthread_mutex_lock(&team->lock);
    take_pieces(team);
    while (team->busy)
        pthread_cond_wait(&team->changed, &team->lock);
    const cl_int code = team->code;
    team->code = CL_SUCCESS;
    pthread_mutex_unlock(&team->lock);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl(team->call, code);
}

argmax_cl_status sender_finish(sender *team) {
    cl_int code = CL_SUCCESS;
    for (uint32_t i = 0; i < team->sizes.transfers && code == CL_SUCCESS; i++)
        code = let_go(&team->transfers[i].sent);
    return code == CL_SUCCESS ? ARGMAX_CL_SUCCESS : fail_opencl("clWaitForEvents", code);
}

static void close_members(sender *team) {
    if (team->has_changed) {
        pthread_mutex_lock(&team->lock);
        team->stop = true;
        pthread_cond_broadcast(&team->changed);
        pthread_mutex_unlock(&team->lock);
    }
    for (uint32_t i = 1; i < team->count; i++)
        pthread_join(team->threads[i], NULL);
    for (uint32_t i = 0; i < team->sizes.transfers; i++)
        if (team->transfers[i].sent)
            clReleaseEvent(team->transfers[i].sent);
    if (team->has_changed)
        pthread_cond_destroy(&team->changed);
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
