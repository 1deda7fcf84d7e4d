/* Tuning files: any bytes are either changes to a row, all within their limits, or refused with the line's number. */
#include "fuzz.h"
#include "internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset; /* in tuning_row */
    uint32_t least, most;
    bool power_of_two;
} fields[] = {
#define FIELD(rows, name, least, most, power, otherwise, meaning)                                                      \
    {#name, offsetof(tuning_row, name), least, most, power},
#include "policy/tuning.def"
};

static void check_row(const tuning_row *row, const char *class) {
    const size_t length = strlen(class);
    REQUIRE(strncmp(row->name, class, length) == 0 && (!row->name[length] || strcmp(row->name + length, "+file") == 0),
            "%s", row->name);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i) {
        uint32_t value;
        memcpy(&value, (const char *)row + fields[i].offset, sizeof value);
        REQUIRE(value >= fields[i].least && value <= fields[i].most, "%s = %" PRIu32, fields[i].name, value);
        REQUIRE(!fields[i].power_of_two || (value & (value - 1)) == 0, "%s = %" PRIu32, fields[i].name, value);
    }
}

static unsigned long lines_of(const uint8_t *data, size_t size) {
    unsigned long lines = 1;
    for (size_t i = 0; i < size; ++i)
        lines += data[i] == '\n';
    return lines;
}

/* The message names the file, and, unless the whole file is wrong, a line that it has. */
static void check_message(const char *path, unsigned long lines) {
    const char *const text = argmax_cl_last_error();
    const char *const named = strstr(text, path);
    REQUIRE(named, "%s", text);
    const char *const at = strstr(named, "\", line ");
    const unsigned long line = at ? strtoul(at + 8, NULL, 10) : 0;
    REQUIRE(line >= 1 && line <= lines, "%lu lines: %s", lines, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const device_facts devices[] = {{.type = CL_DEVICE_TYPE_CPU,
                                            .name = "A CPU",
                                            .vendor = "A vendor",
                                            .processor = "GenuineIntel family 6 model 143"},
                                           {.type = CL_DEVICE_TYPE_GPU, .name = "A GPU # 1"}};
    const char *const path = scratch_file(data, size);
    setenv("ARGMAX_CL_TUNING", path, 1);
    for (size_t i = 0; i < 2; ++i) {
        tuning_row row, again;
        memset(&row, 0, sizeof row);
        memset(&again, 0, sizeof again);
        const argmax_cl_status status = tuning_choose(NULL, &devices[i], &row);
        REQUIRE(status == ARGMAX_CL_SUCCESS || status == ARGMAX_CL_ERROR_INVALID_TUNING, "status %d", (int)status);
        REQUIRE(status || !size || !memchr(data, 0, size), "a character 0 was overlooked");
        if (status) {
            check_message(path, lines_of(data, size));
            continue;
        }
        check_row(&row, tuning_class(&devices[i]));
        REQUIRE(tuning_choose(NULL, &devices[i], &again) == ARGMAX_CL_SUCCESS, "the second time");
        REQUIRE(memcmp(&row, &again, sizeof row) == 0, "the second time");
    }
    return 0;
}
