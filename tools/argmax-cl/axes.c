#include "axes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool axes_check(const char *list, message *m) {
    const size_t length = strlen(list);
    if (length == 0 || list[0] == ',' || list[length - 1] == ',' || strstr(list, ",,"))
        return complain(m, "--axis: \"%.200s\", expected numbers or names with commas between, as 0,-1 or time", list);
    return true;
}

/* An entry that is a whole number; strtoll alone would take spaces and a plus sign too. */
static bool as_number(const char *entry, size_t length, long long *value) {
    char *end = NULL;
    if (entry[*entry == '-'] < '0' || entry[*entry == '-'] > '9')
        return false;
    errno = 0;
    *value = strtoll(entry, &end, 10);
    return errno == 0 && end == entry + length;
}

static bool refuse(const char *entry, size_t length, const array *a, const char *input, message *m) {
    char names[1000] = "";
    for (uint32_t axis = 0; axis < a->rank; ++axis)
        if (a->dimension_names[axis])
            append(names, sizeof names, "%s%s", *names ? ", " : " or one of ", a->dimension_names[axis]);
    return complain(m, "--axis: axis %.*s, expected -%" PRIu32 "..%" PRIu32 "%s for %s of rank %" PRIu32,
                    (int)(length < 200 ? length : 200), entry, a->rank, a->rank - 1, names, input, a->rank);
}

static bool find(const char *entry, size_t length, const array *a, const char *input, uint32_t *found, message *m) {
    long long value;
    if (as_number(entry, length, &value)) {
        const long long axis = value < 0 ? value + a->rank : value;
        *found = (uint32_t)axis;
        return (axis >= 0 && axis < a->rank) || refuse(entry, length, a, input, m);
    }
    for (*found = 0; *found < a->rank; ++*found) {
        const char *name = a->dimension_names[*found];
        if (name && strlen(name) == length && memcmp(name, entry, length) == 0)
            return true;
    }
    return refuse(entry, length, a, input, m);
}

bool axes_select(const char *list, const array *a, const char *input, bool selected[ARGMAX_CL_MAX_RANK], message *m) {
    for (uint32_t axis = 0; axis < ARGMAX_CL_MAX_RANK; ++axis)
        selected[axis] = !list && axis < a->rank;
    for (const char *entry = list; entry;) {
        const size_t length = strcspn(entry, ",");
        uint32_t axis = 0;
        if (!find(entry, length, a, input, &axis, m))
            return false;
        if (selected[axis])
            return complain(m, "--axis: axis %" PRIu32 " twice, expected each axis once", axis);
        selected[axis] = true;
        entry = entry[length] ? entry + length + 1 : NULL;
    }
    return true;
}
