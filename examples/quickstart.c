/* Arrays in host memory: where is the largest element of each row?
 * README.md quotes what follows this comment; a test compares. */
#include <argmax_cl/argmax_cl.h>
#include <stdio.h>

int main(void) {
    const float values[3][4] = {{1, 7, 3, 7}, {-5, -2, -9, -4}, {0, 0, 0, 8}};
    const uint64_t sizes[] = {3, 4};
    const uint32_t axes[] = {1}; /* the axis to reduce: along each row */
    int64_t where[3];

    argmax_cl_tensor input = ARGMAX_CL_TENSOR_INIT; /* packed row-major, as no strides are given */
    input.dtype = ARGMAX_CL_FLOAT32;
    input.rank = 2;
    input.sizes = sizes;
    argmax_cl_tensor index = ARGMAX_CL_TENSOR_INIT; /* its shape follows: (3, 1) */
    index.dtype = ARGMAX_CL_INT64;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    desc.input = &input;
    desc.index = &index;
    desc.axis_count = 1;
    desc.axes = axes;
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.input = values;
    arrays.index = where;

    argmax_cl_handle handle;
    argmax_cl_status status = argmax_cl_create_default(&handle, NULL); /* the device thought fastest */
    if (!status)
        status = argmax_cl_host(handle, &desc, &arrays, NULL);
    if (status)
        fprintf(stderr, "%s: %s\n", argmax_cl_status_string(status), argmax_cl_last_error());
    for (int row = 0; !status && row < 3; ++row)
        printf("row %d: element %d\n", row, (int)where[row]);
    argmax_cl_destroy(handle);
    return status ? 1 : 0;
}
