/* The header is a Python dictionary in text: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }. It is read
 * by a parser for exactly these three entries, in any order; everything else is refused with what it was. */
#include "npy.h"
#include "npy_types.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint8_t magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* The dictionary's text that is still to be read. */
typedef struct cursor {
    const char *at, *end;
    const char *name; /* of the file */
    message *m;
} cursor;

typedef struct span {
    const char *start;
    size_t length;
} span;

bool npy_magic(const uint8_t *bytes, size_t length) {
    return length >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

static bool expected(const cursor *c, const char *what) {
    const size_t left = (size_t)(c->end - c->at);
    return complain(c->m, "%s: header has \"%.*s\", expected %s", c->name, (int)(left < 24 ? left : 24), c->at, what);
}

static void skip_spaces(cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
        ++c->at;
}

/* Step over the character, and spaces before it, when it is next. */
static bool take(cursor *c, char wanted) {
    skip_spaces(c);
    if (c->at == c->end || *c->at != wanted)
        return false;
    ++c->at;
    return true;
}

static bool take_word(cursor *c, const char *word) {
    const size_t length = strlen(word);
    skip_spaces(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

/* A string in either kind of quotes; none that we know has a backslash in it. */
static bool take_string(cursor *c, span *string) {
    skip_spaces(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return false;
    const char quote = *c->at;
    const char *close = c->at + 1;
    while (close < c->end && *close != quote && *close != '\\')
        ++close;
    if (close == c->end || *close != quote)
        return false;
    *string = (span){c->at + 1, (size_t)(close - c->at - 1)};
    c->at = close + 1;
    return true;
}

static bool is(span s, const char *text) {
    return s.length == strlen(text) && memcmp(s.start, text, s.length) == 0;
}

static bool parse_type(cursor *c, array *a, bool *swapped) {
    span text;
    if (!take_string(c, &text))
        return expected(c, "a type in quotes, as '<f4', after 'descr'");
    const npy_type *type = text.length > 1 ? npy_type_by_code(text.start + 1, text.length - 1) : NULL;
    const char order = text.length > 1 ? text.start[0] : 0;
    if (!type || !(order == '<' || order == '>' || (order == '|' && argmax_cl_dtype_size(type->dtype) == 1)))
        return complain(c->m,
                        "%s: elements of type '%.*s', expected < or > and one of f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1",
                        c->name, (int)(text.length < 40 ? text.length : 40), text.start);
    a->dtype = type->dtype;
    a->boolean = type->boolean;
    *swapped = order != '|' && order != npy_native_order();
    return true;
}

static bool parse_order(cursor *c, array *a) {
    a->fortran_order = take_word(c, "True");
    return a->fortran_order || take_word(c, "False") || expected(c, "True or False after 'fortran_order'");
}

static bool parse_size(cursor *c, uint64_t *size) {
    skip_spaces(c);
    if (c->at == c->end || *c->at < '0' || *c->at > '9')
        return expected(c, "a size of 0 or more in 'shape'");
    const cursor start = *c;
    *size = 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; ++c->at) {
        const uint64_t digit = (uint64_t)(*c->at - '0');
        if (*size > (INT64_MAX - digit) / 10)
            return expected(&start, "sizes below 2^63 in 'shape'");
        *size = *size * 10 + digit;
    }
    if (c->at < c->end && *c->at == 'L') /* Python 2 wrote long integers so */
        ++c->at;
    return true;
}

static bool parse_shape(cursor *c, array *a) {
    if (!take(c, '('))
        return expected(c, "a shape in parentheses, as (3, 4), after 'shape'");
    bool comma = true;
    uint32_t rank = 0;
    while (!take(c, ')')) {
        uint64_t size = 0;
        if (!comma)
            return expected(c, "a comma or ) in 'shape'");
        if (!parse_size(c, &size))
            return false;
        if (rank < ARGMAX_CL_MAX_RANK)
            a->sizes[rank] = size;
        ++rank; /* cannot wrap: a header has less than 2^16 bytes */
        comma = take(c, ',');
    }
    if (rank == 1 && !comma)
        return expected(c, "a comma after the single size in 'shape', as (3,)");
    a->rank = rank;
    return true;
}

static bool parse_entry(cursor *c, array *a, bool *swapped, bool seen[3]) {
    static const char *const keys[3] = {"descr", "fortran_order", "shape"};
    span key;
    if (!take_string(c, &key))
        return expected(c, "'descr', 'fortran_order' or 'shape'");
    int which = 0;
    while (which < 3 && !is(key, keys[which]))
        ++which;
    if (which == 3 || seen[which])
        return complain(c->m,
                        "%s: header has the key '%.*s'%s, expected 'descr', 'fortran_order' and 'shape', each once",
                        c->name, (int)(key.length < 40 ? key.length : 40), key.start, which < 3 ? " twice" : "");
    seen[which] = true;
    if (!take(c, ':'))
        return expected(c, "a colon after a key");
    return which == 0 ? parse_type(c, a, swapped) : which == 1 ? parse_order(c, a) : parse_shape(c, a);
}

static bool parse_dictionary(cursor *c, array *a, bool *swapped) {
    bool seen[3] = {false, false, false};
    if (!take(c, '{'))
        return expected(c, "a dictionary that starts with {");
    bool comma = true;
    while (!take(c, '}')) {
        if (!comma)
            return expected(c, "a comma or }");
        if (!parse_entry(c, a, swapped, seen))
            return false;
        comma = take(c, ',');
    }
    skip_spaces(c);
    if (c->at != c->end)
        return expected(c, "nothing after the closing }");
    if (!seen[0] || !seen[1] || !seen[2])
        return complain(c->m, "%s: header without '%s', expected 'descr', 'fortran_order' and 'shape'", c->name,
                        !seen[0]   ? "descr"
                        : !seen[1] ? "fortran_order"
                                   : "shape");
    return true;
}

bool npy_parse(const uint8_t *bytes, size_t length, const char *name, array *a, size_t *data_offset, bool *swapped,
               message *m) {
    if (!npy_magic(bytes, length))
        return complain(m, "%s: does not begin with \\x93NUMPY, expected an .npy file", name);
    const size_t start = length > 6 && bytes[6] == 1 ? 10 : 12;
    if (length < start)
        return complain(m, "%s: ends after %zu bytes, expected a header of %zu bytes or more", name, length, start);
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return complain(m, "%s: .npy version %d.%d, expected 1.0, 2.0 or 3.0", name, bytes[6], bytes[7]);
    uint32_t size = (uint32_t)(bytes[8] | bytes[9] << 8);
    if (bytes[6] > 1)
        size |= (uint32_t)bytes[10] << 16 | (uint32_t)bytes[11] << 24;
    if (size > NPY_DICTIONARY_MAX)
        return complain(m, "%s: a header of %" PRIu32 " bytes, expected at most %u", name, size, NPY_DICTIONARY_MAX);
    if (length - start < size)
        return complain(m, "%s: ends %zu bytes into its header, expected %" PRIu32 " bytes", name, length - start,
                        size);
    cursor c = {(const char *)bytes + start, (const char *)bytes + start + size, name, m};
    *data_offset = start + size;
    return parse_dictionary(&c, a, swapped) && array_measure(a, name, m);
}

size_t npy_format(uint8_t header[NPY_FORMAT_MAX], argmax_cl_dtype dtype, bool boolean, uint32_t rank,
                  const uint64_t *sizes) {
    char shape[SHAPE_TEXT];
    char text[NPY_FORMAT_MAX] = "";
    const npy_type *type = npy_type_of(dtype, boolean);
    const char order = argmax_cl_dtype_size(dtype) == 1 ? '|' : npy_native_order();
    format_shape(shape, rank, sizes);
    append(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': %s, }", order, type->code, shape);
    /* Spaces and a newline make the data start at a multiple of 64 bytes, as the format asks. */
    const size_t used = 10 + strlen(text) + 1;
    const size_t total = (used + 63) / 64 * 64;
    memset(header, ' ', total);
    memcpy(header, magic, sizeof magic);
    header[6] = 1;
    header[7] = 0;
    header[8] = (uint8_t)((total - 10) & 0xff);
    header[9] = (uint8_t)((total - 10) >> 8);
    memcpy(header + 10, text, strlen(text));
    header[total - 1] = '\n';
    return total;
}
