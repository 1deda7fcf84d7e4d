/* The OpenCL device that computes. */
#ifndef ARGMAX_CL_TOOL_DEVICE_H
#define ARGMAX_CL_TOOL_DEVICE_H

#include "message.h"

#include <argmax_cl/argmax_cl.h>

#include <stdio.h>

/* A handle for the device that the selector names; NULL: the one thought fastest. */
bool open_device(const char *selector, argmax_cl_handle *handle, message *m);

/* A table of all devices: index, name, platform, driver. */
bool list_devices(FILE *stream, message *m);

/* "name (platform)" of the handle's device. */
void title_device(argmax_cl_handle handle, char *text, size_t capacity);

#endif
