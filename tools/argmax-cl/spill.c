#include "spill.h"
#include "array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int spill_file(void) {
    const char *folder = getenv("TMPDIR");
    char path[4096] = "";
    append(path, sizeof path, "%s/argmax-cl.XXXXXX", folder && *folder ? folder : "/tmp");
    const int file = mkstemp(path);
    if (file >= 0)
        (void)unlink(path);
    return file;
}

/* Where the system cannot promise space, zeros take it. */
static int reserve(int file, uint64_t offset, uint64_t bytes) {
    static const char zeros[1 << 16];
#ifdef __APPLE__ /* has no posix_fallocate */
    int code = EOPNOTSUPP;
#else
    int code = posix_fallocate(file, (off_t)offset, (off_t)bytes);
#endif
    if (code != EOPNOTSUPP && code != EINVAL && code != ENOSYS)
        return code;
    code = 0;
    for (uint64_t done = 0; done < bytes && code == 0;) {
        const uint64_t ask = bytes - done < sizeof zeros ? bytes - done : sizeof zeros;
        const ssize_t put = pwrite(file, zeros, (size_t)ask, (off_t)(offset + done));
        code = put < 0 && errno != EINTR ? errno : 0;
        done += put > 0 ? (uint64_t)put : 0;
    }
    return code;
}

bool spill_in_memory(spill *s, uint64_t bytes, const char *name, message *m) {
    *s = (spill){.data = page_memory(bytes, name, m)};
    return s->data != NULL;
}

bool spill_in_file(spill *s, uint64_t bytes, spill_place place, const char *name, message *m) {
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), before = place.offset % page;
    const int file = place.file >= 0 ? place.file : spill_file();
    *s = (spill){0};
    int code = file < 0 ? errno : reserve(file, place.offset, bytes);
    if (code == 0) {
        void *const mapped = mmap(NULL, (size_t)(before + bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file,
                                  (off_t)(place.offset - before));
        code = mapped == MAP_FAILED ? errno : 0;
        if (code == 0)
            *s = (spill){.data = (char *)mapped + before, .mapped = mapped, .mapped_bytes = before + bytes};
    }
    if (file >= 0 && place.file < 0)
        (void)close(file); /* the mapping keeps it */
    return code == 0 || complain(m, "%s: no room in a file for %llu bytes of results: %s", name,
                                 (unsigned long long)bytes, strerror(code));
}

void spill_forget(const spill *s) {
#ifdef MADV_DONTNEED
    if (s->mapped)
        (void)madvise(s->mapped, (size_t)s->mapped_bytes, MADV_DONTNEED);
#else
    (void)s;
#endif
}

void spill_free(spill *s) {
    if (s->mapped)
        (void)munmap(s->mapped, (size_t)s->mapped_bytes);
    else
        free(s->data);
    *s = (spill){0};
}
