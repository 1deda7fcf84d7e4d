/* A script for gnuplot, which draws axes, legends and pixels; the numbers go with it, a point a line. */
#include "plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* The kept axes of more than one element; the last two of them are y and x. Returns their number. */
static uint32_t find_axes(const answer *r, const array *input, uint32_t map[2]) {
    uint32_t count = 0;
    for (uint32_t axis = 0; axis < input->rank; ++axis)
        if (r->sizes[axis] > 1) {
            map[0] = map[1];
            map[1] = axis;
            ++count;
        }
    return count;
}

bool plot_check(const answer *r, const array *input, message *m) {
    uint32_t map[2] = {0, 0};
    char shape[SHAPE_TEXT];
    if (find_axes(r, input, map) == 2)
        return true;
    format_shape(shape, input->rank, r->sizes);
    return complain(m, "--plot: results of shape %s, expected two axes of more than one element", shape);
}

/* Text in quotes of gnuplot's, which knows no escapes there but a doubled quote. */
static void print_quoted(FILE *g, const char *text) {
    (void)fputc('\'', g);
    for (; *text; ++text) {
        if (*text == '\'')
            (void)fputc('\'', g);
        (void)fputc((unsigned char)*text < 0x20 ? ' ' : *text, g);
    }
    (void)fputc('\'', g);
}

/* Pixels have one size, so coordinates must be evenly spaced; dates are shown by position. */
static bool is_even(const coordinate *c) {
    if (c->count < 2 || c->dates)
        return false;
    const double first = coordinate_value(c, 0), step = coordinate_value(c, 1) - first;
    for (uint64_t i = 1; i < c->count; ++i)
        if (!(fabs(first + step * (double)i - coordinate_value(c, i)) <= 0.01 * fabs(step)))
            return false;
    return step != 0;
}

static void name_axis(FILE *g, const char *which, const array *input, uint32_t axis) {
    char text[600] = "";
    const coordinate *c = &input->axes[axis];
    if (input->dimension_names[axis])
        append(text, sizeof text, "%s", input->dimension_names[axis]);
    else
        append(text, sizeof text, "axis %u", (unsigned)axis);
    if (!is_even(c))
        append(text, sizeof text, " (position)");
    else if (*c->units)
        append(text, sizeof text, " (%s)", c->units);
    (void)fprintf(g, "set %slabel ", which);
    print_quoted(g, text);
    (void)fputc('\n', g);
}

static double place(const array *input, uint32_t axis, uint64_t position) {
    return is_even(&input->axes[axis]) ? coordinate_value(&input->axes[axis], position) : (double)position;
}

static void print_map(FILE *g, const array *input, const answer *r, const uint32_t map[2], bool values) {
    (void)fputs("plot '-' using 1:2:3 with image notitle\n", g);
    const uint64_t width = r->sizes[map[1]];
    for (uint64_t point = 0; point < r->points; ++point) {
        uint64_t index;
        char text[NUMBER_TEXT] = "NaN"; /* no winner */
        if (answer_index(r, point, &index) && values)
            number_format(text, r->value_type, number_load(r->value_type, r->value, point));
        else if (answer_index(r, point, &index))
            (void)snprintf(text, sizeof text, "%" PRIu64, index);
        (void)fprintf(g, "%.9g %.9g %s\n", place(input, map[1], point % width), place(input, map[0], point / width),
                      text);
    }
    (void)fputs("e\n", g);
}

static void print_script(FILE *g, const char *path, const array *input, const answer *r, const options *o) {
    uint32_t map[2] = {0, 0};
    char along[600] = "index along", title[1200] = "";
    (void)find_axes(r, input, map);
    for (uint32_t axis = 0; axis < input->rank; ++axis)
        if (r->reduced[axis] && input->dimension_names[axis])
            append(along, sizeof along, " %s", input->dimension_names[axis]);
        else if (r->reduced[axis])
            append(along, sizeof along, " axis %u", (unsigned)axis);
    const char *file = strrchr(o->input, '/') ? strrchr(o->input, '/') + 1 : o->input;
    append(title, sizeof title, "%s of %s", o->op == ARGMAX_CL_ARGMIN ? "argmin" : "argmax",
           input->variable ? input->variable : file);
    (void)fputs("set terminal png noenhanced size 1400,600\nset output ", g);
    print_quoted(g, path);
    (void)fputs("\nset palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')\n"
                "set autoscale xfix\nset autoscale yfix\nset autoscale cbfix\nset tics out nomirror\nset multiplot "
                "layout 1,2 title ",
                g);
    print_quoted(g, title);
    (void)fputc('\n', g);
    name_axis(g, "x", input, map[1]);
    name_axis(g, "y", input, map[0]);
    if (!is_even(&input->axes[map[0]])) /* as matrices are written: the first line on top */
        (void)fputs("set yrange [*:*] reverse\n", g);
    (void)fputs("set cblabel ", g);
    print_quoted(g, along);
    (void)fputc('\n', g);
    print_map(g, input, r, map, false);
    (void)snprintf(title, sizeof title, "%s%s%s%s", o->op == ARGMAX_CL_ARGMIN ? "smallest value" : "largest value",
                   *input->units ? " (" : "", input->units, *input->units ? ")" : "");
    (void)fputs("set cblabel ", g);
    print_quoted(g, title);
    (void)fputc('\n', g);
    print_map(g, input, r, map, true);
    (void)fputs("unset multiplot\nunset output\n", g);
}

bool plot_write(const char *path, const char *shown, const array *input, const answer *r, const options *o,
                message *m) {
    FILE *g = popen("gnuplot 2>/dev/null", "w");
    if (!g)
        return complain(m, "%s: gnuplot cannot be started", shown);
    print_script(g, path, input, r, o);
    const bool written = !ferror(g);
    const int status = pclose(g);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return complain(m, "%s: gnuplot was not found, expected it on PATH: \"apt-get install gnuplot-nox\"", shown);
    return (status == 0 && written) || complain(m, "%s: gnuplot failed with status %d", shown, status);
}
