/* Kernels that cannot be read or do not compile: the message tells which, and has the compiler's words; the handle goes
 * on. */
#include "job.h"
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/argmax_cl_kernels_XXXXXX";
static const char *const files[] = {"families/rows.cl",
                                    "families/register_rows.cl",
                                    "families/columns.cl",
                                    "families/permuted.cl",
                                    "families/merge.cl",
                                    "families/copies.cl",
                                    "inner.clh"};

enum { FILES = sizeof files / sizeof files[0] };

static const char *path_of(const char *file) {
    static char path[sizeof folder + 32];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return path;
}

/* Every kernel is this text, and so is what it may include. */
static void write_kernels(const char *text) {
    for (size_t i = 0; i < FILES; i++) {
        FILE *const file = fopen(path_of(files[i]), "w");
        ck_assert_ptr_nonnull(file);
        fputs(text, file);
        fclose(file);
    }
}

static void set_up(void) {
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(mkdir(path_of("families"), 0700), 0);
    setenv("ARGMAX_CL_KERNELS", folder, 1);
}

static void tear_down(void) {
    unsetenv("ARGMAX_CL_KERNELS");
    for (size_t i = 0; i < FILES; i++)
        remove(path_of(files[i]));
    rmdir(path_of("families"));
    rmdir(folder);
    snprintf(folder, sizeof folder, "/tmp/argmax_cl_kernels_XXXXXX");
}

/* A plan and a call fail with that status and each of the parts in the message, and without the folder the handle
 * works; a new one, where `compiles`, as a handle keeps what has compiled. */
static void expect_refusal(argmax_cl_status status, cl_int code, bool compiles, const char *const parts[4]) {
    job j;
    argmax_cl_handle handle = NULL;
    runner *const r = suite_runner();
    job_open(&j, ONE_STAGE);
    ck_assert_int_eq(argmax_cl_create(&handle, r->context, r->device), ARGMAX_CL_SUCCESS);
    for (int by_plan = 0; by_plan < 2; by_plan++) {
        argmax_cl_plan plan = NULL;
        const argmax_cl_status got = by_plan ? argmax_cl_plan_create(&plan, handle, j.p.op, &j.d.desc)
                                             : argmax_cl(handle, r->queue, &j.d.desc, &j.buffers, 0, NULL, NULL);
        ck_assert_msg(got == status, "%d: %s", (int)got, argmax_cl_last_error());
        ck_assert_ptr_null(plan);
        ck_assert_int_eq(argmax_cl_last_opencl_error(), code);
        for (int i = 0; i < 4 && parts[i]; i++)
            ck_assert_msg(strstr(argmax_cl_last_error(), parts[i]), "no \"%s\" in: %s", parts[i],
                          argmax_cl_last_error());
    }
    unsetenv("ARGMAX_CL_KERNELS");
    if (compiles) {
        argmax_cl_destroy(handle);
        ck_assert_int_eq(argmax_cl_create(&handle, r->context, r->device), ARGMAX_CL_SUCCESS);
    }
    job_spoil(&j, r->queue);
    ck_assert_int_eq(argmax_cl(handle, r->queue, &j.d.desc, &j.buffers, 0, NULL, NULL), ARGMAX_CL_SUCCESS);
    ck_assert(job_is_right(&j, r->queue, NULL));
    argmax_cl_destroy(handle);
    job_close(&j);
}

START_TEST(the_compiler_s_log_is_in_the_message) {
    write_kernels("__kernel void broken(void) { this_is_no_type x; }\n");
    expect_refusal(ARGMAX_CL_ERROR_BUILD, CL_BUILD_PROGRAM_FAILURE, false,
                   (const char *const[4]){"did not compile", "clBuildProgram", "-DT=uint", "this_is_no_type"});
}
END_TEST

START_TEST(a_kernel_of_another_name_is_told) {
    write_kernels("__kernel void another(void) { }\n");
    expect_refusal(ARGMAX_CL_ERROR_OPENCL, CL_INVALID_KERNEL_NAME, true,
                   (const char *const[4]){"clCreateKernel", "CL_INVALID_KERNEL_NAME"});
}
END_TEST

START_TEST(a_missing_file_is_named) {
    expect_refusal(ARGMAX_CL_ERROR_KERNEL_SOURCE, CL_SUCCESS, false,
                   (const char *const[4]){"ARGMAX_CL_KERNELS", folder, ".cl", "cannot read"});
}
END_TEST

START_TEST(a_missing_include_is_named) {
    write_kernels("#include \"no_such.clh\"\n");
    expect_refusal(ARGMAX_CL_ERROR_KERNEL_SOURCE, CL_SUCCESS, false,
                   (const char *const[4]){"ARGMAX_CL_KERNELS", folder, "no_such.clh", "cannot read"});
}
END_TEST

/* It opens, but reading it fails. */
START_TEST(a_folder_is_no_file) {
    for (size_t i = 0; i < FILES; i++)
        ck_assert_int_eq(mkdir(path_of(files[i]), 0700), 0);
    expect_refusal(ARGMAX_CL_ERROR_KERNEL_SOURCE, CL_SUCCESS, false,
                   (const char *const[4]){"ARGMAX_CL_KERNELS", folder, ".cl", "cannot read"});
}
END_TEST

/* No endless recursion: the compiler gets to see the directive. */
START_TEST(a_file_that_includes_itself_does_not_compile) {
    write_kernels("#include \"inner.clh\"\n");
    expect_refusal(ARGMAX_CL_ERROR_BUILD, CL_BUILD_PROGRAM_FAILURE, false,
                   (const char *const[4]){"did not compile", "inner.clh"});
}
END_TEST

TESTS_MAIN("builds", set_up, tear_down, ONCE(the_compiler_s_log_is_in_the_message),
           ONCE(a_kernel_of_another_name_is_told), ONCE(a_missing_file_is_named), ONCE(a_missing_include_is_named),
           ONCE(a_folder_is_no_file), ONCE(a_file_that_includes_itself_does_not_compile))
