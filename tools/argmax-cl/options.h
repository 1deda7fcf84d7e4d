/* The command line. */
#ifndef ARGMAX_CL_TOOL_OPTIONS_H
#define ARGMAX_CL_TOOL_OPTIONS_H

#include "message.h"

#include <argmax_cl/argmax_cl.h>

#include <stdbool.h>
#include <stdint.h>

typedef enum action { ACTION_COMPUTE, ACTION_LIST_DEVICES, ACTION_HELP, ACTION_VERSION } action;

typedef struct options {
    action action;
    argmax_cl_operator op;
    argmax_cl_direction direction;
    argmax_cl_nan_mode nan_mode;
    argmax_cl_dtype index_type;
    bool squeeze, explain, keep_fill, json;
    uint64_t memory_limit; /* bytes; 0: by the machine's memory */
    const char *axes;      /* "0,-1" or "time,latitude"; NULL: all axes; the strings are argv's */
    const char *input;
    const char *mask;   /* a file; NULL: none */
    const char *output; /* of the indices; NULL: not asked for */
    const char *values; /* NULL: not asked for */
    const char *plot;   /* a picture; NULL: not asked for */
    const char *device; /* NULL: the default */
} options;

/* Understand argv without touching a file. */
bool options_parse(int argc, char **argv, options *o, message *m);

/* What --help prints. */
extern const char options_help[];

#endif
