/* name_years FILE.nc INDICES.npy: what years are the indices along the file's time axis?
 *
 * INDICES.npy holds int64 indices as argmax-cl -o writes them. Prints the years that occur most, and at how many
 * points. The time axis must count hours in a 360-day calendar, as climate models do. */
#include <math.h>
#include <netcdf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 5 };

static const char expected_units[] = "hours since 1970-01-01 00:00:00";

static int complain(const char *file, const char *what) {
    fprintf(stderr, "name_years: %s: %s\n", file, what);
    return 0;
}

/* True when the variable's text attribute is what is expected. */
static int attribute_is(int file, int variable, const char *name, const char *expected) {
    char text[128] = "";
    size_t length = 0;
    return nc_inq_attlen(file, variable, name, &length) == NC_NOERR && length < sizeof text &&
           nc_get_att_text(file, variable, name, text) == NC_NOERR && strcmp(text, expected) == 0;
}

/* The year of each time step; the caller frees. NULL after complaining. */
static int *read_years(const char *path, size_t *count) {
    int file, variable, dimension;
    int *years = NULL;
    double *hours = NULL;
    if (nc_open(path, NC_NOWRITE, &file) != NC_NOERR) {
        complain(path, "cannot be opened as NetCDF");
        return NULL;
    }
    if (nc_inq_varid(file, "time", &variable) != NC_NOERR || nc_inq_dimid(file, "time", &dimension) != NC_NOERR ||
        nc_inq_dimlen(file, dimension, count) != NC_NOERR)
        complain(path, "no time axis");
    else if (!attribute_is(file, variable, "units", expected_units) ||
             !attribute_is(file, variable, "calendar", "360_day"))
        complain(path, "the time axis is not in hours since 1970 of a 360-day calendar");
    else {
        hours = calloc(*count, sizeof *hours);
        years = calloc(*count, sizeof *years);
    }
    if (years && (!hours || nc_get_var_double(file, variable, hours) != NC_NOERR)) {
        complain(path, "the time axis cannot be read");
        free(years);
        years = NULL;
    }
    for (size_t i = 0; years && i < *count; ++i)
        years[i] = 1970 + (int)floor(hours[i] / (360 * 24));
    free(hours);
    nc_close(file);
    return years;
}

/* Count how often each index of the .npy file occurs, into counts[0..steps-1]. Returns the number of points, 0 after
 * complaining. */
static size_t count_indices(const char *path, size_t *counts, size_t steps) {
    unsigned char start[10];
    char header[4096] = "";
    size_t points = 0;
    int64_t index;
    FILE *file = fopen(path, "rb");
    if (!file)
        return (size_t)complain(path, "cannot be opened");
    const int known = fread(start, 1, sizeof start, file) == sizeof start && memcmp(start, "\x93NUMPY\x01", 7) == 0;
    const size_t length = known ? start[8] + 256u * start[9] : 0;
    if (!known || length >= sizeof header || fread(header, 1, length, file) != length || !strstr(header, "'<i8'"))
        complain(path, "not a .npy file of int64");
    else
        while (fread(&index, sizeof index, 1, file) == 1) {
            if (index < 0 || (uint64_t)index >= steps) {
                points = (size_t)complain(path, "an index lies outside the time axis");
                break;
            }
            ++counts[index];
            ++points;
        }
    fclose(file);
    return points;
}

int main(int argc, char **argv) {
    size_t steps = 0;
    if (argc != 3) {
        fprintf(stderr, "usage: name_years FILE.nc INDICES.npy\n");
        return 2;
    }
    int *years = read_years(argv[1], &steps);
    size_t *counts = years ? calloc(steps, sizeof *counts) : NULL;
    const size_t points = counts ? count_indices(argv[2], counts, steps) : 0;
    for (int shown = 0; points && shown < SHOWN; ++shown) {
        size_t best = 0;
        for (size_t i = 1; i < steps; ++i)
            if (counts[i] > counts[best])
                best = i;
        if (counts[best] > 0)
            printf("    %d (index %zu) at %zu of %zu points\n", years[best], best, counts[best], points);
        counts[best] = 0;
    }
    free(counts);
    free(years);
    return points ? 0 : 1;
}
