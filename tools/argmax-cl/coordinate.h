/* The coordinates of an axis: what its positions mean. */
#ifndef ARGMAX_CL_TOOL_COORDINATE_H
#define ARGMAX_CL_TOOL_COORDINATE_H

#include "dates.h"
#include "number.h"

/* Room for every coordinate as text. */
#define COORDINATE_TEXT 64

typedef struct coordinate {
    uint64_t count; /* 0: none */
    argmax_cl_dtype dtype;
    void *values;   /* owned */
    char units[64]; /* "": unknown */
    dates *dates;   /* owned; NULL: plain numbers */
    dates_detail detail;
} coordinate;

/* Make dates of numbers whose units say so ("days since 1970-01-01"); every other coordinate stays as it is. */
void coordinate_find_dates(coordinate *c, const char *calendar);

/* The number at a position. */
double coordinate_value(const coordinate *c, uint64_t position);

/* "262.5" or "2095-06-01". */
void coordinate_format(char text[COORDINATE_TEXT], const coordinate *c, uint64_t position);

void coordinate_free(coordinate *c);

#endif
