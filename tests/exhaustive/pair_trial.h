/* Pairs of elements on a device: making them, comparing them through one scenario's plans, checking the answers. */
#ifndef ARGMAX_CL_TESTS_PAIR_TRIAL_H
#define ARGMAX_CL_TESTS_PAIR_TRIAL_H

#include "own_kernels.h"
#include "pair_ranks.h"
#include "pair_scenarios.h"

#include "internal.h"

#define PAIR_SENSES 4 /* operator x NaN mode */

typedef struct pair_options {
    const char *device, *only, *from;
    bool all;
    uint64_t stride, specials, batch, elements;
} pair_options;

/* A device and a type. */
typedef struct pair_session {
    runner r;
    device_facts facts;
    const pair_options *o;
    const problem_dtype *type;
    uint32_t width, senses; /* index of scenarios' lists; senses are 2 for integers, which have no NaN modes */
    cl_kernel fill, check;
    cl_mem list, letters, ranks[PAIR_SENSES], verdicts;
    uint64_t list_count;
    pair_ranks sense[PAIR_SENSES];
    char tuning_file[64];
} pair_session;

/* One scenario on it. */
typedef struct pair_trial {
    const pair_scenario *s;
    uint32_t run, length;  /* of a letter, of a reduction */
    uint64_t pairs, total; /* in a batch, in all */
    bool listed;           /* pairs are the sample's, not all in order */
    argmax_cl_plan plan[PAIR_SENSES][2];
    cl_mem input, index, workspace;
    cl_int at[2][3]; /* by direction and letter: index of its first or last one, -1 where it does not occur */
} pair_trial;

/* What a check kernel found for a sense and a direction: wrong answers, and one of them. */
typedef struct pair_verdict {
    cl_uint wrong, pair, got, expected;
} pair_verdict;

argmax_cl_operator pair_operator(uint32_t sense);
argmax_cl_nan_mode pair_nan_mode(uint32_t sense);

/* False for a name that is no type of at most 16 bits. */
bool pair_open_type(pair_session *s, const char *name);
void pair_close_type(pair_session *s);

/* False when the device lacks what the scenario needs. */
bool pair_open_trial(pair_session *s, pair_trial *t, const pair_scenario *scenario);
void pair_close_trial(const pair_session *s, pair_trial *t);

/* A pattern of `count` letters is what follows. */
void pair_use_pattern(const pair_session *s, pair_trial *t, const char *text, size_t count);
/* Enqueue: the data of the batch that starts with pair `first`; the plan; the check, which adds to the verdict. */
void pair_fill(const pair_session *s, const pair_trial *t, uint32_t sense, uint64_t first, size_t letters);
void pair_compare(const pair_session *s, const pair_trial *t, uint32_t sense, uint32_t direction);
void pair_check(const pair_session *s, const pair_trial *t, uint32_t sense, uint32_t direction, uint64_t first);
/* The same check on the host, of the batch's first answers. How many are wrong. */
unsigned long pair_check_here(const pair_session *s, const pair_trial *t, uint32_t sense, uint32_t direction,
                              uint64_t first);
/* Wait, and read the verdicts; they start again from 0. */
void pair_verdicts(const pair_session *s, pair_verdict verdicts[PAIR_SENSES][2]);
/* Put into the outputs what no answer is. */
void pair_spoil(const pair_session *s, const pair_trial *t);

#endif
