#include "tune_set.h"

#include "calm.h"
#include "check.h"
#include "fill.h"
#include "stats.h"
#include "threads.h"

#include <math.h>
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
    {"multi-axis", "64x128x*x128", "1,3", INT8 | FLOAT32},
    {"multi-axis", "64x128x*x128", "0,2", FLOAT16 | FLOAT64},
    {"rows of 1024", "*x1024", "1", INT8 | FLOAT16},
    {"wide columns", "128x*", "0", INT8 | FLOAT32},
    {"narrow columns", "*x4", "0", INT8 | FLOAT32},
    {"small flat", "1048576", "0", INT8 | FLOAT32},
    {"small rows", "32x50257", "1", FLOAT32},
};

enum { SHAPES = sizeof shapes / sizeof shapes[0], PAIRS_MOST = 64, PAIRS_LEAST = 5 };

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

static bool add_problem(tune_set *set, const shape_row *shape, size_t type) {
    tune_problem *const problem = &set->problems[set->count];
    char error[256];
    if (!make_line(shape, types[type], set->input_bytes, problem->line, sizeof problem->line))
        return true;
    if (set->count == TUNE_PROBLEMS_MAX || !problem_parse(problem->line, &problem->p, error, sizeof error))
        return complain("%s: %s", problem->line, set->count == TUNE_PROBLEMS_MAX ? "one too many" : error);
    problem->shape = shape->name;
    problem->small = strchr(shape->sizes, '*') == NULL;
    problem_describe(&problem->p, &problem->desc);
    argmax_cl_buffers_init(&problem->buffers);
    problem->index_bytes = (size_t)problem_output_count(&problem->p) * sizeof(int64_t);
    problem->bytes = problem_input_count(&problem->p) * argmax_cl_dtype_size(types[type]) + problem->index_bytes;
    if (problem->index_bytes > set->index_bytes)
        set->index_bytes = problem->index_bytes;
    set->count++;
    return true;
}

static bool choose_problems(tune_set *set, const char *filter) {
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t t = 0; t < TUNE_TYPES; t++)
            if ((shapes[s].types >> t & 1) != 0 && (filter == NULL || strstr(shapes[s].name, filter) != NULL) &&
                !add_problem(set, &shapes[s], t))
                return false;
    return set->count > 0 || complain("--filter %s: no class of problems has that in its name", filter);
}

