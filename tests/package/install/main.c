/* A user's program, valid C11 and C++17: the version, and one call on host arrays. */
#include <argmax_cl/argmax_cl.h>

#include <stdio.h>
#include <string.h>

int main(void) {
    const float values[] = {1, 2, 3, 3, 0, 4, 2, 5, 2};
    const uint64_t sizes[] = {3, 3};
    const uint32_t axes[] = {1};
    int64_t found[3] = {-1, -1, -1};

    argmax_cl_tensor input = ARGMAX_CL_TENSOR_INIT;
    input.dtype = ARGMAX_CL_FLOAT32;
    input.rank = 2;
    input.sizes = sizes;
    argmax_cl_tensor index = ARGMAX_CL_TENSOR_INIT;
    index.dtype = ARGMAX_CL_INT64;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    desc.input = &input;
    desc.index = &index;
    desc.axis_count = 1;
    desc.axes = axes;
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.input = values;
    arrays.index = found;

    argmax_cl_handle handle = NULL;
    argmax_cl_status status = argmax_cl_create_default(&handle, NULL);
    if (status == ARGMAX_CL_SUCCESS)
        status = argmax_cl_host(handle, &desc, &arrays, NULL);
    if (status != ARGMAX_CL_SUCCESS)
        fprintf(stderr, "%s: %s\n", argmax_cl_status_string(status), argmax_cl_last_error());
    argmax_cl_destroy(handle);

    const int64_t expected[] = {2, 2, 1};
    const int right = status == ARGMAX_CL_SUCCESS && memcmp(found, expected, sizeof found) == 0;
    printf("argmax_cl %s: row maxima at %d %d %d: %s\n", argmax_cl_version(), (int)found[0], (int)found[1],
           (int)found[2], right ? "right" : "wrong");
    return right ? 0 : 1;
}
