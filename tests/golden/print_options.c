/* print_options: one line "KERNEL OPTIONS" for each program that the library may ask a compiler for, many of them more
 * than once. Needs no device: every strategy is laid over shapes of all classes for small and large devices.
 * scripts/lint_kernels.sh compiles the kernels with these. */
#include "choose.h"
#include "families/geometry.h"
#include "problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shapes and layouts that between them reach every kind of load, walk and lane count. */
static const char *const shapes[] = {
    "5000000",
    "5000000 strides=2",
    "5000001 offset=1",
    "7x3000000 axes=1",
    "7x3000001 axes=1",
    "100000x24 axes=1",
    "100000x24 axes=1 strides=48,2",
    "100000x1000 axes=1",
    "100000x7 axes=1",
    "100000x7x3 axes=1",
    "3000x90x5 axes=1",
    "100000x100 axes=1 strides=300,1",
    "1000x40000 axes=1 strides=60000,1",
    "3x1000000 axes=1 strides=2000000,2",
    "3000000x64 axes=0",
    "3000000x64 axes=0 strides=128,2",
    "3000000x63 axes=0",
    "40x300x500 axes=1",
    "40x3x500 axes=1",
    "64x32x64x32 axes=1,3",
    "64x32x64x32 axes=0,2",
    "64x31x64x33 axes=0,2",
    "64x31x64x33 axes=1,3",
    "9x8x7x9x8x7 axes=1,3,5",
    "9x8x7x9x8x7 axes=0,2,4",
    "8x8x8x8x8x8x8x8 axes=0,2,4,6",
    "8x8x8x8x8x8x8x8 axes=1,3,5,7",
    "30x40x50 axes=0,2 strides=1,30,1200",
    "30x40x50 axes=1 strides=1,30,1200 value vstrides=1,1,30 istrides=50,1,1",
    "300x400 axes=0 strides=0,1",
    "300x40x8 axes=0 strides=8,0,1",
    "30x8x9x4 axes=0 strides=9,0,1,0",
    "300x4000 strides=1,300",
    "4096x4000 strides=1,4096",
    "300x70x400 axes=0,2 strides=1,300,21000",
    "32x7x3x400x9 axes=0,2,4 strides=1,32,448,1344,537600",
    "32x7x3x400x9x5 axes=0,2,4 strides=1,32,448,1344,537600,9676800",
};

static const uint32_t group_limits[] = {1, 32, 256};
static const cl_uint compute_units[] = {2, 128};
static const ordering orderings[] = {ORDERING_NONE, ORDERING_CL30};
static const uint32_t group_of_ptx = 256; /* devices with this limit take inline PTX */

static void print_scan(const struct problem *p, const layout *l, const geometry *g) {
    char options[OPTIONS_CAPACITY];
    options_scan(p, l, g, options);
    printf("%s %s\n", g->family->kernel, options);
}

/* What becomes of it where the same dims are longer: pieces, answers that do not fit a word, or that go past
 * the caches, more elements than an accumulator counts. */
static void print_longer(const struct problem *p, const layout *l, const geometry *g) {
    const bool has_tail = g->finish != ORDERING_NONE && g->scan.group > 1 &&
                          (is_of(g, "columns") || (is_of(g, "stream") && g->stream.interleaved == g->parts));
    const bool columns = is_of(g, "columns") && g->scan.group == 1 && g->fused == 1 && g->inner == 1 &&
                         g->row_dims == 1 && g->parts == 1;
    if ((columns || is_of(g, "transposed")) && g->vector > 1 && !p->value.type && !is_general(p)) {
        geometry longer = *g;
        longer.non_temporal = true;
        print_scan(p, l, &longer);
    }
    if (is_of(g, "few_rows") && g->one_block) {
        geometry longer = *g;
        longer.one_block = false;
        print_scan(p, l, &longer);
    }
    for (int wide = 0; wide <= has_words(g); ++wide)
        for (int with_tail = 0; with_tail <= has_tail; ++with_tail)
            if (wide || with_tail) {
                geometry longer = *g;
                longer.atomic_partial = g->atomic_partial && !wide;
                longer.flagged_partial = g->flagged_partial && !wide && !with_tail;
                longer.tail_chunks = (uint64_t)with_tail;
                longer.one_block = g->one_block && !with_tail;
                print_scan(p, l, &longer);
            }
}

