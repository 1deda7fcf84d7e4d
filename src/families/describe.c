/* A plan in one line. */
#include "families/family.h"

#include <inttypes.h>
#include <string.h>

/* Room for all dims, two sets of build options and the numbers between them; what did not fit would be cut off. */
#define LINE_CAPACITY 2048

/* "8192:65536 x 16:4": sizes with their input strides. */
static void add_dims(writer *out, const char *label, const layout_dim *dims, uint32_t count) {
    text_add(out, " %s ", label);
    for (uint32_t i = 0; i < count; ++i)
        text_add(out, "%s%" PRIu64 ":%" PRId64, i ? "x" : "", dims[i].size, dims[i].in);
}

static void describe(const struct argmax_cl_plan_s *plan, writer *out) {
    const geometry *g = &plan->geometry;
    if (plan->problem.outputs == 0) {
        text_add(out, "nothing to do: the output has no elements");
        return;
    }
    text_add(out, "%s |", g->strategy);
    add_dims(out, "kept", plan->layout.kept, plan->layout.kept_count);
    add_dims(out, "reduced", plan->layout.reduced, plan->layout.reduced_count);
    if (plan->layout.copied_count)
        add_dims(out, "copied", plan->layout.copied, plan->layout.copied_count);
    else if (plan->layout.stored_count)
        text_add(out, " moved to their order");
    text_add(out, " | %" PRIu64 " groups of %" PRIu32 ", ", g->scan.groups, g->scan.group);
    g->family->describe(g, out);
    if (g->parts > 1)
        text_add(out, ", %" PRIu64 " parts an output, workspace %zu bytes, launches=%d", g->parts,
                 plan->workspace_bytes, g->finish == ORDERING_NONE ? 2 : 1);
    text_add(out, " | tuning %s | %s: %s", g->tuning, g->family->kernel, plan->scan_options);
    if (plan->merge_program)
        text_add(out, " | merge: %s", plan->merge_options);
}

argmax_cl_status argmax_cl_plan_describe(argmax_cl_plan plan, char *to, size_t capacity, size_t *needed) {
    char bytes[LINE_CAPACITY];
    writer out = {bytes, sizeof bytes, 0};
    if (!plan)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "plan = NULL: expected a plan of argmax_cl_plan_create");
    if (!to && capacity)
        return fail(ARGMAX_CL_ERROR_INVALID_ARGUMENT, "text = NULL with capacity = %zu: expected a text of that size",
                    capacity);
    describe(plan, &out);
    if (capacity) {
        const size_t count = out.used < capacity ? out.used : capacity - 1;
        memcpy(to, bytes, count);
        to[count] = 0;
    }
    if (needed)
        *needed = out.used;
    return ARGMAX_CL_SUCCESS;
}
