/* argmax-cl --mask: against a plain loop, for shapes that broadcast, both orders and blocks that cut reductions. */
#include "cli_process.h"
#include "unit.h"

#include <stdint.h>

#ifdef ARGMAX_CL_HAVE_NETCDF
#include <netcdf.h>
#define GOOD(call) ck_assert_int_eq((call), NC_NOERR)
#endif

/* ---- Known answers --------------------------------------------------------------------------------------------- */

static void write_example(void) {
    const float data[6] = {1, 7, 3, 9, 8, 7};
    write_native_npy("x.npy", "f4", "(2, 3)", data, sizeof data);
}

START_TEST(known_answers) {
    write_example();
    write_native_npy("m.npy", "b1", "(2, 3)", "\1\0\1\0\0\0", 6);
    expect_silence("--mask m.npy -a 1 -o i.npy --values v.npy x.npy");
    expect_npy("i.npy", "i8", "(2, 1)", (const int64_t[]){2, -1}, 16);
    expect_output("--mask m.npy -a 1 x.npy", "\nmask    m.npy: 4 of 6 elements, left out\n");
    expect_output("--mask m.npy -a 1 x.npy", "\n(0, :): index 2, value 3 at (0, 2)\n(1, :): no winner\n");
    expect_output("--mask m.npy --min x.npy", "\nindex 0, value 1 at (0, 0)\n");
    expect_output("--mask m.npy -a 0 --json x.npy", "\"mask\": \"m.npy\",\n  \"masked\": 4,");
    expect_output("--mask m.npy -a 0 --json x.npy", "\"index\": [0, null, 0],\n  \"value\": [1, null, 3],");
    expect_output("--mask m.npy --explain x.npy", "-DMASK=");
}
END_TEST

/* Bytes that are not 0 count, whatever they are; an axis of size 1 and one that is lacking repeat. */
START_TEST(known_broadcasts) {
    write_example();
    write_native_npy("m.npy", "i1", "(3,)", "\0\xff\2", 3);
    expect_output("--mask m.npy -a 1 x.npy", "\n(0, :): index 1, value 7 at (0, 1)\n(1, :): index 1, value 8 at");
    expect_output("--mask m.npy -a 1 x.npy", "\nmask    m.npy: 2 of 6 elements, left out\n");
    write_native_npy("m.npy", "u1", "(2, 1)", "\1\0", 2);
    expect_output("--mask m.npy x.npy", "\nindex 1, value 7 at (0, 1)\n");
    write_native_npy("m.npy", "b1", "(1,)", "\0", 1);
    expect_output("--mask m.npy x.npy", "\nno winner\n");
}
END_TEST

/* A NaN that is left out does not propagate. */
START_TEST(nans_and_numbers) {
    const uint32_t data[3] = {0x3f800000, 0x7fc00000, 0x40000000}; /* 1, NaN, 2 */
    write_native_npy("x.npy", "f4", "(3,)", data, sizeof data);
    write_native_npy("m.npy", "b1", "(3,)", "\1\0\1", 3);
    expect_output("x.npy", "index 1, value nan");
    expect_output("--mask m.npy x.npy", "index 2, value 2 at");
}
END_TEST

/* ---- What is refused: one line, and no files ------------------------------------------------------------------- */

