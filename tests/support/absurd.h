/* Descriptors that make no sense, and what refusing each of them must say and may cost. */
#ifndef ARGMAX_CL_TESTS_ABSURD_H
#define ARGMAX_CL_TESTS_ABSURD_H

#include <argmax_cl/argmax_cl.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct absurd_row {
    const char *label;
    argmax_cl_status status;
    const char *parts; /* of the message, separated by '|' */
    const argmax_cl_desc *desc;
} absurd_row;

extern const absurd_row absurd_rows[];
extern const size_t absurd_count;

/* Microseconds that a call takes: the least of many, to which a busy machine adds nothing. */
double least_microseconds(argmax_cl_status (*call)(void *), void *context);

/* What refusing may take. */
#define ABSURD_MICROSECONDS 20

#endif
