#include "tune_row.h"

#include "device.h"
#include "internal.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct field_info {
    field_rows rows;
    const char *name;
    uint32_t least, most;
    bool power_of_two;
} field_info;

static const field_info fields[TUNE_FIELDS] = {
#define FIELD(rows, name, least, most, power, otherwise, meaning) {FIELD_OF_##rows, #name, least, most, power},
#include "policy/tuning.def"
};

static void read_row(const tuning_row *from, tune_row *to) {
#define FIELD(rows, name, least, most, power, otherwise, meaning) to->value[TUNE_##name] = from->name;
#include "policy/tuning.def"
}

bool tune_row_of(cl_device_id device, const char *from, const char **name, tune_row *row) {
    device_facts facts;
    tuning_row found;
    if (from != NULL && setenv("ARGMAX_CL_TUNING", from, 1) != 0)
        return complain("%s: no memory", from);
    if (device_query(device, &facts) != ARGMAX_CL_SUCCESS || tuning_choose(NULL, &facts, &found) != ARGMAX_CL_SUCCESS)
        return complain("%s", argmax_cl_last_error());
    *name = tuning_class(&facts);
    read_row(&found, row);
    return true;
}

const char *tune_row_built_in(size_t number, tune_row *row) {
    static const char *const names[] = {
#define ROW(name, ...) name,
#include "policy/tuning.def"
    };
    if (number >= sizeof names / sizeof names[0])
        return NULL;
    const tuning_row found = tuning_find(names[number]);
    read_row(&found, row);
    return names[number];
}

const char *tune_field_name(size_t field) {
    return fields[field].name;
}

bool tune_is_fine(size_t field) {
    return !fields[field].power_of_two;
}

bool tune_can_be_zero(size_t field) {
    return fields[field].least == 0;
}

#define FEW_VALUES 5
/* aligned=2 promises what only a test can know. */
static uint32_t most_of(size_t field) {
    return field == TUNE_aligned ? 1 : fields[field].most;
}

uint32_t tune_few_values(size_t field, uint32_t *least) {
    const uint32_t count = most_of(field) - fields[field].least + 1;
    *least = fields[field].least;
    return count <= FEW_VALUES ? count : 0;
}

size_t tune_partner(size_t field) {
    switch (field) {
    case TUNE_prefetch_bytes:
    case TUNE_prefetch_columns:
    case TUNE_prefetch_narrow:
        return TUNE_hint;
    case TUNE_prefetch_transposed:
        return TUNE_far_hint;
    case TUNE_hint:
    case TUNE_local_index_hint:
        return TUNE_prefetch_bytes;
    case TUNE_far_hint:
        return TUNE_prefetch_transposed;
    default:
        return field;
    }
}

bool tune_fields_listed(const char *list, const char *row, bool listed[TUNE_FIELDS]) {
    for (size_t f = 0; f < TUNE_FIELDS; f++)
        listed[f] = list == NULL && tuning_has_field(row, fields[f].rows);
    while (list != NULL && *list != 0) {
        const size_t length = strcspn(list, ",");
        size_t f = 0;
        while (f < TUNE_FIELDS && !(strlen(fields[f].name) == length && strncmp(fields[f].name, list, length) == 0))
            f++;
        if (f == TUNE_FIELDS)
            return complain("--fields %.*s: expected fields of src/policy/tuning.def", (int)length, list);
        if (!tuning_has_field(row, fields[f].rows))
            return complain("--fields %s: the row %s has no such field", fields[f].name, row);
        listed[f] = true;
        list += length + (list[length] == ',');
    }
    return true;
}

/* To three significant bits: numbers that a person would write. */
static double rounded(double n) {
    const double unit = n < 8 ? 1 : exp2(floor(log2(n)) - 2);
    return floor(n / unit + 0.5) * unit;
}

uint32_t tune_step(size_t field, uint32_t value, double factor, bool up) {
    const field_info *const f = &fields[field];
    const uint32_t most = most_of(field);
    double next = rounded(up ? floor(value * factor) : ceil(value / factor));
    if (f->power_of_two)
        next = exp2(up ? floor(log2(next)) : ceil(log2(next)));
    if (next == value)
        next = up ? (f->power_of_two ? 2.0 * value : value + 1.0) : (f->power_of_two ? value / 2.0 : value - 1.0);
    if (up && value == 0)
        next = 1;
    if (next > most)
        next = most > value ? most : value;
    if (next < f->least)
        next = f->least < value ? f->least : value;
    return (uint32_t)next;
}

