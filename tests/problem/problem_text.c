/* Problems as lines of text: reading and printing. */
#include "problem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading -------------------------------------------------------------------------------------------------- */

/* One word being read, and where a complaint about it goes. */
typedef struct reader {
    const char *word;
    char *error;
    size_t error_size;
} reader;

static bool complain(const reader *r, const char *expected) {
    snprintf(r->error, r->error_size, "\"%s\": expected %s", r->word, expected);
    return false;
}

static bool read_u64(const char *text, const char *stop, uint64_t *number) {
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && end == stop && errno == 0;
}

/* Numbers of `text` separated by `separator`; returns their number, 0 when the text is wrong. */
static uint32_t read_list(const char *text, char separator, int64_t numbers[PROBLEM_MAX_RANK]) {
    for (uint32_t count = 0; count < PROBLEM_MAX_RANK; count++) {
        const char *const stop = text + strcspn(text, (const char[]){separator, 0});
        const bool negative = *text == '-';
        uint64_t magnitude;
        if (!read_u64(text + negative, stop, &magnitude) || magnitude > INT64_MAX)
            return 0;
        numbers[count] = negative ? -(int64_t)magnitude : (int64_t)magnitude;
        if (*stop == 0)
            return count + 1;
        text = stop + 1;
    }
    return 0;
}

static bool read_sizes(const reader *r, problem_line *p) {
    int64_t numbers[PROBLEM_MAX_RANK];
    p->rank = read_list(r->word, 'x', numbers);
    for (uint32_t d = 0; d < p->rank; d++) {
        if (numbers[d] < 0)
            return complain(r, "sizes of 0 and more");
        p->size[d] = (uint64_t)numbers[d];
    }
    return p->rank > 0 || complain(r, "1 to 8 sizes such as 64x128");
}

static bool read_axes(const reader *r, problem_line *p, const char *text) {
    int64_t numbers[PROBLEM_MAX_RANK];
    p->axis_count = read_list(text, ',', numbers);
    for (uint32_t i = 0; i < p->axis_count; i++) {
        if (numbers[i] < 0 || numbers[i] >= p->rank)
            return complain(r, "axes below the rank");
        p->axes[i] = (uint32_t)numbers[i];
    }
    return p->axis_count > 0 || complain(r, "1 to 8 axes such as 0,2");
}

static bool read_tensor(const reader *r, const problem_line *p, const char *name, const char *text, problem_tensor *t) {
    if (strcmp(name, "strides") == 0) {
        t->has_strides = true;
        return read_list(text, ',', t->stride) == p->rank || complain(r, "one stride for each size");
    }
    t->has_offset = true;
    return read_u64(text, text + strlen(text), &t->offset) || complain(r, "an offset of 0 and more");
}

static bool read_name(const reader *r, const char *text, size_t capacity, char *name) {
    const size_t length = strlen(text);
    if (length == 0 || length >= capacity)
        return complain(r, "a shorter name, and not an empty one");
    memcpy(name, text, length + 1);
    return true;
}

static bool read_choice(const reader *r, const char *text, int count, const char *const *names, int *choice) {
    for (int i = 0; i < count; i++)
        if (strcmp(text, names[i]) == 0) {
            *choice = i;
            return true;
        }
    return complain(r, "one of the names that the problem grammar lists");
}

/* NAME=CHOICE. False when no such word takes a choice; else *ok tells whether it is one. */
static bool read_choices(const reader *r, problem_line *p, const char *name, const char *text, bool *ok) {
    static const char *const nan_modes[] = {"propagate", "ignore"};
    int data = (int)p->data, nan = (int)p->nan_mode, route = (int)p->route, queue = (int)p->queue,
        memory = (int)p->memory, mask = (int)p->mask_of;
    const struct {
        const char *name;
        int count;
        const char *const *names;
        int *choice;
    } words[] = {
        {"data", DATA_KIND_COUNT, data_kind_names, &data},   {"nan", 2, nan_modes, &nan},
        {"route", ROUTE_COUNT, run_route_names, &route},     {"queue", QUEUE_COUNT, run_queue_names, &queue},
        {"memory", MEMORY_COUNT, run_memory_names, &memory}, {"mask", MASK_DATA_COUNT, mask_data_names, &mask},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(name, words[i].name) != 0)
            continue;
        *ok = read_choice(r, text, words[i].count, words[i].names, words[i].choice);
        p->data = (data_kind)data;
        p->nan_mode = (argmax_cl_nan_mode)nan;
        p->has_route = p->has_route || words[i].choice == &route;
        p->route = (run_route)route;
        p->queue = (run_queue)queue;
        p->memory = (run_memory)memory;
        p->mask_of = (mask_data)mask;
        return true;
    }
    return false;
}

