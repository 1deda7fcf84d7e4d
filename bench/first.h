/* argmax-cl-bench --first: what a program waits for its first result in a context that it has. */
#ifndef BENCH_FIRST_H
#define BENCH_FIRST_H

#include "device.h"
#include "problem.h"

#include <stdio.h>

/* Time the first create, plan and run of this process on a device that was just opened, and print them, with the
 * number of programs compiled and of kernels launched. `json` NULL: no JSON line. False after complaining, also of a
 * wrong answer, and of a program that no launch needed. */
bool first_result(const bench_device *device, const problem_line *p, const char *line, const char *commit, FILE *json);

#endif
