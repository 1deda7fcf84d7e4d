#include "summary.h"
#include "frequency.h"
#include "number.h"

#include <inttypes.h>
#include <string.h>

/* Up to so many points are printed one by one. */
#define POINTS_SHOWN 20u
/* Of more points, so many of the most frequent indices. */
#define INDICES_SHOWN 5u

static void print_head(FILE *stream, const options *o, const array *input, const answer *r, const char *device) {
    char shape[SHAPE_TEXT];
    uint64_t sizes[ANSWER_RANK_MAX];
    const char *between = "";
    const size_t given = strlen(o->input), own = input->variable ? strlen(input->variable) : 0;
    /* A variable that the user did not name is named. */
    const bool named = own && (given <= own || strcmp(o->input + given - own, input->variable) != 0);
    format_shape(shape, input->rank, input->sizes);
    (void)fprintf(stream, "%s of %s%s%s\ninput   %s %s", r->extrema > 1 ? "argmin and argmax" : answer_operator(r),
                  o->input, named ? ":" : "", named ? input->variable : "", array_type_name(input), shape);
    bool named_any = false;
    for (uint32_t axis = 0; axis < input->rank; ++axis)
        named_any = named_any || input->dimension_names[axis];
    for (uint32_t axis = 0; axis < input->rank && named_any; ++axis)
        (void)fprintf(stream, "%s%s", axis ? ", " : ": ",
                      input->dimension_names[axis] ? input->dimension_names[axis] : "(no name)");
    (void)fprintf(stream, "%s\naxes    ", input->fortran_order ? ", Fortran order" : "");
    for (uint32_t axis = 0; axis < input->rank; ++axis)
        if (r->reduced[axis]) {
            (void)fprintf(stream, "%s%" PRIu32, between, axis);
            if (input->dimension_names[axis])
                (void)fprintf(stream, " (%s)", input->dimension_names[axis]);
            between = ", ";
        }
    format_shape(shape, answer_file_shape(r, input, o->squeeze, sizes), sizes);
    (void)fprintf(stream, "\noutput  %s %s%s\ndevice  %s\n", argmax_cl_dtype_name(r->index_type), shape,
                  r->extrema > 1 ? ": minimum, maximum" : "", device);
    if (r->missing)
        (void)fprintf(stream, "missing %" PRIu64 " of %" PRIu64 " elements, left out\n", r->missing, input->count);
    if (o->mask)
        (void)fprintf(stream, "mask    %s: %" PRIu64 " of %" PRIu64 " elements, left out\n", o->mask, r->masked,
                      input->count);
    if (r->seconds > 0) {
        const bool long_time = r->seconds >= 1;
        (void)fprintf(stream, "time    %.3g %s, %.3g GB/s\n", long_time ? r->seconds : r->seconds * 1e3,
                      long_time ? "s" : "ms", (double)input->bytes / r->seconds * 1e-9);
    }
}

/* "(3, :, 1)": the point's place, with a colon on the reduced axes; with an index, the winner's place. */
static void print_place(FILE *stream, const array *input, const answer *r, uint64_t point, const uint64_t *index) {
    uint64_t position[ARGMAX_CL_MAX_RANK];
    answer_position(r, input, point, index, position);
    for (uint32_t axis = 0; axis < input->rank; ++axis) {
        (void)fputs(axis ? ", " : "(", stream);
        if (index || !r->reduced[axis])
            (void)fprintf(stream, "%" PRIu64, position[axis]);
        else
            (void)fputc(':', stream);
    }
    (void)fputs(input->rank == 1 ? ",)" : ")", stream);
}

/* ": time = 2095-06-01, longitude = 262.5": what the winner's place means, where the file says. */
static void print_meaning(FILE *stream, const array *input, const answer *r, uint64_t point, uint64_t index) {
    uint64_t position[ARGMAX_CL_MAX_RANK];
    char text[COORDINATE_TEXT];
    const char *between = ": ";
    answer_position(r, input, point, &index, position);
    for (uint32_t axis = 0; axis < input->rank; ++axis)
        if (input->axes[axis].count) {
            coordinate_format(text, &input->axes[axis], position[axis]);
            (void)fprintf(stream, "%s%s = %s", between, input->dimension_names[axis], text);
            between = ", ";
        }
}

static void print_value(FILE *stream, const array *input, const answer *r, uint64_t point) {
    char text[NUMBER_TEXT];
    number_format(text, r->value_type, number_load(r->value_type, r->value, point));
    (void)fprintf(stream, "%s%s%s", text, *input->units ? " " : "", input->units);
}

