/* How kernels/families/few_rows.cl lies over reductions of few elements. */
#include "families/geometry.h"

#include <inttypes.h>

/* Outputs of a work-item, and of as many as lie side by side. */
static uint32_t outputs_of(const geometry *g) {
    return g->vector / g->fused;
}
static uint32_t outputs_across(const geometry *g) {
    return outputs_of(g) * g->across;
}

static const layout_dim *column_of(const layout *l) {
    return &l->kept[l->kept_count - 1];
}

/* Elements of an aligned vector of columns, of which every row and every kept dim is a whole number. */
static uint32_t whole_vector(const geometry_request *r) {
    const layout_dim *column = column_of(r->layout);
    uint32_t vector = aligned_vector(r->layout, column->in == 1 ? widest_over_columns(r) : 1, column);
    while (column->size % vector)
        vector /= 2;
    return vector;
}

/* Elements of a vector that begins anywhere: no wider than leaves few outputs to be read twice at the end of a row, and
 * a word at least. */
static uint32_t shifted_vector(const geometry_request *r, uint32_t most) {
    const uint64_t size = column_of(r->layout)->size, share = r->tuning->idle_share;
    const uint32_t widest = min_u32(widest_over_columns(r), r->tuning->vector_bytes / element_bytes(r->problem));
    uint32_t vector = shifted_elements(r, min_u32(widest, most));
    while (vector > word_of(r) && (vector > size || (ceil_div(size, vector) * vector - size) * share > size))
        vector /= 2;
    return vector;
}

/* Whether an accumulator of 8-bit elements counts all of a reduction, so many at a time. */
static bool is_one_block(const geometry_request *r, uint32_t fused) {
    return element_bytes(r->problem) > 1 || ceil_div(r->layout->reduction, fused) + UNROLL_MAX <= UINT8_MAX;
}

/* Else words of 8-bit elements, which are shifted, or a word of 16-bit ones, which come one by one. Where the answers
 * are more bytes than the input, no more outputs than one store takes the answers of, so that neighbours' stores fill
 * lines; pairs of 8 bits then come one by one too. */
static void choose_vector(const geometry_request *r, geometry *g) {
    const layout *l = r->layout;
    const layout_dim *column = column_of(l), *last = &l->reduced[l->reduced_count - 1];
    const uint32_t bytes = element_bytes(r->problem), index_bytes = r->problem->index.type->bits / 8;
    const uint32_t word = word_of(r), answers = max_u32(r->tuning->vector_bytes / index_bytes, 1);
    const uint64_t input = l->reduction * bytes; /* of an output */
    const bool stores_more = input <= index_bytes;
    const bool stores_much = input <= UINT64_C(2) * index_bytes; /* a word's answers are enough of a line */
    const bool narrow = column->in == 1 && column->size >= word;
    const uint32_t least = stores_more ? min_u32(word, answers) : word;
    g->vector = whole_vector(r);
    if (stores_more)
        g->vector = min_u32(g->vector, answers);
    g->load = kind_of_load(r, true, g->vector);
    if (g->vector < least && narrow) {
        const bool shifted = bytes == 1 && least == word && column->index >= 0 && r->device->little_endian;
        g->vector = shifted ? shifted_vector(r, stores_much ? word : VECTOR_MAX) : least;
        g->load = shifted ? LOAD_SHIFTED : LOAD_UNALIGNED;
    }
    choose_mask(r, column->mask, g->load != LOAD_ALIGNED, g);
    /* A narrow element alone is as much arithmetic as a word of them. */
    const uint32_t fused = WORD_BYTES / bytes;
    const bool fuses = bytes < WORD_BYTES && g->vector == 1 && l->reduction > 1 && r->tuning->swar &&
                       r->device->little_endian && !is_general(r->problem) && is_one_block(r, fused);
    g->fused = fuses ? fused : 1;
    g->vector *= g->fused;
    if (fuses && last->in == 1 && last->size % fused == 0 && aligned_vector(l, fused, last) == fused &&
        kind_of_load(r, true, fused) == LOAD_ALIGNED)
        g->load = LOAD_ALIGNED;
}

#define OUTPUTS_APART 4u
/* Work-items side by side then: their answers fill lines. */
#define ITEMS_ACROSS 32u

/* Elements loaded one by one are those of outputs apart, so that work-items side by side load, and store, what is side
 * by side: a word at least, and with few elements as many outputs as have few_flight_bytes on their way. So are all
 * that come in turn with others, of which a work-item has one output where they cannot be. */
