// SPDX-License-Identifier: Apache-2.0
// Elementwise ops: each is a program of its own, one function of elementwise.cl.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/check.h"
#include "engine/opencl/kernels.h"

namespace engine::opencl {
namespace {

struct Function {
  std::string_view op;
  int operands;
  bool words = false;  ///< its attributes choose the function and are no numbers
};

// clang-format off
/// elementwise.cl has of_<op> for each.
constexpr Function kFunctions[] = {
    {"copy", 1}, {"add", 2}, {"subtract", 2}, {"multiply", 2}, {"divide", 2}, {"scaled_add", 2}, {"scale", 1},
    {"minimum", 2}, {"maximum", 2}, {"absolute", 1}, {"negate", 1}, {"exp", 1}, {"log", 1}, {"sqrt", 1}, {"sqrt_grad", 2},
    {"reciprocal", 1}, {"reciprocal_grad", 2}, {"sin", 1}, {"cos", 1}, {"tanh", 1}, {"tanh_grad", 2}, {"erf", 1}, {"erf_grad", 2},
    {"relu", 1}, {"relu_grad", 2}, {"leaky_relu", 1}, {"leaky_relu_grad", 2}, {"sigmoid", 1}, {"sigmoid_grad", 2},
    {"silu", 1}, {"silu_grad", 2}, {"softplus", 1}, {"softplus_grad", 2}, {"sign", 1}, {"clip", 1},
    {"gelu", 1, true}, {"gelu_grad", 2, true},
};
// clang-format on

const Function& function_of(std::string_view op) {
  const auto* const found = std::ranges::find(kFunctions, op, &Function::op);
  CHECK(found != std::end(kFunctions));  // the kernels are made of this table
  return *found;
}

/// All operands lie alike, without holes: one position serves all.
bool lie_densely(const PrepareRequest& request) {
  const Tensor& y = request.arguments.outputs[0];
  return is_dense(y.shape(), y.strides()) && std::ranges::all_of(request.arguments.inputs, [&](const Tensor& x) {
           return x.shape() == y.shape() && lie_alike(x.type(), y.type());
         });
}

PreparedKernel prepare_elementwise(Context& context, const PrepareRequest& request) {
  const Op& op = *request.node.op;
  const Function& function = function_of(op.name);
  const auto& inputs = request.arguments.inputs;
  const Tensor& y = request.arguments.outputs[0];
  std::string code = fmt::format("of_{}", op.name);
  std::array<double, 2> numbers{};
  if (function.words) {
    if (request.node.attributes.get_string("approximate", "none") == "tanh")
      code = op.name.ends_with("_grad") ? "of_gelu_tanh_grad" : "of_gelu_tanh";
  } else {
    const std::vector<double> given = attribute_numbers(op, request.node.attributes);
    CHECK(given.size() <= numbers.size());
    std::ranges::copy(given, numbers.begin());
  }
  const bool dense = lie_densely(request);
  const std::string name = fmt::format("elementwise_{}{}", op.name, dense ? "_dense" : "");
  LaunchBuilder builder(context,
                        {.file = "elementwise.cl",
                         .doubles = y.dtype() == DType::float64,
                         .options = fmt::format("-D NAME={} -D OPERATION={} -D OPERANDS={}{}", name, code,
                                                function.operands, dense ? " -D DENSE" : "")},
                        name);
  builder.tensor(y);
  for (const Tensor& x : inputs) builder.tensor(x);
  builder.real(numbers[0]).real(numbers[1]);
  const int64_t count = y.type().elements();
  if (dense)
    return launched(context, request, fmt::format("own {} (OpenCL)", op.name), builder.whole(count).over(count));
  std::vector<Strides> strides{y.strides()};
  for (const Tensor& x : inputs) strides.push_back(broadcast_strides(x.shape(), x.strides(), y.shape()));
  const std::optional<Walk> walk = make_walk(y.shape(), strides);
  if (!walk) return refuse(request, kTooManyAxes);
  return launched(context, request, fmt::format("own {} (OpenCL)", op.name), builder.walk(*walk).over(count));
}

}  // namespace

std::span<const Kernel> elementwise_kernels() {
  static const std::vector<Kernel> all = [] {
    std::vector<Kernel> list;
    for (const Function& function : kFunctions) list.push_back({function.op, takes_reals, prepare_elementwise});
    return list;
  }();
  return all;
}

}  // namespace engine::opencl
