#include "coordinate.h"

#include <stdlib.h>

double coordinate_value(const coordinate *c, uint64_t position) {
    return number_as_double(number_load(c->dtype, c->values, position));
}

void coordinate_find_dates(coordinate *c, const char *calendar) {
    c->dates = c->count ? dates_open(c->units, calendar) : NULL;
    c->detail = DATES_DAY;
    for (uint64_t i = 0; c->dates && i < c->count && c->detail < DATES_SECOND; ++i) {
        const dates_detail needed = dates_needed(c->dates, coordinate_value(c, i));
        if (needed > c->detail)
            c->detail = needed;
    }
}

void coordinate_format(char text[COORDINATE_TEXT], const coordinate *c, uint64_t position) {
    text[0] = 0;
    if (!c->dates || !dates_format(text, COORDINATE_TEXT, c->dates, coordinate_value(c, position), c->detail))
        number_format(text, c->dtype, number_load(c->dtype, c->values, position));
}

void coordinate_free(coordinate *c) {
    dates_close(c->dates);
    free(c->values);
    *c = (coordinate){0};
}
