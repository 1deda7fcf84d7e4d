/* run_large make FILE.npy|FILE.nc MIB      write float32 (MIB/4, 1024, 1024), the same numbers into either kind
 * run_large read FILE.nc                   read that by libnetcdf alone, in blocks of whole chunks, and print GB/s
 *
 * Files for scripts/campaigns/files.sh; MIB is a multiple of 128. The NetCDF file is compressed (deflate 1 after a
 * shuffle) in chunks of (32, 128, 128), 2 MiB: such that no order of axes reads it along its chunks by itself. */
#include <netcdf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIDE ((uint64_t)1024)
#define SLAB ((size_t)32) /* along the first axis: of a chunk and of what is written at once */
#define CHUNK ((size_t)128)
#define BLOCK ((size_t)512) /* along the second axis: 64 MiB are read at once */

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int complain(const char *what, int code) {
    fprintf(stderr, "run_large: %s: %s\n", what, code ? nc_strerror(code) : "failed");
    return 1;
}

static uint32_t mix(uint64_t place) {
    uint32_t x = (uint32_t)place ^ (uint32_t)(place >> 32) * UINT32_C(0x9E3779B9);
    x = (x ^ x >> 16) * UINT32_C(0x7FEB352D);
    x = (x ^ x >> 15) * UINT32_C(0x846CA68B);
    return x ^ x >> 16;
}

/* Like temperatures: a level for each place, a season, and weather in steps of 1/16. */
static void fill(float *data, uint64_t first) {
    for (uint64_t t = 0; t < SLAB; t++)
        for (uint64_t y = 0; y < SIDE; y++) {
            const uint64_t row = ((first + t) * SIDE + y) * SIDE;
            const uint64_t season = (first + t + y) % 365, half = season < 183 ? season : 365 - season;
            const uint64_t band = y / 16, week = half / 8;
            const float level = 250.0F + (float)band * 0.5F + (float)week * 0.5F;
            float *const to = data + (t * SIDE + y) * SIDE;
            for (uint64_t x = 0; x < SIDE; x++)
                to[x] = level + (float)(mix(row + x) >> 26) * 0.0625F;
        }
}

static int make_npy(const char *path, uint64_t slabs, float *data) {
    FILE *const file = fopen(path, "wb");
    char text[118];
    const size_t count = SLAB * SIDE * SIDE;
    if (!file)
        return complain(path, 0);
    snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%llu, 1024, 1024), }",
             (unsigned long long)slabs * SLAB);
    int good = fprintf(file, "\x93NUMPY\x01") == 7 && fwrite("\0v\0", 1, 3, file) == 3 &&
               fprintf(file, "%-117s\n", text) == 118;
    for (uint64_t i = 0; i < slabs && good; i++) {
        fill(data, i * SLAB);
        good = fwrite(data, sizeof *data, count, file) == count;
    }
    return fclose(file) == 0 && good ? 0 : complain(path, 0);
}

static int make_netcdf(const char *path, uint64_t slabs, float *data) {
    const char *const names[] = {"time", "y", "x"};
    const size_t sizes[] = {(size_t)slabs * SLAB, SIDE, SIDE}, chunk[] = {SLAB, CHUNK, CHUNK},
                 count[] = {SLAB, SIDE, SIDE};
    int file, variable, dimensions[3];
    int code = nc_create(path, NC_NETCDF4 | NC_CLOBBER, &file);
    for (int i = 0; i < 3 && !code; i++)
        code = nc_def_dim(file, names[i], sizes[i], &dimensions[i]);
    if (!code)
        code = nc_def_var(file, "t", NC_FLOAT, 3, dimensions, &variable);
    if (!code)
        code = nc_def_var_chunking(file, variable, NC_CHUNKED, chunk);
    if (!code)
        code = nc_def_var_deflate(file, variable, 1, 1, 1);
    for (uint64_t i = 0; i < slabs && !code; i++) {
        const size_t start[] = {(size_t)i * SLAB, 0, 0};
        fill(data, i * SLAB);
        code = nc_put_vara_float(file, variable, start, count, data);
    }
    if (!code)
        code = nc_close(file);
    return code ? complain(path, code) : 0;
}

static int read_netcdf(const char *path, float *data) {
    const size_t count[] = {SLAB, BLOCK, SIDE};
    int file, variable, dimensions[3];
    size_t size = 0;
    const double start_time = now();
    int code = nc_open(path, NC_NOWRITE, &file);
    if (!code)
        code = nc_inq_varid(file, "t", &variable);
    if (!code)
        code = nc_inq_vardimid(file, variable, dimensions);
    if (!code)
        code = nc_inq_dimlen(file, dimensions[0], &size);
    for (size_t t = 0; t < size && !code; t += SLAB)
        for (size_t y = 0; y < SIDE && !code; y += BLOCK) {
            const size_t start[] = {t, y, 0};
            code = nc_get_vara_float(file, variable, start, count, data);
        }
    if (!code)
        code = nc_close(file);
    const double seconds = now() - start_time;
    if (code)
        return complain(path, code);
    printf("libnetcdf alone: %.2f s, %.3f GB/s\n", seconds,
           (double)(size * SIDE * SIDE * sizeof *data) / seconds * 1e-9);
    return 0;
}

int main(int argc, char **argv) {
    const char *const ending = argc > 2 ? strrchr(argv[2], '.') : NULL;
    float *const data = malloc(SLAB * SIDE * SIDE * sizeof *data);
    int status = 2;
    if (!data)
        return complain("no memory", 0);
    if (argc == 4 && strcmp(argv[1], "make") == 0 && ending)
        status =
            (strcmp(ending, ".npy") == 0 ? make_npy : make_netcdf)(argv[2], strtoull(argv[3], NULL, 10) / 128, data);
    else if (argc == 3 && strcmp(argv[1], "read") == 0)
        status = read_netcdf(argv[2], data);
    else
        fputs("see run_large.c for the arguments\n", stderr);
    free(data);
    return status;
}
