/* kernels/abi.h as the device's compiler sees it: the size of every struct of kernel arguments and the offset of every
 * field are the host's, under each set of options that changes them. */
#include "abi.h"
#include "own_kernels.h"
#include "runtime/kernel_files.h"
#include "suite.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct fact {
    const char *type, *field; /* no field: the size */
    size_t bytes;
} fact;

#define SIZE_OF(type) {#type, NULL, sizeof(type)}
#define SIZE_UNTIL(type, field) {#type, NULL, offsetof(type, field)}
#define SIZE_WITH(type, field) {#type, NULL, offsetof(type, field) + sizeof((type *)0)->field}
#define AT(type, field) {#type, #field, offsetof(type, field)}

static const fact whole[] = {
    SIZE_UNTIL(dims_t, mask),
    AT(dims_t, outputs),
    AT(dims_t, reduction),
    AT(dims_t, in_offset),
    AT(dims_t, index_offset),
    AT(dims_t, value_offset),
    AT(dims_t, reduced_size),
    AT(dims_t, reduced_in),
    AT(dims_t, kept_size),
    AT(dims_t, kept_in),
    AT(dims_t, kept_index),
    AT(dims_t, kept_value),
    SIZE_UNTIL(rows_t, ends),
    AT(rows_t, jobs),
    AT(rows_t, jobs_per_group),
    AT(rows_t, parts),
    AT(rows_t, per_parts),
    AT(rows_t, vectors),
    AT(rows_t, part_length),
    AT(rows_t, segment),
    AT(rows_t, segment_vectors),
    AT(rows_t, stride),
    SIZE_OF(register_rows_t),
    AT(register_rows_t, jobs),
    AT(register_rows_t, jobs_per_group),
    AT(register_rows_t, vectors),
    AT(register_rows_t, elements),
    AT(register_rows_t, whole_from),
    AT(register_rows_t, whole_to),
    SIZE_OF(blocks_t),
    AT(blocks_t, jobs),
    AT(blocks_t, jobs_per_group),
    AT(blocks_t, outers),
    AT(blocks_t, blocks),
    AT(blocks_t, rows),
    AT(blocks_t, columns),
    AT(blocks_t, answers),
    AT(blocks_t, per_answers),
    AT(blocks_t, vectors),
    AT(blocks_t, per_vectors),
    AT(blocks_t, wides),
    AT(blocks_t, per_wides),
    AT(blocks_t, pad),
    AT(blocks_t, pass),
    AT(blocks_t, size),
    SIZE_OF(few_rows_t),
    AT(few_rows_t, jobs),
    AT(few_rows_t, jobs_per_group),
    AT(few_rows_t, vectors),
    AT(few_rows_t, row_vectors),
    AT(few_rows_t, per_row_vectors),
    AT(few_rows_t, column_stride),
    AT(few_rows_t, column_index),
    AT(few_rows_t, column_value),
    AT(few_rows_t, whole_from),
    AT(few_rows_t, whole_to),
    AT(few_rows_t, others),
    AT(few_rows_t, per_others),
    AT(few_rows_t, elements),
    AT(few_rows_t, turns),
    AT(few_rows_t, last_before),
    SIZE_OF(segments_t),
    AT(segments_t, jobs),
    AT(segments_t, jobs_per_group),
    AT(segments_t, parts),
    AT(segments_t, part_length),
    AT(segments_t, columns),
    AT(segments_t, tiles),
    AT(segments_t, tile_columns),
    AT(segments_t, segments),
    AT(segments_t, segment),
    AT(segments_t, segment_vectors),
    AT(segments_t, length),
    AT(segments_t, column_stride),
    AT(segments_t, column_mask),
    SIZE_OF(stream_t),
    AT(stream_t, jobs),
    AT(stream_t, jobs_per_group),
    AT(stream_t, parts),
    AT(stream_t, rows),
    AT(stream_t, part_length),
    AT(stream_t, columns),
    AT(stream_t, tiles),
    AT(stream_t, answers),
    AT(stream_t, outers),
    AT(stream_t, per_tiles),
    AT(stream_t, per_outers),
    AT(stream_t, segment),
    AT(stream_t, stride),
    AT(stream_t, column_stride),
    AT(stream_t, column_index),
    AT(stream_t, column_value),
    AT(stream_t, first),
    AT(stream_t, last),
    AT(stream_t, tile_columns),
    AT(stream_t, across),
    AT(stream_t, per_across),
    AT(stream_t, sharing),
    AT(stream_t, fused),
    AT(stream_t, row),
    AT(stream_t, per_row),
    AT(stream_t, rest),
    AT(stream_t, inner),
    AT(stream_t, pitch),
    AT(stream_t, per_pitch),
    AT(stream_t, apart),
    AT(stream_t, per_apart),
    AT(stream_t, interleaved),
    AT(stream_t, tile_answers),
    AT(stream_t, steady),
    AT(stream_t, tail_chunks),
    AT(stream_t, windows),
    SIZE_OF(transposed_t),
    AT(transposed_t, jobs),
    AT(transposed_t, jobs_per_group),
    AT(transposed_t, blocks),
    AT(transposed_t, length),
    AT(transposed_t, tiles),
    AT(transposed_t, per_tiles),
    AT(transposed_t, layers),
    AT(transposed_t, prefetch_layers),
    AT(transposed_t, job_vectors),
    AT(transposed_t, outer_dims),
    AT(transposed_t, block_index),
    AT(transposed_t, block_value),
    AT(transposed_t, column_index),
    AT(transposed_t, column_value),
    SIZE_UNTIL(columns_t, tail),
    AT(columns_t, jobs),
    AT(columns_t, jobs_per_group),
    AT(columns_t, parts),
    AT(columns_t, rows),
    AT(columns_t, part_length),
    AT(columns_t, columns),
    AT(columns_t, tiles),
    AT(columns_t, tile_columns),
    AT(columns_t, inner),
    AT(columns_t, apart),
    AT(columns_t, outers),
    AT(columns_t, per_tiles),
    AT(columns_t, per_outers),
    AT(columns_t, segment),
    AT(columns_t, stride),
    AT(columns_t, column_stride),
    AT(columns_t, column_index),
    AT(columns_t, column_value),
    SIZE_OF(permuted_t),
    AT(permuted_t, jobs),
    AT(permuted_t, jobs_per_group),
    AT(permuted_t, parts),
    AT(permuted_t, per_parts),
    AT(permuted_t, vectors),
    AT(permuted_t, part_length),
    AT(permuted_t, segment),
    AT(permuted_t, segment_vectors),
    AT(permuted_t, outer),
    AT(permuted_t, straight),
    AT(permuted_t, first),
    AT(permuted_t, last),
    AT(permuted_t, first_index),
    AT(permuted_t, prefetch_by),
    AT(permuted_t, weight),
    SIZE_OF(merge_t),
    AT(merge_t, jobs),
    AT(merge_t, jobs_per_group),
    AT(merge_t, parts),
    SIZE_OF(copies_t),
    AT(copies_t, jobs),
    AT(copies_t, jobs_per_group),
    AT(copies_t, runs),
    AT(copies_t, row_runs),
    AT(copies_t, per_row_runs),
    AT(copies_t, length),
    AT(copies_t, lanes),
    AT(copies_t, offset),
    AT(copies_t, answers),
    AT(copies_t, size),
    AT(copies_t, per_size),
    AT(copies_t, stride),
    AT(copies_t, from),
    SIZE_OF(finish_t),
    AT(finish_t, stage),
    AT(finish_t, counter),
    AT(finish_t, lanes),
    AT(finish_t, unit_counters),
    AT(finish_t, sets),
    AT(finish_t, set_words),
};

