/* The axes that --axis names. */
#ifndef ARGMAX_CL_TOOL_AXES_H
#define ARGMAX_CL_TOOL_AXES_H

#include "array.h"

/* Whether a list can be one of axes at all, before the array is known: no entry is empty. */
bool axes_check(const char *list, message *m);

/* Mark the axes of "0,-1" or "time,latitude": numbers, negative ones counting from the end, and names of dimensions.
 * NULL: all of them. */
bool axes_select(const char *list, const array *a, const char *input, bool selected[ARGMAX_CL_MAX_RANK], message *m);

#endif
