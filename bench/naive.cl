/* What a user writes by hand: one work-item an output, a plain loop over the reduction; PER_GROUP: a work-group an
 * output, whose work-items merge theirs. No NaN is expected.
 *
 * STORED    type of an element in memory; COMPARED: the one that it is compared as; LOAD(p, i) makes it
 * BETTER    the comparison under which a later element replaces an earlier one: >, >=, < or <=
 * INDEX     type of the indices
 * NUMBER    uint or ulong: counts outputs and reduced elements
 * KEPT, REDUCED   numbers of axes, neighbours that can be walked as one being one
 * VALUES    the values are stored too
 * shape     offsets of input, index and value; number of outputs; for each kept axis its size and the strides of input,
 *           index and value, and for each reduced axis its size and the input's stride; outermost first
 */
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef VALUES
#define TRY_VALUE(place) best_place = place;
#else
#define TRY_VALUE(place)
#endif
#define TRY(place, number)                                                                                             \
    {                                                                                                                  \
        const COMPARED v = LOAD(input, place);                                                                         \
        if (v BETTER best) {                                                                                           \
            best = v;                                                                                                  \
            best_index = number;                                                                                       \
            TRY_VALUE(place)                                                                                           \
        }                                                                                                              \
    }
#define KEPT_AT(axis) (shape + 4 + 4 * (axis))
#define REDUCED_AT(axis) (shape + 4 + 4 * KEPT + 2 * (axis))

/* Where the elements of row `number` of the reduction begin. */
long row_of(__constant const long *shape, NUMBER number) {
    long place = 0;
    for (int axis = REDUCED - 2; axis > 0; axis--) {
        const NUMBER size = (NUMBER)REDUCED_AT(axis)[0];
        place += (long)(number % size) * REDUCED_AT(axis)[1];
        number /= size;
    }
    return REDUCED > 1 ? place + (long)number * REDUCED_AT(0)[1] : place;
}

__kernel void naive(__global const STORED *input, __global INDEX *index, __global STORED *value,
                    __constant const long *shape) {
#ifdef PER_GROUP
    const NUMBER output = (NUMBER)get_group_id(0), lane = (NUMBER)get_local_id(0), lanes = (NUMBER)get_local_size(0);
#else
    const NUMBER output = (NUMBER)get_global_id(0);
#endif
    if (output >= (NUMBER)shape[3])
        return;
    long start = shape[0], to_index = shape[1], to_value = shape[2];
    NUMBER rest = output;
    for (int axis = KEPT - 1; axis >= 0; axis--) {
        const NUMBER size = (NUMBER)KEPT_AT(axis)[0];
        const long place = axis > 0 ? (long)(rest % size) : (long)rest;
        rest = axis > 0 ? rest / size : 0;
        start += place * KEPT_AT(axis)[1];
        to_index += place * KEPT_AT(axis)[2];
        to_value += place * KEPT_AT(axis)[3];
    }
    NUMBER rows = 1;
    for (int axis = 0; axis < REDUCED - 1; axis++)
        rows *= (NUMBER)REDUCED_AT(axis)[0];
    const NUMBER size = (NUMBER)REDUCED_AT(REDUCED - 1)[0];
    const long stride = REDUCED_AT(REDUCED - 1)[1];
    NUMBER best_index = 0;
#ifdef VALUES
    long best_place = start;
#endif
#ifdef PER_GROUP
    __local COMPARED bests[GROUP];
    __local NUMBER indices[GROUP];
    COMPARED best = LOAD(input, start);
    if (lane < rows * size) {
        best_index = lane;
        const long first =
            start + (REDUCED > 1 ? row_of(shape, lane / size) : 0) + (long)(REDUCED > 1 ? lane % size : lane) * stride;
        best = LOAD(input, first);
    }
    for (NUMBER i = lane + lanes; i < rows * size; i += lanes) {
        const long place =
            start + (REDUCED > 1 ? row_of(shape, i / size) : 0) + (long)(REDUCED > 1 ? i % size : i) * stride;
        const COMPARED v = LOAD(input, place);
        if (v BETTER best) {
            best = v;
            best_index = i;
        }
    }
    bests[lane] = best;
    indices[lane] = best_index;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane != 0)
        return;
    for (NUMBER i = 1; i < lanes; i++) {
        const bool equal = bests[i] == best;
        if (equal ? (indices[i] BETTER_INDEX best_index) : (bests[i] BETTER best)) {
            best = bests[i];
            best_index = indices[i];
        }
    }
#ifdef VALUES
    best_place = start + (REDUCED > 1 ? row_of(shape, best_index / size) : 0) +
                 (long)(REDUCED > 1 ? best_index % size : best_index) * stride;
#endif
#else
    COMPARED best = LOAD(input, start);
    for (NUMBER row = 0; row < rows; row++) {
        const long place = start + row_of(shape, row);
        for (NUMBER i = 0; i < size; i++)
            TRY(place + (long)i * stride, row * size + i)
    }
#endif
    index[to_index] = (INDEX)best_index;
#ifdef VALUES
    value[to_value] = input[best_place];
#endif
}
