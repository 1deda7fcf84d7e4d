/* Makes a failing problem small: the line that a person looks at, and that goes into a table of tests. */
#ifndef ARGMAX_CL_TESTS_SHRINK_H
#define ARGMAX_CL_TESTS_SHRINK_H

#include "problem.h"

/* Whether a problem still fails. It is valid whenever the first one was. */
typedef bool (*shrink_fails)(void *context, const problem_line *p);

/* Replace *p, which fails, by a simpler one that fails too, until no single step makes a simpler one or `tries`
 * problems were tried. The same steps every time. Returns the number tried. */
unsigned shrink_problem(problem_line *p, shrink_fails fails, void *context, unsigned tries);

#endif
