/* Arguments of programs: options with a value each, and names of element types. */
#ifndef ARGMAX_CL_TESTS_ARGUMENTS_H
#define ARGMAX_CL_TESTS_ARGUMENTS_H

#include "problem.h"

/* An option's name, and where its text or its number goes: one of them. */
typedef struct argument_option {
    const char *name, **text;
    uint64_t *number;
} argument_option;

/* Take an option of the list and its value; false for another one. */
bool arguments_take(const argument_option *options, size_t count, const char *name, const char *value);

/* NULL for an unknown type. */
const problem_dtype *arguments_type(const char *name);

#endif
