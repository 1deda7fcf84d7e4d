/* What host and kernels share: the structs of kernel arguments, what a launch does, the layout of its counters, limits.
 * C and OpenCL C both compile this file; tests/device/test_abi.c compares sizes and offsets. Strides, offsets and
 * lengths count elements unless told otherwise. `jobs` are split over work-groups, `jobs_per_group` to each. A number
 * `per_x` is the reciprocal of x (src/families/geometry.c), 0 for 1. */
#ifndef ARGMAX_CL_ABI_H
#define ARGMAX_CL_ABI_H

#define MAX_RANK 8

/* Types of one width on both sides. Lists of dims and the tail of some structs are as long as a kernel's options want
 * them: arguments are copied with every launch, and what a kernel reads first lies close together, which small tensors
 * notice. The host has room for all: set_dims (src/runtime/kernel_pool.c) takes what the kernel wants. */
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define ON_DEVICE
typedef uint abi_uint;
typedef ulong abi_ulong;
typedef long abi_long;
#define ROOM (KEPT > REDUCED ? KEPT : REDUCED)
#else
#include <argmax_cl/argmax_cl.h>
typedef cl_uint abi_uint;
typedef cl_ulong abi_ulong;
typedef cl_long abi_long;
#define ROOM MAX_RANK
#if MAX_RANK != ARGMAX_CL_MAX_RANK
#error "the lists of dims have another length than the interface"
#endif
#endif

/* ---- arguments ---- */

/* MASK: strides of the mask; `along` between the elements of a vector, `step` where the kernel's own struct has a
 * stride of the input. */
typedef struct {
    abi_long offset, along, step;
    abi_long reduced[ROOM];
    abi_long kept[ROOM];
} mask_dims_t;

/* BOTH: the maximum's outputs; `column_x` where the kernel's own struct has such strides. */
typedef struct {
    abi_long index_offset, value_offset, column_index, column_value;
    abi_long kept_index[ROOM];
    abi_long kept_value[ROOM];
} maximum_dims_t;

/* REPEATED: a reduced dim along which the input has the same element again, and which nobody reads. Indices are told
 * with it: `added` more for each `every` of those that are read, and once more where the last of equals is wanted. */
typedef struct {
    abi_ulong every, added;
} repeated_dim_t;

/* Every kernel: the collapsed problem. */
typedef struct {
    abi_ulong outputs, reduction;
    abi_long in_offset, index_offset, value_offset;
    abi_ulong reduced_size[ROOM];
    abi_long reduced_in[ROOM];
    abi_ulong kept_size[ROOM];
    abi_long kept_in[ROOM];
    abi_long kept_index[ROOM];
    abi_long kept_value[ROOM];
#if !defined(ON_DEVICE) || MASKED
    mask_dims_t mask;
#endif
#if !defined(ON_DEVICE) || BOTH
    maximum_dims_t maximum;
#endif
#if !defined(ON_DEVICE) || REPEATED
    repeated_dim_t repeated;
#endif
#ifndef ON_DEVICE
    abi_ulong kept_count, reduced_count; /* KEPT, REDUCED */
#endif
} dims_t;

/* OVERLAP with aligned vectors of narrow elements: elements of the buffer that the tensor addresses first and last. */
typedef struct {
    abi_ulong first, last;
} rows_ends_t;

/* `vectors` and `part_length` count vectors. */
typedef struct {
    abi_ulong jobs, jobs_per_group, parts, per_parts;
    abi_ulong vectors, part_length;     /* of an output, of a part */
    abi_ulong segment, segment_vectors; /* length of the last reduced dim */
    abi_long stride;                    /* input stride of the last reduced dim */
#if !defined(ON_DEVICE) || (OVERLAP && LOAD_ALIGNED)
    rows_ends_t ends;
#endif
} rows_t;

/* LOAD_SHIFTED: work-items' shares of rows that begin from whole_from to whole_to are read by the aligned words around
 * them, others element by element, as words would reach beyond the tensor. */
typedef struct {
    abi_ulong jobs, jobs_per_group;
    abi_uint vectors, elements; /* of a row */
    abi_long whole_from, whole_to;
} register_rows_t;

/* Rows and columns are those that are FUSED; LOAD_SHIFTED: rows count words. Here `per_x` is 2^32 / x, rounded up; 0
 * for 1. */
