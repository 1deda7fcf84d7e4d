#include "number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double half_value(uint16_t bits) {
    const int exponent = bits >> 10 & 0x1f;
    const int mantissa = bits & 0x3ff;
    const double magnitude = exponent == 0x1f ? (mantissa ? (double)NAN : (double)INFINITY)
                             : exponent == 0  ? ldexp(mantissa, -24)
                                              : ldexp(mantissa + 0x400, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

/* memcpy: the compiler makes it one load, and no alignment or aliasing rule is bent. */
#define LOAD(type)                                                                                                     \
    type value;                                                                                                        \
    memcpy(&value, (const char *)data + position * sizeof value, sizeof value)
#define FLOAT_CASE(name, type, convert)                                                                                \
    case name: {                                                                                                       \
        LOAD(type);                                                                                                    \
        return (number){NUMBER_FLOAT, {.real = convert(value)}};                                                       \
    }
#define SIGNED_CASE(name, type)                                                                                        \
    case name: {                                                                                                       \
        LOAD(type);                                                                                                    \
        return (number){NUMBER_SIGNED, {.integer = value}};                                                            \
    }
#define UNSIGNED_CASE(name, type)                                                                                      \
    case name: {                                                                                                       \
        LOAD(type);                                                                                                    \
        return (number){NUMBER_UNSIGNED, {.natural = value}};                                                          \
    }

number number_load(argmax_cl_dtype dtype, const void *data, uint64_t position) {
    switch (dtype) {
        FLOAT_CASE(ARGMAX_CL_FLOAT16, uint16_t, half_value)
        FLOAT_CASE(ARGMAX_CL_FLOAT32, float, (double))
        FLOAT_CASE(ARGMAX_CL_FLOAT64, double, (double))
        SIGNED_CASE(ARGMAX_CL_INT8, int8_t)
        SIGNED_CASE(ARGMAX_CL_INT16, int16_t)
        SIGNED_CASE(ARGMAX_CL_INT32, int32_t)
        SIGNED_CASE(ARGMAX_CL_INT64, int64_t)
        UNSIGNED_CASE(ARGMAX_CL_UINT8, uint8_t)
        UNSIGNED_CASE(ARGMAX_CL_UINT16, uint16_t)
        UNSIGNED_CASE(ARGMAX_CL_UINT32, uint32_t)
        UNSIGNED_CASE(ARGMAX_CL_UINT64, uint64_t)
    case ARGMAX_CL_BFLOAT16: /* in no file format */
        break;
    }
    return (number){NUMBER_FLOAT, {.real = (double)NAN}};
}

bool number_store(argmax_cl_dtype dtype, double value, void *element) {
    const size_t size = argmax_cl_dtype_size(dtype);
    const uint64_t zero = 0;
    const float narrow = (float)value;
    switch (number_load(dtype, &zero, 0).kind) {
    case NUMBER_FLOAT:
        if (size == sizeof(float))
            memcpy(element, &narrow, size);
        else if (size == sizeof(double))
            memcpy(element, &value, size);
        return size >= sizeof(float);
    case NUMBER_SIGNED: {
        const double limit = ldexp(1, (int)size * 8 - 1);
        if (!(value >= -limit && value < limit) || value != floor(value))
            return false;
        break;
    }
    case NUMBER_UNSIGNED:
        if (!(value >= 0 && value < ldexp(1, (int)size * 8)) || value != floor(value))
            return false;
        break;
    }
    /* The low bytes of a two's complement number are the narrower number, wherever the low bytes lie. */
    const uint64_t bits = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
    const uint16_t one = 1;
    memcpy(element, (const char *)&bits + (*(const char *)&one ? 0 : sizeof bits - size), size);
    return true;
}

bool number_is_nan(number n) {
    return n.kind == NUMBER_FLOAT && isnan(n.as.real);
}

double number_as_double(number n) {
    return n.kind == NUMBER_FLOAT ? n.as.real : n.kind == NUMBER_SIGNED ? (double)n.as.integer : (double)n.as.natural;
}

bool number_less(number a, number b) {
    return a.kind == NUMBER_FLOAT    ? a.as.real < b.as.real
           : a.kind == NUMBER_SIGNED ? a.as.integer < b.as.integer
                                     : a.as.natural < b.as.natural;
}

/* Whether a decimal value names the half: it lies nearer to it than to either neighbour. */
static bool names_half(double decimal, double half) {
    int exponent;
    const double fraction = frexp(fabs(half), &exponent);
    const double above = ldexp(1, (exponent < -13 ? -13 : exponent) - 11);
    const double gap = fraction > 0.5 || exponent <= -13 ? above : above / 2; /* below a power of two it is closer */
    return fabs(decimal - half) < gap / 2;
}

static bool reads_back(const char *text, argmax_cl_dtype dtype, double value) {
    return dtype == ARGMAX_CL_FLOAT16   ? names_half(strtod(text, NULL), value)
           : dtype == ARGMAX_CL_FLOAT32 ? (double)strtof(text, NULL) == value
                                        : strtod(text, NULL) == value;
}

void number_format(char text[NUMBER_TEXT], argmax_cl_dtype dtype, number n) {
    if (n.kind == NUMBER_SIGNED) {
        (void)snprintf(text, NUMBER_TEXT, "%" PRId64, n.as.integer);
    } else if (n.kind == NUMBER_UNSIGNED) {
        (void)snprintf(text, NUMBER_TEXT, "%" PRIu64, n.as.natural);
    } else if (!isfinite(n.as.real)) {
        (void)snprintf(text, NUMBER_TEXT, "%s", isnan(n.as.real) ? "nan" : n.as.real < 0 ? "-inf" : "inf");
    } else {
        int digits = 0;
        do
            (void)snprintf(text, NUMBER_TEXT, "%.*g", ++digits, n.as.real);
        while (digits < 17 && !reads_back(text, dtype, n.as.real));
        /* 200, not 2e+02 */
        for (double limit = pow(10, digits); digits < 6 && fabs(n.as.real) >= limit; limit *= 10)
            (void)snprintf(text, NUMBER_TEXT, "%.*g", ++digits, n.as.real);
    }
}
