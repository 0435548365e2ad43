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

/// Elements that lie behind one another: the extent of the axis that is innermost in memory.
int64_t innermost_extent(const Shape& shape, const Strides& strides) {
  int64_t extent = 1;
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < shape.size(); ++i) {
    const uint64_t stride = strides[i] < 0 ? 0 - static_cast<uint64_t>(strides[i]) : static_cast<uint64_t>(strides[i]);
    if (shape[i] > 1 && stride < least) least = stride, extent = shape[i];
  }
  return extent;
}

/// Rows shorter than a cache line of f32 are no layout to keep where another operand has longer ones: whoever reads the
/// result by rows would gather it.
constexpr int64_t kShortRow = 16;

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
  const TensorType* like = nullptr;
  int64_t row = 0;
  for (const TensorType& input : inputs) {
    if (input.shape != shape || is_expanded(input)) continue;
    const int64_t extent = innermost_extent(shape, input.strides);
    const bool longer = row < kShortRow && extent >= kShortRow && extent >= 4 * row;
    if (like == nullptr || longer) like = &input, row = extent;
  }
  return like == nullptr ? TensorType::contiguous(dtype, shape)
                         : TensorType{dtype, shape, dense_strides_like(shape, like->strides)};
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
