/* Coordinate descent: one field of the row after the other goes up and down, those that promise most first, in large
 * steps and then in small ones. A value is kept when the problems that it touches gain more than the noise. */
#include "tune_search.h"

#include "threads.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One field up or down, or two that bound each other, so that one alone shows nothing. */
typedef struct move {
    size_t field, other; /* other == field: none */
    bool against;        /* the other one goes the other way */
} move;

static const move moves[] = {
#define FIELD(rows, name, least, most, power, otherwise, meaning) {TUNE_##name, TUNE_##name, false},
#include "policy/tuning.def"
    {TUNE_groups_per_unit, TUNE_part_bytes, true},    {TUNE_vector_bytes, TUNE_vector_elements, false},
    {TUNE_column_bytes, TUNE_vector_elements, false}, {TUNE_group_short, TUNE_short_lanes, false},
    {TUNE_hint, TUNE_prefetch_bytes, true},
};

enum { MOVES = sizeof moves / sizeof moves[0], PROBE_MOST = 4 };

/* What a step down, up is worth to all problems, at a first look. */
typedef struct promises {
    double of[MOVES][2];
} promises;

void search_report_time(const search *s) {
    printf("%5.0f s  ", now() - s->start);
}

static void report_gain(const score *total) {
    printf(": %+.1f %% (+- %.1f) on %u problem%s\n", 100 * (exp(score_mean(total)) - 1), 100 * score_error(total),
           total->count, total->count == 1 ? "" : "s");
}

static double promise_of(const promises *p, size_t m) {
    return fmax(p->of[m][0], p->of[m][1]);
}

/* One step of a move; false when there is none left. */
static bool step(const search *s, const move *m, double factor, bool up, tune_row *row) {
    const tune_row before = *row;
    if (!s->fields[m->field] || !s->fields[m->other])
        return false;
    row->value[m->field] = tune_step(m->field, row->value[m->field], factor, up);
    if (m->other != m->field)
        row->value[m->other] = tune_step(m->other, row->value[m->other], factor, up != m->against);
    return memcmp(&before, row, sizeof before) != 0;
}

/* "group 1 -> 4", or "group 1" for the same row twice. */
static void print_move(const move *m, const tune_row *from, const tune_row *to) {
    const size_t fields[2] = {m->field, m->other};
    for (int i = 0; i < (m->other != m->field ? 2 : 1); i++) {
        const uint32_t a = from->value[fields[i]], b = to->value[fields[i]];
        printf("%s%s %u", i > 0 ? ", " : "", tune_field_name(fields[i]), a);
        if (a != b)
            printf(" -> %u", b);
    }
}

/* From today's row on in one direction, until it is no better several times: large steps may cross a valley. True when
 * the row changed. */
static bool walk(search *s, const move *m, double factor, bool up) {
    const int most = factor >= 4 ? 3 : 2;
    bool moved = false;
    int misses = 0;
    tune_row candidate = s->row;
    while (!search_time_is_up(s) && misses < most && step(s, m, factor, up, &candidate)) {
        const tune_row before = s->row;
        score total;
        const verdict v = search_try(s, &candidate, &total);
        if (v == BETTER) {
            search_report_time(s);
            print_move(m, &before, &candidate);
            report_gain(&total);
            moved = true;
            misses = 0;
        } else if (v != NO_EFFECT) {
            misses += v == EQUAL || factor >= 4 ? 1 : most;
        }
    }
    return moved;
}

/* What the first step that has an effect is worth, by a few problems. */
static double probe_step(search *s, const move *m, double factor, bool up) {
    double weights = 0;
    tune_row candidate = s->row;
    for (size_t n = 0; n < s->set.count; n++)
        weights += s->weight[n];
    while (!search_time_is_up(s) && step(s, m, factor, up, &candidate)) {
        score total;
        const verdict v = search_probe(s, &candidate, PROBE_MOST, &total);
        if (v == NO_EFFECT)
            continue;
        return v == REFUSED ? -1 : total.sum / weights;
    }
    return -1;
}

/* In which order the fields are worth a try. It may take a quarter of the time. */
static void probe(search *s, double factor, promises *p) {
    const double most = 0.75 * now() + 0.25 * s->deadline;
    size_t best = 0;
    for (size_t m = 0; m < MOVES; m++)
        for (int up = 0; up < 2; up++)
            p->of[m][up] = now() < most ? probe_step(s, &moves[m], factor, up != 0) : 0;
    for (size_t m = 1; m < MOVES; m++)
        if (promise_of(p, m) > promise_of(p, best))
            best = m;
    search_report_time(s);
    printf("a first look at all fields: %s promises most\n", tune_field_name(moves[best].field));
}

