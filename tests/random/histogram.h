/* Counts how often each part of the contract was drawn. A generator that never draws a thing is a defect. */
#ifndef ARGMAX_CL_TESTS_HISTOGRAM_H
#define ARGMAX_CL_TESTS_HISTOGRAM_H

#include "probe.h"

#include <stdio.h>

#define HISTOGRAM_DIMENSIONS 30
#define HISTOGRAM_CELLS 160

typedef struct histogram {
    uint64_t count[HISTOGRAM_DIMENSIONS][HISTOGRAM_CELLS];
} histogram;

void histogram_add(histogram *h, const problem_line *p, const probe *how);
void histogram_merge(histogram *to, const histogram *from);

/* One line a dimension: every cell with its count. */
void histogram_print(const histogram *h, FILE *to);

/* Print what was never drawn, and return how much that is; what not every device has is left out. */
uint32_t histogram_missing(const histogram *h, FILE *to);

#endif
