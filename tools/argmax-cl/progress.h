/* A bar on a terminal for what takes longer than a second. */
#ifndef ARGMAX_CL_TOOL_PROGRESS_H
#define ARGMAX_CL_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool shown, wanted; /* wanted: standard error is a terminal */
    uint64_t total, done;
    double start, drawn;
} progress;

/* So many bytes are to come. */
progress progress_start(uint64_t total);

/* So many have come, of all. */
void progress_show(progress *p, uint64_t done);

/* Wipes the bar. */
void progress_end(progress *p);

/* "[=====>    ]  53 %  1.2 GB/s  0:35 left", without the rate and the time where they are not known. */
#define PROGRESS_TEXT 100
void progress_format(char text[PROGRESS_TEXT], uint64_t done, uint64_t total, double seconds);

#endif