static const struct {
    const char *code, *shape;
    size_t bytes; /* of data */
    const char *says;
} wrong[] = {
    {"f4", "(2, 3)", 24, "m.npy: a mask of float32, expected bool, uint8 or int8"},
    {"i2", "(2, 3)", 12, "m.npy: a mask of int16, expected bool, uint8 or int8"},
    {"b1", "(2,)", 2, "m.npy: a mask of shape (2,), expected one that broadcasts to (2, 3) of x.npy: the same sizes"},
    {"b1", "(3, 2)", 6, "m.npy: a mask of shape (3, 2), expected one that broadcasts to (2, 3) of x.npy"},
    {"b1", "(1, 2, 3)", 6, "m.npy: a mask of shape (1, 2, 3), expected one that broadcasts to (2, 3) of x.npy"},
    {"b1", "(0, 3)", 0, "m.npy: a mask of shape (0, 3), expected one that broadcasts to (2, 3) of x.npy"},
    {"b1", "(2, 3)", 5, "m.npy: 5 bytes of data, expected 6 for shape (2, 3) of bool"},
    {"b1", "(2000000000, 2000000000, 3)", 6, "m.npy: shape (2000000000, 2000000000, 3) of bool, expected one of less"},
    {"b1", "()", 1, "m.npy: an array of rank 0, expected rank 1 to 8"},
    {"b1", "(2, 3", 6, "m.npy: header has"},
    {"zz", "(2, 3)", 6, "m.npy: elements of type "},
};

START_TEST(refuses_wrong_masks) {
    char data[24] = {0};
    write_example();
    write_native_npy("m.npy", wrong[_i].code, wrong[_i].shape, data, wrong[_i].bytes);
    expect_error("--mask m.npy -o i.npy x.npy", 1, wrong[_i].says);
    expect_entries(2);
}
END_TEST

START_TEST(refuses_what_is_no_mask) {
    write_example();
    write_file("text.npy", "hello, world", 12);
    write_native_npy("m.npy", "b1", "(3,)", "\1\1\1", 3);
    expect_error("--mask none.npy -o i.npy x.npy", 1, "none.npy: No such file or directory, expected file.npy");
    expect_error("--mask text.npy -o i.npy x.npy", 1, "text.npy: begins with the bytes 68 65 6c 6c, expected an .npy");
    expect_error("--mask . -o i.npy x.npy", 1, ".: not a regular file");
    expect_error("--mask m.npy -o m.npy x.npy", 1, "m.npy: the --mask file, expected another one to write");
    expect_error("--mask= x.npy", 2, "--mask: an empty name, expected file.npy or file.nc:variable");
    expect_error("--mask - -", 2, "--mask: -, which is INPUT as well, expected another file");
    expect_entries(3);
    write_native_npy("m.npy", "b1", "(3,)", "\1\1\1and more", 11);
    expect_output("--mask m.npy x.npy", "\nm.npy: note: 8 bytes after the array are not used\n");
}
END_TEST

/* Its bytes count, and all are read before anything is computed. */
START_TEST(memory_for_the_mask) {
    static uint8_t data[100000];
    write_native_npy("x.npy", "u1", "(1000, 100)", data, sizeof data);
    write_native_npy("m.npy", "b1", "(1000, 100)", data, sizeof data);
    expect_error("--memory-limit 90K --mask m.npy -a 0 -o i.npy x.npy", 1,
                 "m.npy: a mask of 100000 bytes, expected less than the 92160 bytes of memory: see --memory-limit");
    expect_error("--memory-limit 100001 --mask m.npy -a 0 -o i.npy x.npy", 1,
                 "x.npy: 100001 bytes of memory, expected 100");
    expect_silence("--memory-limit 110K --mask m.npy -a 0 -o i.npy x.npy");
}
END_TEST

/* ---- Against a plain loop -------------------------------------------------------------------------------------- */

enum { RANK = 3, COUNT = 12 * 5 * 40 };
static const size_t sizes[RANK] = {12, 5, 40};

static size_t offset_of(const size_t *shape, const size_t *position, bool fortran) {
    size_t offset = 0;
    for (size_t i = 0; i < RANK; ++i) {
        const size_t axis = fortran ? RANK - 1 - i : i;
        offset = offset * shape[axis] + (shape[axis] == 1 ? 0 : position[axis]);
    }
    return offset;
}

static void write_ordered(const char *path, const char *code, const char *shape, bool fortran, const void *data,
                          size_t size) {
    char header[200];
    (void)snprintf(header, sizeof header, "{'descr': '%c%s', 'fortran_order': %s, 'shape': %s, }",
                   code[1] == '1' ? '|' : native_order(), code, fortran ? "True" : "False", shape);
    write_npy(path, header, data, size);
}

