/* The .npy reader: any bytes are either an array, read as they say, or refused with a message. */
#include "fuzz.h"

#include <npy.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "x.npy"

/* The header that our writer makes of what was read gives the same again. */
static void check_round_trip(const array *a) {
    uint8_t header[NPY_FORMAT_MAX];
    array again = {0};
    message m = {""};
    size_t offset = 0;
    bool swapped = true;
    const size_t length = npy_format(header, a->dtype, a->boolean, a->rank, a->sizes);
    REQUIRE(length <= sizeof header && npy_parse(header, length, NAME, &again, &offset, &swapped, &m), "%s", m.text);
    REQUIRE(offset == length && !swapped && !again.fortran_order, "offset %zu of %zu", offset, length);
    REQUIRE(again.dtype == a->dtype && again.boolean == a->boolean && again.rank == a->rank, "rank %" PRIu32, a->rank);
    REQUIRE(memcmp(again.sizes, a->sizes, a->rank * sizeof a->sizes[0]) == 0, "sizes");
    REQUIRE(again.bytes == a->bytes && again.count == a->count, "%" PRIu64 " bytes", a->bytes);
}

static void check_array(const array *a, size_t offset, size_t size) {
    uint64_t product = argmax_cl_dtype_size(a->dtype);
    REQUIRE(offset >= 10 && offset <= size, "offset %zu of %zu", offset, size);
    REQUIRE(product > 0 && a->rank >= 1 && a->rank <= ARGMAX_CL_MAX_RANK, "rank %" PRIu32, a->rank);
    for (uint32_t i = 0; i < a->rank; ++i) {
        REQUIRE(a->sizes[i] == 0 || product <= UINT64_MAX / a->sizes[i], "size %" PRIu64, a->sizes[i]);
        product *= a->sizes[i];
    }
    REQUIRE(a->bytes == product && a->count * argmax_cl_dtype_size(a->dtype) == product,
            "%" PRIu64 " bytes, not %" PRIu64, a->bytes, product);
}

/* The sizes are those that stand in the header, between its only parentheses. */
static void check_sizes(const array *a, const uint8_t *data, size_t offset) {
    char text[4096] = "";
    const uint8_t *const open = memchr(data, '(', offset), *const close = memchr(data, ')', offset);
    REQUIRE(open && close && open < close, "no shape");
    if ((size_t)(close - open) >= sizeof text)
        return;
    memcpy(text, open + 1, (size_t)(close - open) - 1);
    char *at = text;
    for (uint32_t i = 0; i < a->rank; ++i) {
        errno = 0;
        const unsigned long long size = strtoull(at, &at, 10);
        REQUIRE(errno == 0 && size == a->sizes[i], "size %" PRIu32 " of (%s)", i, text);
        at += strcspn(at, "0123456789");
    }
    REQUIRE(*at == 0, "more than %" PRIu32 " sizes in (%s)", a->rank, text);
}

/* The elements are the file's, in this machine's byte order. */
static void check_data(const array *a, const uint8_t *read, const uint8_t *from, bool swapped) {
    const size_t size = argmax_cl_dtype_size(a->dtype);
    for (uint64_t i = 0; i < a->bytes; ++i) {
        const uint64_t place = i % size;
        const uint8_t expected = from[i - place + (swapped ? size - 1 - place : place)];
        REQUIRE(read[i] == expected, "byte %" PRIu64 " of the data", i);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    array parsed = {0};
    message m = {""};
    size_t offset = 0;
    bool swapped = false;
    const bool is_header =
        npy_parse(data, size < NPY_PREFIX_MAX ? size : NPY_PREFIX_MAX, NAME, &parsed, &offset, &swapped, &m);
    if (is_header) {
        check_array(&parsed, offset, size);
        check_sizes(&parsed, data, offset);
        check_round_trip(&parsed);
    } else {
        REQUIRE(strncmp(m.text, NAME ": ", 7) == 0, "\"%s\"", m.text);
    }
    reader opened = {0};
    const int file = open(scratch_file(data, size), O_RDONLY);
    m.text[0] = 0;
    const bool good = npy_open(file, NAME, &opened, &m);
    REQUIRE(good == (is_header && parsed.bytes <= size - offset), "%s", m.text);
    REQUIRE(good || strncmp(m.text, NAME ": ", 7) == 0, "\"%s\"", m.text);
    if (good) {
        const box whole = box_whole(&opened.a);
        uint8_t *const read = malloc((size_t)opened.a.bytes + 1);
        REQUIRE(read && opened.read(&opened, &whole, read, &m), "%s", m.text);
        check_data(&opened.a, read, data + offset, swapped);
        free(read);
    }
    reader_close(&opened);
    return 0;
}
