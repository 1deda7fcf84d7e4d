/* Text in a buffer of the caller's, cut off where it ends. */
#ifndef ARGMAX_CL_TEXT_H
#define ARGMAX_CL_TEXT_H

#include "internal.h"

typedef struct writer {
    char *bytes;
    size_t capacity, used; /* used < capacity */
} writer;

void text_add(writer *to, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
