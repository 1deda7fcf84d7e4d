/* A piece of text at the end of a file, whole or not at all: when the disk is full, and when a signal comes meanwhile.
 */
#ifndef BENCH_APPEND_H
#define BENCH_APPEND_H

#include <stdbool.h>
#include <stddef.h>

/* False, with errno, when it cannot be written; a regular file then ends as before. SIGINT, SIGTERM and SIGHUP that
 * come meanwhile act afterwards. */
bool append(int file, const char *text, size_t bytes);

#endif
