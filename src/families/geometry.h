/* What the geometries of rows and of columns have in common. */
#ifndef ARGMAX_CL_GEOMETRY_H
#define ARGMAX_CL_GEOMETRY_H

#include "families/family.h"

#include <assert.h>

/* A candidate's place within its part has 31 bits (kernels/order/order.clh). */
#define PART_ELEMENTS_MAX (UINT64_C(1) << 30)

/* Where a device ends loops early (device_facts.loop_limit), a job has at most a sixteenth of the iterations in units,
 * a quarter in partial answers that it merges, and a 64th in outputs that it leaves: what is done for one of them takes
 * a few iterations too. */
#define LOOPS_A_UNIT 16
#define LOOPS_A_PARTIAL 4
#define LOOPS_AN_OUTPUT 64

static inline uint64_t min_u64(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}
static inline uint32_t min_u32(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}
static inline uint32_t max_u32(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}
static inline uint64_t max_u64(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}
static inline uint64_t ceil_div(uint64_t a, uint64_t b) {
    assert(b > 0);
    return a / b + (a % b != 0);
}

/* Whether n reaches a field of the tuning row of which 0 says that nothing does. */
static inline bool reaches(uint64_t n, uint32_t least) {
    return least && n >= least;
}

/* Of two numbers that are not 0. */
static inline uint64_t greatest_divisor(uint64_t a, uint64_t b) {
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Largest power of two not above n and the limit; n >= 1. */
uint32_t floor_power(uint64_t n, uint32_t limit);

uint32_t element_bytes(const problem *p);
/* Of a vector. */
uint32_t load_bytes(const geometry_request *r, const geometry *g);
#define WORD_BYTES 4u
/* Elements of a word, or one. */
uint32_t word_of(const geometry_request *r);
/* Work-items of a work-group that shares a row at most: fewer where both extrema's accumulators would leave room for
 * fewer work-groups at once than share a reduction. */
uint32_t row_group(const geometry_request *r);
/* Work-groups that keep the device busy; once g->scan.group and g->vector are known, fewer of larger
 * groups, or of wider loads, than the row says. */
uint64_t wanted_groups(const geometry_request *r, const geometry *g);
/* As many as will do, whatever the loads. */
uint64_t enough_groups(const geometry_request *r, const geometry *g);

/* copies.c: the launch that copies, where the layout has copied dims. */
void lay_out_copies(const geometry_request *r, geometry *g);

/* 2^32 / divisor, rounded up; 0 for 1. */
uint32_t short_reciprocal(uint64_t divisor);

/* Loads in flight, at most (kernels/options.clh). */
#define UNROLL_MAX 32

/* Elements of the widest vector in OpenCL C. */
#define VECTOR_MAX 16u
/* Words of a vector that are shifted into place (kernels/options.clh). */
#define SHIFTED_WORDS_MAX 4u
/* Elements of the widest vector of `bytes` bytes that the tuning allows; `wide` where those of kernels/memory/wide.clh
 * will do. */
uint32_t widest_vector(const geometry_request *r, uint32_t bytes, bool wide);
/* Elements of a vector of words that are shifted, `vector` if they may be so many: a word to SHIFTED_WORDS_MAX. */
uint32_t shifted_elements(const geometry_request *r, uint32_t vector);
/* The widest one over columns for work-groups of several work-items: of column_bytes, or of two elements. */
uint32_t widest_over_columns(const geometry_request *r);
/* The widest one up to `vector` for which the offset and all strides but that of `skip` are multiples; an aligned load
 * needs that. */
uint32_t aligned_vector(const layout *l, uint32_t vector, const layout_dim *skip);
/* Elements of the buffer that the tensor addresses first and last. */
void addressed_elements(const layout *l, cl_ulong *first, cl_ulong *last);
load_kind kind_of_load(const geometry_request *r, bool adjacent, uint32_t vector);
/* How the bytes of the mask lie for a vector, or a wide load, whose neighbours lie `along` apart in it; g->vector,
 * g->wide and g->load are set, choose_arithmetic follows. `anywhere`: vectors start at elements of any number. */
void choose_mask(const geometry_request *r, int64_t along, bool anywhere, geometry *g);
/* Whether there is no mask, or one that lies as the input does. */
bool is_mask_alike(const geometry_request *r);
/* How many times as large as without a mask and with one extreme the accumulators of a CPU's work-item are, rounded up:
 * a key and a count for each extreme, and with a mask the first iteration (kernels/accumulate/general.clh). */
uint32_t accumulator_times(const problem *p);
/* As many loads in flight as leave registers for the accumulators, and for the mask's: `mask_percent` with one,
 * `both_percent` with both extrema, whose counts, if any, have a field of their own. */
uint32_t loads_in_flight(const geometry_request *r, uint32_t loads, uint32_t mask_percent, uint32_t both_percent);
/* Bytes of the candidates of one column. */
uint64_t candidate_bytes(const problem *p);
/* What is asked for ahead along rows, by that hint; g->load is set. */
void choose_prefetch(const geometry_request *r, uint32_t hint, geometry *g);
/* Whether narrow elements are kept in words, and what is asked for ahead; g->vector and g->load are set. */
void choose_arithmetic(const geometry_request *r, geometry *g);

/* Whether values may come first (kernels/order/extremes.clh): keys and iterations lie in vectors of their own. After
 * choose_arithmetic. */
bool can_be_by_value(const geometry_request *r, const geometry *g);

/* Blocks of rows and columns without gaps: how many follow each other without gaps, along all kept dims but the first
 * `outer_dims` and that of the columns. 1 column: rows of the input; 0: the problem has no such blocks. */
#define NO_BLOCKS "it takes one reduced dim of neighbours or of columns without gaps"
typedef struct block_run {
    uint64_t columns, blocks;
    uint32_t outer_dims;
} block_run;
block_run block_run_of(const layout *l);
/* A row of outputs side by side in memory, each of `inner` columns that are `apart`: neighbours on the last reduced
 * dim, or the same with the outputs of the last kept dim between. Of the dims kept, the last `dims` are in the row. */
typedef struct output_row {
    uint32_t inner, apart, dims;
    uint64_t outputs;
    uint32_t pitch; /* several dims, or gaps: columns from the first of the last one to the next such one */
} output_row;
/* Where they are up to `neighbours`, or up to `most` columns with those of the outputs between; else inner is 1. */
output_row output_row_of(const layout *l, uint32_t neighbours, uint32_t most);
/* In columns: gaps that are read over, at most; rows of fewer outputs have such behind them; outputs that lie nearer
 * than a line share some. */
typedef struct row_gaps {
    uint32_t most, row, line;
} row_gaps;
/* The same with gaps: behind the neighbours of an output, which alone are a row (no dims) where gaps are larger or
 * other dims follow and outputs share no lines, or behind the outputs of the last kept dim (`apart`). */
output_row output_row_with_gaps(const layout *l, uint32_t neighbours, uint32_t most, row_gaps gaps);
/* Whether neighbours of an output may be the first reduced dim, which the index counts last (INNER_FIRST); places fit
 * 31 bits. Then the layout in which it is the last one, whether rows of so many columns that are less than a line are
 * walked in the order of memory, and the macro. */
bool may_be_first(const geometry_request *r);
layout with_first_last(const layout *l);
bool lines_are_shared(const geometry_request *r, const layout *turned, uint64_t columns);
void add_inner_first(const geometry *g, writer *out);
/* The layout that the geometry is for, `given` or `turned`, which is set, and so are the dims that the kernel is told.
 */
const layout *layout_told(const layout *given, const geometry *g, layout *turned, dims_t *dims);
uint32_t pitch_of_row(const output_row *row);
uint64_t columns_of_block(const output_row *row);
/* Outputs of the last kept dim, and of those before it as long as they go on where it ends, the first of them after up
 * to `gap` elements (`pitch` of its row), and are fewer than `enough`. */
output_row joined_outputs(const layout *l, uint64_t enough, uint32_t gap);
/* Columns of a row of so many outputs. */
uint64_t columns_of_row(const layout *l, uint64_t outputs, uint32_t inner, uint32_t pitch);
/* Outputs side by side, whose rows along the last reduced dim lie within one step of another one: of the nearest that
 * has several and enough within, or of the one that has the most. */
uint64_t outputs_inside(const layout *l, uint64_t enough);
/* Whether the input is more than what caches may hold of it from one run to the next. */
bool comes_from_memory(const geometry_request *r);
/* Whether one work-item's answers are a part of the memory's work that counts, and a cache has no room for them beside
 * the input. */
bool may_store_non_temporal(const geometry_request *r);
/* Whether they are stored past the caches: g->scan, vector, load and parts are set. */
bool stores_non_temporal(const geometry_request *r, const geometry *g);

/* Words that one bank has to give, at most, where as many work-items as there are banks (tile_banks of the row) read
 * one each: those at words[0], words[1] and so on. 0 without banks. */
#define BANKS_MOST 32
uint32_t bank_conflicts(const geometry_request *r, const uint64_t words[BANKS_MOST]);

/* Of the time that so many equal jobs take, what the compute units wait at its end, in percent. */
uint64_t idle_share(uint64_t jobs, uint64_t units);
/* Elements of a unit, and turns that a loop takes for it; the units of a part at most. */
uint64_t most_part_length(const geometry_request *r, uint64_t elements, uint64_t turns);
/* Parts of an output, at most: the device's largest buffer, where that is known, holds the partial answers of all. */
uint64_t most_parts(const geometry_request *r);
/* Cut g->length of each output into parts, so that `groups` work-groups for whole outputs become enough for the device
 * and, where two parts suffice, no more than are wanted, or than twice that where compute units would wait at the end,
 * and no part has more than `most` units. g->least units are a batch, and a reduction of two is worth cutting;
 * `smallest` are what a part has at least. Parts below a batch are multiples of `smallest`, others of a batch, those of
 * many batches of `step`. NULL, or why it cannot be cut and must, or is too long and may not. */
const char *split_reduction(const geometry_request *r, uint64_t groups, uint64_t smallest, uint64_t step, uint64_t most,
                            geometry *g);
/* Jobs to work-groups, in runs where there are more jobs than groups that pay: `most`, or on devices with one work-item
 * a group as many as keep the compute units busy. */
launch_grid distribute(const geometry_request *r, uint32_t group, uint64_t jobs, uint64_t most);
/* Whether the last work-groups merge and 64-bit atomics may help them where a unit is one output
 * (kernels/workgroup/finish.clh): by PTX for any group, by OpenCL's in work-groups of one alone. */
bool takes_words(const geometry_request *r, const geometry *g);
/* Whether counters have room for a word of each output, as far as that is known before tiles are. */
bool may_be_words(const geometry_request *r);
/* Each of so many units has `each` counters. */
void set_counters(uint64_t units, uint32_t each, geometry *g);
/* Whether work-groups can claim what is behind the parts of each of so many units (kernels/workgroup/tail.clh), and the
 * chunks of so many rows that they claim then. g->part_length says where these begin. */
bool can_claim(uint64_t units, const geometry *g);
void claim_chunks(uint64_t units, uint64_t rows, geometry *g);
/* How parts are merged: by the last work-group of each of `units` groups of outputs, `width` side by side, or by a
 * second launch, with as many lanes an output as its parts keep busy. NULL, or why not: they are too many for a lane's
 * loop. g->scan is set. */
const char *plan_merge(const geometry_request *r, uint64_t units, uint64_t width, geometry *g);

/* Rows of g->length vectors (rows.c): lanes, work-group and parts, where a vector is so many turns of a loop: NULL, or
 * why that cannot be. Then their jobs. */
const char *split_rows(const geometry_request *r, uint64_t turns, geometry *g);
void distribute_rows(const geometry_request *r, geometry *g);
/* Whether aligned vectors read rows that begin anywhere. */
bool lies_anywhere(const geometry *g);
void describe_rows(const geometry *g, writer *out);

/* Whether each work-group has one job and outputs are few enough for 32 bits (ONE_JOB); g->scan is set. */
bool has_one_job(const geometry_request *r, const geometry *g);

/* FUSED, where rows are, for the families whose kernels take it. */
void add_fused(const geometry *g, writer *out);

/* The reason for which a family that wants neighbours refuses others, or the reverse. */
const char *wrong_stride(const geometry_request *r);

#endif
