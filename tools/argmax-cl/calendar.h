/* The calendars of the CF conventions that UDUNITS does not know. */
#ifndef ARGMAX_CL_TOOL_CALENDAR_H
#define ARGMAX_CL_TOOL_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

typedef enum calendar {
    CALENDAR_STANDARD, /* Julian until 1582-10-04, Gregorian from the next day on: UDUNITS' own, not known here */
    CALENDAR_PROLEPTIC,
    CALENDAR_JULIAN,
    CALENDAR_NO_LEAP,
    CALENDAR_ALL_LEAP,
    CALENDAR_360_DAYS
} calendar;

/* By the name that CF gives it; false for an unknown one. */
bool calendar_by_name(const char *name, calendar *which);

/* Days from year 0's first day to a date, months and days counted from 1; and the date after so many days. */
int64_t calendar_days(calendar which, int64_t year, int month, int day);
void calendar_date(calendar which, int64_t days, int64_t *year, int *month, int *day);

#endif
