/* The .npy reader and writer: what they accept, and what they say of what they refuse. No device is needed. */
#include "unit.h"
#include <npy.h>
#include <npy_types.h>

#include <fcntl.h>
#include <unistd.h>

/* A file in memory: header of a version around a dictionary, then data. */
typedef struct file_image {
    uint8_t bytes[1024];
    size_t length;
} file_image;

static void put(file_image *f, const void *bytes, size_t length) {
    ck_assert_uint_le(f->length + length, sizeof f->bytes);
    memcpy(f->bytes + f->length, bytes, length);
    f->length += length;
}

static file_image image(uint8_t version, const char *dictionary) {
    file_image f = {{0}, 0};
    const size_t length = strlen(dictionary);
    const uint8_t start[12] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', version, 0, (uint8_t)(length & 0xff), (uint8_t)(length >> 8)};
    put(&f, start, version == 1 ? 10 : 12);
    put(&f, dictionary, length);
    return f;
}

/* What a header was read as. */
typedef struct parsed {
    bool good;
    array a;
    size_t offset;
    bool swapped;
    message m;
} parsed;

/* Parse from memory of exactly that length, so that a sanitizer sees every byte read beyond it. */
static parsed parse(const uint8_t *bytes, size_t length) {
    parsed h = {0};
    uint8_t *exact = malloc(length ? length : 1);
    ck_assert_ptr_nonnull(exact);
    memcpy(exact, bytes, length);
    h.good = npy_parse(exact, length, "x.npy", &h.a, &h.offset, &h.swapped, &h.m);
    free(exact);
    return h;
}

static void expect_refusal(const uint8_t *bytes, size_t length, const char *label, const char *says) {
    const parsed h = parse(bytes, length);
    ck_assert_msg(!h.good, "accepted: %s", label);
    ck_assert_msg(strstr(h.m.text, says), "%s: said \"%s\", expected \"%s\"", label, h.m.text, says);
    ck_assert_msg(strncmp(h.m.text, "x.npy: ", 7) == 0, "no file name in: %s", h.m.text);
}

#define WITH_SHAPE(shape) "{'descr': '<f4', 'fortran_order': False, 'shape': " shape "}"
#define WITH_TYPE(type) "{'descr': " type ", 'fortran_order': False, 'shape': (3,)}"

static const struct {
    const char *dictionary;
    argmax_cl_dtype dtype;
    bool boolean, fortran_order;
    uint32_t rank;
    uint64_t sizes[8];
    uint64_t bytes;
} accepted[] = {
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n", ARGMAX_CL_FLOAT32, 0, 0, 2, {3, 4}, 48},
    {"{'descr': '<f2', 'fortran_order': True, 'shape': (5,)}", ARGMAX_CL_FLOAT16, 0, 1, 1, {5}, 10},
    {"{\"shape\":(2,3,4),\"fortran_order\":True,\"descr\":\">f8\"}", ARGMAX_CL_FLOAT64, 0, 1, 3, {2, 3, 4}, 192},
    {" { 'descr' : '|i1' , 'shape' : ( 1 , 2 , ) , 'fortran_order' : False } \n ", ARGMAX_CL_INT8, 0, 0, 2, {1, 2}, 2},
    {"{'descr': '<i1', 'fortran_order': False, 'shape': (0, 9)}", ARGMAX_CL_INT8, 0, 0, 2, {0, 9}, 0},
    {"{'descr': '>i2', 'fortran_order': False, 'shape': (10L, 2L)}", ARGMAX_CL_INT16, 0, 0, 2, {10, 2}, 40},
    {WITH_SHAPE("(1,1,1,1,1,1,1,1)"), ARGMAX_CL_FLOAT32, 0, 0, 8, {1, 1, 1, 1, 1, 1, 1, 1}, 4},
    {"{'descr': '<i4', 'fortran_order': False, 'shape': (7,)}", ARGMAX_CL_INT32, 0, 0, 1, {7}, 28},
    {"{'descr': '<i8', 'fortran_order': False, 'shape': (7,)}", ARGMAX_CL_INT64, 0, 0, 1, {7}, 56},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (7,)}", ARGMAX_CL_UINT8, 0, 0, 1, {7}, 7},
    {"{'descr': '<u2', 'fortran_order': False, 'shape': (7,)}", ARGMAX_CL_UINT16, 0, 0, 1, {7}, 14},
    {"{'descr': '>u4', 'fortran_order': False, 'shape': (7,)}", ARGMAX_CL_UINT32, 0, 0, 1, {7}, 28},
    {"{'descr': '<u8', 'fortran_order': False, 'shape': (7,)}", ARGMAX_CL_UINT64, 0, 0, 1, {7}, 56},
    {"{'descr': '|b1', 'fortran_order': False, 'shape': (7,)}", ARGMAX_CL_UINT8, 1, 0, 1, {7}, 7},
};

