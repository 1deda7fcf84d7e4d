#include "arguments.h"

#include <stdlib.h>
#include <string.h>

bool arguments_take(const argument_option *options, size_t count, const char *name, const char *value) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, options[i].name) == 0) {
            if (options[i].text)
                *options[i].text = value;
            else
                *options[i].number = strtoull(value, NULL, 10);
            return true;
        }
    return false;
}

const problem_dtype *arguments_type(const char *name) {
    for (size_t i = 0; i < PROBLEM_DTYPE_COUNT; i++)
        if (strcmp(problem_dtypes[i].name, name) == 0)
            return &problem_dtypes[i];
    return NULL;
}
