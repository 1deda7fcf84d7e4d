/* What kernels over columns have in common. */
#ifndef ARGMAX_CL_COLUMNS_H
#define ARGMAX_CL_COLUMNS_H

#include "families/geometry.h"

extern const family family_columns, family_permuted;

/* Lay tiles over a dim as columns and cut its rows into parts of the reduction: NULL, or why that cannot be. */
const char *lay_column_tiles(const geometry_request *r, const layout_dim *column, uint64_t rows, uint64_t outers,
                             geometry *g);
void column_options(const geometry *g, writer *out);
/* The arguments for these columns; the rows are the dims that are left among the arguments. */
void set_column_tiles(const layout_dim *column, const geometry *g, uint64_t jobs, kernel_arguments *arguments);
void describe_columns(const geometry *g, writer *out);

#endif
