/* Host arrays in blocks: what a caller is told and can end, and the partials of blocks on a device. That the answers
 * are right is for lists/streams.txt. */
#include "api/handle.h"
#include "api/sender.h"
#include "oracle.h"
#include "suite.h"
#include "tuned.h"
#include "unit.h"

#include <stdlib.h>

/* Sixteen blocks of 4 KiB, in four tiles. */
#define LINE "argmax float32 4x4000 axes=1 data=pair seed=2111 value"

typedef struct watch {
    uint64_t calls, last, total;
    int cancel;
    uint64_t cancel_after; /* calls; 0: never */
} watch;

typedef struct stage {
    problem_line p;
    problem_desc d;
    argmax_cl_host_arrays arrays;
    argmax_cl_host_options options;
    watch watch;
    float input[16000], value[4], right_value[4];
    int64_t index[4], right_index[4];
} stage;

static stage st;
static device_facts own;

static void told(void *user, uint64_t done, uint64_t total) {
    watch *const w = user;
    ck_assert_uint_gt(done, w->last);
    ck_assert_uint_le(done, total);
    w->last = done;
    w->total = total;
    w->calls++;
    if (w->calls == w->cancel_after)
        w->cancel = 1;
}

static void open_stage(bool copies) {
    char error[300];
    memset(&st, 0, sizeof st);
    ck_assert_msg(problem_parse(LINE, &st.p, error, sizeof error), "%s", error);
    problem_describe(&st.p, &st.d);
    problem_fill(&st.p, st.input);
    oracle_solve(&st.p, st.input, st.right_index, st.right_value);
    argmax_cl_host_arrays_init(&st.arrays);
    st.arrays.input = st.input;
    st.arrays.index = st.index;
    st.arrays.value = st.value;
    argmax_cl_host_options_init(&st.options);
    st.options.progress = told;
    st.options.progress_user = &st.watch;
    st.options.cancel = &st.watch.cancel;
    device_facts *const facts = &suite_runner()->handle->facts;
    own = *facts;
    facts->max_buffer = 4096;
    facts->host_unified = own.host_unified && !copies;
}

static void close_stage(void) {
    suite_runner()->handle->facts = own;
}

static argmax_cl_status call(void) {
    memset(&st.watch, 0, offsetof(watch, cancel_after));
    return argmax_cl_host(suite_runner()->handle, &st.d.desc, &st.arrays, &st.options);
}

static void expect_right(void) {
    ck_assert_msg(call() == ARGMAX_CL_SUCCESS, "%s", argmax_cl_last_error());
    ck_assert(memcmp(st.index, st.right_index, sizeof st.index) == 0);
    ck_assert(memcmp(st.value, st.right_value, sizeof st.value) == 0);
}

static void check_progress_is_told(bool copies) {
    open_stage(copies);
    expect_right();
    ck_assert_uint_ge(st.watch.calls, 16);
    ck_assert_uint_eq(st.watch.last, sizeof st.input);
    ck_assert_uint_eq(st.watch.total, sizeof st.input);
    close_stage();
    expect_right(); /* at once */
    ck_assert_uint_eq(st.watch.calls, 1);
    ck_assert_uint_eq(st.watch.last, sizeof st.input);
}

START_TEST(progress_is_told) {
    check_progress_is_told(false);
    check_progress_is_told(true);
}
END_TEST

/* After every block, and then the handle works on. */
static void check_cancel_ends_at_any_block(bool copies) {
    open_stage(copies);
    expect_right();
    const uint64_t blocks = st.watch.calls;
    for (uint64_t after = 1; after + 2 < blocks; after++) {
        st.watch.cancel_after = after;
        expect_status("cancel", call(), ARGMAX_CL_ERROR_CANCELLED, "options->cancel|blocks");
        ck_assert_uint_eq(st.watch.calls, after);
    }
    st.watch.cancel_after = 0;
    expect_right();
    const int set = 1;
    st.options.cancel = &set;
    expect_status("before the first", call(), ARGMAX_CL_ERROR_CANCELLED, "after 0 of");
    close_stage();
    expect_status("at once", call(), ARGMAX_CL_ERROR_CANCELLED, "after 0 of");
}

