#include "netcdf_file.h"
#include "netcdf_notes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netcdf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    nc_type type;
    argmax_cl_dtype dtype;
} types[] = {
    {NC_BYTE, ARGMAX_CL_INT8},      {NC_SHORT, ARGMAX_CL_INT16},   {NC_INT, ARGMAX_CL_INT32},
    {NC_INT64, ARGMAX_CL_INT64},    {NC_UBYTE, ARGMAX_CL_UINT8},   {NC_USHORT, ARGMAX_CL_UINT16},
    {NC_UINT, ARGMAX_CL_UINT32},    {NC_UINT64, ARGMAX_CL_UINT64}, {NC_FLOAT, ARGMAX_CL_FLOAT32},
    {NC_DOUBLE, ARGMAX_CL_FLOAT64},
};

/* Larger variables are not read in the trial process, for that would take as long again. */
#define TRIAL_BYTES (16u << 20)

/* A variable and how messages call it, "file.nc:variable". */
typedef struct variable {
    int group, id;
    const char *name;
    message *m;
    bool trial; /* in the trial process */
} variable;

static bool failed(const char *name, int code, message *m) {
    return complain(m, "%s: cannot be read: %s", name, nc_strerror(code));
}

/* Append the names of a group's variables, "a, group/b", to the list; those of its groups after its own. */
static void list_variables(int group, const char *prefix, char *list, size_t capacity) {
    int count = 0;
    char name[NC_MAX_NAME + 1];
    if (nc_inq_nvars(group, &count) != NC_NOERR)
        return;
    for (int id = 0; id < count; ++id)
        if (nc_inq_varname(group, id, name) == NC_NOERR)
            append(list, capacity, "%s%s%s", *list ? ", " : "", prefix, name);
    if (nc_inq_grps(group, &count, NULL) != NC_NOERR || count < 1)
        return;
    int *groups = calloc((size_t)count, sizeof *groups);
    if (groups && nc_inq_grps(group, &count, groups) == NC_NOERR)
        for (int i = 0; i < count && strlen(list) + 1 < capacity; ++i)
            if (nc_inq_grpname(groups[i], name) == NC_NOERR) {
                char inner[2 * NC_MAX_NAME + 4] = "";
                append(inner, sizeof inner, "%s%s/", prefix, name);
                list_variables(groups[i], inner, list, capacity);
            }
    free(groups);
}

static bool refuse_with_list(int file, const char *path, const char *what, message *m) {
    char list[1000] = "";
    list_variables(file, "", list, sizeof list);
    return complain(m, "%s: %s, expected %s:VARIABLE with one of its variables: %s%s", path, what, path,
                    *list ? list : "(it has none)", strlen(list) + 1 == sizeof list ? "..." : "");
}

static bool find_variable(int file, const char *path, const char *wanted, variable *v) {
    char what[NC_MAX_NAME + 40] = "";
    char *group = strdup(wanted);
    bool found = false;
    if (!group)
        return complain(v->m, "%s: no memory", path);
    char *slash = strrchr(group, '/');
    const char *name = slash ? slash + 1 : group;
    if (slash)
        *slash = 0;
    v->group = file;
    if (!slash || *group == 0 || nc_inq_grp_full_ncid(file, group, &v->group) == NC_NOERR)
        found = nc_inq_varid(v->group, name, &v->id) == NC_NOERR;
    free(group);
    append(what, sizeof what, "no variable \"%s\" in it", wanted);
    return found || refuse_with_list(file, path, what, v->m);
}

static bool read_type(const variable *v, nc_type *type, array *a) {
    char name[NC_MAX_NAME + 1] = "unknown";
    const int code = nc_inq_vartype(v->group, v->id, type);
    if (code != NC_NOERR)
        return failed(v->name, code, v->m);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
        if (types[i].type == *type) {
            a->dtype = types[i].dtype;
            return true;
        }
    (void)nc_inq_type(v->group, *type, name, NULL);
    return complain(v->m, "%s: elements of type \"%s\", expected integers or floating-point numbers", v->name, name);
}

