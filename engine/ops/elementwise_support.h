// SPDX-License-Identifier: Apache-2.0
// What elementwise ops of all families share: result types, references as one scalar function, gradients of broadcast
// operands.
#pragma once

#include <array>
#include <utility>

#include "engine/graph/autograd.h"
#include "engine/ops/check.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"

namespace engine::ops {

/// Which dtypes an elementwise op computes on.
enum class Accepts : uint8_t {
  any,
  numbers,  ///< all but bool
  floats,
  integers,
  bits,  ///< integers and bool
  booleans,
};
bool accepts(OperandCheck& check, size_t operand, DType dtype, Accepts accepted);

/// A result of `shape` in the dense layout of the first input that is not broadcast to it.
TensorType elementwise_type(DType dtype, std::span<const TensorType> inputs, const Shape& shape);
/// Operands of one dtype, broadcast together (numpy), make a result of this dtype or of `result`.
InferResult infer_elementwise(std::string_view op, std::span<const TensorType> inputs,
                              std::initializer_list<std::string_view> names, Accepts accepted,
                              std::optional<DType> result = {});

/// out = function(in0, in1, ...) in doubles, the inputs broadcast to the output: one to three inputs, as the function
/// takes.
template <class Function>
void map_doubles(KernelArguments& arguments, Function function) {
  const Shape& shape = arguments.outputs[0].shape();
  std::vector<double> a = load_expanded(arguments.inputs[0], shape);
  if constexpr (std::is_invocable_v<Function, double>) {
    for (double& value : a) value = function(value);
  } else {
    const std::vector<double> b = load_expanded(arguments.inputs[1], shape);
    if constexpr (std::is_invocable_v<Function, double, double>) {
      for (size_t i = 0; i < a.size(); ++i) a[i] = function(a[i], b[i]);
    } else {
      const std::vector<double> c = load_expanded(arguments.inputs[2], shape);
      for (size_t i = 0; i < a.size(); ++i) a[i] = function(a[i], b[i], c[i]);
    }
  }
  store(arguments.outputs[0], a);
}

/// The same on 64-bit integers, one or two inputs; what leaves the dtype wraps around, as in numpy.
template <class Function>
void map_integers(KernelArguments& arguments, Function function) {
  const Shape& shape = arguments.outputs[0].shape();
  std::vector<int64_t> a = load_whole_expanded(arguments.inputs[0], shape);
  if constexpr (std::is_invocable_v<Function, int64_t>) {
    for (int64_t& value : a) value = static_cast<int64_t>(function(value));
  } else {
    const std::vector<int64_t> b = load_whole_expanded(arguments.inputs[1], shape);
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int64_t>(function(a[i], b[i]));
  }
  store_whole(arguments.outputs[0], a);
}

/// map_doubles with `floating` or map_integers with `integer`, by the dtype of the first input.
template <class Floating, class Integer>
void map_numbers(KernelArguments& arguments, Floating floating, Integer integer) {
  if (is_floating(arguments.inputs[0].dtype())) return map_doubles(arguments, floating);
  map_integers(arguments, integer);
}

/// Sets the gradient by input i, made by `make` from the output's gradient, when somebody wants it; what was broadcast
/// is summed.
template <class Make>
void give(GradientContext& context, size_t i, Make make) {
  GraphBuilder& builder = context.builder();
  if (!context.needed(i) || builder.failed()) return;
  const ValueId gradient = make(context.output_gradient(0));
  if (builder.failed()) return;
  const Shape shape = builder.type(context.input(i)).shape;
  context.set_input_gradient(i, reduce_to(builder, gradient, shape));
}

/// For functions made of steps: their gradient is zero wherever it exists.
inline void gradient_zero(GradientContext&) {}

}  // namespace engine::ops
