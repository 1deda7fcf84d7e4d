#include "netcdf_file.h"
#include "netcdf_find.h"
#include "netcdf_rules.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Larger variables are not read in the trial process, for that would take as long again. */
#define TRIAL_BYTES (16u << 20)
/* Coordinates of longer axes are not read. */
#define COORDINATES_MAX (16u << 20)

static pthread_mutex_t in_use = PTHREAD_MUTEX_INITIALIZER;

void netcdf_lock(bool lock) {
    (void)(lock ? pthread_mutex_lock : pthread_mutex_unlock)(&in_use);
}

static bool failed(const reader *s, int code, message *m) {
    return complain(m, "%s: cannot be read: %s", s->name, nc_strerror(code));
}

/* HDF5 prints what went wrong in each thread that was not told otherwise, and libnetcdf tells its first one alone. */
static void quieten_hdf5(void) {
    int (*set_auto)(int64_t, void *, void *) = NULL;
    void *const found = dlsym(RTLD_DEFAULT, "H5Eset_auto2");
    memcpy(&set_auto, &found, sizeof set_auto);
    if (set_auto)
        (void)set_auto(0, NULL, NULL);
}

static bool read_box(reader *s, const box *b, void *data, message *m) {
    size_t start[ARGMAX_CL_MAX_RANK], count[ARGMAX_CL_MAX_RANK];
    for (uint32_t axis = 0; axis < s->a.rank; ++axis) {
        start[axis] = (size_t)b->start[axis];
        count[axis] = (size_t)b->size[axis];
    }
    netcdf_lock(true);
    quieten_hdf5();
    const int code = box_count(b, s->a.rank) ? nc_get_vara(s->file, s->variable, start, count, data) : NC_NOERR;
    netcdf_lock(false);
    return code == NC_NOERR || failed(s, code, m);
}

/* A group's number closes its file as well. */
static void close_file(reader *s) {
    netcdf_lock(true);
    (void)nc_close(s->file);
    netcdf_lock(false);
}

static bool find_type(reader *s, nc_type *type, message *m) {
    char name[NC_MAX_NAME + 1] = "unknown";
    int code = nc_inq_vartype(s->file, s->variable, type), attributes;
    if (code == NC_NOERR) /* reads them all; later, one that cannot be read would look like one that is not there */
        code = nc_inq_varnatts(s->file, s->variable, &attributes);
    if (code != NC_NOERR)
        return failed(s, code, m);
    if (netcdf_dtype(*type, &s->a.dtype))
        return true;
    (void)nc_inq_type(s->file, *type, name, NULL);
    return complain(m, "%s: elements of type \"%s\", expected integers or floating-point numbers", s->name, name);
}

/* Numbers alone, of a variable that has the dimension's name and no other dimension. */
static int read_coordinate(const reader *s, int dimension, const char *name, uint64_t size, coordinate *c) {
    int id, rank, group = s->file, parent, own = -1;
    nc_type type;
    char calendar[32];
    while (nc_inq_varid(group, name, &id) != NC_NOERR) {
        if (nc_inq_grp_parent(group, &parent) != NC_NOERR)
            return NC_NOERR;
        group = parent;
    }
    if (nc_inq_varndims(group, id, &rank) != NC_NOERR || rank != 1 || nc_inq_vardimid(group, id, &own) != NC_NOERR ||
        own != dimension || nc_inq_vartype(group, id, &type) != NC_NOERR || !netcdf_dtype(type, &c->dtype) ||
        size < 1 || size > COORDINATES_MAX)
        return NC_NOERR;
    c->values = malloc((size_t)size * argmax_cl_dtype_size(c->dtype));
    if (!c->values)
        return NC_ENOMEM;
    const int code = nc_get_var(group, id, c->values);
    if (code != NC_NOERR)
        return code;
    c->count = size;
    netcdf_text(group, id, "units", c->units, sizeof c->units);
    netcdf_text(group, id, "calendar", calendar, sizeof calendar);
    coordinate_find_dates(c, calendar);
    return NC_NOERR;
}

