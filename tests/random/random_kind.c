/* Random kinds: what a compiled program depends on. */
#include "families/family.h"
#include "random_problem.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

typedef struct field_range {
    field_rows rows;
    const char *name;
    uint32_t least, most;
    bool power_of_two;
} field_range;

static const field_range fields[] = {
#define FIELD(rows, name, least, most, power, otherwise, meaning) {FIELD_OF_##rows, #name, least, most, power},
#include "policy/tuning.def"
};

#define FIELD_COUNT ((uint32_t)(sizeof fields / sizeof fields[0]))
_Static_assert(sizeof fields / sizeof fields[0] <= RANDOM_DEALT_MOST, "a deck has room for every field");

/* As likely small as large, and the least and the most often. */
static uint32_t random_number(random_source *s, const field_range *f) {
    uint32_t bits = 0;
    while ((uint64_t)f->most >> bits > 1)
        bits++;
    const uint64_t scale = UINT64_C(1) << random_below(s, bits + 1);
    uint64_t number = f->power_of_two ? scale : scale + random_below(s, scale);
    if (random_one_in(s, 6))
        number = f->least;
    return (uint32_t)(number < f->least ? f->least : number > f->most ? f->most : number);
}

/* Fields that the row has, and those of host arrays: five that are dealt for CPUs, whose row has fewer turns, else
 * three or up to six; or up to four, and those that give the merge a launch of its own. */
static void random_fields(random_source *s, uint64_t deck, uint64_t turn, const char *row, bool launches_apart,
                          char *text, size_t capacity) {
    const field_range *of_row[FIELD_COUNT];
    uint32_t fields_of_row = 0;
    for (uint32_t i = 0; i < FIELD_COUNT; i++)
        if (tuning_has_field(row, fields[i].rows) || fields[i].rows == FIELD_OF_HOST)
            of_row[fields_of_row++] = &fields[i];
    const uint32_t each = tuning_is_kind_of(row, "cpu") ? 5 : 3;
    const uint32_t more_most = each == 5 || launches_apart ? 2 : 4;
    const uint32_t count = each + (uint32_t)(random_one_in(s, 2) ? random_below(s, more_most) : 0);
    size_t used = launches_apart ? (size_t)snprintf(text, capacity, "%s", "one_launch:0,one_launch_columns:0") : 0;
    for (uint32_t i = 0; i < count; i++) {
        const field_range *const f = of_row[random_dealt(deck, each * turn + i, fields_of_row)];
        const int more =
            snprintf(text + used, capacity - used, "%s%s:%u", used ? "," : "", f->name, random_number(s, f));
        assert(more > 0 && (size_t)more < capacity - used);
        used += (size_t)more;
    }
}

static void random_tuning(uint64_t seed, uint64_t turn, problem_line *p) {
    static const struct {
        const char *row;
        bool change;
    } hand[] = {{"", false}, {"cpu", false}, {"gpu", false}, {"cpu", true}, {"gpu", true}, {"gpu", true}};
    const uint64_t dealt = random_dealt(seed, turn, sizeof hand / sizeof hand[0]);
    random_source s = {problem_mix(seed + turn)};
    snprintf(p->tuning, sizeof p->tuning, "%s", hand[dealt].row);
    /* Half of the kinds that must have parts: few problems are so large that they get a second launch unasked. */
    const bool launches_apart = strncmp(p->strategy, "split-", 6) == 0 && random_one_in(&s, 2);
    if (hand[dealt].change) /* the turns of a row's changes alone: of a hand, 3 is the CPUs', 4 and 5 are GPUs' */
        random_fields(&s, seed, dealt == 3 ? turn / 6 : turn / 6 * 2 + dealt - 4, p->tuning, launches_apart, p->fields,
                      sizeof p->fields);
}

/* Of what the family takes, all of it where there is none: a third with both extrema, a third with a mask. */
static void random_general(const family *of, uint64_t *deck, uint64_t turn, problem_line *p) {
    static const argmax_cl_dtype index_types[] = {ARGMAX_CL_INT64, ARGMAX_CL_INT32, ARGMAX_CL_UINT64, ARGMAX_CL_UINT32};
    if (random_dealt((*deck)++, turn, 3) == 0 && (!of || of->takes_both)) {
        p->op = ARGMAX_CL_ARGMINMAX;
        p->max_index_type = index_types[random_dealt((*deck)++, turn, 4)];
        p->max_direction = random_dealt((*deck)++, turn, 2) ? ARGMAX_CL_DECREASING : ARGMAX_CL_INCREASING;
        p->has_max_value = random_dealt((*deck)++, turn, 2) != 0;
    }
    if (random_dealt((*deck)++, turn, 3) == 0 && (!of || of->takes_mask))
        p->mask_of = MASK_HALF;
}

void random_kind(uint64_t seed, uint64_t turn, const char *tuning, problem_line *p) {
    static const argmax_cl_dtype index_types[] = {ARGMAX_CL_INT64, ARGMAX_CL_INT32, ARGMAX_CL_UINT64, ARGMAX_CL_UINT32};
    uint64_t deck = problem_mix(seed); /* one for each property */
    problem_init(p);
    p->dtype = problem_dtypes[random_dealt(deck++, turn, PROBLEM_DTYPE_COUNT)].dtype;
    p->index_type = index_types[random_dealt(deck++, turn, 4)];
    p->op = random_dealt(deck++, turn, 2) ? ARGMAX_CL_ARGMIN : ARGMAX_CL_ARGMAX;
    p->direction = random_dealt(deck++, turn, 2) ? ARGMAX_CL_DECREASING : ARGMAX_CL_INCREASING;
    p->nan_mode = random_dealt(deck++, turn, 2) ? ARGMAX_CL_NAN_IGNORE : ARGMAX_CL_NAN_PROPAGATE;
    p->has_value = random_dealt(deck++, turn, 2) != 0;
    /* A third without a strategy. */
    const uint64_t dealt = random_dealt(deck++, turn, strategy_count() * 3 / 2);
    snprintf(p->strategy, sizeof p->strategy, "%s", dealt < strategy_count() ? strategy_name((uint32_t)dealt) : "");
    if (tuning)
        snprintf(p->tuning, sizeof p->tuning, "%s", tuning);
    else
        random_tuning(deck, turn, p);
    deck++;
    random_general(dealt < strategy_count() ? strategy_at((uint32_t)dealt)->family : NULL, &deck, turn, p);
}
