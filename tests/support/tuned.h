/* Tuning rows with changed fields, as a user would have them: in a file that ARGMAX_CL_TUNING names. */
#ifndef ARGMAX_CL_TESTS_TUNED_H
#define ARGMAX_CL_TESTS_TUNED_H

#include <stdbool.h>

/* From here on the library's plans are made with that row ("": "cpu"), changed by "FIELD:NUMBER,...", on devices of
 * every class. With fields "" everything is as it was before the first call. False when the row is unknown, or the file
 * cannot be written; whether the fields are right is the library's to say. Not for several threads. */
bool tuned_use(const char *row, const char *fields);

#endif