START_TEST(cancel_ends_at_any_block) {
    check_cancel_ends_at_any_block(false);
    check_cancel_ends_at_any_block(true);
}
END_TEST

static void check_times_are_reported(bool copies) {
    double compute = -1, transfer = -1;
    open_stage(copies);
    st.options.seconds_compute = &compute;
    st.options.seconds_transfer = &transfer;
    expect_right();
    ck_assert_msg(compute > 0 && compute < 60 && transfer >= 0 && transfer < 60, "%g and %g", compute, transfer);
    close_stage();
}

START_TEST(times_are_reported) {
    check_times_are_reported(false);
    check_times_are_reported(true);
}
END_TEST

/* Blocks on a device, at places of a larger tensor and in streams of their own. */
static void check_partials_of_blocks_merge(bool copies) {
    argmax_cl_partial sum[4], part[4];
    const uint32_t axis = 1;
    open_stage(copies);
    memset(sum, 0, sizeof sum);
    for (uint64_t from = 0, size; from < 4000; from += size) {
        size = from + 1300 < 4000 ? 1300 : 4000 - from;
        const uint64_t sizes[] = {4, size}, start[] = {0, from};
        const int64_t strides[] = {4000, 1};
        argmax_cl_tensor in = ARGMAX_CL_TENSOR_INIT;
        argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
        argmax_cl_block block = ARGMAX_CL_BLOCK_INIT;
        in.dtype = ARGMAX_CL_FLOAT32;
        in.rank = 2;
        in.sizes = sizes;
        in.strides = strides;
        in.offset = from;
        desc.input = &in;
        desc.axis_count = 1;
        desc.axes = &axis;
        block.sizes = st.p.size;
        block.start = start;
        ck_assert_msg(argmax_cl_partials_host(suite_runner()->handle, ARGMAX_CL_ARGMAX, &desc, &block, st.input, part,
                                              NULL) == ARGMAX_CL_SUCCESS,
                      "%s", argmax_cl_last_error());
        ck_assert_int_eq(argmax_cl_partials_merge(4, sum, part), ARGMAX_CL_SUCCESS);
    }
    ck_assert_int_eq(argmax_cl_partials_finish(ARGMAX_CL_ARGMAX, &st.d.desc, sum, &st.arrays), ARGMAX_CL_SUCCESS);
    ck_assert(memcmp(st.index, st.right_index, sizeof st.index) == 0);
    ck_assert(memcmp(st.value, st.right_value, sizeof st.value) == 0);
    ck_assert_int_eq(argmax_cl_partials_host(suite_runner()->handle, ARGMAX_CL_ARGMAX, &st.d.desc, NULL, st.input, part,
                                             &st.options),
                     ARGMAX_CL_SUCCESS);
    ck_assert(memcmp(sum, part, sizeof sum) == 0);
    expect_status("no input",
                  argmax_cl_partials_host(suite_runner()->handle, ARGMAX_CL_ARGMAX, &st.d.desc, NULL, NULL, part, NULL),
                  ARGMAX_CL_ERROR_INVALID_BUFFER, "input = NULL");
    close_stage();
}

START_TEST(partials_of_blocks_merge) {
    check_partials_of_blocks_merge(false);
    check_partials_of_blocks_merge(true);
}
END_TEST

/* The columns `from` to `from` + `size` of the whole arrays, with the mask's part of it. */
static argmax_cl_status both_of_block(uint64_t from, uint64_t size, const uint8_t *mask, argmax_cl_partial *part) {
    const uint64_t sizes[] = {4, size}, start[] = {0, from};
    const int64_t strides[] = {4000, 1};
    argmax_cl_tensor in = ARGMAX_CL_TENSOR_INIT, kept;
    argmax_cl_desc desc = st.d.desc;
    argmax_cl_block block = ARGMAX_CL_BLOCK_INIT;
    in.dtype = ARGMAX_CL_FLOAT32;
    in.rank = 2;
    in.sizes = sizes;
    in.strides = strides;
    in.offset = from;
    kept = in;
    kept.dtype = ARGMAX_CL_UINT8;
    desc.input = &in;
    desc.mask = &kept;
    block.sizes = st.p.size;
    block.start = start;
    block.mask = mask;
    return argmax_cl_partials_host(suite_runner()->handle, ARGMAX_CL_ARGMINMAX, &desc, &block, st.input, part, NULL);
}

