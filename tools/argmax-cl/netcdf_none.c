/* Stands in for netcdf_file.c where libnetcdf is missing. */
#include "netcdf_file.h"

static bool refuse(const char *path, message *m) {
    return complain(m, "%s: not an .npy file, expected one: this program was built without NetCDF (libnetcdf)", path);
}

bool netcdf_read(const char *path, const char *variable, array *a, message *m) {
    (void)variable;
    (void)a;
    return refuse(path, m);
}

bool netcdf_needs_variable(const char *path, message *m) {
    return refuse(path, m);
}

const char *netcdf_version(void) {
    return NULL;
}
