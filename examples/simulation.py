# The extreme of a simulation's field, which stays on the device: the program's own pyopencl queue and kernels.
#
# It prints
#     step 0: largest 1.00 at row 40, column 8
#     step 1: largest 1.00 at row 36, column 16
#     step 2: largest 1.00 at row 32, column 24
import numpy as np
import pyopencl as cl
import pyopencl.array

import argmax_cl

SIDE = 64
context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
program = cl.Program(context, """
    kernel void advance(global float *field, int step) {
        const int x = get_global_id(0), y = get_global_id(1), dx = x - 8 - 8 * step, dy = y - 40 + 4 * step;
        field[y * get_global_size(0) + x] = 1.0f / (1 + dx * dx + dy * dy);
    }""").build()
advance = cl.Kernel(program, "advance")
field = cl.array.empty(queue, (SIDE, SIDE), np.float32)

for step in range(3):
    stepped = advance(queue, field.shape, None, field.data, np.int32(step))
    where, largest = argmax_cl.argmax(field, values=True, wait_for=[stepped])  # both on the device
    row, column = np.unravel_index(where.get(), field.shape)
    print(f"step {step}: largest {float(largest.get()):.2f} at row {row}, column {column}")
