#include "netcdf_find.h"

#include <stdlib.h>
#include <string.h>

bool netcdf_dtype(nc_type type, argmax_cl_dtype *dtype) {
    static const struct {
        nc_type type;
        argmax_cl_dtype dtype;
    } types[] = {
        {NC_BYTE, ARGMAX_CL_INT8},      {NC_SHORT, ARGMAX_CL_INT16},   {NC_INT, ARGMAX_CL_INT32},
        {NC_INT64, ARGMAX_CL_INT64},    {NC_UBYTE, ARGMAX_CL_UINT8},   {NC_USHORT, ARGMAX_CL_UINT16},
        {NC_UINT, ARGMAX_CL_UINT32},    {NC_UINT64, ARGMAX_CL_UINT64}, {NC_FLOAT, ARGMAX_CL_FLOAT32},
        {NC_DOUBLE, ARGMAX_CL_FLOAT64},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
        if (types[i].type == type) {
            *dtype = types[i].dtype;
            return true;
        }
    return false;
}

/* All variables seen: their names for a message, and the best one for a path without a variable. */
typedef struct survey {
    char list[1000];
    netcdf_variable best;
    int rank;  /* of the best; 0: none */
    int equal; /* numeric variables of that rank */
} survey;

static void look_at(int group, int id, const char *path, survey *s) {
    argmax_cl_dtype ignored;
    nc_type type;
    int rank = 0;
    append(s->list, sizeof s->list, "%s%s", *s->list ? ", " : "", path);
    if (nc_inq_vartype(group, id, &type) != NC_NOERR || !netcdf_dtype(type, &ignored) ||
        nc_inq_varndims(group, id, &rank) != NC_NOERR || rank < s->rank || rank < 1)
        return;
    s->equal = rank == s->rank ? s->equal + 1 : 1;
    s->rank = rank;
    s->best = (netcdf_variable){group, id, ""};
    append(s->best.path, sizeof s->best.path, "%s", path);
}

/* A group's variables first, then those of its groups. */
static void look_around(int group, const char *prefix, survey *s) {
    int count = 0;
    char name[NC_MAX_NAME + 1], path[2 * NC_MAX_NAME + 4];
    if (nc_inq_nvars(group, &count) != NC_NOERR)
        return;
    for (int id = 0; id < count; ++id)
        if (nc_inq_varname(group, id, name) == NC_NOERR) {
            *path = 0;
            append(path, sizeof path, "%s%s", prefix, name);
            look_at(group, id, path, s);
        }
    if (nc_inq_grps(group, &count, NULL) != NC_NOERR || count < 1)
        return;
    int *groups = calloc((size_t)count, sizeof *groups);
    if (groups && nc_inq_grps(group, &count, groups) == NC_NOERR)
        for (int i = 0; i < count && strlen(s->list) + 1 < sizeof s->list; ++i)
            if (nc_inq_grpname(groups[i], name) == NC_NOERR) {
                *path = 0;
                append(path, sizeof path, "%s%s/", prefix, name);
                look_around(groups[i], path, s);
            }
    free(groups);
}

static bool refuse_with_list(const survey *s, const char *path, const char *what, message *m) {
    return complain(m, "%s: %s, expected %s:VARIABLE with one of its variables: %s%s", path, what, path,
                    *s->list ? s->list : "(it has none)", strlen(s->list) + 1 == sizeof s->list ? "..." : "");
}

static bool find_only(int file, const char *path, netcdf_variable *v, message *m) {
    survey s = {.rank = 0};
    char what[100] = "";
    look_around(file, "", &s);
    if (s.equal == 1) {
        *v = s.best;
        return true;
    }
    append(what, sizeof what, s.equal ? "%d variables of rank %d" : "no variable of numbers", s.equal, s.rank);
    return refuse_with_list(&s, path, what, m);
}

static bool find_named(int file, const char *path, const char *wanted, netcdf_variable *v, message *m) {
    char what[NC_MAX_NAME + 40] = "";
    survey s = {.rank = 0};
    bool found = false;
    char *group = strdup(wanted);
    if (!group)
        return complain(m, "%s: no memory", path);
    char *slash = strrchr(group, '/');
    const char *name = slash ? slash + 1 : group;
    if (slash)
        *slash = 0;
    v->group = file;
    v->path[0] = 0;
    append(v->path, sizeof v->path, "%s", wanted);
    if (!slash || *group == 0 || nc_inq_grp_full_ncid(file, group, &v->group) == NC_NOERR)
        found = nc_inq_varid(v->group, name, &v->id) == NC_NOERR;
    free(group);
    if (found)
        return true;
    append(what, sizeof what, "no variable \"%s\" in it", wanted);
    look_around(file, "", &s);
    return refuse_with_list(&s, path, what, m);
}

bool netcdf_find(int file, const char *path, const char *wanted, netcdf_variable *v, message *m) {
    return wanted && *wanted ? find_named(file, path, wanted, v, m) : find_only(file, path, v, m);
}
