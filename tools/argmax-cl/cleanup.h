/* Temporary files that must not outlive the process, even when a signal ends it. */
#ifndef ARGMAX_CL_TOOL_CLEANUP_H
#define ARGMAX_CL_TOOL_CLEANUP_H

#include <stdbool.h>

/* Have SIGINT, SIGTERM and SIGHUP remove what is registered, then end the process as they would have. A signal that
 * was ignored from the start stays ignored. Everything else here is for the thread that called this. */
void cleanup_install(void);

/* Put signals off (true) while files and register change together; false lets a signal that came meanwhile act. */
void cleanup_hold(bool hold);

/* A place of PATH_MAX bytes for the path of a file to remove. It is taken while its text is not empty; NULL: all are
 * taken. Change a place under cleanup_hold alone. */
char *cleanup_place(void);

#endif
