/* Kernel sources to compiled programs: assemble, build, keep. */
#include "api/handle.h"
#include "runtime/kernel_files.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A growing text. `failed` stays set after the first malloc that failed. */
typedef struct text {
    char *bytes;
    size_t used, capacity;
    bool failed;
} text;

static void text_add(text *t, const char *bytes, size_t count) {
    if (t->failed)
        return;
    if (t->used + count + 1 > t->capacity) {
        const size_t capacity = (t->used + count + 1) * 2;
        char *bigger = realloc(t->bytes, capacity);
        if (!bigger) {
            t->failed = true;
            return;
        }
        t->bytes = bigger;
        t->capacity = capacity;
    }
    assert(t->bytes);
    memcpy(t->bytes + t->used, bytes, count);
    t->used += count;
    t->bytes[t->used] = 0;
}

static argmax_cl_status read_file(const char *folder, const char *name, char **out) {
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    char path[4096];
    text content = {NULL, 0, 0, false};
    const size_t length = (size_t)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = length < sizeof path ? fopen(path, "rb") : NULL;
    if (!file)
        return fail(ARGMAX_CL_ERROR_KERNEL_SOURCE, "ARGMAX_CL_KERNELS = \"%s\": cannot read %s there", folder, name);
    char block[4096];
    size_t count;
    text_add(&content, "", 0);
    while ((count = fread(block, 1, sizeof block, file)) > 0)
        text_add(&content, block, count);
    if (ferror(file))
        status = fail(ARGMAX_CL_ERROR_KERNEL_SOURCE, "ARGMAX_CL_KERNELS = \"%s\": cannot read %s there", folder, name);
    else if (content.failed)
        status = fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for the kernel source %s", name);
    fclose(file);
    if (status) {
        free(content.bytes);
        return status;
    }
    assert(content.bytes);
    *out = content.bytes;
    return ARGMAX_CL_SUCCESS;
}

static const char *embedded(const char *name) {
    for (const struct kernel_file *f = kernel_files; f->name; ++f)
        if (strcmp(f->name, name) == 0)
            return f->text;
    return NULL;
}

/* Length of the name in a line `#include "name"`, 0 for any other line. */
static size_t included_name(const char *line, const char **name) {
    static const char directive[] = "#include \"";
    if (strncmp(line, directive, sizeof directive - 1) != 0)
        return 0;
    *name = line + sizeof directive - 1;
    return strcspn(*name, "\"\n");
}

/* Append a source with its includes in place; the files' own guards keep a second copy harmless. OpenCL C has no file
 * system to look into. */
static argmax_cl_status assemble(const char *folder, const char *name, int depth, text *out) {
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    char *loaded = NULL;
    if (folder)
        status = read_file(folder, name, &loaded);
    const char *line = folder ? loaded : embedded(name);
    if (!status && !line)
        status = fail(ARGMAX_CL_ERROR_KERNEL_SOURCE, "kernel source %s is not part of this library", name);
    assert(status || line);
    while (!status && *line) {
        const char *include = NULL;
        const size_t length = strcspn(line, "\n");
        const size_t name_length = included_name(line, &include);
        if (name_length && depth < 8) {
            char inner[128];
            snprintf(inner, sizeof inner, "%.*s", (int)name_length, include);
            status = assemble(folder, inner, depth + 1, out);
        } else {
            text_add(out, line, length);
        }
        text_add(out, "\n", 1);
        line += length + (line[length] == '\n');
    }
    free(loaded);
    return status;
}

static argmax_cl_status report_build(argmax_cl_handle handle, cl_program program, const char *kernel,
                                     const char *options, cl_int code) {
    size_t bytes = 0;
    char *log = NULL;
    if (clGetProgramBuildInfo(program, handle->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) == CL_SUCCESS)
        log = calloc(bytes + 1, 1);
    if (log && clGetProgramBuildInfo(program, handle->device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) != CL_SUCCESS)
        log[0] = 0;
    const argmax_cl_status status = fail_build(kernel, options, code, log ? log : "");
    free(log);
    return status;
}

static argmax_cl_status compile(argmax_cl_handle handle, const char *kernel, const char *options, cl_program *out) {
    text source = {NULL, 0, 0, false};
    cl_program program = NULL;
    char file[64];
    cl_int code;
    const char *folder = environment_trusted("ARGMAX_CL_KERNELS");
    snprintf(file, sizeof file, "families/%s.cl", kernel);
    argmax_cl_status status = assemble(folder && *folder ? folder : NULL, file, 0, &source);
    if (!status && source.failed)
        status = fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory for the source of kernel %s", kernel);
    if (!status) {
        const char *bytes = source.bytes;
        program = clCreateProgramWithSource(handle->context, 1, &bytes, &source.used, &code);
        if (!program)
            status = fail_opencl("clCreateProgramWithSource", code);
    }
    if (!status) {
        code = clBuildProgram(program, 1, &handle->device, options, NULL, NULL);
        if (code != CL_SUCCESS)
            status = report_build(handle, program, kernel, options, code);
    }
    if (status && program)
        clReleaseProgram(program);
    else
        *out = program;
    free(source.bytes);
    return status;
}

static argmax_cl_status compile_entry(argmax_cl_handle handle, const char *kernel, const char *options,
                                      program_entry **out) {
    const size_t length = strlen(kernel) + strlen(options) + 2;
    program_entry *entry = calloc(1, sizeof *entry + length);
    if (!entry)
        return fail(ARGMAX_CL_ERROR_OUT_OF_HOST_MEMORY, "no memory to keep the program of kernel %s", kernel);
    snprintf(entry->key, length, "%s %s", kernel, options);
    const argmax_cl_status status = compile(handle, kernel, options, &entry->program);
    if (status) {
        free(entry);
        return status;
    }
    *out = entry;
    return ARGMAX_CL_SUCCESS;
}

static bool entry_is(const program_entry *entry, const char *kernel, const char *options) {
    const size_t length = strlen(kernel);
    return strncmp(entry->key, kernel, length) == 0 && entry->key[length] == ' ' &&
           strcmp(entry->key + length + 1, options) == 0;
}

argmax_cl_status program_get(argmax_cl_handle handle, const char *kernel, const char *options, cl_program *program) {
    argmax_cl_status status = ARGMAX_CL_SUCCESS;
    pthread_mutex_lock(&handle->build_lock);
    program_entry *entry = handle->programs;
    while (entry && !entry_is(entry, kernel, options))
        entry = entry->next;
    if (!entry) {
        status = compile_entry(handle, kernel, options, &entry);
        if (!status) {
            assert(entry);
            entry->next = handle->programs;
            handle->programs = entry;
        }
    }
    if (!status)
        *program = entry->program;
    pthread_mutex_unlock(&handle->build_lock);
    return status;
}

void programs_release(argmax_cl_handle handle) {
    while (handle->programs) {
        program_entry *entry = handle->programs;
        handle->programs = entry->next;
        clReleaseProgram(entry->program);
        free(entry);
    }
}
