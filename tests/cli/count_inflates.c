/* Loaded before a program (LD_PRELOAD), counts how often zlib begins to decompress, which libnetcdf has it do once for
 * each chunk that it reads. The count is written on stderr at the end: "inflated N". */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

static atomic_ulong count;

__attribute__((visibility("default"))) int inflateInit_(z_streamp stream, const char *version, int size) {
    int (*real)(z_streamp, const char *, int) = NULL;
    void *const found = dlsym(RTLD_NEXT, "inflateInit_");
    memcpy(&real, &found, sizeof real);
    atomic_fetch_add(&count, 1);
    return real ? real(stream, version, size) : Z_VERSION_ERROR;
}

__attribute__((destructor)) static void tell(void) {
    if (count)
        fprintf(stderr, "inflated %lu\n", (unsigned long)count);
}
