/* UDUNITS knows units and the standard calendar. */
#include "dates.h"
#include "calendar.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <udunits2.h>

struct dates {
    cv_converter *to_seconds;
    calendar which;
    int64_t year;
    int month, day;
    double second; /* of that day, UTC */
};

/* A date and its time of day. */
typedef struct moment {
    int64_t year;
    int month, day, hour, minute, second;
} moment;

static ut_system *units_known;

static void read_units(void) {
    (void)ut_set_error_message_handler(ut_ignore);
    units_known = ut_read_xml(NULL);
}

/* "hours" of "hours since 1970-01-01"; *rest is behind the word. */
static char *unit_word(const char *units, const char **rest) {
    for (const char *at = units; *at; ++at)
        if (at > units && at[-1] == ' ' && strncasecmp(at, "since ", 6) == 0) {
            *rest = at + 6;
            return strndup(units, (size_t)(at - units - 1));
        }
    return NULL;
}

static cv_converter *open_converter(const char *word) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    cv_converter *converter = NULL;
    (void)pthread_once(&once, read_units);
    if (!units_known)
        return NULL;
    ut_unit *unit = ut_parse(units_known, word, UT_ASCII);
    ut_unit *second = ut_get_unit_by_name(units_known, "second");
    if (unit && second)
        converter = ut_get_converter(unit, second);
    ut_free(unit);
    ut_free(second);
    return converter;
}

/* "1970-01-01", "1970-1-1 12:30", "1970-01-01T12:30:00Z", "1970-01-01 00:00:0.0 +01:00". */
static bool parse_reference(const char *text, dates *d) {
    int hour = 0, minute = 0, zone_hour = 0, zone_minute = 0, used = 0;
    double second = 0;
    /* NOLINTBEGIN(cert-err34-c): fields beyond what is there keep their zeros, and ranges are looked at below */
    if (sscanf(text, "%" SCNd64 "-%d-%d%n", &d->year, &d->month, &d->day, &used) < 3 || d->month < 1 || d->month > 12 ||
        d->day < 1 || d->day > 31 || d->year < -1000000 || d->year > 1000000)
        return false;
    text += used;
    text += *text == 'T' || *text == ' ';
    used = 0;
    if (sscanf(text, "%2d:%2d%n:%lf%n", &hour, &minute, &used, &second, &used) >= 1)
        text += used;
    text += strspn(text, " ");
    if (*text == '+' || *text == '-')
        (void)sscanf(text + 1, "%2d:%2d", &zone_hour, &zone_minute);
    /* NOLINTEND(cert-err34-c) */
    const double zone = zone_hour * 3600.0 + zone_minute * 60.0;
    d->second = hour * 3600.0 + minute * 60.0 + second - (*text == '-' ? -zone : zone);
    return isfinite(d->second);
}

dates *dates_open(const char *units, const char *calendar_name) {
    const char *reference = NULL;
    char *word = unit_word(units, &reference);
    dates *d = word ? calloc(1, sizeof *d) : NULL;
    if (d && calendar_by_name(calendar_name && *calendar_name ? calendar_name : "standard", &d->which) &&
        parse_reference(reference, d))
        d->to_seconds = open_converter(word);
    free(word);
    if (d && !d->to_seconds) {
        free(d);
        d = NULL;
    }
    return d;
}

static bool decode(const dates *d, double value, moment *t) {
    const double seconds = rint(cv_convert_double(d->to_seconds, value) + d->second);
    if (!(fabs(seconds) < 1e14)) /* three million years: what is not finite, too */
        return false;
    if (d->which == CALENDAR_STANDARD) {
        int year;
        double second, resolution;
        ut_decode_time(ut_encode_date((int)d->year, d->month, d->day) + seconds, &year, &t->month, &t->day, &t->hour,
                       &t->minute, &second, &resolution);
        t->year = year;
        t->second = (int)second;
        return true;
    }
    const int64_t all = (int64_t)seconds;
    const int64_t days = all / 86400 - (all % 86400 < 0);
    const int rest = (int)(all - days * 86400);
    calendar_date(d->which, calendar_days(d->which, d->year, d->month, d->day) + days, &t->year, &t->month, &t->day);
    t->hour = rest / 3600;
    t->minute = rest / 60 % 60;
    t->second = rest % 60;
    return true;
}

dates_detail dates_needed(const dates *d, double value) {
    moment t;
    if (!decode(d, value, &t))
        return DATES_DAY;
    return t.second ? DATES_SECOND : t.hour || t.minute ? DATES_MINUTE : DATES_DAY;
}

bool dates_format(char *text, size_t capacity, const dates *d, double value, dates_detail detail) {
    moment t;
    if (!decode(d, value, &t))
        return false;
    int length = snprintf(text, capacity, "%04" PRId64 "-%02d-%02d", t.year, t.month, t.day);
    if (detail >= DATES_MINUTE)
        length += snprintf(text + length, capacity - (size_t)length, "T%02d:%02d", t.hour, t.minute);
    if (detail >= DATES_SECOND)
        (void)snprintf(text + length, capacity - (size_t)length, ":%02d", t.second);
    return true;
}

void dates_close(dates *d) {
    if (d)
        cv_free(d->to_seconds);
    free(d);
}
