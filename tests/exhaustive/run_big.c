/* run_big [--device SELECTOR] [--only TEXT] [--file FILE]... [--memory TYPE ELEMENTS]...
 *
 * Problems of billions of elements whose answers follow from their shapes (big_answers.h).
 *   --file    lines as run_problem reads them, each followed by `plant=PLACE[,PLACE...]` (elements of the buffer, which
 *             ends with the last one that is addressed); small buffers stand for large tensors by zero and overlapping
 *             strides; of problems of less than 2^22 elements only both ends of the buffer are filled
 *   --memory  a buffer of that many elements, and every class of problems over all of it; extrema and ties on both
 *             sides of 2^31 and 2^32 elements, of 2^32 and 2^33 bytes, and at the ends
 * --only takes those with that text in their lines. Each problem runs in both directions. Exit status 0 when all
 * answers are right. */
#include "arguments.h"
#include "big_answers.h"
#include "big_shapes.h"
#include "own_kernels.h"

#include <inttypes.h>
#include <string.h>

static const char source[] = "__kernel void fill(__global T *out, __global const ulong *bits, ulong from) {\n"
                             "    const ulong i = from + get_global_id(0);\n"
                             "    out[i] = (T)bits[i % PERIOD];\n"
                             "}\n";

typedef struct session {
    runner r;
    const char *only;
    cl_kernel fill[4]; /* by the logarithm of the element's bytes */
    cl_mem input;
    uint64_t elements; /* in it */
    cl_ulong largest;  /* bytes of a buffer */
    unsigned long runs, wrong;
} session;

/* ---- Data ----------------------------------------------------------------------------------------------------- */

#define FILL_AT_ONCE (UINT64_C(1) << 28)
#define FEW (UINT64_C(1) << 22) /* elements of a problem that has only those at its buffer's ends */

static cl_kernel fill_kernel(session *s, const problem_dtype *type) {
    static const char *const names[] = {"uchar", "ushort", "uint", "ulong"};
    char build[64];
    size_t which = 0;
    while (8u << which < type->bits)
        which++;
    if (!s->fill[which]) {
        snprintf(build, sizeof build, "-DPERIOD=%d -DT=%s", BIG_PERIOD, names[which]);
        const cl_program program = own_program(&s->r, source, build);
        s->fill[which] = own_kernel(program, "fill");
        clReleaseProgram(program);
    }
    return s->fill[which];
}

static void fill_range(session *s, cl_kernel fill, cl_mem table, uint64_t first, uint64_t end) {
    for (cl_ulong from = first; from < end; from += FILL_AT_ONCE) {
        const own_argument arguments[] = {OWN_ARGUMENT(s->input), OWN_ARGUMENT(table), OWN_ARGUMENT(from)};
        own_arguments(fill, 0, 3, arguments);
        own_run(&s->r, fill, (size_t)(end - from < FILL_AT_ONCE ? end - from : FILL_AT_ONCE));
    }
}

/* `ends` elements are filled at the start and at the end. */
static void make_input(session *s, const problem_dtype *type, argmax_cl_operator op, uint64_t elements, uint64_t ends) {
    cl_ulong bits[BIG_PERIOD];
    const cl_kernel fill = fill_kernel(s, type);
    for (uint32_t i = 0; i < BIG_PERIOD; i++)
        bits[i] = big_bits(type, op, i);
    own_release(s->input);
    s->input = own_buffer(&s->r, CL_MEM_READ_WRITE, (size_t)elements * type->bits / 8, NULL);
    s->elements = elements;
    const cl_mem table = own_buffer(&s->r, CL_MEM_READ_ONLY, sizeof bits, bits);
    if (ends < elements / 2) {
        fill_range(s, fill, table, 0, ends);
        fill_range(s, fill, table, elements - ends, elements);
    } else {
        fill_range(s, fill, table, 0, elements);
    }
    REQUIRE(!clFinish(s->r.queue));
    own_release(table);
}

/* Plant the extrema, or put back what was there. */
static void plant(const session *s, const big_problem *b, bool peak) {
    const problem_dtype *const type = problem_dtype_find(b->p.dtype);
    for (size_t i = 0; i < b->planted_count; i++) {
        uint64_t bits = 0;
        if (b->planted[i] >= s->elements)
            continue;
        problem_store(type, &bits, 0,
                      big_bits(type, b->p.op, peak ? BIG_PEAK : (uint32_t)(b->planted[i] % BIG_PERIOD)));
        REQUIRE(!clEnqueueWriteBuffer(s->r.queue, s->input, CL_TRUE, (size_t)b->planted[i] * type->bits / 8,
                                      type->bits / 8, &bits, 0, NULL, NULL));
    }
}