static void choose_apart(const geometry_request *r, uint32_t group, geometry *g) {
    const tuning_row *t = r->tuning;
    const layout_dim *column = column_of(r->layout);
    const uint64_t loads = min_u64(r->layout->reduction, t->few_loads);
    const uint32_t bytes = element_bytes(r->problem);
    const bool in_turn = r->layout->both_orders;
    const uint32_t turn = (uint32_t)min_u64(t->scattered_outputs, column->size);
    const uint32_t items = in_turn ? floor_power(turn, group) : ITEMS_ACROSS;
    uint32_t vector = max_u32(in_turn ? 1 : g->vector, word_of(r));
    while (loads * vector * bytes < t->few_flight_bytes && vector < OUTPUTS_APART)
        vector *= 2;
    const uint64_t side = (uint64_t)vector * items, twice = ceil_div(column->size, side) * side - column->size;
    const bool apart = t->few_flight_bytes && group >= items && column->in == 1 && !is_masked(r->problem) &&
                       vector > 1 && side <= column->size && twice * t->idle_share <= column->size;
    g->few_rows.in_turn = in_turn;
    g->across = in_turn ? items : 1;
    if (apart && (in_turn || (g->load == LOAD_UNALIGNED && g->fused == 1))) {
        g->across = items;
        g->vector = vector;
        g->fused = 1;
        g->load = LOAD_STRIDED;
    } else if (in_turn && g->fused == 1) {
        g->vector = 1;
        g->load = kind_of_load(r, column->in == 1, 1);
        choose_mask(r, column->mask, true, g);
    }
}

/* Whether an int does not tell where an element lies from the first one on, in the input and in the mask. */
static bool reaches_far(const layout *l) {
    uint64_t input = 0, mask = 0;
    for (uint32_t i = 0; i < l->reduced_count; ++i) {
        input += (l->reduced[i].size - 1) * magnitude(l->reduced[i].in);
        mask += (l->reduced[i].size - 1) * magnitude(l->reduced[i].mask);
    }
    return input > INT32_MAX || mask > INT32_MAX;
}

/* Elements in flight: as many as make the batches fewest, and no more, since those behind the last one are read again.
 */
static uint32_t elements_in_flight(const geometry_request *r, uint64_t elements) {
    return (uint32_t)ceil_div(elements, ceil_div(elements, min_u32(r->tuning->few_loads, UNROLL_MAX)));
}

static const char *lay_out_few_rows(const geometry_request *r, geometry *g) {
    const layout *l = r->layout;
    const layout_dim *column = column_of(l);
    const uint32_t group = floor_power(r->tuning->group_columns, r->group_limit);
    g->tuning = r->tuning->name;
    if (l->reduction > FEW_ELEMENTS_MOST)
        return "it takes reductions of at most 1024 elements";
    if (reaches_far(l))
        return "it takes reductions of elements less than 2^31 apart";
    choose_vector(r, g);
    choose_apart(r, group, g);
    choose_arithmetic(r, g);
    g->length = g->part_length = l->reduction;
    g->parts = g->least = g->lanes = 1;
    g->unroll = elements_in_flight(r, ceil_div(l->reduction, g->fused));
    g->one_block = element_bytes(r->problem) == 1 && is_one_block(r, g->fused);
    g->outers = l->outputs / column->size;
    g->tiles = ceil_div(column->size, outputs_across(g));
    const uint64_t vectors = g->outers * g->tiles * g->across;
    const uint64_t loads = g->few_rows.in_turn ? 1 : r->tuning->few_loads;
    g->batch = (uint32_t)max_u64(1, min_u64(ceil_div(loads, l->reduction), vectors / group / wanted_groups(r, g)));
    g->scan = distribute(r, group, ceil_div(vectors, (uint64_t)group * g->batch), r->tuning->groups_max);
    g->one_job = has_one_job(r, g) && g->scan.jobs < (UINT64_C(1) << 31) / group / g->batch;
    return plan_merge(r, l->outputs, 1, g);
}

static void add_options(const geometry *g, writer *out) {
    add_fused(g, out);
    if (g->across > 1)
        text_add(out, " -DACROSS=%" PRIu32, g->across);
    text_add(out, " -DUNROLL=%" PRIu32 "%s%s", g->unroll, g->few_rows.in_turn ? " -DIN_TURN=1" : "",
             g->one_block ? " -DONE_BLOCK=1" : "");
}

