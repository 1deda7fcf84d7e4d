/* What the files of a stream share: stream.c runs over the blocks, stream_block.c says where a block lies and plans it,
 * stream_slot.c sends it, stream_answers.c takes its answers. */
#ifndef ARGMAX_CL_STREAM_PARTS_H
#define ARGMAX_CL_STREAM_PARTS_H

#include "api/sender.h"
#include "api/stream.h"
#include "problem/cut.h"

/* Of copies one is sent while another is computed on and the answers of a third are taken; what is used in place is
 * computed on, or its answers are taken. */
#define SLOTS_COPIED 3u
#define SLOTS_IN_PLACE 2u
#define PLANS 8u /* blocks of one cut have up to 2^(axes cut) shapes; few have more than one axis cut */

/* Outputs of a block: an index, and a value or none, of each extreme. */
#define OUTPUTS_MOST 4u

/* A block and all that it needs on its way through the device. */
typedef struct slot {
    cl_command_queue queue; /* owned by the first slot that has it */
    bool owns_queue, busy;
    argmax_cl_buffers buffers;
    cl_mem workspace;
    size_t workspace_bytes;
    void *answers[OUTPUTS_MOST]; /* packed, of a block */
    cl_event ready, done;        /* before and after the kernels; ready only where time is taken */
    cut_block block;
    argmax_cl_plan plan; /* of the block; owned by the stream */
} slot;

typedef struct shaped_plan {
    argmax_cl_plan plan; /* NULL: free */
    uint64_t extent[MAX_RANK];
} shaped_plan;

typedef struct stream {
    const stream_task *task;
    const problem *p;
    cl_context context;
    cut cut;
    bool in_place, direct; /* direct: blocks' answers are the answers */
    uint64_t zero[MAX_RANK];
    const uint64_t *whole, *origin;
    problem extreme[2];                     /* p with one of its extremes alone */
    const dtype_info *output[OUTPUTS_MOST]; /* types of blocks' answers: index and value of each extreme; NULL: none */
    argmax_cl_partial *tile; /* of the blocks of a tile so far, `points` for each extreme; not where direct */
    sender *sender;          /* NULL: in place */
    shaped_plan plans[PLANS];
    uint32_t next_plan, slot_count;
    slot slots[SLOTS_COPIED];
    uint64_t elements_done;
    cl_ulong last_end; /* of a kernel, by the device's clock */
    double compute;
} stream;

/* ---- stream_block.c ---------------------------------------------------------------------------------------------- */

/* The block as a view of the caller's input or mask, and its part of an output. */
tensor_view stream_input_view(const stream *s, const cut_block *b, const tensor_view *whole);
tensor_view stream_output_view(const stream *s, const cut_block *b, const tensor_view *whole);
/* A view in the order in which it lies: *memory has its axes outermost first, walked upwards, neighbours made one;
 * packed[] and *offset are the strides of the copy that follows from that. */
void stream_pack_order(const tensor_view *block, uint32_t rank, tensor_view *memory, int64_t packed[MAX_RANK],
                       uint64_t *offset);
/* The slot's plan for its block. */
argmax_cl_status stream_find_plan(stream *s, slot *t);

/* The block's buffer for output i, and the caller's array and view of it. */
cl_mem *stream_output_buffer(slot *t, uint32_t i);
void *stream_output_array(const stream *s, uint32_t i);
static inline const tensor_view *stream_output_tensor(const stream *s, uint32_t i) {
    return i % 2 ? &s->extreme[i / 2].value : &s->extreme[i / 2].index;
}

/* ---- stream_slot.c ----------------------------------------------------------------------------------------------- */

argmax_cl_status stream_open_slot(stream *s, slot *t);
/* Its commands, which may use the caller's arrays, first come to their end. */
void stream_finish_slot(slot *t);
void stream_close_slot(slot *t);
/* Give the slot a block and begin to send it; then, when all of it is on its way, have the kernels follow. */
argmax_cl_status stream_begin(stream *s, slot *t, uint64_t which);
argmax_cl_status stream_submit(stream *s, slot *t);
/* Let go of what the block alone had, once it is done. */
void stream_end_block(const stream *s, slot *t);

/* ---- stream_answers.c -------------------------------------------------------------------------------------------- */

/* Wait for the slot's block and put its answers where they belong. */
argmax_cl_status stream_collect(stream *s, slot *t);

#endif
