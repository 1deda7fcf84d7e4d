/* The tuning rows and the choice among them by the device's class. */
#include "internal.h"

#include <string.h>

static const tuning_row rows[] = {
#define ROW(name, group, bytes, elements, aligned, unroll_rows, unroll_columns, strip, per_unit, part, groups)         \
    {name, group, bytes, elements, aligned, unroll_rows, unroll_columns, strip, per_unit, part, groups},
#include "tuning.def"
#undef ROW
};

#define ROW_COUNT (sizeof rows / sizeof rows[0])

const tuning_row *tuning_find(const char *name, const device_facts *device) {
    const char *wanted = name ? name : (device->type & CL_DEVICE_TYPE_CPU) ? "cpu" : "gpu";
    for (size_t i = 0; i < ROW_COUNT; ++i)
        if (strcmp(rows[i].name, wanted) == 0)
            return &rows[i];
    return NULL;
}

const char *tuning_names(void) {
    static const char text[] =
#define ROW(name, group, bytes, elements, aligned, unroll_rows, unroll_columns, strip, per_unit, part, groups) ", " name
#include "tuning.def"
#undef ROW
        ;
    return text + 2;
}