/* The minimum's partials come first, then the maximum's; what the mask leaves out has none. */
START_TEST(partials_of_both_have_a_mask) {
    static uint8_t mask[16000];
    argmax_cl_partial sum[8], part[8];
    int64_t max_index[4], right_max_index[4];
    float max_value[4], right_max_value[4];
    char error[300];
    memset(&st, 0, sizeof st);
    ck_assert(problem_parse("argminmax float32 4x4000 axes=1 last data=ties seed=9 value maxvalue mask=half", &st.p,
                            error, sizeof error));
    problem_describe(&st.p, &st.d);
    problem_fill(&st.p, st.input);
    problem_fill_mask(&st.p, mask);
    memset(mask + 4000, 0, 4000);
    oracle_solve_all(&st.p, &(oracle_arrays){.input = st.input,
                                             .mask = mask,
                                             .index = st.right_index,
                                             .value = st.right_value,
                                             .max_index = right_max_index,
                                             .max_value = right_max_value});
    memset(sum, 0, sizeof sum);
    for (uint64_t from = 0; from < 4000; from += 1000) {
        ck_assert_msg(both_of_block(from, 1000, mask, part) == ARGMAX_CL_SUCCESS, "%s", argmax_cl_last_error());
        ck_assert_int_eq(argmax_cl_partials_merge(8, sum, part), ARGMAX_CL_SUCCESS);
    }
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.index = st.index;
    arrays.value = st.value;
    arrays.max_index = max_index;
    arrays.max_value = max_value;
    st.d.desc.mask = NULL; /* merging does not look at it */
    ck_assert_msg(argmax_cl_partials_finish(ARGMAX_CL_ARGMINMAX, &st.d.desc, sum, &arrays) == ARGMAX_CL_SUCCESS, "%s",
                  argmax_cl_last_error());
    ck_assert(memcmp(st.index, st.right_index, sizeof st.index) == 0);
    ck_assert(memcmp(st.value, st.right_value, sizeof st.value) == 0);
    ck_assert(memcmp(max_index, right_max_index, sizeof max_index) == 0);
    ck_assert(memcmp(max_value, right_max_value, sizeof max_value) == 0);
    ck_assert(st.index[1] == -1 && max_index[1] == -1);
    /* Answers that were computed elsewhere are added in the same order. */
    memset(part, 0, sizeof part);
    ck_assert_int_eq(argmax_cl_partials_add(ARGMAX_CL_ARGMINMAX, &st.d.desc, NULL, &arrays, part), ARGMAX_CL_SUCCESS);
    ck_assert(memcmp(sum, part, sizeof sum) == 0);
    expect_status("no mask", both_of_block(0, 1000, NULL, part), ARGMAX_CL_ERROR_INVALID_BUFFER, "block->mask = NULL");
}
END_TEST

/* Blocks that a host array goes in, with a buffer of 4 KiB at most or as large as wanted. */
static uint64_t blocks_of(const char *text, bool copies, bool any_buffer, const char *fields) {
    static float input[80000];
    static int64_t index[80000];
    char error[300];
    problem_line p;
    problem_desc d;
    watch w = {0};
    argmax_cl_host_arrays arrays;
    argmax_cl_host_options options;
    ck_assert_msg(problem_parse(text, &p, error, sizeof error), "%s", error);
    problem_describe(&p, &d);
    problem_fill(&p, input);
    argmax_cl_host_arrays_init(&arrays);
    arrays.input = input;
    arrays.index = index;
    argmax_cl_host_options_init(&options);
    options.progress = told;
    options.progress_user = &w;
    device_facts *const facts = &suite_runner()->handle->facts;
    own = *facts;
    facts->max_buffer = any_buffer ? own.max_buffer : 4096;
    facts->host_unified = own.host_unified && !copies;
    ck_assert_msg(tuned_use("", fields), "%s", fields);
    const argmax_cl_status status = argmax_cl_host(suite_runner()->handle, &d.desc, &arrays, &options);
    ck_assert_msg(status == ARGMAX_CL_SUCCESS, "%s: %s", text, argmax_cl_last_error());
    tuned_use("", "");
    *facts = own;
    return w.calls;
}

