/* The tuning rows, the choice among them by what is known of the device, and where a user's changes to them lie. */
#include "internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One field's value. */
typedef struct setting {
    size_t offset; /* in tuning_row */
    uint32_t value;
} setting;

/* A row as tuning.def has it: what it changes of its parent's, and the devices that it is for. */
typedef struct row_source {
    const char *name, *parent;
    const char *what, *text; /* see tuning_matches; "": any device */
    const setting *settings;
    size_t count;
} row_source;

#define SET(field, value) {offsetof(tuning_row, field), value}
static const row_source rows[] = {
#define ROW(name, parent, what, text, ...)                                                                             \
    {name, parent, what, text, (const setting[]){__VA_ARGS__}, sizeof(const setting[]){__VA_ARGS__} / sizeof(setting)},
#include "policy/tuning.def"
};

/* A device's cache may be larger than what a row supposes. What is told is the processor's, which other cores than the
 * device's may share: of so much for each compute unit, at most. */
#define CACHE_BYTES_A_UNIT (1u << 24)
#define CACHE_BYTES_MOST (1u << 31)

static uint32_t its_cache(const device_facts *device) {
    const uint64_t most = (uint64_t)CACHE_BYTES_A_UNIT * device->compute_units;
    const uint64_t bytes = device->cache_bytes < most ? device->cache_bytes : most;
    return bytes < CACHE_BYTES_MOST ? (uint32_t)bytes : CACHE_BYTES_MOST;
}

#define ROW_COUNT (sizeof rows / sizeof rows[0])

/* What a row is called after a file changed it, so that a plan's description tells. */
static const char *const changed_names[ROW_COUNT] = {
#define ROW(name, ...) name "+file",
#include "policy/tuning.def"
};

static const row_source *find(const char *name) {
    size_t i = 0;
    while (i < ROW_COUNT && strcmp(rows[i].name, name) != 0)
        ++i;
    return i < ROW_COUNT ? &rows[i] : NULL;
}

/* NULL for a row that has none. Parents stand before their children. */
static const row_source *parent_of(const row_source *row) {
    return *row->parent ? find(row->parent) : NULL;
}

/* Change the fields that the row and its parents name. */
static void apply(const row_source *from, tuning_row *row) {
    const row_source *const parent = parent_of(from);
    if (parent)
        apply(parent, row);
    for (size_t i = 0; i < from->count; ++i)
        memcpy((char *)row + from->settings[i].offset, &from->settings[i].value, sizeof from->settings[i].value);
}

tuning_row tuning_find(const char *name) {
    tuning_row row = {
        .name = NULL,
#define FIELD(rows, name, least, most, power, otherwise, meaning) .name = (otherwise),
#include "policy/tuning.def"
    };
    const row_source *const found = find(name);
    if (found) {
        apply(found, &row);
        row.name = found->name;
    }
    return row;
}

bool tuning_is_kind_of(const char *name, const char *ancestor) {
    const row_source *row = find(name);
    while (row && strcmp(row->name, ancestor) != 0)
        row = parent_of(row);
    return row != NULL;
}

bool tuning_has_field(const char *name, field_rows of) {
    const field_rows its = tuning_is_kind_of(name, "cpu") ? FIELD_OF_CPU : FIELD_OF_GPU;
    return of == FIELD_OF_ALL || of == its;
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

static bool is_type(const device_facts *device, const char *text) {
    return (strcmp(text, "cpu") == 0 && (device->type & CL_DEVICE_TYPE_CPU)) ||
           (strcmp(text, "gpu") == 0 && (device->type & CL_DEVICE_TYPE_GPU)) ||
           (strcmp(text, "accelerator") == 0 && (device->type & CL_DEVICE_TYPE_ACCELERATOR));
}

/* "AuthenticAMD", "AuthenticAMD family 26" and "AuthenticAMD family 26 model 2" are one processor. */
static bool begins_with_words(const char *name, const char *words) {
    const size_t length = strlen(words);
    return length > 0 && strncmp(name, words, length) == 0 && (name[length] == 0 || name[length] == ' ');
}

bool tuning_is_property(const char *what) {
    return strcmp(what, "type") == 0 || strcmp(what, "vendor") == 0 || strcmp(what, "processor") == 0 ||
           strcmp(what, "device") == 0;
}

bool tuning_matches(const device_facts *device, const char *what, const char *text) {
    switch (*what) {
    case 't':
        return is_type(device, text);
    case 'v':
        return strcmp(device->vendor, text) == 0;
    case 'p':
        return begins_with_words(device->processor, text);
    case 'd':
        return strcmp(device->name, text) == 0;
    default:
        return true;
    }
}

static bool is_for(const row_source *row, const device_facts *device) {
    const row_source *const parent = parent_of(row);
    return tuning_matches(device, row->what, row->text) && (!parent || is_for(parent, device));
}

const char *tuning_class(const device_facts *device) {
    size_t i = ROW_COUNT - 1;
    while (i > 0 && !is_for(&rows[i], device))
        --i;
    return rows[i].name;
}

argmax_cl_status tuning_choose(const char *name, const device_facts *device, tuning_row *row) {
    char path[4096];
    const char *const given = environment_trusted("ARGMAX_CL_TUNING");
    *row = tuning_find(name ? name : tuning_class(device));
    assert(row->name);
    if (row->cache_bytes && row->cache_bytes < its_cache(device))
        row->cache_bytes = its_cache(device);
    bool changed = false;
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    if (!name && given && *given)
        status = tuning_read("ARGMAX_CL_TUNING = ", given, true, device, row, &changed);
    else if (!name && !given && tuning_user_file(path, sizeof path))
        status = tuning_read("the user's tuning file ", path, false, device, row, &changed);
    if (changed)
        row->name = changed_names[find(row->name) - rows];
    return status;
}
