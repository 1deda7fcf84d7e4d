/* A tuning row as the search sees it: numbers, their neighbours, and the file that keeps them. */
#ifndef BENCH_TUNE_ROW_H
#define BENCH_TUNE_ROW_H

#include <argmax_cl/argmax_cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
#define FIELD(rows, name, least, most, power, otherwise, meaning) TUNE_##name,
#include "policy/tuning.def"
    TUNE_FIELDS
};

enum { TUNE_ROW_TEXT = 8192, TUNE_PATH = 4096 };

typedef struct tune_row {
    uint32_t value[TUNE_FIELDS];
} tune_row;

/* Name of the built-in row of the device's class, and the row that the library takes for it today; with `from`, that
 * tuning file's instead of the user's. False after complaining. */
bool tune_row_of(cl_device_id device, const char *from, const char **name, tune_row *row);
/* A built-in row by number; its name, NULL behind the last one. */
const char *tune_row_built_in(size_t number, tune_row *row);

const char *tune_field_name(size_t field);
/* Which fields a list of names with commas holds; NULL: all of that row. False after complaining of a name that is none
 * of these. */
bool tune_fields_listed(const char *list, const char *row, bool listed[TUNE_FIELDS]);

/* Whether there are values less than a factor of two apart. */
bool tune_is_fine(size_t field);

/* The next legal value, `factor` times as large or as small, or nearer where there are few; the value itself where
 * there is none. */
uint32_t tune_step(size_t field, uint32_t value, double factor, bool up);
/* Whether 0 is a value of the field, which steps hardly reach. */
bool tune_can_be_zero(size_t field);
/* The values of a field that has no more than a few, which are all tried: their number, 0 for any other field, and the
 * least. */
uint32_t tune_few_values(size_t field, uint32_t *least);
/* Another field without which this one has no effect while it is 0; the field itself where there is none. */
size_t tune_partner(size_t field);

/* "ROW FIELD=NUMBER ...", the whole row as lines of a tuning file, without the last one's end. */
void tune_row_print(const tune_row *row, const char *name, char text[TUNE_ROW_TEXT]);

/* The file that the library will read: ARGMAX_CL_TUNING's, else the user's own. False after complaining. */
bool tune_file_path(char path[TUNE_PATH]);

/* Put `text` in place of the file's lines for that device. Whoever reads the file meanwhile, and whatever interrupts
 * this, finds it as it was or as it shall be. False after complaining. */
bool tune_file_save(const char *path, const char *device, const char *text);

#endif
