/* Medians of repeated measurements. */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stddef.h>

enum { SAMPLES_MAX = 4096 };

typedef struct samples {
    size_t count;
    double seconds[SAMPLES_MAX];
} samples;

void samples_clear(samples *s);
void samples_add(samples *s, double seconds);
/* 0 without samples. The order of the samples is lost. */
double samples_median(samples *s);
/* The least of all. */
double samples_best(samples *s);
/* Distance between the quartiles relative to the median. */
double samples_spread(samples *s);

#endif
