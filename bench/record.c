/* Device time of everything that one library call launches, and how much it compiles.
 *
 * The library hands out one event, for its last command; the time of a reduction in two launches begins with the
 * first. So the linker passes every launch of this program through here (--wrap), and the events that nobody asked for
 * are kept until record_stop. */
#include "device.h"
#include "threads.h"

enum { MAX_EVENTS = 64, NO_LAUNCH_NS = 100 /* is that short */ };

static struct {
    unsigned builds, launches; /* since the process began */
    bool on;
    int count;
    cl_event events[MAX_EVENTS];
    bool no_clock;  /* the device's times say nothing */
    double started; /* by the host's clock */
} record;

/* The linker's names for the OpenCL function and for what stands in its place. */
cl_int __real_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint wait_count,
                                     const cl_event *wait_list, cl_event *event);
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint wait_count,
                                     const cl_event *wait_list, cl_event *event);

cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint wait_count,
                                     const cl_event *wait_list, cl_event *event) {
    cl_event own = NULL;
    record.launches++;
    const bool keep = record.on && record.count < MAX_EVENTS;
    cl_event *const wanted = event == NULL && keep ? &own : event;
    const cl_int code =
        __real_clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, wait_count, wait_list, wanted);
    if (code == CL_SUCCESS && keep) {
        if (event != NULL)
            clRetainEvent(*event);
        record.events[record.count++] = *wanted;
    }
    return code;
}

cl_int __real_clBuildProgram(cl_program program, cl_uint device_count, const cl_device_id *devices, const char *options,
                             void(CL_CALLBACK *done)(cl_program, void *), void *context);
cl_int __wrap_clBuildProgram(cl_program program, cl_uint device_count, const cl_device_id *devices, const char *options,
                             void(CL_CALLBACK *done)(cl_program, void *), void *context);

cl_int __wrap_clBuildProgram(cl_program program, cl_uint device_count, const cl_device_id *devices, const char *options,
                             void(CL_CALLBACK *done)(cl_program, void *), void *context) {
    record.builds++;
    return __real_clBuildProgram(program, device_count, devices, options, done, context);
}

unsigned record_builds(void) {
    return record.builds;
}

unsigned record_launches(void) {
    return record.launches;
}

void record_start(cl_command_queue queue) {
    record.on = true;
    record.count = 0;
    if (record.no_clock)
        clFinish(queue);
    record.started = now();
}

double record_stop(cl_command_queue queue) {
    bool good = succeeded(clFinish(queue), "clFinish");
    const double ended = now();
    cl_ulong first = ~(cl_ulong)0, last = 0;
    record.on = false;
    for (int i = 0; i < record.count; i++) {
        cl_ulong start = 0, end = 0;
        cl_int code = clGetEventProfilingInfo(record.events[i], CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
        if (code == CL_SUCCESS)
            code = clGetEventProfilingInfo(record.events[i], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
        good = good && succeeded(code, "clGetEventProfilingInfo");
        first = start < first ? start : first;
        last = end > last ? end : last;
        clReleaseEvent(record.events[i]);
    }
    if (good && record.count == 0)
        return complain("nothing was launched"), -1;
    if (good && last - first < NO_LAUNCH_NS)
        record.no_clock = true;
    return !good ? -1 : record.no_clock ? ended - record.started : 1e-9 * (double)(last - first);
}
