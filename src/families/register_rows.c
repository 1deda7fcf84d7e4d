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

/* Work-items that share a row of which each shifts words that follow each other, and those words: what takes the least
 * time, of as few as hold it and twice as many, of as many words as are needed and one more. Neighbours' words lie
 * apart by about what one has, so that many may be in the same bank, and a load takes a cycle for each of those. About
 * so many instructions are before and after a work-item's words, for each of these, and for each step of the reduction:
 * estimates, tried on 70 rows on an H200, which other devices have not weighed. Where loads take several times as long
 * as the instructions, other strategies are faster. */
#define ROW_INSTRUCTIONS 40
#define WORD_INSTRUCTIONS 5
#define STEP_INSTRUCTIONS 4
#define INSTRUCTIONS_A_CYCLE 4
#define LOADS_MOST 3 /* times as long */

static uint64_t cost_of_shares(const geometry_request *r, uint64_t row_bytes, uint32_t lanes, uint64_t words) {
    const layout *l = r->layout;
    const uint64_t pitch = magnitude(l->kept[l->kept_count - 1].in) * element_bytes(r->problem);
    uint64_t at[BANKS_MOST], instructions = ROW_INSTRUCTIONS + WORD_INSTRUCTIONS * words;
    for (uint32_t i = 0; i < r->tuning->tile_banks; ++i) {
        const uint64_t behind = row_bytes > WORD_BYTES * words ? row_bytes - WORD_BYTES * words : 0;
        at[i] = (i / lanes * pitch + min_u64(i % lanes * words * WORD_BYTES, behind)) / WORD_BYTES;
    }
    for (uint32_t n = lanes; n > 1; n /= 2)
        instructions += STEP_INSTRUCTIONS;
    const uint64_t loads = INSTRUCTIONS_A_CYCLE * (words + 1) * bank_conflicts(r, at);
    return lanes > 1 && loads > LOADS_MOST * instructions ? UINT64_MAX : lanes * max_u64(instructions, loads);
}

/* A lone work-item's share is the row. Those of several lie within it, and leave room for one word more. */
static bool share_fits(const geometry_request *r, uint64_t row_bytes, uint32_t lanes, uint64_t words) {
    const uint64_t bytes = words * WORD_BYTES, most = r->tuning->register_bytes;
    return lanes == 1 ? bytes <= most : bytes < most && bytes <= row_bytes;
}

static bool choose_shares(const geometry_request *r, uint32_t most, geometry *g) {
    const uint64_t row_bytes = r->layout->reduction * element_bytes(r->problem);
    uint64_t best = UINT64_MAX;
    uint32_t tried = 0;
    for (uint32_t lanes = 1; lanes <= most && tried < 2; lanes *= 2) {
        const uint64_t needed = ceil_div(g->length, lanes);
        tried += share_fits(r, row_bytes, lanes, needed);
        for (uint64_t words = needed; words <= needed + (lanes > 1); ++words) {
            const uint64_t cost =
                share_fits(r, row_bytes, lanes, words) ? cost_of_shares(r, row_bytes, lanes, words) : UINT64_MAX;
            if (cost < best) {
                best = cost;
                g->lanes = lanes;
                g->loads = (uint32_t)words;
            }
        }
    }
    return best < UINT64_MAX;
}

#define ONE_DIM "it takes one reduced dim without gaps"
#define TOO_LONG "it takes rows short enough for the registers of a few work-items"

/* Whether rows of narrow elements are shifted out of words: where vectors are less than one and a row is more loads
 * than words, and where they are one each, of rows that several work-items share. */
static bool shifts(const geometry_request *r, uint32_t vector) {
    const uint64_t row = r->layout->reduction;
    const uint32_t word = word_of(r);
    if (word == 1 || vector > word || !r->device->little_endian)
        return false;
    return vector < word ? ceil_div(row, word) + 1 < row : row * element_bytes(r->problem) > r->tuning->register_bytes;
}

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
    if (shifts(r, g->vector)) {
        g->vector = word_of(r);
        g->load = LOAD_SHIFTED;
    }
    g->length = g->part_length = ceil_div(last->size, g->vector);
    g->parts = 1;
    const uint32_t group = floor_power(t->group_register, r->group_limit);
    const uint32_t vector_bytes = load_bytes(r, g);
    if (g->load == LOAD_SHIFTED) {
        if (!choose_shares(r, min_u32(t->register_lanes, group), g))
            return TOO_LONG;
    } else {
        g->lanes = lanes_of_row(t, min_u32(t->register_lanes, group), vector_bytes, g->length);
        g->loads = (uint32_t)min_u64(ceil_div(g->length, g->lanes), UINT32_MAX);
    }
    if (!row_fits(r, last->size, g))
        return TOO_LONG;
    const bool moved_back = g->load == LOAD_SHIFTED && g->lanes > 1;
    g->register_rows.even = moved_back || last->size == (uint64_t)g->lanes * g->loads * g->vector;
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
    const cl_long before = WORD_BYTES - 1, share = (cl_long)g->loads * g->vector; /* elements, at most */
    cl_ulong first, last;
    addressed_elements(l, &first, &last);
    const register_rows_t rows = {.jobs = jobs,
                                  .jobs_per_group = g->scan.jobs_per_group,
                                  .vectors = (cl_uint)g->length,
                                  .elements = (cl_uint)l->reduction,
                                  .whole_from = (cl_long)first + before,
                                  .whole_to = (cl_long)last - share - before};
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
    return g->scan.group > 1 && (load_bytes(r, g) >= WORD_BYTES ||
                                 r->layout->reduction * element_bytes(r->problem) <= r->tuning->register_bytes);
}

const strategy strategy_register_rows = {"register-rows", &family_register_rows, false, false,
                                         LANES_FEW,       groups_hold_rows};
