/* The choice among the strategies of table.c, or obedience to the one that the user names. */
#include "families/geometry.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NULL, or why a mask or both extrema cannot be had from the family's kernel. */
static const char *refuses_general(const strategy *s, const problem *p, const device_facts *device) {
    if (!is_general(p))
        return NULL;
    if (device->no_general)
        return "this device's compiler makes wrong programs of masks and of both extrema";
    if (is_masked(p) && !s->family->takes_mask)
        return "its kernel takes no mask";
    return wants_both(p) && !s->family->takes_both ? "its kernel takes one extreme" : NULL;
}

/* NULL, or why it cannot be. */
static const char *lay_out(const strategy *s, const problem *p, const layout *l, const device_facts *device,
                           const tuning_row *tuning, uint32_t group_limit, geometry *g, bool *suits) {
    const geometry_request request = {p, l, device, tuning, group_limit, s->strided, s->split, s->lanes};
    memset(g, 0, sizeof *g);
    g->strategy = s->name;
    g->tuning = tuning->name;
    g->family = s->family;
    const char *refused = refuses_general(s, p, device);
    if (!refused)
        refused = s->family->lay_out(&request, g);
    lay_out_copies(&request, g);
    *suits = !refused && s->suits(&request, g);
    return refused;
}

void strategy_names(char *names, size_t capacity) {
    size_t used = 0;
    names[0] = 0;
    for (uint32_t i = 0; i < strategy_count(); ++i) {
        used += (size_t)snprintf(names + used, capacity - used, "%s%s", i ? ", " : "", strategy_name(i));
        if (used >= capacity)
            return;
    }
}

static const strategy *strategy_find(const char *name) {
    for (uint32_t i = 0; i < strategy_count(); ++i)
        if (strcmp(strategy_name(i), name) == 0)
            return strategy_at(i);
    return NULL;
}

static argmax_cl_status obey(const problem *p, const layout *l, const device_facts *device, const tuning_row *tuning,
                             uint32_t group_limit, geometry *out) {
    const strategy *s = strategy_find(p->strategy);
    bool suits;
    assert(s);
    const char *const refused = lay_out(s, p, l, device, tuning, group_limit, out, &suits);
    return refused ? fail(ARGMAX_CL_ERROR_INVALID_STRATEGY, "%s = \"%s\": does not apply to this problem: %s",
                          p->strategy_source, p->strategy, refused)
                   : ARGMAX_CL_SUCCESS;
}

/* Refuse unknown names. Known ones become ours, which outlive the caller's. */
static argmax_cl_status resolve_names(problem *p) {
    char names[512];
    if (p->strategy) {
        const strategy *found = strategy_find(p->strategy);
        strategy_names(names, sizeof names);
        if (!found)
            return fail(ARGMAX_CL_ERROR_INVALID_STRATEGY, "%s = \"%.80s\": expected one of %s", p->strategy_source,
                        p->strategy, names);
        p->strategy = found->name;
    }
    if (p->tuning) {
        const tuning_row row = tuning_find(p->tuning);
        if (!row.name)
            return fail(ARGMAX_CL_ERROR_INVALID_STRATEGY, "tuning = \"%.80s\": expected one of %s", p->tuning,
                        tuning_names());
        p->tuning = row.name;
    }
    return ARGMAX_CL_SUCCESS;
}

argmax_cl_status strategy_request(problem *p) {
    p->strategy_source = "strategy";
    if (!p->strategy) {
        p->strategy = getenv("ARGMAX_CL_STRATEGY");
        p->strategy_source = "ARGMAX_CL_STRATEGY";
    }
    if (p->strategy && !*p->strategy)
        p->strategy = NULL;
    return resolve_names(p);
}

argmax_cl_status strategy_choose(const problem *p, const layout *l, const device_facts *device,
                                 const tuning_row *tuning, uint32_t group_limit, geometry *out) {
    if (p->strategy)
        return obey(p, l, device, tuning, group_limit, out);
    for (uint32_t i = 0; i < strategy_count(); ++i) {
        bool suits;
        if (!lay_out(strategy_at(i), p, l, device, tuning, group_limit, out, &suits) && suits)
            return ARGMAX_CL_SUCCESS;
    }
    if (device->no_general && is_general(p))
        return fail(
            ARGMAX_CL_ERROR_DEVICE_LIMIT,
            "mask or both extrema: the compiler of the device %s makes wrong programs of them; expected neither",
            device->name);
    if (device->loop_limit)
        return fail(ARGMAX_CL_ERROR_DEVICE_LIMIT,
                    "%llu reductions of %llu elements: the device %s ends loops after %u iterations, too few for these",
                    (unsigned long long)l->outputs, (unsigned long long)l->reduction, device->name, device->loop_limit);
    return fail(ARGMAX_CL_ERROR_INVALID_STRATEGY, "no strategy suits %llu reductions of %llu elements",
                (unsigned long long)l->outputs, (unsigned long long)l->reduction);
}