static void print_programs(struct problem *p, const layout *l) {
    char options[OPTIONS_CAPACITY];
    for (size_t limit = 0; limit < sizeof group_limits / sizeof group_limits[0]; ++limit)
        for (size_t unit = 0; unit < sizeof compute_units / sizeof compute_units[0]; ++unit) {
            const device_facts device = {.compute_units = compute_units[unit],
                                         .address_bits = 64,
                                         .max_group = 1024,
                                         .local_bytes = 32768,
                                         .clang_cpu = group_limits[limit] == 32,
                                         .nv_ptx = group_limits[limit] == group_of_ptx,
                                         .sub_group = group_limits[limit] == 32 && unit ? 16 : 0,
                                         .ordering =
                                             group_limits[limit] == group_of_ptx ? ORDERING_PTX : orderings[unit],
                                         .wide_atomics = true};
            geometry g;
            if (choose(p, l, &device, group_limits[limit], &g) != ARGMAX_CL_SUCCESS)
                continue;
            print_scan(p, l, &g);
            if (g.parts > 1) {
                options_merge(p, l, &g, options);
                printf("merge %s\n", options);
            }
            for (output_tensor output = 0; output < OUTPUT_TENSORS && l->stored_count; ++output)
                if (output_view(p, output)->type) {
                    options_copies(p, l, &g, output, options);
                    printf("copies %s\n", options);
                }
            print_longer(p, l, &g);
        }
}

static void print_shape(const char *line) {
    static const char *const tunings[] = {"cpu", "gpu"};
    problem_line parsed;
    problem_desc d;
    struct problem p;
    layout l;
    char error[300];
    if (!problem_parse(line, &parsed, error, sizeof error)) {
        fprintf(stderr, "%s: %s\n", line, error);
        exit(EXIT_FAILURE);
    }
    problem_describe(&parsed, &d);
    if (check_desc(parsed.op, &d.desc, &p) != ARGMAX_CL_SUCCESS) {
        fprintf(stderr, "%s: %s\n", line, argmax_cl_last_error());
        exit(EXIT_FAILURE);
    }
    const tuning_row row = tuning_find("cpu");
    layout_collapse(&p, &row, &l);
    strategy_request(&p);
    for (uint32_t i = 0; i < strategy_count(); ++i)
        for (size_t tuning = 0; tuning < sizeof tunings / sizeof tunings[0]; ++tuning) {
            p.strategy = strategy_name(i);
            p.tuning = tunings[tuning];
            print_programs(&p, &l);
        }
}

/* Masks and both extrema: the accumulator is one for all types, so some of them do. */
static void print_general(const char *shape) {
    static const char *const operators[] = {"argmax", "argminmax", "argminmax"};
    static const char *const words[] = {"mask=half", "last maxindex=uint32",
                                        "mask=half maxlast maxvalue maxindex=int32"};
    static const char *const types[] = {"float16", "float32", "int8", "int64"};
    for (size_t type = 0; type < sizeof types / sizeof types[0]; ++type)
        for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
            char line[PROBLEM_LINE_SIZE];
            snprintf(line, sizeof line, "%s %s %s %s", operators[i], types[type], shape, words[i]);
            print_shape(line);
        }
}

int main(void) {
    /* Bits: argmin, last, nan=ignore, 64-bit index, value. */
    enum { SETTINGS = 32 };
    for (int type = 0; type < PROBLEM_DTYPE_COUNT; ++type)
        for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; ++shape)
            for (int i = 0; i < SETTINGS; ++i) {
                char line[PROBLEM_LINE_SIZE];
                const bool has_value = strstr(shapes[shape], " value") != NULL;
                snprintf(line, sizeof line, "%s %s %s%s%s index=%s%s", i & 1 ? "argmin" : "argmax",
                         problem_dtypes[type].name, shapes[shape], i & 2 ? " last" : "", i & 4 ? " nan=ignore" : "",
                         i & 8 ? "int64" : "uint32", i & 16 && !has_value ? " value" : "");
                print_shape(line);
            }
    for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; ++shape)
        print_general(shapes[shape]);
    return EXIT_SUCCESS;
}
