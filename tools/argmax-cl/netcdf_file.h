/* Variables of NetCDF files, classic and HDF5-based, of other HDF5 files and of Zarr folders, through libnetcdf. */
#ifndef ARGMAX_CL_TOOL_NETCDF_FILE_H
#define ARGMAX_CL_TOOL_NETCDF_FILE_H

#include "reader.h"

/* Open a variable, which may lie in a group ("group/variable"); NULL: the one numeric variable of the highest rank.
 * With_missing: obey the attributes that say which elements are missing. Built without libnetcdf, it always fails and
 * says so. */
bool netcdf_open(const char *path, const char *variable, bool with_missing, reader *s, message *m);

/* libnetcdf serves one thread at a time: hold this around its calls while a source may be read. */
void netcdf_lock(bool lock);

/* libnetcdf's version, or NULL when built without it. */
const char *netcdf_version(void);

#endif
