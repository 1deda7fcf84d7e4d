/* --mask: which elements of INPUT may win, as a file of bytes whose shape broadcasts to INPUT's. It is in memory once,
 * at its own size. */
#ifndef ARGMAX_CL_TOOL_MASK_H
#define ARGMAX_CL_TOOL_MASK_H

#include "reader.h"

#include <sys/stat.h>

typedef struct mask_file {
    reader source;
    struct stat identity;
    uint8_t *data;                       /* NULL: not read, or no mask */
    int64_t strides[ARGMAX_CL_MAX_RANK]; /* of the data, by axis of INPUT; 0 where it broadcasts */
    uint64_t left_out;                   /* elements of INPUT whose byte is 0; once it is read */
} mask_file;

/* Open "file.npy" or "file.nc:variable"; refuses elements that are no bytes, and shapes that do not broadcast. The
 * INPUT's name is for the message. */
bool mask_open(mask_file *k, const char *path, const array *input, const char *input_name, message *m);

/* Read all of it. The file is not needed any more. */
bool mask_read(mask_file *k, const array *input, message *m);

/* Where a block's first element lies in the data. */
uint64_t mask_offset(const mask_file *k, const box *b, uint32_t rank);

/* Zero the bytes of a block, packed in the input's order of axes, that this mask leaves out. */
void mask_combine(const mask_file *k, const array *input, const box *b, uint8_t *packed);

/* Frees; a zeroed one is fine. */
void mask_close(mask_file *k);

#endif
