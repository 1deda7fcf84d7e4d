/* The program argmax-cl as its users meet it: a process with arguments, files, two streams and an exit status. */
#include "cli_process.h"
#include "unit.h"

#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Usage: exit status 2, before INPUT is opened (it does not exist) ------------------------------------------ */

static const struct {
    const char *arguments, *says;
} usage[] = {
    {"", "INPUT: missing, expected file.npy or file.nc:variable"},
    {"no.npy second.npy", "second.npy: a second INPUT, expected one"},
    {"--wrong no.npy", "--wrong: unknown"},
    {"-x no.npy", "-x: unknown option"},
    {"--axis", "--axis: nothing after it, expected its value"},
    {"no.npy -o", "-o: nothing after it"},
    {"--min=3 no.npy", "--min=3: a value, expected none"},
    {"-a 1, no.npy", "--axis: \"1,\", expected numbers or names with commas between, as 0,-1 or time"},
    {"-a ,1 no.npy", "--axis: \",1\", expected numbers or names"},
    {"-a 0,,1 no.npy", "--axis: \"0,,1\", expected numbers or names"},
    {"--axis= no.npy", "--axis: \"\", expected numbers or names"},
    {"-a 0 -a 1 no.npy", "given twice, expected once"},
    {"--nan drop no.npy", "--nan: \"drop\", expected one of propagate, ignore"},
    {"--index-type int8 no.npy", "--index-type: \"int8\", expected one of int32, uint32, int64, uint64"},
    {"--fill drop no.npy", "--fill: \"drop\", expected one of mask, keep"},
    {"--memory-limit 0 no.npy", "--memory-limit: \"0\", expected bytes, as 512M"},
    {"--memory-limit 5X no.npy", "--memory-limit: \"5X\", expected bytes"},
    {"--memory-limit 5MB no.npy", "--memory-limit: \"5MB\", expected bytes"},
    {"--memory-limit -5 no.npy", "--memory-limit: \"-5\", expected bytes"},
    {"--memory-limit 99999999999T no.npy", "--memory-limit: \"99999999999T\", expected bytes"},
    {"--output= no.npy", "--output: an empty name, expected a file to write"},
    {"--values= no.npy", "--values: an empty name, expected a file to write"},
    {"-o x.npy --values ./x.npy no.npy", "--values: ./x.npy, which is --output as well, expected another file"},
};

START_TEST(refuses_wrong_usage) {
    expect_error(usage[_i].arguments, 2, usage[_i].says);
    expect_entries(0);
}
END_TEST

/* ---- Inputs that are refused: exit status 1 -------------------------------------------------------------------- */

static const struct {
    const char *bytes; /* of x.npy after magic and version 1.0 with a header's length of 80; NULL: no such file */
    const char *says;
} broken[] = {
    {NULL, "x.npy: No such file or directory, expected file.npy or file.nc:variable"},
    {"", "x.npy: 0 bytes of data"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,) ", "expected a comma or }"},
    {"{'descr': '<c8', 'fortran_order': False, 'shape': (3,)}", "type '<c8', expected < or > and one of f2 f4"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': ()}", "rank 0, expected rank 1 to 8"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", "rank 9, expected rank 1 to 8"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (5,)}", "12 bytes of data, expected 20 for shape (5,)"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296,4294967296)}", "less than 2^63 bytes"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}", "expected 4000000000000 for shape"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}", "reduc"},
};

