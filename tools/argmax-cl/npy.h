/* NumPy's .npy files, versions 1 to 3. */
#ifndef ARGMAX_CL_TOOL_NPY_H
#define ARGMAX_CL_TOOL_NPY_H

#include "reader.h"

#include <stddef.h>
#include <stdint.h>

/* The longest header dictionary that is read, and with magic, version and length the bytes that npy_parse may need. */
#define NPY_DICTIONARY_MAX 65535u
#define NPY_PREFIX_MAX (12u + NPY_DICTIONARY_MAX)

/* Room for every header that npy_format writes. */
#define NPY_FORMAT_MAX 384

/* Whether a file that begins with these bytes claims to be an .npy file. */
bool npy_magic(const uint8_t *bytes, size_t length);

/* Understand a file's first bytes: up to NPY_PREFIX_MAX of them, fewer when the file is shorter. Fills type, order and
 * shape of the array (measured), *data_offset with where its elements begin, and *swapped with whether they are in
 * the other byte order. Reads nothing outside bytes; refuses whatever it does not know. */
bool npy_parse(const uint8_t *bytes, size_t length, const char *name, array *a, size_t *data_offset, bool *swapped,
               message *m);

/* Open the array in a regular file, whose descriptor is the source's from now on, also on failure. */
bool npy_open(int file, const char *name, reader *s, message *m);

/* The header, version 1, of a C-order array in native byte order; rank 0 is fine. Returns its length. */
size_t npy_format(uint8_t header[NPY_FORMAT_MAX], argmax_cl_dtype dtype, bool boolean, uint32_t rank,
                  const uint64_t *sizes);

#endif
