#include "probe.h"
#include "choose.h"

#include "families/family.h"
#include "tuned.h"

#include <string.h>

static uint64_t hash(uint64_t h, const char *text) {
    while (*text)
        h = (h ^ (unsigned char)*text++) * UINT64_C(0x100000001B3);
    return h;
}

static uint64_t programs_of(const problem *p, const layout *l, const geometry *g) {
    char options[OPTIONS_CAPACITY];
    options_scan(p, l, g, options);
    uint64_t h = hash(hash(UINT64_C(0xCBF29CE484222325), g->family->kernel), options);
    if (g->parts > 1 && g->finish == ORDERING_NONE) {
        options_merge(p, l, g, options);
        h = hash(h, options);
    }
    return h ? h : 1;
}

void probe_problem(runner *r, const problem_line *line, probe *out) {
    problem_desc d;
    problem p;
    layout l;
    problem_describe(line, &d);
    memset(out, 0, sizeof *out);
    tuned_use(line->tuning, line->fields);
    out->status = problem_open(r->handle, line->op, &d.desc, &p);
    out->empty = out->status == ARGMAX_CL_SUCCESS && p.outputs == 0;
    if (out->status != ARGMAX_CL_SUCCESS || out->empty)
        return;
    const device_facts *const device = &r->handle->facts;
    tuning_row tuning;
    out->status = tuning_choose(p.tuning, device, &tuning);
    if (out->status != ARGMAX_CL_SUCCESS)
        return;
    layout_collapse(&p, &tuning, &l);
    out->status =
        choose(&p, &l, device, device->max_group < 65536 ? (uint32_t)device->max_group : 65536, &out->geometry);
    if (out->status != ARGMAX_CL_SUCCESS)
        return;
    out->kept_dims = l.kept_count;
    out->reduced_dims = l.reduced_count;
    out->programs = programs_of(&p, &l, &out->geometry);
}
