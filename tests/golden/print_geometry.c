/* print_geometry [--write] TUNING FILE: what the host decides, without a device.
 *
 * FILE holds problem lines (problem.h), each after the name of one of the devices below and a bar, and under it,
 * indented, what check, layout, strategy, geometry and options make of it with the rows of the tuning file. Answers
 * cannot tell which of several right geometries was taken; this can. Exit status 1 when a line differs. --write prints
 * the file as it should be: after a change of geometry, look at the differences before keeping them. */
#include "choose.h"
#include "families/family.h"
#include "problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU .type = CL_DEVICE_TYPE_CPU, .little_endian = true
#define GPU .type = CL_DEVICE_TYPE_GPU, .little_endian = true
#define DISCRETE GPU, .aligned_buffers = true
#define INTEL .vendor = "Intel(R) Corporation", CL30
#define CL30 .ordering = ORDERING_CL30, .wide_atomics = true
#define SIZE(units, bytes) .compute_units = (units), .local_bytes = (bytes)

static const struct {
    const char *name;
    uint32_t group_limit;
    device_facts facts;
} devices[] = {
    {"cpu", 4096, {CPU, SIZE(4, 1 << 20), .clang_cpu = true, CL30}},
    {"plain", 1, {CPU, SIZE(16, 32768)}},
    {"gpu", 1024, {DISCRETE, SIZE(64, 49152), .ordering = ORDERING_CL20}},
    {"ptx", 1024, {DISCRETE, SIZE(132, 49152), .nv_ptx = true, .ordering = ORDERING_PTX, .wide_atomics = true}},
    {"amd", 256, {DISCRETE, SIZE(104, 65536), .ordering = ORDERING_CL20, .wide_atomics = true}},
    {"dg2", 1024, {DISCRETE, SIZE(512, 65536), INTEL}},
    {"pvc", 1024, {DISCRETE, SIZE(512, 65536), INTEL, .sub_group = 16}},
    {"tgllp", 512, {GPU, SIZE(96, 65536), INTEL, .host_unified = true}},
    {"loops", 1, {CPU, SIZE(8, 32768), .loop_limit = 65535}},
    {"small", 64, {.type = CL_DEVICE_TYPE_GPU, SIZE(2, 2048)}},
};
#define DEVICE_COUNT (sizeof devices / sizeof devices[0])

static FILE *out;

static void print_dims(const char *label, const layout_dim *dims, uint32_t count) {
    fprintf(out, " %s", label);
    for (uint32_t i = 0; i < count; ++i)
        fprintf(out, " %" PRIu64 ":%" PRId64 ":%" PRId64 ":%" PRId64, dims[i].size, dims[i].in, dims[i].index,
                dims[i].value);
}

static void print_layout(const layout *l) {
    fprintf(out, "    %" PRIu64 " of %" PRIu64 ",", l->outputs, l->reduction);
    print_dims("kept", l->kept, l->kept_count);
    print_dims("reduced", l->reduced, l->reduced_count);
    if (l->copied_count)
        print_dims("copied", l->copied, l->copied_count);
    fprintf(out, " from %" PRId64 " to %" PRId64 " %" PRId64, l->in_offset, l->index_offset, l->value_offset);
    if (l->repeated.added)
        fprintf(out, ", %" PRIu64 " added for every %" PRIu64, l->repeated.added, l->repeated.every);
    fprintf(out, "\n");
}

static void print_grid(const char *label, const launch_grid *grid) {
    fprintf(out, " %s %" PRIu64 " x %" PRIu32 " for %" PRIu64 " by %" PRIu64, label, grid->groups, grid->group,
            grid->jobs, grid->jobs_per_group);
}

static void print_geometry(const geometry *g) {
    const bool rows = is_of(g, "rows"), stream = is_of(g, "stream");
    fprintf(out,
            "    %s %s: load %d of %" PRIu32 ", lanes %" PRIu32 " across %" PRIu32 " unroll %" PRIu32
            " prefetch %" PRIu32 " loads %" PRIu32 " batch %" PRIu32 " panel %" PRIu32 "%s%s%s%s%s%s%s%s%s%s\n",
            g->strategy, g->tuning, (int)g->load, g->vector, g->lanes, g->across, g->unroll, g->prefetch_distance,
            g->loads, g->batch, g->panel, g->overlap ? " overlap" : "", g->peel ? " peel" : "",
            rows && g->rows.contiguous_batch ? " contiguous_batch" : "",
            rows && g->rows.local_index ? " local_index" : "", rows && g->rows.by_value ? " by_value" : "",
            g->constant_stride ? " constant_stride" : "",
            is_of(g, "permuted") && g->permuted.straight ? " straight" : "", g->swar ? " swar" : "",
            g->nv_ptx ? " nv_ptx" : "", g->one_block ? " one_block" : "");
    if (is_of(g, "transposed"))
        fprintf(out, "    step %" PRIu32 ", %" PRIu64 " vectors a job\n", g->transposed.step,
                g->transposed.job_vectors);
    if (is_of(g, "segments"))
        fprintf(out, "    tiles of %" PRIu32 " outputs at most\n", g->segments.tile_outputs);
    if (g->prefetch_row)
        fprintf(out, "    prefetch along rows: %" PRIu32 " bytes\n", g->prefetch_row);
    if (g->non_temporal)
        fprintf(out, "    non_temporal\n");
    if (g->fused > 1)
        fprintf(out, "    fused: %" PRIu32 " rows\n", g->fused);
    if (stream && g->stream.interleaved)
        fprintf(out, "    %" PRIu64 " parts take turns\n", g->stream.interleaved);
    if (stream && g->stream.windows)
        fprintf(out, "    %" PRIu64 " windows\n", g->stream.windows);
    if (g->tail_chunks)
        fprintf(out, "    tail: from %" PRIu64 " on in %" PRIu64 " chunks of %" PRIu64 "\n", g->parts * g->part_length,
                g->tail_chunks, g->tail_chunk);
    if (is_of(g, "blocks"))
        fprintf(out, "    wide loads of %" PRIu32 ", pad %" PRIu32 ", fused %" PRIu32 ", %" PRIu32 " at once\n",
                g->wide, g->blocks.pad, g->fused, g->blocks.pass);
    fprintf(out,
            "    %" PRIu64 " units by %" PRIu64 " in %" PRIu64 " parts of %" PRIu64 ", segments of %" PRIu64
            ", %" PRIu64 " tiles x %" PRIu64 ";",
            g->length, g->least, g->parts, g->part_length, g->segment_vectors, g->tiles, g->outers);
    print_grid("scan", &g->scan);
    if (g->parts > 1) {
        print_grid("merge", &g->merge);
        fprintf(out, " lanes %" PRIu32 " finish %d counters %" PRIu64, g->merge_lanes, (int)g->finish, g->counters);
    }
    if (g->copied_length) {
        print_grid("copies", &g->copies);
        fprintf(out, " of %" PRIu64 " by %" PRIu32, g->copied_length, g->copied_lanes);
    }
    fprintf(out, "\n");
}

