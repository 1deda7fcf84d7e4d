/* The program argmax-cl on inputs that somebody spoiled: an error of one line, or an answer; never a crash or a hang.
 */
#include "cli_process.h"
#include "unit.h"

#include <stdint.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef ARGMAX_CL_HAVE_NETCDF
#include <netcdf.h>
#endif

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Whatever it is: success, or one line about it. Without a device, so that an array that can be read costs little. */
static void expect_an_end(const char *words, const char *label) {
    const double start = seconds_now();
    const result r = run_words(words, STREAMS_DEFAULT);
    const double took = seconds_now() - start;
    const char *const end = strchr(r.error, '\n');
    ck_assert_msg(r.status == 1, "%s: exit status %d: %s", label, r.status, r.error);
    ck_assert_msg(strncmp(r.error, "argmax-cl: ", 11) == 0 && end && end[1] == 0, "%s: %s", label, r.error);
    ck_assert_msg(took < 120, "%s: %.1f seconds", label, took);
}

static void enter_without_devices(void) {
    enter_folder();
    ck_assert_int_eq(setenv("OCL_ICD_VENDORS", "/nonexistent", 1), 0);
}

START_TEST(what_is_no_file) {
    ck_assert_int_eq(symlink("loop.npy", "loop.npy"), 0);
    ck_assert_int_eq(symlink("nowhere", "dangling.npy"), 0);
    ck_assert_int_eq(symlink("/dev/zero", "zero.npy"), 0);
    expect_error("/dev/zero", 1, "/dev/zero: not a regular file");
    expect_error("/dev/zero:v", 1, "/dev/zero: not a regular file");
    expect_error("zero.npy", 1, "zero.npy: not a regular file");
    expect_error("/dev/null", 1, "/dev/null: not a regular file");
    expect_error("/dev/tty", 1, "/dev/tty: "); /* there may be none */
    expect_error("loop.npy", 1, "loop.npy: Too many levels of symbolic links");
    expect_error("dangling.npy", 1, "dangling.npy: No such file");
    expect_error(".", 1, ".: not a regular file");
    expect_error("/proc/self/mem", 1, "/proc/self/mem: cannot be read");
    expect_error("%s%n%s.npy", 1, "%s%n%s.npy: No such file");
    expect_entries(3);
}
END_TEST

/* Every cut of a small file, and headers that lie. */
START_TEST(spoiled_npy) {
    static const struct {
        const char *label, *dictionary, *says;
    } rows[] = {
        {"2^63 bytes", "{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807,)}", "less than 2^63"},
        {"2^63 beside 0", "{'descr': '<f8', 'fortran_order': False, 'shape': (0,9223372036854775807)}",
         "less than 2^63"},
        {"2^64", "{'descr': '|u1', 'fortran_order': False, 'shape': (18446744073709551616,)}", "below 2^63"},
        {"-1", "{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}", "a size of 0 or more"},
        {"1e9", "{'descr': '|u1', 'fortran_order': False, 'shape': (1e9,)}", "a comma or )"},
        {"wraps to 3", "{'descr': '|u1', 'fortran_order': False, 'shape': (274177,67280421310723)}", "less than 2^63"},
        {"objects", "{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", "elements of type '|O'"},
        {"no code", "{'descr': eval('x'), 'fortran_order': False, 'shape': (3,)}", "a type in quotes"},
        {"nested", "{'descr': {'descr': '<f4'}, 'fortran_order': False, 'shape': (3,)}", "a type in quotes"},
    };
    char whole[200];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        write_npy("x.npy", rows[i].dictionary, "abc", 3);
        expect_error("-o out.npy x.npy", 1, rows[i].says);
    }
    write_npy("x.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (9,), }", "abcdefghi", 9);
    FILE *const file = fopen("x.npy", "rb");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(whole, 1, sizeof whole, file);
    ck_assert_int_eq(fclose(file), 0);
    for (size_t cut = 0; cut < size; cut += 3) {
        char label[40];
        (void)snprintf(label, sizeof label, "cut at %zu", cut);
        write_file("x.npy", whole, cut);
        expect_an_end("-o out.npy x.npy", label);
    }
    expect_entries(1);
}
END_TEST