START_TEST(refuses_broken_npy) {
    if (broken[_i].bytes && broken[_i].bytes[0])
        write_npy("x.npy", broken[_i].bytes, "twelve bytes", 12);
    else if (broken[_i].bytes)
        write_npy("x.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "", 0);
    expect_error("-o out.npy x.npy", 1, broken[_i].says);
    expect_entries(broken[_i].bytes != NULL);
}
END_TEST

START_TEST(refuses_what_is_no_array) {
    write_file("empty.npy", "", 0);
    write_file("text.npy", "hello, world", 12);
    write_file("short.npy", "\x93NUMPY\1", 7);
    write_file("head.npy", "\x93NUMPY\1\0\x80\0{'descr'", 18);
    write_npy("good.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", "abc", 3);
    ck_assert_int_eq(mkdir("folder", 0777), 0);
    ck_assert_int_eq(mkfifo("fifo", 0666), 0);
    expect_error("empty.npy", 1, "empty.npy: empty, expected an .npy or a NetCDF file");
    expect_error("text.npy", 1, "text.npy: begins with the bytes 68 65 6c 6c, expected an .npy file");
    expect_error("short.npy", 1, "short.npy: ends after 7 bytes, expected a header of 10 bytes or more");
    expect_error("head.npy", 1, "head.npy: ends 8 bytes into its header, expected 128 bytes");
    expect_error("folder", 1, "folder: not a regular file");
    expect_error("fifo", 1, "fifo: not a regular file");
    expect_error("good.npy:variable", 1, "good.npy: an .npy file, which has no variables");
    expect_error("no.nc:variable", 1, "no.nc: No such file or directory");
    expect_error("-a 1 good.npy", 1, "--axis: axis 1, expected -1..0 for good.npy of rank 1");
    expect_error("-a -2 good.npy", 1, "--axis: axis -2, expected -1..0 for good.npy of rank 1");
    for (size_t i = 0; i < 6; ++i) {
        char words[60], says[90];
        static const char *const no_axes[] = {"x", "1x", "+0", "-", "=", "99999999999999999999"};
        (void)snprintf(words, sizeof words, "-a %s good.npy", no_axes[i]);
        (void)snprintf(says, sizeof says, "--axis: axis %s, expected -1..0 for good.npy of rank 1", no_axes[i]);
        expect_error(words, 1, says);
    }
    expect_error("-a 0,-1 good.npy", 1, "--axis: axis 0 twice, expected each axis once");
}
END_TEST

START_TEST(line_breaks_in_names_stay_one_line) {
    const result r = run_program((const char *const[]){"no\nsuch\nfile.npy", NULL}, STREAMS_DEFAULT);
    ck_assert_int_eq(r.status, 1);
    ck_assert_str_eq(r.error, "argmax-cl: no such file.npy: No such file or directory, expected file.npy or "
                              "file.nc:variable\n");
}
END_TEST

/* ---- Devices --------------------------------------------------------------------------------------------------- */

START_TEST(says_what_to_install_without_device) {
    write_npy("x.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", "abc", 3);
    ck_assert_int_eq(setenv("OCL_ICD_VENDORS", "/nonexistent", 1), 0);
    expect_error("-o out.npy x.npy", 1, "OpenCL: no device, expected at least one: install a driver");
    expect_error("-d 0 x.npy", 1, "apt-get install pocl-opencl-icd");
    expect_error("--list-devices", 1, "apt-get install pocl-opencl-icd");
    ck_assert_int_eq(unsetenv("OCL_ICD_VENDORS"), 0);
    expect_entries(1);
}
END_TEST

START_TEST(lists_and_chooses_devices) {
    char name[128], arguments[200];
    write_npy("x.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", "abc", 3);
    result r = run_words("--list-devices", STREAMS_DEFAULT);
    ck_assert_int_eq(r.status, 0);
    ck_assert_msg(strncmp(r.output, "0  ", 3) == 0, "%s", r.output);
    ck_assert_ptr_nonnull(strstr(r.output, ", platform "));
    ck_assert_ptr_nonnull(strstr(r.output, ", driver "));
    ck_assert_int_eq(sscanf(r.output, "0 %127[^ ,]", name), 1);
    (void)snprintf(arguments, sizeof arguments, "-d %s x.npy", name);
    expect_output(arguments, name);
    expect_output("--device 0 x.npy", name);
    expect_error("-d 99 -o out.npy x.npy", 1, "99");
    expect_error("-d none-such -o out.npy x.npy", 1, "none-such");
    expect_entries(1);
}
END_TEST

/* ---- Standard streams ------------------------------------------------------------------------------------------ */

START_TEST(tells_of_itself) {
    static const char *const options[] = {"--min",          "--both",       "--mask",    "--axis",   "--last",
                                          "--nan",          "--index-type", "--squeeze", "--output", "--values",
                                          "--list-devices", "--device",     "--explain", "--help",   "--version"};
    result r = run_words("-h", STREAMS_DEFAULT);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i)
        ck_assert_msg(strstr(r.output, options[i]) != NULL, "no %s in the help", options[i]);
    expect_output("--help", "argmax-cl [options] INPUT");
    expect_output("--version", "argmax-cl 0.");
}
END_TEST

