/* INPUT, whatever kind of file it names. */
#ifndef ARGMAX_CL_TOOL_INPUT_H
#define ARGMAX_CL_TOOL_INPUT_H

#include "array.h"

#include <sys/stat.h>

/* Read "file.npy" or "file.nc:variable"; the file's content decides which it is. *status gets the file's identity. */
bool input_read(const char *input, array *a, struct stat *status, message *m);

#endif
