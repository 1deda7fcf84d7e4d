/* The file side of the .npy reader. Files are read, not mapped: one that another program cuts off meanwhile then gives
 * an error, not a SIGBUS. */
#include "npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Up to `size` bytes from `offset`; fewer only where the file ends. -1: errno says why. */
static ssize_t read_fully(int file, void *bytes, size_t size, uint64_t offset) {
    const size_t largest = (size_t)1 << 30; /* some systems refuse 2 GiB and more at once */
    size_t done = 0;
    while (done < size) {
        const size_t ask = size - done < largest ? size - done : largest;
        const ssize_t got = pread(file, (char *)bytes + done, ask, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static void swap_bytes(void *data, uint64_t count, size_t size) {
    uint8_t *element = data;
    for (uint64_t i = 0; i < count; ++i, element += size)
        for (size_t low = 0, high = size - 1; low < high; ++low, --high) {
            const uint8_t byte = element[low];
            element[low] = element[high];
            element[high] = byte;
        }
}

static bool read_header(int file, const char *name, array *a, size_t *data_offset, bool *swapped, message *m) {
    uint8_t *prefix = malloc(NPY_PREFIX_MAX);
    if (!prefix)
        return complain(m, "%s: no memory for its header", name);
    const ssize_t length = read_fully(file, prefix, NPY_PREFIX_MAX, 0);
    const bool good = length < 0 ? complain(m, "%s: cannot be read: %s", name, strerror(errno))
                                 : npy_parse(prefix, (size_t)length, name, a, data_offset, swapped, m);
    free(prefix);
    return good;
}

static bool short_data(const char *name, const array *a, uint64_t present, message *m) {
    char shape[SHAPE_TEXT];
    format_shape(shape, a->rank, a->sizes);
    return complain(m, "%s: %" PRIu64 " bytes of data, expected %" PRIu64 " for shape %s of %s", name, present,
                    a->bytes, shape, array_type_name(a));
}

bool npy_read(int file, const char *name, array *a, message *m) {
    size_t offset = 0;
    bool swapped = false;
    struct stat status;
    if (!read_header(file, name, a, &offset, &swapped, m))
        return false;
    if (fstat(file, &status) != 0)
        return complain(m, "%s: cannot be read: %s", name, strerror(errno));
    /* Before any memory is taken: a small file must not be able to ask for much. */
    const uint64_t present = (uint64_t)status.st_size > offset ? (uint64_t)status.st_size - offset : 0;
    if (present < a->bytes)
        return short_data(name, a, present, m);
    if (present > a->bytes)
        append(a->notes, sizeof a->notes, "note: %" PRIu64 " bytes after the array are not used\n", present - a->bytes);
    if (!array_allocate(a, name, m))
        return false;
    const ssize_t got = read_fully(file, a->data, (size_t)a->bytes, offset);
    if (got < 0)
        return complain(m, "%s: cannot be read: %s", name, strerror(errno));
    if ((uint64_t)got < a->bytes)
        return short_data(name, a, (uint64_t)got, m);
    if (swapped)
        swap_bytes(a->data, a->count, argmax_cl_dtype_size(a->dtype));
    return true;
}
