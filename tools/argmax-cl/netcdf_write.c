/* Results as a NetCDF file: the kept dimensions with their coordinates, the values, the indices, and what these mean.
 */
#include "netcdf_write.h"
#include "netcdf_file.h"

#include <math.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

/* Of results, so many points are written at once. */
#define PIECE_POINTS ((uint64_t)1 << 20)

/* A file that is being written; the first error stays. */
typedef struct draft {
    int file, code;
    int dimensions[ARGMAX_CL_MAX_RANK], rank;
    const reader *in;
    const answer *r;    /* of one extremum */
    const char *ending; /* of its value's name, where both are in the file; else "" */
    const char *name;   /* of the variable */
} draft;

static bool good(draft *d, int code) {
    if (d->code == NC_NOERR)
        d->code = code;
    return d->code == NC_NOERR;
}

static nc_type type_of(argmax_cl_dtype dtype) {
    switch (dtype) {
    case ARGMAX_CL_FLOAT64:
        return NC_DOUBLE;
    case ARGMAX_CL_INT8:
        return NC_BYTE;
    case ARGMAX_CL_INT16:
        return NC_SHORT;
    case ARGMAX_CL_INT32:
        return NC_INT;
    case ARGMAX_CL_INT64:
        return NC_INT64;
    case ARGMAX_CL_UINT8:
        return NC_UBYTE;
    case ARGMAX_CL_UINT16:
        return NC_USHORT;
    case ARGMAX_CL_UINT32:
        return NC_UINT;
    case ARGMAX_CL_UINT64:
        return NC_UINT64;
    default:
        return NC_FLOAT;
    }
}

/* The input's variable for an axis, -1: none. Coordinates of a parent group keep their numbers there. */
static int coordinate_id(const draft *d, uint32_t axis) {
    int id = -1;
    if (!d->in->a.axes[axis].count || nc_inq_varid(d->in->file, d->in->a.dimension_names[axis], &id) != NC_NOERR)
        return -1;
    return id;
}

static void define_dimensions(draft *d) {
    for (uint32_t axis = 0; axis < d->in->a.rank; ++axis) {
        char name[NC_MAX_NAME + 1] = "";
        const char *own = d->in->a.dimension_names[axis];
        append(name, sizeof name, own ? "%s" : "axis_", own ? own : "");
        if (!own)
            append(name, sizeof name, "%u", (unsigned)axis);
        if (d->r->reduced[axis] ||
            !good(d, nc_def_dim(d->file, name, (size_t)d->r->sizes[axis], &d->dimensions[d->rank++])))
            continue;
        const int id = coordinate_id(d, axis);
        if (id >= 0)
            (void)good(d, nc_copy_var(d->in->file, id, d->file));
    }
}

static void copy_attribute(draft *d, int from, const char *attribute, int to) {
    if (nc_inq_att(d->in->file, from, attribute, NULL, NULL) == NC_NOERR)
        (void)good(d, nc_copy_att(d->in->file, from, attribute, d->file, to));
}

/* A variable over the kept dimensions. */
static int define_variable(draft *d, const char *name, nc_type type, const char *about, const void *none) {
    int id = -1;
    if (good(d, nc_def_var(d->file, name, type, d->rank, d->dimensions, &id)) &&
        (!none || good(d, nc_def_var_fill(d->file, id, NC_FILL, none))))
        (void)good(d, nc_put_att_text(d->file, id, "long_name", strlen(about), about));
    return id;
}

/* So many points from the first on: whole rows along the last dimensions, or a piece of one row. */
typedef struct piece {
    uint64_t first, points;
    size_t start[ARGMAX_CL_MAX_RANK], count[ARGMAX_CL_MAX_RANK];
} piece;

/* The next piece, of up to PIECE_POINTS. False when there is none. */
static bool next_piece(const draft *d, piece *p) {
    uint64_t sizes[ARGMAX_CL_MAX_RANK], row = 1, place = p->first += p->points;
    int rank = 0;
    for (uint32_t axis = 0; axis < d->in->a.rank; ++axis)
        if (!d->r->reduced[axis])
            sizes[rank++] = d->r->sizes[axis];
    if (place >= d->r->points || d->code != NC_NOERR)
        return false;
    int cut = rank; /* the dimension along which the piece is shorter than the whole */
    while (cut > 0 && row * sizes[cut - 1] <= PIECE_POINTS)
        row *= sizes[--cut];
    p->points = row;
    for (int i = rank; i-- > 0;) {
        p->start[i] = i < cut ? (size_t)(place / row % sizes[i]) : 0;
        p->count[i] = i < cut ? 1 : (size_t)sizes[i];
        place /= i < cut ? sizes[i] : 1;
    }
    if (cut > 0) {
        const uint64_t left = sizes[cut - 1] - p->start[cut - 1], most = PIECE_POINTS / row;
        p->count[cut - 1] = (size_t)(left < most ? left : most);
        p->points *= p->count[cut - 1];
    }
    return true;
}

