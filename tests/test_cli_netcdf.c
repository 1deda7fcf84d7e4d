/* The program argmax-cl on NetCDF files. Built without libnetcdf, it must say so. */
#include "cli_process.h"

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef ARGMAX_CL_HAVE_NETCDF
#include <math.h>
#include <netcdf.h>
#include <stdio.h>

#define GOOD(call) ck_assert_int_eq((call), NC_NOERR)

static const struct {
    nc_type type;
    const char *code;
} types[] = {{NC_BYTE, "i1"},  {NC_SHORT, "i2"},  {NC_INT, "i4"},  {NC_FLOAT, "f4"}, {NC_DOUBLE, "f8"},
             {NC_UBYTE, "u1"}, {NC_USHORT, "u2"}, {NC_UINT, "u4"}, {NC_INT64, "i8"}, {NC_UINT64, "u8"}};

static const struct {
    const char *name;
    int mode, types;
} formats[] = {{"classic", 0, 5},
               {"64-bit offset", NC_64BIT_OFFSET, 5},
               {"64-bit data", NC_64BIT_DATA, 10},
               {"NetCDF-4", NC_NETCDF4, 10},
               {"NetCDF-4, big-endian", NC_NETCDF4, 10}};

/* x.nc with a variable vI of each type I: the worked example, (rows unlimited, columns 3). */
static void write_examples(int format) {
    static const int example[9] = {1, 2, 3, 3, 0, 4, 2, 5, 2};
    static const size_t start[2] = {0, 0}, count[2] = {3, 3};
    int file, dimensions[2], variable[10];
    GOOD(nc_create("x.nc", formats[format].mode, &file));
    GOOD(nc_def_dim(file, "row", NC_UNLIMITED, &dimensions[0]));
    GOOD(nc_def_dim(file, "column", 3, &dimensions[1]));
    for (int i = 0; i < formats[format].types; ++i) {
        const char name[3] = {'v', (char)('0' + i), 0};
        GOOD(nc_def_var(file, name, types[i].type, 2, dimensions, &variable[i]));
        if (format == 4)
            GOOD(nc_def_var_endian(file, variable[i], NC_ENDIAN_BIG));
    }
    GOOD(nc_enddef(file));
    for (int i = 0; i < formats[format].types; ++i)
        GOOD(nc_put_vara_int(file, variable[i], start, count, example));
    GOOD(nc_close(file));
}

START_TEST(reads_every_format_and_type) {
    write_examples(_i);
    for (int i = 0; i < formats[_i].types; ++i) {
        uint8_t values[3 * 8];
        char arguments[] = "-a 1 -o i.npy --values v.npy x.nc:v0";
        arguments[sizeof arguments - 2] = (char)('0' + i);
        for (size_t k = 0; k < 3; ++k)
            store(types[i].code, (const int[]){3, 4, 5}[k], false, values + k * (size_t)(types[i].code[1] - '0'));
        expect_silence(arguments);
        expect_npy("i.npy", "i8", "(3, 1)", (const int64_t[]){2, 2, 1}, 24);
        expect_npy("v.npy", types[i].code, "(3, 1)", values, 3 * (size_t)(types[i].code[1] - '0'));
    }
    expect_output("-a 0 x.nc:v2", "argmax of x.nc:v2\ninput   int32 (3, 3): row, column\naxes    0 (row)\n");
    expect_error("-o x.nc x.nc:v2", 1, "x.nc: the INPUT file");
}
END_TEST

/* x.nc with one variable "v" of four elements, of two attributes' values. */
typedef struct marked {
    nc_type type;
    const char *name[2];
    nc_type attribute[2];
    double value[2], data[4];
    const char *says; /* NULL: no note */
} marked;

#define NOTE(text) "\nnote: " text "; they are compared as stored\n"

