/* One argmax, argmin or argminmax problem as one line of text, shared by the tests and the benchmarks.
 *
 *   OP DTYPE SIZES [axes=LIST] [last] [nan=propagate|ignore] [index=TYPE] [value]
 *      [strides=LIST] [offset=N] [istrides=LIST] [ioffset=N] [vstrides=LIST] [voffset=N]
 *      [mask=KIND] [mstrides=LIST] [moffset=N]
 *      [maxlast] [maxindex=TYPE] [maxvalue] [xstrides=LIST] [xoffset=N] [ystrides=LIST] [yoffset=N]
 *      [data=KIND] [seed=N] [strategy=NAME] [tuning=NAME] [fields=FIELD:NUMBER,...]
 *      [route=plan|call|host] [queue=in|silent|out] [memory=device|host]    # and a comment to the end of the line
 *
 *   argmax float32 8192x8192 axes=1
 *   argmin int8 64x128x64 axes=0,2 last index=uint32 value strides=8192,64,1 data=ties seed=7 strategy=general
 *
 * SIZES are joined by x; lists by commas, one entry per axis. Without axes= all are reduced; index= is int64 unless
 * given. Strides and offsets are in elements; prefix i is the index output, v the value output, m the mask, x and y are
 * the index and the value of argminmax's maximum, whose words begin with max. Without strides= the
 * tensor is packed row-major; without offset= it starts as low in its buffer as its strides allow (0 unless some are
 * negative). Data is a function of KIND, seed and the problem alone. fields= changes numbers of the tuning row. The
 * last three words say how runner.h runs it; other programs have their own ways. */
#ifndef ARGMAX_CL_TESTS_PROBLEM_H
#define ARGMAX_CL_TESTS_PROBLEM_H

#include <argmax_cl/argmax_cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBLEM_MAX_RANK ARGMAX_CL_MAX_RANK
#define PROBLEM_LINE_SIZE 2048 /* bytes that hold every printed problem */

/* What the input holds. "Best" is the extreme that the operator looks for, "worst" the other one. Some kinds give each
 * reduction a place: index (seed + number of the output) mod R, so that R outputs have an extreme at every index. */
typedef enum data_kind {
    DATA_RANDOM,     /* random bits, floats finite */
    DATA_TIES,       /* five distinct values */
    DATA_CONSTANT,   /* one value */
    DATA_INCREASING, /* never falling along the buffer */
    DATA_DECREASING,
    DATA_NAN,     /* random with one NaN in eight: either sign, quiet and signalling; integers: random */
    DATA_ALLNAN,  /* NaNs of all sorts; integers: random */
    DATA_SPECIAL, /* zeros, the smallest and largest denormals and normals, infinities, NaNs; integer extremes */
    DATA_BITS,    /* random bits */
    DATA_ZEROS,   /* -0 and +0 mixed; integers: 0 */
    DATA_WORST,   /* the worst value everywhere: for argmax -inf or the least integer */
    DATA_BEST,    /* the best value everywhere */
    DATA_PEAK,    /* ties, and the best finite value once in each reduction, at its place */
    DATA_PAIR,    /* the same, with an equal one at the next index, or at 0 */
    DATA_NANPEAK, /* random, and a NaN in each reduction at its place */
    DATA_NANPAIR, /* the same, with another NaN at the next index, or at 0 */
    DATA_NUMBER,  /* NaN everywhere but for the worst value at each reduction's place */
    DATA_FAR,     /* ties, and the best finite value at the place and half of the reduction after it */
    DATA_CLOSE,   /* four values next to each other; odd seeds: one better than all */
    DATA_KIND_COUNT
} data_kind;

/* What the mask holds: so many elements count. */
typedef enum mask_data {
    MASK_ABSENT,
    MASK_HALF,
    MASK_FEW,
    MASK_MOST,
    MASK_ALL,
    MASK_NOTHING,
    MASK_DATA_COUNT
} mask_data;
extern const char *const mask_data_names[MASK_DATA_COUNT];

/* Which of the library's three calls runs the problem. */
typedef enum run_route { ROUTE_PLAN, ROUTE_CALL, ROUTE_HOST, ROUTE_COUNT } run_route;
extern const char *const run_route_names[ROUTE_COUNT];

/* The queue of a route other than the host call. */
typedef enum run_queue {
    QUEUE_IN_ORDER,
    QUEUE_SILENT,       /* in order, and no event is asked for */
    QUEUE_OUT_OF_ORDER, /* the operator has the buffers' transfers in its wait list, and what reads them waits for it */
    QUEUE_COUNT
} run_queue;
extern const char *const run_queue_names[QUEUE_COUNT];

/* Where the tensors lie. */
typedef enum run_memory {
    MEMORY_DEVICE, /* sub-buffers; the host call's arrays are aligned */
    MEMORY_HOST,   /* the host's memory as a buffer, and the host call's arrays, one element beyond all alignment */
    MEMORY_COUNT
} run_memory;
extern const char *const run_memory_names[MEMORY_COUNT];