#define FIELDS_A_LINE 6
void tune_row_print(const tune_row *row, const char *name, char text[TUNE_ROW_TEXT]) {
    size_t used = 0, count = 0;
    for (size_t f = 0; f < TUNE_FIELDS && used < TUNE_ROW_TEXT; f++) {
        const bool first = count % FIELDS_A_LINE == 0;
        if (!tuning_has_field(name, fields[f].rows))
            continue;
        used += (size_t)snprintf(text + used, TUNE_ROW_TEXT - used, "%s%s %s=%u", first && count > 0 ? "\n" : "",
                                 first ? name : "", fields[f].name, row->value[f]);
        count++;
    }
}

/* ---- The file -------------------------------------------------------------------------------------------------- */

bool tune_file_path(char path[TUNE_PATH]) {
    const char *const given = getenv("ARGMAX_CL_TUNING");
    if (given != NULL && *given != 0)
        return (size_t)snprintf(path, TUNE_PATH, "%s", given) < TUNE_PATH || complain("ARGMAX_CL_TUNING is too long");
    return tuning_user_file(path, TUNE_PATH) ||
           complain("no configuration folder: set HOME or XDG_CONFIG_HOME, or give --to FILE");
}

/* A file in memory; NULL where there is none. */
static char *read_whole(const char *path, bool *failed) {
    FILE *const file = fopen(path, "r");
    char *text = NULL;
    size_t used = 0, size = 0;
    *failed = file == NULL && errno != ENOENT;
    while (file != NULL && !*failed && !feof(file)) {
        size = 2 * size + 4096;
        char *const larger = realloc(text, size);
        *failed = larger == NULL;
        text = larger != NULL ? larger : text;
        if (!*failed)
            used += fread(text + used, 1, size - 1 - used, file);
        *failed = *failed || ferror(file);
    }
    if (file != NULL)
        fclose(file);
    if (text != NULL)
        text[used] = 0;
    return text;
}

/* Whether a line begins a section, and the quoted name of the device whose section it is; NULL for one of others. */
static bool is_section_line(const char *line, const char **device) {
    static const char *const words[] = {"device", "processor", "vendor", "type"};
    const char *const word = line + strspn(line, " \t");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i]);
        const char *const name =
            word + length + (strncmp(word, words[i], length) == 0 ? strspn(word + length, " \t") : 0);
        *device = i == 0 ? name : NULL;
        if (strncmp(word, words[i], length) == 0 && *name == '"')
            return true;
    }
    return false;
}

/* All lines of the old text but those for the device, from its line to the next section's. */
static void copy_others(FILE *file, const char *old, const char *device) {
    bool ours = false;
    for (const char *line = old; *line != 0;) {
        const size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
        const char *name;
        if (is_section_line(line, &name))
            ours = name != NULL && strncmp(name + 1, device, strlen(device)) == 0 && name[1 + strlen(device)] == '"';
        if (!ours)
            fwrite(line, 1, length, file);
        if (!ours && line[length] == 0 && line[length - 1] != '\n')
            fputc('\n', file);
        line += length;
    }
}

static bool make_folders(const char *path) {
    char folder[TUNE_PATH];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            return complain("%s: %s", folder, strerror(errno));
        *slash = '/';
    }
    return true;
}

/* A new file beside the old one takes its name when it is complete. */
static bool replace_file(const char *path, const char *old, const char *device, const char *text) {
    char beside[TUNE_PATH + 8];
    snprintf(beside, sizeof beside, "%s.XXXXXX", path);
    const int handle = mkstemp(beside);
    FILE *const file = handle >= 0 ? fdopen(handle, "w") : NULL;
    if (file == NULL)
        return complain("%s: %s", beside, strerror(errno));
    copy_others(file, old != NULL ? old : "", device);
    fprintf(file, "device \"%s\"\n%s", device, text);
    bool good = fchmod(handle, 0644) == 0 && fflush(file) == 0 && fsync(handle) == 0;
    good = fclose(file) == 0 && good && rename(beside, path) == 0;
    if (!good) {
        complain("%s: %s", path, strerror(errno));
        unlink(beside);
    }
    return good;
}

bool tune_file_save(const char *path, const char *device, const char *text) {
    char real[PATH_MAX];
    bool failed;
    if (!make_folders(path))
        return false;
    if (realpath(path, real) != NULL) /* a link stays one */
        path = real;
    char *const old = read_whole(path, &failed);
    const bool good = !failed ? replace_file(path, old, device, text) : complain("%s: cannot read it", path);
    free(old);
    return good;
}