static const marked marks[] = {
    {NC_FLOAT,
     {"_FillValue", NULL},
     {NC_FLOAT},
     {1e20},
     {1, 1e20, 2, 1e20},
     NOTE("2 of 4 elements equal _FillValue 1e+20")},
    {NC_FLOAT, {"_FillValue", NULL}, {NC_FLOAT}, {1e20}, {1, 2, 3, 4}, NULL},
    {NC_FLOAT,
     {"missing_value", NULL},
     {NC_DOUBLE},
     {1e20},
     {1, 1e20, 2, 3},
     NOTE("1 of 4 elements equal missing_value 1e+20")},
    {NC_FLOAT,
     {"_FillValue", "missing_value"},
     {NC_FLOAT, NC_DOUBLE},
     {1e20, 1e20},
     {1, 1e20, 2, 3},
     NOTE("1 of 4 elements equal _FillValue 1e+20")},
    {NC_DOUBLE,
     {"_FillValue", "missing_value"},
     {NC_DOUBLE, NC_DOUBLE},
     {-1, -2},
     {-1, -2, -2, 3},
     NOTE("1 of 4 elements equal _FillValue -1") "note: 2 of 4 elements equal missing_value -2; they are compared"},
    {NC_FLOAT,
     {"_FillValue", NULL},
     {NC_FLOAT},
     {(double)NAN},
     {1, 2, (double)NAN, 3},
     NOTE("1 of 4 elements equal _FillValue nan")},
    {NC_SHORT,
     {"missing_value", NULL},
     {NC_INT},
     {-999},
     {-999, 2, 3, -999},
     NOTE("2 of 4 elements equal missing_value -999")},
    {NC_SHORT, {"missing_value", NULL}, {NC_INT}, {64537}, {-999, 2, 3, 4}, NULL},
    {NC_SHORT, {"missing_value", NULL}, {NC_DOUBLE}, {2.5}, {2, 2, 3, 4}, NULL},
    {NC_SHORT, {"missing_value", NULL}, {NC_CHAR}, {'2'}, {2, 2, 3, 4}, NULL},
    {NC_SHORT,
     {"scale_factor", "add_offset"},
     {NC_FLOAT, NC_FLOAT},
     {0.1, 273},
     {1, 2, 3, 4},
     "\nnote: scale_factor, add_offset not applied; elements are compared and shown as stored\n"},
};

static int count_notes(const char *text) {
    int count = 0;
    while (text && (text = strstr(text, "note:"))) {
        ++count;
        ++text;
    }
    return count;
}

START_TEST(tells_of_fill_values) {
    const marked *mark = &marks[_i];
    int file, dimension, variable;
    GOOD(nc_create("x.nc", NC_NETCDF4, &file));
    GOOD(nc_def_dim(file, "x", 4, &dimension));
    GOOD(nc_def_var(file, "v", mark->type, 1, &dimension, &variable));
    for (int i = 0; i < 2 && mark->name[i]; ++i)
        if (mark->attribute[i] == NC_CHAR)
            GOOD(nc_put_att_text(file, variable, mark->name[i], 1, "2"));
        else
            GOOD(nc_put_att_double(file, variable, mark->name[i], mark->attribute[i], 1, &mark->value[i]));
    GOOD(nc_put_var_double(file, variable, mark->data));
    GOOD(nc_close(file));
    const result r = run_words("x.nc:v", STREAMS_DEFAULT);
    ck_assert_int_eq(r.status, 0);
    ck_assert_msg(!mark->says || strstr(r.output, mark->says), "printed \"%s\", expected \"%s\"", r.output, mark->says);
    ck_assert_msg(count_notes(r.output) == count_notes(mark->says), "printed \"%s\"", r.output);
    /* The same is said when the answer goes to a file. */
    if (mark->says)
        expect_output("-o i.npy x.nc:v", mark->says + 1);
}
END_TEST

static void write_odd_file(void) {
    int file, group, inner, dimensions[9], type, variable;
    const float data[2] = {1, 2};
    GOOD(nc_create("x.nc", NC_NETCDF4, &file));
    for (int i = 0; i < 9; ++i) {
        const char name[3] = {'d', (char)('0' + i), 0};
        GOOD(nc_def_dim(file, name, i == 0 ? 2 : 1, &dimensions[i]));
    }
    GOOD(nc_def_compound(file, 4, "pair", &type));
    GOOD(nc_insert_compound(file, type, "a", 0, NC_INT));
    GOOD(nc_def_var(file, "text", NC_CHAR, 1, dimensions, &variable));
    GOOD(nc_def_var(file, "words", NC_STRING, 1, dimensions, &variable));
    GOOD(nc_def_var(file, "pairs", type, 1, dimensions, &variable));
    GOOD(nc_def_var(file, "scalar", NC_FLOAT, 0, NULL, &variable));
    GOOD(nc_def_var(file, "nine", NC_FLOAT, 9, dimensions, &variable));
    GOOD(nc_def_grp(file, "group", &group));
    GOOD(nc_def_grp(group, "inner", &inner));
    GOOD(nc_def_var(inner, "deep:er", NC_FLOAT, 1, dimensions, &variable));
    GOOD(nc_put_var_float(inner, variable, data));
    GOOD(nc_close(file));
}

#define LIST "expected x.nc:VARIABLE with one of its variables: text, words, pairs, scalar, nine, group/inner/deep:er"

