/* INPUT, whatever kind of file it names. */
#ifndef ARGMAX_CL_TOOL_INPUT_H
#define ARGMAX_CL_TOOL_INPUT_H

#include "reader.h"

#include <sys/stat.h>

/* Open "file.npy", "file.nc", "file.nc:variable" or "-", an .npy file on standard input; the file's content decides
 * which it is. With_missing: obey what a file says of missing elements. *status gets the file's identity. */
bool input_open(const char *input, bool with_missing, reader *s, struct stat *status, message *m);

/* Whether the file is still as it was opened; another one under its name is none of our business. */
bool input_unchanged(const reader *s, const struct stat *status, message *m);

#endif
