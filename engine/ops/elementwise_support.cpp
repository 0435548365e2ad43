// SPDX-License-Identifier: Apache-2.0
// Types of elementwise results.
#include "engine/ops/elementwise_support.h"

namespace engine::ops {
namespace {

/// True when some axis is repeated (stride 0): such an operand's layout is no model for a result.
bool is_expanded(const TensorType& type) {
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (type.shape[i] > 1 && type.strides[i] == 0) return true;
  }
  return false;
}

}  // namespace

bool accepts(OperandCheck& check, size_t operand, DType dtype, Accepts accepted) {
  switch (accepted) {
    case Accepts::any: return true;
    case Accepts::numbers: return check.numeric(operand);
    case Accepts::floats: return check.floating(operand);
    case Accepts::integers:
      return check.that(!is_floating(dtype) && dtype != DType::boolean,
                        "operands must be integers (i64, i32, i8, u8), got {}", name(dtype));
    case Accepts::bits:
      return check.that(!is_floating(dtype), "operands must be integers or bool, got {}", name(dtype));
    case Accepts::booleans: return check.that(dtype == DType::boolean, "operands must be bool, got {}", name(dtype));
  }
  return false;
}

TensorType elementwise_type(DType dtype, std::span<const TensorType> inputs, const Shape& shape) {
  for (const TensorType& input : inputs) {
    if (input.shape == shape && !is_expanded(input)) return {dtype, shape, dense_strides_like(shape, input.strides)};
  }
  return TensorType::contiguous(dtype, shape);
}

InferResult infer_elementwise(std::string_view op, std::span<const TensorType> inputs,
                              std::initializer_list<std::string_view> names, Accepts accepted,
                              std::optional<DType> result) {
  OperandCheck check(op, inputs, names);
  if (!check.operand_count() || !check.same_dtype() || !accepts(check, 0, inputs[0].dtype, accepted))
    return check.error();
  Shape shape = inputs[0].shape;
  for (const TensorType& input : inputs.subspan(1)) {
    Result<Shape> both = broadcast_shapes(shape, input.shape);
    if (!both) {
      check.that(false, "{}", both.error().message);
      return check.error();
    }
    shape = std::move(*both);
  }
  const DType dtype = result.value_or(inputs[0].dtype);
  if (!check.addressable("the result", dtype, shape)) return check.error();
  return std::vector{elementwise_type(dtype, inputs, shape)};
}

}  // namespace engine::ops
