/* Problems drawn at random: shapes that nobody chose, of a given number of bytes. */
#ifndef BENCH_DRAW_H
#define BENCH_DRAW_H

#include "problem.h"

#include <stddef.h>

typedef struct draw_options {
    const char *seed;      /* any text: a number, a commit's hash */
    uint64_t least, most;  /* bytes of the elements, log-uniform between them */
    const char *types;     /* names with commas between; NULL: all, float32 and float16 more often */
    bool wide;             /* also what few callers have: see draw.c */
    uint64_t outputs_most; /* bytes */
} draw_options;

/* Whether all names of a list are element types. Says on stderr which is not. */
bool draw_types_known(const char *types);

/* Problem `number` of the seed: a function of the options alone, the same on every machine. */
void draw_problem(const draw_options *options, uint64_t number, problem_line *p);

#endif