/* ---- One problem ---------------------------------------------------------------------------------------------- */

#define READ_AT_ONCE (UINT64_C(1) << 25) /* outputs */

static uint64_t check_outputs(session *s, const big_problem *b, cl_mem index, cl_mem value, uint64_t *example) {
    const uint64_t outputs = problem_output_count(&b->p), most = outputs < READ_AT_ONCE ? outputs : READ_AT_ONCE;
    const size_t index_size = problem_dtype_find(b->p.index_type)->bits / 8;
    const size_t value_size = problem_dtype_find(b->p.dtype)->bits / 8;
    void *const indices = malloc((size_t)most * index_size), *const values = malloc((size_t)most * value_size);
    uint64_t wrong = 0;
    REQUIRE(indices && values);
    for (uint64_t first = 0; first < outputs; first += most) {
        const uint64_t count = outputs - first < most ? outputs - first : most;
        uint64_t found = 0;
        REQUIRE(!clEnqueueReadBuffer(s->r.queue, index, CL_TRUE, (size_t)first * index_size, (size_t)count * index_size,
                                     indices, 0, NULL, NULL));
        if (value)
            REQUIRE(!clEnqueueReadBuffer(s->r.queue, value, CL_TRUE, (size_t)first * value_size,
                                         (size_t)count * value_size, values, 0, NULL, NULL));
        const uint64_t here = big_check(b, first, count, indices, value ? values : NULL, &found);
        *example = here && !wrong ? found : *example;
        wrong += here;
    }
    free(values);
    free(indices);
    return wrong;
}

/* False when the strategy or the tuning row does not apply. */
static bool run_once(session *s, const big_problem *b, uint64_t *wrong, uint64_t *example, double *seconds) {
    problem_desc d;
    argmax_cl_plan plan = NULL;
    argmax_cl_buffers buffers = ARGMAX_CL_BUFFERS_INIT;
    size_t workspace_bytes = 0;
    const uint64_t outputs = problem_output_count(&b->p);
    problem_describe(&b->p, &d);
    const argmax_cl_status status = argmax_cl_plan_create(&plan, s->r.handle, b->p.op, &d.desc);
    if (status == ARGMAX_CL_ERROR_INVALID_STRATEGY && b->p.strategy[0])
        return false;
    REQUIRE(!status);
    REQUIRE(!argmax_cl_plan_workspace_size(plan, &workspace_bytes));
    buffers.input = s->input;
    buffers.index =
        own_buffer(&s->r, CL_MEM_READ_WRITE, (size_t)outputs * problem_dtype_find(b->p.index_type)->bits / 8, NULL);
    if (b->p.has_value)
        buffers.value =
            own_buffer(&s->r, CL_MEM_READ_WRITE, (size_t)outputs * problem_dtype_find(b->p.dtype)->bits / 8, NULL);
    const cl_mem workspace = own_buffer(&s->r, CL_MEM_READ_WRITE, workspace_bytes, NULL);
    const double start = own_seconds();
    REQUIRE(!argmax_cl_plan_enqueue(plan, s->r.queue, &buffers, workspace, 0, NULL, NULL));
    REQUIRE(!clFinish(s->r.queue));
    *seconds = own_seconds() - start;
    *wrong = check_outputs(s, b, buffers.index, buffers.value, example);
    own_release(workspace);
    own_release(buffers.index);
    own_release(buffers.value);
    argmax_cl_plan_destroy(plan);
    return true;
}

static void run_both_ways(session *s, big_problem *b) {
    char line[PROBLEM_LINE_SIZE];
    plant(s, b, true);
    for (int last = 0; last < 2; last++) {
        uint64_t wrong = 0, example = 0;
        double seconds = 0;
        const double start = own_seconds();
        b->p.direction = last ? ARGMAX_CL_DECREASING : ARGMAX_CL_INCREASING;
        problem_print(&b->p, line, sizeof line);
        const bool accepted = run_once(s, b, &wrong, &example, &seconds);
        printf("%-7s %6.3f s of %6.3f  %s plant=", accepted ? wrong ? "WRONG" : "ok" : "refused", seconds,
               own_seconds() - start, line);
        for (size_t i = 0; i < b->planted_count; i++)
            printf("%s%" PRIu64, i ? "," : "", b->planted[i]);
        printf("\n");
        if (wrong)
            printf("        %" PRIu64 " wrong; output %" PRIu64 " should be %" PRIu64 "\n", wrong, example,
                   big_solve(b, example).index);
        fflush(stdout);
        s->runs += accepted;
        s->wrong += wrong != 0 || !accepted;
    }
    plant(s, b, false);
}

