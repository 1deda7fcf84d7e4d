#include "tuned.h"

#include "internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[4096];   /* of the file; "": none yet */
static char current[400]; /* what it holds: row and fields; "": nothing is changed */
static char *before;      /* ARGMAX_CL_TUNING as it was, NULL: unset */

static void remove_file(void) {
    remove(path);
}

static bool open_file(void) {
    const char *const folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/argmax_cl_tuned_XXXXXX", folder && *folder ? folder : "/tmp");
    const int file = mkstemp(path);
    const char *const value = getenv("ARGMAX_CL_TUNING");
    if (file < 0) {
        path[0] = 0;
        return false;
    }
    before = value ? strdup(value) : NULL;
    close(file);
    atexit(remove_file);
    return true;
}

/* Lines of at most a few fields each: a tuning file has short ones. */
static void write_row(FILE *file, const char *device_class, const tuning_row *row, const char *fields) {
#define FIELD(rows, name, least, most, power, otherwise, meaning)                                                      \
    fprintf(file, "%s %s=%" PRIu32 "\n", device_class, #name, row->name);
#include "policy/tuning.def"
    for (const char *field = fields; *field; field += *field == ',') {
        const size_t length = strcspn(field, ","), name = strcspn(field, ":");
        fprintf(file, "%s %.*s=%.*s\n", device_class, (int)(name < length ? name : length), field,
                name < length ? (int)(length - name - 1) : 0, name < length ? field + name + 1 : "");
        field += length;
    }
}

static bool write_file(const char *row_name, const char *fields) {
    const tuning_row row = tuning_find(row_name);
    FILE *const file = row.name ? fopen(path, "w") : NULL;
    if (!file)
        return false;
#define ROW(name, ...) write_row(file, name, &row, fields);
#include "policy/tuning.def"
    return fclose(file) == 0;
}

static bool restore(void) {
    if (current[0] == 0)
        return true;
    current[0] = 0;
    return (before ? setenv("ARGMAX_CL_TUNING", before, 1) : unsetenv("ARGMAX_CL_TUNING")) == 0;
}

bool tuned_use(const char *row, const char *fields) {
    char wanted[sizeof current];
    if (!*fields)
        return restore();
    snprintf(wanted, sizeof wanted, "%s %s", row, fields);
    if (strcmp(wanted, current) == 0)
        return true;
    if (!(path[0] || open_file()) || !write_file(*row ? row : "cpu", fields))
        return false;
    memcpy(current, wanted, sizeof current);
    return setenv("ARGMAX_CL_TUNING", path, 1) == 0;
}
