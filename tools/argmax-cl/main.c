/* argmax-cl: the operator on files. What it does is in docs/cli.md, step by step in run() below. */
#include "answer.h"
#include "cleanup.h"
#include "device.h"
#include "input.h"
#include "json.h"
#include "netcdf_file.h"
#include "netcdf_write.h"
#include "npy.h"
#include "options.h"
#include "output.h"
#include "plot.h"
#include "summary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_GOOD = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

/* All that a run owns. */
typedef struct run_state {
    reader input;
    mask_file mask;
    answer result;
    argmax_cl_handle handle;
    output outputs[3]; /* of the indices, of the values, a picture */
} run_state;

/* A closed standard stream's number would go to the next file opened, and messages into that file. */
static void guard_standard_streams(void) {
    for (int file = 0; file < 3; ++file)
        if (fcntl(file, F_GETFD) < 0)
            (void)open("/dev/null", file == 0 ? O_WRONLY : O_RDONLY); /* as before, every use of it fails */
}

static bool finish_stdout(message *m) {
    errno = 0;
    return (fflush(stdout) == 0 && !ferror(stdout)) ||
           complain(m, "standard output: cannot be written: %s", strerror(errno ? errno : EIO));
}

static bool print_version(void) {
    const char *netcdf = netcdf_version();
    (void)printf("argmax-cl %s, ", argmax_cl_version());
    if (netcdf)
        (void)printf("NetCDF %.*s\n", (int)strcspn(netcdf, " "), netcdf); /* the date of its build follows */
    else
        (void)printf("built without NetCDF\n");
    return true;
}

/* The two result files: what is written where. */
typedef struct result_file {
    const char *path; /* NULL: not asked for */
    argmax_cl_dtype dtype;
    const spill *room;  /* of the results */
    const void *data;   /* NULL before it is computed */
    spill_place *place; /* of the data in the file, when there is no memory for them */
    uint64_t bytes;
    uint8_t header[NPY_FORMAT_MAX];
    size_t header_bytes;
} result_file;

static void describe_files(run_state *s, const options *o, result_file files[2]) {
    uint64_t sizes[ANSWER_RANK_MAX];
    const uint32_t rank = answer_file_shape(&s->result, &s->input.a, o->squeeze, sizes);
    files[0] = (result_file){.path = o->output,
                             .dtype = o->index_type,
                             .data = s->result.index,
                             .room = &s->result.index_room,
                             .place = &s->result.index_place};
    files[1] = (result_file){.path = o->values,
                             .dtype = s->result.value_type,
                             .data = s->result.value,
                             .room = &s->result.value_room,
                             .place = &s->result.value_place};
    for (size_t i = 0; i < 2; ++i) {
        files[i].bytes = s->result.extrema * s->result.points * argmax_cl_dtype_size(files[i].dtype);
        files[i].header_bytes = npy_format(files[i].header, files[i].dtype, i == 1 && s->input.a.boolean, rank, sizes);
    }
}

/* By the end of the name. */
static bool names_netcdf(const char *path) {
    const size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".nc") == 0;
}

static bool open_outputs(run_state *s, const options *o, const struct stat *input, message *m) {
    const output_source sources[2] = {{"the INPUT file", input}, {"the --mask file", &s->mask.identity}};
    const size_t count = o->mask ? 2 : 1;
    result_file files[2];
    describe_files(s, o, files);
    for (size_t i = 0; i < 2; ++i)
        if (files[i].path && names_netcdf(files[i].path) &&
            (!netcdf_version() || s->input.a.dtype == ARGMAX_CL_FLOAT16))
            return complain(m, "%s: a NetCDF file, expected .npy: %s", files[i].path,
                            netcdf_version() ? "NetCDF has no float16" : "this program was built without libnetcdf");
    for (size_t i = 0; i < 2; ++i) {
        if (files[i].path &&
            !output_open(&s->outputs[i], files[i].path, count, sources, files[i].header_bytes + files[i].bytes, m))
            return false;
        if (files[i].path && !names_netcdf(files[i].path))
            *files[i].place = (spill_place){s->outputs[i].file, files[i].header_bytes};
    }
    return !o->plot ||
           (plot_check(&s->result, &s->input.a, m) && output_open(&s->outputs[2], o->plot, count, sources, 0, m));
}

static bool write_output(run_state *s, const result_file *f, size_t which, message *m) {
    output *out = &s->outputs[which];
    if (names_netcdf(f->path))
        return netcdf_write(out->temporary, f->path, &s->input, &s->result, which == 0, m) && output_finish(out, m);
    const bool there = f->room->mapped != NULL; /* then the data are in the file */
    return output_write(out, f->header, f->header_bytes, f->data, there ? 0 : f->bytes, m);
}

