/* What a NetCDF variable's attributes say that the operator does not act on. */
#ifndef ARGMAX_CL_TOOL_NETCDF_NOTES_H
#define ARGMAX_CL_TOOL_NETCDF_NOTES_H

#include "array.h"

#include <netcdf.h>

/* Add notes to the array read from the variable: how many elements equal _FillValue or missing_value, and which
 * packing attributes are not applied. */
void netcdf_add_notes(int group, int variable, nc_type type, array *a);

#endif
