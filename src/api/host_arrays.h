/* The host side of a host-array call: the caller's arrays, checked, and results put into them. */
#ifndef ARGMAX_CL_HOST_ARRAYS_H
#define ARGMAX_CL_HOST_ARRAYS_H

#include "internal.h"

/* Arrays present where their tensors have elements, within the address space, outputs disjoint from all others. */
argmax_cl_status host_arrays_check(const argmax_cl_host_arrays *given, const problem *p, argmax_cl_host_arrays *arrays);

/* One of them; and the outputs alone. */
argmax_cl_status host_array_check(const char *name, const void *array, const tensor_view *view);
argmax_cl_status host_outputs_check(const argmax_cl_host_arrays *given, const problem *p,
                                    argmax_cl_host_arrays *arrays);

/* The address of an element of an array. */
unsigned char *host_element(const void *array, const tensor_view *view, uint64_t element);

/* True when the tensor's elements follow each other in row-major order, without gaps. */
bool host_is_packed(const tensor_view *view);

/* Put `packed` row-major elements at the places of the tensor's elements. No other byte is touched. */
void host_scatter(void *array, const tensor_view *view, const void *packed);
/* The reverse; and for `count` of the packed elements, from the `first` on, which go to the start of `packed`. */
void host_gather(const void *array, const tensor_view *view, void *packed);
void host_gather_range(const void *array, const tensor_view *view, uint64_t first, uint64_t count, void *packed);

#endif
