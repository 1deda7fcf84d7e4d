/* The build options of a kernel: what all of them ask of the host; the rest comes from the family. */
#include "families/family.h"

#include <assert.h>
#include <inttypes.h>

static const char *unsigned_type(uint32_t bits) {
    return bits == 8 ? "uchar" : bits == 16 ? "ushort" : bits == 32 ? "uint" : "ulong";
}

static void add_sub_group(writer *w, const geometry *g) {
    if (g->sub_group)
        text_add(w, " -DSUB_GROUP=%" PRIu32, g->sub_group);
}

/* Whether the last of equals is wanted, in the order of the layout. */
static bool wants_last(argmax_cl_direction direction, const layout *l) {
    return (direction == ARGMAX_CL_DECREASING) != l->reversed;
}

static void add_extremes(writer *w, const problem *p, const layout *l) {
    if (wants_both(p))
        text_add(w, " -DBOTH=1 -DMAX_LAST=%d", wants_last(p->max_direction, l));
}

static void add_order(writer *w, const problem *p, const layout *l) {
    const dtype_info *type = p->input.type;
    text_add(w, " -DT=%s", unsigned_type(type->bits));
    if (type->kind == KIND_FLOAT)
        text_add(w, " -DKIND=FLOAT -DMANTISSA=%" PRIu32, type->mantissa_bits);
    else
        text_add(w, " -DKIND=%s", type->kind == KIND_SIGNED ? "SIGNED" : "UNSIGNED");
    text_add(w, " -DMINIMUM=%d -DLAST=%d -DIGNORE_NAN=%d", p->op != ARGMAX_CL_ARGMAX, wants_last(p->direction, l),
             p->nan_mode == ARGMAX_CL_NAN_IGNORE);
    add_extremes(w, p, l);
}

static void add_outputs(writer *w, const problem *p, const layout *l) {
    text_add(w, " -DIDX_T=%s -DVALUE=%d", unsigned_type(p->index.type->bits), p->value.type != NULL);
    if (wants_both(p))
        text_add(w, " -DMAX_IDX_T=%s -DMAX_VALUE=%d", unsigned_type(p->max_index.type->bits),
                 p->max_value.type != NULL);
    if (l->reversed)
        text_add(w, " -DREVERSED=1");
    if (l->repeated.added)
        text_add(w, " -DREPEATED=1");
    if (has_values(p))
        text_add(w, " -DNO_WINNER=0x%" PRIx64, p->input.type->no_winner);
}

void options_scan(const problem *p, const layout *l, const geometry *g, char options[OPTIONS_CAPACITY]) {
    static const char *const loads[] = {"ALIGNED", "UNALIGNED", "PACKED", "STRIDED", "SHIFTED"};
    static const char *const masks[] = {"NONE", "UNALIGNED", "ALIGNED", "SAME", "STRIDED"};
    static const char *const standards[] = {"CL1.2", "CL2.0", "CL3.0", "CL1.2"}; /* by ordering */
    writer w = {options, OPTIONS_CAPACITY, 0};
    text_add(&w, "-cl-std=%s", standards[g->finish]);
    add_order(&w, p, l);
    if (scan_answers(g))
        add_outputs(&w, p, l);
    text_add(&w, " -DSPLIT=%d -DKEPT=%" PRIu32 " -DREDUCED=%" PRIu32, g->parts > 1, l->kept_count, l->reduced_count);
    text_add(&w, " -DLOAD=%s -DVEC=%" PRIu32 " -DGROUP=%" PRIu32, loads[g->load], g->vector, g->scan.group);
    if (g->mask != MASK_NONE)
        text_add(&w, " -DMASK=%s", masks[g->mask]);
    text_add(&w, "%s%s%s%s%s", g->swar ? " -DSWAR=1" : "", g->finish != ORDERING_NONE ? " -DONE_LAUNCH=1" : "",
             g->nv_ptx ? " -DNV_PTX=1" : "", g->atomic_partial ? " -DATOMIC_PARTIAL=1" : "",
             g->flagged_partial ? " -DFLAGGED_PARTIAL=1" : "");
    if (g->prefetch_distance)
        text_add(&w, " -DPREFETCH_DISTANCE=%" PRIu32, g->prefetch_distance);
    if (g->prefetch_row)
        text_add(&w, " -DPREFETCH_ROW=%" PRIu32, g->prefetch_row);
    if ((g->prefetch_distance || g->prefetch_row) && g->hint)
        text_add(&w, " -DHINT=%" PRIu32, g->hint);
    if (g->prefetch_distance && g->far_hint)
        text_add(&w, " -DFAR_HINT=%" PRIu32, g->far_hint);
    if (g->non_temporal)
        text_add(&w, " -DNON_TEMPORAL=1");
    g->family->options(g, &w);
    if (g->one_job)
        text_add(&w, " -DONE_JOB=1");
    add_sub_group(&w, g);
    assert(w.used + 1 < OPTIONS_CAPACITY);
}

void options_copies(const problem *p, const layout *l, const geometry *g, output_tensor output,
                    char options[OPTIONS_CAPACITY]) {
    writer w = {options, OPTIONS_CAPACITY, 0};
    text_add(&w, "-cl-std=CL1.2 -DT=%s -DKEPT=%" PRIu32 " -DGROUP=%" PRIu32,
             unsigned_type(output_view(p, output)->type->bits), copies_dims(l), g->copies.group);
    add_sub_group(&w, g);
}

void options_merge(const problem *p, const layout *l, const geometry *g, char options[OPTIONS_CAPACITY]) {
    writer w = {options, OPTIONS_CAPACITY, 0};
    text_add(&w, "-cl-std=CL1.2 -DT=%s -DLAST=%d", unsigned_type(p->input.type->bits), wants_last(p->direction, l));
    if (wants_both(p)) /* the minimum comes first (kernels/options.clh) */
        text_add(&w, " -DMINIMUM=1");
    add_extremes(&w, p, l);
    add_outputs(&w, p, l);
    text_add(&w, " -DSPLIT=0 -DKEPT=%" PRIu32 " -DREDUCED=%" PRIu32 " -DGROUP=%" PRIu32 " -DLANES=%" PRIu32,
             l->kept_count, has_values(p) ? l->reduced_count : 1, g->merge.group, g->merge_lanes);
    add_sub_group(&w, g);
}
