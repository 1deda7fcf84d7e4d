#include "threads.h"
#include "tune_search.h"

#include <string.h>

/* Seconds for one problem: at a first look, and to confirm a gain. */
static const double LOOK = 0.04, CONFIRM = 0.15;

bool search_time_is_up(const search *s) {
    return *s->interrupted || now() > s->deadline;
}

/* Another order for each candidate, so that no class of problems always decides first. */
static void shuffle(search *s, size_t order[TUNE_PROBLEMS_MAX]) {
    for (size_t i = 0; i < s->set.count; i++) {
        s->random = problem_mix(s->random + i);
        const size_t j = (size_t)(s->random % (i + 1));
        order[i] = i;
        order[i] = order[j];
        order[j] = i;
    }
}

void search_close_plans(const search *s, tune_plan *plans) {
    for (size_t i = 0; i < s->set.count; i++)
        tune_plan_close(&plans[i]);
}

/* Look at one problem. NO_EFFECT: its plan stays; EQUAL: measured, or not asked to. */
static verdict look_at(search *s, size_t n, const char *row, bool measure, score *total) {
    tune_problem *const p = &s->set.problems[n];
    if (search_time_is_up(s))
        return OUT_OF_TIME;
    if (!tune_plan_open(&s->set, p, row, &s->tried[n]))
        return REFUSED;
    if (strcmp(s->tried[n].text, s->plans[n].text) == 0) {
        tune_plan_close(&s->tried[n]);
        return NO_EFFECT;
    }
    if (!tune_plan_check(&s->set, p, &s->tried[n])) {
        s->wrong++;
        return REFUSED;
    }
    if (!measure)
        return EQUAL;
    const tune_gain gain = tune_compare(&s->set, p, &s->plans[n], &s->tried[n], LOOK);
    score_add(total, &gain, s->weight[n]);
    return gain.failed ? REFUSED : EQUAL;
}

/* Look at `most` problems whose plans the row changes, or until it is clear what it is worth; s->tried keeps these
 * plans, all of them when the row is better. */
static verdict look(search *s, const char *row, size_t most, score *total) {
    size_t order[TUNE_PROBLEMS_MAX] = {0};
    bool clear = false;
    shuffle(s, order);
    for (size_t i = 0; i < s->set.count; i++) {
        const verdict v = look_at(s, order[i], row, !clear, total);
        if (v == OUT_OF_TIME || v == REFUSED)
            return v;
        if (v == NO_EFFECT || clear)
            continue;
        if (score_is_loss(total))
            return WORSE;
        if (score_is_idle(total) || total->count == most)
            return EQUAL;
        clear = score_is_clear_gain(total);
    }
    return total->count == 0 ? NO_EFFECT : score_is_gain(total, 1) ? BETTER : EQUAL;
}

/* The same problems again, for longer: one of many candidates looks better by chance. */
static verdict confirm(search *s, score *total) {
    for (size_t n = 0; n < s->set.count; n++) {
        if (s->tried[n].plan == NULL)
            continue;
        if (search_time_is_up(s))
            return OUT_OF_TIME;
        const tune_gain gain = tune_compare(&s->set, &s->set.problems[n], &s->plans[n], &s->tried[n], CONFIRM);
        if (gain.failed)
            return REFUSED;
        score_add(total, &gain, s->weight[n]);
    }
    return score_is_gain(total, 0.7) ? BETTER : EQUAL;
}

verdict search_try(search *s, const tune_row *row, score *total) {
    char text[TUNE_ROW_TEXT];
    tune_row_print(row, s->row_name, text);
    *total = (score){.count = 0};
    verdict v = look(s, text, TUNE_PROBLEMS_MAX, total);
    if (v != NO_EFFECT)
        s->candidates++;
    if (v == BETTER && !score_is_beyond_doubt(total)) {
        *total = (score){.count = 0};
        v = confirm(s, total);
    }
    if (v == BETTER) {
        s->row = *row;
        for (size_t n = 0; n < s->set.count; n++)
            if (s->tried[n].plan != NULL) {
                tune_plan_close(&s->plans[n]);
                s->plans[n] = s->tried[n];
                s->tried[n].plan = NULL;
            }
    }
    search_close_plans(s, s->tried);
    return v;
}

verdict search_probe(search *s, const tune_row *row, size_t most, score *total) {
    char text[TUNE_ROW_TEXT];
    tune_row_print(row, s->row_name, text);
    *total = (score){.count = 0};
    const verdict v = look(s, text, most, total);
    search_close_plans(s, s->tried);
    if (v != NO_EFFECT)
        s->candidates++;
    return v;
}
