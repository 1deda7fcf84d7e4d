/* What kernels over columns have in common. */
#ifndef ARGMAX_CL_COLUMNS_H
#define ARGMAX_CL_COLUMNS_H

#include "families/geometry.h"

/* What a work-item alone (panel.c) holds of a row: bytes of it that it may hold accumulators for; */
uint32_t panel_room(const geometry_request *r);
/* its panel, tiles of it, vectors in registers, and rows at once: NULL, or why that cannot be. A part has `least_rows`
 * at least. */
const char *lay_panel(const geometry_request *r, const layout_dim *column, uint64_t rows, uint64_t outers,
                      uint64_t least_rows, geometry *g);

#endif
