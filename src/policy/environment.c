/* Environment variables that name code or files: not for programs that run with more rights than their caller. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv; NOLINT(bugprone-reserved-identifier) */
#endif
#include "internal.h"

#include <stdlib.h>
#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__)
#include <unistd.h>
#define ARGMAX_CL_ISSETUGID
#endif

const char *environment_trusted(const char *name) {
#if defined(__linux__)
    return secure_getenv(name);
#elif defined(ARGMAX_CL_ISSETUGID)
    return issetugid() ? NULL : getenv(name);
#else
    return getenv(name);
#endif
}
