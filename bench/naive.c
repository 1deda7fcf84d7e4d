#include "naive.h"

#include "naive_cl.h"

#include <stdio.h>
#include <string.h>

/* A GPU gives a work-group to each output while there are fewer than so many; a CPU to a single one. */
static const uint64_t GPU_GROUP_BELOW = 1024, CPU_GROUP_BELOW = 2;

enum { GPU_LOCAL = 256, CPU_LOCAL = 64 };

/* Axes of the problem with neighbours joined that can be walked as one, outermost first. */
typedef struct walk {
    uint32_t rank;
    uint64_t size[PROBLEM_MAX_RANK];
    int64_t input[PROBLEM_MAX_RANK], index[PROBLEM_MAX_RANK], value[PROBLEM_MAX_RANK]; /* strides */
} walk;

static void add_axis(walk *w, const problem_line *p, uint32_t d, bool reduced) {
    const int64_t size = (int64_t)p->size[d];
    const int64_t input = p->input.stride[d], index = reduced ? 0 : p->index.stride[d];
    const int64_t value = reduced ? 0 : p->value.stride[d];
    if (size == 1)
        return;
    const uint32_t last = w->rank - 1;
    if (w->rank > 0 && w->input[last] == size * input && w->index[last] == size * index &&
        w->value[last] == size * value) {
        w->size[last] *= (uint64_t)size;
        w->input[last] = input;
        w->index[last] = index;
        w->value[last] = value;
        return;
    }
    w->size[w->rank] = (uint64_t)size;
    w->input[w->rank] = input;
    w->index[w->rank] = index;
    w->value[w->rank++] = value;
}

static walk walk_of(const problem_line *p, bool reduced) {
    walk w = {.rank = 0};
    for (uint32_t d = 0; d < p->rank; d++)
        if (problem_axis_reduced(p, d) == reduced)
            add_axis(&w, p, d, reduced);
    if (reduced && w.rank == 0) {
        w.size[0] = 1;
        w.rank = 1;
    }
    return w;
}

static size_t put_shape(const problem_line *p, const walk *kept, const walk *reduced, cl_long *shape) {
    size_t n = 0;
    shape[n++] = (cl_long)p->input.offset;
    shape[n++] = (cl_long)p->index.offset;
    shape[n++] = (cl_long)p->value.offset;
    shape[n++] = (cl_long)problem_output_count(p);
    for (uint32_t d = 0; d < kept->rank; d++) {
        shape[n++] = (cl_long)kept->size[d];
        shape[n++] = kept->input[d];
        shape[n++] = kept->index[d];
        shape[n++] = kept->value[d];
    }
    for (uint32_t d = 0; d < reduced->rank; d++) {
        shape[n++] = (cl_long)reduced->size[d];
        shape[n++] = reduced->input[d];
    }
    return n;
}

/* The element in memory, what it is compared as, and how one becomes the other. */
typedef struct naive_type {
    argmax_cl_dtype dtype;
    const char *stored, *compared, *load;
} naive_type;

static const naive_type types[] = {
    {ARGMAX_CL_FLOAT16, "ushort", "float", "vload_half(i, (__global const half *)(p))"},
    {ARGMAX_CL_BFLOAT16, "ushort", "float", "as_float((uint)(p)[i] << 16)"},
    {ARGMAX_CL_FLOAT32, "float", "float", "(p)[i]"},
    {ARGMAX_CL_FLOAT64, "double", "double", "(p)[i]"},
    {ARGMAX_CL_INT8, "char", "char", "(p)[i]"},
    {ARGMAX_CL_UINT8, "uchar", "uchar", "(p)[i]"},
    {ARGMAX_CL_INT16, "short", "short", "(p)[i]"},
    {ARGMAX_CL_UINT16, "ushort", "ushort", "(p)[i]"},
    {ARGMAX_CL_INT32, "int", "int", "(p)[i]"},
    {ARGMAX_CL_UINT32, "uint", "uint", "(p)[i]"},
    {ARGMAX_CL_INT64, "long", "long", "(p)[i]"},
    {ARGMAX_CL_UINT64, "ulong", "ulong", "(p)[i]"},
};

static const naive_type *type_of(argmax_cl_dtype dtype) {
    size_t i = 0;
    while (types[i].dtype != dtype)
        i++;
    return &types[i];
}

static const char *index_name(argmax_cl_dtype type) {
    return type == ARGMAX_CL_INT64    ? "long"
           : type == ARGMAX_CL_UINT64 ? "ulong"
           : type == ARGMAX_CL_INT32  ? "int"
                                      : "uint";
}

