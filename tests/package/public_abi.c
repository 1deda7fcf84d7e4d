/* What programs rely on that were built with an earlier release of this major version: values of enumerators, and where
 * fields lie. Fields may be appended: then a struct's size grows here, and nothing else changes.
 *
 * usage: public_abi argmax_cl.h     so that an enumerator without a line here is found */
#include <argmax_cl/argmax_cl.h>

#include <stdio.h>
#include <string.h>

typedef struct pinned {
    const char *name;
    long long is, was;
} pinned;

#define VALUE(name, value) {#name, (long long)(name), value}
#define FIELD(type, field, words)                                                                                      \
    {#type "." #field, (long long)offsetof(type, field), (words) * (long long)sizeof(void *)}
#define SIZE(type, words) {"sizeof " #type, (long long)sizeof(type), (words) * (long long)sizeof(void *)}

static const pinned values[] = {
    VALUE(ARGMAX_CL_SUCCESS, 0),
    VALUE(ARGMAX_CL_ERROR_INVALID_ARGUMENT, 1),
    VALUE(ARGMAX_CL_ERROR_INVALID_DTYPE, 2),
    VALUE(ARGMAX_CL_ERROR_INVALID_RANK, 3),
    VALUE(ARGMAX_CL_ERROR_INVALID_SIZE, 4),
    VALUE(ARGMAX_CL_ERROR_INVALID_AXES, 5),
    VALUE(ARGMAX_CL_ERROR_INVALID_STRIDES, 6),
    VALUE(ARGMAX_CL_ERROR_EMPTY_REDUCTION, 7),
    VALUE(ARGMAX_CL_ERROR_INDEX_RANGE, 8),
    VALUE(ARGMAX_CL_ERROR_OVERFLOW, 9),
    VALUE(ARGMAX_CL_ERROR_INVALID_BUFFER, 10),
    VALUE(ARGMAX_CL_ERROR_BUFFER_TOO_SMALL, 11),
    VALUE(ARGMAX_CL_ERROR_BUFFER_OVERLAP, 12),
    VALUE(ARGMAX_CL_ERROR_INVALID_WORKSPACE, 13),
    VALUE(ARGMAX_CL_ERROR_INVALID_QUEUE, 14),
    VALUE(ARGMAX_CL_ERROR_INVALID_WAIT_LIST, 15),
    VALUE(ARGMAX_CL_ERROR_INVALID_STRATEGY, 16),
    VALUE(ARGMAX_CL_ERROR_NO_DEVICE, 17),
    VALUE(ARGMAX_CL_ERROR_DEVICE_LIMIT, 18),
    VALUE(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, 19),
    VALUE(ARGMAX_CL_ERROR_OPENCL, 20),
    VALUE(ARGMAX_CL_ERROR_BUILD, 21),
    VALUE(ARGMAX_CL_ERROR_KERNEL_SOURCE, 22),
    VALUE(ARGMAX_CL_ERROR_FORKED, 23),
    VALUE(ARGMAX_CL_ERROR_INVALID_TUNING, 24),
    VALUE(ARGMAX_CL_ERROR_INVALID_BLOCK, 25),
    VALUE(ARGMAX_CL_ERROR_MEMORY_LIMIT, 26),
    VALUE(ARGMAX_CL_ERROR_CANCELLED, 27),
    VALUE(ARGMAX_CL_FLOAT32, 1),
    VALUE(ARGMAX_CL_FLOAT16, 2),
    VALUE(ARGMAX_CL_FLOAT64, 3),
    VALUE(ARGMAX_CL_BFLOAT16, 4),
    VALUE(ARGMAX_CL_INT8, 5),
    VALUE(ARGMAX_CL_INT16, 6),
    VALUE(ARGMAX_CL_INT32, 7),
    VALUE(ARGMAX_CL_INT64, 8),
    VALUE(ARGMAX_CL_UINT8, 9),
    VALUE(ARGMAX_CL_UINT16, 10),
    VALUE(ARGMAX_CL_UINT32, 11),
    VALUE(ARGMAX_CL_UINT64, 12),
    VALUE(ARGMAX_CL_ARGMAX, 0),
    VALUE(ARGMAX_CL_ARGMIN, 1),
    VALUE(ARGMAX_CL_ARGMINMAX, 2),
    VALUE(ARGMAX_CL_INCREASING, 0),
    VALUE(ARGMAX_CL_DECREASING, 1),
    VALUE(ARGMAX_CL_NAN_PROPAGATE, 0),
    VALUE(ARGMAX_CL_NAN_IGNORE, 1),
};

/* In words of the size of a pointer, where that is 8 bytes. */
static const pinned layouts[] = {
    FIELD(argmax_cl_tensor, struct_size, 0),
    {"argmax_cl_tensor.dtype", offsetof(argmax_cl_tensor, dtype), 8},
    {"argmax_cl_tensor.rank", offsetof(argmax_cl_tensor, rank), 12},
    FIELD(argmax_cl_tensor, sizes, 2),
    FIELD(argmax_cl_tensor, strides, 3),
    FIELD(argmax_cl_tensor, offset, 4),
    SIZE(argmax_cl_tensor, 5),
    FIELD(argmax_cl_desc, struct_size, 0),
    FIELD(argmax_cl_desc, input, 1),
    FIELD(argmax_cl_desc, index, 2),
    FIELD(argmax_cl_desc, value, 3),
    FIELD(argmax_cl_desc, axis_count, 4),
    FIELD(argmax_cl_desc, axes, 5),
    {"argmax_cl_desc.axis_direction", offsetof(argmax_cl_desc, axis_direction), 48},
    {"argmax_cl_desc.nan_mode", offsetof(argmax_cl_desc, nan_mode), 52},
    FIELD(argmax_cl_desc, strategy, 7),
    FIELD(argmax_cl_desc, tuning, 8),
    FIELD(argmax_cl_desc, mask, 9),
    FIELD(argmax_cl_desc, max_index, 10),
    FIELD(argmax_cl_desc, max_value, 11),
    {"argmax_cl_desc.max_direction", offsetof(argmax_cl_desc, max_direction), 96},
    SIZE(argmax_cl_desc, 13),
    FIELD(argmax_cl_buffers, struct_size, 0),
    FIELD(argmax_cl_buffers, input, 1),
    FIELD(argmax_cl_buffers, index, 2),
    FIELD(argmax_cl_buffers, value, 3),
    FIELD(argmax_cl_buffers, mask, 4),
    FIELD(argmax_cl_buffers, max_index, 5),
    FIELD(argmax_cl_buffers, max_value, 6),
    SIZE(argmax_cl_buffers, 7),
    FIELD(argmax_cl_host_arrays, struct_size, 0),
    FIELD(argmax_cl_host_arrays, input, 1),
    FIELD(argmax_cl_host_arrays, index, 2),
    FIELD(argmax_cl_host_arrays, value, 3),
    FIELD(argmax_cl_host_arrays, mask, 4),
    FIELD(argmax_cl_host_arrays, max_index, 5),
    FIELD(argmax_cl_host_arrays, max_value, 6),
    SIZE(argmax_cl_host_arrays, 7),
    FIELD(argmax_cl_host_options, struct_size, 0),
    FIELD(argmax_cl_host_options, seconds_compute, 1),
    FIELD(argmax_cl_host_options, seconds_transfer, 2),
    FIELD(argmax_cl_host_options, memory_limit, 3),
    FIELD(argmax_cl_host_options, progress, 4),
    FIELD(argmax_cl_host_options, progress_user, 5),
    FIELD(argmax_cl_host_options, cancel, 6),
    SIZE(argmax_cl_host_options, 7),
    FIELD(argmax_cl_block, struct_size, 0),
    FIELD(argmax_cl_block, sizes, 1),
    FIELD(argmax_cl_block, start, 2),
    FIELD(argmax_cl_block, mask, 3),
    SIZE(argmax_cl_block, 4),
    {"argmax_cl_partial.key", offsetof(argmax_cl_partial, key), 0},
    {"argmax_cl_partial.tie", offsetof(argmax_cl_partial, tie), 8},
    {"argmax_cl_partial.bits", offsetof(argmax_cl_partial, bits), 16},
    {"sizeof argmax_cl_partial", sizeof(argmax_cl_partial), 24},
    {"sizeof an enumeration", sizeof(argmax_cl_status), 4},
};

static int compare(const pinned *table, size_t count) {
    int wrong = 0;
    for (size_t i = 0; i < count; ++i)
        if (table[i].is != table[i].was) {
            printf("%s is %lld, was %lld\n", table[i].name, table[i].is, table[i].was);
            ++wrong;
        }
    return wrong;
}

static int is_pinned(const char *name) {
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
        if (strcmp(values[i].name, name) == 0)
            return 1;
    return 0;
}

/* Enumerators of the header, "NAME = ", without a line above. */
static int look_for_more(const char *path) {
    char line[400], name[100];
    int found = 0, wrong = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        for (const char *at = line; (at = strstr(at, "ARGMAX_CL_")) != NULL; at += strlen("ARGMAX_CL_")) {
            char equals = 0;
            if (sscanf(at, "%99[A-Z0-9_] %c", name, &equals) != 2 || equals != '=')
                continue;
            ++found;
            if (!is_pinned(name)) {
                printf("%s is not pinned: add its line to public_abi.c\n", name);
                ++wrong;
            }
        }
    if (file)
        (void)fclose(file);
    if (found == 0)
        printf("%s: no enumerators found\n", path);
    return wrong + (found == 0);
}

int main(int argc, char **argv) {
    int wrong = compare(values, sizeof values / sizeof *values);
    if (sizeof(void *) == 8)
        wrong += compare(layouts, sizeof layouts / sizeof *layouts);
    wrong += argc > 1 ? look_for_more(argv[1]) : 0;
    return wrong ? 1 : 0;
}
