/* The program argmax-cl on NetCDF files. Built without libnetcdf, it must say so. */
#include "cli_process.h"
#include "unit.h"

#include <stdint.h>

#ifdef ARGMAX_CL_HAVE_NETCDF
#include <math.h>
#include <netcdf.h>

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
    expect_error("x.nc", 1, "x.nc:nine: an array of rank 9, expected rank 1 to 8");
    expect_error("x.nc:", 1, "x.nc:nine: an array of rank 9");
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
    write_examples(2 + _i);
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

/* Two variables of the highest rank: the user must choose. */
START_TEST(asks_which_variable) {
    write_examples(3);
    expect_error("x.nc", 1, "x.nc: 10 variables of rank 2, expected x.nc:VARIABLE with one of its variables: v0, v1,");
    expect_error("-a rows x.nc:v2", 1, "--axis: axis rows, expected -2..1 or one of row, column for x.nc:v2 of rank 2");
    expect_error("-a row,0 x.nc:v2", 1, "--axis: axis 0 twice");
}
END_TEST

#ifdef ARGMAX_CL_HAVE_UDUNITS
#define YEAR(index, date) #index " (" date ")"
#define DATE "time = 2098-06-01, "
#else
#define YEAR(index, date) #index " ("
#define DATE ""
#endif

START_TEST(real_data) {
    const char *data = ARGMAX_CL_EXAMPLE_DATA "/A1B_north_america.nc";
    char arguments[1024];
    (void)snprintf(arguments, sizeof arguments, "-a time %s:air_temperature", data);
    expect_output(arguments, "\n1813 points: index " YEAR(235, "2095-06-01"));
    expect_output(arguments, "input   float32 (240, 37, 49): time, latitude, longitude\naxes    0 (time)\n");
    (void)snprintf(arguments, sizeof arguments, "-a 0 --min %s", data);
    expect_output(arguments, "\n1813 points: index " YEAR(108, "1968-06-01"));
    /* In blocks of a hundredth of the file, the same; along every axis. */
    for (int axis = -1; axis < 3; ++axis) {
        static const char *const axes[] = {"0,2", "0", "1", "2"};
        for (int i = 0; i < 2; ++i) {
            (void)snprintf(arguments, sizeof arguments, "--memory-limit %s -a %s -o %d.npy --values v%d.npy %s",
                           i ? "400K" : "1G", axes[axis + 1], i, i, data);
            const result r = run_words(arguments, STREAMS_DEFAULT);
            ck_assert_msg(r.status == 0, "%s: %s", arguments, r.error);
        }
        ck_assert_int_eq(system("cmp 0.npy 1.npy && cmp v0.npy v1.npy"), 0);
    }
}
END_TEST

/* Land has no warmest month. */
START_TEST(missing_data) {
    const char *data = ARGMAX_CL_EXAMPLE_DATA "/ostia_monthly.nc:surface_temperature";
    static int64_t index[7776 + 16];
    char arguments[1024];
    for (int small = 0; small < 2; ++small) {
        (void)snprintf(arguments, sizeof arguments, "%s -a 0 -o i.npy %s", small ? "--memory-limit 600K" : "--last",
                       data);
        expect_silence(arguments);
        FILE *file = fopen("i.npy", "rb");
        ck_assert_ptr_nonnull(file);
        ck_assert_uint_eq(fread(index, 8, 7776 + 16, file), 7776 + 16);
        (void)fclose(file);
        int land = 0;
        for (int i = 16; i < 7776 + 16; ++i) {
            land += index[i] == -1;
            ck_assert_int_ge(index[i], -1);
            ck_assert_int_lt(index[i], 54);
        }
        ck_assert_int_eq(land, 2055);
    }
    (void)snprintf(arguments, sizeof arguments, "-a 0 %s", data);
    expect_output(arguments, "\nmissing 110970 of 419904 elements, left out\n");
    expect_output(arguments, "; no winner at 2055\n");
    (void)snprintf(arguments, sizeof arguments, "-a 0 --explain %s", data);
    expect_output(arguments, " -DMASK="); /* the kernel leaves them out */
    (void)snprintf(arguments, sizeof arguments, "-a 0,1,2 --json %s", data);
    expect_output(arguments, "\"index\": [388487],\n  \"value\": [304.35043],\n  \"winner\": {\"time\": [");
    (void)snprintf(arguments, sizeof arguments, "-a 0 --fill keep %s", data);
    expect_output(arguments, "\nlargest 1e+20 K at (0, ");
}
END_TEST

