#include "netcdf_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct attribute {
    nc_type type;
    size_t length; /* 0: not there, or no numbers */
    double value[MISSING_MARKS_MAX];
    uint64_t bits[MISSING_MARKS_MAX]; /* as stored, of an attribute of the variable's own type */
} attribute;

static void read_attribute(int group, int variable, const char *name, nc_type own, attribute *a) {
    char raw[MISSING_MARKS_MAX * sizeof(uint64_t)];
    size_t length = 0, size = 0;
    a->length = 0;
    if (nc_inq_att(group, variable, name, &a->type, &length) != NC_NOERR || a->type == NC_CHAR ||
        a->type == NC_STRING || a->type > NC_MAX_ATOMIC_TYPE || length < 1 || length > MISSING_MARKS_MAX ||
        nc_get_att_double(group, variable, name, a->value) != NC_NOERR)
        return;
    if (a->type == own && (nc_inq_type(group, own, NULL, &size) != NC_NOERR || size > sizeof(uint64_t) ||
                           nc_get_att(group, variable, name, raw) != NC_NOERR))
        return;
    for (size_t i = 0; i < length && size > 0; ++i) {
        a->bits[i] = 0;
        memcpy(&a->bits[i], raw + i * size, size);
    }
    a->length = length;
}

void netcdf_text(int group, int variable, const char *name, char *text, size_t capacity) {
    nc_type type;
    size_t length = 0;
    text[0] = 0;
    if (nc_inq_att(group, variable, name, &type, &length) != NC_NOERR || length < 1)
        return;
    if (type == NC_CHAR) {
        char *whole = calloc(length + 1, 1);
        if (whole && nc_get_att_text(group, variable, name, whole) == NC_NOERR)
            append(text, capacity, "%s", whole);
        free(whole);
    } else if (type == NC_STRING && length == 1) {
        char *string = NULL;
        if (nc_get_att_string(group, variable, name, &string) == NC_NOERR && string)
            append(text, capacity, "%s", string);
        (void)nc_free_string(1, &string);
    }
}

/* The same bits, read with or without a sign. */
static void apply_sign(int group, int variable, reader *s) {
    static const argmax_cl_dtype pairs[][2] = {{ARGMAX_CL_INT8, ARGMAX_CL_UINT8},
                                               {ARGMAX_CL_INT16, ARGMAX_CL_UINT16},
                                               {ARGMAX_CL_INT32, ARGMAX_CL_UINT32},
                                               {ARGMAX_CL_INT64, ARGMAX_CL_UINT64}};
    char text[8];
    netcdf_text(group, variable, "_Unsigned", text, sizeof text);
    const int from = strcasecmp(text, "true") == 0 ? 0 : strcasecmp(text, "false") == 0 ? 1 : -1;
    for (size_t i = 0; from >= 0 && i < sizeof pairs / sizeof pairs[0]; ++i)
        if (s->a.dtype == pairs[i][from]) {
            s->a.dtype = pairs[i][1 - from];
            return;
        }
}

/* *wide gets the type that the unpacked numbers' limits have, NC_NAT when nothing is packed. */
static bool apply_packing(int group, int variable, nc_type own, reader *s, nc_type *wide, message *m) {
    attribute scale, offset;
    read_attribute(group, variable, "scale_factor", own, &scale);
    read_attribute(group, variable, "add_offset", own, &offset);
    *wide = NC_NAT;
    packing *p = &s->a.packing;
    p->scale = scale.length ? scale.value[0] : 1;
    p->offset = offset.length ? offset.value[0] : 0;
    p->is_packed = p->scale != 1 || p->offset != 0;
    if (!isfinite(p->scale) || p->scale == 0 || !isfinite(p->offset))
        return complain(m, "%s: scale_factor %g and add_offset %g, expected finite numbers and no scale of 0", s->name,
                        p->scale, p->offset);
    if (!p->is_packed)
        return true;
    const bool narrow = (!scale.length || scale.type == NC_FLOAT) && (!offset.length || offset.type == NC_FLOAT);
    p->dtype = narrow ? ARGMAX_CL_FLOAT32 : ARGMAX_CL_FLOAT64;
    *wide = narrow ? NC_FLOAT : NC_DOUBLE;
    return true;
}