/* The kernel with these macros. */
static cl_kernel find_kernel(naive_kernels *kernels, const char *macros) {
    static char source[sizeof kernels->built[0].macros + sizeof NAIVE_CL];
    for (size_t i = 0; i < kernels->count; i++)
        if (strcmp(kernels->built[i].macros, macros) == 0)
            return kernels->built[i].kernel;
    if (kernels->count == NAIVE_KERNELS_MOST)
        return complain("more than %d naive kernels", NAIVE_KERNELS_MOST), NULL;
    snprintf(source, sizeof source, "%s%s", macros, NAIVE_CL);
    const cl_kernel kernel = device_kernel(kernels->device, source, "", "naive");
    if (kernel != NULL) {
        snprintf(kernels->built[kernels->count].macros, sizeof kernels->built[0].macros, "%s", macros);
        kernels->built[kernels->count++].kernel = kernel;
    }
    return kernel;
}

bool naive_open(naive_kernels *kernels, const bench_device *device) {
    cl_int code;
    kernels->device = device;
    kernels->count = 0;
    kernels->shape = clCreateBuffer(device->context, CL_MEM_READ_ONLY, NAIVE_SHAPE_MOST * sizeof(cl_long), NULL, &code);
    return succeeded(code, "clCreateBuffer");
}

void naive_close(naive_kernels *kernels) {
    for (size_t i = 0; i < kernels->count; i++)
        clReleaseKernel(kernels->built[i].kernel);
    if (kernels->shape != NULL)
        clReleaseMemObject(kernels->shape);
}

bool naive_prepare(naive_kernels *kernels, const problem_line *p, cl_mem input, cl_mem index, cl_mem value,
                   naive_run *run) {
    const bench_device *const device = kernels->device;
    const walk kept = walk_of(p, false), reduced = walk_of(p, true);
    const uint64_t outputs = problem_output_count(p), reduction = problem_reduction_count(p);
    const bool per_group = outputs < (device->is_cpu ? CPU_GROUP_BELOW : GPU_GROUP_BELOW);
    const bool largest = p->op == ARGMAX_CL_ARGMAX, last = p->direction == ARGMAX_CL_DECREASING;
    const bool small = outputs < UINT32_MAX - GPU_LOCAL && reduction < UINT32_MAX - GPU_LOCAL;
    run->local = device->is_cpu ? CPU_LOCAL : GPU_LOCAL;
    run->global =
        per_group ? (size_t)outputs * run->local : ((size_t)outputs + run->local - 1) / run->local * run->local;
    const naive_type *const type = type_of(p->dtype);
    char macros[sizeof kernels->built[0].macros];
    snprintf(macros, sizeof macros,
             "%s#define STORED %s\n#define COMPARED %s\n#define LOAD(p, i) %s\n#define BETTER %s%s\n"
             "#define BETTER_INDEX %s\n#define INDEX %s\n#define NUMBER %s\n#define KEPT %u\n#define REDUCED %u\n%s%s"
             "#define GROUP %zu\n",
             p->dtype == ARGMAX_CL_FLOAT64 ? "#define DOUBLE\n" : "", type->stored, type->compared, type->load,
             largest ? ">" : "<", last ? "=" : "", last ? ">" : "<", index_name(p->index_type),
             small ? "uint" : "ulong", (unsigned)kept.rank, (unsigned)reduced.rank,
             p->has_value ? "#define VALUES\n" : "", per_group ? "#define PER_GROUP\n" : "", run->local);
    run->kernel = find_kernel(kernels, macros);
    if (run->kernel == NULL)
        return false;
    cl_long shape[NAIVE_SHAPE_MOST];
    const size_t numbers = put_shape(p, &kept, &reduced, shape);
    cl_int code = clEnqueueWriteBuffer(device->plain, kernels->shape, CL_TRUE, 0, numbers * sizeof shape[0], shape, 0,
                                       NULL, NULL);
    code |= clSetKernelArg(run->kernel, 0, sizeof input, &input);
    code |= clSetKernelArg(run->kernel, 1, sizeof index, &index);
    code |= clSetKernelArg(run->kernel, 2, sizeof index, value != NULL ? &value : &index);
    code |= clSetKernelArg(run->kernel, 3, sizeof kernels->shape, &kernels->shape);
    return succeeded(code, "clSetKernelArg");
}

bool naive_enqueue(const naive_run *run, cl_command_queue queue) {
    return succeeded(clEnqueueNDRangeKernel(queue, run->kernel, 1, NULL, &run->global, &run->local, 0, NULL, NULL),
                     "clEnqueueNDRangeKernel of the naive kernel");
}
