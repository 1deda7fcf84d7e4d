/* Host memory: its times, and memory that starts anywhere. */
#include "job.h"
#include "kinds.h"

#include <stdlib.h>
#include <string.h>

START_TEST(host_calls_report_their_time) {
    job j;
    job_open(&j, ONE_STAGE);
    int64_t index[OUTPUTS_MAX];
    double compute = -1, transfer = -1;
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    argmax_cl_host_options options = ARGMAX_CL_HOST_OPTIONS_INIT;
    arrays.input = j.input;
    arrays.index = index;
    options.seconds_compute = &compute;
    options.seconds_transfer = &transfer;
    ck_assert_int_eq(argmax_cl_host(suite_runner()->handle, &j.d.desc, &arrays, &options), ARGMAX_CL_SUCCESS);
    ck_assert_int_eq(memcmp(index, j.expected, (size_t)problem_output_count(&j.p) * 8), 0);
    ck_assert(compute > 0 && compute < 60 && transfer >= 0 && transfer < 60);
    job_close(&j);
}
END_TEST

/* An array may lie at any address that its elements are aligned to. */
START_TEST(host_arrays_need_no_alignment) {
    runner *const r = suite_runner();
    for (uint32_t k = 0; k < KIND_SAMPLE_COUNT; k += 3) {
        const problem_line kind = kind_sample(k);
        for (uint64_t offset = 0; offset < 9; offset++) {
            const uint64_t sizes[2] = {3, 2000};
            problem_line p = kind_shape(&kind, 2, sizes, 2);
            p.input.has_offset = true;
            p.input.offset = offset;
            for (uint32_t t = 0; t < SWEEP_TUNINGS; t++) {
                strcpy(p.tuning, sweep_tunings[t]);
                ck_assert_int_eq(runner_report(r, &p, ROUTE_HOST), RUN_OK);
            }
        }
    }
}
END_TEST

/* A caller's buffer on memory of its own may start at any element: vectors must not be assumed aligned. */
START_TEST(buffers_on_host_pointers_need_no_alignment) {
    const runner *const r = suite_runner();
    for (size_t shift = 0; shift < 5; shift++)
        for (size_t t = 0; t < SWEEP_TUNINGS; t++) {
            job j;
            cl_int code;
            job_open(&j, "argmax float32 3x2000 axes=1 data=peak seed=1234");
            float *const memory = malloc((6000 + shift) * sizeof *memory);
            memcpy(memory + shift, j.input, 6000 * sizeof *memory);
            clReleaseMemObject(j.buffers.input);
            j.buffers.input = clCreateBuffer(r->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, 6000 * sizeof *memory,
                                             memory + shift, &code);
            ck_assert_int_eq(code, CL_SUCCESS);
            j.d.desc.tuning = sweep_tunings[t];
            job_spoil(&j, r->queue);
            ck_assert_int_eq(job_enqueue(&j, NULL, r->queue, NULL, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
            ck_assert(job_is_right(&j, r->queue, NULL));
            job_close(&j);
            free(memory);
        }
}
END_TEST

SUITE_MAIN("memory", host_calls_report_their_time, host_arrays_need_no_alignment,
           buffers_on_host_pointers_need_no_alignment)
