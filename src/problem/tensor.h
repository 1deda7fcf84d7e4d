/* One tensor of a descriptor: its fields checked, its strides resolved, its addressed range proven to fit. */
#ifndef ARGMAX_CL_TENSOR_H
#define ARGMAX_CL_TENSOR_H

#include "internal.h"

/* Each step names the tensor ("input", "index", ...) in its messages. In order: */

/* Copy the struct (of any version) and find its dtype. view->type is set. */
argmax_cl_status tensor_read(const char *name, const argmax_cl_tensor *given, argmax_cl_tensor *tensor,
                             tensor_view *view);

/* The shape as given, for the input: rank, sizes, their product. view->size and view->empty are set. */
argmax_cl_status tensor_shape(const char *name, const argmax_cl_tensor *tensor, tensor_view *view);

/* The shape of another tensor, which follows from the input's rank and sizes and must not be given differently: of an
 * output, or of a mask, which is not `reduced`. */
argmax_cl_status tensor_given_shape(const char *name, const argmax_cl_tensor *tensor, const problem *p, bool reduced,
                                    tensor_view *view);

/* Strides (packed row-major when none are given), offset, and the addressed range. */
argmax_cl_status tensor_addresses(const char *name, const argmax_cl_tensor *tensor, uint32_t rank, tensor_view *view);

/* An output's rule: no two elements at one address. */
argmax_cl_status tensor_distinct(const char *name, uint32_t rank, const tensor_view *view);

#endif
