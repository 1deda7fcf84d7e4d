#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool complain(message *m, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(m->text, sizeof m->text, format, arguments);
    va_end(arguments);
    return false;
}

void message_print(const message *m) {
    char line[sizeof m->text];
    size_t length = 0;
    for (const char *c = m->text; *c; ++c) {
        const unsigned char byte = (unsigned char)*c;
        line[length++] = byte < 0x20 || byte == 0x7f ? ' ' : *c;
    }
    while (length > 0 && line[length - 1] == ' ')
        --length;
    line[length] = 0;
    (void)fprintf(stderr, "argmax-cl: %s\n", line);
}

void append(char *text, size_t capacity, const char *format, ...) {
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + length, capacity - length, format, arguments);
    va_end(arguments);
}