/* Each field by a number that the answer counts: rows of four columns are cut by the least elements for an output, rows
 * of 64 by the bytes of a run; in place, where what lies between counts as well, rows of several dims. */
START_TEST(host_fields_cut_blocks) {
    static const char four[] = "argmax float32 4100x4 axes=0", wide[] = "argmax float32 1100x64 axes=0";
    ck_assert_uint_eq(blocks_of(four, true, true, ""), 1);
    ck_assert_uint_eq(blocks_of(four, true, true, "sent_at_once_bytes:1000"), 1);
    ck_assert_uint_eq(blocks_of(four, true, true, "sent_at_once_bytes:1000,sent_block_bytes:16400"), 4);
    ck_assert_uint_eq(blocks_of(four, true, false, ""), 20);
    ck_assert_uint_eq(blocks_of(four, true, false, "sent_reduced:1"), 17);
    ck_assert_uint_eq(blocks_of(wide, true, false, "sent_reduced:64"), 72);
    ck_assert_uint_eq(blocks_of(wide, true, false, "sent_reduced:64,sent_run_bytes:16"), 96);
    if (!own.host_unified)
        return;
    static const char apart[] = "argmax float32 100x10x20 axes=0", runs[] = "argmax float32 100x2x170 axes=0";
    ck_assert_uint_eq(blocks_of(apart, false, false, ""), 170);
    ck_assert_uint_eq(blocks_of(apart, false, false, "mapped_reduced:1"), 20);
    ck_assert_uint_eq(blocks_of(runs, false, false, "mapped_reduced:64"), 34);
    ck_assert_uint_eq(blocks_of(runs, false, false, "mapped_reduced:64,mapped_run_bytes:8"), 2150);
}
END_TEST

/* What blocks of 32 MiB are sent in, and small ones. */
START_TEST(host_fields_size_transfers) {
    tuning_row row = tuning_find("gpu");
    sender_sizes s = sender_sizes_for(&row, 1u << 25);
    ck_assert(s.piece_bytes == 1u << 20 && s.transfer_bytes == 8u << 20 && s.transfers == 4);
    s = sender_sizes_for(&row, 3000);
    ck_assert(s.piece_bytes == 3072 && s.transfer_bytes == 3072 && s.transfers == 1);
    s = sender_sizes_for(&row, 10000);
    ck_assert(s.piece_bytes == 4096 && s.transfer_bytes == 12288 && s.transfers == 1);
    row.transfer_bytes = 1u << 21;
    s = sender_sizes_for(&row, 1u << 25);
    ck_assert(s.piece_bytes == 1u << 18 && s.transfer_bytes == 1u << 21 && s.transfers == 6);
    row.transfers = 9;
    row.transfer_pieces = 2;
    s = sender_sizes_for(&row, 1u << 25);
    ck_assert(s.piece_bytes == 1u << 20 && s.transfer_bytes == 1u << 21 && s.transfers == 9);
    row.piece_bytes = (1u << 21) + 1;
    s = sender_sizes_for(&row, 1u << 25);
    ck_assert(s.piece_bytes == (1u << 21) + sizeof(cl_ulong16) && s.transfers == 8);
}
END_TEST

SUITE_MAIN("stream", host_fields_size_transfers, host_fields_cut_blocks, progress_is_told, cancel_ends_at_any_block,
           times_are_reported, partials_of_blocks_merge, partials_of_both_have_a_mask)
