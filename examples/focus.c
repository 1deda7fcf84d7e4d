/* Depth of sharpest focus: of a stack of images, the one in which each pixel differs most from its neighbours.
 *
 * It prints, for a slope that rises to the right, the depth of each eighth pixel of a few lines
 *     line  0: 0 0 1 2 3 4 5 6
 *     line 16: 0 0 1 2 3 4 5 6
 *     line 32: 0 0 1 2 3 4 5 6
 *     line 48: 0 0 1 2 3 4 5 6
 */
#include <argmax_cl/argmax_cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTHS = 7, SIDE = 64 };
static uint8_t stack[DEPTHS][SIDE][SIDE];
static uint16_t sharpness[DEPTHS][SIDE][SIDE];

/* In place of a microscope: a fine pattern whose contrast falls with the distance from the slope. */
static void take_images(void) {
    for (int d = 0; d < DEPTHS; ++d)
        for (int y = 0; y < SIDE; ++y)
            for (int x = 0; x < SIDE; ++x) {
                const int distance = abs(8 * d - x + 8);
                stack[d][y][x] = (uint8_t)(128 + ((x + y) % 2 ? 1 : -1) * 100 / (1 + distance));
            }
}

/* |Laplacian|; 0 on the border. */
static void measure(void) {
    for (int d = 0; d < DEPTHS; ++d)
        for (int y = 1; y < SIDE - 1; ++y)
            for (int x = 1; x < SIDE - 1; ++x)
                sharpness[d][y][x] = (uint16_t)abs(4 * stack[d][y][x] - stack[d][y - 1][x] - stack[d][y + 1][x] -
                                                   stack[d][y][x - 1] - stack[d][y][x + 1]);
}

int main(void) {
    static int32_t depth[SIDE][SIDE];
    const uint64_t sizes[] = {DEPTHS, SIDE, SIDE};
    const uint32_t axes[] = {0};
    take_images();
    measure();

    argmax_cl_tensor input = ARGMAX_CL_TENSOR_INIT, index = ARGMAX_CL_TENSOR_INIT;
    input.dtype = ARGMAX_CL_UINT16;
    input.rank = 3;
    input.sizes = sizes;
    index.dtype = ARGMAX_CL_INT32;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    desc.input = &input;
    desc.index = &index;
    desc.axis_count = 1;
    desc.axes = axes;
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.input = sharpness;
    arrays.index = depth;

    argmax_cl_handle handle;
    argmax_cl_status status = argmax_cl_create_default(&handle, NULL);
    if (!status)
        status = argmax_cl_host(handle, &desc, &arrays, NULL);
    if (status)
        fprintf(stderr, "focus: %s\n", argmax_cl_last_error());
    for (int y = 0; !status && y < SIDE; y += 16) {
        printf("line %2d:", y);
        for (int x = 0; x < SIDE; x += 8)
            printf(" %d", (int)depth[y ? y : 1][x ? x : 1]);
        putchar('\n');
    }
    argmax_cl_destroy(handle);
    return status ? 1 : 0;
}