static bool write_outputs(run_state *s, const options *o, message *m) {
    result_file files[2];
    describe_files(s, o, files);
    for (size_t i = 0; i < 2; ++i)
        if (files[i].path && !write_output(s, &files[i], i, m))
            return false;
    if (o->plot && (!plot_write(s->outputs[2].temporary, o->plot, &s->input.a, &s->result, o, m) ||
                    !output_finish(&s->outputs[2], m)))
        return false;
    return output_commit(s->outputs, 3, m);
}

static bool open_mask(run_state *s, const options *o, message *m) {
    if (!o->mask)
        return true;
    if (!mask_open(&s->mask, o->mask, &s->input.a, o->input, m))
        return false;
    if (*s->mask.source.a.notes)
        append(s->input.a.notes, sizeof s->input.a.notes, "%s: %s", o->mask, s->mask.source.a.notes);
    return true;
}

static bool compute(run_state *s, const options *o, message *m) {
    struct stat identity;
    char device[600];
    const bool to_files = o->output || o->values || o->plot;
    if (!input_open(o->input, !o->keep_fill, &s->input, &identity, m) || !open_mask(s, o, m) ||
        !answer_shape(&s->result, o, &s->input.a, m) || !open_outputs(s, o, &identity, m) ||
        !open_device(o->device, &s->handle, m) || !answer_compute(&s->result, o, &s->input, &s->mask, s->handle, m) ||
        !input_unchanged(&s->input, &identity, m))
        return false;
    title_device(s->handle, device, sizeof device);
    if (o->json) {
        json_print(stdout, o, &s->input.a, &s->result, device);
    } else {
        if (!to_files && !summary_print(stdout, o, &s->input.a, &s->result, device, m))
            return false;
        (void)fputs(s->input.a.notes, stdout);
        if (o->explain)
            summary_explain(stdout, &s->result, to_files ? device : NULL);
    }
    /* Before the files appear: a run that fails leaves none. */
    return finish_stdout(m) && write_outputs(s, o, m);
}

static bool run(const options *o, message *m) {
    run_state s = {.outputs = {OUTPUT_INIT, OUTPUT_INIT, OUTPUT_INIT},
                   .result = {.index_place = SPILL_NOWHERE, .value_place = SPILL_NOWHERE}};
    const bool good = compute(&s, o, m);
    for (size_t i = 0; i < 3; ++i)
        output_close(&s.outputs[i]);
    argmax_cl_destroy(s.handle);
    answer_free(&s.result);
    mask_close(&s.mask);
    reader_close(&s.input);
    return good;
}

static bool act(const options *o, message *m) {
    switch (o->action) {
    case ACTION_HELP:
        return fputs(options_help, stdout) >= 0;
    case ACTION_VERSION:
        return print_version();
    case ACTION_LIST_DEVICES:
        return list_devices(stdout, m);
    case ACTION_COMPUTE:
        break;
    }
    return run(o, m);
}

/* The tuner is a part of argmax-cl-bench, which is installed beside this program. Returns on failure alone. */
static void tune(int argc, char **argv, message *m) {
    char program[4096];
    char *arguments[argc + 2];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    char *const name = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;
    append(program, sizeof program - 8, "-bench");
    if (name == program || access(program, X_OK) != 0)
        (void)strcpy(program, "argmax-cl-bench"); /* from PATH */
    arguments[0] = program;
    arguments[1] = (char[]){"--tune"};
    for (int i = 2; i <= argc; ++i)
        arguments[i] = argv[i]; /* and the NULL at the end */
    (void)execvp(program, arguments);
    (void)complain(m, "tune: argmax-cl-bench: %s, expected it beside argmax-cl or on PATH", strerror(errno));
}

int main(int argc, char **argv) {
    options o;
    message m = {""};
    if (argc > 1 && strcmp(argv[1], "tune") == 0) {
        tune(argc, argv, &m);
        message_print(&m);
        return STATUS_FAILED;
    }
    guard_standard_streams();
    (void)signal(SIGPIPE, SIG_IGN); /* so that a full disk and a closed pipe are errors like any other */
    (void)signal(SIGXFSZ, SIG_IGN);
    cleanup_install();
    bool good = options_parse(argc, argv, &o, &m);
    if (good && o.output && o.values && output_same_target(o.output, o.values))
        good = complain(&m, "--values: %s, which is --output as well, expected another file", o.values);
    if (good && o.plot &&
        ((o.output && output_same_target(o.output, o.plot)) || (o.values && output_same_target(o.values, o.plot))))
        good = complain(&m, "--plot: %s, which is --output or --values as well, expected another file", o.plot);
    int status = good ? STATUS_GOOD : STATUS_USAGE;
    if (good) {
        const bool done = act(&o, &m);
        if (!(finish_stdout(done ? &m : &(message){""}) && done))
            status = STATUS_FAILED;
    }
    if (status != STATUS_GOOD)
        message_print(&m);
    return status;
}