/* Values of a field that steps do not reach: 0, which switches something off; from 0 what the built-in rows have; and
 * every one of those that are few. Where 0 of another field leaves this one without effect, that one takes the built-in
 * rows' value as well. */
typedef struct jump_list {
    uint32_t value[32], partner[32]; /* 0: the partner stays */
    size_t count;
} jump_list;

static void add_jump(jump_list *list, uint32_t value, uint32_t partner) {
    for (size_t i = 0; i < list->count; i++)
        if (list->value[i] == value && list->partner[i] == partner)
            return;
    if (list->count < sizeof list->value / sizeof list->value[0]) {
        list->value[list->count] = value;
        list->partner[list->count++] = partner;
    }
}

static void list_jumps(const tune_row *row, size_t f, jump_list *list) {
    tune_row built_in;
    uint32_t least;
    const size_t other = tune_partner(f);
    const uint32_t few = tune_few_values(f, &least);
    list->count = 0;
    add_jump(list, few ? least : 0, 0);
    for (size_t i = 0; tune_row_built_in(i, &built_in) != NULL; i++) {
        const uint32_t partner = other != f && row->value[other] == 0 ? built_in.value[other] : 0;
        if (row->value[f] == 0)
            add_jump(list, built_in.value[f], partner);
        for (uint32_t v = 0; v < few; v++)
            add_jump(list, least + v, partner);
    }
}

static bool jump(search *s, const move *m) {
    const size_t f = m->field, other = tune_partner(f);
    uint32_t least;
    jump_list list;
    bool moved = false;
    if (m->other != f || !s->fields[f] || (!tune_can_be_zero(f) && !tune_few_values(f, &least)))
        return false;
    list_jumps(&s->row, f, &list);
    for (size_t i = 0; i < list.count && !search_time_is_up(s); i++) {
        const tune_row before = s->row;
        const bool with_other = list.partner[i] != 0 && before.value[other] == 0 && s->fields[other];
        const move made = {f, with_other ? other : f, false};
        tune_row candidate = before;
        score total;
        candidate.value[f] = list.value[i];
        if (with_other)
            candidate.value[other] = list.partner[i];
        if (memcmp(&before, &candidate, sizeof before) != 0 && search_try(s, &candidate, &total) == BETTER) {
            search_report_time(s);
            print_move(&made, &before, &candidate);
            report_gain(&total);
            moved = true;
        }
    }
    return moved;
}

/* Every move once, the most promising one first; true when the row changed. */
static bool pass(search *s, double factor, const promises *p) {
    bool done[MOVES] = {false}, changed = false;
    for (size_t count = 0; count < MOVES && !search_time_is_up(s); count++) {
        size_t best = MOVES;
        for (size_t m = 0; m < MOVES; m++)
            if (!done[m] && (factor >= 2 || tune_is_fine(moves[m].field)) &&
                (best == MOVES || promise_of(p, m) > promise_of(p, best)))
                best = m;
        if (best == MOVES)
            break;
        done[best] = true;
        const unsigned before = s->candidates;
        const bool up = p->of[best][1] >= p->of[best][0];
        /* What is off may have become worth while since. */
        const bool jumped = (factor >= 4 || s->row.value[moves[best].field] == 0) && jump(s, &moves[best]);
        const bool moved = walk(s, &moves[best], factor, up) || walk(s, &moves[best], factor, !up) || jumped;
        changed = changed || moved;
        if (!moved && s->candidates > before) {
            search_report_time(s);
            print_move(&moves[best], &s->row, &s->row);
            printf(" stays, %u tried\n", s->candidates - before);
        }
    }
    return changed;
}

/* The built-in rows of all classes, whole: a device may resemble another class. */
static void try_built_in(search *s) {
    tune_row row;
    score total;
    const char *name;
    for (size_t i = 0; !search_time_is_up(s) && (name = tune_row_built_in(i, &row)) != NULL; i++)
        if (search_try(s, &row, &total) == BETTER) {
            search_report_time(s);
            printf("the values of the built-in row %s", name);
            report_gain(&total);
        }
}

void search_all(search *s, bool with_built_in_rows) {
    promises p;
    static const double FACTORS[] = {4, 2, 1.4, 2, 1.4};
    if (with_built_in_rows)
        try_built_in(s);
    probe(s, FACTORS[0], &p);
    for (size_t i = 0; i < sizeof FACTORS / sizeof FACTORS[0] && !search_time_is_up(s); i++) {
        search_report_time(s);
        printf("steps of %g:\n", FACTORS[i]);
        if (!pass(s, FACTORS[i], &p) && i >= 2)
            break;
    }
}
