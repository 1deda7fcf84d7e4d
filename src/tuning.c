/* The tuning rows, the choice among them by the device's class, and a user's changes from a file. */
#include "internal.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const tuning_row rows[] = {
#define ROW(name, ...) {name, __VA_ARGS__},
#include "tuning.def"
};

#define ROW_COUNT (sizeof rows / sizeof rows[0])

typedef struct field_info {
    const char *name;
    size_t offset; /* in tuning_row */
    uint32_t least, most;
    bool power_of_two;
} field_info;

static const field_info fields[] = {
#define FIELD(name, least, most, power, meaning) {#name, offsetof(tuning_row, name), least, most, power},
#include "tuning.def"
};

#define FIELD_COUNT (sizeof fields / sizeof fields[0])

const tuning_row *tuning_find(const char *name) {
    for (size_t i = 0; i < ROW_COUNT; ++i)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

const char *tuning_names(void) {
    static const char text[] =
#define ROW(name, ...) ", " name
#include "tuning.def"
        ;
    return text + 2;
}

/* ---- a file of lines "ROW FIELD=NUMBER ..."; # starts a comment ---- */

/* Where a line of the file is wrong. */
typedef struct place {
    const char *file;
    unsigned line;
} place;

static argmax_cl_status wrong(const place *at, const char *word, const char *expected) {
    return fail(ARGMAX_CL_ERROR_INVALID_STRATEGY, "ARGMAX_CL_TUNING = \"%s\", line %u: \"%.80s\": expected %s",
                at->file, at->line, word, expected);
}

static argmax_cl_status set_field(const place *at, const char *word, tuning_row *row) {
    const size_t length = strcspn(word, "=");
    char *end;
    size_t i = 0;
    while (i < FIELD_COUNT && !(strlen(fields[i].name) == length && strncmp(fields[i].name, word, length) == 0))
        ++i;
    if (i == FIELD_COUNT || word[length] != '=')
        return wrong(at, word, "FIELD=NUMBER with a field of src/tuning.def");
    errno = 0;
    const unsigned long value = strtoul(word + length + 1, &end, 10);
    if (errno || *end || end == word + length + 1 || value < fields[i].least || value > fields[i].most ||
        (fields[i].power_of_two && (value & (value - 1)) != 0)) {
        char range[64];
        snprintf(range, sizeof range, "%s %u..%u", fields[i].power_of_two ? "a power of two in" : "a number in",
                 fields[i].least, fields[i].most);
        return wrong(at, word, range);
    }
    const uint32_t number = (uint32_t)value;
    memcpy((char *)row + fields[i].offset, &number, sizeof number);
    return ARGMAX_CL_SUCCESS;
}

/* Change the row where the line speaks of it. */
static argmax_cl_status read_line(const place *at, char *line, tuning_row *row) {
    char *rest;
    line[strcspn(line, "#\r\n")] = 0;
    const char *word = strtok_r(line, " \t", &rest);
    if (word && !tuning_find(word))
        return wrong(at, word, "a row's name first");
    if (!word || strcmp(word, row->name) != 0)
        return ARGMAX_CL_SUCCESS;
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    while (!status && (word = strtok_r(NULL, " \t", &rest)) != NULL)
        status = set_field(at, word, row);
    return status;
}

static argmax_cl_status read_changes(const char *name, tuning_row *row) {
    char line[1024];
    place at = {name, 0};
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    FILE *const file = fopen(name, "r");
    if (!file)
        return fail(ARGMAX_CL_ERROR_INVALID_STRATEGY, "ARGMAX_CL_TUNING = \"%s\": cannot read that file", name);
    while (!status && fgets(line, sizeof line, file)) {
        ++at.line;
        if (strlen(line) == sizeof line - 1)
            status = wrong(&at, line, "a line of at most 1022 characters");
        else
            status = read_line(&at, line, row);
    }
    fclose(file);
    return status;
}

argmax_cl_status tuning_choose(const char *name, const device_facts *device, tuning_row *row) {
    const char *const class_name = (device->type & CL_DEVICE_TYPE_CPU) ? "cpu" : "gpu";
    const char *const file = getenv("ARGMAX_CL_TUNING");
    const tuning_row *const found = tuning_find(name ? name : class_name);
    assert(found);
    *row = *found;
    return !name && file && *file ? read_changes(file, row) : ARGMAX_CL_SUCCESS;
}
