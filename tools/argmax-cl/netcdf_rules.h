/* What a NetCDF variable's attributes say of its elements. */
#ifndef ARGMAX_CL_TOOL_NETCDF_RULES_H
#define ARGMAX_CL_TOOL_NETCDF_RULES_H

#include "reader.h"

#include <netcdf.h>

/* Obey _Unsigned, scale_factor and add_offset, _FillValue and missing_value, valid_min, valid_max and valid_range:
 * sets the array's type and packing, and the rule of what is missing when that is wanted. Refuses a scale_factor that
 * is no number, or 0. */
bool netcdf_rules(int group, int variable, nc_type type, bool with_missing, reader *s, message *m);

/* An attribute's text, cut at the capacity; "" when it has none. */
void netcdf_text(int group, int variable, const char *name, char *text, size_t capacity);

#endif