/* What -o FILE.nc has: coordinates, values, indices and their meaning; read again by the program. */
START_TEST(writes_netcdf) {
    const char *data = ARGMAX_CL_EXAMPLE_DATA "/ostia_monthly.nc";
    static int64_t index[7776];
    char arguments[1024];
    int file, id, rank, land = 0;
    (void)snprintf(arguments, sizeof arguments, "-a time -o o.nc --values v.nc %s", data);
    expect_silence(arguments);
    expect_entries(2);
    GOOD(nc_open("o.nc", NC_NOWRITE, &file));
    GOOD(nc_inq_varid(file, "surface_temperature_argmax", &id));
    GOOD(nc_inq_varndims(file, id, &rank));
    ck_assert_int_eq(rank, 2);
    GOOD(nc_get_var(file, id, index));
    for (int i = 0; i < 7776; ++i)
        land += index[i] == -1;
    ck_assert_int_eq(land, 2055);
    GOOD(nc_close(file));
    expect_output("o.nc:surface_temperature", "value 304.35043 K at (17, 119): latitude = 4.4444504, longitude = ");
    expect_output("v.nc", "argmax of v.nc:surface_temperature\ninput   float32 (18, 432): latitude, longitude\n");
    expect_output("--json o.nc:surface_temperature_argmax", "\"missing\": 2055,");
    expect_output("--json o.nc:surface_temperature_argmax_time", "\"missing\": 2055,");
}
END_TEST

/* x.nc with one variable "v" of four elements and up to two attributes. */
typedef struct marked {
    nc_type type;
    struct {
        const char *name;
        nc_type type; /* NC_CHAR: the text "true" */
        double value;
    } attributes[2];
    double data[4];
    const char *options;
    int index; /* of the winner; -1: none */
    const char *value;
} marked;

static const marked marks[] = {
    {NC_FLOAT, {{"_FillValue", NC_FLOAT, 1e20}}, {1, 1e20, 2, 1e20}, "", 2, "2"},
    {NC_FLOAT, {{"_FillValue", NC_FLOAT, 1e20}}, {1e20, 1e20, 1e20, 1e20}, "", -1, NULL},
    {NC_FLOAT, {{"missing_value", NC_DOUBLE, 1e20}}, {1, 1e20, 2, 3}, "", 3, "3"},
    {NC_FLOAT, {{"_FillValue", NC_FLOAT, (double)NAN}}, {1, 2, (double)NAN, 3}, "", 3, "3"},
    {NC_FLOAT, {{"_FillValue", NC_FLOAT, 5}}, {1, 5, (double)NAN, 5}, "", 2, "nan"},
    {NC_DOUBLE, {{"_FillValue", NC_DOUBLE, 5}}, {5, -(double)INFINITY, (double)NAN, 5}, "--nan ignore", 1, "-inf"},
    {NC_DOUBLE, {{"_FillValue", NC_DOUBLE, -1}, {"missing_value", NC_DOUBLE, -2}}, {-1, -2, -2, 3}, "--min", 3, "3"},
    {NC_SHORT, {{"missing_value", NC_INT, -999}}, {-999, 2, 3, -999}, "--min", 1, "2"},
    {NC_SHORT, {{"missing_value", NC_INT, 64537}}, {-999, 2, 3, 4}, "--min", 0, "-999"},
    {NC_SHORT, {{"missing_value", NC_DOUBLE, 2.5}}, {2, 2, 3, 4}, "--min", 0, "2"},
    /* The only valid elements have the value that stands for missing ones. */
    {NC_BYTE, {{"_FillValue", NC_BYTE, 7}}, {7, -128, -128, 7}, "", 1, "-128"},
    {NC_BYTE, {{"_FillValue", NC_BYTE, 7}}, {7, -128, -128, 7}, "--last", 2, "-128"},
    {NC_UBYTE, {{"_FillValue", NC_UBYTE, 7}}, {7, 255, 7, 255}, "--min --last", 3, "255"},
    {NC_INT, {{"valid_max", NC_INT, 10}}, {1, 11, 10, 5}, "", 2, "10"},
    {NC_INT, {{"valid_min", NC_DOUBLE, 1.5}}, {1, 11, 2, 5}, "--min", 2, "2"},
    {NC_UBYTE, {{"valid_min", NC_INT, 300}}, {1, 11, 2, 5}, "", -1, NULL},
    {NC_UBYTE, {{"valid_max", NC_INT, 300}}, {1, 255, 2, 5}, "", 1, "255"},
    {NC_BYTE, {{"_Unsigned", NC_CHAR, 0}}, {1, -1, 2, 5}, "", 1, "255"},
    {NC_SHORT, {{"scale_factor", NC_FLOAT, 0.5}, {"add_offset", NC_FLOAT, 273}}, {1, 2, 3, 4}, "", 3, "275"},
    {NC_SHORT, {{"scale_factor", NC_FLOAT, -0.5}, {"add_offset", NC_FLOAT, 273}}, {1, 2, 3, 4}, "", 0, "272.5"},
    {NC_SHORT, {{"scale_factor", NC_DOUBLE, -0.5}, {"_FillValue", NC_SHORT, 1}}, {1, 2, 3, 1}, "", 1, "-1"},
    {NC_SHORT, {{"scale_factor", NC_FLOAT, 0.1}, {"valid_max", NC_FLOAT, 100}}, {999, 1000, 1001, 1}, "", 1, "100"},
    {NC_SHORT, {{"scale_factor", NC_FLOAT, -0.1}, {"valid_max", NC_FLOAT, 100}}, {-999, -1000, -1001, 1}, "", 1, "100"},
    {NC_SHORT, {{"scale_factor", NC_FLOAT, 0.1}, {"valid_max", NC_SHORT, 5}}, {4, 5, 6, 1}, "", 1, "0.5"},
};