/* Any change of one word changes it. */
static uint64_t digest(const void *data, size_t bytes) {
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
        problem->answer = digest(set->answers, problem->index_bytes);
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

bool tune_set_open(tune_set *set, const bench_device *device, uint64_t bytes, const char *filter) {
    cl_int code;
    *set = (tune_set){.device = device, .input_bytes = bytes > 0 ? bytes : suitable_bytes(device)};
    if (!limit_open(&set->limit, device) || !choose_problems(set, filter) || !open_row_file(set))
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

/* ---- Plans ----------------------------------------------------------------------------------------------------- */

static bool grow_workspace(tune_set *set, argmax_cl_plan plan) {
    size_t bytes = 0;
    cl_int code;
    if (argmax_cl_plan_workspace_size(plan, &bytes) != ARGMAX_CL_SUCCESS)
        return false;
    if (bytes <= set->workspace_bytes)
        return true;
    if (set->workspace != NULL)
        clReleaseMemObject(set->workspace);
    set->workspace = clCreateBuffer(set->device->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    set->workspace_bytes = code == CL_SUCCESS ? bytes : 0;
    if (code != CL_SUCCESS)
        set->workspace = NULL;
    return code == CL_SUCCESS;
}

bool tune_plan_open(tune_set *set, tune_problem *problem, const char *row, tune_plan *plan) {
    *plan = (tune_plan){.plan = NULL};
    FILE *const file = fopen(set->row_file, "w");
    if (file == NULL)
        return false;
    fputs(row, file);
    if (fclose(file) != 0 || setenv("ARGMAX_CL_TUNING", set->row_file, 1) != 0)
        return false;
    if (argmax_cl_plan_create(&plan->plan, set->device->handle, problem->p.op, &problem->desc.desc) !=
        ARGMAX_CL_SUCCESS)
        return false;
    argmax_cl_plan_describe(plan->plan, plan->text, sizeof plan->text, NULL);
    if (grow_workspace(set, plan->plan))
        return true;
    tune_plan_close(plan);
    return false;
}

void tune_plan_close(tune_plan *plan) {
    argmax_cl_plan_destroy(plan->plan);
    plan->plan = NULL;
}

static bool enqueue(tune_set *set, tune_problem *problem, const tune_plan *plan, cl_command_queue queue) {
    return argmax_cl_plan_enqueue(plan->plan, queue, &problem->buffers, set->workspace, 0, NULL, NULL) ==
               ARGMAX_CL_SUCCESS ||
           complain("%s: %s", problem->line, argmax_cl_last_error());
}

bool tune_plan_check(tune_set *set, tune_problem *problem, const tune_plan *plan) {
    const cl_command_queue queue = set->device->plain;
    const cl_uchar filler = CHECK_FILLER;
    cl_int code = clEnqueueFillBuffer(queue, set->index, &filler, 1, 0, problem->index_bytes, 0, NULL, NULL);
    if (!succeeded(code, "clEnqueueFillBuffer") || !enqueue(set, problem, plan, queue))
        return false;
    code = clEnqueueReadBuffer(queue, set->index, CL_TRUE, 0, problem->index_bytes, set->answers, 0, NULL, NULL);
    return succeeded(code, "clEnqueueReadBuffer") &&
           (digest(set->answers, problem->index_bytes) == problem->answer ||
            complain("WRONG ANSWERS: %s with the plan %s", problem->line, plan->text));
}

/* ---- Times ----------------------------------------------------------------------------------------------------- */

static double time_plan(tune_set *set, tune_problem *problem, const tune_plan *plan) {
    record_start();
    const bool good = enqueue(set, problem, plan, set->device->timed);
    const double seconds = record_stop(set->device->timed);
    return good ? seconds : -1;
}

/* What is measured in turns: times of both, and their ratio. */
typedef struct pairs {
    samples a, b, ratio;
} pairs;

static void add_pair(pairs *p, double a, double b) {
    samples_add(&p->a, a);
    samples_add(&p->b, b);
    samples_add(&p->ratio, a / b);
}

static void clear_pairs(pairs *p) {
    samples_clear(&p->a);
    samples_clear(&p->b);
    samples_clear(&p->ratio);
}

static tune_gain conclude(pairs *p) {
    static const double ERROR_LEAST = 0.001; /* of a few pairs that happen to agree */
    const double ratio = samples_median(&p->ratio);
    const double error = 0.93 * samples_spread(&p->ratio) / sqrt((double)p->ratio.count);
    return (tune_gain){log(ratio), error > ERROR_LEAST ? error : ERROR_LEAST, samples_median(&p->a),
                       samples_median(&p->b), false};
}

tune_gain tune_compare(tune_set *set, tune_problem *problem, const tune_plan *a, const tune_plan *b, double seconds) {
    static pairs all, calm;
    static const double HOPELESS = 3; /* times slower: no need to know it better */
    clear_pairs(&all);
    clear_pairs(&calm);
    calm_watch();
    const double start = now();
    for (int i = -1; i < PAIRS_MOST; i++) {
        const double passed = now() - start, waited = calm_waited();
        if (calm.ratio.count >= PAIRS_LEAST ? passed > seconds : i >= PAIRS_LEAST && passed > 4 * seconds)
            break;
        const tune_plan *const order[2] = {i % 2 == 0 ? a : b, i % 2 == 0 ? b : a};
        double times[2];
        for (int turn = 0; turn < 2; turn++)
            times[order[turn] == b] = time_plan(set, problem, order[turn]);
        if (times[0] <= 0 || times[1] <= 0)
            return (tune_gain){.failed = true};
        if (i < 0)
            continue; /* a warm-up */
        add_pair(&all, times[0], times[1]);
        if (calm_waited() - waited <= 10e-6 + 0.03 * (times[0] + times[1]))
            add_pair(&calm, times[0], times[1]);
        if (i == 1 && samples_median(&all.ratio) < 1 / HOPELESS)
            break;
    }
    return conclude(calm.ratio.count >= PAIRS_LEAST ? &calm : &all);
}

double tune_read_limit(tune_set *set) {
    double least = 0;
    for (int i = 0; i < 3 * LIMIT_VARIANTS; i++) {
        const double seconds =
            limit_read(&set->limit, set->device, i % LIMIT_VARIANTS, set->inputs[0], 0, set->input_bytes);
        const double host = set->device->is_cpu ? limit_read_host(set->host[0], set->input_bytes) : seconds;
        const double better = host < seconds ? host : seconds;
        if (better > 0 && (least == 0 || better < least))
            least = better;
    }
    return least;
}
