/* What kernels over columns have in common. */
#ifndef ARGMAX_CL_COLUMNS_H
#define ARGMAX_CL_COLUMNS_H

#include "families/geometry.h"

extern const family family_columns, family_permuted;

/* Lay tiles over a dim as columns and cut its rows into parts of the reduction: NULL, or why that cannot be. */
const char *lay_column_tiles(const geometry_request *r, const layout_dim *column, uint64_t rows, uint64_t outers,
                             geometry *g);
/* What a work-item alone (strip.c) holds of a row: bytes of it that it may hold accumulators for; */
uint32_t strip_room(const geometry_request *r);
/* its strip, tiles of it, vectors in registers, and rows at once: NULL, or why that cannot be. A part has `least_rows`
 * at least. */
const char *lay_strip(const geometry_request *r, const layout_dim *column, uint64_t rows, uint64_t outers,
                      uint64_t least_rows, geometry *g);
/* Later rows into the second-level cache, and what is near along wide ones into the first. */
void choose_prefetch(const geometry_request *r, const layout_dim *column, geometry *g);
void column_options(const geometry *g, writer *out);
/* The arguments for these columns; the rows are the dims that are left among the arguments. */
void set_column_tiles(const layout_dim *column, const geometry *g, uint64_t jobs, kernel_arguments *arguments);
void describe_columns(const geometry *g, writer *out);

#endif
