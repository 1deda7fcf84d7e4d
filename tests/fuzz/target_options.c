/* The command line of argmax-cl, and what it selects of an array: bytes between zeros are its words. */
#include "fuzz.h"

#include <answer.h>
#include <options.h>

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 24

static void check_selection(const options *o, uint32_t rank) {
    array a = {.rank = rank, .dtype = ARGMAX_CL_INT8};
    answer r = {0};
    message m = {""};
    uint64_t kept = 0;
    for (uint32_t i = 0; i < rank; ++i)
        a.sizes[i] = i + 2;
    if (!answer_shape(&r, o, &a, &m)) {
        REQUIRE(strncmp(m.text, "--axis: ", 8) == 0, "\"%s\"", m.text);
        return;
    }
    uint32_t entries = 1;
    for (const char *c = o->axes; c && *c; ++c)
        entries += *c == ',';
    REQUIRE(r.reduced_count == (o->axes ? entries : rank), "%" PRIu32 " axes", r.reduced_count);
    for (uint32_t i = 0; i < rank; ++i)
        kept += !r.reduced[i];
    REQUIRE(kept + r.reduced_count == rank, "%" PRIu64 " kept", kept);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *words[WORDS_MAX + 2] = {"argmax-cl"};
    int count = 1;
    options o;
    message m = {""};
    char *const text = malloc(size + 1);
    REQUIRE(text, "no memory");
    memcpy(text, data, size);
    text[size] = 0;
    for (size_t at = 0; at < size && count <= WORDS_MAX; at += strlen(text + at) + 1)
        words[count++] = text + at;
    optind = 0; /* glibc's and musl's way to start again */
    if (options_parse(count, words, &o, &m)) {
        REQUIRE(o.action != ACTION_COMPUTE || o.input, "no input");
        REQUIRE((!o.output || *o.output) && (!o.values || *o.values), "an empty name");
        for (uint32_t rank = 1; rank <= ARGMAX_CL_MAX_RANK && o.action == ACTION_COMPUTE; ++rank)
            check_selection(&o, rank);
    } else {
        REQUIRE(strstr(m.text, ", expected ") || strstr(m.text, "; see argmax-cl --help"), "\"%s\"", m.text);
    }
    free(text);
    return 0;
}
