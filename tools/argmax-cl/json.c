#include "json.h"

#include <inttypes.h>
#include <string.h>

static void print_string(FILE *stream, const char *text) {
    (void)fputc('"', stream);
    for (const char *c = text; *c; ++c) {
        const unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\')
            (void)fprintf(stream, "\\%c", byte);
        else if (byte < 0x20)
            (void)fprintf(stream, "\\u%04x", byte);
        else
            (void)fputc(byte, stream);
    }
    (void)fputc('"', stream);
}

static void print_text(FILE *stream, const char *key, const char *text) {
    (void)fprintf(stream, ",\n  \"%s\": ", key);
    print_string(stream, text);
}

static void print_sizes(FILE *stream, const char *key, uint32_t rank, const uint64_t *sizes) {
    (void)fprintf(stream, ",\n  \"%s\": [", key);
    for (uint32_t axis = 0; axis < rank; ++axis)
        (void)fprintf(stream, axis ? ", %" PRIu64 : "%" PRIu64, sizes[axis]);
    (void)fputc(']', stream);
}

static void print_input(FILE *stream, const array *input, const answer *r) {
    uint64_t axes[ARGMAX_CL_MAX_RANK];
    uint32_t count = 0;
    print_sizes(stream, "shape", input->rank, input->sizes);
    (void)fputs(",\n  \"dimensions\": [", stream);
    for (uint32_t axis = 0; axis < input->rank; ++axis) {
        (void)fputs(axis ? ", " : "", stream);
        if (input->dimension_names[axis])
            print_string(stream, input->dimension_names[axis]);
        else
            (void)fputs("null", stream);
        if (r->reduced[axis])
            axes[count++] = axis;
    }
    (void)fputc(']', stream);
    print_sizes(stream, "axes", count, axes);
}

static void print_value(FILE *stream, argmax_cl_dtype dtype, const answer *r, uint64_t point) {
    char text[NUMBER_TEXT];
    number_format(text, dtype, number_load(dtype, r->value, point));
    const bool quoted = strpbrk(text, "ni") != NULL; /* nan, inf */
    (void)fprintf(stream, quoted ? "\"%s\"" : "%s", text);
}

static void print_coordinate(FILE *stream, const array *input, const answer *r, uint64_t point, uint64_t index,
                             uint32_t axis) {
    char text[COORDINATE_TEXT];
    uint64_t position[ARGMAX_CL_MAX_RANK];
    answer_position(r, input, point, &index, position);
    coordinate_format(text, &input->axes[axis], position[axis]);
    if (input->axes[axis].dates || strpbrk(text, "ni"))
        print_string(stream, text);
    else
        (void)fputs(text, stream);
}

/* One entry a point: its index, its value, or its winner's coordinate on an axis. */
typedef enum column { COLUMN_INDEX, COLUMN_VALUE, COLUMN_COORDINATE } column;

static void print_column(FILE *stream, const array *input, const answer *r, column what, uint32_t axis) {
    uint64_t index;
    for (uint64_t point = 0; point < r->points; ++point) {
        (void)fputs(point ? ", " : "[", stream);
        if (!answer_index(r, point, &index))
            (void)fputs("null", stream);
        else if (what == COLUMN_INDEX)
            (void)fprintf(stream, "%" PRIu64, index);
        else if (what == COLUMN_VALUE)
            print_value(stream, r->value_type, r, point);
        else
            print_coordinate(stream, input, r, point, index, axis);
    }
    (void)fputs(r->points ? "]" : "[]", stream);
}

/* The lists of one extremum; the indent is that of their keys. */
static void print_lists(FILE *stream, const array *input, const answer *r, const char *indent) {
    const char *between = "";
    (void)fprintf(stream, "%s\"index\": ", indent);
    print_column(stream, input, r, COLUMN_INDEX, 0);
    (void)fprintf(stream, ",\n%s\"value\": ", indent);
    print_column(stream, input, r, COLUMN_VALUE, 0);
    (void)fprintf(stream, ",\n%s\"winner\": {", indent);
    for (uint32_t axis = 0; axis < input->rank; ++axis)
        if (r->reduced[axis] && input->axes[axis].count) {
            (void)fputs(between, stream);
            print_string(stream, input->dimension_names[axis]);
            (void)fputs(": ", stream);
            print_column(stream, input, r, COLUMN_COORDINATE, axis);
            between = ", ";
        }
    (void)fputc('}', stream);
}

void json_print(FILE *stream, const options *o, const array *input, const answer *r, const char *device) {
    uint64_t sizes[ANSWER_RANK_MAX];
    (void)fprintf(stream, "{\n  \"operator\": \"%s\"", answer_operator(r));
    print_text(stream, "input", o->input);
    if (input->variable)
        print_text(stream, "variable", input->variable);
    print_text(stream, "dtype", array_type_name(input));
    print_input(stream, input, r);
    print_sizes(stream, "output_shape", answer_file_shape(r, input, o->squeeze, sizes), sizes);
    print_text(stream, "device", device);
    (void)fprintf(stream, ",\n  \"seconds\": %.6g,\n  \"missing\": %" PRIu64, r->seconds, r->missing);
    if (o->mask) {
        print_text(stream, "mask", o->mask);
        (void)fprintf(stream, ",\n  \"masked\": %" PRIu64, r->masked);
    }
    if (*input->notes)
        print_text(stream, "notes", input->notes);
    if (r->plan)
        print_text(stream, "plan", r->plan);
    if (*input->units)
        print_text(stream, "units", input->units);
    (void)fputs(",\n", stream);
    for (uint32_t i = 0; i < r->extrema; ++i) {
        const answer one = answer_of(r, i);
        if (r->extrema > 1)
            (void)fputs(i == 0 ? "  \"minimum\": {\n" : ",\n  \"maximum\": {\n", stream);
        print_lists(stream, input, &one, r->extrema > 1 ? "    " : "  ");
        if (r->extrema > 1)
            (void)fputs("\n  }", stream);
    }
    (void)fputs("\n}\n", stream);
}
