/* print_plans [COUNT]: how random problems are laid out for several devices, and their answers by the oracle; a
 * function of the sources alone. Needs no device: scripts/compilers.sh compares what hosts of 32 bits and of the other
 * byte order print. Every other problem is small and has answers, the rest have up to 2^40 elements and none. */
#include "choose.h"
#include "families/family.h"
#include "oracle.h"
#include "random_problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const device_facts devices[] = {
    {.type = CL_DEVICE_TYPE_CPU, .compute_units = 2, .max_group = 4096, .local_bytes = 65536, .clang_cpu = true},
    {.type = CL_DEVICE_TYPE_GPU,
     .compute_units = 132,
     .max_group = 1024,
     .local_bytes = 49152,
     .aligned_buffers = true},
    {.type = CL_DEVICE_TYPE_GPU, .compute_units = 1, .max_group = 1, .local_bytes = 1024},
};

static void print_dims(const char *label, const layout_dim *dims, uint32_t count) {
    printf(" %s", label);
    for (uint32_t d = 0; d < count; ++d)
        printf(" %" PRIu64 ":%" PRId64 ":%" PRId64 ":%" PRId64, dims[d].size, dims[d].in, dims[d].index, dims[d].value);
}

static void print_grid(const char *label, const launch_grid *grid) {
    printf(" %s %" PRIu32 "x%" PRIu64 " %" PRIu64 "/%" PRIu64, label, grid->group, grid->groups, grid->jobs,
           grid->jobs_per_group);
}

static void print_plan(const struct problem *p, const layout *l, device_facts device) {
    char options[OPTIONS_CAPACITY];
    geometry g;
    device.address_bits = 64;
    device.little_endian = true;
    device.max_buffer = (cl_ulong)1 << 40;
    device.ordering = device.clang_cpu ? ORDERING_CL30 : ORDERING_NONE;
    if (choose(p, l, &device, (uint32_t)device.max_group, &g) != ARGMAX_CL_SUCCESS) {
        printf("  %s\n", argmax_cl_last_error());
        return;
    }
    options_scan(p, l, &g, options);
    printf("  %s %s units %" PRIu64 " chunk %" PRIu64 " parts %" PRIu64 " tiles %" PRIu64 " outers %" PRIu64,
           g.strategy, g.tuning, g.length, g.part_length, g.parts, g.tiles, g.outers);
    print_grid("scan", &g.scan);
    if (g.parts > 1)
        print_grid("merge", &g.merge);
    printf(" %s\n", options);
}

/* An array of elements, and one more; NULL where there are none. */
static void *array_of(uint64_t elements, argmax_cl_dtype dtype) {
    if (elements == 0)
        return NULL;
    void *const array = calloc((size_t)elements + 1, problem_dtype_find(dtype)->bits / 8);
    if (!array)
        exit(EXIT_FAILURE);
    return array;
}

/* An output's array, nothing of which is written yet. */
static void *output_of(const problem_line *p, bool is_there, const problem_tensor *output, argmax_cl_dtype dtype) {
    return is_there ? array_of(problem_output_extent(p, output), dtype) : NULL;
}

/* Mix an output into a sum, and free it. */
static uint64_t mixed(uint64_t sum, const problem_line *p, const problem_tensor *output, argmax_cl_dtype dtype,
                      void *array) {
    for (uint64_t i = 0; array && i < problem_output_extent(p, output); ++i)
        sum = problem_mix(sum ^ problem_load(problem_dtype_find(dtype), array, i));
    free(array);
    return sum;
}

/* Answers as numbers, whatever the bytes that hold them. */
static void print_answers(const problem_line *p) {
    const bool both = p->op == ARGMAX_CL_ARGMINMAX;
    void *const input = array_of(problem_input_extent(p) + 1, p->dtype);
    uint8_t *const mask = array_of(problem_mask_extent(p), ARGMAX_CL_UINT8);
    const oracle_arrays a = {.input = input,
                             .mask = mask,
                             .index = output_of(p, true, &p->index, p->index_type),
                             .value = output_of(p, p->has_value, &p->value, p->dtype),
                             .max_index = output_of(p, both, &p->max_index, p->max_index_type),
                             .max_value = output_of(p, both && p->has_max_value, &p->max_value, p->dtype)};
    problem_fill(p, input);
    if (mask)
        problem_fill_mask(p, mask);
    oracle_solve_all(p, &a);
    uint64_t sum = mixed(0, p, &p->index, p->index_type, a.index);
    sum = mixed(sum, p, &p->value, p->dtype, a.value);
    sum = mixed(sum, p, &p->max_index, p->max_index_type, a.max_index);
    printf("  answers %016" PRIx64 "\n", mixed(sum, p, &p->max_value, p->dtype, a.max_value));
    free(mask);
    free(input);
}

static void print_problem(random_source *source, uint64_t number, bool small) {
    char line[PROBLEM_LINE_SIZE];
    problem_line parsed;
    problem_desc d;
    struct problem p;
    layout l;
    random_kind(1, number, NULL, &parsed);
    random_problem(source, &parsed, (uint64_t)1 << (small ? 12 : 40));
    problem_print(&parsed, line, sizeof line);
    puts(line);
    problem_describe(&parsed, &d);
    if (check_desc(parsed.op, &d.desc, &p) != ARGMAX_CL_SUCCESS) {
        printf("  %s\n", argmax_cl_last_error());
        return;
    }
    if (p.outputs > 0) {
        for (size_t i = 0; i < sizeof devices / sizeof devices[0]; ++i) {
            if (collapse(&p, &devices[i], &l) != ARGMAX_CL_SUCCESS)
                exit(EXIT_FAILURE);
            printf(" ");
            print_dims("kept", l.kept, l.kept_count);
            print_dims("reduced", l.reduced, l.reduced_count);
            printf(" offsets %" PRId64 " %" PRId64 " %" PRId64 "\n", l.in_offset, l.index_offset, l.value_offset);
            print_plan(&p, &l, devices[i]);
        }
    }
    if (small)
        print_answers(&parsed);
}

int main(int argc, char **argv) {
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 4000;
    random_source source = {1};
    printf("arguments of kernels: dims %zu merge %zu finish %zu", sizeof(dims_t), sizeof(merge_t), sizeof(finish_t));
    const family *of;
    for (uint32_t i = 0; (of = family_at(i)) != NULL; ++i) {
        printf(" %s", of->name);
        for (uint32_t k = 0; k < of->structs; ++k)
            printf(" %zu", of->struct_bytes[k]);
    }
    printf(" bytes\n");
    for (uint64_t i = 0; i < count; ++i)
        print_problem(&source, i / 2, i % 2 == 0);
    return EXIT_SUCCESS;
}