START_TEST(accepts) {
    for (uint8_t version = 1; version <= 3; ++version) {
        const char *const dictionary = accepted[_i].dictionary;
        const file_image f = image(version, dictionary);
        const parsed h = parse(f.bytes, f.length);
        ck_assert_msg(h.good, "%s: %s", dictionary, h.m.text);
        ck_assert_int_eq(h.a.dtype, accepted[_i].dtype);
        ck_assert_int_eq(h.a.boolean, accepted[_i].boolean);
        ck_assert_int_eq(h.a.fortran_order, accepted[_i].fortran_order);
        ck_assert_uint_eq(h.a.rank, accepted[_i].rank);
        ck_assert_mem_eq(h.a.sizes, accepted[_i].sizes, h.a.rank * sizeof h.a.sizes[0]);
        ck_assert_uint_eq(h.a.bytes, accepted[_i].bytes);
        ck_assert_uint_eq(h.offset, f.length);
        ck_assert_int_eq(h.swapped, strchr(dictionary, npy_native_order() == '<' ? '>' : '<') != NULL);
        /* Every beginning of a good file is refused: nothing is taken from beyond the end. */
        for (size_t length = 0; length < f.length; ++length) {
            const parsed cut = parse(f.bytes, length);
            ck_assert_msg(!cut.good && cut.m.text[0], "%zu bytes of %s accepted", length, dictionary);
        }
    }
}
END_TEST

#if SIZE_MAX > UINT32_MAX
#define TOO_LARGE "less than 2^63 bytes"
#else
#define TOO_LARGE "less than 2^32 bytes"
#endif

/* Dictionaries that are refused, and a part of what is said. */
static const struct {
    const char *dictionary, *says;
} refused[] = {
    {"", "expected a dictionary"},
    {"None", "\"None\", expected a dictionary"},
    {"{", "expected 'descr', 'fortran_order' or 'shape'"},
    {"{}", "without 'descr'"},
    {"{'descr': '<f4', 'shape': (3,)}", "without 'fortran_order'"},
    {"{'descr': '<f4', 'fortran_order': False}", "without 'shape'"},
    {WITH_SHAPE("(3,)") "x", "\"x\", expected nothing after the closing }"},
    {"{'descr': '<f4' 'fortran_order': False, 'shape': (3,)}", "expected a comma or }"},
    {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", "'descr' twice"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'more': 1}", "the key 'more'"},
    {"{'descr' '<f4'}", "expected a colon"},
    {"{descr: '<f4'}", "\"descr: '<f4'}\", expected 'descr'"},
    {"{'fortran_order': 0, ", "\"0, \", expected True or False"},
    {WITH_TYPE("[('a', '<f4')]"), "expected a type in quotes"},
    {WITH_TYPE("'<f4"), "type '<f4, '"},
    {WITH_TYPE("'\\x3cf4'"), "expected a type in quotes"},
    {WITH_TYPE("'<c8'"), "type '<c8', expected < or > and one of f2"},
    {WITH_TYPE("'<U5'"), "type '<U5'"},
    {WITH_TYPE("'|O'"), "type '|O'"},
    {WITH_TYPE("'<M8[ns]'"), "type '<M8[ns]'"},
    {WITH_TYPE("'|f4'"), "type '|f4'"},
    {WITH_TYPE("'=f4'"), "type '=f4'"},
    {WITH_TYPE("'f4'"), "type 'f4'"},
    {WITH_TYPE("'<f16'"), "type '<f16'"},
    {WITH_TYPE("''"), "type ''"},
    {WITH_SHAPE("()"), "rank 0, expected rank 1 to 8"},
    {WITH_SHAPE("(1,1,1,1,1,1,1,1,1)"), "rank 9, expected rank 1 to 8"},
    {WITH_SHAPE("(3)"), "expected a comma after the single size"},
    {WITH_SHAPE("3"), "expected a shape in parentheses"},
    {WITH_SHAPE("[3]"), "expected a shape in parentheses"},
    {WITH_SHAPE("(-1,)"), "\"-1,)}\", expected a size of 0 or more"},
    {WITH_SHAPE("(3 4)"), "expected a comma or )"},
    {WITH_SHAPE("(3,,4)"), "expected a size of 0 or more"},
    {WITH_SHAPE("(,)"), "expected a size of 0 or more"},
    {WITH_SHAPE("(1.5,)"), "expected a comma or )"},
    {WITH_SHAPE("(3,4"), "expected a comma or )"},
    {WITH_SHAPE("(9223372036854775808,)"), "expected sizes below 2^63"},
    {WITH_SHAPE("(99999999999999999999999999999,)"), "expected sizes below 2^63"},
    {WITH_SHAPE("(9223372036854775807,)"), TOO_LARGE},
    {WITH_SHAPE("(4294967296, 4294967296)"), TOO_LARGE},
    {WITH_SHAPE("(2305843009213693952,)"), TOO_LARGE},
    {WITH_SHAPE("(0, 4294967296, 4294967296)"), TOO_LARGE},
};

