/* Which elements are missing, for every type; and dates. No device is needed. */
#include "unit.h"
#include <coordinate.h>
#include <missing.h>

#include <math.h>

/* The mask of six elements as text, "110111", and the count beside it. */
static void expect_mask(const missing_rule *rule, const void *data, const char *expected) {
    uint8_t mask[6];
    char text[7] = "";
    uint64_t zeros = 0;
    const uint64_t missing = missing_mask(rule, data, 6, mask);
    for (int i = 0; i < 6; ++i) {
        ck_assert_uint_le(mask[i], 1);
        text[i] = (char)('0' + mask[i]);
        zeros += !mask[i];
    }
    ck_assert_str_eq(text, expected);
    ck_assert_uint_eq(missing, zeros);
}

#define CHECK_TYPE(name, type)                                                                                         \
    do {                                                                                                               \
        const type data[6] = {1, 2, 3, 100, 2, 5}, two = 2, five = 5, hundred = 100;                                   \
        missing_rule rule = {.dtype = ARGMAX_CL_##name};                                                               \
        ck_assert(!missing_possible(&rule));                                                                           \
        expect_mask(&rule, data, "111111");                                                                            \
        rule.mark_count = 2;                                                                                           \
        memcpy(&rule.marks[0], &two, sizeof two);                                                                      \
        memcpy(&rule.marks[1], &hundred, sizeof hundred);                                                              \
        ck_assert(missing_possible(&rule));                                                                            \
        expect_mask(&rule, data, "101001");                                                                            \
        rule.mark_count = 0;                                                                                           \
        rule.has_low = true;                                                                                           \
        memcpy(&rule.low, &two, sizeof two);                                                                           \
        expect_mask(&rule, data, "011111");                                                                            \
        rule.has_high = true;                                                                                          \
        memcpy(&rule.high, &five, sizeof five);                                                                        \
        expect_mask(&rule, data, "011011");                                                                            \
        rule.has_low = false;                                                                                          \
        expect_mask(&rule, data, "111011");                                                                            \
        rule.all = true;                                                                                               \
        expect_mask(&rule, data, "000000");                                                                            \
    } while (0)

START_TEST(every_type) {
    CHECK_TYPE(INT8, int8_t);
    CHECK_TYPE(INT16, int16_t);
    CHECK_TYPE(INT32, int32_t);
    CHECK_TYPE(INT64, int64_t);
    CHECK_TYPE(UINT8, uint8_t);
    CHECK_TYPE(UINT16, uint16_t);
    CHECK_TYPE(UINT32, uint32_t);
    CHECK_TYPE(UINT64, uint64_t);
    CHECK_TYPE(FLOAT32, float);
    CHECK_TYPE(FLOAT64, double);
}
END_TEST

/* A NaN is in every range, and marks every NaN. */
START_TEST(not_a_number) {
    const float data[6] = {1, NAN, 3, -NAN, INFINITY, 5}, mark = NAN, two = 2;
    missing_rule rule = {.dtype = ARGMAX_CL_FLOAT32, .has_low = true};
    memcpy(&rule.low, &two, sizeof two);
    expect_mask(&rule, data, "011111");
    rule = (missing_rule){.dtype = ARGMAX_CL_FLOAT32, .mark_count = 1};
    memcpy(&rule.marks[0], &mark, sizeof mark);
    expect_mask(&rule, data, "101011");
}
END_TEST

#ifdef ARGMAX_CL_HAVE_UDUNITS
static const struct {
    const char *units, *calendar;
    double value;
    const char *text;
} known[] = {
    {"days since 1970-01-01", "", 0, "1970-01-01"},
    {"days since 1970-01-01", "standard", 18321, "2020-02-29"},
    {"hours since 1970-01-01 00:00:00", "gregorian", 12.5, "1970-01-01T12:30"},
    {"seconds since 2000-1-1", "", 86399, "2000-01-01T23:59:59"},
    {"days since 1582-10-04", "standard", 1, "1582-10-15"},
    {"days since 1582-10-04", "proleptic_gregorian", 1, "1582-10-05"},
    {"days since 1900-02-28", "julian", 1, "1900-02-29"},
    {"days since 1900-02-28", "proleptic_gregorian", 1, "1900-03-01"},
    {"days since 2000-02-28", "noleap", 1, "2000-03-01"},
    {"days since 2001-02-28", "all_leap", 1, "2001-02-29"},
    {"days since 2001-02-28", "360_day", 2, "2001-02-30"},
    {"days since 2001-01-01", "360_day", 359, "2001-12-30"},
    {"days since 2001-01-01", "360_day", -1, "2000-12-30"},
    {"days since 2001-01-01", "365_day", -1, "2000-12-31"},
    {"days since 0001-01-01", "proleptic_gregorian", 730119, "2000-01-01"},
    {"hours since 2000-01-01 00:00 +01:00", "proleptic_gregorian", 1, "2000-01-01"},
    {"hours since 2000-01-01T06:00:00Z", "366_day", 18, "2000-01-02"},
};

START_TEST(dates_of_every_calendar) {
    char text[COORDINATE_TEXT];
    double value = known[_i].value;
    coordinate c = {.count = 1, .dtype = ARGMAX_CL_FLOAT64, .values = malloc(sizeof value)};
    ck_assert_ptr_nonnull(c.values);
    memcpy(c.values, &value, sizeof value);
    (void)strcpy(c.units, known[_i].units);
    coordinate_find_dates(&c, known[_i].calendar);
    coordinate_format(text, &c, 0);
    ck_assert_str_eq(text, known[_i].text);
    coordinate_free(&c);
}
END_TEST

START_TEST(no_dates) {
    ck_assert_ptr_null(dates_open("degrees_east", ""));
    ck_assert_ptr_null(dates_open("metres since 1970-01-01", ""));
    ck_assert_ptr_null(dates_open("days since yesterday", ""));
    ck_assert_ptr_null(dates_open("days since 1970-13-01", ""));
    ck_assert_ptr_null(dates_open("days since 1970-01-01", "none"));
}
END_TEST
#endif

int main(void) {
    const listed_test tests[] = {
        ONCE(every_type),
        ONCE(not_a_number),
#ifdef ARGMAX_CL_HAVE_UDUNITS
        EACH(dates_of_every_calendar, known),
        ONCE(no_dates),
#endif
    };
    return run_tests("what is missing, and dates", tests, sizeof tests / sizeof tests[0], NULL, NULL);
}