/* ---- Lines of a file ------------------------------------------------------------------------------------------ */

static bool read_line(char *line, big_problem *b) {
    char error[300] = "no plant=";
    char *const places = strstr(line, " plant=");
    memset(b, 0, sizeof *b);
    if (places)
        *places = '\0';
    if (!places || !problem_parse(line, &b->p, error, sizeof error)) {
        fprintf(stderr, "%s: %s\n", line, error);
        return false;
    }
    for (char *at = places + strlen(" plant="); b->planted_count < BIG_PLANTED_MAX; at++) {
        b->planted[b->planted_count++] = strtoull(at, &at, 10);
        if (*at != ',')
            break;
    }
    return true;
}

static bool run_file(session *s, const char *name) {
    char line[PROBLEM_LINE_SIZE];
    bool ok = true;
    FILE *const file = fopen(name, "r");
    if (!file) {
        perror(name);
        return false;
    }
    while (ok && fgets(line, sizeof line, file)) {
        big_problem b;
        line[strcspn(line, "\n")] = '\0';
        if (problem_is_blank(line))
            continue;
        ok = read_line(line, &b);
        if (ok && (!s->only || strstr(line, s->only))) {
            const problem_dtype *const type = problem_dtype_find(b.p.dtype);
            const uint64_t extent = problem_input_extent(&b.p), count = problem_input_count(&b.p);
            if (extent * type->bits / 8 > s->largest) {
                printf("skipped: no buffer of this device is large enough: %s\n", line);
                continue;
            }
            make_input(s, type, b.p.op, extent, count < FEW ? FEW : extent);
            run_both_ways(s, &b);
        }
    }
    fclose(file);
    return ok;
}

static bool big_in_memory(session *s, const char *name, const char *count) {
    const uint64_t elements = strtoull(count, NULL, 10);
    const problem_dtype *const type = arguments_type(name);
    char line[PROBLEM_LINE_SIZE];
    if (!type || elements < (UINT64_C(1) << 20)) {
        fprintf(stderr, "--memory %s %s: expected a type and at least 2^20 elements\n", name, count);
        return false;
    }
    /* Each type has its operator. */
    const argmax_cl_operator op = type->is_signed || type->bits == 32 ? ARGMAX_CL_ARGMAX : ARGMAX_CL_ARGMIN;
    make_input(s, type, op, elements, elements);
    big_problem b;
    for (size_t i = 0; big_shape(i, type, op, elements, &b); i++) {
        problem_print(&b.p, line, sizeof line);
        if (!s->only || strstr(line, s->only))
            run_both_ways(s, &b);
    }
    return true;
}

int main(int argc, char **argv) {
    static session s;
    const char *device = NULL;
    bool ok = argc > 1;
    const double start = own_seconds();
    for (int i = 1; i < argc && ok; i++) {
        const bool more = i + 1 < argc;
        if (strcmp(argv[i], "--device") == 0 && more && !s.r.handle) {
            device = argv[++i];
            continue;
        }
        if (strcmp(argv[i], "--only") == 0 && more) {
            s.only = argv[++i];
            continue;
        }
        if (!s.r.handle && !runner_open(&s.r, device)) {
            fprintf(stderr, "%s\n", s.r.message);
            return 2;
        }
        REQUIRE(!clGetDeviceInfo(s.r.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof s.largest, &s.largest, NULL));
        if (strcmp(argv[i], "--file") == 0 && more)
            ok = run_file(&s, argv[++i]);
        else if (strcmp(argv[i], "--memory") == 0 && i + 2 < argc) {
            ok = big_in_memory(&s, argv[i + 1], argv[i + 2]);
            i += 2;
        } else
            ok = false;
    }
    if (!ok || !s.r.handle) {
        fprintf(stderr,
                "usage: run_big [--device SELECTOR] [--only TEXT] [--file FILE]... [--memory TYPE ELEMENTS]...\n");
        return 2;
    }
    printf("%lu runs, %lu wrong or refused, %.1f s\n", s.runs, s.wrong, own_seconds() - start);
    own_release(s.input);
    for (size_t i = 0; i < 4; i++)
        if (s.fill[i])
            clReleaseKernel(s.fill[i]);
    runner_close(&s.r);
    return s.wrong ? 1 : s.runs ? 0 : 2;
}
