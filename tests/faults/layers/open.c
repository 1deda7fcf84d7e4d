/* For programs: the layer that the ICD loader has loaded. */
#include "control.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The loader has opened the library; opening it once more gives the same one. */
const layer_control *layer_open(const char **why) {
    const char *const path = getenv("OPENCL_LAYERS");
    cl_uint platforms = 0;
    clGetPlatformIDs(0, NULL, &platforms);
    *why = "OPENCL_LAYERS does not name the layer";
    if (!path || !*path)
        return NULL;
    *why = "the ICD loader takes no layers from OPENCL_LAYERS";
    void *const library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return NULL;
    void *const symbol = dlsym(library, LAYER_ENTRY);
    layer_entry entry = NULL;
    memcpy(&entry, &symbol, sizeof entry);
    return entry ? entry() : NULL;
}
