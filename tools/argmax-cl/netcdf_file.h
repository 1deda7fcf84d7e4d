/* Variables of NetCDF files, classic and HDF5-based. */
#ifndef ARGMAX_CL_TOOL_NETCDF_FILE_H
#define ARGMAX_CL_TOOL_NETCDF_FILE_H

#include "array.h"

/* Read a variable, which may lie in a group ("group/variable"), into native byte order. Notes say how many elements
 * equal _FillValue or missing_value. Built without libnetcdf, it always fails and says so. */
bool netcdf_read(const char *path, const char *variable, array *a, message *m);

/* Why a NetCDF file alone is no input: the message lists the variables in it. Always false. */
bool netcdf_needs_variable(const char *path, message *m);

/* libnetcdf's version, or NULL when built without it. */
const char *netcdf_version(void);

#endif
