/* Running the program argmax-cl in a folder of its own (files.h), and looking at what it said. All expect_* fail the
 * test. */
#ifndef ARGMAX_CL_TESTS_CLI_PROCESS_H
#define ARGMAX_CL_TESTS_CLI_PROCESS_H

#include "files.h"

#include <stdbool.h>

typedef struct result {
    int status;        /* exit status; 128 + the signal that ended it */
    char output[8192]; /* what it wrote; text */
    char error[4096];
} result;

/* What the program is given for its standard streams, and limits. */
typedef enum streams {
    STREAMS_DEFAULT,
    STREAMS_OUTPUT_FULL,        /* output is a full disk */
    STREAMS_OUTPUT_CLOSED,      /* output is closed */
    STREAMS_OUTPUT_PIPE_CLOSED, /* output is a pipe that nobody reads */
    STREAMS_ALL_CLOSED,         /* all three are closed: result.error stays empty */
    STREAMS_SMALL_FILES         /* no file may grow beyond 256 bytes */
} streams;

/* The program to run. Call it first. */
void use_program(const char *path);

/* Whether the program starts with SIGCHLD ignored, as some parents leave it. */
void use_ignored_children(bool ignored);

/* Run with the arguments, NULL last; or with words separated by spaces. */
result run_program(const char *const *arguments, streams way);
result run_words(const char *words, streams way);

/* Run and send the signal as soon as a temporary file is in the folder; returns waitpid's status. */
int run_until_temporary(const char *words, int signal_number);

/* Run, send the signal after so many microseconds, to the process group or to a thread that is not the first one, and
 * return waitpid's status. A process that lives on for ten seconds fails the test. */
int run_and_signal(const char *words, unsigned microseconds, int signal_number, bool to_other_thread);

/* The exit status, nothing on stdout, and on stderr one line "argmax-cl: ..." with the text in it. */
void expect_error(const char *words, int status, const char *says);
/* Success with the text in stdout and nothing on stderr; and success with nothing on either. */
void expect_output(const char *words, const char *says);
void expect_silence(const char *words);

#endif