typedef struct {
    abi_ulong jobs, jobs_per_group;
    abi_ulong outers;              /* blocks in all */
    abi_uint blocks;               /* of a job */
    abi_uint rows, columns;        /* of a block */
    abi_uint answers, per_answers; /* of a block */
    abi_uint vectors, per_vectors; /* of a row */
    abi_uint wides, per_wides;     /* wide loads of a block, where it has a pad */
    abi_uint pad;                  /* elements behind a block in local memory */
    abi_uint pass;                 /* vectors at once: of columns, or of whole blocks where rows are FUSED */
    abi_uint size;                 /* elements of a block */
} blocks_t;

typedef struct {
    abi_ulong jobs, jobs_per_group;
    abi_ulong parts, part_length;           /* of an output, and segments of a part */
    abi_ulong columns, tiles, tile_columns; /* outputs side by side, tiles that cover them, outputs of a tile */
    abi_ulong segments;                     /* of an output */
    abi_ulong segment, segment_vectors;
    abi_ulong length; /* of the last kept dim; and its strides: see columns_t */
    abi_long column_stride, column_mask;
} segments_t;

/* `blocks` follow each other without gaps, in runs along the first `outer_dims` of the kept dims; `tiles` of jobs cover
 * a run. `length` of them lie along the last of their dims, whose outputs are these strides apart, as are the columns:
 * see columns_t. All of them come `layers` times; what is asked for lies so many of these ahead. */
typedef struct {
    abi_ulong jobs, jobs_per_group;
    abi_ulong blocks, length;
    abi_ulong tiles, per_tiles;
    abi_uint layers, prefetch_layers;
    abi_uint job_vectors, outer_dims; /* vectors of blocks of a job, at most PANEL */
    abi_long block_index, block_value, column_index, column_value;
} transposed_t;

/* TAIL: chunks behind the parts, and the rows of one. */
typedef struct {
    abi_uint chunks, chunk;
} columns_tail_t;

/* PREFETCH_DISTANCE: from a row to the one that is asked for, so many rows and jobs later; the next job begins `next`
 * elements behind this one. */
typedef struct {
    abi_uint rows_ahead, jobs_ahead;
    abi_long next;
} columns_prefetch_t;

typedef struct {
    abi_ulong jobs, jobs_per_group, parts;
    abi_ulong rows, part_length; /* rows of a column, of a part */
    abi_ulong columns, tiles,
        tile_columns;                /* size of the last kept dim (times FUSED), tiles that cover it, columns of one */
    abi_uint inner, apart;           /* columns of an output, more than 1: INNER; with APART from one of these to
                                        the next, with ROW_DIMS from the first of the last kept dim to the next
                                        such one, else with FUSED from a row to the next */
    abi_ulong outers;                /* outputs / columns */
    abi_ulong per_tiles, per_outers; /* their reciprocals */
    abi_ulong segment;               /* size of the last reduced dim that is walked (in rows that are FUSED) */
    abi_long stride;                 /* input stride of the last reduced dim */
    /* Strides of the columns: input, outputs. Not looked up in dims, since Mesa 22.3 crashes while it compiles an
     * access at an index that is itself an argument. */
    abi_long column_stride, column_index, column_value;
#ifndef ON_DEVICE
    union {
        columns_prefetch_t prefetch;
        columns_tail_t tail;
    };
    abi_ulong segment_rows;
#else
#if PREFETCH_DISTANCE
    columns_prefetch_t prefetch;
#elif TAIL
    columns_tail_t tail;
#endif
#if FUSED > 1
    abi_ulong segment_rows; /* size of the last reduced dim */
#endif
#endif
} columns_t;

/* `columns` elements lie side by side, `tile_columns` of them a tile; `inner` of them, `apart` from each other, belong
 * to one output: `answers` in all, `tile_answers` a tile. `pitch` columns after each of those, or after `apart`
 * outputs, the next ones begin, maybe behind a gap. `fused` rows that follow each other in memory are one here, of
 * `row` elements each, and `rest` of them are left at the end. `across` work-items lie side by side over a tile, and
 * `sharing` times as many share its rows. `interleaved` parts take turns at the rows of a segment. `per_across` is
 * 2^32 / across, rounded up, 0 for 1, and `per_pitch`, `per_apart` and, of fused rows, `per_row` the same. TAIL: each
 * work-item has `steady` rows, and `tail_chunks` follow those of all. INNER_FIRST: of the columns of an output each of
 * `windows` has `inner`, the last one the last of them; neighbouring parts have neighbouring windows. */
