/* The strategy for a problem by the tuning row that the environment names. */
#ifndef ARGMAX_CL_TESTS_CHOOSE_H
#define ARGMAX_CL_TESTS_CHOOSE_H

#include "families/family.h"

#include <string.h>

/* Whether the family has that name. */
static inline bool is_of(const geometry *g, const char *name) {
    return strcmp(g->family->name, name) == 0;
}

/* The layout by that row, which must be right. */
static inline argmax_cl_status collapse(const problem *p, const device_facts *device, layout *out) {
    tuning_row tuning;
    const argmax_cl_status status = tuning_choose(p->tuning, device, &tuning);
    if (!status)
        layout_collapse(p, &tuning, out);
    return status;
}

static inline argmax_cl_status choose(const problem *p, const layout *l, const device_facts *device,
                                      uint32_t group_limit, geometry *out) {
    tuning_row tuning;
    const argmax_cl_status status = tuning_choose(p->tuning, device, &tuning);
    return status ? status : strategy_choose(p, l, device, &tuning, group_limit, out);
}

#endif