START_TEST(failing_output_is_an_error) {
    write_npy("x.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", "abc", 3);
    static const char *const commands[] = {"--help", "--version", "--list-devices", "x.npy",
                                           "--explain -o out.npy x.npy"};
    static const streams ways[] = {STREAMS_OUTPUT_FULL, STREAMS_OUTPUT_CLOSED, STREAMS_OUTPUT_PIPE_CLOSED};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i)
        for (size_t k = 0; k < sizeof ways / sizeof ways[0]; ++k) {
            const result r = run_words(commands[i], ways[k]);
            ck_assert_msg(r.status == 1, "%s: exit status %d", commands[i], r.status);
            ck_assert_msg(strncmp(r.error, "argmax-cl: standard output: cannot be written: ", 47) == 0, "%s", r.error);
            ck_assert_ptr_eq(strchr(r.error, '\n') + 1, r.error + strlen(r.error));
        }
    expect_entries(1);
    /* With nothing to print, a closed stream is nobody's business, and its number no file's. */
    ck_assert_int_eq(run_words("-o out.npy x.npy", STREAMS_ALL_CLOSED).status, 0);
    expect_npy("out.npy", "i8", "(1,)", (const int64_t[]){2}, 8);
}
END_TEST

/* ---- Results --------------------------------------------------------------------------------------------------- */

/* The worked example: [[1,2,3],[3,0,4],[2,5,2]] in every type and both byte and element orders. */
static const int example[9] = {1, 2, 3, 3, 0, 4, 2, 5, 2};
static const int example_columns[9] = {1, 3, 2, 2, 0, 5, 3, 4, 2};
static const char *const codes[] = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"};

START_TEST(worked_example_in_every_type) {
    const char *code = codes[_i];
    const size_t size = (size_t)(code[1] - '0');
    uint8_t data[9 * 8], values[3 * 8];
    char header[100];
    for (int fortran = 0; fortran < 2; ++fortran) {
        const char order = size == 1 ? '|' : fortran ? foreign_order() : native_order();
        for (size_t i = 0; i < 9; ++i)
            store(code, fortran ? example_columns[i] : example[i], fortran, data + i * size);
        (void)snprintf(header, sizeof header, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (3, 3), }", order, code,
                       fortran ? "True" : "False");
        write_npy("x.npy", header, data, 9 * size);
        expect_silence("-a 1 -o i.npy --values v.npy x.npy");
        expect_npy("i.npy", "i8", "(3, 1)", (const int64_t[]){2, 2, 1}, 24);
        for (size_t i = 0; i < 3; ++i)
            store(code, (const int[]){3, 4, 5}[i], 0, values + i * size);
        expect_npy("v.npy", code, "(3, 1)", values, 3 * size);
    }
    expect_entries(3);
}
END_TEST

START_TEST(booleans_stay_booleans) {
    write_npy("x.npy", "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 3), }", "\0\1\1\0\0\0", 6);
    expect_silence("-a 1 -o i.npy --values v.npy x.npy");
    expect_npy("i.npy", "i8", "(2, 1)", (const int64_t[]){1, 0}, 16);
    expect_npy("v.npy", "b1", "(2, 1)", "\1\0", 2);
    expect_output("x.npy", "input   bool (2, 3)\n");
}
END_TEST

/* The example as int32 through the options; `type` is the index's. */
static const struct {
    const char *arguments, *type, *shape;
    int64_t indices[3];
    size_t count;
} cases[] = {
    {"", "i8", "(1, 1)", {7}, 1},
    {"-a 0", "i8", "(1, 3)", {1, 2, 1}, 3},
    {"-a 1,0 --index-type int32", "i4", "(1, 1)", {7}, 1},
    {"-a -1 --min --index-type uint32", "u4", "(3, 1)", {0, 1, 0}, 3},
    {"-a -2 --min --index-type uint64", "u8", "(1, 3)", {0, 1, 2}, 3},
    {"--axis=1 --min --last", "i8", "(3, 1)", {0, 1, 2}, 3},
    {"--axis 0 --squeeze --index-type int64", "i8", "(3,)", {1, 2, 1}, 3},
    {"--squeeze --min", "i8", "()", {4}, 1},
    {"--nan ignore --explain", "i8", "(1, 1)", {7}, 1},
};

