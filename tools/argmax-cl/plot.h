/* A picture of the results, drawn by gnuplot. */
#ifndef ARGMAX_CL_TOOL_PLOT_H
#define ARGMAX_CL_TOOL_PLOT_H

#include "answer.h"

/* Refuse results that are no map: two kept axes of more than one element. */
bool plot_check(const answer *r, const array *input, message *m);

/* Two maps, of the indices and of the values, as PNG at `path`; `shown` is the file's name in messages. */
bool plot_write(const char *path, const char *shown, const array *input, const answer *r, const options *o, message *m);

#endif
