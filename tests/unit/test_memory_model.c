/* The merge in one launch (kernels/workgroup/finish.clh, flagged_partial.clh) in every order that memory allows.
 *
 * Each work-group of a small launch is a list of steps. A step may run before an earlier one of its work-group unless
 * both are about one place, a release must not be before it, an acquire not after it, or it is a store that depends on
 * the count. What a work-group has stored is a message with a place in its location's order; a load may take any
 * message that is not older than what the work-group knows of, so also stale ones. A release hands on what its
 * work-group knows, an acquire takes that over, and what counts or raises takes the newest message, as atomics that
 * read and write do. That is C11's model, which OpenCL's is, without values out of thin air. Every state that can come
 * is visited; at each end the last work-group must have found the best of all, and none may be left waiting.
 *
 * Weaker orders, which the kernels do not use, must be found wrong: else the model allows too little. */
#include "unit.h"

#include <stdbool.h>

enum { GROUPS_MOST = 3, PLACES = 8, MESSAGES = 6, STEPS = 12 };
enum { COUNTER, WORD, WORDS /* of each work-group, two */ };

typedef enum action {
    STORE, /* `value` */
    RAISE, /* to `value`, by an atomic maximum */
    COUNT, /* one more; the last one goes on */
    LOAD,  /* and keep the best */
    AWAIT  /* load until it is not 0, and keep the best */
} action;

typedef struct step {
    action what;
    int place, value;
    bool acquires, releases;
    bool after_last; /* only by the work-group that came last */
} step;

typedef struct program {
    int groups;
    int left; /* work-groups of a dead launch that have left something behind */
    step steps[GROUPS_MOST][STEPS];
    int length[GROUPS_MOST];
} program;

typedef struct message {
    int value;
    int knows[PLACES]; /* of each place, the oldest message that who reads this may still take */
} message;

typedef struct group_state {
    int knows[PLACES];
    unsigned done; /* steps */
    int best;
    bool counted, last;
} group_state;

typedef struct state {
    message messages[PLACES][MESSAGES];
    int count[PLACES];
    group_state groups[GROUPS_MOST];
} state;

/* ---- states that were visited ---- */

#define SEEN_ROOM (1u << 21)
static uint64_t seen[SEEN_ROOM];
static unsigned seen_count;

static bool is_new(const state *s) {
    const unsigned char *const bytes = (const unsigned char *)s;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < sizeof *s; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    hash = hash ? hash : 1;
    for (size_t at = (size_t)(hash >> 43);; at = (at + 1) % SEEN_ROOM) {
        if (seen[at] == hash)
            return false;
        if (!seen[at]) {
            seen[at] = hash;
            ck_assert_uint_lt(++seen_count, SEEN_ROOM / 2);
            return true;
        }
    }
}

/* ---- a step ---- */

static bool writes(const step *a) {
    return a->what != LOAD && a->what != AWAIT;
}

/* Whether the later step may run while the earlier one has not. */
static bool may_pass(const step *later, const step *earlier) {
    return later->place != earlier->place && !later->releases && !earlier->acquires &&
           !(later->after_last && earlier->what == COUNT && writes(later));
}

static bool is_over(const group_state *g, const step *a, int i) {
    return (g->done >> i & 1) || (a->after_last && g->counted && !g->last);
}

static bool may_run(const program *p, const state *s, int group, int i) {
    const group_state *const g = &s->groups[group];
    if (is_over(g, &p->steps[group][i], i))
        return false;
    for (int before = 0; before < i; before++)
        if (!is_over(g, &p->steps[group][before], before) && !may_pass(&p->steps[group][i], &p->steps[group][before]))
            return false;
    return true;
}

static void learn(int *knows, const int *other) {
    for (int i = 0; i < PLACES; i++)
        knows[i] = knows[i] > other[i] ? knows[i] : other[i];
}

/* Append a message; `from` is the one that an atomic has read, NULL for a store. */
static void put(state *s, group_state *g, const step *a, int value, const message *from) {
    const int at = s->count[a->place]++;
    ck_assert_int_lt(at, MESSAGES);
    message *const m = &s->messages[a->place][at];
    m->value = value;
    g->knows[a->place] = at;
    if (from)
        learn(m->knows, from->knows); /* an atomic goes on with the release that it has read */
    if (a->releases)
        learn(m->knows, g->knows);
    m->knows[a->place] = at;
}

/* Run the step with message `which` of its place. */
static void run_step(const program *p, state *s, int group, int i, int which) {
    const step *const a = &p->steps[group][i];
    group_state *const g = &s->groups[group];
    const message from = s->messages[a->place][which];
    g->done |= 1u << i;
    if (a->what != STORE)
        g->knows[a->place] = which;
    if (a->acquires)
        learn(g->knows, from.knows);
    switch (a->what) {
    case STORE:
        put(s, g, a, a->value, NULL);
        break;
    case RAISE:
        put(s, g, a, from.value > a->value ? from.value : a->value, &from);
        break;
    case COUNT:
        put(s, g, a, from.value + 1, &from);
        g->counted = true;
        g->last = from.value + 1 == p->groups;
        break;
    case LOAD:
    case AWAIT:
        g->best = from.value > g->best ? from.value : g->best;
        break;
    }
}

