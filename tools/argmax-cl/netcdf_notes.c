#include "netcdf_notes.h"
#include "number.h"

#include <inttypes.h>
#include <string.h>

/* More marks than this are never seen in one attribute; each costs a pass over the data. */
#define MARK_MAX 8u

static bool same_mark(number a, number b) {
    return number_equal(a, b) || (number_is_nan(a) && number_is_nan(b));
}

/* The attribute's values, each in the variable's type in the first bytes of one of `bits`; returns their number.
 * A missing_value of another type is common (double beside float). */
static size_t read_marks(int group, int variable, const char *name, nc_type type, argmax_cl_dtype dtype,
                         uint64_t bits[MARK_MAX]) {
    nc_type own;
    size_t length = 0, count = 0;
    const size_t size = argmax_cl_dtype_size(dtype);
    if (nc_inq_att(group, variable, name, &own, &length) != NC_NOERR || own == NC_CHAR || length < 1 ||
        length > MARK_MAX)
        return 0;
    if (own == type) {
        char same[MARK_MAX * sizeof(uint64_t)];
        if (nc_get_att(group, variable, name, same) != NC_NOERR)
            return 0;
        for (; count < length; ++count)
            memcpy(&bits[count], same + count * size, size);
    } else if (own <= NC_MAX_ATOMIC_TYPE && own != NC_STRING) {
        double other[MARK_MAX];
        if (nc_get_att_double(group, variable, name, other) != NC_NOERR)
            return 0;
        for (size_t i = 0; i < length; ++i)
            if (number_store(dtype, other[i], &bits[count]))
                ++count;
    }
    return count;
}

static void note_mark(array *a, const char *name, number mark) {
    char text[NUMBER_TEXT];
    uint64_t hits = 0;
    for (uint64_t i = 0; i < a->count; ++i)
        hits += same_mark(number_load(a->dtype, a->data, i), mark);
    number_format(text, a->dtype, mark);
    if (hits > 0)
        append(a->notes, sizeof a->notes,
               "note: %" PRIu64 " of %" PRIu64 " elements equal %s %s; they are compared as stored\n", hits, a->count,
               name, text);
}

static void note_packing(int group, int variable, array *a) {
    static const char *const names[] = {"scale_factor", "add_offset", "_Unsigned"};
    char found[64] = "";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (nc_inq_att(group, variable, names[i], NULL, NULL) == NC_NOERR)
            append(found, sizeof found, "%s%s", *found ? ", " : "", names[i]);
    if (*found)
        append(a->notes, sizeof a->notes, "note: %s not applied; elements are compared and shown as stored\n", found);
}

void netcdf_add_notes(int group, int variable, nc_type type, array *a) {
    static const char *const names[] = {"_FillValue", "missing_value"};
    number seen[2 * MARK_MAX];
    size_t seen_count = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        uint64_t bits[MARK_MAX] = {0};
        const size_t count = read_marks(group, variable, names[i], type, a->dtype, bits);
        for (size_t k = 0; k < count; ++k) {
            const number mark = number_load(a->dtype, &bits[k], 0);
            size_t earlier = 0;
            while (earlier < seen_count && !same_mark(seen[earlier], mark))
                ++earlier;
            if (earlier == seen_count) {
                note_mark(a, names[i], mark);
                seen[seen_count++] = mark;
            }
        }
    }
    note_packing(group, variable, a);
}