static const struct {
    const char *shape; /* as it is in the file */
    size_t sizes[RANK];
} shapes[] = {
    {"(12, 5, 40)", {12, 5, 40}}, {"(5, 40)", {1, 5, 40}}, {"(40,)", {1, 1, 40}},
    {"(12, 1, 1)", {12, 1, 1}},   {"(5, 1)", {1, 5, 1}},   {"(12, 1, 40)", {12, 1, 40}},
};

/* Axes as bits, and as the program has them. */
static const struct {
    unsigned bits;
    const char *list;
} reductions[] = {{1, "0"}, {2, "1"}, {4, "2"}, {5, "0,2"}, {7, "0,1,2"}};

static void by_plain_loop(const int16_t *data, const uint8_t *mask, const size_t *mask_sizes, const bool fortran[2],
                          unsigned bits, bool minimum, int64_t *index) {
    int best[COUNT];
    for (size_t i = 0; i < COUNT; ++i)
        index[i] = -1;
    for (size_t i = 0; i < COUNT; ++i) {
        const size_t position[RANK] = {i / 200, i / 40 % 5, i % 40};
        size_t point = 0, within = 0;
        for (size_t axis = 0; axis < RANK; ++axis) {
            size_t *const to = bits >> axis & 1 ? &within : &point;
            *to = *to * sizes[axis] + position[axis];
        }
        const int element = data[offset_of(sizes, position, fortran[0])];
        if (mask[offset_of(mask_sizes, position, fortran[1])] &&
            (index[point] < 0 || (minimum ? element < best[point] : element > best[point]))) {
            index[point] = (int64_t)within;
            best[point] = element;
        }
    }
}

START_TEST(same_as_a_plain_loop) {
    int16_t data[COUNT];
    uint8_t mask[COUNT];
    int64_t index[COUNT];
    unsigned random = 1;
    for (size_t i = 0; i < COUNT; ++i) {
        random = random * 1103515245 + 12345;
        data[i] = (int16_t)(random >> 16 & 63);
        mask[i] = (random >> 24 & 3) == 0;
    }
    const size_t *mask_sizes = shapes[_i].sizes;
    const size_t mask_count = mask_sizes[0] * mask_sizes[1] * mask_sizes[2];
    for (int order = _i % 2; order < 4; order += 2) { /* of INPUT and of the mask */
        const bool fortran[2] = {order & 1, order & 2};
        write_ordered("x.npy", "i2", "(12, 5, 40)", fortran[0], data, sizeof data);
        write_ordered("m.npy", "u1", shapes[_i].shape, fortran[1], mask, mask_count);
        for (size_t r = 0; r < sizeof reductions / sizeof reductions[0]; ++r) {
            const bool small = (r + (size_t)order / 2) % 2; /* then reductions are cut */
            char words[200], shape[40];
            const bool minimum = (r / 2 + (size_t)_i) % 2;
            size_t kept[RANK];
            for (size_t axis = 0; axis < RANK; ++axis)
                kept[axis] = reductions[r].bits >> axis & 1 ? 1 : sizes[axis];
            by_plain_loop(data, mask, mask_sizes, fortran, reductions[r].bits, minimum, index);
            (void)snprintf(words, sizeof words, "%s --memory-limit %zu --mask m.npy -a %s -o i.npy x.npy",
                           minimum ? "--min" : "", small ? mask_count + 2000 : (size_t)COUNT * 100, reductions[r].list);
            (void)snprintf(shape, sizeof shape, "(%zu, %zu, %zu)", kept[0], kept[1], kept[2]);
            expect_silence(words);
            expect_npy("i.npy", "i8", shape, index, 8 * kept[0] * kept[1] * kept[2]);
        }
    }
}
END_TEST

#ifdef ARGMAX_CL_HAVE_NETCDF
/* ---- With elements that the file calls missing ----------------------------------------------------------------- */

