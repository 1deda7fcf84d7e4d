#include "calendar.h"

#include <stddef.h>
#include <string.h>

bool calendar_by_name(const char *name, calendar *which) {
    static const struct {
        const char *name;
        calendar which;
    } names[] = {
        {"standard", CALENDAR_STANDARD}, {"gregorian", CALENDAR_STANDARD}, {"proleptic_gregorian", CALENDAR_PROLEPTIC},
        {"julian", CALENDAR_JULIAN},     {"noleap", CALENDAR_NO_LEAP},     {"365_day", CALENDAR_NO_LEAP},
        {"all_leap", CALENDAR_ALL_LEAP}, {"366_day", CALENDAR_ALL_LEAP},   {"360_day", CALENDAR_360_DAYS},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (strcmp(name, names[i].name) == 0) {
            *which = names[i].which;
            return true;
        }
    return false;
}

static int64_t floor_quotient(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* Leap years in 0..year-1, negative for years before 0. */
static int64_t leaps_before(calendar which, int64_t year) {
    const int64_t julian = floor_quotient(year + 3, 4);
    switch (which) {
    case CALENDAR_PROLEPTIC:
        return julian - floor_quotient(year + 99, 100) + floor_quotient(year + 399, 400);
    case CALENDAR_JULIAN:
        return julian;
    case CALENDAR_ALL_LEAP:
        return year;
    default:
        return 0;
    }
}

static int64_t days_before_year(calendar which, int64_t year) {
    return which == CALENDAR_360_DAYS ? 360 * year : 365 * year + leaps_before(which, year);
}

static int days_of_month(calendar which, int64_t year, int month) {
    static const int lengths[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (which == CALENDAR_360_DAYS)
        return 30;
    const bool leap = leaps_before(which, year + 1) > leaps_before(which, year);
    return lengths[month - 1] + (month == 2 && leap);
}

int64_t calendar_days(calendar which, int64_t year, int month, int day) {
    int64_t days = days_before_year(which, year) + day - 1;
    for (int earlier = 1; earlier < month; ++earlier)
        days += days_of_month(which, year, earlier);
    return days;
}

void calendar_date(calendar which, int64_t days, int64_t *year, int *month, int *day) {
    *year = floor_quotient(days, 360);
    while (days_before_year(which, *year) > days)
        *year -= 1 + (days_before_year(which, *year) - days) / 367;
    while (days_before_year(which, *year + 1) <= days)
        ++*year;
    int64_t rest = days - days_before_year(which, *year);
    *month = 1;
    for (; rest >= days_of_month(which, *year, *month); ++*month)
        rest -= days_of_month(which, *year, *month);
    *day = (int)rest + 1;
}
