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

/* One run of memory in the file that is one in the block, too. */
static bool read_run(const reader *s, uint64_t element, uint64_t count, void *data, message *m) {
    const size_t size = argmax_cl_dtype_size(s->a.dtype);
    const ssize_t got = read_fully(s->file, data, (size_t)count * size, s->offset + element * size);
    if (got < 0)
        return complain(m, "%s: cannot be read: %s", s->name, strerror(errno));
    if ((uint64_t)got < count * size)
        return short_data(s->name, &s->a, element * size + (uint64_t)got, m);
    if (s->swapped)
        swap_bytes(data, count, size);
    return true;
}

/* The box in the order of memory, the contiguous axis last. */
static void in_memory_order(const reader *s, const box *b, box *ordered, uint64_t sizes[ARGMAX_CL_MAX_RANK]) {
    const uint32_t rank = s->a.rank;
    for (uint32_t i = 0; i < rank; ++i) {
        const uint32_t axis = s->a.fortran_order ? rank - 1 - i : i;
        ordered->start[i] = b->start[axis];
        ordered->size[i] = b->size[axis];
        sizes[i] = s->a.sizes[axis];
    }
}

static bool read_box(reader *s, const box *b, void *data, message *m) {
    box o;
    uint64_t sizes[ARGMAX_CL_MAX_RANK], position[ARGMAX_CL_MAX_RANK] = {0};
    char *at = data;
    uint32_t whole = s->a.rank; /* axes from this one on are whole in the box, so a run goes over them */
    uint64_t run = 1;
    in_memory_order(s, b, &o, sizes);
    while (whole > 0 && o.size[whole - 1] == sizes[whole - 1])
        run *= sizes[--whole];
    const uint32_t outer = whole > 0 ? whole - 1 : 0; /* axes before it are walked */
    if (whole > 0)
        run *= o.size[outer];
    for (uint64_t runs = run ? box_count(b, s->a.rank) / run : 0; runs > 0; --runs) {
        uint64_t element = 0;
        for (uint32_t i = 0; i < s->a.rank; ++i)
            element = element * sizes[i] + o.start[i] + (i < outer ? position[i] : 0);
        if (!read_run(s, element, run, at, m))
            return false;
        at += run * argmax_cl_dtype_size(s->a.dtype);
        for (uint32_t i = outer; i-- > 0;) {
            if (++position[i] < o.size[i])
                break;
            position[i] = 0;
        }
    }
    return true;
}

static void close_file(reader *s) {
    (void)close(s->file);
}

bool npy_open(int file, const char *name, reader *s, message *m) {
    size_t offset = 0;
    struct stat status;
    s->file = file;
    s->close = close_file;
    s->read = read_box;
    s->name = strdup(name);
    s->path = strdup(name);
    if (!s->name || !s->path)
        return complain(m, "%s: no memory", name);
    if (!read_header(file, name, &s->a, &offset, &s->swapped, m))
        return false;
    s->offset = offset;
    for (uint32_t axis = 0; axis < ARGMAX_CL_MAX_RANK; ++axis)
        s->chunk[axis] = 1;
    if (fstat(file, &status) != 0)
        return complain(m, "%s: cannot be read: %s", name, strerror(errno));
    /* Before any memory is taken: a small file must not be able to ask for much. */
    const uint64_t present = (uint64_t)status.st_size > offset ? (uint64_t)status.st_size - offset : 0;
    if (present < s->a.bytes)
        return short_data(name, &s->a, present, m);
    if (present > s->a.bytes)
        append(s->a.notes, sizeof s->a.notes, "note: %" PRIu64 " bytes after the array are not used\n",
               present - s->a.bytes);
    return true;
}
