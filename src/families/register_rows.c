/* How kernels/families/register_rows.cl lies over rows that are short enough. */
#include "families/geometry.h"

#include <inttypes.h>

/* What the kernel can count: places of a work-item among 16-bit floats, which have a bit each; and elements of a row
 * whose index shares 32 bits with a key. */
#define HALVES_MAX 32

static bool row_fits(const geometry_request *r, uint64_t size, const geometry *g) {
    const uint32_t bits = r->problem->input.type->bits;
    const uint64_t places = (uint64_t)g->loads * g->vector;
    if (places * (bits / 8) > r->tuning->register_bytes)
        return false;
    return bits > 16 || (size < UINT64_C(1) << (32 - bits) && (bits == 8 || places <= HALVES_MAX));
}

/* Work-items that share a row of `units` vectors: as few as hold it, since they reduce in steps; but twice as many of
 * these while they share it evenly and read less than a line side by side, if that leaves each half of what it could
 * hold. */
static uint32_t lanes_of_row(const tuning_row *t, uint32_t most, uint32_t vector_bytes, uint64_t units) {
    uint32_t lanes = 1;
    while (lanes < most && ceil_div(units, lanes) * vector_bytes > t->register_bytes)
        lanes *= 2;
    const bool narrow =
        lanes * vector_bytes < t->line_bytes && ceil_div(units, lanes) * vector_bytes * 2 > t->register_bytes;
    return narrow && lanes < most && units % (UINT64_C(2) * lanes) == 0 ? 2 * lanes : lanes;
}
#define ONE_DIM "it takes one reduced dim without gaps"
#define TOO_LONG "it takes rows short enough for the registers of a few work-items"

static const char *lay_out_register_rows(const geometry_request *r, geometry *g) {
    const layout *l = r->layout;
    const layout_dim *last = &l->reduced[l->reduced_count - 1];
    const tuning_row *t = r->tuning;
    g->tuning = t->name;
    if (l->reduced_count != 1 || last->in != 1 || t->register_bytes == 0)
        return ONE_DIM;
    g->vector = aligned_vector(l, widest_vector(r, t->vector_bytes, false), last);
    while (last->size % g->vector)
        g->vector /= 2;
    g->load = kind_of_load(r, true, g->vector);
    g->length = g->part_length = last->size / g->vector;
    g->parts = 1;
    const uint32_t group = floor_power(t->group_register, r->group_limit);
    const uint32_t vector_bytes = load_bytes(r, g);
    g->lanes = lanes_of_row(t, min_u32(t->register_lanes, group), vector_bytes, g->length);
    g->loads = (uint32_t)min_u64(ceil_div(g->length, g->lanes), UINT32_MAX);
    if (!row_fits(r, last->size, g))
        return TOO_LONG;
    g->register_rows.even = g->length == (uint64_t)g->lanes * g->loads;
    choose_arithmetic(r, g);
    g->nv_ptx = g->nv_ptx && group % 32 == 0;
    const uint64_t rows = group / g->lanes;
    g->batch = (uint32_t)max_u64(1, t->register_batch / (g->loads * vector_bytes));
    while (g->batch > 1 && ceil_div(l->outputs, rows * g->batch) < wanted_groups(r, g))
        g->batch /= 2;
    g->scan = distribute(r, group, ceil_div(l->outputs, rows * g->batch), t->groups_max);
    return plan_merge(r, l->outputs, 1, g);
}

static void add_options(const geometry *g, writer *out) {
    text_add(out, " -DLANES=%" PRIu32 " -DLOADS=%" PRIu32 " -DBATCH=%" PRIu32 "%s", g->lanes, g->loads, g->batch,
             g->register_rows.even ? " -DEVEN=1" : "");
}

static void set_register_rows(const layout *l, const geometry *g, uint64_t jobs, kernel_arguments *arguments) {
    const register_rows_t rows = {
        .jobs = jobs, .jobs_per_group = g->scan.jobs_per_group, .vectors = (cl_uint)g->length, .unused = 0};
    (void)l;
    set_argument(arguments, 0, &rows, sizeof rows);
}

static void describe(const geometry *g, writer *out) {
    text_add(out, "%" PRIu32 " lanes an output, %" PRIu32 " vectors of %" PRIu32 " each", g->lanes, g->loads,
             g->vector);
}

const family family_register_rows = {
    .name = "register_rows",
    .kernel = "register_rows",
    .structs = 1,
    .struct_bytes = {sizeof(register_rows_t)},
    .takes_both = true,
    .lay_out = lay_out_register_rows,
    .options = add_options,
    .arguments = set_register_rows,
    .describe = describe,
};

/* With one work-item a group, walking rows is as good; and so it is where loads are less than a word of longer rows. */
static bool groups_hold_rows(const geometry_request *r, const geometry *g) {
    const uint32_t bytes = element_bytes(r->problem);
    return g->scan.group > 1 &&
           (g->vector * bytes >= WORD_BYTES || r->layout->reduction * bytes <= r->tuning->register_part_bytes);
}

const strategy strategy_register_rows = {"register-rows", &family_register_rows, false, false,
                                         LANES_FEW,       groups_hold_rows};