/* x.nc: "v" (4, 3) in which 9 is missing, its mask "m" (3), and "packed" (3). */
static void write_netcdf(void) {
    static const short data[12] = {1, 2, 3, 9, 5, 6, 7, 9, 2, 4, 3, 9};
    const short mark = 9;
    const double scale = 2;
    int file, dimensions[2], v, m, packed;
    GOOD(nc_create("x.nc", NC_NETCDF4, &file));
    GOOD(nc_def_dim(file, "row", 4, &dimensions[0]));
    GOOD(nc_def_dim(file, "column", 3, &dimensions[1]));
    GOOD(nc_def_var(file, "v", NC_SHORT, 2, dimensions, &v));
    GOOD(nc_put_att_short(file, v, "_FillValue", NC_SHORT, 1, &mark));
    GOOD(nc_def_var(file, "m", NC_BYTE, 1, &dimensions[1], &m));
    GOOD(nc_def_var(file, "packed", NC_UBYTE, 1, &dimensions[1], &packed));
    GOOD(nc_put_att_double(file, packed, "scale_factor", NC_DOUBLE, 1, &scale));
    GOOD(nc_put_var_short(file, v, data));
    GOOD(nc_put_var_schar(file, m, (const signed char[]){1, 1, 0}));
    GOOD(nc_put_var_uchar(file, packed, (const unsigned char[]){1, 1, 0}));
    GOOD(nc_close(file));
}

/* Rows with and without missing elements, in one block and in blocks of a row. */
START_TEST(missing_and_masked) {
    static const char *const limits[] = {"1M", "200"};
    write_netcdf();
    for (int i = 0; i < 2; ++i) {
        char words[100];
        (void)snprintf(words, sizeof words, "--memory-limit %s --mask x.nc:m -a 1 -o i.npy --values v.npy x.nc:v",
                       limits[i]);
        expect_silence(words);
        expect_npy("i.npy", "i8", "(4, 1)", (const int64_t[]){1, 1, 0, 0}, 32);
        expect_npy("v.npy", "i2", "(4, 1)", (const int16_t[]){2, 5, 7, 4}, 8);
        (void)snprintf(words, sizeof words, "--memory-limit %s --mask x.nc:m -a 0 -o i.npy --values v.npy x.nc:v",
                       limits[i]);
        expect_silence(words);
        expect_npy("i.npy", "i8", "(1, 3)", (const int64_t[]){2, 1, -1}, 24);
        expect_npy("v.npy", "i2", "(1, 3)", (const int16_t[]){7, 5, 9}, 6);
        (void)snprintf(words, sizeof words, "--memory-limit %s --fill keep --mask x.nc:m -o i.npy x.nc:v", limits[i]);
        expect_silence(words);
        expect_npy("i.npy", "i8", "(1, 1)", (const int64_t[]){3}, 8);
    }
    expect_output("--mask x.nc:m -a 1 x.nc:v",
                  "\nmissing 3 of 12 elements, left out\nmask    x.nc:m: 4 of 12 elements,");
    expect_error("--mask x.nc:packed x.nc:v", 1, "x.nc:packed: a mask with scale_factor or add_offset, expected plain");
    expect_error("--mask x.nc:v x.nc:v", 1, "x.nc:v: a mask of int16, expected bool, uint8 or int8");
}
END_TEST
#endif

int main(void) {
    use_program(ARGMAX_CL_PROGRAM);
    const listed_test tests[] = {
        ONCE(known_answers),
        ONCE(known_broadcasts),
        ONCE(nans_and_numbers),
        EACH(refuses_wrong_masks, wrong),
        ONCE(refuses_what_is_no_mask),
        ONCE(memory_for_the_mask),
        EACH(same_as_a_plain_loop, shapes),
#ifdef ARGMAX_CL_HAVE_NETCDF
        ONCE(missing_and_masked),
#endif
    };
    return run_tests("argmax-cl --mask", tests, sizeof tests / sizeof tests[0], enter_folder, leave_folder);
}