START_TEST(options_reach_the_operator) {
    char arguments[200];
    int32_t data[9], narrow[3];
    for (size_t i = 0; i < 9; ++i)
        data[i] = example[i];
    write_native_npy("x.npy", "i4", "(3, 3)", data, sizeof data);
    (void)snprintf(arguments, sizeof arguments, "%s -o i.npy x.npy", cases[_i].arguments);
    ck_assert_int_eq(run_words(arguments, STREAMS_DEFAULT).status, 0);
    for (size_t i = 0; i < 3; ++i)
        narrow[i] = (int32_t)cases[_i].indices[i];
    const bool wide = cases[_i].type[1] == '8';
    expect_npy("i.npy", cases[_i].type, cases[_i].shape, wide ? (const void *)cases[_i].indices : narrow,
               cases[_i].count * (wide ? 8 : 4));
    expect_entries(2);
}
END_TEST

START_TEST(nan_modes) {
    const float data[6] = {1, NAN, 3, NAN, NAN, NAN};
    write_native_npy("x.npy", "f4", "(2, 3)", data, sizeof data);
    expect_silence("-a 1 -o i.npy x.npy");
    expect_npy("i.npy", "i8", "(2, 1)", (const int64_t[]){1, 0}, 16);
    expect_silence("-a 1 --nan ignore -o i.npy x.npy");
    expect_npy("i.npy", "i8", "(2, 1)", (const int64_t[]){2, -1}, 16);
    expect_output("-a 1 --nan ignore x.npy", "\n(0, :): index 2, value 3 at (0, 2)\n(1, :): no winner\n");
    expect_output("-a 1 x.npy", "\n(0, :): index 1, value nan at (0, 1)\n(1, :): index 0, value nan at (1, 0)\n");
}
END_TEST

START_TEST(empty_results_are_results) {
    write_native_npy("x.npy", "f4", "(0, 3)", "", 0);
    expect_silence("-a 1 -o i.npy --values v.npy x.npy");
    expect_npy("i.npy", "i8", "(0, 1)", "", 0);
    expect_npy("v.npy", "f4", "(0, 1)", "", 0);
    expect_output("-a 1 x.npy", "\n0 points\n");
}
END_TEST

START_TEST(summary_of_small_answers) {
    int32_t data[9];
    for (size_t i = 0; i < 9; ++i)
        data[i] = example[i];
    write_native_npy("x.npy", "i4", "(3, 3)", data, sizeof data);
    expect_output("x.npy", "argmax of x.npy\ninput   int32 (3, 3)\naxes    0, 1\noutput  int64 (1, 1)\ndevice  ");
    expect_output("x.npy", " ms, ");
    expect_output("--json -a 0 x.npy", "  \"index\": [1, 2, 1],\n  \"value\": [3, 5, 4],\n  \"winner\": {}\n}\n");
    expect_output("--json -a 0 x.npy", "{\n  \"operator\": \"argmax\",\n  \"input\": \"x.npy\",\n  \"dtype\": ");
    expect_output("x.npy", " GB/s\nindex 7, value 5 at (2, 1)\n");
    expect_output("--min --squeeze x.npy", "argmin of x.npy\ninput   int32 (3, 3)\naxes    0, 1\noutput  int64 ()\n");
    expect_output("-a 0 x.npy", "\n(:, 0): index 1, value 3 at (1, 0)\n(:, 1): index 2, value 5 at (2, 1)\n(:, 2): ");
    expect_output("--explain x.npy", "\nplan    ");
}
END_TEST