static void print_points(FILE *stream, const array *input, const answer *r) {
    const bool all_axes = r->reduced_count == input->rank;
    for (uint64_t point = 0; point < r->points; ++point) {
        uint64_t index;
        if (!all_axes) {
            print_place(stream, input, r, point, NULL);
            (void)fputs(": ", stream);
        }
        if (answer_index(r, point, &index)) {
            (void)fprintf(stream, "index %" PRIu64 ", value ", index);
            print_value(stream, input, r, point);
            (void)fputs(" at ", stream);
            print_place(stream, input, r, point, &index);
            print_meaning(stream, input, r, point, index);
            (void)fputc('\n', stream);
        } else {
            (void)fputs("no winner\n", stream);
        }
    }
}

/* Whether the first number wins over the second: a NaN that is a winner beats every number. */
static bool beats(const answer *r, number a, number b) {
    if (number_is_nan(a) || number_is_nan(b))
        return number_is_nan(a) && !number_is_nan(b);
    return r->op == ARGMAX_CL_ARGMIN ? number_less(a, b) : number_less(b, a);
}

static void print_extreme(FILE *stream, const array *input, const answer *r) {
    uint64_t best = 0, best_index = 0, equal = 0, index;
    number extreme = {0};
    for (uint64_t point = 0; point < r->points; ++point) {
        if (!answer_index(r, point, &index))
            continue;
        const number value = number_load(r->value_type, r->value, point);
        if (equal == 0 || beats(r, value, extreme)) {
            best = point;
            best_index = index;
            extreme = value;
            equal = 1;
        } else if (!beats(r, extreme, value)) {
            ++equal;
        }
    }
    if (equal == 0)
        return;
    (void)fprintf(stream, "%s ", r->op == ARGMAX_CL_ARGMIN ? "smallest" : "largest");
    print_value(stream, input, r, best);
    (void)fputs(" at ", stream);
    print_place(stream, input, r, best, &best_index);
    print_meaning(stream, input, r, best, best_index);
    if (equal > 1)
        (void)fprintf(stream, ", the first of %" PRIu64 " points with it", equal);
    (void)fputc('\n', stream);
}

/* " (2095-06-01)": what an index means, where one axis with coordinates is reduced. */
static void print_index(FILE *stream, const array *input, const answer *r, uint64_t index) {
    char text[COORDINATE_TEXT];
    (void)fprintf(stream, " %" PRIu64, index);
    for (uint32_t axis = 0; axis < input->rank; ++axis)
        if (r->reduced_count == 1 && r->reduced[axis] && input->axes[axis].count) {
            coordinate_format(text, &input->axes[axis], index);
            (void)fprintf(stream, " (%s)", text);
        }
}

static bool print_frequent(FILE *stream, const array *input, const answer *r, message *m) {
    frequency top[INDICES_SHOWN];
    uint64_t distinct, losers;
    const size_t shown = frequency_top(r, top, INDICES_SHOWN, &distinct, &losers, m);
    if (shown == 0 && losers == 0)
        return false;
    (void)fprintf(stream, "%" PRIu64 " points:", r->points);
    for (size_t i = 0; i < shown; ++i) {
        (void)fputs(i ? "," : " index", stream);
        print_index(stream, input, r, top[i].index);
        (void)fprintf(stream, " at %" PRIu64 "%s", top[i].count, i ? "" : " of them");
    }
    if (distinct > shown)
        (void)fprintf(stream, ", and %" PRIu64 " more indices", distinct - shown);
    if (losers)
        (void)fprintf(stream, "%s no winner at %" PRIu64, shown ? ";" : "", losers);
    (void)fputc('\n', stream);
    return true;
}

static bool print_extremum(FILE *stream, const array *input, const answer *r, message *m) {
    if (r->points <= POINTS_SHOWN) {
        print_points(stream, input, r);
        return true;
    }
    if (!print_frequent(stream, input, r, m))
        return false;
    print_extreme(stream, input, r);
    return true;
}

bool summary_print(FILE *stream, const options *o, const array *input, const answer *r, const char *device,
                   message *m) {
    bool good = true;
    print_head(stream, o, input, r, device);
    if (r->points == 0)
        (void)fputs("0 points\n", stream);
    for (uint32_t i = 0; i < r->extrema && r->points > 0 && good; ++i) {
        const answer one = answer_of(r, i);
        if (r->extrema > 1)
            (void)fputs(i == 0 ? "minimum\n" : "maximum\n", stream);
        good = print_extremum(stream, input, &one, m);
    }
    return good;
}

void summary_explain(FILE *stream, const answer *r, const char *device) {
    static const char separator[] = " | ";
    const char *part = r->plan;
    const char *label = "plan    ";
    for (const char *end; (end = strstr(part, separator)); part = end + strlen(separator)) {
        (void)fprintf(stream, "%s%.*s\n", label, (int)(end - part), part);
        label = "        ";
    }
    (void)fprintf(stream, "%s%s\n", label, part);
    if (device)
        (void)fprintf(stream, "device  %s\n", device);
}