static bool read_shape(const variable *v, array *a) {
    int rank = 0;
    int dimensions[ARGMAX_CL_MAX_RANK];
    char name[NC_MAX_NAME + 1];
    int code = nc_inq_varndims(v->group, v->id, &rank);
    if (code != NC_NOERR)
        return failed(v->name, code, v->m);
    a->rank = (uint32_t)rank;
    if (rank >= 1 && rank <= ARGMAX_CL_MAX_RANK) {
        code = nc_inq_vardimid(v->group, v->id, dimensions);
        for (int axis = 0; axis < rank && code == NC_NOERR; ++axis) {
            size_t size = 0;
            code = nc_inq_dim(v->group, dimensions[axis], name, &size);
            a->sizes[axis] = size;
            a->dimension_names[axis] = code == NC_NOERR ? strdup(name) : NULL;
        }
        if (code != NC_NOERR)
            return failed(v->name, code, v->m);
    }
    return array_measure(a, v->name, v->m);
}

static bool read_variable(const variable *v, array *a) {
    nc_type type;
    if (!read_type(v, &type, a) || !read_shape(v, a) || (v->trial && a->bytes > TRIAL_BYTES) ||
        !array_allocate(a, v->name, v->m))
        return false;
    const int code = a->bytes ? nc_get_var(v->group, v->id, a->data) : NC_NOERR;
    if (code != NC_NOERR)
        return failed(v->name, code, v->m);
    netcdf_add_notes(v->group, v->id, type, a);
    return true;
}

static bool read_file(const char *path, const char *wanted, bool trial, array *a, message *m) {
    int file;
    char name[1024] = "";
    append(name, sizeof name, "%s:%s", path, wanted);
    const int code = nc_open(path, NC_NOWRITE, &file);
    if (code != NC_NOERR)
        return complain(m, "%s: cannot be understood (%s), expected a NetCDF file", path, nc_strerror(code));
    variable v = {0, 0, name, m, trial};
    const bool good = find_variable(file, path, wanted, &v) && read_variable(&v, a);
    (void)nc_close(file);
    return good;
}

static bool tell_variables(const char *path, message *m) {
    int file;
    const int code = nc_open(path, NC_NOWRITE, &file);
    if (code != NC_NOERR)
        return complain(m, "%s: cannot be understood (%s), expected a NetCDF file", path, nc_strerror(code));
    (void)refuse_with_list(file, path, "a NetCDF file without a variable", m);
    (void)nc_close(file);
    return false;
}

/* libnetcdf and HDF5 crash on some ill files. A process of its own tries first, so that these too end in a message. It
 * is silent: what it finds wrong is found again. */
static void try_in_child(const char *path, const char *wanted) {
    const struct rlimit no_core = {0, 0};
    array a = {0};
    message ignored;
    const int nowhere = open("/dev/null", O_RDWR);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)dup2(nowhere, 1);
    (void)dup2(nowhere, 2);
    if (wanted)
        (void)read_file(path, wanted, true, &a, &ignored);
    else
        (void)tell_variables(path, &ignored);
    _exit(0);
}

static bool survives_trial(const char *path, const char *wanted, message *m) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0)
        try_in_child(path, wanted);
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return true;
    return status == 0 || complain(m, "%s: libnetcdf crashes on it (%s), expected a sound NetCDF file", path,
                                   WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it ends the process");
}

bool netcdf_read(const char *path, const char *wanted, array *a, message *m) {
    return survives_trial(path, wanted, m) && read_file(path, wanted, false, a, m);
}

bool netcdf_needs_variable(const char *path, message *m) {
    return survives_trial(path, NULL, m) && tell_variables(path, m);
}

const char *netcdf_version(void) {
    return nc_inq_libvers();
}
