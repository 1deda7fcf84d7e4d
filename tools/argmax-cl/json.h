/* The answer for another program. */
#ifndef ARGMAX_CL_TOOL_JSON_H
#define ARGMAX_CL_TOOL_JSON_H

#include "answer.h"

#include <stdio.h>

/* One JSON object: what was computed, and lists of all indices, values and winners' coordinates in row-major order.
 * No winner is null; numbers that JSON lacks are "nan", "inf" and "-inf". */
void json_print(FILE *stream, const options *o, const array *input, const answer *r, const char *device);

#endif