START_TEST(refuses) {
    for (uint8_t version = 1; version <= 3; ++version) {
        const file_image f = image(version, refused[_i].dictionary);
        expect_refusal(f.bytes, f.length, refused[_i].dictionary, refused[_i].says);
    }
}
END_TEST

/* One byte of a good file's start changed, and what is said then. */
static const struct {
    size_t at;
    uint8_t byte;
    const char *says;
} changed[] = {
    {0, 0x92, "expected an .npy file"},
    {5, 'y', "expected an .npy file"},
    {6, 0, "version 0.0, expected 1.0, 2.0 or 3.0"},
    {6, 4, "version 4.0"},
    {7, 1, "version 2.1"},
    {8, 0xff, "bytes into its header, expected 255 bytes"},
    {10, 1, "a header of 65595 bytes, expected at most 65535"},
    {11, 0xff, "a header of 4278190139 bytes"},
};

START_TEST(refuses_changed_start) {
    file_image f = image(2, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }");
    f.bytes[changed[_i].at] = changed[_i].byte;
    expect_refusal(f.bytes, f.length, "changed", changed[_i].says);
}
END_TEST

/* Headers a random change away from a good one: refused or accepted, they are read within bounds. */
START_TEST(survives_random_changes) {
    const file_image good = image(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (30, 4, 17), }\n");
    uint32_t state = 12345;
    for (int round = 0; round < 20000; ++round) {
        file_image f = good;
        for (int change = 0; change < 1 + round % 4; ++change) {
            state = state * 1664525u + 1013904223u;
            f.bytes[8 + (state >> 8) % (f.length - 8)] = (uint8_t)(state >> 24);
        }
        const parsed h = parse(f.bytes, f.length - (size_t)(round % 3));
        ck_assert(h.good ? h.offset <= f.length && h.a.rank >= 1 && h.a.rank <= 8 : h.m.text[0] != 0);
    }
}
END_TEST

/* Write the image to a file, read the array back through it. */
static bool read_image(const file_image *f, reader *s, void *data, message *m) {
    char path[] = "/tmp/argmax-cl-test-XXXXXX";
    const int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(write(file, f->bytes, f->length), (ssize_t)f->length);
    *s = (reader){0};
    m->text[0] = 0;
    if (!npy_open(file, "x.npy", s, m))
        return false;
    const box whole = box_whole(&s->a);
    return s->read(s, &whole, data, m);
}

START_TEST(reads_either_byte_order) {
    const uint8_t little[] = {1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff}, big[] = {0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe};
    file_image files[2] = {image(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }"),
                           image(1, "{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }")};
    put(&files[0], little, sizeof little);
    put(&files[1], big, sizeof big);
    for (size_t i = 0; i < 2; ++i) {
        reader s;
        message m;
        int32_t read[2];
        ck_assert_msg(read_image(&files[i], &s, read, &m), "%s", m.text);
        ck_assert_int_eq(read[0], 1);
        ck_assert_int_eq(read[1], -2);
        reader_close(&s);
    }
}
END_TEST

START_TEST(tells_missing_and_extra_data) {
    const uint8_t data[50] = {0};
    for (size_t length = 0; length <= sizeof data; ++length) {
        file_image f = image(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }");
        char says[80];
        reader s;
        message m;
        float read[12];
        put(&f, data, length);
        const bool good = read_image(&f, &s, read, &m);
        ck_assert_int_eq(good, length >= 48);
        (void)snprintf(says, sizeof says, "%zu bytes of data, expected 48 for shape (3, 4) of float32", length);
        ck_assert_msg(good || strstr(m.text, says), "said \"%s\", expected \"%s\"", m.text, says);
        ck_assert_str_eq(s.a.notes, length == 49   ? "note: 1 bytes after the array are not used\n"
                                    : length == 50 ? "note: 2 bytes after the array are not used\n"
                                                   : "");
        reader_close(&s);
    }
}
END_TEST

/* A few bytes of file must not make the reader ask for a huge array. */
START_TEST(small_file_of_huge_shape) {
    const file_image f = image(1, WITH_SHAPE("(1000000000000000,)"));
    reader s;
    message m;
    ck_assert(!read_image(&f, &s, NULL, &m));
    const char *const says = SIZE_MAX > UINT32_MAX
                                 ? "0 bytes of data, expected 4000000000000000 for shape (1000000000000000,)"
                                 : "shape (1000000000000000,) of float32, expected one of less than 2^32 bytes";
    ck_assert_msg(strstr(m.text, says), "%s", m.text);
    reader_close(&s);
}
END_TEST

