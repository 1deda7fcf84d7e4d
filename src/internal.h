/* The stages of the library and what they hand on. Data flows one way:
 *
 *   descriptor -> check -> problem -> layout -> strategy -> geometry -> plan -> program -> launch -> event
 *
 * check, layout and strategy know no OpenCL object; launch decides nothing and allocates nothing on the host. */
#ifndef ARGMAX_CL_INTERNAL_H
#define ARGMAX_CL_INTERNAL_H

#include "abi.h"
#include <argmax_cl/argmax_cl.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- api/status.c: per-thread error detail ----------------------------------------------------------------------- */

#if defined(__MINGW32__)
#include <stdio.h> /* whose rules printf follows: those of C99, or those of an old msvcrt */
#define PRINTF_LIKE(text, first) __attribute__((__format__(__MINGW_PRINTF_FORMAT, text, first)))
#elif defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

/* Record the message for argmax_cl_last_error and return the status. */
argmax_cl_status fail(argmax_cl_status status, const char *format, ...) PRINTF_LIKE(2, 3);
/* The same with the code of the OpenCL call behind it, for argmax_cl_last_opencl_error. */
argmax_cl_status fail_with(argmax_cl_status status, cl_int code, const char *format, ...) PRINTF_LIKE(3, 4);
/* The same for an OpenCL call that returned `code`: ARGMAX_CL_ERROR_OPENCL, "clFoo failed with -5 (CL_OUT_OF_...)". */
argmax_cl_status fail_opencl(const char *call, cl_int code);
/* clCreateBuffer failed for `what`, "a workspace". */
argmax_cl_status fail_buffer(const char *what, uint64_t bytes, cl_int code);
/* As fail(BUILD), with the compiler's log appended as far as it fits. */
argmax_cl_status fail_build(const char *kernel, const char *options, cl_int code, const char *log);
/* Name of an OpenCL error code, "unknown" for others. */
const char *opencl_error_name(cl_int code);

/* ---- problem/dtype.c: the one table of element types ------------------------------------------------------------- */

typedef enum dtype_kind { KIND_FLOAT, KIND_SIGNED, KIND_UNSIGNED } dtype_kind;

typedef struct dtype_info {
    argmax_cl_dtype dtype;
    const char *name;
    uint32_t bits; /* 8, 16, 32, 64 */
    dtype_kind kind;
    uint32_t mantissa_bits; /* of a float; 0 otherwise */
    uint64_t no_winner;     /* bits of the value output of a slice without a winner */
    bool index_type;        /* allowed as index output */
} dtype_info;

/* NULL for an unknown dtype. */
const dtype_info *dtype_find(argmax_cl_dtype dtype);

/* ---- problem/check.c: every rule of the contract that needs no OpenCL -------------------------------------------- */

/* A checked tensor: strides resolved, products proven to fit. */
typedef struct tensor_view {
    const dtype_info *type; /* NULL: tensor not given */
    uint64_t size[MAX_RANK];
    int64_t stride[MAX_RANK]; /* elements */
    uint64_t offset;          /* elements */
    uint64_t first, last;     /* lowest and highest element addressed, inclusive; meaningless when empty */
    bool empty;               /* has no elements */
} tensor_view;

/* A checked descriptor: all that the later stages may know of it. */
typedef struct problem {
    argmax_cl_operator op;
    argmax_cl_direction direction, max_direction;
    argmax_cl_nan_mode nan_mode; /* PROPAGATE for integers: one program serves both modes */
    uint32_t rank;
    bool reduced[MAX_RANK]; /* by axis */
    uint64_t outputs;       /* number of output elements */
    uint64_t reduction;     /* elements in each reduction; at least 1 unless outputs is 0 */
    tensor_view input, mask, index, value, max_index, max_value;
    const char *strategy, *tuning; /* as in the descriptor; static names after strategy_request */
    const char *strategy_source;   /* who forced it, for messages (strategy_request) */
} problem;

argmax_cl_status check_desc(argmax_cl_operator op, const argmax_cl_desc *given, problem *out);

