/* The layer for C++: where is the largest element of each row? docs/cpp.md quotes this program. */
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define ARGMAX_CL_ENABLE_EXCEPTIONS
#include <argmax_cl/argmax_cl.hpp>
#include <iostream>

int main() {
    const float values[3][4] = {{1, 7, 3, 7}, {-5, -2, -9, -4}, {0, 0, 0, 8}};
    const argmaxcl::Problem rows{{ARGMAX_CL_FLOAT32, {3, 4}}, {1}}; // dtype and sizes; the axes to reduce
    std::int64_t where[3];
    const argmaxcl::Handle handle; // the device thought fastest
    handle.host(argmax_cl_host, rows, &values[0][0], where);
    for (const auto index : where)
        std::cout << index << '\n';
}
