/* Programs and kernels of the stub: build options instead of code, and the arguments. */
#include "stub.h"

#include <stdlib.h>
#include <string.h>

/* ---- programs ---- */

/* What follows -DNAME= in the options; NULL when it is not there. */
static const char *defined(const char *options, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = options; (at = strstr(at, " -D")) != NULL; ++at)
        if (strncmp(at + 3, name, length) == 0 && (at[3 + length] == '=' || at[3 + length] == ' ' || !at[3 + length]))
            return at + 3 + length + (at[3 + length] == '=');
    return NULL;
}

static uint64_t number(const char *options, const char *name) {
    const char *const text = defined(options, name);
    return text ? strtoull(text, NULL, 0) : 0;
}

static bool is(const char *options, const char *name, const char *word) {
    const char *const text = defined(options, name);
    return text && strncmp(text, word, strlen(word)) == 0;
}

static uint32_t width(const char *type) {
    return strncmp(type, "uchar", 5) == 0    ? 8
           : strncmp(type, "ushort", 6) == 0 ? 16
           : strncmp(type, "uint", 4)        ? 64
                                             : 32;
}

static size_t columns_tail(const char *options) {
    return (defined(options, "PREFETCH_DISTANCE") ? sizeof((columns_t *)0)->prefetch
            : defined(options, "TAIL")            ? sizeof((columns_t *)0)->tail
                                                  : 0) +
           (defined(options, "FUSED") ? sizeof((columns_t *)0)->segment_rows : 0);
}

static stub_options read_options(const char *text) {
    return (stub_options){
        .bits = width(defined(text, "T")),
        .mantissa = (uint32_t)number(text, "MANTISSA"),
        .is_float = is(text, "KIND", "FLOAT"),
        .is_signed = is(text, "KIND", "SIGNED"),
        .minimum = number(text, "MINIMUM"),
        .last = number(text, "LAST"),
        .reversed = number(text, "REVERSED"),
        .repeated = number(text, "REPEATED"),
        .inner_first = number(text, "INNER_FIRST"),
        .ignore_nan = number(text, "IGNORE_NAN"),
        .value = number(text, "VALUE"),
        .wide_index = defined(text, "IDX_T") && width(defined(text, "IDX_T")) == 64,
        .masked = defined(text, "MASK"),
        .both = number(text, "BOTH"),
        .max_last = number(text, "MAX_LAST"),
        .max_value = number(text, "MAX_VALUE"),
        .max_wide_index = defined(text, "MAX_IDX_T") && width(defined(text, "MAX_IDX_T")) == 64,
        .split = number(text, "SPLIT"),
        .one_launch = number(text, "ONE_LAUNCH"),
        .words = defined(text, "ATOMIC_PARTIAL") || defined(text, "FLAGGED_PARTIAL"),
        .no_winner = number(text, "NO_WINNER"),
        .kept = (uint32_t)number(text, "KEPT"),
        .reduced = (uint32_t)number(text, "REDUCED"),
        .grid_tail = defined(text, "OVERLAP") && is(text, "LOAD", "ALIGNED") ? sizeof((rows_t *)0)->ends
                     : defined(text, "ACROSS") && defined(text, "PANEL")     ? columns_tail(text)
                                                                             : 0,
    };
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **text, const size_t *lengths,
                                     cl_int *code) {
    (void)count, (void)text, (void)lengths;
    const cl_program program = stub_new(STUB_PROGRAM, sizeof *program);
    program->context = context;
    clRetainContext(context);
    *code = CL_SUCCESS;
    return program;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                      void(CL_CALLBACK *notify)(cl_program, void *), void *user) {
    (void)count, (void)devices, (void)notify, (void)user;
    if (!stub_is(program, STUB_PROGRAM))
        return CL_INVALID_PROGRAM;
    program->options = read_options(options);
    return CL_SUCCESS;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what, size_t bytes,
                             void *to, size_t *needed) {
    (void)program, (void)device, (void)what;
    return stub_answer("", 1, bytes, to, needed);
}

cl_int clReleaseProgram(cl_program program) {
    if (!stub_is(program, STUB_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (stub_release(program)) {
        clReleaseContext(program->context);
        stub_free(program);
    }
    return CL_SUCCESS;
}

/* ---- kernels: the parameters as kernels/families/NAME.cl has them ---- */

static const size_t role_bytes[ROLE_COUNT] = {
    [ROLE_INPUT] = sizeof(cl_mem),     [ROLE_MASK] = sizeof(cl_mem),     [ROLE_PARTIALS] = sizeof(cl_mem),
    [ROLE_INDEX] = sizeof(cl_mem),     [ROLE_VALUE] = sizeof(cl_mem),    [ROLE_MAX_INDEX] = sizeof(cl_mem),
    [ROLE_MAX_VALUE] = sizeof(cl_mem), [ROLE_COUNTERS] = sizeof(cl_mem), [ROLE_FINISH] = sizeof(finish_t),
};

/* Five numbers and six lists; of a mask three and two, of the maximum four and two; two numbers of a repeated dim. */
static size_t dims_bytes(const stub_arguments *a) {
    const size_t room = stub_room(a);
    return (5 + 6 * room + (a->options.masked ? 3 + 2 * room : 0) + (a->options.both ? 4 + 2 * room : 0) +
            (a->options.repeated ? 2 : 0)) *
           sizeof(cl_ulong);
}

/* The family whose kernel this is; NULL for the merging kernel and unknown names. */
static const family *family_of(const char *kernel) {
    const family *of;
    uint32_t i = 0;
    while ((of = family_at(i)) != NULL && strcmp(of->kernel, kernel) != 0)
        ++i;
    return of;
}

static size_t bytes_of(const stub_arguments *a, stub_role role) {
    return role == ROLE_GRID ? a->grid_bytes : role == ROLE_DIMS ? dims_bytes(a) : role_bytes[role];
}

size_t stub_parameters(void) {
    return stub_manners.parameters ? stub_manners.parameters : 1024;
}

/* Compilers find that, or the launch fails: here there is no kernel. */
static bool has_too_many(const stub_arguments *a) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < a->count; ++i)
        bytes += bytes_of(a, a->role[i]);
    return bytes > stub_parameters();
}

