/* What a kernel family is: how it lies over a problem, and what its kernel is told. A family is one object in its own C
 * file, beside its strategies; the order of table.c decides between the strategies of all families. */
#ifndef ARGMAX_CL_FAMILY_H
#define ARGMAX_CL_FAMILY_H

#include "api/handle.h"
#include "families/text.h"

/* The structs among a kernel's arguments: the dims, then the family's own. */
#define OWN_ARGUMENTS_MOST 2
typedef struct kernel_arguments {
    dims_t dims;
    struct {
        size_t bytes;
        _Alignas(8) unsigned char value[256];
    } own[OWN_ARGUMENTS_MOST];
} kernel_arguments;

/* Append nothing, keep the i-th of the family's structs. */
void set_argument(kernel_arguments *arguments, uint32_t i, const void *value, size_t bytes);

/* Of tuning rows: group and groups_per_unit, group_columns and groups_columns, group_stream and groups_stream; and what
 * of these is enough. */
typedef enum { GROUPS_OF_ROWS, GROUPS_OF_COLUMNS, GROUPS_OF_STREAM } work_groups;

typedef struct family {
    const char *name;
    const char *kernel;                      /* of kernels/, and its function */
    uint32_t structs;                        /* of its own among the arguments */
    size_t struct_bytes[OWN_ARGUMENTS_MOST]; /* at least */
    work_groups groups;                      /* as many as these want */
    bool merges_values; /* its kernel knows all dims that lead to a value, so that it can merge values too */
    bool takes_mask;    /* its kernel takes one */
    bool takes_both;    /* its kernel finds both extrema */
    bool merges_tiles;  /* its last work-groups merge for tiles of outputs, not for one each */
    /* Lay it over the problem: NULL, or why that cannot be. Everything about the launch is decided here. */
    const char *(*lay_out)(const geometry_request *request, geometry *g);
    /* The macros that its kernel alone takes. */
    void (*options)(const geometry *g, writer *out);
    /* Its structs; `arguments` has the dims, which it may change, and `jobs` is 0 for a launch that finds none. */
    void (*arguments)(const layout *l, const geometry *g, uint64_t jobs, kernel_arguments *arguments);
    /* Lanes and vectors in a few words. */
    void (*describe)(const geometry *g, writer *out);
} family;

typedef struct strategy {
    const char *name;
    const family *family;
    bool strided, split; /* neighbours lie apart; reductions are cut into parts */
    lane_rule lanes;
    /* Whether the geometry fits the problem well; the order of the table decides among those that do. */
    bool (*suits)(const geometry_request *request, const geometry *g);
} strategy;

/* The strategies in the order of preference, and the families that they name, each once; NULL behind the last one. */
const strategy *strategy_at(uint32_t i);
const family *family_at(uint32_t number);

/* copies.c: how many dims the kernel knows that copies, and what it is told of an output tensor. */
uint32_t copies_dims(const layout *l);
copies_t copies_argument(const problem *p, const layout *l, const geometry *g, output_tensor output);

/* Without cutting reductions into parts there are enough work-groups, or there is nothing to gain by cutting. */
bool whole_reductions_do(const geometry_request *r, const geometry *g);
/* Neighbouring outputs lie nearer than elements of a reduction, in blocks too small for a work-group each (stream.c).
 */
bool outputs_are_gathered(const geometry_request *r, const geometry *g);
/* Whether the stream takes the neighbours of an output, which the index counts last (stream.c). */
bool neighbours_come_first(const geometry_request *r);
/* The same of columns (columns.c). */
bool columns_come_first(const geometry_request *r);
/* Elements of a reduction, at most, that few_rows.c takes by whole vectors of outputs. */
uint32_t few_whole_elements(const geometry_request *r);
bool always_suits(const geometry_request *r, const geometry *g);

#endif