static void add_marks(const attribute *a, nc_type own, missing_rule *rule) {
    for (size_t i = 0; i < a->length && rule->mark_count < MISSING_MARKS_MAX; ++i) {
        uint64_t bits = a->bits[i];
        /* A mark of another type is common (double beside float); one that the variable cannot hold marks nothing. */
        if (a->type != own) {
            bits = 0;
            if (!number_store(rule->dtype, a->value[i], &bits))
                continue;
        }
        rule->marks[rule->mark_count++] = bits;
    }
}

/* The stored number at a limit of unpacked ones: the outermost that does not mean anything beyond the limit. */
static double stored_limit(const packing *p, double limit, bool upper, bool integers) {
    const bool stored_upper = upper != packing_reverses(p);
    double stored = (limit - p->offset) / p->scale;
    if (!integers || !isfinite(stored))
        return stored;
    stored = stored_upper ? floor(stored) + 1 : ceil(stored) - 1;
    for (int tries = 0; tries < 3; ++tries) {
        const double meant = packing_unpack(p, (number){NUMBER_FLOAT, {.real = stored}}).as.real;
        if (upper ? meant <= limit : meant >= limit)
            break;
        stored += stored_upper ? -1 : 1;
    }
    return stored;
}

/* The smallest number of an integer type, and the first one above the largest. */
static void type_range(argmax_cl_dtype dtype, double *low, double *high) {
    const uint64_t zero = 0;
    const int bits = (int)argmax_cl_dtype_size(dtype) * 8;
    const bool is_signed = number_load(dtype, &zero, 0).kind == NUMBER_SIGNED;
    *low = is_signed ? -ldexp(1, bits - 1) : 0;
    *high = ldexp(1, is_signed ? bits - 1 : bits);
}

/* Numbers above (upper) or below a limit are missing. */
static void add_limit(const attribute *a, size_t which, bool upper, nc_type own, nc_type wide, reader *s) {
    missing_rule *rule = &s->missing;
    const uint64_t zero = 0;
    const bool integers = number_load(rule->dtype, &zero, 0).kind != NUMBER_FLOAT;
    uint64_t bits = a->bits[which];
    if (which >= a->length || isnan(a->value[which]))
        return;
    if (a->type != own) {
        double limit = a->value[which], low, high;
        if (a->type == wide) {
            limit = stored_limit(&s->a.packing, limit, upper, integers);
            upper = upper != packing_reverses(&s->a.packing);
        }
        if (integers) {
            type_range(rule->dtype, &low, &high);
            limit = upper ? floor(limit) : ceil(limit);
            if (upper ? limit >= high : limit <= low)
                return;
            if (upper ? limit < low : limit >= high) {
                rule->all = true;
                return;
            }
        }
        bits = 0;
        if (!number_store(rule->dtype, limit, &bits))
            return;
    }
    *(upper ? &rule->has_high : &rule->has_low) = true;
    *(upper ? &rule->high : &rule->low) = bits;
}

static void add_missing(int group, int variable, nc_type own, nc_type wide, reader *s) {
    attribute a;
    read_attribute(group, variable, "_FillValue", own, &a);
    add_marks(&a, own, &s->missing);
    read_attribute(group, variable, "missing_value", own, &a);
    add_marks(&a, own, &s->missing);
    read_attribute(group, variable, "valid_range", own, &a);
    if (a.length == 2) {
        add_limit(&a, 0, false, own, wide, s);
        add_limit(&a, 1, true, own, wide, s);
        return;
    }
    read_attribute(group, variable, "valid_min", own, &a);
    add_limit(&a, 0, false, own, wide, s);
    read_attribute(group, variable, "valid_max", own, &a);
    add_limit(&a, 0, true, own, wide, s);
}

bool netcdf_rules(int group, int variable, nc_type type, bool with_missing, reader *s, message *m) {
    nc_type wide;
    apply_sign(group, variable, s);
    s->missing = (missing_rule){.dtype = s->a.dtype};
    if (!apply_packing(group, variable, type, s, &wide, m))
        return false;
    if (with_missing)
        add_missing(group, variable, type, wide, s);
    return true;
}