static bool read_index(const reader *r, argmax_cl_dtype *dtype, const char *text) {
    const problem_dtype *const type = problem_dtype_named(text);
    if (!type || !type->is_index)
        return complain(r, "index=int32, uint32, int64 or uint64");
    *dtype = type->dtype;
    return true;
}

/* The tensor that a word is told of, by the letter before *what; false for other words. */
static bool names_tensor(problem_line *p, const char *name, const char **what, problem_tensor **tensor) {
    static const char letters[] = "ivmxy";
    problem_tensor *const tensors[] = {&p->index, &p->value, &p->mask, &p->max_index, &p->max_value, &p->input};
    const size_t input = sizeof tensors / sizeof tensors[0] - 1;
    const char *const letter = name[0] ? strchr(letters, name[0]) : NULL;
    const size_t which = letter ? (size_t)(letter - letters) : input;
    *what = name + (letter != NULL);
    *tensor = tensors[which];
    return strcmp(*what, "strides") == 0 || strcmp(*what, "offset") == 0;
}

/* A word after the sizes: NAME=TEXT, or a flag. */
static bool read_option(const reader *r, problem_line *p) {
    char name[16];
    const size_t length = strcspn(r->word, "=");
    if (length >= sizeof name)
        return complain(r, "an option such as axes=0");
    memcpy(name, r->word, length);
    name[length] = 0;
    if (r->word[length] == 0) {
        if (strcmp(name, "last") == 0)
            p->direction = ARGMAX_CL_DECREASING;
        else if (strcmp(name, "value") == 0)
            p->has_value = true;
        else if (strcmp(name, "maxlast") == 0)
            p->max_direction = ARGMAX_CL_DECREASING;
        else if (strcmp(name, "maxvalue") == 0)
            p->has_max_value = true;
        else
            return complain(r, "last, value, maxlast, maxvalue or NAME=...");
        return true;
    }
    const char *const text = r->word + length + 1;
    bool ok;
    if (read_choices(r, p, name, text, &ok))
        return ok;
    const char *what;
    problem_tensor *tensor;
    if (names_tensor(p, name, &what, &tensor))
        return read_tensor(r, p, what, text, tensor);
    if (strcmp(name, "axes") == 0)
        return read_axes(r, p, text);
    if (strcmp(name, "index") == 0)
        return read_index(r, &p->index_type, text);
    if (strcmp(name, "maxindex") == 0)
        return read_index(r, &p->max_index_type, text);
    if (strcmp(name, "seed") == 0)
        return read_u64(text, text + strlen(text), &p->seed) || complain(r, "a seed of 0 and more");
    if (strcmp(name, "strategy") == 0)
        return read_name(r, text, sizeof p->strategy, p->strategy);
    if (strcmp(name, "tuning") == 0)
        return read_name(r, text, sizeof p->tuning, p->tuning);
    if (strcmp(name, "fields") == 0)
        return read_name(r, text, sizeof p->fields, p->fields);
    return complain(r, "an option of the problem grammar");
}

static const char *const operators[] = {"argmax", "argmin", "argminmax"};

/* The first three words are positional. */
static bool read_word(const reader *r, problem_line *p, uint32_t place) {
    if (place == 0) {
        int op = 0;
        if (!read_choice(r, r->word, 3, operators, &op))
            return complain(r, "argmax, argmin or argminmax");
        p->op = (argmax_cl_operator)op;
        return true;
    }
    if (place == 1) {
        const problem_dtype *const type = problem_dtype_named(r->word);
        if (!type)
            return complain(r, "an element type such as float32");
        p->dtype = type->dtype;
        return true;
    }
    return place == 2 ? read_sizes(r, p) : read_option(r, p);
}

static bool check_offsets(const problem_line *p, char *error, size_t error_size) {
    const reader r = {"offset", error, error_size};
    return problem_offsets_fit(p) || complain(&r, "offsets that keep negative strides within the buffer");
}

