/* Numbers that count time from a date, by the CF conventions: "hours since 1970-01-01", in one of their calendars. */
#ifndef ARGMAX_CL_TOOL_DATES_H
#define ARGMAX_CL_TOOL_DATES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct dates dates;

/* How much of a date tells it from its neighbours. */
typedef enum dates_detail { DATES_DAY, DATES_MINUTE, DATES_SECOND } dates_detail;

/* NULL for units that are not of time since a date, for a calendar that is unknown (NULL or "": standard), and where
 * the program was built without UDUNITS. */
dates *dates_open(const char *units, const char *calendar);

dates_detail dates_needed(const dates *d, double value);

/* "2095-06-01", "2095-06-01T12:30" or "2095-06-01T12:30:59"; false when the value is no date. */
bool dates_format(char *text, size_t capacity, const dates *d, double value, dates_detail detail);

void dates_close(dates *d);

#endif
