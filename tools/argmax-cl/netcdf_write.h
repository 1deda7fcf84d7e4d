/* Results as a NetCDF file. */
#ifndef ARGMAX_CL_TOOL_NETCDF_WRITE_H
#define ARGMAX_CL_TOOL_NETCDF_WRITE_H

#include "answer.h"

/* Write the values and, when wanted, the indices with the winners' coordinates; `shown` is the file's name in messages.
 * Built without libnetcdf, it always fails and says so. */
bool netcdf_write(const char *path, const char *shown, const reader *in, const answer *r, bool with_indices,
                  message *m);

#endif
