/* The build options of a kernel: what kernels/order.clh, index.clh, rows.cl, abreast.cl, columns.cl and merge.cl ask of
 * the host. */
#include "internal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct writer {
    char *text;
    size_t used;
} writer;

static void add(writer *w, const char *format, ...) PRINTF_LIKE(2, 3);

static void add(writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int more = vsnprintf(w->text + w->used, OPTIONS_CAPACITY - w->used, format, arguments);
    va_end(arguments);
    assert(more >= 0 && (size_t)more < OPTIONS_CAPACITY - w->used);
    w->used += (size_t)more;
}

static const char *unsigned_type(uint32_t bits) {
    return bits == 8 ? "uchar" : bits == 16 ? "ushort" : bits == 32 ? "uint" : "ulong";
}

/* One or two dims are unrolled by the compiler, more are counted at run time. */
static uint32_t dims_kind(uint64_t count) {
    return count <= 2 ? (uint32_t)count : 0;
}

uint32_t dims_room(uint64_t kept, uint64_t reduced) {
    return dims_kind(kept) && dims_kind(reduced) ? 2 : MAX_RANK;
}

static void add_order(writer *w, const problem *p) {
    const dtype_info *type = p->input.type;
    add(w, " -DT=%s -DBITS=%" PRIu32, unsigned_type(type->bits), type->bits);
    if (type->kind == KIND_FLOAT)
        add(w, " -DKIND_FLOAT -DMANTISSA=%" PRIu32, type->mantissa_bits);
    else
        add(w, type->kind == KIND_SIGNED ? " -DKIND_SIGNED" : " -DKIND_UNSIGNED");
    add(w, " -DMINIMUM=%d -DLAST=%d -DIGNORE_NAN=%d", p->op == ARGMAX_CL_ARGMIN, p->direction == ARGMAX_CL_DECREASING,
        p->nan_mode == ARGMAX_CL_NAN_IGNORE);
}

static void add_outputs(writer *w, const problem *p) {
    const bool wide = p->index.type->bits == 64;
    add(w, " -DIDX_T=%s -DSIGNED_IDX_T=%s -DVALUE=%d", wide ? "ulong" : "uint", wide ? "long" : "int",
        p->value.type != NULL);
    if (p->value.type)
        add(w, " -DNO_WINNER=0x%" PRIx64, p->input.type->no_winner);
}

void options_scan(const problem *p, const layout *l, const geometry *g, char text[OPTIONS_CAPACITY]) {
    static const char *const loads[] = {"LOAD_ALIGNED", "LOAD_UNALIGNED", "LOAD_PACKED", "LOAD_STRIDED"};
    static const char *const standards[] = {"CL1.2", "CL2.0", "CL3.0", "CL1.2"}; /* by handover */
    writer w = {text, 0};
    add(&w, "-cl-std=%s", standards[g->finish]);
    add_order(&w, p);
    if (g->parts == 1 || g->finish != HANDOVER_NONE)
        add_outputs(&w, p);
    add(&w, " -DSPLIT=%d -DKEPT=%" PRIu32 " -DREDUCED=%" PRIu32, g->parts > 1, dims_kind(l->kept_count),
        dims_kind(l->reduced_count - (g->family == FAMILY_FOLDED ? 1 : 0)));
    add(&w, " -D%s -DVEC=%" PRIu32 " -DGROUP=%" PRIu32, loads[g->load], g->vector, g->scan.group);
    add(&w, "%s%s%s%s%s", g->words ? " -DWORDS" : "", g->finish != HANDOVER_NONE ? " -DONE_LAUNCH=1" : "",
        g->ptx ? " -DPTX" : "", g->one_word ? " -DONE_WORD" : "", g->two_words ? " -DTWO_WORDS" : "");
    if (g->ahead || g->near_bytes)
        add(&w, " -DAHEAD=%" PRIu32, g->ahead);
    if (g->near_bytes)
        add(&w, " -DNEAR=%" PRIu32, g->near_bytes);
    if (g->past)
        add(&w, " -DPAST");
    if (g->fused > 1)
        add(&w, " -DFUSED=%" PRIu32, g->fused);
    if (g->family == FAMILY_HELD)
        add(&w, " -DLANES=%" PRIu32 " -DLOADS=%" PRIu32 " -DBATCH=%" PRIu32 "%s", g->lanes, g->loads, g->batch,
            g->units == (uint64_t)g->lanes * g->loads ? " -DEVEN" : "");
    else if (g->family == FAMILY_BLOCKS)
        add(&w, " -DLANES=%" PRIu32 " -DWIDE=%" PRIu32 " -DLOADS=%" PRIu32, g->lanes, g->wide, g->loads);
    else if (g->family == FAMILY_TRANSPOSED)
        add(&w, " -DROWS=%" PRIu64 " -DCOLUMNS=%" PRIu32 " -DSTEP=%" PRIu32 " -DCHUNK=%" PRIu32, g->units, g->columns,
            g->unroll, g->batch);
    else if (g->family == FAMILY_ABREAST)
        add(&w, " -DUNROLL=%" PRIu32 " -DSIDE=%" PRIu32 "%s%s", g->unroll, g->strip, g->overlap ? " -DOVERLAP" : "",
            g->by_value ? " -DBY_VALUE" : "");
    else if (g->family != FAMILY_ROWS)
        add(&w, " -DUNROLL=%" PRIu32 " -DACROSS=%" PRIu32 " -DSTRIP=%" PRIu32 "%s%s%s", g->unroll, g->lanes, g->strip,
            g->one_block ? " -DONE_BLOCK" : "", g->steady ? " -DRUNS" : "", g->pieces ? " -DLATE" : "");
    else
        add(&w, " -DUNROLL=%" PRIu32 " -DLANES=%" PRIu32 "%s%s%s%s%s%s%s%s", g->unroll, g->lanes,
            !g->placed     ? ""
            : g->one_block ? " -DPLACED -DONE_BLOCK"
                           : " -DPLACED",
            g->by_value ? " -DBY_VALUE" : "", g->overlap ? " -DOVERLAP" : "", g->peel ? " -DPEEL" : "",
            g->together ? " -DTOGETHER" : "", g->steady ? " -DSTEADY" : "", g->gaps ? " -DGAPS" : "",
            g->pieces ? " -DLATE" : "");
    /* Whole rows of one dim gain by the loop; float16 over several lost by it (docs/tuning.md, "Small inputs"). */
    if (g->scan.group > 1 && g->scan.jobs_per_group == 1 && g->scan.jobs < UINT64_C(1) << 31 &&
        g->family != FAMILY_HELD && (g->parts > 1 || g->family != FAMILY_ROWS || l->reduced_count > 1))
        add(&w, " -DONE_JOB");
}

void options_merge(const problem *p, const layout *l, const geometry *g, char text[OPTIONS_CAPACITY]) {
    writer w = {text, 0};
    add(&w, "-cl-std=CL1.2 -DT=%s -DLAST=%d", unsigned_type(p->input.type->bits), p->direction == ARGMAX_CL_DECREASING);
    add_outputs(&w, p);
    add(&w, " -DSPLIT=0 -DKEPT=%" PRIu32 " -DREDUCED=%" PRIu32 " -DGROUP=%" PRIu32 " -DLANES=%" PRIu32,
        dims_kind(l->kept_count), p->value.type ? dims_kind(l->reduced_count) : 1, g->merge.group, g->merge_lanes);
}
