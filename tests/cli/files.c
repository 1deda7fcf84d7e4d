#include "files.h"

#include <check.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

void enter_folder(void) {
    (void)strcpy(folder, "/tmp/argmax-cl-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(mkdir(strcat(folder, "/f"), 0777), 0);
    ck_assert_int_eq(chdir(folder), 0);
    *strrchr(folder, '/') = 0;
}

void leave_folder(void) {
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(system(command), 0);
}

void expect_entries(int expected) {
    DIR *entries = opendir(".");
    int count = -2; /* . and .. */
    ck_assert_ptr_nonnull(entries);
    while (readdir(entries))
        ++count;
    (void)closedir(entries);
    ck_assert_msg(count == expected, "%d files in the folder, expected %d", count, expected);
}

void expect_file(const char *path, const void *bytes, size_t size) {
    char found[4096];
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s is missing", path);
    const size_t length = fread(found, 1, sizeof found, file);
    (void)fclose(file);
    ck_assert_msg(length == size, "%s has %zu bytes, expected %zu", path, length, size);
    ck_assert_mem_eq(found, bytes, size);
}

void expect_npy(const char *path, const char *code, const char *shape, const void *data, size_t size) {
    char whole[4096], dictionary[120];
    ck_assert_uint_le(128 + size, sizeof whole);
    (void)snprintf(dictionary, sizeof dictionary, "{'descr': '%c%s', 'fortran_order': False, 'shape': %s, }",
                   code[1] == '1' ? '|' : native_order(), code, shape);
    (void)snprintf(whole, sizeof whole, "\x93NUMPY%c%c%c%c%-117s\n", 1, 1, 118, 1, dictionary);
    whole[7] = whole[9] = 0; /* version 1.0; a header of 118 bytes */
    memcpy(whole + 128, data, size);
    expect_file(path, whole, 128 + size);
}

void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

void write_npy(const char *path, const char *dictionary, const void *data, size_t size) {
    char header[140];
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    (void)snprintf(header, sizeof header, "\x93NUMPY%c%c%c%c%-117s\n", 1, 1, 118, 1, dictionary);
    header[7] = header[9] = 0;
    ck_assert_uint_eq(fwrite(header, 1, 128, file), 128);
    ck_assert_uint_eq(fwrite(data, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

void write_native_npy(const char *path, const char *code, const char *shape, const void *data, size_t size) {
    char dictionary[100];
    (void)snprintf(dictionary, sizeof dictionary, "{'descr': '%c%s', 'fortran_order': False, 'shape': %s, }",
                   native_order(), code, shape);
    write_npy(path, dictionary, data, size);
}

char native_order(void) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one ? '<' : '>';
}

char foreign_order(void) {
    return native_order() == '<' ? '>' : '<';
}

void store(const char *code, int number, bool foreign, void *element) {
    static const uint16_t halves[6] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500};
    const size_t size = (size_t)(code[1] - '0');
    unsigned char *bytes = element;
    const float single = (float)number;
    const double wide = number;
    const uint8_t u1 = (uint8_t)number;
    const uint16_t u2 = (uint16_t)number;
    const uint32_t u4 = (uint32_t)number;
    const uint64_t u8 = (uint64_t)number;
    if (code[0] == 'f')
        memcpy(element, size == 2 ? (const void *)&halves[number] : size == 4 ? (const void *)&single : &wide, size);
    else
        memcpy(element,
               size == 1   ? (const void *)&u1
               : size == 2 ? (const void *)&u2
               : size == 4 ? (const void *)&u4
                           : &u8,
               size);
    for (size_t low = 0, high = size - 1; foreign && low < high; ++low, --high) {
        const unsigned char byte = bytes[low];
        bytes[low] = bytes[high];
        bytes[high] = byte;
    }
}
