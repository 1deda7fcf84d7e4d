/* Where is the largest element of each row? On the fastest OpenCL device of this machine. */
#include <argmax_cl/argmax_cl.h>

#include <inttypes.h>
#include <stdio.h>

int main(void) {
    const float values[3][4] = {{1, 7, 3, 7}, {-5, -2, -9, -4}, {0, 0, 0, 8}};
    int64_t where[3];

    argmax_cl_tensor input = ARGMAX_CL_TENSOR_INIT;
    input.dtype = ARGMAX_CL_FLOAT32;
    input.rank = 2;
    input.sizes = (const uint64_t[]){3, 4};
    argmax_cl_tensor index = ARGMAX_CL_TENSOR_INIT; /* its shape follows: 3 x 1 */
    index.dtype = ARGMAX_CL_INT64;

    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    desc.input = &input;
    desc.index = &index;
    desc.axis_count = 1;
    desc.axes = (const uint32_t[]){1}; /* along each row */

    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.input = values;
    arrays.index = where;

    argmax_cl_handle handle;
    argmax_cl_status status = argmax_cl_create_default(&handle, NULL);
    if (!status)
        status = argmax_cl_host(handle, &desc, &arrays, NULL);
    for (int row = 0; !status && row < 3; ++row)
        printf("row %d: element %" PRId64 "\n", row, where[row]);
    if (status)
        fprintf(stderr, "%s\n", argmax_cl_last_error());
    argmax_cl_destroy(handle);
    return status ? 1 : 0;
}
