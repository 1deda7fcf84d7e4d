/* argmax-cl --both: the same as two runs, in every output, in one block and in blocks that cut reductions. */
#include "cli_process.h"
#include "unit.h"

#include <stdint.h>

#ifdef ARGMAX_CL_HAVE_NETCDF
#include <netcdf.h>
#define GOOD(call) ck_assert_int_eq((call), NC_NOERR)
#endif

/* Of the files here; its header is of 128 bytes. */
enum { HEADER = 128, FILE_MAX = 1 << 20 };

static size_t read_whole(const char *path, uint8_t *bytes) {
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    const size_t size = fread(bytes, 1, FILE_MAX, file);
    (void)fclose(file);
    return size;
}

/* The data of `both` are those of `least`, then those of `most`. */
static void expect_joined(const char *both, const char *least, const char *most, const char *words) {
    static uint8_t all[FILE_MAX], half[FILE_MAX];
    const size_t size = read_whole(both, all);
    const char *const parts[] = {least, most};
    for (size_t i = 0; i < 2; ++i) {
        const size_t one = read_whole(parts[i], half) - HEADER;
        ck_assert_msg(size == HEADER + 2 * one && memcmp(all + HEADER + i * one, half + HEADER, one) == 0,
                      "%s: %s is not in %s", words, parts[i], both);
    }
}

/* With these arguments, --both gives what a run for the minimum and one for the maximum give. */
static void expect_two_runs(const char *arguments) {
    char words[700];
    (void)snprintf(words, sizeof words, "--both -o bi.npy --values bv.npy %s", arguments);
    expect_silence(words);
    (void)snprintf(words, sizeof words, "--min -o li.npy --values lv.npy %s", arguments);
    expect_silence(words);
    (void)snprintf(words, sizeof words, "-o mi.npy --values mv.npy %s", arguments);
    expect_silence(words);
    expect_joined("bi.npy", "li.npy", "mi.npy", arguments);
    expect_joined("bv.npy", "lv.npy", "mv.npy", arguments);
}

static void write_example(void) {
    const int32_t data[6] = {1, 7, 1, 9, 9, 8};
    write_native_npy("x.npy", "i4", "(2, 3)", data, sizeof data);
}

START_TEST(known_answers) {
    write_example();
    expect_silence("--both -a 1 -o i.npy --values v.npy x.npy");
    expect_npy("i.npy", "i8", "(2, 2, 1)", (const int64_t[]){0, 2, 1, 0}, 32);
    expect_npy("v.npy", "i4", "(2, 2, 1)", (const int32_t[]){1, 8, 7, 9}, 16);
    expect_silence("--both --last --squeeze --index-type int32 -a 1 -o i.npy x.npy");
    expect_npy("i.npy", "i4", "(2, 2)", (const int32_t[]){2, 2, 1, 1}, 16);
    expect_silence("--both --squeeze -o i.npy x.npy");
    expect_npy("i.npy", "i8", "(2,)", (const int64_t[]){0, 3}, 16);
    expect_output("--both -a 1 x.npy", "argmin and argmax of x.npy\ninput   int32 (2, 3)\naxes    1\n"
                                       "output  int64 (2, 2, 1): minimum, maximum\n");
    expect_output("--both -a 1 x.npy", "\nminimum\n(0, :): index 0, value 1 at (0, 0)\n(1, :): index 2, value 8 at"
                                       " (1, 2)\nmaximum\n(0, :): index 1, value 7 at (0, 1)\n(1, :): index 0, value");
    expect_output("--both --json -a 1 x.npy", "{\n  \"operator\": \"argminmax\",");
    expect_output("--both --json -a 1 x.npy", "  \"minimum\": {\n    \"index\": [0, 2],\n    \"value\": [1, 8],\n"
                                              "    \"winner\": {}\n  },\n  \"maximum\": {\n    \"index\": [1, 0],\n"
                                              "    \"value\": [7, 9],\n    \"winner\": {}\n  }\n}\n");
    expect_output("--both --explain x.npy", "-DBOTH=");
}
END_TEST

START_TEST(usage) {
    expect_error("--both --min no.npy", 2, "--min: with --both, which has the minimum, expected one of the two");
    expect_error("--both --plot p.png no.npy", 2, "--plot: with --both, expected one extremum to draw: the maximum");
    expect_entries(0);
}
END_TEST

START_TEST(empty_results) {
    write_native_npy("x.npy", "f4", "(0, 3)", "", 0);
    expect_silence("--both -a 1 -o i.npy x.npy");
    expect_npy("i.npy", "i8", "(2, 0, 1)", "", 0);
    expect_output("--both -a 1 x.npy", "\n0 points\n");
    expect_output("--both -a 1 --json x.npy", "\"maximum\": {\n    \"index\": [],");
    write_native_npy("y.npy", "u1", "(1, 1, 1, 1, 1, 1, 1, 3)", "bca", 3); /* results of rank 9 */
    expect_silence("--both -a 7 -o i.npy --values v.npy y.npy");
    expect_npy("v.npy", "u1", "(2, 1, 1, 1, 1, 1, 1, 1, 1)", "ac", 2);
}
END_TEST

