/* Whether a failure was reported as it has to be. */
#ifndef ARGMAX_CL_TESTS_FAULTS_VERDICT_H
#define ARGMAX_CL_TESTS_FAULTS_VERDICT_H

#include "host_faults.h"
#include "scenario.h"

/* Whether a scenario may succeed although that call failed. */
bool may_succeed(const scenario *s, const char *call, uint64_t about);
/* What the library says after `status`, of the OpenCL call that failed first, or of the C library's. Says on stderr
 * what is wrong. */
bool opencl_verdict(const scenario *s, argmax_cl_status status, const fault_order *order, const fault_report *report);
bool host_verdict(argmax_cl_status status, const host_fault_report *report);

const char *code_name(cl_int code);

#endif
