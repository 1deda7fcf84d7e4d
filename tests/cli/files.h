/* The folder that a test works in, and files in it. All functions fail the test when they cannot do it. */
#ifndef ARGMAX_CL_TESTS_CLI_FILES_H
#define ARGMAX_CL_TESTS_CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Fixture: a new folder to work in; and its removal. */
void enter_folder(void);
void leave_folder(void);

/* The folder has so many entries. */
void expect_entries(int expected);
/* The file has these bytes. */
void expect_file(const char *path, const void *bytes, size_t size);
/* The file is an .npy file of this type ("f4"), native byte order, C order, shape and data, to the last byte. */
void expect_npy(const char *path, const char *code, const char *shape, const void *data, size_t size);

void write_file(const char *path, const void *bytes, size_t size);
/* An .npy file of version 1 with the dictionary, padded to 128 bytes in all as NumPy does. */
void write_npy(const char *path, const char *dictionary, const void *data, size_t size);
/* The same of a type ("f4") in native byte order and C order. */
void write_native_npy(const char *path, const char *code, const char *shape, const void *data, size_t size);

/* '<' or '>': this machine's byte order, and the other one. */
char native_order(void);
char foreign_order(void);
/* A small number (0 to 5) as an element of the type ("f4"), in native or foreign byte order. */
void store(const char *code, int number, bool foreign, void *element);

#endif