static inline bool is_masked(const problem *p) {
    return p->mask.type != NULL;
}
static inline bool has_values(const problem *p) {
    return p->value.type || p->max_value.type;
}
/* Whether the minimum and the maximum are wanted. */
static inline bool wants_both(const problem *p) {
    return p->op == ARGMAX_CL_ARGMINMAX;
}
/* tensor.c: bytes of the answers of one output, of all of them or of the largest. */
uint64_t answer_bytes(const problem *p, bool largest);
/* Of a partial answer in a workspace: (key, tie) of each extreme, kernels/memory/index.clh. */
static inline uint32_t partial_bytes(const problem *p) {
    return wants_both(p) ? 32 : 16;
}
/* The extremes of a problem: one, or the minimum (0) and the maximum (1); and a problem with that one alone. */
static inline uint32_t extremes_of(const problem *p) {
    return wants_both(p) ? 2 : 1;
}
problem problem_of_extreme(const problem *p, uint32_t x);
/* Whether the accumulator is the one of kernels/accumulate/general.clh. */
static inline bool is_general(const problem *p) {
    return is_masked(p) || wants_both(p);
}

/* |INT64_MIN| is 2^63, which only the unsigned type holds. */
static inline uint64_t magnitude(int64_t stride) {
    return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

/* a*b and a+b without wrapping: false when the result does not fit. */
bool multiply_u64(uint64_t a, uint64_t b, uint64_t *product);
bool add_u64(uint64_t a, uint64_t b, uint64_t *sum);

/* ---- runtime/buffers.c: every rule about OpenCL objects, checked at each enqueue --------------------------------- */

/* Queue of that context and device; whether it is out of order. */
argmax_cl_status check_queue(cl_context context, cl_device_id device, cl_command_queue queue, bool *out_of_order);
/* Buffers present, of the context, readable or writable by kernels (sub-buffers: host and device access flags count),
 * large enough for the problem's addressed ranges, outputs and workspace disjoint from all others (sub-buffers by
 * parent and origin, USE_HOST_PTR buffers by address), wait list sound. workspace_bytes 0: workspace ignored. The input
 * is read by vectors of input_vector elements that start at multiples of their size, 1 where any element may come
 * first, and so is the mask. *buffers is `given`, whatever version the caller has. `in_place`: so in the caller's
 * memory, too. */
argmax_cl_status check_enqueue(cl_context context, const problem *p, uint32_t input_vector, uint32_t mask_vector,
                               bool in_place, const argmax_cl_buffers *given, cl_mem workspace, size_t workspace_bytes,
                               cl_uint wait_count, const cl_event *wait_list, argmax_cl_buffers *buffers);

/* ---- problem/layout.c: the collapsed problem --------------------------------------------------------------------- */

typedef enum { OUTPUT_INDEX, OUTPUT_VALUE, OUTPUT_MAX_INDEX, OUTPUT_MAX_VALUE, OUTPUT_TENSORS } output_tensor;

/* One dimension after collapsing. Strides in elements, by tensor: 0 for tensors that are not given, and for outputs in
 * reduced dims. */
typedef struct layout_dim {
    uint64_t size;
    int64_t in, mask, index, value, max_index, max_value;
} layout_dim;

/* Kept dims sorted by falling |input stride|, unless outputs are taken in two orders (layout.c), reduced dims in
 * ascending axis order (their order is the answer), each merged with its neighbour where the strides allow it. Size-1
 * dims are gone, but each list has at least one dim. Kept dims have input strides >= 0 (a negative one is walked from
 * the other end: see the offsets). */
typedef struct layout {
    uint32_t kept_count, reduced_count; /* 1..8 each */
    layout_dim kept[MAX_RANK], reduced[MAX_RANK];
    /* Elements, of position 0 on every dim. */
    int64_t in_offset, mask_offset, index_offset, value_offset, max_index_offset, max_value_offset;
    /* Kept dims along which neither the input nor the mask moves, by falling stride of the index, unless reductions
     * have hardly an element. They are not among `kept`: of their outputs one is computed, and then copied to all
     * (families/copies.c). So are answers whose order keeps neighbours in the input apart (layout.c). In both cases
     * `kept` has the strides of answers side by side, in the workspace, and `stored` those of the tensors; otherwise
     * stored_count is 0. */
    uint32_t copied_count, stored_count;
    layout_dim copied[MAX_RANK], stored[MAX_RANK];
    int64_t stored_offset[OUTPUT_TENSORS];
    uint64_t outputs, reduction; /* outputs that are computed; elements of each */
    bool both_orders; /* neighbours in the input and neighbours' answers are of two dims: the last one and the one
                         before */
    bool reversed;    /* the index counts from the other end: every reduced dim was backward, and has been turned */
    repeated_dim_t repeated; /* one that is left out; added 0: none */
} layout;

/* Whether one step of `outer` is as far as inner_size steps of `inner`. */
bool continues(int64_t outer, int64_t inner, uint64_t inner_size);

struct tuning_row;
/* p->outputs must not be 0. Cannot fail. */
void layout_collapse(const problem *p, const struct tuning_row *tuning, layout *out);

/* ---- policy/device.c, device_list.c, fork.c: facts, choice, and the guard against fork --------------------------- */

/* How a work-group sees what others of the same launch have written (kernels/workgroup/finish.clh): not at all, by the
 * atomics of OpenCL C 2.0 or 3.0, by PTX. */
typedef enum ordering { ORDERING_NONE, ORDERING_CL20, ORDERING_CL30, ORDERING_PTX } ordering;

#define DEVICE_NAME_BYTES 256
#define PROCESSOR_BYTES 64
typedef struct device_facts {
    cl_device_type type;
    cl_uint compute_units, address_bits;
    size_t max_group;     /* work-items of a work-group: the device's limits, and what local memory is enough for */
    cl_ulong local_bytes; /* local memory of a work-group */
    cl_ulong cache_bytes; /* of the device's memory; 0: none, or not told */
    bool little_endian;
    cl_ulong max_buffer;     /* CL_DEVICE_MAX_MEM_ALLOC_SIZE, bytes */
    cl_ulong memory;         /* CL_DEVICE_GLOBAL_MEM_SIZE, bytes; 0: not told */
    bool host_unified;       /* host memory can be used in place */
    bool aligned_buffers;    /* buffers of its own start at multiples of any vector */
    bool copies_host_memory; /* so do those of CL_MEM_USE_HOST_PTR */
    bool clang_cpu;          /* its compiler takes what Clang adds to OpenCL C: see kernels/memory/vector.clh, wide.clh,
                                columns.cl */
    bool queue_addresses_return; /* to a new queue while the old one's commands still run */
    bool kernels_keep_arguments; /* a kernel object holds a reference to its buffers */
    bool nv_ptx;                 /* takes inline PTX for sm_90 */
    uint32_t sub_group;          /* work-items of a sub-group that its compiler is asked for; 0: its own choice */
    bool no_general; /* its compiler makes wrong programs of a mask, of both extrema, and of one more (permuted.c) */
    uint32_t loop_limit; /* iterations of all its loops that a work-item completes; 0: any number */
    ordering ordering;
    bool wide_atomics;                                       /* 64-bit maximum and exchange */
    char name[DEVICE_NAME_BYTES], vendor[DEVICE_NAME_BYTES]; /* CL_DEVICE_NAME, CL_DEVICE_VENDOR */
    char processor[PROCESSOR_BYTES];                         /* CPU devices: see processor_name */
} device_facts;

/* processor.c: "AuthenticAMD family 26 model 2", by the processor that runs this; "" where it has no such name. */
void processor_name(char name[PROCESSOR_BYTES]);

/* environment.c: a variable that names code or files; NULL as well where the program has more rights than its caller.
 */
const char *environment_trusted(const char *name);

argmax_cl_status device_query(cl_device_id device, device_facts *facts);
/* "unnamed" where it tells none. */
cl_int device_name(cl_device_id device, char name[DEVICE_NAME_BYTES]);
/* Older than OpenCL 1.2. */
bool device_is_too_old(cl_device_id device);
/* The device that the selector names (see argmax_cl_create_default). */
argmax_cl_status device_select(const char *selector, cl_device_id *device);
/* Remember this process as the one that uses OpenCL; refuse in a forked child. Call before any OpenCL call. */
argmax_cl_status device_enter(void);

/* ---- policy/tuning.c, policy/tuning_file.c: what a class of devices likes, as rows of data ----------------------- */

typedef struct tuning_row {
    const char *name;
#define FIELD(rows, name, least, most, power, otherwise, meaning) uint32_t name;
#include "policy/tuning.def"
} tuning_row;

/* Which rows have a field: those of CPUs, the row "cpu" and what is below it, all others, or both. In others it changes
 * no plan but that of a strategy that is forced. FIELD_OF_HOST: of none, it is for host arrays. */
typedef enum field_rows { FIELD_OF_ALL, FIELD_OF_CPU, FIELD_OF_GPU, FIELD_OF_HOST } field_rows;
/* Whether plans of the row of that name have it. */
bool tuning_has_field(const char *name, field_rows rows);
/* The built-in row of that name, with a name of NULL for an unknown one; and all names, for messages: "gpu, cpu". */
tuning_row tuning_find(const char *name);
const char *tuning_names(void);
/* Whether the row of that name is this one or has it among its parents, parents' parents and so on. */
bool tuning_is_kind_of(const char *name, const char *ancestor);
/* Name of the built-in row for a device. */
const char *tuning_class(const device_facts *device);
/* Whether a property of the device is `text`: what is "type" (cpu, gpu, accelerator), "vendor", "processor" (or the
 * first words of it) or "device" (its name). */
bool tuning_is_property(const char *what);
bool tuning_matches(const device_facts *device, const char *what, const char *text);
/* The row of that name, which must exist; for NULL the one for the device's class, with the changes of the file that
 * the environment variable ARGMAX_CL_TUNING names, or else of the user's own file. */
argmax_cl_status tuning_choose(const char *name, const device_facts *device, tuning_row *row);
/* Path of the user's own file; false when the environment tells no folder for it. */
bool tuning_user_file(char *path, size_t capacity);
/* Apply a file to the row as far as it speaks of it and of this device. `source` goes before the path in messages. */
argmax_cl_status tuning_read(const char *source, const char *path, bool must_exist, const device_facts *device,
                             tuning_row *row, bool *changed);

/* ---- families/strategy.c, families/geometry.c: which kernel, and how it lies over the problem ------------- */

struct family; /* families/family.h */
typedef enum load_kind { LOAD_ALIGNED, LOAD_UNALIGNED, LOAD_PACKED, LOAD_STRIDED, LOAD_SHIFTED } load_kind;
typedef enum mask_kind { MASK_NONE, MASK_UNALIGNED, MASK_ALIGNED, MASK_SAME, MASK_STRIDED } mask_kind;

/* Work-groups of one launch: `jobs` in runs of jobs_per_group. */
typedef struct launch_grid {
    uint32_t group;  /* work-items of a work-group */
    uint64_t groups; /* work-groups */
    uint64_t jobs, jobs_per_group;
} launch_grid;

typedef struct geometry {
    const char *strategy;
    const char *tuning; /* name of the row */
    const struct family *family;
    load_kind load;
    mask_kind mask;
    int64_t mask_along; /* elements of the mask between those of a vector */
    uint32_t vector;    /* elements */
    uint32_t lanes;     /* rows, blocks: work-items of an output; register rows, few rows: the same */
    uint32_t across;    /* columns, stream: work-items side by side over columns */
    uint32_t unroll;
    uint32_t prefetch_distance; /* bytes of input asked for before they are read; 0: none */
    uint32_t prefetch_row;      /* panel.clh: PREFETCH_ROW; 0: none */
    uint32_t hint;              /* vector.clh: HINT, of what is asked for into the first-level cache; 0: nothing is */
    uint32_t far_hint;          /* vector.clh: FAR_HINT, into the second-level cache */
    uint32_t fused;             /* panel.clh, blocks.cl, few_rows.cl: FUSED */
    uint32_t loads, batch;      /* register rows, blocks: vectors of a work-item; rows at once, blocks of a job */
    uint32_t wide;              /* blocks: elements of a wide load */
    uint32_t panel;             /* columns: vectors of a work-item; transposed: of blocks */
    bool overlap, peel;         /* rows.cl tells */
    bool constant_stride;       /* rows, columns, stream: CONSTANT_STRIDE */
    int64_t prefetch_by;        /* permuted.cl */
    uint32_t rows_ahead;        /* PREFETCH_DISTANCE in rows (columns.cl), in layers (transposed.cl) */
    uint64_t tail_chunks, tail_chunk; /* columns, stream: TAIL, unless there are no chunks; rows of one */
    bool swar;                        /* swar.clh: several narrow elements to a 32-bit word */
    bool nv_ptx;                      /* pairs.clh, nv_ptx.clh: instructions that OpenCL C cannot name */
    uint32_t sub_group;               /* as device_facts has it */
    uint64_t length;                  /* of a reduction: vectors (rows), positions on the reduced dims (columns) */
    uint64_t least;                   /* vectors or rows worth a part of their own */
    uint64_t part_length;             /* the same of a part */
    uint64_t parts;                   /* of an output; more than 1: they are merged in the end */
    uint64_t segment_vectors;         /* rows, segments: vectors of the last reduced dim */
    bool one_block; /* columns: no accumulator counts more rows than it can; rows placed: a row is a block */
    bool non_temporal, whole_lines; /* columns: NON_TEMPORAL, WHOLE_LINES */
    uint64_t tiles;        /* over the columns of columns and stream, over outputs side by side of segments, of a run of
                              transposed */
    uint64_t outers;       /* how often those come again; blocks, transposed: how many blocks there are */
    uint32_t inner;        /* stream, columns: of these that belong to an output */
    bool inner_first;      /* and the index counts these last: INNER_FIRST */
    uint32_t apart;        /* the same: columns from one of them to the next */
    uint32_t row_dims;     /* columns: ROW_DIMS */
    uint32_t pitch;        /* ROW_DIMS > 1: columns from the first of the last kept dim to the next such one; of rows
                              that are fused: from one row to the next */
    uint64_t tile_columns; /* columns, stream, segments: columns (outputs) of a tile, except the last */
    /* What the kernels of one family alone are told. */
    union {
        struct {
            bool contiguous_batch, local_index, by_value; /* CONTIGUOUS_BATCH, LOCAL_INDEX, BY_VALUE */
        } rows;
        struct {
            bool held; /* HELD */
        } columns;
        struct {
            bool in_turn; /* IN_TURN */
        } few_rows;
        struct {
            uint32_t sharing;     /* work-items that share a column */
            uint32_t period;      /* rows after which they begin at the same place within a vector */
            bool phased;          /* PHASED */
            bool by_segments;     /* rows of several dims begin at the same places only within one of the last dim */
            uint64_t interleaved; /* parts that take turns at rows, of all or of a segment; 0: none do */
            uint64_t windows;     /* that share the neighbours of an output, each with parts of its own; 0: none */
        } stream;
        struct {
            uint32_t pad, pass; /* elements behind a block in local memory; vectors of columns at once */
        } blocks;
        struct {
            bool straight; /* the index rises along a segment, and along those that follow it */
        } permuted;
        struct {
            uint32_t block_rows, columns; /* of a block */
            uint32_t step;                /* STEP */
            uint64_t job_vectors;
        } transposed;
        struct {
            bool even; /* EVEN */
        } register_rows;
        struct {
            uint32_t tile_outputs; /* of a tile at most */
        } segments;
    };
    launch_grid scan;
    launch_grid merge;      /* used when parts > 1 */
    launch_grid copies;     /* used when the layout has copied dims */
    uint64_t copied_length; /* elements of a row of an output tensor that copied_lanes work-items share */
    uint32_t copied_lanes;
    uint32_t merge_lanes;
    ordering finish; /* not NONE: the last work-groups of the scan merge, and merge is for queues where they cannot */
    uint32_t unit_counters; /* then: of each output, or tile of columns, with what stands beside them (abi.h) */
    uint64_t counters;      /* and of all */
    bool atomic_partial, flagged_partial; /* finish.clh: ATOMIC_PARTIAL, FLAGGED_PARTIAL */
    uint32_t word_sets;                   /* atomic_partial: of each tile, for its parts to share */
    uint32_t set_words;                   /* and words of one, with that of its claims; 0 without */
    bool one_job;                         /* ONE_JOB: every work-group has one job */
    uint32_t aligned_elements;            /* the input is read by vectors that start at multiples of so many elements */
    uint32_t aligned_mask;                /* and the mask; 0: none */
} geometry;

/* Whether a launch that merges too has its partial answers beside the counters, and none in the workspace. */
static inline bool has_words(const geometry *g) {
    return g->atomic_partial || g->flagged_partial;
}
/* Whether the scanning kernel writes answers, not partials alone. */
static inline bool scan_answers(const geometry *g) {
    return g->parts == 1 || g->finish != ORDERING_NONE;
}

/* What `divide` of kernels/memory/index.clh takes instead of a divisor: 0 for 1. */
uint64_t reciprocal(uint64_t divisor);

/* Counters that a launch may have, with what stands beside them: enough for any device whose outputs are fewer than its
 * work-groups, and for words of 4000 columns. The host makes zeros for all of them (src/runtime/counters.c), 32 KiB,
 * and more columns than that are cut into few parts, whose partial answers are merged as fast. */
#define COUNTERS_A_QUEUE 8192

/* Strategies in the order of preference. */
uint32_t strategy_count(void);
const char *strategy_name(uint32_t i);
/* All names, comma-separated, as far as they fit. */
void strategy_names(char *names, size_t capacity);

/* Complete p->strategy from the environment, note where it came from, and refuse unknown names. */
argmax_cl_status strategy_request(problem *p);

/* Choose by the tuning row, or obey p->strategy; groups never exceed group_limit work-items. */
argmax_cl_status strategy_choose(const problem *p, const layout *l, const device_facts *device,
                                 const tuning_row *tuning, uint32_t group_limit, geometry *out);

/* Work-items that share a row: one, some of a work-group, a whole work-group. */
typedef enum lane_rule { LANES_ONE, LANES_FEW, LANES_ALL } lane_rule;

/* What a family is to be laid over; with `split` the reduction is cut into at least two parts. */
typedef struct geometry_request {
    const problem *problem;
    const layout *layout;
    const device_facts *device;
    const tuning_row *tuning;
    uint32_t group_limit; /* work-items of a work-group at most */
    bool strided;         /* whether neighbours may lie apart */
    bool split;
    lane_rule lanes;
} geometry_request;

/* ---- families/options.c: the -D macros that specialise a kernel -------------------------------------------------- */

/* launch.c, for host.c. */
/* Elements of the vectors that the plan's kernels read and that must start at multiples of their size; 1: any. */
uint32_t plan_input_vector(argmax_cl_plan plan);
uint32_t plan_mask_vector(argmax_cl_plan plan); /* the same of the mask */

#define OPTIONS_CAPACITY 512

/* Build options of the scanning and of the merging kernel: kinds and numbers of dims, never sizes. */
void options_scan(const problem *p, const layout *l, const geometry *g, char options[OPTIONS_CAPACITY]);
void options_merge(const problem *p, const layout *l, const geometry *g, char options[OPTIONS_CAPACITY]);

/* ---- families/copies.c: outputs that are copies of others -------------------------------------------------------- */

/* Without a type where the problem has none. */
static inline const tensor_view *output_view(const problem *p, output_tensor output) {
    return output == OUTPUT_INDEX       ? &p->index
           : output == OUTPUT_VALUE     ? &p->value
           : output == OUTPUT_MAX_INDEX ? &p->max_index
                                        : &p->max_value;
}
/* Bytes of the workspace before the answers of that tensor, or for OUTPUT_TENSORS of all that it holds. */
uint64_t answers_offset(const problem *p, const layout *l, const geometry *g, output_tensor output);
/* Of the kernel that copies to that tensor, which must be there. */
void options_copies(const problem *p, const layout *l, const geometry *g, output_tensor output,
                    char options[OPTIONS_CAPACITY]);

#endif
