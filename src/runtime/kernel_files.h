/* The kernels' sources, embedded at build time by cmake/EmbedKernels.cmake. */
#ifndef ARGMAX_CL_KERNEL_FILES_H
#define ARGMAX_CL_KERNEL_FILES_H

#include <stddef.h>

struct kernel_file {
    const char *name; /* "order/order.clh" */
    const char *text; /* ends in a zero byte */
};

/* Every .cl and .clh below kernels/ by rising path, then a row with name NULL. */
extern const struct kernel_file kernel_files[];

#endif