START_TEST(refuses_what_it_cannot_read) {
    write_odd_file();
    write_file("y.nc", "CDF\001 and nonsense", 17);
    write_file("z.txt", "no such format at all", 21);
    expect_error("x.nc", 1, "x.nc: a NetCDF file without a variable, " LIST);
    expect_error("x.nc:", 1, "x.nc: a NetCDF file without a variable, " LIST);
    expect_error("x.nc:none", 1, "x.nc: no variable \"none\" in it, " LIST);
    expect_error("x.nc:group/none", 1, "x.nc: no variable \"group/none\" in it, " LIST);
    expect_error("x.nc:none/inner/deep", 1, "x.nc: no variable \"none/inner/deep\" in it, " LIST);
    expect_error("x.nc:text", 1, "x.nc:text: elements of type \"char\", expected integers or floating-point numbers");
    expect_error("x.nc:words", 1, "x.nc:words: elements of type \"string\", expected");
    expect_error("x.nc:pairs", 1, "x.nc:pairs: elements of type \"pair\", expected");
    expect_error("x.nc:scalar", 1, "x.nc:scalar: an array of rank 0, expected rank 1 to 8");
    expect_error("x.nc:nine", 1, "x.nc:nine: an array of rank 9, expected rank 1 to 8");
    expect_error("y.nc", 1, "y.nc: cannot be understood (");
    expect_error("y.nc:v", 1, "y.nc: cannot be understood (");
    expect_error("z.txt:v", 1, "z.txt: cannot be understood (NetCDF: Unknown file format), expected a NetCDF file");
    expect_output("x.nc:group/inner/deep:er", "\nindex 1, value 2 at (1,)\n");
    expect_output("x.nc:/group/inner/deep:er", "\nindex 1, value 2 at (1,)\n");
}
END_TEST

/* Cut at many places, a file is refused in one line or, where nothing that matters was cut off, read. */
START_TEST(survives_truncation) {
    static char whole[65536];
    write_examples(_i);
    FILE *file = fopen("x.nc", "rb");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(whole, 1, sizeof whole, file);
    (void)fclose(file);
    for (size_t cut = 1; cut < size; cut += size / 8) {
        write_file("cut.nc", whole, cut);
        const result r = run_words("-o i.npy cut.nc:v0", STREAMS_DEFAULT);
        ck_assert_msg(r.status == 0 || r.status == 1, "cut at %zu of %zu: %d", cut, size, r.status);
        if (r.status == 1) {
            ck_assert_msg(strncmp(r.error, "argmax-cl: cut.nc: ", 17) == 0, "%s", r.error);
            ck_assert_ptr_eq(strchr(r.error, '\n') + 1, r.error + strlen(r.error));
        }
    }
}
END_TEST

START_TEST(real_data) {
    const char *data = ARGMAX_CL_EXAMPLE_DATA "/A1B_north_america.nc";
    char arguments[1024];
    (void)snprintf(arguments, sizeof arguments, "-a 0 %s:air_temperature", data);
    expect_output(arguments, "\n1813 points: index 235 at 298 of them, 232 at 218, ");
    expect_output(arguments, "input   float32 (240, 37, 49): time, latitude, longitude\naxes    0 (time)\n");
    (void)snprintf(arguments, sizeof arguments, "-a 0 --min %s:air_temperature", data);
    expect_output(arguments, "\n1813 points: index 108 at 142 of them, ");
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, reads_every_format_and_type, 0, sizeof formats / sizeof formats[0]);
    tcase_add_loop_test(cases, tells_of_fill_values, 0, sizeof marks / sizeof marks[0]);
    tcase_add_test(cases, refuses_what_it_cannot_read);
    tcase_add_loop_test(cases, survives_truncation, 2, 4);
    tcase_add_test(cases, real_data);
}

#else

START_TEST(says_that_it_was_built_without) {
    write_file("x.nc", "CDF\001", 4);
    expect_error("x.nc:v", 1, "x.nc: a NetCDF file, expected an .npy file: this program was built without NetCDF");
    expect_error("x.nc", 1, "this program was built without NetCDF");
    expect_output("--version", "built without NetCDF\n");
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_test(cases, says_that_it_was_built_without);
}

#endif

int main(void) {
    use_program(ARGMAX_CL_PROGRAM);
    Suite *suite = suite_create("argmax-cl on NetCDF");
    TCase *cases = tcase_create("netcdf");
    tcase_add_checked_fixture(cases, enter_folder, leave_folder);
    tcase_set_timeout(cases, 120);
    add_tests(cases);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
