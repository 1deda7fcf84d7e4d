/* The answer as a person wants to read it. */
#ifndef ARGMAX_CL_TOOL_SUMMARY_H
#define ARGMAX_CL_TOOL_SUMMARY_H

#include "answer.h"

#include <stdio.h>

/* Shapes, device, time, GB/s, then the answer: all of it when it is small, else the most frequent indices and the
 * extreme itself. The answer must have its values. */
bool summary_print(FILE *stream, const options *o, const array *input, const answer *r, const char *device, message *m);

/* The plan, a line for each of its parts; and the device, when it is not NULL. */
void summary_explain(FILE *stream, const answer *r, const char *device);

#endif
