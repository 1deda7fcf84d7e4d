/* One element of an array as a number: to compare with and to print. */
#ifndef ARGMAX_CL_TOOL_NUMBER_H
#define ARGMAX_CL_TOOL_NUMBER_H

#include <argmax_cl/argmax_cl.h>

#include <stdbool.h>
#include <stdint.h>

/* Room for every number as text. */
#define NUMBER_TEXT 32

/* Every value of every type that the files have, exactly. */
typedef struct number {
    enum { NUMBER_FLOAT, NUMBER_SIGNED, NUMBER_UNSIGNED } kind;
    union {
        double real;
        int64_t integer;
        uint64_t natural;
    } as;
} number;

/* Element `position` of an array of the type. */
number number_load(argmax_cl_dtype dtype, const void *data, uint64_t position);

/* Put a value where an element of the type lies; false when the type cannot hold it. Halves are never stored. */
bool number_store(argmax_cl_dtype dtype, double value, void *element);

bool number_is_nan(number n);

/* The nearest double. */
double number_as_double(number n);

/* Of two numbers of one type. NaN is less than nothing, and nothing is less than NaN. */
bool number_less(number a, number b);

/* The shortest decimal text that reads back as the same value of the type. */
void number_format(char text[NUMBER_TEXT], argmax_cl_dtype dtype, number n);

#endif