/* Two dims of each kind: set_dims (src/runtime/kernel_pool.c) moves the lists together. */
#define SCALARS offsetof(dims_t, reduced_size)
#define LIST(n) (SCALARS + (size_t)2 * (n) * sizeof(cl_ulong))
static const fact two_dims[] = {
    {"dims_t", NULL, LIST(6)},         {"dims_t", "reduced_size", LIST(0)}, {"dims_t", "reduced_in", LIST(1)},
    {"dims_t", "kept_size", LIST(2)},  {"dims_t", "kept_in", LIST(3)},      {"dims_t", "kept_index", LIST(4)},
    {"dims_t", "kept_value", LIST(5)},
};

static const fact masked[] = {SIZE_UNTIL(dims_t, maximum), AT(dims_t, mask.offset),  AT(dims_t, mask.along),
                              AT(dims_t, mask.step),       AT(dims_t, mask.reduced), AT(dims_t, mask.kept)};
static const fact masked_both[] = {
    SIZE_UNTIL(dims_t, repeated),     AT(dims_t, maximum.index_offset), AT(dims_t, maximum.value_offset),
    AT(dims_t, maximum.column_index), AT(dims_t, maximum.column_value), AT(dims_t, maximum.kept_index),
    AT(dims_t, maximum.kept_value),
};
static const fact masked_both_repeated[] = {SIZE_WITH(dims_t, repeated), AT(dims_t, repeated.every),
                                            AT(dims_t, repeated.added)};