static void write_marked(const marked *mark) {
    int file, dimension, variable;
    GOOD(nc_create("x.nc", NC_NETCDF4, &file));
    GOOD(nc_def_dim(file, "x", 4, &dimension));
    GOOD(nc_def_var(file, "v", mark->type, 1, &dimension, &variable));
    for (int i = 0; i < 2 && mark->attributes[i].name; ++i) {
        const char *const name = mark->attributes[i].name;
        const nc_type type = mark->attributes[i].type;
        if (type == NC_CHAR)
            GOOD(nc_put_att_text(file, variable, name, 4, "true"));
        else
            GOOD(nc_put_att_double(file, variable, name, type, 1, &mark->attributes[i].value));
    }
    GOOD(nc_put_var_double(file, variable, mark->data));
    GOOD(nc_close(file));
}

START_TEST(obeys_attributes) {
    const marked *mark = &marks[_i];
    char words[64], says[64] = "\nno winner\n";
    write_marked(mark);
    (void)snprintf(words, sizeof words, "%s x.nc", mark->options);
    if (mark->index >= 0)
        (void)snprintf(says, sizeof says, "\nindex %d, value %s at (%d,)\n", mark->index, mark->value, mark->index);
    expect_output(words, says);
}
END_TEST

START_TEST(refuses_a_scale_of_zero) {
    const marked zero = {.type = NC_SHORT, .attributes = {{"scale_factor", NC_DOUBLE, 0}}};
    write_marked(&zero);
    expect_error("x.nc", 1, "x.nc:v: scale_factor 0 and add_offset 0, expected finite numbers and no scale of 0");
}
END_TEST

/* Made by the HDF5 library alone: no dimensions by name, an array in a group. */
START_TEST(plain_hdf5) {
    const char *data = ARGMAX_CL_PLAIN_HDF5;
    char words[4200];
    (void)snprintf(words, sizeof words, "-a 1 %s:/run1/field", data);
    expect_output(words, "float32 (3, 4)\naxes    1\n");
    expect_output(words, "(2, :): index 3, value 8 at (2, 3)\n");
    (void)snprintf(words, sizeof words, "-a 1 -o i.npy %s:/top", data);
    expect_silence(words);
    expect_npy("i.npy", "i8", "(3, 1)", (const int64_t[]){1, 1, 3}, 24);
    (void)snprintf(words, sizeof words, "-a 1 -o i.nc %s:/run1/field", data);
    expect_silence(words);
    expect_output("--min -a 0 i.nc:field_argmax", "index 0, value 1 at (0,)");
    (void)snprintf(words, sizeof words, "%s:/run2/field", data);
    expect_error(words, 1, "no variable \"/run2/field\" in it");
}
END_TEST

#else

START_TEST(says_that_it_was_built_without) {
    write_file("x.nc", "CDF\001", 4);
    expect_error("x.nc:v", 1, "x.nc: not an .npy file, expected one: this program was built without NetCDF");
    expect_error("x.nc", 1, "this program was built without NetCDF");
    expect_output("--version", "built without NetCDF\n");
}
END_TEST

#endif

int main(void) {
    use_program(ARGMAX_CL_PROGRAM);
    const listed_test tests[] = {
#ifdef ARGMAX_CL_HAVE_NETCDF
        EACH(reads_every_format_and_type, formats),
        ONCE(refuses_what_it_cannot_read),
        TIMES(survives_truncation, 2),
        ONCE(real_data),
        ONCE(plain_hdf5),
        ONCE(asks_which_variable),
        ONCE(missing_data),
        ONCE(writes_netcdf),
        EACH(obeys_attributes, marks),
        ONCE(refuses_a_scale_of_zero),
#else
        ONCE(says_that_it_was_built_without),
#endif
    };
    return run_tests("argmax-cl on NetCDF", tests, sizeof tests / sizeof tests[0], enter_folder, leave_folder);
}