/* (30, 20, 50) of each type, whatever its bytes mean, NaNs included. */
static const struct {
    const char *code;
    size_t size;
} types[] = {{"f4", 4}, {"i1", 1}, {"i8", 8}, {"f2", 2}};

START_TEST(same_as_two_runs) {
    static uint8_t data[30000 * 8], mask[30 * 50];
    static const char *const lists[] = {"0", "1", "2", "0,2", "0,1,2"};
    unsigned random = (unsigned)_i + 1;
    for (size_t i = 0; i < sizeof data; ++i) {
        random = random * 1103515245 + 12345;
        data[i] = (uint8_t)(random >> 16);
        if (i < sizeof mask)
            mask[i] = random >> 28 == 0;
    }
    write_native_npy("x.npy", types[_i].code, "(30, 20, 50)", data, 30000 * types[_i].size);
    write_native_npy("m.npy", "b1", "(30, 1, 50)", mask, sizeof mask);
    for (size_t i = 0; i < 3; ++i) {
        char words[200];
        const char *const list = lists[(i + 3 * (size_t)_i) % (sizeof lists / sizeof lists[0])];
        /* In the small limit, results that are many lie in files, and reductions are cut. */
        (void)snprintf(words, sizeof words, "%s%s--memory-limit %s -a %s x.npy", i % 2 ? "--mask m.npy " : "",
                       i % 3 ? "--last --nan ignore " : "", (i + (size_t)_i) % 2 ? "20K" : "1G", list);
        expect_two_runs(words);
    }
}
END_TEST

#ifdef ARGMAX_CL_HAVE_NETCDF
/* ---- NetCDF ---------------------------------------------------------------------------------------------------- */

START_TEST(real_data) {
    char words[600];
    for (int small = 0; small < 2; ++small) {
        (void)snprintf(words, sizeof words, "--memory-limit %s -a time %s:surface_temperature", small ? "1100K" : "1G",
                       ARGMAX_CL_EXAMPLE_DATA "/ostia_monthly.nc");
        expect_two_runs(words);
    }
}
END_TEST

/* A scale below 0: the stored maximum means the minimum. */
START_TEST(negative_scale) {
    static const short data[6] = {1, 2, 3, 7, 9, 8};
    const double scale = -0.5;
    const short mark = 9;
    int file, dimensions[2], variable;
    GOOD(nc_create("x.nc", NC_NETCDF4, &file));
    GOOD(nc_def_dim(file, "row", 2, &dimensions[0]));
    GOOD(nc_def_dim(file, "column", 3, &dimensions[1]));
    GOOD(nc_def_var(file, "v", NC_SHORT, 2, dimensions, &variable));
    GOOD(nc_put_att_double(file, variable, "scale_factor", NC_DOUBLE, 1, &scale));
    GOOD(nc_put_att_short(file, variable, "_FillValue", NC_SHORT, 1, &mark));
    GOOD(nc_put_var_short(file, variable, data));
    GOOD(nc_close(file));
    expect_two_runs("-a 1 x.nc");
    expect_two_runs("-a 0 --memory-limit 300 x.nc");
    expect_silence("--both -a 1 --squeeze -o i.npy --values v.npy x.nc");
    expect_npy("i.npy", "i8", "(2, 2)", (const int64_t[]){2, 2, 0, 0}, 32);
    expect_npy("v.npy", "f8", "(2, 2)", (const double[]){-1.5, -4, -0.5, -3.5}, 32);
    expect_output("--both x.nc", "\nminimum\nindex 5, value -4 at (1, 2)\nmaximum\nindex 0, value -0.5 at (0, 0)\n");
}
END_TEST

START_TEST(writes_netcdf) {
    char words[600];
    (void)snprintf(words, sizeof words, "--both -a time -o o.nc --values v.nc %s",
                   ARGMAX_CL_EXAMPLE_DATA "/ostia_monthly.nc");
    expect_silence(words);
    expect_output("--min o.nc:surface_temperature_min", "value 289.15234 K at (0, 333): latitude = -4.9999924, lon");
    expect_output("v.nc:surface_temperature_max", "value 304.35043 K at (17, 119): latitude = 4.4444504, longitude =");
    expect_output("--json o.nc:surface_temperature_argmin", "\"missing\": 2055,");
    expect_output("--json o.nc:surface_temperature_argmax_time", "\"missing\": 2055,");
    expect_output("--json o.nc:surface_temperature_argmin_time", "\"missing\": 2055,");
    expect_error("v.nc:none", 1, "variables: latitude, longitude, surface_temperature_min, surface_temperature_max");
}
END_TEST
#endif

int main(void) {
    use_program(ARGMAX_CL_PROGRAM);
    const listed_test tests[] = {
        ONCE(known_answers), ONCE(usage),          ONCE(empty_results), EACH(same_as_two_runs, types),
#ifdef ARGMAX_CL_HAVE_NETCDF
        ONCE(real_data),     ONCE(negative_scale), ONCE(writes_netcdf),
#endif
    };
    return run_tests("argmax-cl --both", tests, sizeof tests / sizeof tests[0], enter_folder, leave_folder);
}
