/* The tuning rows, the choice among them by the device's class, and where a user's changes to them lie. */
#include "internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const tuning_row rows[] = {
#define ROW(name, ...) {name, __VA_ARGS__},
#include "policy/tuning.def"
};

/* A device's cache may be larger than what a row supposes. */
#define CACHE_BYTES_MOST (1u << 31)

#define ROW_COUNT (sizeof rows / sizeof rows[0])

/* What a row is called after a file changed it, so that a plan's description tells. */
static const char *const changed_names[ROW_COUNT] = {
#define ROW(name, ...) name "+file",
#include "policy/tuning.def"
};

const tuning_row *tuning_find(const char *name) {
    for (size_t i = 0; i < ROW_COUNT; ++i)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

const char *tuning_names(void) {
    static const char text[] =
#define ROW(name, ...) ", " name
#include "policy/tuning.def"
        ;
    return text + 2;
}

/* A folder that an environment variable names; an empty or relative one counts as none. */
static const char *folder_from(const char *variable) {
    const char *const folder = environment_trusted(variable);
#ifdef _WIN32
    return folder && *folder ? folder : NULL;
#else
    return folder && *folder == '/' ? folder : NULL;
#endif
}

bool tuning_user_file(char *path, size_t capacity) {
#ifdef _WIN32
    const char *const config = folder_from("APPDATA"), *const home = NULL, *const format = "%s\\argmax_cl\\tuning";
#else
    const char *const config = folder_from("XDG_CONFIG_HOME"), *const home = folder_from("HOME");
    const char *const format = config ? "%s/argmax_cl/tuning" : "%s/.config/argmax_cl/tuning";
#endif
    if (!config && !home)
        return false;
    return (size_t)snprintf(path, capacity, format, config ? config : home) < capacity;
}

const char *tuning_class(const device_facts *device) {
    return (device->type & CL_DEVICE_TYPE_CPU) ? "cpu" : "gpu";
}

argmax_cl_status tuning_choose(const char *name, const device_facts *device, tuning_row *row) {
    char path[4096];
    const char *const given = environment_trusted("ARGMAX_CL_TUNING");
    const tuning_row *const found = tuning_find(name ? name : tuning_class(device));
    assert(found);
    *row = *found;
    if (row->cache_bytes && device->cache_bytes > row->cache_bytes)
        row->cache_bytes = device->cache_bytes < CACHE_BYTES_MOST ? (uint32_t)device->cache_bytes : CACHE_BYTES_MOST;
    bool changed = false;
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    if (!name && given && *given)
        status = tuning_read("ARGMAX_CL_TUNING = ", given, true, device->name, row, &changed);
    else if (!name && !given && tuning_user_file(path, sizeof path))
        status = tuning_read("the user's tuning file ", path, false, device->name, row, &changed);
    if (changed)
        row->name = changed_names[found - rows];
    return status;
}
