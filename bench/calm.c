#include "calm.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_THREADS = 1024 };

static int files[MAX_THREADS];
static int file_count;

void calm_watch(void) {
    while (file_count > 0)
        close(files[--file_count]);
    DIR *const tasks = opendir("/proc/self/task");
    if (tasks == NULL)
        return;
    for (const struct dirent *task; (task = readdir(tasks)) != NULL && file_count < MAX_THREADS;) {
        char path[300];
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", task->d_name);
        const int file = task->d_name[0] == '.' ? -1 : open(path, O_RDONLY | O_CLOEXEC);
        if (file >= 0)
            files[file_count++] = file;
    }
    closedir(tasks);
}

/* A file holds three numbers: nanoseconds on a core, nanoseconds waiting for one, number of turns. */
double calm_waited(void) {
    double sum = 0;
    for (int i = 0; i < file_count; i++) {
        char text[96];
        const ssize_t length = pread(files[i], text, sizeof text - 1, 0);
        char *end = text;
        if (length <= 0)
            continue;
        text[length] = 0;
        strtoull(text, &end, 10);
        sum += 1e-9 * (double)strtoull(end, NULL, 10);
    }
    return sum;
}
