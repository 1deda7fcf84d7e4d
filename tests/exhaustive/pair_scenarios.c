#include "pair_scenarios.h"

#include <stdlib.h>
#include <string.h>

/* Vectors of two or four narrow elements, which fill a 32-bit word, and nothing else that is not asked for. */
const char pair_tuning_base[] =
    "group=64 group_short=32 group_columns=64 group_stream=64 group_register=64 vector_bytes=4 column_bytes=4 "
    "vector_elements=16 aligned=0 swar=0 nv_ptx=0 unroll_rows=1 unroll_columns=1 register_lanes=1 register_bytes=8 "
    "register_batch=1 row_loads=1 lone_loads=64 short_vectors=1024 short_lanes=2 across_least=32 panel_bytes=4 "
    "prefetch_bytes=0 one_launch=0 one_launch_columns=0";

/* Two vectors: a and b at every two places; then both at the same time in the halves or bytes of a word, so that what
 * leaks from one into the other shows. */
#define FLAGGED_PARTIAL {"*8 abbabaab abbbbbbb babbbbbb bbabbbbb bbbabbbb", "*4 abba abbb babb bbab"}
#define ONE_PAIR {"ab", "ab"}
/* Rows that begin anywhere within a word and end within the next but one. */
#define SHIFTED_WORDS {"*9 abbabaabb bbbbbbabb", "*5 abbab bbabb"}
#define ONCE {1, 1}

