/* A file of changes to the tuning rows, a line each; # starts a comment.
 *
 *   ROW FIELD=NUMBER ...     changes that row of src/policy/tuning.def, and those that have it for a parent
 *   device "NAME"            what follows, up to the next such line, is for devices of that name alone
 *   processor "WORDS"        ... for CPU devices whose processor's name begins with these
 *   vendor "NAME", type "cpu" or "gpu" or "accelerator" */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LINE_BYTES 1024 /* with the closing zero */

typedef struct field_info {
    const char *name;
    size_t offset; /* in tuning_row */
    uint32_t least, most;
    bool power_of_two;
} field_info;

static const field_info fields[] = {
#define FIELD(rows, name, least, most, power, otherwise, meaning)                                                      \
    {#name, offsetof(tuning_row, name), least, most, power},
#include "policy/tuning.def"
};

#define FIELD_COUNT (sizeof fields / sizeof fields[0])

/* Where in a file the reader is. */
typedef struct place {
    const char *source, *file;  /* who named the file, for messages; its path */
    const device_facts *device; /* that the plan is for */
    unsigned line;
    bool ours; /* these lines are for it */
} place;

static argmax_cl_status wrong(const place *at, const char *word, const char *expected) {
    return fail(ARGMAX_CL_ERROR_INVALID_TUNING, "%s\"%s\", line %u: \"%.80s\": expected %s", at->source, at->file,
                at->line, word, expected);
}

/* Prefetch hints have names, too. */
static const char *const hints[] = {"none", "nta", "t2", "t1", "t0"};
#define HINT_COUNT (sizeof hints / sizeof hints[0])

/* The number that the text names; HINT_COUNT where it names none of that field's. */
static size_t named_number(const field_info *field, const char *text) {
    const size_t length = strlen(field->name), of_hint = sizeof "hint" - 1;
    size_t i = length >= of_hint && strcmp(field->name + length - of_hint, "hint") == 0 ? 0 : HINT_COUNT;
    while (i < HINT_COUNT && strcmp(hints[i], text) != 0)
        ++i;
    return i;
}

static argmax_cl_status set_field(const place *at, const char *word, tuning_row *row) {
    const size_t length = strcspn(word, "=");
    size_t i = 0;
    while (i < FIELD_COUNT && !(strlen(fields[i].name) == length && strncmp(fields[i].name, word, length) == 0))
        ++i;
    if (i == FIELD_COUNT || word[length] != '=')
        return wrong(at, word, "FIELD=NUMBER with a field of src/policy/tuning.def");
    /* Digits alone: strtoul takes signs too. What it cannot hold becomes ULONG_MAX, which no field takes. */
    const char *const text = word + length + 1;
    const size_t digits = strspn(text, "0123456789"), named = named_number(&fields[i], text);
    const unsigned long value = named < HINT_COUNT ? (unsigned long)named : strtoul(text, NULL, 10);
    if (((digits == 0 || text[digits]) && named == HINT_COUNT) || value < fields[i].least || value > fields[i].most ||
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

/* What follows a property's name: its text between quotes, which may hold any other character, and no more. */
static argmax_cl_status read_section(place *at, const char *what, char *text) {
    char *const name = text + strspn(text, " \t");
    char *const end = *name == '"' ? strchr(name + 1, '"') : NULL;
    if (!end || !strchr("#\r\n", end[1 + strspn(end + 1, " \t")]))
        return wrong(at, what, "a name between quotes after it");
    *end = 0;
    if (strcmp(what, "type") == 0 && strcmp(name + 1, "cpu") != 0 && strcmp(name + 1, "gpu") != 0 &&
        strcmp(name + 1, "accelerator") != 0)
        return wrong(at, name + 1, "cpu, gpu or accelerator between the quotes");
    at->ours = tuning_matches(at->device, what, name + 1);
    return ARGMAX_CL_SUCCESS;
}

/* Change the row where the line speaks of it. */
static argmax_cl_status read_line(place *at, char *line, tuning_row *row, bool *changed) {
    const size_t start = strspn(line, " \t"), length = strcspn(line + start, " \t\"#\r\n");
    char first[16], *rest;
    snprintf(first, sizeof first, "%.*s", (int)length, line + start);
    if (tuning_is_property(first))
        return read_section(at, first, line + start + length);
    line[strcspn(line, "#\r\n")] = 0;
    const char *word = at->ours ? strtok_r(line, " \t", &rest) : NULL;
    if (word && !tuning_find(word).name)
        return wrong(at, word, "a row's name, or type, vendor, processor or device first");
    if (!word || !tuning_is_kind_of(row->name, word))
        return ARGMAX_CL_SUCCESS;
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    while (!status && (word = strtok_r(NULL, " \t", &rest)) != NULL) {
        status = set_field(at, word, row);
        *changed = true;
    }
    return status;
}

/* The next line, without its end; false at the file's end, and when the line is none. */
static bool next_line(place *at, FILE *file, char line[LINE_BYTES], argmax_cl_status *status) {
    size_t length = 0;
    int c;
    ++at->line;
    while ((c = getc(file)) != EOF && c != '\n' && c != 0 && length < LINE_BYTES - 1)
        line[length++] = (char)c;
    line[length] = 0;
    if (c != EOF && c != '\n')
        *status = wrong(at, line, c ? "a line of at most 1023 characters" : "text, and no character 0");
    return !*status && (c != EOF || length > 0);
}

static bool is_empty_device(const struct stat *facts) {
    struct stat null;
    return S_ISCHR(facts->st_mode) && stat("/dev/null", &null) == 0 && facts->st_rdev == null.st_rdev;
}

/* Other devices and pipes might never end, and could not be read again for the next plan. */
static FILE *open_regular(const char *path) {
    struct stat facts;
    if (stat(path, &facts) != 0)
        return NULL; /* errno says why */
    errno = 0;
    return S_ISREG(facts.st_mode) || is_empty_device(&facts) ? fopen(path, "r") : NULL;
}

argmax_cl_status tuning_read(const char *source, const char *path, bool must_exist, const device_facts *device,
                             tuning_row *row, bool *changed) {
    char line[LINE_BYTES];
    place at = {source, path, device, 0, true};
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    FILE *const file = open_regular(path);
    if (!file && !must_exist && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
        return ARGMAX_CL_SUCCESS;
    if (!file)
        return fail(ARGMAX_CL_ERROR_INVALID_TUNING, "%s\"%s\": cannot read that file", source, path);
    while (!status && next_line(&at, file, line, &status))
        status = read_line(&at, line, row, changed);
    if (!status && ferror(file))
        status = fail(ARGMAX_CL_ERROR_INVALID_TUNING, "%s\"%s\": cannot read that file", source, path);
    fclose(file);
    return status;
}
