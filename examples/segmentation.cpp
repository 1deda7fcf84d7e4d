// Labels of a semantic segmentation: for each pixel the class with the highest score, axis 1 of (N, C, H, W).
//
// It prints
//     ............ssss
//     ..c....c....ssss
//     .ccc..ccc.......
//     rrrrrrrrrrrrrrrr
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define ARGMAX_CL_ENABLE_EXCEPTIONS
#include <argmax_cl/argmax_cl.hpp>
#include <iostream>

int main() {
    constexpr std::size_t classes = 4, height = 4, width = 16;
    const std::string names = ".crs", picture = "............ssss"
                                                "..c....c....ssss"
                                                ".ccc..ccc......."
                                                "rrrrrrrrrrrrrrrr";
    // In place of a network: scores that are highest where the picture has the class.
    std::vector<float> scores(classes * height * width);
    for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t p = 0; p < height * width; ++p)
            scores[c * height * width + p] = picture[p] == names[c] ? 0.75f : 0.25f / static_cast<float>(c + 2);

    std::vector<std::int32_t> labels(height * width);
    const argmaxcl::Problem problem({ARGMAX_CL_FLOAT32, {1, classes, height, width}}, {1}, {ARGMAX_CL_INT32});
    try {
        const argmaxcl::Handle handle;
        handle.host(argmax_cl_host, problem, scores.data(), labels.data());
    } catch (const argmaxcl::Error &error) {
        std::cerr << "segmentation: " << error.what() << '\n';
        return 1;
    }
    for (std::size_t p = 0; p < labels.size(); ++p)
        std::cout << names[static_cast<std::size_t>(labels[p])] << (p % width == width - 1 ? "\n" : "");
}
