#include "fuzz.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void broken(const char *file, int line, const char *condition, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: does not hold: %s: ", file, line, condition);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    abort();
}

static char scratch_path[4096];

static void remove_scratch(void) {
    unlink(scratch_path);
}

static int open_scratch(void) {
    const char *const folder = getenv("TMPDIR");
    snprintf(scratch_path, sizeof scratch_path, "%s/argmax_cl_fuzz.XXXXXX", folder && *folder ? folder : "/tmp");
    const int file = mkstemp(scratch_path);
    if (file >= 0)
        atexit(remove_scratch);
    return file;
}

const char *scratch_file(const void *bytes, size_t size) {
    static int file = -1;
    if (file < 0)
        file = open_scratch();
    const bool written = file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == (ssize_t)size;
    REQUIRE(written, "%zu bytes cannot be written to %s", size, scratch_path);
    return scratch_path;
}

uint8_t take_byte(source *s) {
    return s->at < s->end ? *s->at++ : 0;
}

uint64_t take_u64(source *s) {
    uint64_t number = 0;
    for (int i = 0; i < 8; ++i)
        number |= (uint64_t)take_byte(s) << (8 * i);
    return number;
}

uint64_t take_number(source *s) {
    const uint8_t kind = take_byte(s);
    if (kind < 160)
        return kind % 40;
    if (kind < 224)
        return ((uint64_t)1 << (kind - 160)) + (uint64_t)(int8_t)take_byte(s);
    return take_u64(s);
}