/* Without what begins each of them. */
static void print_options(const char *kernel, const char *options) {
    fprintf(out, "    %s ", kernel);
    for (const char *at = options; *at; ++at)
        if (strncmp(at, "-D", 2) == 0)
            ++at;
        else
            fputc(*at, out);
    fputc('\n', out);
}

static void print_programs(const problem *p, const layout *l, const geometry *g) {
    char options[OPTIONS_CAPACITY];
    options_scan(p, l, g, options);
    print_options(g->family->kernel, options);
    if (g->parts > 1 && g->finish == ORDERING_NONE) {
        options_merge(p, l, g, options);
        print_options("merge", options);
    }
    for (output_tensor output = 0; output < OUTPUT_TENSORS && l->stored_count; ++output)
        if (output_view(p, output)->type) {
            options_copies(p, l, g, output, options);
            print_options("copies", options);
        }
}

static void refuse(void) {
    fprintf(out, "    refused: %s\n", argmax_cl_last_error());
}

/* What becomes of "DEVICE | PROBLEM". */
static void decide(const char *line) {
    problem_line parsed;
    problem_desc d;
    problem p;
    layout l;
    geometry g;
    char error[300];
    size_t device = 0;
    const size_t length = strcspn(line, " |");
    const char *const bar = strchr(line, '|');
    while (device < DEVICE_COUNT &&
           !(strlen(devices[device].name) == length && strncmp(devices[device].name, line, length) == 0))
        ++device;
    if (!bar || device == DEVICE_COUNT || !problem_parse(bar + 1, &parsed, error, sizeof error)) {
        fprintf(stderr, "%s\n    expected one of the devices in print_geometry.c, a bar, and a problem\n", line);
        exit(EXIT_FAILURE);
    }
    problem_describe(&parsed, &d);
    if (check_desc(parsed.op, &d.desc, &p) != ARGMAX_CL_SUCCESS || strategy_request(&p) != ARGMAX_CL_SUCCESS) {
        refuse();
        return;
    }
    if (p.outputs == 0) {
        fprintf(out, "    nothing\n");
        return;
    }
    if (collapse(&p, &devices[device].facts, &l) != ARGMAX_CL_SUCCESS) {
        refuse();
        return;
    }
    print_layout(&l);
    if (choose(&p, &l, &devices[device].facts, devices[device].group_limit, &g) != ARGMAX_CL_SUCCESS) {
        refuse();
        return;
    }
    print_geometry(&g);
    print_programs(&p, &l, &g);
}

/* The file as it should be. */
static void write_file(FILE *file) {
    char line[4096];
    while (fgets(line, sizeof line, file)) {
        if (line[0] == ' ')
            continue;
        fputs(line, out);
        line[strcspn(line, "\n")] = 0;
        if (line[0] && line[0] != '#')
            decide(line);
    }
}

/* Compare two files line by line, and say where they differ. */
static bool same_lines(FILE *expected, FILE *found, const char *name) {
    char wanted[4096], got[4096];
    bool same = true;
    for (unsigned number = 1; same; ++number) {
        const bool more = fgets(wanted, sizeof wanted, expected) != NULL;
        if (more != (fgets(got, sizeof got, found) != NULL))
            same = false;
        else if (!more)
            break;
        else
            same = strcmp(wanted, got) == 0;
        if (!same)
            fprintf(stderr, "%s, line %u:\nexpected %sgot      %s", name, number, more ? wanted : "the end\n", got);
    }
    return same;
}

int main(int argc, char **argv) {
    const bool write = argc == 4 && strcmp(argv[1], "--write") == 0;
    if (argc != (write ? 4 : 3)) {
        fprintf(stderr, "usage: print_geometry [--write] TUNING FILE\n");
        return 2;
    }
    const char *const name = argv[argc - 1];
    FILE *const file = fopen(name, "r");
    if (!file || setenv("ARGMAX_CL_TUNING", argv[argc - 2], 1) != 0) {
        perror(name);
        return EXIT_FAILURE;
    }
    out = write ? stdout : tmpfile();
    if (!out) {
        perror("a temporary file");
        return EXIT_FAILURE;
    }
    write_file(file);
    if (write)
        return EXIT_SUCCESS;
    rewind(file);
    rewind(out);
    return same_lines(file, out, name) ? EXIT_SUCCESS : EXIT_FAILURE;
}
