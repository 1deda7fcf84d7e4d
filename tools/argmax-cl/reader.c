#include "reader.h"

#include <stdlib.h>
#include <string.h>

box box_whole(const array *a) {
    box whole = {{0}, {0}};
    memcpy(whole.size, a->sizes, sizeof whole.size);
    return whole;
}

uint64_t box_count(const box *b, uint32_t rank) {
    uint64_t count = 1;
    for (uint32_t axis = 0; axis < rank; ++axis)
        count *= b->size[axis];
    return count;
}

void reader_close(reader *s) {
    if (s->close)
        s->close(s);
    free(s->name);
    free(s->path);
    array_free(&s->a);
    *s = (reader){0};
}
