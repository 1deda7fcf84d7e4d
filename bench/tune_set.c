#include "tune_set.h"

#include "check.h"
#include "draw.h"
#include "fill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const argmax_cl_dtype types[TUNE_TYPES] = {ARGMAX_CL_INT8, ARGMAX_CL_FLOAT16, ARGMAX_CL_FLOAT32,
                                                  ARGMAX_CL_FLOAT64};
enum { INT8 = 1, FLOAT16 = 2, FLOAT32 = 4, FLOAT64 = 8, ALL_TYPES = 15 }; /* sets of them */

/* In the sizes, * takes what is left of the input; without it the problem is small, and lies at the input's start. */
typedef struct shape_row {
    const char *name, *sizes, *axes;
    unsigned types;
} shape_row;

static const shape_row shapes[] = {
    {"flat", "*", "0", ALL_TYPES},
    {"columns", "*x8192", "0", ALL_TYPES},
    {"long rows", "*x16384", "1", ALL_TYPES},
    {"middle", "64x*x4096", "1", ALL_TYPES},
    {"short rows", "*x128", "1", ALL_TYPES},
    {"tiny rows", "*x8", "1", ALL_TYPES},
    {"odd tiny rows", "*x11", "1", FLOAT16 | FLOAT32},
    {"multi-axis", "64x128x*x128", "1,3", INT8 | FLOAT32},
    {"multi-axis", "64x128x*x128", "0,2", FLOAT16 | FLOAT64},
    {"rows of 1024", "*x1024", "1", INT8 | FLOAT16},
    {"wide columns", "128x*", "0", INT8 | FLOAT32},
    {"narrow columns", "*x4", "0", INT8 | FLOAT32},
    {"small flat", "1048576", "0", INT8 | FLOAT32},
    {"small rows", "32x50257", "1", FLOAT32},
};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* ---- Opening --------------------------------------------------------------------------------------------------- */

/* Well beyond the caches; on a GPU so much that the work-groups' start and end hardly show. */
static uint64_t suitable_bytes(const bench_device *device) {
    uint64_t bytes = (uint64_t)(device->is_cpu ? 64 : 512) << 20;
    cl_ulong memory = 0;
    clGetDeviceInfo(device->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    while (bytes < 2 * device->cache && bytes < (uint64_t)1 << 30)
        bytes *= 2;
    while (bytes > (uint64_t)1 << 20 && (bytes > device->max_buffer || bytes > memory / 16))
        bytes /= 2;
    return bytes;
}

static uint64_t product_of(const char *sizes) {
    uint64_t product = 1;
    for (const char *at = sizes; at != NULL; at = strchr(at, 'x')) {
        at += *at == 'x';
        product *= *at == '*' ? 1 : strtoull(at, NULL, 10);
    }
    return product;
}

/* The shape as a problem of that input. False when the input is too small for it. */
static bool make_line(const shape_row *shape, argmax_cl_dtype type, uint64_t bytes, char *line, size_t capacity) {
    const uint64_t elements = bytes / argmax_cl_dtype_size(type), known = product_of(shape->sizes);
    const char *const star = strchr(shape->sizes, '*');
    const char *const name = argmax_cl_dtype_name(type);
    if (star == NULL)
        snprintf(line, capacity, "argmax %s %s axes=%s", name, shape->sizes, shape->axes);
    else
        snprintf(line, capacity, "argmax %s %.*s%llu%s axes=%s", name, (int)(star - shape->sizes), shape->sizes,
                 (unsigned long long)(elements / known), star + 1, shape->axes);
    return elements >= known;
}

/* A problem of this class. It must lie within the input. */
static bool add_line(tune_set *set, const char *line, const char *shape, bool small) {
    char error[256];
    if (set->count == TUNE_PROBLEMS_MAX)
        return complain("%s: there are %d problems already", line, TUNE_PROBLEMS_MAX);
    tune_problem *const problem = &set->problems[set->count];
    snprintf(problem->line, sizeof problem->line, "%s", line);
    if (!problem_parse(problem->line, &problem->p, error, sizeof error))
        return complain("%s: %s", line, error);
    problem->shape = shape;
    problem->small = small;
    problem_describe(&problem->p, &problem->desc);
    argmax_cl_buffers_init(&problem->buffers);
    problem->index_bytes = (size_t)problem_output_count(&problem->p) * sizeof(int64_t);
    problem->bytes = problem_input_count(&problem->p) * argmax_cl_dtype_size(problem->p.dtype) + problem->index_bytes;
    if (problem->index_bytes > set->index_bytes)
        set->index_bytes = problem->index_bytes;
    set->count++;
    return true;
}

static bool add_problem(tune_set *set, const shape_row *shape, size_t type) {
    char line[96];
    return !make_line(shape, types[type], set->input_bytes, line, sizeof line) ||
           add_line(set, line, shape->name, strchr(shape->sizes, '*') == NULL);
}

/* Why the set cannot measure the problem; NULL: it can. */
static const char *unfit(const tune_set *set, const problem_line *p) {
    bool known = false;
    for (size_t t = 0; t < TUNE_TYPES; t++)
        known = known || types[t] == p->dtype;
    if (!known)
        return "tuning measures int8, float16, float32 and float64";
    if (p->has_value || p->index_type != ARGMAX_CL_INT64 || p->index.has_strides || p->index.has_offset ||
        p->data != DATA_RANDOM)
        return "tuning measures packed int64 indices alone, on random data";
    if (p->strategy[0] != 0 || p->tuning[0] != 0 || p->fields[0] != 0)
        return "tuning chooses strategy and row itself";
    if (problem_input_count(p) == 0 || problem_input_extent(p) * argmax_cl_dtype_size(p->dtype) > set->input_bytes)
        return "it does not fit the inputs: see --bytes";
    return NULL;
}

/* As argmax-cl-bench --random draws them, with as many answers as the input has bytes at most. */
static bool draw_problems(tune_set *set, const tune_choice *choice) {
    const draw_options options = {.seed = choice->seed,
                                  .least = set->input_bytes / 4,
                                  .most = set->input_bytes,
                                  .types = "int8,float16,float32,float64",
                                  .outputs_most = set->input_bytes};
    size_t drawn = 0;
    for (uint64_t i = 0; drawn < choice->drawn && i < 4 * choice->drawn; i++) {
        problem_line p;
        char line[PROBLEM_LINE_SIZE];
        draw_problem(&options, i, &p);
        problem_print(&p, line, sizeof line);
        if (unfit(set, &p) != NULL)
            continue;
        if (!add_line(set, line, "drawn", false))
            return false;
        drawn++;
    }
    return true;
}

static bool add_file(tune_set *set, const char *path) {
    char line[PROBLEM_LINE_SIZE], error[256];
    problem_line p;
    FILE *const file = fopen(path, "r");
    if (file == NULL)
        return complain("%s: %s", path, strerror(errno));
    bool good = true;
    while (good && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "#\r\n")] = 0;
        if (problem_is_blank(line))
            continue;
        const char *const why = problem_parse(line, &p, error, sizeof error) ? unfit(set, &p) : error;
        good = why == NULL ? add_line(set, line, "given", false) : complain("%s: %s: %s", path, line, why);
    }
    fclose(file);
    return good;
}

