/* Before threads start: what PoCL must have loaded by then, or it aborts (docs/portability.md). */
#ifndef ARGMAX_CL_TESTS_SETTLE_H
#define ARGMAX_CL_TESTS_SETTLE_H

#include <argmax_cl/argmax_cl.h>
#include <stdbool.h>

/* Whether the device is PoCL's; what follows does nothing on others. */
bool must_settle(cl_device_id device);

/* Run a problem without a value output in one launch and in two, each to its end, by a handle that only does this:
 * the handle under test stays as cold as it was. False when a call failed. */
bool settle(argmax_cl_handle own, argmax_cl_operator op, const argmax_cl_desc *desc, cl_mem input, size_t output_bytes);

#endif