static const char spaces[] = " \t\r\n";

bool problem_is_blank(const char *line) {
    line += strspn(line, spaces);
    return *line == 0 || *line == '#';
}

bool problem_parse(const char *line, problem_line *p, char *error, size_t error_size) {
    problem_init(p);
    uint32_t place = 0;
    while (!problem_is_blank(line)) {
        char word[256];
        line += strspn(line, spaces);
        const size_t length = strcspn(line, " \t\r\n#");
        const reader r = {word, error, error_size};
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), line);
        if (length >= sizeof word)
            return complain(&r, "a shorter word");
        if (!read_word(&r, p, place++))
            return false;
        line += length;
    }
    if (place < 3)
        return complain(&(reader){"end of line", error, error_size}, "OP DTYPE SIZES");
    if (p->axis_count == 0)
        while (p->axis_count < p->rank) {
            p->axes[p->axis_count] = p->axis_count;
            p->axis_count++;
        }
    problem_resolve(p);
    return check_offsets(p, error, error_size);
}

/* ---- Printing ------------------------------------------------------------------------------------------------- */

typedef struct writer {
    char *text;
    size_t size, used;
} writer;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
put(writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(w->text + w->used, w->size - w->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        w->used = w->used + (size_t)length < w->size ? w->used + (size_t)length : w->size - 1;
}

static void put_tensor(writer *w, const problem_line *p, const char *prefix, const problem_tensor *t) {
    if (t->has_strides)
        put(w, " %sstrides=", prefix);
    for (uint32_t d = 0; t->has_strides && d < p->rank; d++)
        put(w, "%s%" PRId64, d ? "," : "", t->stride[d]);
    if (t->has_offset)
        put(w, " %soffset=%" PRIu64, prefix, t->offset);
}

static void put_maximum(writer *w, const problem_line *p) {
    if (p->op != ARGMAX_CL_ARGMINMAX)
        return;
    if (p->max_direction == ARGMAX_CL_DECREASING)
        put(w, " maxlast");
    put(w, " maxindex=%s", problem_dtype_find(p->max_index_type)->name);
    put_tensor(w, p, "x", &p->max_index);
    if (p->has_max_value) {
        put(w, " maxvalue");
        put_tensor(w, p, "y", &p->max_value);
    }
}

void problem_print(const problem_line *p, char *text, size_t text_size) {
    writer w = {text, text_size, 0};
    put(&w, "%s %s ", operators[p->op], problem_dtype_find(p->dtype)->name);
    for (uint32_t d = 0; d < p->rank; d++)
        put(&w, "%s%" PRIu64, d ? "x" : "", p->size[d]);
    for (uint32_t i = 0; i < p->axis_count; i++)
        put(&w, "%s%" PRIu32, i ? "," : " axes=", p->axes[i]);
    if (p->direction == ARGMAX_CL_DECREASING)
        put(&w, " last");
    if (p->nan_mode == ARGMAX_CL_NAN_IGNORE)
        put(&w, " nan=ignore");
    put(&w, " index=%s", problem_dtype_find(p->index_type)->name);
    if (p->has_value)
        put(&w, " value");
    put_tensor(&w, p, "", &p->input);
    put_tensor(&w, p, "i", &p->index);
    if (p->has_value)
        put_tensor(&w, p, "v", &p->value);
    put_maximum(&w, p);
    if (p->mask_of != MASK_ABSENT) {
        put(&w, " mask=%s", mask_data_names[p->mask_of]);
        put_tensor(&w, p, "m", &p->mask);
    }
    put(&w, " data=%s seed=%" PRIu64, data_kind_names[p->data], p->seed);
    if (p->strategy[0])
        put(&w, " strategy=%s", p->strategy);
    if (p->tuning[0])
        put(&w, " tuning=%s", p->tuning);
    if (p->fields[0])
        put(&w, " fields=%s", p->fields);
    if (p->has_route)
        put(&w, " route=%s", run_route_names[p->route]);
    if (p->queue != QUEUE_IN_ORDER)
        put(&w, " queue=%s", run_queue_names[p->queue]);
    if (p->memory != MEMORY_DEVICE)
        put(&w, " memory=%s", run_memory_names[p->memory]);
}