const pair_scenario pair_scenarios[] = {
    {"rows: elements", PAIR_ROWS, "short-rows", "vector_bytes=1 short_lanes=1", NEEDS_NOTHING,
     "-DVEC=1 -DLANES=1 !-DNV_PTX=1", ONE_PAIR, ONCE, 1, PAIRS_ALL, 0},
    {"rows: keys", PAIR_ROWS, "short-rows", "short_lanes=1", NEEDS_NOTHING,
     "rows: !-DVEC=1 -DLANES=1 !-DSWAR=1 !-DLOCAL_INDEX=1 !-DNV_PTX=1", FLAGGED_PARTIAL, ONCE, 1, PAIRS_ALL, 0},
    {"rows: words", PAIR_ROWS, "short-rows", "swar=1 short_lanes=1", NEEDS_NOTHING,
     "rows: -DSWAR=1 -DLANES=1 !-DNV_PTX=1", FLAGGED_PARTIAL, ONCE, 1, PAIRS_ALL, 0},
    {"rows: native words", PAIR_ROWS, "short-rows", "swar=1 nv_ptx=1 short_lanes=1", NEEDS_PTX,
     "rows: -DSWAR=1 -DLANES=1 -DNV_PTX=1", FLAGGED_PARTIAL, ONCE, 1, PAIRS_ALL, 0},
    {"rows: lanes reduce", PAIR_ROWS, "short-rows", "vector_bytes=1", NEEDS_NOTHING,
     "rows: -DVEC=1 -DLANES=2 !-DSWAR=1", ONE_PAIR, ONCE, 1, PAIRS_ALL, 0},
    {"rows: ends one by one",
     PAIR_ROWS,
     "short-rows",
     "aligned=1 short_lanes=1",
     NEEDS_NOTHING,
     "rows: -DPEEL=1 -DLANES=1",
     {"awwwwwwwwwwwwwwwb abwwwwwwwwwwwwwww wwawwwwwwwwwwwwwb", "awwwwwwwb wabwwwwww wawwwwwwb"},
     ONCE,
     1,
     PAIRS_ALL,
     0},
    {"rows: vectors moved back",
     PAIR_ROWS,
     "short-rows",
     "aligned=0 short_lanes=1 group_short=64",
     NEEDS_NOTHING,
     "rows: -DOVERLAP=1 !-DLOAD=ALIGNED -DLANES=1",
     {"awwwwwwwwwwwwwwwb abwwwwwwwwwwwwwww wwawwwwwwwwwwwwwb", "awwwwwwwb wabwwwwww wawwwwwwb"},
     ONCE,
     1,
     PAIRS_ALL,
     0},
    {"register_rows: keys", PAIR_ROWS, "register-rows", "", NEEDS_NOTHING,
     "register_rows: -DLOADS=2 -DLANES=1 !-DSWAR=1 !-DNV_PTX=1", FLAGGED_PARTIAL, ONCE, 1, PAIRS_ALL, 0},
    {"register_rows: words", PAIR_ROWS, "register-rows", "swar=1", NEEDS_NOTHING,
     "register_rows: -DLOADS=2 -DLANES=1 -DSWAR=1 !-DNV_PTX=1", FLAGGED_PARTIAL, ONCE, 1, PAIRS_ALL, 0},
    {"register_rows: native words", PAIR_ROWS, "register-rows", "swar=1 nv_ptx=1", NEEDS_PTX,
     "register_rows: -DLOADS=2 -DLANES=1 -DSWAR=1 -DNV_PTX=1", FLAGGED_PARTIAL, ONCE, 1, PAIRS_ALL, 0},
    {"register_rows: shifted", PAIR_ROWS, "register-rows", "register_bytes=12", NEEDS_NOTHING,
     "register_rows: -DLOAD=SHIFTED -DLANES=1 !-DSWAR=1 !-DNV_PTX=1", SHIFTED_WORDS, ONCE, 1, PAIRS_ALL, 0},
    {"register_rows: shifted words", PAIR_ROWS, "register-rows", "register_bytes=11 register_lanes=2 swar=1",
     NEEDS_NOTHING, "register_rows: -DLOAD=SHIFTED -DLANES=2 -DSWAR=1 !-DNV_PTX=1", SHIFTED_WORDS, ONCE, 1, PAIRS_ALL,
     0},
    {"register_rows: lanes reduce", PAIR_ROWS, "register-rows", "register_lanes=2", NEEDS_NOTHING,
     "register_rows: -DLANES=2 !-DNV_PTX=1", FLAGGED_PARTIAL, ONCE, 1, PAIRS_ALL, 0},
    {"register_rows: lanes shuffle", PAIR_ROWS, "register-rows", "register_lanes=2 nv_ptx=1", NEEDS_PTX,
     "register_rows: -DLANES=2 -DNV_PTX=1", FLAGGED_PARTIAL, ONCE, 1, PAIRS_ALL, 0},
    {"columns: keys", PAIR_COLUMNS, "columns", "", NEEDS_NOTHING, "columns: -DGROUP=64 -DPANEL=1 !-DSWAR=1 !-DNV_PTX=1",
     ONE_PAIR, ONCE, 4096, PAIRS_ALL, 0},
    {"columns: words", PAIR_COLUMNS, "columns", "swar=1", NEEDS_NOTHING,
     "columns: -DGROUP=64 -DPANEL=1 -DSWAR=1 !-DNV_PTX=1", ONE_PAIR, ONCE, 4096, PAIRS_ALL, 0},
    {"columns: native words", PAIR_COLUMNS, "columns", "swar=1 nv_ptx=1", NEEDS_PTX,
     "columns: -DGROUP=64 -DPANEL=1 -DSWAR=1 -DNV_PTX=1", ONE_PAIR, ONCE, 4096, PAIRS_ALL, 0},
    {"columns: strip", PAIR_COLUMNS, "columns", "group_columns=1 column_bytes=32 panel_bytes=512", NEEDS_NOTHING,
     "columns: -DGROUP=1 -DVEC=16 !-DPANEL=1", ONE_PAIR, ONCE, 4096, PAIRS_ALL, 0},
    {"columns: wide strip", PAIR_COLUMNS, "columns",
     "group_columns=1 column_bytes=64 vector_elements=32 panel_bytes=2048", NEEDS_CLANG, "columns: -DVEC=32", ONE_PAIR,
     ONCE, 4096, PAIRS_ALL, 0},
    {"columns: lanes share", PAIR_COLUMNS, "columns", "column_bytes=1", NEEDS_NOTHING,
     "columns: -DGROUP=64 -DACROSS=32 -DVEC=1", ONE_PAIR, ONCE, 32, PAIRS_ALL, 0},
    {"parts: two launches", PAIR_COLUMNS, "split-columns", "", NEEDS_NOTHING, "columns: -DSPLIT=1 launches=2", ONE_PAIR,
     ONCE, 4096, PAIRS_ALL, 0},
    {"parts: one launch", PAIR_COLUMNS, "split-columns",
     "nv_ptx=1 one_launch_columns=1048576 group_columns=256 column_bytes=8", NEEDS_ORDERING,
     "columns: -DSPLIT=1 launches=1", ONE_PAIR, ONCE, 4096, PAIRS_ALL, 1u << 22},
    {"rows as chosen", PAIR_ROWS, NULL, NULL, NEEDS_NOTHING, "", FLAGGED_PARTIAL, ONCE, 1, PAIRS_ALL, 0},
    {"columns as chosen", PAIR_COLUMNS, NULL, NULL, NEEDS_NOTHING, "", ONE_PAIR, ONCE, 4096, PAIRS_ALL, 0},
    {"rows: places",
     PAIR_ROWS,
     "short-rows",
     "group=1 group_short=1 short_lanes=1",
     NEEDS_NOTHING,
     "rows: -DLOCAL_INDEX=1",
     {"*8", "abww awbw wawb"},
     ONCE,
     1,
     PAIRS_ALL_ON_CPUS,
     0},
    {"permuted: rows",
     PAIR_PERMUTED,
     "permuted-rows",
     "group=1 group_short=1 short_lanes=1",
     NEEDS_NOTHING,
     "permuted: -DSPLIT=0 -DGROUP=1",
     {"*4", "*4"},
     ONCE,
     1,
     PAIRS_SAMPLED,
     0},
    {"permuted: lanes reduce",
     PAIR_PERMUTED,
     "permuted-rows",
     "short_lanes=32 group_short=64 row_loads=1 vector_bytes=1",
     NEEDS_NOTHING,
     "permuted: !-DLANES=1",
     {"*4", "*4"},
     {256, 128},
     1,
     PAIRS_SAMPLED,
     0},
    {"rows: places in wide vectors",
     PAIR_ROWS,
     "short-rows",
     "group=1 group_short=1 short_lanes=1 vector_bytes=64 vector_elements=32 unroll_rows=4",
     NEEDS_CLANG,
     "rows: -DVEC=32 -DLOCAL_INDEX=1",
     {"*4 abba", "*4 abba"},
     {80, 80},
     1,
     PAIRS_SAMPLED,
     0},
    {"rows: values first",
     PAIR_ROWS,
     "short-rows",
     "group=1 group_short=1 short_lanes=1 vector_bytes=64 vector_elements=32 unroll_rows=4 local_index_row_8=0 "
     "local_index_row_16=0 local_index_row_half=0",
     NEEDS_CLANG,
     "rows: -DVEC=32 -DBY_VALUE=1",
     {"*4 abba", "*4 abba"},
     {200, 800},
     1,
     PAIRS_SAMPLED,
     0},
    {"segments: wide vectors",
     PAIR_ROWS,
     "segment-rows",
     "group=1 group_short=1 vector_bytes=64 vector_elements=32 unroll_rows=4 panel_bytes=4096",
     NEEDS_CLANG,
     "segments: -DVEC=32",
     {"*4 abba", "*4 abba"},
     {200, 8},
     1,
     PAIRS_SAMPLED,
     0},
    {"transposed: keys",
     PAIR_ROWS,
     "transposed-blocks",
     "vector_bytes=64",
     NEEDS_NOTHING,
     "transposed: -DVEC=16 -DCOLUMNS=1",
     {"*4", "*4"},
     ONCE,
     1,
     PAIRS_SAMPLED,
     0},
    {"rows: counter runs full",
     PAIR_ROWS,
     "short-rows",
     "short_lanes=1 group=1",
     NEEDS_NOTHING,
     "rows: -DLANES=1 !-DLOCAL_INDEX=1",
     ONE_PAIR,
     {1200, 132000},
     1,
     PAIRS_SAMPLED,
     0},
    {"columns: counter runs full",
     PAIR_COLUMNS,
     "columns",
     "across_least=128",
     NEEDS_NOTHING,
     "columns: -DGROUP=64 !-DONE_BLOCK=1",
     ONE_PAIR,
     {300, 66000},
     256,
     PAIRS_SAMPLED,
     0},
    {"columns: wide counter full",
     PAIR_COLUMNS,
     "columns",
     "group_columns=1 column_bytes=64 vector_elements=32 panel_bytes=2048",
     NEEDS_CLANG,
     "columns: -DVEC=32 !-DONE_BLOCK=1",
     ONE_PAIR,
     {300, 66000},
     256,
     PAIRS_SAMPLED,
     0},
    {"columns: words run full",
     PAIR_COLUMNS,
     "columns",
     "swar=1 across_least=128",
     NEEDS_NOTHING,
     "columns: -DGROUP=64 -DSWAR=1 !-DONE_BLOCK=1",
     ONE_PAIR,
     {300, 66000},
     256,
     PAIRS_SAMPLED,
     0},
};
const size_t pair_scenario_count = sizeof pair_scenarios / sizeof pair_scenarios[0];