static void set_few_rows(const layout *l, const geometry *g, uint64_t jobs, kernel_arguments *arguments) {
    const layout_dim *column = column_of(l);
    few_rows_t rows = {.jobs = jobs,
                       .jobs_per_group = g->scan.jobs_per_group,
                       .vectors = g->outers * g->tiles * g->across,
                       .row_vectors = g->tiles * g->across,
                       .per_row_vectors = reciprocal(g->few_rows.in_turn ? g->tiles : g->tiles * g->across),
                       .column_stride = column->in,
                       .column_index = column->index,
                       .column_value = column->value,
                       .elements = (cl_uint)g->length,
                       .turns = g->batch,
                       .last_before = (cl_uint)(g->tiles * outputs_across(g) - column->size)};
    if (g->few_rows.in_turn) {
        rows.others = l->kept[l->kept_count - 2].size;
        rows.per_others = reciprocal(rows.others);
    }
    layout firsts = *l; /* the first element of each reduction */
    cl_ulong from, to;
    firsts.reduced_count = 0;
    addressed_elements(&firsts, &from, &to);
    rows.whole_from = (cl_long)from + (WORD_BYTES - 1);
    rows.whole_to = (cl_long)to - g->vector - (WORD_BYTES - 1);
    arguments->dims.maximum.column_index = column->max_index;
    arguments->dims.maximum.column_value = column->max_value;
    set_argument(arguments, 0, &rows, sizeof rows);
}

static void describe(const geometry *g, writer *out) {
    text_add(out, "vectors of %" PRIu32 " outputs%s, %" PRIu32 " a work-item", outputs_of(g),
             g->few_rows.in_turn ? " in turn with others"
             : g->across > 1     ? " apart"
                                 : "",
             g->batch);
}

const family family_few_rows = {
    .name = "few_rows",
    .kernel = "few_rows",
    .structs = 1,
    .struct_bytes = {sizeof(few_rows_t)},
    .groups = GROUPS_OF_COLUMNS,
    .takes_mask = true,
    .takes_both = true,
    .lay_out = lay_out_few_rows,
    .options = add_options,
    .arguments = set_few_rows,
    .describe = describe,
};

/* Whether elements of a reduction lie farther apart than neighbouring outputs, and these so near that a sub-group's
 * load is some lines, of which its next loads take the rest. */
static bool outputs_lie_nearer(const geometry_request *r) {
    const layout *l = r->layout;
    const int64_t column = column_of(l)->in;
    int64_t farthest = 0;
    for (uint32_t i = 0; i < l->reduced_count; ++i)
        farthest = l->reduced[i].in > farthest    ? l->reduced[i].in
                   : -l->reduced[i].in > farthest ? -l->reduced[i].in
                                                  : farthest;
    return column > 0 && (column < farthest || l->reduction == 1) &&
           column * (int64_t)element_bytes(r->problem) <= r->tuning->few_column_bytes;
}

/* Runs of a reduction whose elements lie nearer than outputs; 0: there are none. */
static uint64_t runs_of(const geometry_request *r) {
    const layout *l = r->layout;
    const layout_dim *last = &l->reduced[l->reduced_count - 1];
    return magnitude(last->in) < magnitude(column_of(l)->in) ? l->reduction / last->size : 0;
}

/* Whether these are aligned vectors, which rows read as well. */
static bool runs_are_vectors(const geometry_request *r) {
    const layout *l = r->layout;
    const layout_dim *last = &l->reduced[l->reduced_count - 1];
    const uint32_t vector = widest_vector(r, r->tuning->vector_bytes, false);
    return last->in == 1 && vector > 1 && last->size % vector == 0 && aligned_vector(l, vector, last) == vector;
}

uint32_t few_whole_elements(const geometry_request *r) {
    return r->tuning->few_elements_aligned / (element_bytes(r->problem) == 1 ? WORD_BYTES : 1);
}

/* With one work-item a group there is nobody beside it that takes the rest of a line. Elements of 64 bits are no
 * vectors of columns. */
static bool elements_are_few(const geometry_request *r, const geometry *g) {
    const tuning_row *t = r->tuning;
    const layout *l = r->layout;
    const uint32_t widest = widest_vector(r, t->column_bytes, false);
    const bool whole = widest > 1 && whole_vector(r) >= widest;
    const uint64_t runs = runs_of(r);
    const bool few = runs ? runs <= t->few_inner_rows && !runs_are_vectors(r)
                          : l->reduction <= (whole ? few_whole_elements(r) : t->few_elements);
    if (g->few_rows.in_turn)
        return true;
    return g->scan.group > 1 && few && column_of(l)->size > 1 && outputs_lie_nearer(r) &&
           (l->reduction <= t->few_loads || whole_reductions_do(r, g));
}

const strategy strategy_few_rows = {"few-rows", &family_few_rows, false, false, LANES_ONE, elements_are_few};
