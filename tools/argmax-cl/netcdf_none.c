/* Stands in for netcdf_file.c where libnetcdf is missing. */
#include "netcdf_file.h"
#include "netcdf_write.h"

bool netcdf_open(const char *path, const char *variable, bool with_missing, reader *s, message *m) {
    (void)variable;
    (void)with_missing;
    (void)s;
    return complain(m, "%s: not an .npy file, expected one: this program was built without NetCDF (libnetcdf)", path);
}

void netcdf_lock(bool lock) {
    (void)lock;
}

const char *netcdf_version(void) {
    return NULL;
}

bool netcdf_write(const char *path, const char *shown, const reader *in, const answer *r, bool with_indices,
                  message *m) {
    (void)path;
    (void)in;
    (void)r;
    (void)with_indices;
    return complain(m, "%s: a NetCDF file, expected .npy: this program was built without NetCDF (libnetcdf)", shown);
}
