/* Reductions of every length with an extremum at every place, from one small buffer for each class: windows slide over
 * the place where the extremum lies, so that as many outputs as a reduction has elements see it at every place.
 *
 * Where a second, equal one is asked for, there is a region of the buffer for each distance between both. */
#ifndef ARGMAX_CL_TESTS_LENGTH_VIEWS_H
#define ARGMAX_CL_TESTS_LENGTH_VIEWS_H

#include "problem.h"

typedef enum length_class {
    LENGTH_ROWS,     /* windows one element apart */
    LENGTH_ALIGNED,  /* windows 16 elements apart, and 16 extrema for the places between */
    LENGTH_COLUMNS,  /* side by side, each seventh at the same place */
    LENGTH_PERMUTED, /* rows stored as columns of two, three or four: the order of memory is not that of the index */
    LENGTH_FLAT,     /* a single window */
    LENGTH_CLASSES
} length_class;
extern const char *const length_class_names[LENGTH_CLASSES];

typedef struct length_view {
    length_class class;
    uint64_t length, longest; /* of a reduction; of any, which the buffer is made for */
    bool ties;                /* two equal extrema, at all distances below the length */
    uint64_t windows, apart;  /* places: 0, apart, 2 * apart, ... */
    uint64_t from;            /* flat: the place */
} length_view;

/* Elements of the buffer for a class, and which of them are extrema. */
uint64_t length_buffer_elements(length_class class, uint64_t longest, bool ties);
bool length_is_extreme(length_class class, uint64_t longest, bool ties, uint64_t place);

/* Shape, strides, offset and axes; the kind stays. */
void length_view_describe(const length_view *v, problem_line *p);
/* The index that output number `output` must get. */
uint64_t length_view_answer(const length_view *v, uint64_t output, bool last);

#endif
