/* run_stream [--device SELECTOR] [--gib N] [--axis 0|1|2] [--copies] [--block BYTES] [--memory-limit BYTES] [--file
 * FILE]
 *
 * How fast host arrays go through in blocks: float32 (N*256, 1024, 1024) in host memory, or mapped from the start of a
 * file that long, reduced along an axis. Prints GB/s of argmax_cl_host, and beside it of the two that bound it: plain
 * transfers of 64 MiB from pinned memory, and the kernels alone on as much as one buffer holds. --copies uses nothing
 * in place; --block makes that the device's largest buffer. The answer is checked by a peak. */
#include "api/handle.h"
#include "api/stream.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROW ((uint64_t)1024 * 1024)
#define PIECE ((size_t)64 << 20)

static uint64_t sizes[3] = {256, 1024, 1024};
static uint32_t axis;

static int complain(const char *what) {
    fprintf(stderr, "%s: %s\n", what, argmax_cl_last_error());
    return 1;
}

/* No element beats the peak, which the fifth row from the end has at (7, 9). */
static void fill(float *data, uint64_t count) {
    uint32_t x = 1;
    const uint64_t pattern = count < ROW * 16 ? count : ROW * 16;
    for (uint64_t i = 0; i < pattern; i++) {
        x = x * 1664525 + 1013904223;
        data[i] = (float)(x >> 9);
    }
    for (uint64_t i = pattern; i < count; i += pattern)
        memcpy(data + i, data, (size_t)(count - i < pattern ? count - i : pattern) * sizeof *data);
    data[(sizes[0] - 5) * ROW + (uint64_t)7 * 1024 + 9] = 1e9F;
}

static double transfer_rate(argmax_cl_handle handle) {
    cl_int code;
    const cl_command_queue queue = clCreateCommandQueue(handle->context, handle->device, 0, &code);
    const cl_mem device = clCreateBuffer(handle->context, CL_MEM_READ_ONLY, PIECE, NULL, &code);
    const cl_mem pinned = clCreateBuffer(handle->context, CL_MEM_ALLOC_HOST_PTR, PIECE, NULL, &code);
    void *const from = clEnqueueMapBuffer(queue, pinned, CL_TRUE, CL_MAP_WRITE, 0, PIECE, 0, NULL, NULL, &code);
    memset(from, 1, PIECE);
    double start = 0;
    for (int i = 0; i < 34; i++) {
        if (i == 2) {
            clFinish(queue);
            start = host_clock();
        }
        clEnqueueWriteBuffer(queue, device, CL_FALSE, 0, PIECE, from, 0, NULL, NULL);
    }
    clFinish(queue);
    const double seconds = host_clock() - start;
    clEnqueueUnmapMemObject(queue, pinned, from, 0, NULL, NULL);
    clFinish(queue);
    clReleaseMemObject(pinned);
    clReleaseMemObject(device);
    clReleaseCommandQueue(queue);
    return 32 * (double)PIECE / seconds * 1e-9;
}

int main(int argc, char **argv) {
    const char *selector = NULL, *file = NULL;
    uint64_t gib = 1, block = 0;
    bool copies = false;
    argmax_cl_handle handle = NULL;
    argmax_cl_host_options options = ARGMAX_CL_HOST_OPTIONS_INIT;
    for (int i = 1; i < argc; i++) {
        const char *const more = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--copies") == 0) {
            copies = true;
            continue;
        }
        i++;
        if (strcmp(argv[i - 1], "--device") == 0)
            selector = more;
        else if (strcmp(argv[i - 1], "--gib") == 0)
            gib = strtoull(more, NULL, 10);
        else if (strcmp(argv[i - 1], "--axis") == 0)
            axis = (uint32_t)strtoul(more, NULL, 10);
        else if (strcmp(argv[i - 1], "--block") == 0)
            block = strtoull(more, NULL, 10);
        else if (strcmp(argv[i - 1], "--memory-limit") == 0)
            options.memory_limit = strtoull(more, NULL, 10);
        else if (strcmp(argv[i - 1], "--file") == 0)
            file = more;
        else
            return complain("see run_stream.c for the arguments");
    }
    if (argmax_cl_create_default(&handle, selector))
        return complain("handle");
    sizes[0] = gib * 256;
    const uint64_t count = sizes[0] * ROW, bytes = count * sizeof(float), outputs = count / sizes[axis];
    const int descriptor = file ? open(file, O_RDONLY) : -1;
    void *const memory = mmap(NULL, (size_t)bytes, file ? PROT_READ : PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | (file ? 0 : MAP_ANONYMOUS), descriptor, 0);
    int64_t *const index = malloc((size_t)outputs * sizeof *index);
    if (memory == MAP_FAILED || !index) {
        free(index);
        return complain("no memory");
    }
    if (!file)
        fill(memory, count);
    argmax_cl_tensor in = ARGMAX_CL_TENSOR_INIT, out = ARGMAX_CL_TENSOR_INIT;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    double compute = 0, transfer = 0;
    in.dtype = ARGMAX_CL_FLOAT32;
    in.rank = 3;
    in.sizes = sizes;
    out.dtype = ARGMAX_CL_INT64;
    desc.input = &in;
    desc.index = &out;
    desc.axis_count = 1;
    desc.axes = &axis;
    arrays.input = memory;
    arrays.index = index;
    const double pinned = transfer_rate(handle);
    handle->facts.host_unified = handle->facts.host_unified && !copies;
    if (block)
        handle->facts.max_buffer = block;
    double best = 0;
    for (int turn = 0; turn < 3; turn++) {
        const double start = host_clock();
        if (argmax_cl_host(handle, &desc, &arrays, &options)) {
            free(index);
            return complain("argmax_cl_host");
        }
        const double seconds = host_clock() - start;
        best = best == 0 || seconds < best ? seconds : best;
    }
    options.seconds_compute = &compute;
    options.seconds_transfer = &transfer;
    if (argmax_cl_host(handle, &desc, &arrays, &options)) {
        free(index);
        return complain("argmax_cl_host");
    }
    const uint64_t peak[] = {sizes[0] - 5, 7, 9};
    uint64_t at = 0;
    for (uint32_t i = 0; i < 3; i++)
        at = i == axis ? at : at * sizes[i] + peak[i];
    const bool right = file || index[at] == (int64_t)peak[axis];
    printf("%s: %" PRIu64 " GiB, axis %" PRIu32 "%s: %.2f GB/s; pinned transfers %.2f, kernels %.2f GB/s; answer %s\n",
           handle->facts.name, gib, axis, handle->facts.host_unified ? ", in place" : ", copied",
           (double)bytes / best * 1e-9, pinned, compute > 0 ? (double)bytes / compute * 1e-9 : 0.0,
           right ? "right" : "WRONG");
    munmap(memory, (size_t)bytes);
    free(index);
    argmax_cl_destroy(handle);
    return right ? 0 : 1;
}