static bool choose_problems(tune_set *set, const tune_choice *choice) {
    const char *const filter = choice->filter;
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t t = 0; t < TUNE_TYPES; t++)
            if ((shapes[s].types >> t & 1) != 0 && (filter == NULL || strstr(shapes[s].name, filter) != NULL) &&
                !add_problem(set, &shapes[s], t))
                return false;
    if ((filter == NULL || strstr("drawn", filter) != NULL) && !draw_problems(set, choice))
        return false;
    if (choice->problems != NULL && !add_file(set, choice->problems))
        return false;
    return set->count > 0 || complain("--filter %s: no class of problems has that in its name", filter);
}

uint64_t tune_digest(const void *data, size_t bytes) {
    const uint64_t *const words = data;
    uint64_t sum = bytes;
    for (size_t i = 0; i < bytes / sizeof *words; i++)
        sum = (sum ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15) + (sum >> 29);
    return sum;
}

/* Fill the type's input, and solve its problems on it. */
static bool open_input(tune_set *set, size_t type) {
    problem_line all;
    char line[96], error[256];
    const shape_row flat = {"", "*", "0", ALL_TYPES};
    void *const host = mmap(NULL, set->input_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (host == MAP_FAILED)
        return complain("no host memory for an input of %llu bytes", (unsigned long long)set->input_bytes);
#ifdef MADV_HUGEPAGE
    madvise(host, set->input_bytes, MADV_HUGEPAGE);
#endif
    set->host[type] = host;
    make_line(&flat, types[type], set->input_bytes, line, sizeof line);
    if (!problem_parse(line, &all, error, sizeof error))
        return complain("%s: %s", line, error);
    fill_data(&all, host);
    set->inputs[type] = device_buffer(set->device, host, set->input_bytes);
    for (size_t i = 0; i < set->count && set->inputs[type] != NULL; i++) {
        tune_problem *const problem = &set->problems[i];
        if (problem->p.dtype != types[type])
            continue;
        check_solve(&problem->p, host, set->answers, NULL);
        problem->answer = tune_digest(set->answers, problem->index_bytes);
        problem->buffers.input = set->inputs[type];
        problem->buffers.index = set->index;
    }
    if (!set->device->is_cpu) {
        munmap(host, set->input_bytes);
        set->host[type] = NULL;
    }
    return set->inputs[type] != NULL;
}

static bool open_row_file(tune_set *set) {
    const char *const folder = getenv("TMPDIR");
    snprintf(set->row_file, sizeof set->row_file, "%s/argmax_cl_tune_XXXXXX",
             folder != NULL && strlen(folder) < 200 ? folder : "/tmp");
    const int file = mkstemp(set->row_file);
    if (file < 0)
        set->row_file[0] = 0;
    return (file >= 0 && close(file) == 0) || complain("cannot make a temporary file in TMPDIR or /tmp");
}

bool tune_set_open(tune_set *set, const bench_device *device, const tune_choice *choice) {
    cl_int code;
    *set = (tune_set){.device = device, .input_bytes = choice->bytes > 0 ? choice->bytes : suitable_bytes(device)};
    if (!limit_open(&set->limit, device) || !choose_problems(set, choice) || !open_row_file(set))
        return false;
    set->answers = malloc(set->index_bytes);
    set->index = clCreateBuffer(device->context, CL_MEM_READ_WRITE, set->index_bytes, NULL, &code);
    if (set->answers == NULL || code != CL_SUCCESS)
        return complain("no memory for answers of %zu bytes", set->index_bytes);
    for (size_t t = 0; t < TUNE_TYPES; t++)
        if (!open_input(set, t))
            return false;
    return true;
}

void tune_set_close(tune_set *set) {
    for (size_t t = 0; t < TUNE_TYPES; t++) {
        if (set->inputs[t] != NULL)
            clReleaseMemObject(set->inputs[t]);
        if (set->host[t] != NULL)
            munmap(set->host[t], set->input_bytes);
    }
    if (set->index != NULL)
        clReleaseMemObject(set->index);
    if (set->workspace != NULL)
        clReleaseMemObject(set->workspace);
    free(set->answers);
    if (set->row_file[0] != 0)
        unlink(set->row_file);
    limit_close(&set->limit);
}
