/* The C++ layer on a device: every call, with and without exceptions (ARGMAX_CL_ENABLE_EXCEPTIONS is the build's). */
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <argmax_cl/argmax_cl.hpp>

#include <cstdio>
#include <cstring>
#include <utility>

static int failures;

static void expect(bool good, const char *what) {
    if (!good) {
        std::fprintf(stderr, "test_cxx: %s (last error: %s)\n", what, argmax_cl_last_error());
        ++failures;
    }
}

static const float matrix[] = {1, 7, 3, 7, -5, -2, -9, -4, 0, 0, 0, 8};
static const argmaxcl::Problem rows{{ARGMAX_CL_FLOAT32, {3, 4}}, {1}};

static void host_arrays(const argmaxcl::Handle &handle) {
    std::int64_t where[3] = {};
    handle.host(argmax_cl_host, rows, matrix, where);
    expect(where[0] == 1 && where[1] == 1 && where[2] == 3, "host: argmax of the rows");

    /* Columns, last of equal extrema, with values, by strides: the transposed matrix along its axis 1. */
    argmaxcl::Problem columns{{ARGMAX_CL_FLOAT32, {4, 3}, {1, 4}}, {1}, {ARGMAX_CL_INT32}, {{ARGMAX_CL_FLOAT32}}};
    columns.direction = ARGMAX_CL_DECREASING;
    std::int32_t narrow[4] = {};
    float least[4] = {};
    handle.host(argmin_cl_host, columns, matrix, narrow, least);
    expect(narrow[0] == 1 && narrow[1] == 1 && narrow[2] == 1 && narrow[3] == 1, "host: argmin of the columns");
    expect(least[0] == -5 && least[3] == -4, "host: their values");

    /* Both extrema of the rows without the elements that a mask leaves out. */
    argmaxcl::Problem both = rows;
    both.mask = {{ARGMAX_CL_UINT8, {3, 4}}};
    both.max_index = {{ARGMAX_CL_INT32}};
    both.max_direction = ARGMAX_CL_DECREASING;
    const std::uint8_t mask[] = {0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0};
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.input = matrix;
    arrays.index = where;
    arrays.mask = mask;
    arrays.max_index = narrow;
    handle.host(argminmax_cl_host, both, arrays);
    expect(where[0] == 2 && where[1] == -1 && where[2] == 0, "host: masked argmin of the rows");
    expect(narrow[0] == 3 && narrow[1] == -1 && narrow[2] == 2, "host: masked argmax of the rows");
}

struct Device {
    cl::Context context;
    cl::CommandQueue queue;
    cl::Buffer input, index;
    argmaxcl::Handle handle;
    explicit Device(const argmaxcl::Handle &first) {
        cl_context raw_context;
        cl_device_id raw_device;
        expect(!argmax_cl_get_device(first(), &raw_context, &raw_device), "get_device");
        const cl::Device device(raw_device, true);
        context = cl::Context(device);
        queue = cl::CommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        input = cl::Buffer(context, CL_MEM_READ_WRITE, sizeof matrix);
        index = cl::Buffer(context, CL_MEM_READ_WRITE, 3 * sizeof(std::int64_t));
        handle = argmaxcl::Handle(context, device);
    }
    /* The rows' answers by what `enqueue` enqueues after the input's transfer. */
    template <typename Enqueue> void answers(const char *what, Enqueue enqueue) {
        std::vector<cl::Event> written(1), done(1);
        std::int64_t where[3] = {};
        expect(!queue.enqueueWriteBuffer(input, CL_FALSE, 0, sizeof matrix, matrix, nullptr, &written[0]), "write");
        expect(!enqueue(&written, &done[0]) && done[0](), what);
        expect(!queue.enqueueReadBuffer(index, CL_TRUE, 0, sizeof where, where, &done), "read");
        expect(where[0] == 1 && where[1] == 1 && where[2] == 3, what);
    }
};

static void device_buffers(Device &d) {
    const auto buffers = argmaxcl::buffers(d.input, d.index);
    d.answers("enqueue", [&](std::vector<cl::Event> *waits, cl::Event *done) {
        return d.handle.enqueue(argmax_cl, d.queue, rows, buffers, waits, done);
    });
    argmaxcl::Plan plan(d.handle, ARGMAX_CL_ARGMAX, rows);
    std::size_t bytes = 1;
    expect(!plan.workspace_size(&bytes), "workspace_size");
    const cl::Buffer workspace = bytes ? cl::Buffer(d.context, CL_MEM_READ_WRITE, bytes) : cl::Buffer();
    argmaxcl::Plan moved = std::move(plan);
    expect(!plan && !!moved, "a plan that has moved is empty");
    d.answers("plan", [&](std::vector<cl::Event> *waits, cl::Event *done) {
        return moved.enqueue(d.queue, buffers, workspace, waits, done);
    });
}

/* Each failing call gives this status, by its return or by what it throws; a message stands beside it. */
template <typename Call> static void refused(argmax_cl_status expected, const char *message, Call call) {
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
#ifdef ARGMAX_CL_ENABLE_EXCEPTIONS
    try {
        call();
    } catch (const argmaxcl::Error &error) {
        status = error.status;
        expect(std::strstr(error.what(), message), message);
    }
#else
    status = call();
    expect(std::strstr(argmax_cl_last_error(), message), message);
#endif
    expect(status == expected, message);
}

static void refusals(const argmaxcl::Handle &handle) {
    std::int64_t where[3];
    refused(ARGMAX_CL_ERROR_INVALID_AXES, "axes[0] = 2",
            [&] { return handle.host(argmax_cl_host, {{ARGMAX_CL_FLOAT32, {3, 4}}, {2}}, matrix, where); });
    refused(ARGMAX_CL_ERROR_INVALID_RANK, "rank = 0",
            [&] { return handle.host(argmax_cl_host, {{ARGMAX_CL_FLOAT32, {3, 4}, {1}}, {1}}, matrix, where); });
    refused(ARGMAX_CL_ERROR_NO_DEVICE, "no such device", [] {
        argmax_cl_status status;
        const argmaxcl::Handle none("no such device", &status);
        expect(!none, "a handle without a device is empty");
        return status;
    });
    refused(ARGMAX_CL_ERROR_INVALID_AXES, "axes[0] = 7", [&] {
        argmax_cl_status status;
        argmaxcl::Plan(handle, ARGMAX_CL_ARGMIN, {{ARGMAX_CL_FLOAT32, {3, 4}}, {7}}, &status);
        return status;
    });
}

int main() {
    const argmaxcl::Handle handle;
    if (!handle)
        return 1;
    host_arrays(handle);
    Device device(handle);
    device_buffers(device);
    refusals(handle);
    return failures ? 1 : 0;
}