typedef struct {
    abi_ulong jobs, jobs_per_group, parts;
    abi_ulong rows, part_length; /* fused ones of a column, of a part */
    abi_ulong columns, tiles, answers;
    abi_ulong outers;                    /* blocks in all */
    abi_ulong per_tiles, per_outers;     /* their reciprocals */
    abi_ulong segment;                   /* rows of the last dim that is walked */
    abi_long stride;                     /* input stride of that dim (of fused rows) */
    abi_long column_stride;              /* between neighbours */
    abi_long column_index, column_value; /* between neighbouring outputs */
    abi_ulong first, last;               /* elements of the buffer that the tensor addresses first and last */
    abi_uint tile_columns, across, per_across, sharing;
    abi_uint fused, row, per_row, rest, inner, pitch, per_pitch, apart, per_apart, interleaved;
    abi_uint tile_answers, steady, tail_chunks, windows;
} stream_t;

/* TAIL: what a work-group of a stream claims at most. */
#define STREAM_CHUNKS_MOST 16

/* Elements of a reduction that few_rows.cl takes. */
#define FEW_ELEMENTS_MOST 1024

/* `vectors` in all, `row_vectors` over the last kept dim, of which the last one begins with `last_before`
 * outputs of the one before it; a work-item has `turns` of them one after the other. LOAD_SHIFTED: vectors that begin
 * there, for the first element of a reduction, have all their words inside the tensor. IN_TURN: the kept dim before the
 * last one has `others`, and `per_row_vectors` is the reciprocal of row_vectors / ACROSS. */
typedef struct {
    abi_ulong jobs, jobs_per_group;
    abi_ulong vectors, row_vectors, per_row_vectors;
    abi_long column_stride, column_index, column_value; /* between neighbouring outputs: see columns_t */
    abi_long whole_from, whole_to;
    abi_ulong others, per_others;
    abi_uint elements, turns, last_before, unused;
} few_rows_t;

/* The reduced dims come in the order of memory; the last of them, without gaps, are a segment of `segment` elements,
 * and `outer` are not in it. The index is first_index and, for each step along a dim, its weight; STRAIGHT: it rises
 * along `straight` vectors. The tensor addresses the elements first to last of the buffer. */
typedef struct {
    abi_ulong jobs, jobs_per_group, parts, per_parts;
    abi_ulong vectors, part_length; /* of an output, of a part */
    abi_ulong segment, segment_vectors, outer, straight;
    abi_ulong first, last, first_index;
    abi_long prefetch_by; /* PREFETCH_DISTANCE: from a vector to what is read so much later */
    abi_long weight[MAX_RANK];
} permuted_t;

typedef struct {
    abi_ulong jobs, jobs_per_group, parts;
} merge_t;

/* Runs of `length` elements, which `lanes` work-items share, `row_runs` of them along the last of the tensor's
 * dims; `answers` and `from`: where what is copied lies in the workspace, along dims that are copied always the same.
 */
typedef struct {
    abi_ulong jobs, jobs_per_group;
    abi_ulong runs, row_runs, per_row_runs, length;
    abi_uint lanes, unused;
    abi_long offset, answers;
    abi_ulong size[MAX_RANK], per_size[MAX_RANK];
    abi_long stride[MAX_RANK], from[MAX_RANK];
} copies_t;

typedef struct {
    abi_ulong stage;
    abi_ulong counter;      /* the launch's first one */
    abi_uint lanes;         /* work-items that merge an output */
    abi_uint unit_counters; /* of one, with what stands beside its own */
    abi_uint sets;          /* of words of each unit, a power of two */
    abi_uint set_words;     /* of one */
} finish_t;

/* ---- launches that scan and merge ---- */

/* What a launch does. */
#define STAGE_BOTH 0
#define STAGE_SCAN 1
#define STAGE_MERGE 2

/* Counters of a unit, an output or a tile of columns: the first counts arrivals, the second, if any, claimed chunks;
 * from the third on stand words of 64 bits, as long as two counters: one for the best so far of each extreme of each of
 * its outputs, in each of up to WORD_SETS sets, or two for each part of its only one. */
#define WORD_SETS 8
#define COUNTERS_ALONE 1
#define COUNTERS_WITH_CHUNKS 2
#define COUNTERS_WITH_BESTS(words) (COUNTERS_WITH_CHUNKS + 2 * (words))
#define COUNTERS_WITH_PARTS(parts) (COUNTERS_WITH_CHUNKS + 4 * (parts))

/* Partials that a work-item of a group has in flight. */
#define MERGE_LOADS(group) ((group) > 1 ? 8 : 1)

#endif