static void put_results(draft *d, int id, const void *data, argmax_cl_dtype dtype) {
    for (piece p = {0}; next_piece(d, &p); answer_forget(d->r))
        (void)good(
            d, nc_put_vara(d->file, id, p.start, p.count, (const char *)data + p.first * argmax_cl_dtype_size(dtype)));
}

static void write_values(draft *d) {
    const double nan_double = (double)NAN;
    const float nan_float = NAN;
    const void *none = d->r->value_type == ARGMAX_CL_FLOAT64   ? (const void *)&nan_double
                       : d->r->value_type == ARGMAX_CL_FLOAT32 ? (const void *)&nan_float
                                                               : NULL;
    char name[2 * NC_MAX_NAME] = "", about[2 * NC_MAX_NAME] = "";
    append(name, sizeof name, "%s%s", d->name, d->ending);
    append(about, sizeof about, "%s of %s",
           *d->ending ? d->r->op == ARGMAX_CL_ARGMIN ? "minimum" : "maximum" : "extreme", d->name);
    const int id = define_variable(d, name, type_of(d->r->value_type), about, none);
    if (d->code == NC_NOERR && *d->in->a.units)
        (void)good(d, nc_put_att_text(d->file, id, "units", strlen(d->in->a.units), d->in->a.units));
    put_results(d, id, d->r->value, d->r->value_type);
}

static void write_indices(draft *d) {
    static const uint64_t none = UINT64_MAX;
    char name[2 * NC_MAX_NAME] = "", about[2 * NC_MAX_NAME] = "";
    append(name, sizeof name, "%s_%s", d->name, answer_operator(d->r));
    append(about, sizeof about, "%s of %s along", answer_operator(d->r), d->name);
    for (uint32_t axis = 0; axis < d->in->a.rank; ++axis)
        if (d->r->reduced[axis])
            append(about, sizeof about, " %s",
                   d->in->a.dimension_names[axis] ? d->in->a.dimension_names[axis] : "axis");
    const int id = define_variable(d, name, type_of(d->r->index_type), about, &none);
    put_results(d, id, d->r->index, d->r->index_type);
}

/* The coordinate of each winner on a reduced axis. */
static void write_meaning(draft *d, uint32_t axis) {
    const coordinate *c = &d->in->a.axes[axis];
    const double none = (double)NAN;
    const int from = coordinate_id(d, axis);
    char name[3 * NC_MAX_NAME] = "", about[2 * NC_MAX_NAME] = "";
    uint64_t position[ARGMAX_CL_MAX_RANK], index;
    double *values = from < 0 ? NULL : malloc(PIECE_POINTS * sizeof *values);
    if (!values)
        return;
    append(name, sizeof name, "%s_%s_%s", d->name, answer_operator(d->r), d->in->a.dimension_names[axis]);
    append(about, sizeof about, "%s of the extreme", d->in->a.dimension_names[axis]);
    const int id = define_variable(d, name, NC_DOUBLE, about, &none);
    if (d->code == NC_NOERR) {
        copy_attribute(d, from, "units", id);
        copy_attribute(d, from, "calendar", id);
    }
    for (piece p = {0}; next_piece(d, &p); (void)good(d, nc_put_vara(d->file, id, p.start, p.count, values)))
        for (uint64_t i = 0; i < p.points; ++i) {
            values[i] = none;
            if (!answer_index(d->r, p.first + i, &index))
                continue;
            answer_position(d->r, &d->in->a, p.first + i, &index, position);
            values[i] = coordinate_value(c, position[axis]);
        }
    free(values);
}

static void write_extremum(draft *d, bool with_indices) {
    write_values(d);
    if (with_indices)
        write_indices(d);
    for (uint32_t axis = 0; with_indices && axis < d->in->a.rank; ++axis)
        if (d->r->reduced[axis])
            write_meaning(d, axis);
}

bool netcdf_write(const char *path, const char *shown, const reader *in, const answer *r, bool with_indices,
                  message *m) {
    const char *slash = in->a.variable ? strrchr(in->a.variable, '/') : NULL;
    draft d = {.in = in, .r = r, .name = slash ? slash + 1 : in->a.variable ? in->a.variable : "value"};
    netcdf_lock(true);
    if (good(&d, nc_create(path, NC_CLOBBER | NC_NETCDF4, &d.file))) {
        define_dimensions(&d);
        for (uint32_t i = 0; i < r->extrema; ++i) {
            const answer one = answer_of(r, i);
            d.r = &one;
            d.ending = r->extrema == 1 ? "" : i == 0 ? "_min" : "_max";
            write_extremum(&d, with_indices);
        }
        const int closed = nc_close(d.file);
        (void)good(&d, closed);
    }
    netcdf_lock(false);
    return d.code == NC_NOERR || complain(m, "%s: cannot be written: %s", shown, nc_strerror(d.code));
}
