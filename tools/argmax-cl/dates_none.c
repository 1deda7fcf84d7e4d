/* Stands in for dates.c where UDUNITS is missing: times stay the numbers that they are. */
#include "dates.h"

dates *dates_open(const char *units, const char *calendar) {
    (void)units;
    (void)calendar;
    return NULL;
}

dates_detail dates_needed(const dates *d, double value) {
    (void)d;
    (void)value;
    return DATES_DAY;
}

bool dates_format(char *text, size_t capacity, const dates *d, double value, dates_detail detail) {
    (void)text;
    (void)capacity;
    (void)d;
    (void)value;
    (void)detail;
    return false;
}

void dates_close(dates *d) {
    (void)d;
}
