/* The strategy for a problem by the tuning row that the environment names. */
#ifndef ARGMAX_CL_TESTS_CHOOSE_H
#define ARGMAX_CL_TESTS_CHOOSE_H

#include "internal.h"

/* For layout_collapse: the same in every built-in row. */
#define COPIED_BYTES tuning_find("gpu").copied_bytes

static inline argmax_cl_status choose(const problem *p, const layout *l, const device_facts *device,
                                      uint32_t group_limit, geometry *out) {
    tuning_row tuning;
    const argmax_cl_status status = tuning_choose(p->tuning, device, &tuning);
    return status ? status : strategy_choose(p, l, device, &tuning, group_limit, out);
}

#endif
