/* A plan in one line. */
#include "handle.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Room for all dims, two sets of build options and the numbers between them; what did not fit would be cut off. */
#define LINE_CAPACITY 2048

typedef struct line {
    char bytes[LINE_CAPACITY];
    size_t used;
} line;

static void add(line *l, const char *format, ...) PRINTF_LIKE(2, 3);

static void add(line *l, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int more = vsnprintf(l->bytes + l->used, sizeof l->bytes - l->used, format, arguments);
    va_end(arguments);
    if (more > 0)
        l->used += (size_t)more < sizeof l->bytes - l->used ? (size_t)more : sizeof l->bytes - l->used - 1;
}

/* "8192:65536 x 16:4": sizes with their input strides. */
static void add_dims(line *out, const char *label, const layout_dim *dims, uint32_t count) {
    add(out, " %s ", label);
    for (uint32_t i = 0; i < count; ++i)
        add(out, "%s%" PRIu64 ":%" PRId64, i ? "x" : "", dims[i].size, dims[i].in);
}

static void describe(const struct argmax_cl_plan_s *plan, line *out) {
    const geometry *g = &plan->geometry;
    if (plan->problem.outputs == 0) {
        add(out, "nothing to do: the output has no elements");
        return;
    }
    add(out, "%s |", g->strategy);
    add_dims(out, "kept", plan->layout.kept, plan->layout.kept_count);
    add_dims(out, "reduced", plan->layout.reduced, plan->layout.reduced_count);
    add(out, " | %" PRIu64 " groups of %" PRIu32 ", %" PRIu32 " lanes %s, vectors of %" PRIu32, g->scan.groups,
        g->scan.group, g->lanes, g->family == FAMILY_ROWS ? "an output" : "across", g->vector);
    if (g->family != FAMILY_ROWS)
        add(out, " x %" PRIu32, g->strip);
    if (g->parts > 1)
        add(out, ", %" PRIu64 " parts an output, workspace %zu bytes, launches=%d", g->parts, plan->workspace_bytes,
            g->finish == HANDOVER_NONE ? 2 : 1);
    add(out, " | tuning %s | %s: %s", g->tuning, scan_kernel_name(g), plan->scan_options);
    if (plan->merge_program)
        add(out, " | merge: %s", plan->merge_options);
}

argmax_cl_status argmax_cl_plan_describe(argmax_cl_plan plan, char *text, size_t capacity, size_t *needed) {
    line out = {{0}, 0};
    if (!plan)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "plan = NULL: expected a plan of argmax_cl_plan_create");
    if (!text && capacity)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "text = NULL with capacity = %zu: expected a text of that size",
                    capacity);
    describe(plan, &out);
    if (capacity) {
        const size_t count = out.used < capacity ? out.used : capacity - 1;
        memcpy(text, out.bytes, count);
        text[count] = 0;
    }
    if (needed)
        *needed = out.used;
    return ARGMAX_CL_SUCCESS;
}
