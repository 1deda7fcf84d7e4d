/* What every fuzz target needs. A target is one file with the function that libFuzzer calls for each input; replay.c
 * calls it for files, with any compiler. What a target finds wrong ends the process. */
#ifndef ARGMAX_CL_TESTS_FUZZ_H
#define ARGMAX_CL_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold, in builds without assertions too. The text after the condition, with printf's arguments, says which
 * values broke it. */
#define REQUIRE(condition, ...)                                                                                        \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            broken(__FILE__, __LINE__, #condition, __VA_ARGS__);                                                       \
    } while (0)

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5), noreturn))
#endif
void broken(const char *file, int line, const char *condition, const char *format, ...);

/* Path of a file with these bytes; the same file each time, removed at the process's end. */
const char *scratch_file(const void *bytes, size_t size);

/* Numbers from an input's bytes, zeros after its end. */
typedef struct source {
    const uint8_t *at, *end;
} source;

uint8_t take_byte(source *s);
uint64_t take_u64(source *s);
/* A number that tends to sit where arithmetic breaks: small, next to a power of two, or any. */
uint64_t take_number(source *s);

#endif