static bool find_shape(reader *s, message *m) {
    array *a = &s->a;
    int rank = 0;
    int dimensions[ARGMAX_CL_MAX_RANK];
    char name[NC_MAX_NAME + 1];
    int code = nc_inq_varndims(s->file, s->variable, &rank);
    if (code != NC_NOERR)
        return failed(s, code, m);
    a->rank = (uint32_t)rank;
    if (rank >= 1 && rank <= ARGMAX_CL_MAX_RANK) {
        code = nc_inq_vardimid(s->file, s->variable, dimensions);
        for (int axis = 0; axis < rank && code == NC_NOERR; ++axis) {
            size_t size = 0;
            code = nc_inq_dim(s->file, dimensions[axis], name, &size);
            a->sizes[axis] = size;
            /* libnetcdf's name for a dimension without one, as in HDF5 files of other programs */
            const bool named = code == NC_NOERR && strncmp(name, "phony_dim_", 10) != 0;
            a->dimension_names[axis] = named ? strdup(name) : NULL;
            if (code == NC_NOERR)
                code = read_coordinate(s, dimensions[axis], name, size, &a->axes[axis]);
        }
        if (code != NC_NOERR)
            return failed(s, code, m);
    }
    return array_measure(a, s->name, m);
}

/* A chunk is decompressed whole, however little of it is asked for. */
static void find_chunks(reader *s) {
    size_t sizes[ARGMAX_CL_MAX_RANK];
    int storage = NC_CONTIGUOUS;
    const bool chunked =
        nc_inq_var_chunking(s->file, s->variable, &storage, sizes) == NC_NOERR && storage == NC_CHUNKED;
    for (uint32_t axis = 0; axis < s->a.rank; ++axis)
        s->chunk[axis] = chunked && sizes[axis] > 0 ? sizes[axis] : 1;
}

static bool open_variable(const char *path, const char *wanted, bool with_missing, reader *s, message *m) {
    netcdf_variable v;
    nc_type type;
    if (!netcdf_find(s->file, path, wanted, &v, m))
        return false;
    char name[4096 + sizeof v.path] = "";
    append(name, sizeof name, "%s:%s", path, v.path);
    s->name = strdup(name);
    s->path = strdup(path);
    s->a.variable = strdup(v.path);
    if (!s->name || !s->path || !s->a.variable)
        return complain(m, "%s: no memory", path);
    s->file = v.group;
    s->variable = v.id;
    s->read = read_box;
    netcdf_text(s->file, s->variable, "units", s->a.units, sizeof s->a.units);
    if (!find_type(s, &type, m) || !find_shape(s, m) || !netcdf_rules(s->file, s->variable, type, with_missing, s, m))
        return false;
    find_chunks(s);
    return true;
}

static bool open_file(const char *path, const char *wanted, bool with_missing, reader *s, message *m) {
    const int code = nc_open(path, NC_NOWRITE, &s->file);
    if (code != NC_NOERR)
        return complain(m, "%s: cannot be understood (%s), expected a NetCDF file", path, nc_strerror(code));
    s->close = close_file;
    return open_variable(path, wanted, with_missing, s, m);
}

/* libnetcdf and HDF5 crash on some ill files. A process of its own tries first, so that these too end in a message. It
 * is silent: what it finds wrong is found again. */
static void try_in_child(const char *path, const char *wanted) {
    const struct rlimit no_core = {0, 0};
    reader s = {.close = NULL};
    message ignored;
    const int nowhere = open("/dev/null", O_RDWR);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)dup2(nowhere, 1);
    (void)dup2(nowhere, 2);
    if (open_file(path, wanted, true, &s, &ignored) && s.a.bytes <= TRIAL_BYTES) {
        const box whole = box_whole(&s.a);
        void *data = malloc((size_t)s.a.bytes + 1);
        if (data)
            (void)read_box(&s, &whole, data, &ignored);
    }
    _exit(0);
}

/* What became of the child. Where SIGCHLD is ignored, as the parent may have left it, nothing is told of children. */
static int wait_for_trial(const char *path, const char *wanted) {
    struct sigaction usual, before;
    int status = 0;
    memset(&usual, 0, sizeof usual);
    usual.sa_handler = SIG_DFL;
    (void)sigaction(SIGCHLD, &usual, &before);
    const pid_t child = fork();
    if (child == 0)
        try_in_child(path, wanted);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    (void)sigaction(SIGCHLD, &before, NULL);
    return status;
}

static bool survives_trial(const char *path, const char *wanted, message *m) {
    const int status = wait_for_trial(path, wanted);
    return status == 0 || complain(m, "%s: libnetcdf crashes on it (%s), expected a sound NetCDF file", path,
                                   WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it ends the process");
}

bool netcdf_open(const char *path, const char *wanted, bool with_missing, reader *s, message *m) {
    return survives_trial(path, wanted, m) && open_file(path, wanted, with_missing, s, m);
}

const char *netcdf_version(void) {
    return nc_inq_libvers();
}
