/* Variables of a NetCDF file by name. */
#ifndef ARGMAX_CL_TOOL_NETCDF_FIND_H
#define ARGMAX_CL_TOOL_NETCDF_FIND_H

#include "message.h"

#include <netcdf.h>

#include <argmax_cl/argmax_cl.h>

typedef struct netcdf_variable {
    int group, id;
    char path[2 * NC_MAX_NAME + 4]; /* "group/variable" */
} netcdf_variable;

/* The operator's type for a NetCDF type; false: there is none. */
bool netcdf_dtype(nc_type type, argmax_cl_dtype *dtype);

/* The variable that is wanted; NULL: the one numeric variable of the highest rank, when there is one such. A message
 * lists the variables otherwise. */
bool netcdf_find(int file, const char *path, const char *wanted, netcdf_variable *v, message *m);

#endif