/* 30 rows of 4 with the maximum at 2 in 15 rows, at 1 in 10, nowhere in 5; the largest value is in rows 7 and 9. */
START_TEST(summary_of_large_answers) {
    float data[30][4];
    for (size_t row = 0; row < 30; ++row)
        for (size_t i = 0; i < 4; ++i)
            data[row][i] = row >= 25 ? NAN : i == (row < 15 ? 2u : 1u) ? (row == 7 || row == 9 ? 8.5f : 2) : 1;
    write_native_npy("x.npy", "f4", "(30, 4)", data, sizeof data);
    expect_output("-a 1 --nan ignore x.npy", "\n30 points: index 2 at 15 of them, 1 at 10; no winner at 5\n"
                                             "largest 8.5 at (7, 2), the first of 2 points with it\n");
    expect_output("-a 1 --nan ignore --min x.npy", "\n30 points: index 0 at 25 of them; no winner at 5\n"
                                                   "smallest 1 at (0, 0), the first of 25 points with it\n");
    expect_output("-a 1 x.npy", "largest nan at (25, 0), the first of 5 points with it\n");
}
END_TEST

/* ---- Result files ---------------------------------------------------------------------------------------------- */

START_TEST(outputs_are_whole_or_absent) {
    write_native_npy("x.npy", "u1", "(3,)", "abc", 3);
    write_file("old.npy", "old", 3);
    ck_assert_int_eq(symlink("x.npy", "link.npy"), 0);
    expect_error("-o missing/i.npy x.npy", 1, "missing/i.npy: cannot be written: No such file or directory");
    expect_error("-o old.npy --values missing/v.npy x.npy", 1, "missing/v.npy: cannot be written");
    expect_error("-o /dev/full x.npy", 1, "/dev/full: a device or a pipe, expected a regular file");
    expect_error("-o . x.npy", 1, ".: a folder, expected a file");
    expect_error("-o x.npy x.npy", 1, "x.npy: the INPUT file, expected another one to write");
    expect_error("-o old.npy --values link.npy x.npy", 1, "link.npy: the INPUT file");
    expect_error("-o ./x.npy link.npy", 1, "./x.npy: the INPUT file");
    expect_error("-o old.npy --values new.npy -d none-such x.npy", 1, "none-such");
    expect_file("old.npy", "old", 3);
    expect_entries(3);
}
END_TEST

/* A file system that takes 256 bytes a file: known before anything is computed. */
START_TEST(full_disk_leaves_nothing) {
    const uint8_t data[20 * 50] = {0};
    write_native_npy("x.npy", "u1", "(20, 50)", data, sizeof data);
    write_file("old.npy", "old", 3);
    const result r = run_words("-a 1 --values new.npy -o old.npy x.npy", STREAMS_SMALL_FILES);
    ck_assert_int_eq(r.status, 1);
    ck_assert_str_eq(r.error, "argmax-cl: old.npy: cannot be written: File too large\n");
    expect_file("old.npy", "old", 3);
    expect_entries(2);
}
END_TEST

START_TEST(signals_leave_nothing) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    write_native_npy("x.npy", "u1", "(3,)", "abc", 3);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i) {
        const int status = run_until_temporary("-o out.npy --values v.npy x.npy", signals[i]);
        ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == signals[i], "ended with %x", (unsigned)status);
        expect_entries(1);
    }
}
END_TEST

int main(void) {
    use_program(ARGMAX_CL_PROGRAM);
    const listed_test tests[] = {
        EACH(refuses_wrong_usage, usage),
        EACH(refuses_broken_npy, broken),
        ONCE(refuses_what_is_no_array),
        ONCE(line_breaks_in_names_stay_one_line),
        ONCE(says_what_to_install_without_device),
        ONCE(lists_and_chooses_devices),
        ONCE(tells_of_itself),
        ONCE(failing_output_is_an_error),
        EACH(worked_example_in_every_type, codes),
        ONCE(booleans_stay_booleans),
        EACH(options_reach_the_operator, cases),
        ONCE(nan_modes),
        ONCE(empty_results_are_results),
        ONCE(summary_of_small_answers),
        ONCE(summary_of_large_answers),
        ONCE(outputs_are_whole_or_absent),
        ONCE(full_disk_leaves_nothing),
        ONCE(signals_leave_nothing),
    };
    return run_tests("argmax-cl", tests, sizeof tests / sizeof tests[0], enter_folder, leave_folder);
}
