/* Tuning rows have fields of their own: what is for CPUs alone changes no plan of a GPU, and the reverse; and each
 * field that a row has changes a plan. Needs no device. */
#include "choose.h"
#include "internal.h"
#include "problem.h"
#include "unit.h"

#include <inttypes.h>
#include <stddef.h>

typedef struct field_info {
    field_rows rows;
    const char *name;
    size_t offset; /* in tuning_row */
    uint32_t values[3], otherwise;
} field_info;

static const field_info fields[] = {
#define FIELD(rows, name, least, most, power, otherwise, meaning)                                                      \
    {FIELD_OF_##rows, #name, offsetof(tuning_row, name), {least, most, (power) ? 4 : (least) + 3}, otherwise},
#include "policy/tuning.def"
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static uint32_t *value_of(tuning_row *row, const field_info *field) {
    return (uint32_t *)((char *)row + field->offset);
}

START_TEST(built_in_rows_set_their_own) {
    static const char *const names[] = {
#define ROW(name, ...) name,
#include "policy/tuning.def"
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (size_t f = 0; f < FIELDS; f++) {
            tuning_row row = tuning_find(names[i]);
            if (!tuning_has_field(names[i], fields[f].rows))
                ck_assert_msg(*value_of(&row, &fields[f]) == fields[f].otherwise, "%s sets %s", names[i],
                              fields[f].name);
        }
}
END_TEST

/* Shapes in which each family is at home, and layouts between them. */
static const char *const shapes[] = {
    "4096x4096 axes=1",
    "4096x4096 axes=0",
    "50000000 axes=0",
    "8192x128 axes=1",
    "300000x9 axes=1",
    "300000x9x7 axes=1",
    "30x2000000 axes=0",
    "3x2000000 axes=0",
    "100003x701 axes=0",
    "100003x701 axes=1",
    "1000000x5 axes=0",
    "1000000x5 axes=0 strides=8,1",
    "20x300x70x40 axes=0,2",
    "2x300000x16 axes=1 strides=1,32,2",
    "20x300x70x41 axes=1,3",
    "400x300x20x11 axes=0,1",
    "4x5x6x7x8x9x10x3 axes=0,2,4,6",
    "3000x4000 axes=1 strides=1,3000",
    "3000x4000 axes=0,1 strides=1,3000",
    "300000x4x5 axes=0,1,2 strides=1,300000,1200000",
    "3000x40x100 axes=0,1,2 strides=100,300000,1",
    "3000x40x100 axes=0,1,2 strides=1,3000,120000",
    "3000x4000 axes=1 strides=8000,2",
    "3000x4000 axes=0 strides=8000,2",
    "3000x4000 axes=1 offset=3",
    "600x4000x3 axes=1 strides=16000,4,1",
    "5000x4000 axes=0 strides=1,0",
    "1000x1000x3 axes=0 mask=half",
    "1000x1000x3 axes=1 value",
    "100000 axes=0",
    "4096x4096 axes=1 mask=half",
    "1000000x15 axes=1 mask=half",
    "100000x315 axes=1 mask=half",
    "3000x5000x20 axes=0,2 mask=half",
    "2x30x200000 axes=0 strides=200000,0,1",
    "60000x1000 axes=1 strides=1100,1",
    "300000x20x7 axes=1",
    "198825x30x12 axes=2 strides=1,198825,5964750",
    "40x300000x4 axes=0,2",
    "300x300000x3x2 axes=0,2",
    "64x128x64x1000 axes=1,3",
    "2x5000x300x700 axes=1,3",
    "2x1590012x2 axes=0,2",
    "200000x3x8 axes=1,2 strides=40,10,1",
    "1000000x53 axes=1",
    "1000000x77 axes=1",
    "20000x50x64 axes=1",
    "2000x900x32 axes=1",
    "40x8x20x8x300 axes=0,2,4",
    "3000000x2x3 axes=1,2 strides=8,4,1",
    "20000x30x64 axes=0,2",
    "144970x262x3 axes=0,2 strides=2628,10,1",
    "100000x50x3 axes=0 strides=500,10,1",
    "50x3000x701 axes=0,1 strides=2200001,703,1",
};

static void describe(const char *type, const char *op, const char *shape, problem *p) {
    problem_line parsed;
    problem_desc d;
    char line[200], error[300];
    snprintf(line, sizeof line, "%s %s %s", op, type, shape);
    ck_assert_msg(problem_parse(line, &parsed, error, sizeof error), "%s: %s", line, error);
    problem_describe(&parsed, &d);
    ck_assert_msg(check_desc(parsed.op, &d.desc, p) == ARGMAX_CL_SUCCESS, "%s", argmax_cl_last_error());
}

static void lay_out(const problem *p, const device_facts *device, const tuning_row *row, geometry *g) {
    layout l;
    memset(g, 0, sizeof *g);
    layout_collapse(p, row, &l);
    ck_assert_msg(strategy_choose(p, &l, device, row, 256, g) == ARGMAX_CL_SUCCESS, "%s", argmax_cl_last_error());
}

static bool is_same_grid(const launch_grid *a, const launch_grid *b) {
    return a->group == b->group && a->groups == b->groups && a->jobs == b->jobs &&
           a->jobs_per_group == b->jobs_per_group;
}

/* All but what lies unused within the grids. */
static bool is_same(geometry a, geometry b) {
    const bool grids =
        is_same_grid(&a.scan, &b.scan) && is_same_grid(&a.merge, &b.merge) && is_same_grid(&a.copies, &b.copies);
    geometry *const both[] = {&a, &b};
    for (size_t i = 0; i < 2; i++) {
        memset(&both[i]->scan, 0, sizeof(launch_grid));
        memset(&both[i]->merge, 0, sizeof(launch_grid));
        memset(&both[i]->copies, 0, sizeof(launch_grid));
    }
    return grids && memcmp(&a, &b, sizeof a) == 0;
}

static void check_plans(const char *row_name, const device_facts *device, const problem *p, const char *what) {
    tuning_row row = tuning_find(row_name);
    geometry expected, got;
    lay_out(p, device, &row, &expected);
    for (size_t f = 0; f < FIELDS; f++) {
        uint32_t *const value = value_of(&row, &fields[f]), before = *value;
        if (tuning_has_field(row_name, fields[f].rows))
            continue;
        for (size_t i = 0; i < 3; i++) {
            *value = fields[f].values[i];
            lay_out(p, device, &row, &got);
            ck_assert_msg(is_same(expected, got), "%s: %s of %s = %" PRIu32 " changes the plan", what, fields[f].name,
                          row_name, *value);
        }
        *value = before;
    }
}

static const device_facts cpu = {.type = CL_DEVICE_TYPE_CPU,
                                 .compute_units = 4,
                                 .local_bytes = 1 << 20,
                                 .max_group = 4096,
                                 .address_bits = 64,
                                 .little_endian = true,
                                 .clang_cpu = true,
                                 .ordering = ORDERING_CL30,
                                 .wide_atomics = true};
static const device_facts gpu = {.type = CL_DEVICE_TYPE_GPU,
                                 .compute_units = 132,
                                 .local_bytes = 49152,
                                 .max_group = 1024,
                                 .address_bits = 64,
                                 .little_endian = true,
                                 .aligned_buffers = true,
                                 .nv_ptx = true,
                                 .ordering = ORDERING_PTX,
                                 .wide_atomics = true};
static const char *const types[] = {"float32", "float16", "int16", "int8", "int64"};

typedef void (*visitor)(const problem *p, const char *shape);

/* Each shape with each type, for one extreme and for both. */
static void visit_problems(visitor visit) {
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
            for (int both = 0; both < 2; both++) {
                problem p;
                describe(types[t], both ? "argminmax" : "argmax", shapes[i], &p);
                visit(&p, shapes[i]);
            }
}

static void check_both_rows(const problem *p, const char *shape) {
    check_plans("cpu-amd", &cpu, p, shape);
    check_plans("gpu", &gpu, p, shape);
}

START_TEST(fields_of_others_change_no_plan) {
    visit_problems(check_both_rows);
}
END_TEST

/* What a field is worth nothing without, beside what the row has. */
static void set_what_it_takes(const char *name, tuning_row *row) {
    if (strcmp(name, "register_bytes") == 0)
        row->group_register = 64;
}

/* By row, those of which a value has been seen to change a plan. */
static bool reached[2][FIELDS];

static void reach(size_t which, const char *row_name, const device_facts *device, const problem *p) {
    for (size_t f = 0; f < FIELDS; f++) {
        if (reached[which][f] || !tuning_has_field(row_name, fields[f].rows))
            continue;
        tuning_row row = tuning_find(row_name);
        uint32_t *const value = value_of(&row, &fields[f]), before = *value;
        geometry expected, got;
        set_what_it_takes(fields[f].name, &row);
        lay_out(p, device, &row, &expected);
        const uint32_t values[] = {fields[f].values[0], fields[f].values[1], fields[f].values[2], before * 2,
                                   before / 2};
        for (size_t i = 0; !reached[which][f] && i < 5; i++) {
            if (values[i] < fields[f].values[0] || values[i] > fields[f].values[1])
                continue;
            *value = values[i];
            lay_out(p, device, &row, &got);
            reached[which][f] = !is_same(expected, got);
        }
    }
}

static void reach_both_rows(const problem *p, const char *shape) {
    (void)shape;
    reach(0, "cpu-amd", &cpu, p);
    reach(1, "gpu", &gpu, p);
}

START_TEST(own_fields_change_a_plan) {
    static const char *const names[] = {"cpu-amd", "gpu"};
    visit_problems(reach_both_rows);
    for (size_t i = 0; i < 2; i++)
        for (size_t f = 0; f < FIELDS; f++)
            if (tuning_has_field(names[i], fields[f].rows) && !reached[i][f])
                ck_abort_msg("%s of %s changes no plan", fields[f].name, names[i]);
}
END_TEST

TESTS_MAIN("fields", NULL, NULL, ONCE(built_in_rows_set_their_own), ONCE(fields_of_others_change_no_plan),
           ONCE(own_fields_change_a_plan))