/* ---- all of them ---- */

/* The best value of all: work-groups leave 1, 2, ... */
static bool ends_well(const program *p, const state *s) {
    int last = 0;
    bool right = true;
    for (int i = 0; i < p->groups; i++) {
        last += s->groups[i].last;
        right = right && (!s->groups[i].last || s->groups[i].best == p->groups);
        for (int k = 0; k < p->length[i]; k++)
            right = right && is_over(&s->groups[i], &p->steps[i][k], k); /* else it waits for ever */
    }
    return right && last == 1;
}

static bool visit(const program *p, const state *s) {
    bool ended = true;
    if (!is_new(s))
        return true;
    for (int group = 0; group < p->groups; group++)
        for (int i = 0; i < p->length[group]; i++) {
            if (!may_run(p, s, group, i))
                continue;
            const step *const a = &p->steps[group][i];
            const int newest = s->count[a->place] - 1;
            const int oldest = writes(a) ? newest : s->groups[group].knows[a->place];
            for (int which = oldest; which <= newest; which++) {
                if (a->what == AWAIT && s->messages[a->place][which].value == 0)
                    continue;
                state next = *s;
                ended = false;
                run_step(p, &next, group, i, which);
                if (!visit(p, &next))
                    return false;
            }
        }
    return !ended || ends_well(p, s);
}

static bool always_right(const program *p) {
    static state start;
    memset(&start, 0, sizeof start);
    memset(seen, 0, sizeof seen);
    seen_count = 0;
    for (int i = 0; i < PLACES; i++)
        start.count[i] = 1;
    start.messages[COUNTER][0].value = p->left;
    for (int i = 0; i < 2 && p->left; i++) /* another launch's best */
        start.messages[WORD][0].value = start.messages[WORDS + i][0].value = 9;
    return visit(p, &start);
}

/* ---- the kernels ---- */

typedef enum form { PARTIALS, ATOMIC_PARTIAL, FLAGGED_PARTIAL } form;

static void add(program *p, int group, step a) {
    p->steps[group][p->length[group]++] = a;
}

/* A launch of so many work-groups, of which the i-th leaves i + 1. */
static program launch(form f, int groups, bool acquires, bool releases, bool waits, int left) {
    program p = {.groups = groups, .left = left};
    const int each = f == FLAGGED_PARTIAL ? 2 : 1;
    for (int i = 0; i < groups; i++) {
        for (int w = 0; w < each && f != ATOMIC_PARTIAL; w++)
            add(&p, i, (step){.what = STORE, .place = WORDS + 2 * i + w, .value = i + 1});
        if (f == ATOMIC_PARTIAL)
            add(&p, i, (step){.what = RAISE, .place = WORD, .value = i + 1});
        add(&p, i, (step){.what = COUNT, .place = COUNTER, .acquires = acquires, .releases = releases});
        if (f == ATOMIC_PARTIAL)
            add(&p, i, (step){.what = LOAD, .place = WORD, .after_last = true});
        /* Of two words the second is needed as much as the first: here for the groups whose number is odd. */
        for (int other = 0; other < groups && f != ATOMIC_PARTIAL; other++)
            add(&p, i,
                (step){.what = waits ? AWAIT : LOAD, .place = WORDS + 2 * other + other % each, .after_last = true});
    }
    return p;
}

static const struct {
    const char *name;
    form f;
    bool acquires, releases, waits;
    int left;
    bool right;
} cases[] = {
    {"partials", PARTIALS, true, true, false, 0, true},
    {"one word", ATOMIC_PARTIAL, true, true, false, 0, true},
    {"two words of PTX", FLAGGED_PARTIAL, false, false, true, 0, true},
    {"two words of OpenCL C", FLAGGED_PARTIAL, true, true, false, 0, true},
    /* What would be wrong. */
    {"partials, relaxed", PARTIALS, false, false, false, 0, false},
    {"partials, release alone", PARTIALS, false, true, false, 0, false},
    {"partials, acquire alone", PARTIALS, true, false, false, 0, false},
    {"one word, relaxed", ATOMIC_PARTIAL, false, false, false, 0, false},
    {"two words, relaxed, nobody waits", FLAGGED_PARTIAL, false, false, false, 0, false},
    {"partials, counters of a dead launch", PARTIALS, true, true, false, 1, false},
    {"one word, counters of a dead launch", ATOMIC_PARTIAL, true, true, false, 1, false},
    {"two words, counters of a dead launch", FLAGGED_PARTIAL, false, false, true, 1, false},
};

START_TEST(every_order_gives_the_best) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int groups = 2; groups <= GROUPS_MOST; groups++) {
            const program p =
                launch(cases[i].f, groups, cases[i].acquires, cases[i].releases, cases[i].waits, cases[i].left);
            const bool right = always_right(&p);
            ck_assert_msg(right == cases[i].right, "%s, %d work-groups: %s in every order", cases[i].name, groups,
                          right ? "right" : "not right");
        }
}
END_TEST

TESTS_MAIN("memory model", NULL, NULL, ONCE(every_order_gives_the_best))
