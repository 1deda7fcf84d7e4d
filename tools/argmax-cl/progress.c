#include "progress.h"
#include "message.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define WIDTH 30

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

progress progress_start(uint64_t total) {
    const double start = now();
    return (progress){.wanted = isatty(STDERR_FILENO), .total = total, .start = start, .drawn = start};
}

void progress_format(char text[PROGRESS_TEXT], uint64_t done, uint64_t total, double seconds) {
    const double part = total ? (double)done / (double)total : 1;
    const int filled = (int)(part * WIDTH);
    text[0] = 0;
    append(text, PROGRESS_TEXT, "[%.*s%s%*s] %3d %%", filled,
           "==============================", filled < WIDTH ? ">" : "", WIDTH - filled - (filled < WIDTH), "",
           (int)(part * 100));
    if (seconds <= 0 || done == 0)
        return;
    const double rate = (double)done / seconds;
    const double left = (double)(total - done) / rate;
    append(text, PROGRESS_TEXT, rate < 1e9 ? "  %.0f MB/s" : "  %.2f GB/s", rate * (rate < 1e9 ? 1e-6 : 1e-9));
    if (left < 3600)
        append(text, PROGRESS_TEXT, "  %d:%02d left", (int)left / 60, (int)left % 60);
    else if (left < 3600000)
        append(text, PROGRESS_TEXT, "  %d:%02d:%02d left", (int)left / 3600, (int)left / 60 % 60, (int)left % 60);
}

void progress_show(progress *p, uint64_t done) {
    char text[PROGRESS_TEXT];
    const double time = p->wanted ? now() : 0;
    /* What is done within a second gets none; ten a second are enough for the eye. */
    if (!p->wanted || time - p->start < 1 || (p->shown && time - p->drawn < 0.1))
        return;
    progress_format(text, done, p->total, time - p->start);
    (void)fprintf(stderr, "\r%s\033[K", text);
    p->drawn = time;
    p->shown = true;
}

void progress_end(progress *p) {
    if (p->shown)
        (void)fputs("\r\033[K", stderr);
    p->shown = false;
}
