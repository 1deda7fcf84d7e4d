/* A scenario: calls of the library that a fault is put into, and what has to be right before and after. */
#ifndef ARGMAX_CL_TESTS_FAULTS_SCENARIO_H
#define ARGMAX_CL_TESTS_FAULTS_SCENARIO_H

#include "world.h"

typedef struct scenario {
    const char *name, *meaning;
    const char *line; /* the problem */
    /* Before each run, without faults. NULL: nothing. */
    bool (*before)(world *w);
    /* Calls of the library alone, up to the first that fails, whose status is returned. What they have put into the
     * world must be NULL after a failure of theirs. */
    argmax_cl_status (*act)(world *w);
    /* After a success, and after a failure: whether all is as it must be. */
    bool (*right)(world *w);
    bool (*unharmed)(world *w);
    /* After each run. */
    void (*after)(world *w);
    bool cold;                      /* each run compiles: it has a handle of its own, or makes one */
    bool waits;                     /* when the calls return, nothing runs any more, also after a failure */
    bool one_launch;                /* where the device can; skipped elsewhere */
    const char *variable, *setting; /* of the environment, for the whole scenario */
} scenario;

extern const scenario scenarios[];
extern const size_t scenario_count;

/* Set up and away: environment, problem, handle. *skip where the device cannot do it. */
bool scenario_open(world *w, const scenario *s, bool *skip);
void scenario_close(world *w, const scenario *s);
/* Before and after each run. A cold one has a new handle, unless the last run was told to keep its. */
bool scenario_before(world *w, const scenario *s);
void scenario_after(world *w, const scenario *s, bool keep_handle);

#endif
