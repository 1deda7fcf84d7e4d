#include "problem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names ---------------------------------------------------------------------------------------------------- */

const problem_dtype problem_dtypes[PROBLEM_DTYPE_COUNT] = {
    {ARGMAX_CL_FLOAT32, "float32", 32, 23, true, false}, {ARGMAX_CL_FLOAT16, "float16", 16, 10, true, false},
    {ARGMAX_CL_FLOAT64, "float64", 64, 52, true, false}, {ARGMAX_CL_BFLOAT16, "bfloat16", 16, 7, true, false},
    {ARGMAX_CL_INT8, "int8", 8, 0, true, false},         {ARGMAX_CL_INT16, "int16", 16, 0, true, false},
    {ARGMAX_CL_INT32, "int32", 32, 0, true, true},       {ARGMAX_CL_INT64, "int64", 64, 0, true, true},
    {ARGMAX_CL_UINT8, "uint8", 8, 0, false, false},      {ARGMAX_CL_UINT16, "uint16", 16, 0, false, false},
    {ARGMAX_CL_UINT32, "uint32", 32, 0, false, true},    {ARGMAX_CL_UINT64, "uint64", 64, 0, false, true},
};

const char *const data_kind_names[DATA_KIND_COUNT] = {
    "random", "ties",  "constant", "increasing", "decreasing", "nan",     "allnan",  "special", "bits",
    "zeros",  "worst", "best",     "peak",       "pair",       "nanpeak", "nanpair", "number",
};

const problem_dtype *problem_dtype_find(argmax_cl_dtype dtype) {
    for (size_t i = 0; i < PROBLEM_DTYPE_COUNT; i++)
        if (problem_dtypes[i].dtype == dtype)
            return &problem_dtypes[i];
    return NULL;
}

static const problem_dtype *dtype_named(const char *name) {
    for (size_t i = 0; i < PROBLEM_DTYPE_COUNT; i++)
        if (strcmp(problem_dtypes[i].name, name) == 0)
            return &problem_dtypes[i];
    return NULL;
}

/* ---- What follows from a problem ------------------------------------------------------------------------------ */

bool problem_axis_reduced(const problem_line *p, uint32_t axis) {
    for (uint32_t i = 0; i < p->axis_count; i++)
        if (p->axes[i] == axis)
            return true;
    return false;
}

void problem_output_sizes(const problem_line *p, uint64_t sizes[PROBLEM_MAX_RANK]) {
    for (uint32_t d = 0; d < p->rank; d++)
        sizes[d] = problem_axis_reduced(p, d) ? 1 : p->size[d];
}

static uint64_t product(uint32_t rank, const uint64_t *sizes) {
    uint64_t count = 1;
    for (uint32_t d = 0; d < rank; d++)
        count *= sizes[d];
    return count;
}

uint64_t problem_input_count(const problem_line *p) {
    return product(p->rank, p->size);
}

uint64_t problem_output_count(const problem_line *p) {
    uint64_t sizes[PROBLEM_MAX_RANK];
    problem_output_sizes(p, sizes);
    return product(p->rank, sizes);
}

uint64_t problem_reduction_count(const problem_line *p) {
    uint64_t count = 1;
    for (uint32_t i = 0; i < p->axis_count; i++)
        count *= p->size[p->axes[i]];
    return count;
}

/* Distance from position 0 to the lowest (up = false) or highest element addressed. */
static uint64_t reach(uint32_t rank, const uint64_t *sizes, const int64_t *strides, bool up) {
    uint64_t sum = 0;
    for (uint32_t d = 0; d < rank; d++)
        if (sizes[d] > 1 && (strides[d] > 0) == up)
            sum += (sizes[d] - 1) * (uint64_t)(strides[d] < 0 ? -strides[d] : strides[d]);
    return sum;
}

static uint64_t extent(uint32_t rank, const uint64_t *sizes, const problem_tensor *t) {
    return product(rank, sizes) == 0 ? 0 : t->offset + reach(rank, sizes, t->stride, true) + 1;
}

uint64_t problem_input_extent(const problem_line *p) {
    return extent(p->rank, p->size, &p->input);
}

uint64_t problem_output_extent(const problem_line *p, const problem_tensor *output) {
    uint64_t sizes[PROBLEM_MAX_RANK];
    problem_output_sizes(p, sizes);
    return extent(p->rank, sizes, output);
}

static void resolve_tensor(uint32_t rank, const uint64_t *sizes, problem_tensor *t) {
    if (!t->has_strides) {
        uint64_t packed = 1;
        for (uint32_t d = rank; d-- > 0;) {
            t->stride[d] = (int64_t)packed;
            packed *= sizes[d] ? sizes[d] : 1;
        }
    }
    if (!t->has_offset)
        t->offset = reach(rank, sizes, t->stride, false);
}

void problem_resolve(problem_line *p) {
    uint64_t sizes[PROBLEM_MAX_RANK] = {0};
    problem_output_sizes(p, sizes);
    resolve_tensor(p->rank, p->size, &p->input);
    resolve_tensor(p->rank, sizes, &p->index);
    resolve_tensor(p->rank, sizes, &p->value);
}

void problem_init(problem_line *p) {
    memset(p, 0, sizeof *p);
    p->dtype = ARGMAX_CL_FLOAT32;
    p->index_type = ARGMAX_CL_INT64;
}