/* More bytes than a process has addresses for, in a file that really has them: full of holes. */
START_TEST(array_beyond_memory) {
    write_npy("x.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (1152921504606846976,), }", "", 0);
    if (truncate("x.npy", (off_t)128 + ((off_t)1 << 60)) == 0) /* few file systems can */
        expect_error("x.npy", 1, "expected an array that fits this machine's memory");
    else
        expect_error("x.npy", 1, "0 bytes of data, expected 1152921504606846976");
}
END_TEST

#ifdef ARGMAX_CL_HAVE_NETCDF

#define GOOD(call) ck_assert_int_eq((call), NC_NOERR)

static const int formats[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA, NC_NETCDF4};

static void write_netcdf(int mode) {
    static const int values[9] = {1, 2, 3, 3, 0, 4, 2, 5, 2};
    const size_t start[2] = {0, 0}, count[2] = {3, 3};
    const float fill = 9;
    int file, dimensions[2], variable, other;
    GOOD(nc_create("x.nc", mode, &file));
    GOOD(nc_def_dim(file, "row", NC_UNLIMITED, &dimensions[0]));
    GOOD(nc_def_dim(file, "column", 3, &dimensions[1]));
    GOOD(nc_def_var(file, "v", NC_FLOAT, 2, dimensions, &variable));
    GOOD(nc_def_var(file, "w", NC_SHORT, 1, dimensions + 1, &other));
    GOOD(nc_put_att_float(file, variable, "_FillValue", NC_FLOAT, 1, &fill));
    GOOD(nc_put_att_text(file, variable, "units", 1, "K"));
    GOOD(nc_enddef(file));
    GOOD(nc_put_vara_int(file, variable, start, count, values));
    GOOD(nc_put_vara_int(file, other, start, count + 1, values));
    GOOD(nc_close(file));
}

/* Numbers in the header become huge, HDF5's bytes all sorts. libnetcdf 4.9.0 crashes where the number of dimensions or
 * variables is 2^31-2^24 and more. */
static void spoil_netcdf(int format) {
    static unsigned char whole[65536];
    const bool classic = formats[format] != NC_NETCDF4;
    write_netcdf(formats[format]);
    FILE *const file = fopen("x.nc", "rb");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(whole, 1, sizeof whole, file);
    ck_assert_int_eq(fclose(file), 0);
    for (size_t at = 4; at < size && (!classic || at < 64); at += classic ? 4 : size / 20) {
        static const unsigned char spoils[] = {0xff, 0x80, 0x7f, 0x00};
        const unsigned char kept = whole[at];
        char label[60];
        whole[at] = classic ? 0x7f : spoils[at % 4];
        (void)snprintf(label, sizeof label, "format %d, byte %zu is %d", format, at, whole[at]);
        write_file("spoiled.nc", whole, size);
        expect_an_end("-o out.npy spoiled.nc:v", label);
        whole[at] = kept;
    }
    write_file("spoiled.nc", whole, size / 2);
    expect_an_end("spoiled.nc", "half a file");
    expect_entries(2);
}

START_TEST(spoiled_netcdf) {
    spoil_netcdf(_i);
}
END_TEST

/* A parent that ignores SIGCHLD hands that on: the process that tries a file first must be waited for all the same. */
START_TEST(spoiled_netcdf_under_a_parent_without_children) {
    use_ignored_children(true);
    spoil_netcdf(_i);
    use_ignored_children(false);
}
END_TEST

#endif

int main(void) {
    use_program(ARGMAX_CL_PROGRAM);
    const listed_test tests[] = {
        ONCE(what_is_no_file),         ONCE(spoiled_npy),
        ONCE(array_beyond_memory),
#ifdef ARGMAX_CL_HAVE_NETCDF
        EACH(spoiled_netcdf, formats), ONCE(spoiled_netcdf_under_a_parent_without_children),
#endif
    };
    return run_tests("argmax-cl on hostile input", tests, sizeof tests / sizeof tests[0], enter_without_devices,
                     leave_folder);
}
