/* argmax_cl for C++17: owners, vectors and the objects of OpenCL-HPP over argmax_cl.h, which says what
 * calls mean; docs/cpp.md has examples. Functions return the status, constructors store it in *status where one is
 * given; with CL_HPP_ENABLE_EXCEPTIONS or ARGMAX_CL_ENABLE_EXCEPTIONS defined before the include, a failure throws
 * argmaxcl::Error instead. An object whose constructor failed is empty: !object. Objects move and do not copy. Threads:
 * as in C. */
#ifndef ARGMAX_CL_ARGMAX_CL_HPP
#define ARGMAX_CL_ARGMAX_CL_HPP
#include <CL/opencl.hpp>
#include <argmax_cl/argmax_cl.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
namespace argmaxcl {

/* What a failed call throws: what() is the library's message. */
struct Error : std::runtime_error {
    explicit Error(argmax_cl_status code) : std::runtime_error(argmax_cl_last_error()), status(code) {}
    argmax_cl_status status;
    cl_int opencl_error = argmax_cl_last_opencl_error();
};

inline argmax_cl_status check(argmax_cl_status status) {
#if defined(CL_HPP_ENABLE_EXCEPTIONS) || defined(ARGMAX_CL_ENABLE_EXCEPTIONS)
    if (status != ARGMAX_CL_SUCCESS)
        throw Error(status);
#endif
    return status;
}

/* A tensor's place in its buffer, in elements. */
struct Tensor {
    argmax_cl_dtype dtype = ARGMAX_CL_INT64;
    std::vector<std::uint64_t> sizes = {};  /* none in an output: its shape follows from the input */
    std::vector<std::int64_t> strides = {}; /* none: packed row-major; otherwise as many as sizes, or it is refused */
    std::uint64_t offset = 0;
};

struct Problem {
    Problem(Tensor from, std::vector<std::uint32_t> reduced, Tensor to = {}, std::vector<Tensor> values = {})
        : input(std::move(from)), axes(std::move(reduced)), index(std::move(to)), value(std::move(values)) {}
    Tensor input;
    std::vector<std::uint32_t> axes;
    Tensor index;
    std::vector<Tensor> value; /* none, or the value output, of the input's dtype */
    argmax_cl_direction direction = ARGMAX_CL_INCREASING;
    argmax_cl_nan_mode nan_mode = ARGMAX_CL_NAN_PROPAGATE;
    std::vector<Tensor> mask = {};                      /* none, or the mask, ARGMAX_CL_UINT8 */
    std::vector<Tensor> max_index = {}, max_value = {}; /* argminmax's maximum */
    argmax_cl_direction max_direction = ARGMAX_CL_INCREASING;
};

/* The C descriptor of a problem, which must outlive it. A new field of argmax_cl_desc enters here. */
struct Desc {
    explicit Desc(const Problem &p) : input(view(p.input)), index(view(p.index)) {
        c.input = &input;
        c.index = &index;
        c.value = optional(p.value, value);
        c.mask = optional(p.mask, mask);
        c.max_index = optional(p.max_index, max_index);
        c.max_value = optional(p.max_value, max_value);
        c.max_direction = p.max_direction;
        c.axis_count = static_cast<std::uint32_t>(p.axes.size());
        c.axes = p.axes.data();
        c.axis_direction = p.direction;
        c.nan_mode = p.nan_mode;
    }
    Desc(const Desc &) = delete;
    static const argmax_cl_tensor *optional(const std::vector<Tensor> &from, argmax_cl_tensor &to) {
        return from.empty() ? nullptr : &(to = view(from[0]));
    }
    static argmax_cl_tensor view(const Tensor &t) { /* a wrong number of strides as no rank, which is refused */
        const auto rank = t.strides.empty() || t.strides.size() == t.sizes.size() ? t.sizes.size() : 0;
        const auto *sizes = t.sizes.empty() ? nullptr : t.sizes.data();
        const auto *strides = t.strides.empty() ? nullptr : t.strides.data();
        return {sizeof(argmax_cl_tensor), t.dtype, static_cast<std::uint32_t>(rank), sizes, strides, t.offset};
    }
    argmax_cl_tensor input, index, value = {}, mask = {}, max_index = {}, max_value = {};
    argmax_cl_desc c = ARGMAX_CL_DESC_INIT;
    const argmax_cl_desc *const get = &c;
};

/* The buffers of one enqueue; no value buffer without a value output. They must live until it is done. What a mask or
 * argminmax needs besides is assigned to the struct: buffers.mask = mask(). */
inline argmax_cl_buffers buffers(const cl::Buffer &input, const cl::Buffer &index, const cl::Buffer &value = {}) {
    return {sizeof(argmax_cl_buffers), input(), index(), value(), nullptr, nullptr, nullptr};
}

/* Sole owner of a C object; object() is that. */
template <typename C, void (*destroy)(C)> struct Owner {
    // clang-format off
    C operator()() const { return c.get(); }
    bool operator!() const { return !c; }
    struct Destroy { void operator()(C object) const { destroy(object); } };
    template <typename Create> void create(argmax_cl_status *status, Create create_in) {
        C made = nullptr;
        const argmax_cl_status code = create_in(&made);
        c.reset(made);
        if (status) *status = code;
        check(code);
    }
    // clang-format on
    std::unique_ptr<std::remove_pointer_t<C>, Destroy> c;
};

using Waits = std::vector<cl::Event>;
/* An enqueue with OpenCL-HPP's wait list and event, either of which may be NULL; a cl::Event is its cl_event. */
template <typename Enqueue> argmax_cl_status with_events(const Waits *waits, cl::Event *event, Enqueue enqueue) {
    const auto count = static_cast<cl_uint>(waits ? waits->size() : 0);
    const auto *list = count ? reinterpret_cast<const cl_event *>(waits->data()) : nullptr;
    cl_event made = nullptr;
    const argmax_cl_status code = enqueue(count, list, event ? &made : nullptr);
    if (event)
        *event = cl::Event(made);
    return check(code);
}

/* One context and device. The operator is the C function: argmax_cl, argmin_cl, argminmax_cl, or their _host. */
struct Handle : Owner<argmax_cl_handle, argmax_cl_destroy> {
    explicit Handle(const std::string &selector = "", argmax_cl_status *status = nullptr) {
        create(status, [&](argmax_cl_handle *made) { return argmax_cl_create_default(made, selector.c_str()); });
    }
    Handle(const cl::Context &context, const cl::Device &device, argmax_cl_status *status = nullptr) {
        create(status, [&](argmax_cl_handle *made) { return argmax_cl_create(made, context(), device()); });
    }
    argmax_cl_status enqueue(decltype(&argmax_cl) op, const cl::CommandQueue &queue, const Problem &problem,
                             const argmax_cl_buffers &where, const Waits *waits = nullptr,
                             cl::Event *event = nullptr) const {
        return with_events(waits, event, [&](cl_uint count, const cl_event *list, cl_event *made) {
            return op((*this)(), queue(), Desc(problem).get, &where, count, list, made);
        });
    }
    argmax_cl_status host(decltype(&argmax_cl_host) op, const Problem &problem, const void *input, void *index,
                          void *value = nullptr) const {
        return host(op, problem, {sizeof(argmax_cl_host_arrays), input, index, value, nullptr, nullptr, nullptr});
    }
    argmax_cl_status host(decltype(&argmax_cl_host) op, const Problem &problem,
                          const argmax_cl_host_arrays &arrays) const {
        return check(op((*this)(), Desc(problem).get, &arrays, nullptr));
    }
};

struct Plan : Owner<argmax_cl_plan, argmax_cl_plan_destroy> {
    Plan(const Handle &handle, argmax_cl_operator op, const Problem &problem, argmax_cl_status *status = nullptr) {
        create(status, [&](auto *made) { return argmax_cl_plan_create(made, handle(), op, Desc(problem).get); });
    }
    argmax_cl_status workspace_size(std::size_t *bytes) const {
        return check(argmax_cl_plan_workspace_size((*this)(), bytes));
    }
    argmax_cl_status enqueue(const cl::CommandQueue &queue, const argmax_cl_buffers &where,
                             const cl::Buffer &workspace = {}, const Waits *waits = nullptr,
                             cl::Event *event = nullptr) const {
        return with_events(waits, event, [&](cl_uint count, const cl_event *list, cl_event *made) {
            return argmax_cl_plan_enqueue((*this)(), queue(), &where, workspace(), count, list, made);
        });
    }
};

} /* namespace argmaxcl */
#endif
