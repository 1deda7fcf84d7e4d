/* How the program's parts report what went wrong: one line for a person, filled in where it happened, printed once. */
#ifndef ARGMAX_CL_TOOL_MESSAGE_H
#define ARGMAX_CL_TOOL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define MESSAGE_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define MESSAGE_FORMAT(text, first)
#endif

typedef struct message {
    char text[2048];
} message;

/* Write the message, "<thing>: what it was, what was expected", and return false for the caller to return. */
bool complain(message *m, const char *format, ...) MESSAGE_FORMAT(2, 3);

/* "argmax-cl: <text>" on stderr, always one line: control characters of file names and compiler logs become spaces. */
void message_print(const message *m);

/* Append to a text of at most `capacity` bytes with its closing zero; what does not fit is cut off. */
void append(char *text, size_t capacity, const char *format, ...) MESSAGE_FORMAT(3, 4);

#endif