/* Any box of either order of axes has the elements that lie there. */
START_TEST(reads_boxes) {
    static const char *const orders[] = {"False", "True"};
    static const box boxes[] = {{{0, 0, 0}, {3, 4, 5}}, {{1, 0, 0}, {2, 4, 5}}, {{0, 1, 2}, {3, 2, 3}},
                                {{2, 3, 4}, {1, 1, 1}}, {{0, 0, 1}, {3, 4, 1}}, {{0, 2, 0}, {3, 1, 5}},
                                {{1, 1, 1}, {0, 2, 2}}};
    for (int fortran = 0; fortran < 2; ++fortran) {
        char dictionary[100];
        uint8_t data[60], read[60];
        reader s;
        message m;
        (void)snprintf(dictionary, sizeof dictionary, "{'descr': '|u1', 'fortran_order': %s, 'shape': (3, 4, 5), }",
                       orders[fortran]);
        file_image f = image(1, dictionary);
        for (uint8_t i = 0; i < 60; ++i)
            data[i] = i;
        put(&f, data, sizeof data);
        ck_assert_msg(read_image(&f, &s, read, &m), "%s", m.text);
        for (size_t k = 0; k < sizeof boxes / sizeof boxes[0]; ++k) {
            const box *b = &boxes[k];
            ck_assert(s.read(&s, b, read, &m));
            for (uint64_t i = 0; i < box_count(b, 3); ++i) {
                const uint64_t *n = b->size;
                const uint64_t at[3] = {fortran ? i % n[0] : i / n[2] / n[1], i / n[fortran ? 0 : 2] % n[1],
                                        fortran ? i / n[0] / n[1] : i % n[2]};
                const uint64_t p[3] = {b->start[0] + at[0], b->start[1] + at[1], b->start[2] + at[2]};
                ck_assert_uint_eq(read[i], fortran ? p[0] + 3 * (p[1] + 4 * p[2]) : p[2] + 5 * (p[1] + 4 * p[0]));
            }
        }
        reader_close(&s);
    }
}
END_TEST

START_TEST(reads_what_it_writes) {
    const uint64_t large = UINT64_C(1) << (SIZE_MAX > UINT32_MAX ? 30 : 3); /* an array fits the address space */
    const uint64_t sizes[8] = {UINT64_C(1) << 20, 2, 1, 1, large, 1, 1, 1};
    const argmax_cl_dtype types[] = {ARGMAX_CL_INT64, ARGMAX_CL_UINT8, ARGMAX_CL_FLOAT16};
    for (uint32_t rank = 1; rank <= 8; ++rank)
        for (size_t i = 0; i < 3; ++i) {
            uint8_t header[NPY_FORMAT_MAX];
            const size_t length = npy_format(header, types[i], i == 1, rank, sizes);
            const parsed h = parse(header, length);
            ck_assert_uint_eq(length % 64, 0);
            ck_assert_int_eq(header[length - 1], '\n');
            ck_assert_msg(h.good, "%s", h.m.text);
            ck_assert_int_eq(h.a.dtype, types[i]);
            ck_assert_int_eq(h.a.boolean, i == 1);
            ck_assert_uint_eq(h.a.rank, rank);
            ck_assert_mem_eq(h.a.sizes, sizes, rank * sizeof sizes[0]);
            ck_assert_uint_eq(h.offset, length);
            ck_assert(!h.swapped);
        }
}
END_TEST

START_TEST(writes_rank_zero) {
    uint8_t header[NPY_FORMAT_MAX + 1] = {0};
    ck_assert_uint_eq(npy_format(header, ARGMAX_CL_INT64, false, 0, NULL), 128);
    ck_assert_ptr_nonnull(strstr((const char *)header + 10, "'fortran_order': False, 'shape': (), }"));
}
END_TEST

/* The largest header there can be: eight sizes of 19 digits. */
START_TEST(longest_header_fits) {
    uint64_t sizes[8];
    uint8_t header[NPY_FORMAT_MAX];
    for (size_t i = 0; i < 8; ++i)
        sizes[i] = INT64_MAX;
    const size_t length = npy_format(header, ARGMAX_CL_FLOAT64, false, 8, sizes);
    ck_assert_uint_le(length, sizeof header);
    ck_assert_ptr_nonnull(memchr(header + 10, '}', length - 10));
}
END_TEST

TESTS_MAIN("npy", NULL, NULL, EACH(accepts, accepted), EACH(refuses, refused), EACH(refuses_changed_start, changed),
           ONCE(survives_random_changes), ONCE(reads_either_byte_order), ONCE(tells_missing_and_extra_data),
           ONCE(small_file_of_huge_shape), ONCE(reads_boxes), ONCE(reads_what_it_writes), ONCE(writes_rank_zero),
           ONCE(longest_header_fits))
