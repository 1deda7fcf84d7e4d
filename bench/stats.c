#include "stats.h"

#include <stdlib.h>

void samples_clear(samples *s) {
    s->count = 0;
}

void samples_add(samples *s, double seconds) {
    if (s->count < SAMPLES_MAX)
        s->seconds[s->count++] = seconds;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(samples *s, double q) {
    if (s->count == 0)
        return 0;
    qsort(s->seconds, s->count, sizeof s->seconds[0], by_value);
    const double place = q * (double)(s->count - 1);
    const size_t below = (size_t)place, above = below + 1 < s->count ? below + 1 : below;
    return s->seconds[below] + (place - (double)below) * (s->seconds[above] - s->seconds[below]);
}

double samples_median(samples *s) {
    return quantile(s, 0.5);
}

double samples_best(samples *s) {
    return quantile(s, 0);
}

double samples_spread(samples *s) {
    const double median = samples_median(s);
    return median > 0 ? (quantile(s, 0.75) - quantile(s, 0.25)) / median : 0;
}