typedef struct problem_tensor {
    bool has_strides, has_offset;     /* given, not derived */
    int64_t stride[PROBLEM_MAX_RANK]; /* elements */
    uint64_t offset;                  /* elements */
} problem_tensor;

typedef struct problem_line {
    argmax_cl_operator op;
    argmax_cl_dtype dtype, index_type;
    uint32_t rank, axis_count;
    uint64_t size[PROBLEM_MAX_RANK];
    uint32_t axes[PROBLEM_MAX_RANK];
    argmax_cl_direction direction;
    argmax_cl_nan_mode nan_mode;
    bool has_value;
    problem_tensor input, index, value;
    mask_data mask_of;
    argmax_cl_dtype max_index_type; /* argminmax */
    argmax_cl_direction max_direction;
    bool has_max_value;
    problem_tensor mask, max_index, max_value;
    data_kind data;
    uint64_t seed;
    char strategy[32], tuning[32]; /* "": not forced */
    char fields[300];              /* "": the row as it is */
    bool has_route;                /* given, not left to the program */
    run_route route;
    run_queue queue;
    run_memory memory;
} problem_line;

/* ---- Text ----------------------------------------------------------------------------------------------------- */

/* True for a line with nothing but spaces and a comment. */
bool problem_is_blank(const char *line);

/* Read one line. False when it is not a problem: then `error` names the word and what was expected. */
bool problem_parse(const char *line, problem_line *p, char *error, size_t error_size);

/* Write the line that problem_parse reads back to the same problem, without a newline. */
void problem_print(const problem_line *p, char *text, size_t text_size);

/* ---- By program ----------------------------------------------------------------------------------------------- */

/* argmax float32, index int64, everything else zero. Fill in the rest, then call problem_resolve. */
void problem_init(problem_line *p);

/* Derive the strides and offsets that were not given. Call it again after sizes or axes change. */
void problem_resolve(problem_line *p);

/* Whether no tensor reaches below its buffer. */
bool problem_offsets_fit(const problem_line *p);

/* ---- What follows from a problem ------------------------------------------------------------------------------ */

bool problem_axis_reduced(const problem_line *p, uint32_t axis);
/* Sizes of the outputs: 1 on reduced axes. */
void problem_output_sizes(const problem_line *p, uint64_t sizes[PROBLEM_MAX_RANK]);
uint64_t problem_input_count(const problem_line *p); /* elements by shape: the product of the sizes */
uint64_t problem_output_count(const problem_line *p);
uint64_t problem_reduction_count(const problem_line *p); /* elements in each reduction, R */

/* Elements that a buffer must hold: from its start to the last one addressed. */
uint64_t problem_input_extent(const problem_line *p);
uint64_t problem_mask_extent(const problem_line *p); /* 0 without a mask */
uint64_t problem_output_extent(const problem_line *p, const problem_tensor *output);

/* The descriptor for the library. It points into itself and into the problem: both must stay where they are. */
typedef struct problem_desc {
    argmax_cl_desc desc;
    argmax_cl_tensor input, index, value, mask, max_index, max_value;
    uint64_t output_size[PROBLEM_MAX_RANK];
} problem_desc;
void problem_describe(const problem_line *p, problem_desc *d);

/* ---- Element types -------------------------------------------------------------------------------------------- */

typedef struct problem_dtype {
    argmax_cl_dtype dtype;
    const char *name;
    uint32_t bits, mantissa_bits; /* mantissa_bits 0: an integer */
    bool is_signed, is_index;
} problem_dtype;

#define PROBLEM_DTYPE_COUNT 12
extern const problem_dtype problem_dtypes[PROBLEM_DTYPE_COUNT];
/* NULL for an unknown one. */
const problem_dtype *problem_dtype_find(argmax_cl_dtype dtype);
const problem_dtype *problem_dtype_named(const char *name);
/* Bits of element i of an array, zero-extended; and the reverse. */
uint64_t problem_load(const problem_dtype *type, const void *array, uint64_t i);
void problem_store(const problem_dtype *type, void *array, uint64_t i, uint64_t bits);

/* ---- Data ----------------------------------------------------------------------------------------------------- */

extern const char *const data_kind_names[DATA_KIND_COUNT];

/* A well-mixed function of its argument. */
uint64_t problem_mix(uint64_t x);

/* The bits that beat every other: a NaN where NaNs propagate, else the best value. */
uint64_t problem_poison(const problem_line *p);

/* Fill the input's buffer, problem_input_extent elements. Elements that the problem does not address get the poison,
 * so that reading one shows (not done for broadcasts beyond 2^24 elements). */
void problem_fill(const problem_line *p, void *elements);
/* Fill the mask's buffer, problem_mask_extent elements. */
void problem_fill_mask(const problem_line *p, uint8_t *elements);

#endif
