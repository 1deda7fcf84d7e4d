/* Threads that pack blocks of host memory together: one alone is slower than the link to a GPU. */
#ifndef ARGMAX_CL_GATHER_TEAM_H
#define ARGMAX_CL_GATHER_TEAM_H

#include "internal.h"

typedef struct gather_team gather_team;

/* For blocks of so many bytes; NULL where these are too short to be shared, or there is nobody to share them. */
gather_team *gather_team_open(uint64_t bytes);

/* As host_gather. A team of NULL is the caller alone. */
void gather_team_run(gather_team *team, const void *array, const tensor_view *view, void *packed);

void gather_team_close(gather_team *team);

#endif
