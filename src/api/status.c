/* The status table and each thread's detail of its last failure. */
#include "internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Room for a sentence and a compiler's log. */
#define MESSAGE_BYTES 8192

static _Thread_local char last_message[MESSAGE_BYTES];
static _Thread_local cl_int last_code = CL_SUCCESS;

#define STATUS(name, value, sentence) _Static_assert(ARGMAX_CL_##name == (value), "pinned: " #name);
#include "api/status.def"
#undef STATUS

static const char *const sentences[] = {
#define STATUS(name, value, sentence) [value] = (sentence),
#include "api/status.def"
#undef STATUS
};

static const struct {
    cl_int code;
    const char *name;
} opencl_errors[] = {
#define CODE(name) {name, #name}
    CODE(CL_SUCCESS),
    CODE(CL_DEVICE_NOT_FOUND),
    CODE(CL_DEVICE_NOT_AVAILABLE),
    CODE(CL_COMPILER_NOT_AVAILABLE),
    CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    CODE(CL_OUT_OF_RESOURCES),
    CODE(CL_OUT_OF_HOST_MEMORY),
    CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
    CODE(CL_MEM_COPY_OVERLAP),
    CODE(CL_IMAGE_FORMAT_MISMATCH),
    CODE(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    CODE(CL_BUILD_PROGRAM_FAILURE),
    CODE(CL_MAP_FAILURE),
    CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    CODE(CL_COMPILE_PROGRAM_FAILURE),
    CODE(CL_LINKER_NOT_AVAILABLE),
    CODE(CL_LINK_PROGRAM_FAILURE),
    CODE(CL_DEVICE_PARTITION_FAILED),
    CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    CODE(CL_INVALID_VALUE),
    CODE(CL_INVALID_DEVICE_TYPE),
    CODE(CL_INVALID_PLATFORM),
    CODE(CL_INVALID_DEVICE),
    CODE(CL_INVALID_CONTEXT),
    CODE(CL_INVALID_QUEUE_PROPERTIES),
    CODE(CL_INVALID_COMMAND_QUEUE),
    CODE(CL_INVALID_HOST_PTR),
    CODE(CL_INVALID_MEM_OBJECT),
    CODE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    CODE(CL_INVALID_IMAGE_SIZE),
    CODE(CL_INVALID_SAMPLER),
    CODE(CL_INVALID_BINARY),
    CODE(CL_INVALID_BUILD_OPTIONS),
    CODE(CL_INVALID_PROGRAM),
    CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    CODE(CL_INVALID_KERNEL_NAME),
    CODE(CL_INVALID_KERNEL_DEFINITION),
    CODE(CL_INVALID_KERNEL),
    CODE(CL_INVALID_ARG_INDEX),
    CODE(CL_INVALID_ARG_VALUE),
    CODE(CL_INVALID_ARG_SIZE),
    CODE(CL_INVALID_KERNEL_ARGS),
    CODE(CL_INVALID_WORK_DIMENSION),
    CODE(CL_INVALID_WORK_GROUP_SIZE),
    CODE(CL_INVALID_WORK_ITEM_SIZE),
    CODE(CL_INVALID_GLOBAL_OFFSET),
    CODE(CL_INVALID_EVENT_WAIT_LIST),
    CODE(CL_INVALID_EVENT),
    CODE(CL_INVALID_OPERATION),
    CODE(CL_INVALID_GL_OBJECT),
    CODE(CL_INVALID_BUFFER_SIZE),
    CODE(CL_INVALID_MIP_LEVEL),
    CODE(CL_INVALID_GLOBAL_WORK_SIZE),
    CODE(CL_INVALID_PROPERTY),
    CODE(CL_INVALID_IMAGE_DESCRIPTOR),
    CODE(CL_INVALID_COMPILER_OPTIONS),
    CODE(CL_INVALID_LINKER_OPTIONS),
    CODE(CL_INVALID_DEVICE_PARTITION_COUNT),
#undef CODE
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"}, /* cl_khr_icd; its header is not everywhere */
};

const char *opencl_error_name(cl_int code) {
    for (size_t i = 0; i < sizeof opencl_errors / sizeof opencl_errors[0]; i++)
        if (opencl_errors[i].code == code)
            return opencl_errors[i].name;
    return "unknown";
}

/* Formats aside first: an argument may point into the message that is replaced. */
PRINTF_LIKE(2, 0) static void record(cl_int code, const char *format, va_list arguments) {
    char text[MESSAGE_BYTES];
    text[0] = text[sizeof text - 1] = '\0';
    (void)vsnprintf(text, sizeof text, format, arguments);
    memcpy(last_message, text, strlen(text) + 1);
    last_code = code;
}

argmax_cl_status fail_with(argmax_cl_status status, cl_int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    record(code, format, arguments);
    va_end(arguments);
    return status;
}

argmax_cl_status fail(argmax_cl_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    record(CL_SUCCESS, format, arguments);
    va_end(arguments);
    return status;
}

argmax_cl_status fail_opencl(const char *call, cl_int code) {
    return fail_with(ARGMAX_CL_ERROR_OPENCL, code, "%s failed with %d (%s)", call, (int)code, opencl_error_name(code));
}

argmax_cl_status fail_buffer(const char *what, uint64_t bytes, cl_int code) {
    return fail_with(ARGMAX_CL_ERROR_OPENCL, code, "clCreateBuffer for %s of %" PRIu64 " bytes failed with %d (%s)",
                     what, bytes, (int)code, opencl_error_name(code));
}

argmax_cl_status fail_build(const char *kernel, const char *options, cl_int code, const char *log) {
    const char *const text = log && log[0] ? log : "the compiler left no log";
    return fail_with(ARGMAX_CL_ERROR_BUILD, code,
                     "kernel %s did not compile: clBuildProgram failed with %d (%s), build options \"%s\"\n%s", kernel,
                     (int)code, opencl_error_name(code), options ? options : "", text);
}

const char *argmax_cl_status_string(argmax_cl_status status) {
    const size_t count = sizeof sentences / sizeof sentences[0];
    return (size_t)status < count ? sentences[(size_t)status] : "unknown status";
}

const char *argmax_cl_last_error(void) {
    return last_message;
}

cl_int argmax_cl_last_opencl_error(void) {
    return last_code;
}