static void add(stub_arguments *a, stub_role role) {
    a->role[a->count++] = role;
}

static void add_outputs(stub_arguments *a) {
    add(a, ROLE_INDEX);
    if (a->options.value)
        add(a, ROLE_VALUE);
    if (a->options.both)
        add(a, ROLE_MAX_INDEX);
    if (a->options.both && a->options.max_value)
        add(a, ROLE_MAX_VALUE);
}

static void list_parameters(stub_arguments *a) {
    if (a->copies) { /* out of the workspace, to one output, whichever that is */
        add(a, ROLE_PARTIALS);
        add(a, ROLE_INDEX);
        add(a, ROLE_GRID);
        return;
    }
    add(a, ROLE_INPUT);
    if (a->options.masked)
        add(a, ROLE_MASK);
    if (a->merges || a->options.split)
        add(a, ROLE_PARTIALS);
    if (!a->options.split)
        add_outputs(a);
    add(a, ROLE_DIMS);
    add(a, ROLE_GRID);
    if (a->options.one_launch) {
        add_outputs(a);
        if (!a->options.words)
            add(a, ROLE_COUNTERS);
        add(a, ROLE_FINISH);
    }
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code) {
    const family *const of = family_of(name);
    const bool merges = strcmp(name, "merge") == 0, copies = strcmp(name, "copies") == 0;
    *code = !stub_is(program, STUB_PROGRAM) ? CL_INVALID_PROGRAM
            : of || merges || copies        ? CL_SUCCESS
                                            : CL_INVALID_KERNEL_NAME;
    if (*code != CL_SUCCESS)
        return NULL;
    const cl_kernel kernel = stub_new(STUB_KERNEL, sizeof *kernel);
    stub_retain(program);
    kernel->program = program;
    kernel->arguments.options = program->options;
    kernel->arguments.permuted = strcmp(name, "permuted") == 0;
    kernel->arguments.merges = merges;
    kernel->arguments.copies = copies;
    kernel->arguments.grid_bytes =
        merges   ? sizeof(merge_t)
        : copies ? sizeof(copies_t)
                 : of->struct_bytes[0] + (kernel->arguments.permuted ? 0 : program->options.grid_tail);
    list_parameters(&kernel->arguments);
    if (has_too_many(&kernel->arguments)) {
        clReleaseKernel(kernel);
        *code = CL_OUT_OF_RESOURCES;
        return NULL;
    }
    return kernel;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value) {
    if (!stub_is(kernel, STUB_KERNEL))
        return CL_INVALID_KERNEL;
    stub_arguments *const a = &kernel->arguments;
    if (index >= a->count)
        return CL_INVALID_ARG_INDEX;
    const stub_role role = a->role[index];
    if (bytes != bytes_of(a, role))
        return CL_INVALID_ARG_SIZE;
    const bool buffer = role_bytes[role] == sizeof(cl_mem);
    cl_mem old = NULL, now = NULL;
    if (buffer) {
        memcpy(&old, a->bytes[index], sizeof old);
        memcpy(&now, value, sizeof now);
    }
    if (stub_manners.keep_arguments && now)
        stub_retain(now);
    memcpy(a->bytes[index], value, bytes);
    a->set[index] = true;
    if (stub_manners.keep_arguments && old)
        clReleaseMemObject(old);
    return CL_SUCCESS;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t bytes,
                                void *to, size_t *needed) {
    const size_t group = stub_manners.group ? stub_manners.group : 256;
    (void)device;
    if (!stub_is(kernel, STUB_KERNEL))
        return CL_INVALID_KERNEL;
    return what == CL_KERNEL_WORK_GROUP_SIZE ? stub_answer(&group, sizeof group, bytes, to, needed) : CL_INVALID_VALUE;
}

cl_int clReleaseKernel(cl_kernel kernel) {
    if (!stub_is(kernel, STUB_KERNEL))
        return CL_INVALID_KERNEL;
    if (stub_release(kernel)) {
        static const stub_role roles[] = {ROLE_INPUT, ROLE_MASK,      ROLE_PARTIALS,  ROLE_INDEX,
                                          ROLE_VALUE, ROLE_MAX_INDEX, ROLE_MAX_VALUE, ROLE_COUNTERS};
        for (size_t i = 0; stub_manners.keep_arguments && i < sizeof roles / sizeof roles[0]; ++i)
            if (stub_buffer(&kernel->arguments, roles[i]))
                clReleaseMemObject(stub_buffer(&kernel->arguments, roles[i]));
        clReleaseProgram(kernel->program);
        stub_free(kernel);
    }
    return CL_SUCCESS;
}

const void *stub_argument(const stub_arguments *arguments, stub_role role) {
    for (uint32_t i = 0; i < arguments->count; ++i)
        if (arguments->role[i] == role)
            return arguments->bytes[i];
    return NULL;
}

cl_mem stub_buffer(const stub_arguments *arguments, stub_role role) {
    cl_mem mem = NULL;
    const void *const bytes = stub_argument(arguments, role);
    if (bytes)
        memcpy(&mem, bytes, sizeof mem);
    return mem;
}