/* Without a mask and with two dims: as set_dims packs them. */
#define MAXIMUM_LIST(n) (LIST(6) + (4 + (size_t)2 * (n)) * sizeof(cl_ulong))
static const fact both_two_dims[] = {
    {"dims_t", NULL, MAXIMUM_LIST(2)},
    {"dims_t", "maximum.index_offset", LIST(6)},
    {"dims_t", "maximum.kept_index", MAXIMUM_LIST(0)},
    {"dims_t", "maximum.kept_value", MAXIMUM_LIST(1)},
};
static const fact repeated_two_dims[] = {{"dims_t", NULL, LIST(6) + sizeof(repeated_dim_t)},
                                         {"dims_t", "repeated.every", LIST(6)}};

static const fact ends[] = {SIZE_WITH(rows_t, ends), AT(rows_t, ends.first), AT(rows_t, ends.last)};
static const fact tail[] = {SIZE_WITH(columns_t, tail), AT(columns_t, tail.chunks), AT(columns_t, tail.chunk)};
static const fact fused[] = {{"columns_t", NULL, offsetof(columns_t, prefetch) + sizeof(cl_ulong)},
                             {"columns_t", "segment_rows", offsetof(columns_t, prefetch)}};
static const fact ahead_fused[] = {{"columns_t", NULL, offsetof(columns_t, segment_rows) + sizeof(cl_ulong)},
                                   AT(columns_t, prefetch.rows_ahead),
                                   AT(columns_t, prefetch.jobs_ahead),
                                   AT(columns_t, prefetch.next),
                                   AT(columns_t, segment_rows)};

static const char *header(void) {
    const struct kernel_file *file = kernel_files;
    while (strcmp(file->name, "abi.h") != 0)
        ++file;
    return file->text;
}

/* A program that stores what the facts state. */
static void write_source(const fact *facts, size_t count, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "%s\n__kernel void measure(__global uint *out) {\n", header());
    for (size_t i = 0; i < count; ++i) {
        const fact *const f = &facts[i];
        used += (size_t)snprintf(text + used, size - used,
                                 f->field ? "    { %s v; out[%zu] = (uint)((const char *)&v.%s - (const char *)&v); }\n"
                                          : "    { %s v; out[%zu] = (uint)sizeof(v); }\n",
                                 f->type, i, f->field);
        ck_assert_uint_lt(used, size - 2);
    }
    snprintf(text + used, size - used, "}\n");
}

static void compare(const char *options, const fact *facts, size_t count) {
    static char source[32768];
    cl_uint got[sizeof whole / sizeof whole[0]];
    const runner *const r = suite_runner();
    ck_assert_uint_le(count, sizeof got / sizeof got[0]);
    write_source(facts, count, source, sizeof source);
    const cl_program program = own_program(r, source, options);
    const cl_kernel kernel = own_kernel(program, "measure");
    const cl_mem buffer = own_buffer(r, CL_MEM_READ_WRITE, sizeof got, NULL);
    own_arguments(kernel, 0, 1, &OWN_ARGUMENT(buffer));
    own_run(r, kernel, 1);
    ck_assert_int_eq(clEnqueueReadBuffer(r->queue, buffer, CL_TRUE, 0, count * sizeof *got, got, 0, NULL, NULL),
                     CL_SUCCESS);
    for (size_t i = 0; i < count; ++i)
        ck_assert_msg(got[i] == facts[i].bytes, "%s: %s of %s is %u on the device, %zu on the host", options,
                      facts[i].field ? facts[i].field : "the size", facts[i].type, got[i], facts[i].bytes);
    own_release(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}
#define COMPARE(options, facts) compare(options, facts, sizeof(facts) / sizeof *(facts))

START_TEST(sizes_and_offsets_are_the_hosts) {
    COMPARE("-DKEPT=3 -DREDUCED=8", whole);
    COMPARE("-DKEPT=1 -DREDUCED=2", two_dims);
    COMPARE("-DKEPT=3 -DREDUCED=8 -DMASKED=1", masked);
    COMPARE("-DKEPT=3 -DREDUCED=8 -DMASKED=1 -DBOTH=1", masked_both);
    COMPARE("-DKEPT=3 -DREDUCED=8 -DMASKED=1 -DBOTH=1 -DREPEATED=1", masked_both_repeated);
    COMPARE("-DKEPT=1 -DREDUCED=2 -DBOTH=1", both_two_dims);
    COMPARE("-DKEPT=1 -DREDUCED=2 -DREPEATED=1", repeated_two_dims);
    COMPARE("-DKEPT=1 -DREDUCED=1 -DTAIL=1", tail);
    COMPARE("-DKEPT=1 -DREDUCED=1 -DOVERLAP=1 -DLOAD_ALIGNED=1", ends);
    COMPARE("-DKEPT=1 -DREDUCED=1 -DFUSED=2", fused);
    COMPARE("-DKEPT=1 -DREDUCED=1 -DFUSED=2 -DPREFETCH_DISTANCE=64", ahead_fused);
}
END_TEST

SUITE_MAIN("abi", sizes_and_offsets_are_the_hosts)