/* The i-th two places of `length`, counted along. */
static size_t two_places(size_t length, uint32_t i, char text[PAIR_PATTERN_MAX]) {
    for (size_t a = 0; a + 1 < length; a++)
        for (size_t b = a + 1; b < length; b++)
            if (i-- == 0) {
                memset(text, 'w', length);
                text[a] = 'a';
                text[b] = 'b';
                return length;
            }
    return 0;
}

size_t pair_pattern(const char *patterns, uint32_t i, char text[PAIR_PATTERN_MAX]) {
    for (const char *word = patterns; *word;) {
        const size_t length = strcspn(word, " ");
        if (*word == '*') {
            const size_t places = strtoul(word + 1, NULL, 10), ways = places * (places - 1) / 2;
            if (i < ways)
                return two_places(places, i, text);
            i -= (uint32_t)ways;
        } else if (i-- == 0) {
            memcpy(text, word, length);
            return length;
        }
        word += length + (word[length] == ' ');
    }
    return 0;
}

/* Words end with a space or with the text, so that -DVEC=1 is not found in -DVEC=16. */
static bool has_word(const char *text, const char *word, size_t length) {
    for (const char *at = text; (at = strchr(at, word[0])) != NULL; at++)
        if (strncmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\0' || at[length] == ','))
            return true;
    return false;
}

bool pair_plan_fits(const pair_scenario *s, const char *description) {
    for (const char *word = s->plan; *word;) {
        const size_t length = strcspn(word, " ");
        const bool wanted = *word != '!';
        if (has_word(description, wanted ? word : word + 1, wanted ? length : length - 1) != wanted)
            return false;
        word += length + (word[length] == ' ');
    }
    return true;
}