static argmax_cl_tensor describe_tensor(argmax_cl_dtype dtype, uint32_t rank, const uint64_t *sizes,
                                        const problem_tensor *t) {
    argmax_cl_tensor tensor = ARGMAX_CL_TENSOR_INIT;
    tensor.dtype = dtype;
    tensor.rank = rank;
    tensor.sizes = sizes;
    tensor.strides = t->has_strides ? t->stride : NULL;
    tensor.offset = t->offset;
    return tensor;
}

void problem_describe(const problem_line *p, problem_desc *d) {
    problem_output_sizes(p, d->output_size);
    d->input = describe_tensor(p->dtype, p->rank, p->size, &p->input);
    d->index = describe_tensor(p->index_type, p->rank, d->output_size, &p->index);
    d->value = describe_tensor(p->dtype, p->rank, d->output_size, &p->value);
    argmax_cl_desc_init(&d->desc);
    d->desc.input = &d->input;
    d->desc.index = &d->index;
    d->desc.value = p->has_value ? &d->value : NULL;
    d->desc.axis_count = p->axis_count;
    d->desc.axes = p->axes;
    d->desc.axis_direction = p->direction;
    d->desc.nan_mode = p->nan_mode;
    d->desc.strategy = p->strategy[0] ? p->strategy : NULL;
    d->desc.tuning = p->tuning[0] ? p->tuning : NULL;
}

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

static bool read_name(const reader *r, const char *text, char name[32]) {
    const size_t length = strlen(text);
    if (length == 0 || length >= 32)
        return complain(r, "a name of 1 to 31 letters");
    memcpy(name, text, length + 1);
    return true;
}

static bool read_data(const reader *r, problem_line *p, const char *text) {
    for (int i = 0; i < DATA_KIND_COUNT; i++)
        if (strcmp(text, data_kind_names[i]) == 0) {
            p->data = (data_kind)i;
            return true;
        }
    return complain(r, "a kind of data such as random, ties, special");
}

static bool read_nan(const reader *r, problem_line *p, const char *text) {
    p->nan_mode = strcmp(text, "ignore") == 0 ? ARGMAX_CL_NAN_IGNORE : ARGMAX_CL_NAN_PROPAGATE;
    return p->nan_mode == ARGMAX_CL_NAN_IGNORE || strcmp(text, "propagate") == 0 ||
           complain(r, "nan=propagate or nan=ignore");
}

static bool read_index(const reader *r, problem_line *p, const char *text) {
    const problem_dtype *const type = dtype_named(text);
    if (!type || !type->is_index)
        return complain(r, "index=int32, uint32, int64 or uint64");
    p->index_type = type->dtype;
    return true;
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
        else
            return complain(r, "last, value or NAME=...");
        return true;
    }
    const char *const text = r->word + length + 1;
    if (strcmp(name, "strides") == 0 || strcmp(name, "offset") == 0)
        return read_tensor(r, p, name, text, &p->input);
    if (strcmp(name, "istrides") == 0 || strcmp(name, "ioffset") == 0)
        return read_tensor(r, p, name + 1, text, &p->index);
    if (strcmp(name, "vstrides") == 0 || strcmp(name, "voffset") == 0)
        return read_tensor(r, p, name + 1, text, &p->value);
    if (strcmp(name, "axes") == 0)
        return read_axes(r, p, text);
    if (strcmp(name, "nan") == 0)
        return read_nan(r, p, text);
    if (strcmp(name, "index") == 0)
        return read_index(r, p, text);
    if (strcmp(name, "data") == 0)
        return read_data(r, p, text);
    if (strcmp(name, "seed") == 0)
        return read_u64(text, text + strlen(text), &p->seed) || complain(r, "a seed of 0 and more");
    if (strcmp(name, "strategy") == 0)
        return read_name(r, text, p->strategy);
    if (strcmp(name, "tuning") == 0)
        return read_name(r, text, p->tuning);
    return complain(r, "an option of the problem grammar");
}

/* The first three words are positional. */
static bool read_word(const reader *r, problem_line *p, uint32_t place) {
    if (place == 0) {
        p->op = strcmp(r->word, "argmin") == 0 ? ARGMAX_CL_ARGMIN : ARGMAX_CL_ARGMAX;
        return p->op == ARGMAX_CL_ARGMIN || strcmp(r->word, "argmax") == 0 || complain(r, "argmax or argmin");
    }
    if (place == 1) {
        const problem_dtype *const type = dtype_named(r->word);
        if (!type)
            return complain(r, "an element type such as float32");
        p->dtype = type->dtype;
        return true;
    }
    return place == 2 ? read_sizes(r, p) : read_option(r, p);
}

/* A tensor that starts below its buffer cannot be run. */
static bool check_offsets(const problem_line *p, char *error, size_t error_size) {
    uint64_t sizes[PROBLEM_MAX_RANK];
    problem_output_sizes(p, sizes);
    const reader r = {"offset", error, error_size};
    return (p->input.offset >= reach(p->rank, p->size, p->input.stride, false) &&
            p->index.offset >= reach(p->rank, sizes, p->index.stride, false) &&
            p->value.offset >= reach(p->rank, sizes, p->value.stride, false)) ||
           complain(&r, "offsets that keep negative strides within the buffer");
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

void problem_print(const problem_line *p, char *text, size_t text_size) {
    writer w = {text, text_size, 0};
    put(&w, "%s %s ", p->op == ARGMAX_CL_ARGMIN ? "argmin" : "argmax", problem_dtype_find(p->dtype)->name);
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
    put(&w, " data=%s seed=%" PRIu64, data_kind_names[p->data], p->seed);
    if (p->strategy[0])
        put(&w, " strategy=%s", p->strategy);
    if (p->tuning[0])
        put(&w, " tuning=%s", p->tuning);
}
