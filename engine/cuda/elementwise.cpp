// SPDX-License-Identifier: Apache-2.0
// Elementwise ops: from name, attributes and operands to one launch.
#include "engine/cuda/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>

#include "engine/cuda/kernels.h"

namespace engine::cuda {
namespace {

struct Function {
  std::string_view op;
  Code code;
  bool in_double = false;  ///< integers are computed as doubles too, as the op's reference does
};

// clang-format off
constexpr Function kFunctions[] = {
    {"add", Code::add}, {"subtract", Code::subtract}, {"multiply", Code::multiply}, {"divide", Code::divide},
    {"scaled_add", Code::scaled_add, true}, {"scale", Code::scale, true},
    {"relu", Code::relu}, {"relu_grad", Code::relu_grad, true}, {"sigmoid", Code::sigmoid}, {"sigmoid_grad", Code::sigmoid_grad},
    {"absolute", Code::absolute}, {"absolute_grad", Code::absolute_grad}, {"negate", Code::negate}, {"exp", Code::exp}, {"log", Code::log},
    {"sqrt", Code::sqrt}, {"sqrt_grad", Code::sqrt_grad}, {"reciprocal", Code::reciprocal}, {"reciprocal_grad", Code::reciprocal_grad},
    {"sin", Code::sin}, {"sin_grad", Code::sin_grad}, {"cos", Code::cos}, {"cos_grad", Code::cos_grad}, {"tan", Code::tan}, {"tan_grad", Code::tan_grad},
    {"asin", Code::asin}, {"asin_grad", Code::asin_grad}, {"acos", Code::acos}, {"acos_grad", Code::acos_grad}, {"atan", Code::atan}, {"atan_grad", Code::atan_grad},
    {"sinh", Code::sinh}, {"sinh_grad", Code::sinh_grad}, {"cosh", Code::cosh}, {"cosh_grad", Code::cosh_grad},
    {"asinh", Code::asinh}, {"asinh_grad", Code::asinh_grad}, {"acosh", Code::acosh}, {"acosh_grad", Code::acosh_grad},
    {"atanh", Code::atanh}, {"atanh_grad", Code::atanh_grad}, {"tanh", Code::tanh}, {"tanh_grad", Code::tanh_grad}, {"erf", Code::erf}, {"erf_grad", Code::erf_grad},
    {"floor", Code::floor}, {"ceil", Code::ceil}, {"round", Code::round}, {"sign", Code::sign},
    {"gelu", Code::gelu}, {"gelu_grad", Code::gelu_grad}, {"silu", Code::silu}, {"silu_grad", Code::silu_grad},
    {"elu", Code::elu}, {"elu_grad", Code::elu_grad},
    {"selu", Code::selu}, {"selu_grad", Code::selu_grad},
    {"celu", Code::celu}, {"celu_grad", Code::celu_grad},
    {"leaky_relu", Code::leaky_relu}, {"leaky_relu_grad", Code::leaky_relu_grad},
    {"hard_sigmoid", Code::hard_sigmoid}, {"hard_sigmoid_grad", Code::hard_sigmoid_grad},
    {"hard_swish", Code::hard_swish}, {"hard_swish_grad", Code::hard_swish_grad}, {"softplus", Code::softplus}, {"softplus_grad", Code::softplus_grad},
    {"softsign", Code::softsign}, {"softsign_grad", Code::softsign_grad}, {"mish", Code::mish}, {"mish_grad", Code::mish_grad},
    {"thresholded_relu", Code::thresholded_relu}, {"thresholded_relu_grad", Code::thresholded_relu_grad},
    {"shrink", Code::shrink, true}, {"shrink_grad", Code::shrink_grad},
    {"clip", Code::clip}, {"clip_grad", Code::clip_grad},
    {"minimum", Code::minimum}, {"maximum", Code::maximum}, {"power", Code::power}, {"modulo", Code::modulo}, {"prelu", Code::prelu},
    {"divide_grad_divisor", Code::divide_grad_divisor}, {"power_grad_base", Code::power_grad_base}, {"power_grad_exponent", Code::power_grad_exponent},
    {"maximum_grad", Code::maximum_grad}, {"minimum_grad", Code::minimum_grad}, {"prelu_grad_input", Code::prelu_grad_input}, {"prelu_grad_slope", Code::prelu_grad_slope},
    {"equal", Code::equal}, {"not_equal", Code::not_equal}, {"less", Code::less}, {"less_equal", Code::less_equal},
    {"greater", Code::greater}, {"greater_equal", Code::greater_equal},
    {"logical_and", Code::logical_and}, {"logical_or", Code::logical_or}, {"logical_xor", Code::logical_xor}, {"logical_not", Code::logical_not},
    {"is_nan", Code::is_nan}, {"is_inf", Code::is_inf}, {"where", Code::where}, {"cast", Code::cast},
    {"bitwise_and", Code::bitwise_and}, {"bitwise_or", Code::bitwise_or}, {"bitwise_xor", Code::bitwise_xor}, {"bitwise_not", Code::bitwise_not},
    {"bit_shift", Code::shift_left}, {"log_sum_exp_grad", Code::log_sum_exp_grad},
};
// clang-format on

const Function& function_of(std::string_view op) {
  for (const Function& function : kFunctions) {
    if (function.op == op) return function;
  }
  CHECK(false);  // kernels() lists no other
  return kFunctions[0];
}

/// Cut to a whole number and held in 63 bits; NaN is the lowest, as in engine/ops.
int64_t whole_setting(double value) {
  constexpr double kEnd = 9223372036854775808.0;
  if (value >= kEnd) return std::numeric_limits<int64_t>::max();
  return value > -kEnd ? static_cast<int64_t>(value) : std::numeric_limits<int64_t>::min();
}

/// Words and switches among the attributes choose the function.
Code code_of(const Function& function, const Attributes& attributes) {
  switch (function.code) {
    case Code::gelu: return attributes.get_string("approximate", "none") == "tanh" ? Code::gelu_tanh : Code::gelu;
    case Code::gelu_grad:
      return attributes.get_string("approximate", "none") == "tanh" ? Code::gelu_tanh_grad : Code::gelu_grad;
    case Code::modulo: return attributes.get_int("fmod", 0) != 0 ? Code::fmod : Code::modulo;
    case Code::shift_left:
      return attributes.get_string("direction", "left") == "left" ? Code::shift_left : Code::shift_right;
    default: return function.code;
  }
}

/// Words and switches that choose the function are no settings of the kernel.
bool has_settings(const Function& function) {
  return function.code != Code::gelu && function.code != Code::gelu_grad && function.code != Code::modulo &&
         function.code != Code::shift_left && function.code != Code::cast;
}

CodeOfOp resolved(const Function& function, const Op& op, const Attributes& attributes) {
  CodeOfOp found{code_of(function, attributes), {}};
  if (!has_settings(function)) return found;
  const std::vector<double> numbers = attribute_numbers(op, attributes);
  CHECK(numbers.size() <= std::size(found.p));
  std::ranges::copy(numbers, found.p);
  return found;
}

/// Doubles where one takes part, and where a whole number becomes a float or the other way; whole numbers among
/// themselves.
Arithmetic arithmetic_of(const Function& function, const PrepareRequest& request) {
  bool whole = true, wide = false, floating = false;
  size_t first = function.code == Code::where ? 1 : 0;  // the condition counts for nothing
  const auto look = [&](DType dtype) {
    whole = whole && !is_floating(dtype);
    floating = floating || is_floating(dtype);
    wide = wide || dtype == DType::float64;
  };
  for (; first < request.arguments.inputs.size(); ++first) look(request.arguments.inputs[first].dtype());
  const DType out = request.arguments.outputs[0].dtype();
  if (whole && !function.in_double) return Arithmetic::whole;  // also into floats: the nearest of a whole number
  const bool compares = out == DType::boolean && function.code != Code::cast;
  if (!compares) look(out);
  return wide || (!compares && !is_floating(out)) || !floating || (whole && function.in_double) ? Arithmetic::float64
         : function.code == Code::power && !is_floating(request.arguments.inputs[1].dtype())    ? Arithmetic::float64
                                                                                                : Arithmetic::float32;
}

PreparedKernel prepare_elementwise(Context& context, const PrepareRequest& request) {
  const Function& function = function_of(request.node.op->name);
  const auto& inputs = request.arguments.inputs;
  const Tensor& y = request.arguments.outputs[0];
  Elementwise work;
  const CodeOfOp found = resolved(function, *request.node.op, request.node.attributes);
  work.code = found.code;
  work.arithmetic = arithmetic_of(function, request);
  work.operands = static_cast<int32_t>(inputs.size());
  work.out = y.dtype();
  work.y = y.data();
  std::array<Strides, 4> strides;
  strides[0] = y.strides();
  for (size_t i = 0; i < 3; ++i) {
    strides[i + 1] = Strides(y.shape().size(), 0);
    if (i >= inputs.size()) continue;
    work.in[i] = inputs[i].dtype();
    work.x[i] = inputs[i].data();
    strides[i + 1] = broadcast_strides(inputs[i].shape(), inputs[i].strides(), y.shape());
  }
  for (size_t i = 0; i < 2; ++i) {
    work.p[i] = found.p[i];
    work.q[i] = whole_setting(work.p[i]);
  }
  if (work.code == Code::bitwise_not) work.q[0] = y.dtype() == DType::boolean ? 1 : 0;
  const auto walk = make_walk<4>(y.shape(), strides);
  if (!walk) return refuse(request, "the operands have more than 8 axes that cannot be merged");
  work.walk = *walk;
  vectorize(work);
  std::string kernel =
      fmt::format("own {}{} (CUDA)", function.op, work.lanes > 1 ? fmt::format(", vectors of {}", work.lanes) : "");
  return launched(context, request, std::move(kernel),
                  [work](const Launcher& launcher) { return launch(launcher, work); });
}

}  // namespace

std::optional<CodeOfOp> code_of_op(const Op& op, const Attributes& attributes) {
  if (op.name == "copy") return CodeOfOp{Code::cast, {}};
  const auto* const found = std::ranges::find(kFunctions, op.name, &Function::op);
  if (found == std::end(kFunctions)) return std::nullopt;
  return resolved(*found, op, attributes);
}

std::span<const Kernel> elementwise_kernels() {
  static const std::vector<Kernel> kernels = [] {
    std::vector<Kernel> all;
    for (const Function& function : kFunctions) all.push_back({function.op, takes_any, prepare_elementwise});
    return all;
  }();
  return kernels;
}

}  // namespace engine::cuda
