/* Checks of a geometry, for the fuzz target of descriptors. */
#ifndef ARGMAX_CL_TESTS_DESC_GEOMETRY_H
#define ARGMAX_CL_TESTS_DESC_GEOMETRY_H

#include "desc_input.h"
#include "internal.h"

/* Ends the run where `g` does not cover the layout, or its build options do not fit. */
void check_geometry(const problem *p, const layout *l, const device_facts *device, uint32_t group_limit,
                    const geometry *g);

#endif
