/* Text in a buffer: see text.h. */
#include "families/text.h"

#include <stdarg.h>
#include <stdio.h>

void text_add(writer *to, const char *format, ...) {
    const size_t room = to->capacity - to->used;
    va_list arguments;
    va_start(arguments, format);
    const int more = vsnprintf(to->bytes + to->used, room, format, arguments);
    va_end(arguments);
    if (more > 0)
        to->used += (size_t)more < room ? (size_t)more : room - 1;
}
