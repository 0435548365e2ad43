// SPDX-License-Identifier: Apache-2.0
// Types of operands' copies.
#include "engine/tensor/operand_copies.h"

namespace engine {
namespace {

/// Dense strides with the channels (axis 1) side by side.
Strides channels_side_by_side(const Shape& shape) {
  Strides strides(shape.size(), 1);
  int64_t next = shape[1];
  for (size_t axis = shape.size(); axis-- > 2;) {
    strides[axis] = next;
    next *= shape[axis];
  }
  strides[0] = next;
  return strides;
}

Strides strides_of_copy(const TensorType& type, CopyLayout layout) {
  if (layout == CopyLayout::channels_last && (type.rank() == 4 || type.rank() == 5))
    return channels_side_by_side(type.shape);
  if (layout != CopyLayout::as_it_lies) return contiguous_strides(type.shape);
  if (is_dense(type.shape, type.strides)) return type.strides;
  Strides dense = dense_strides_like(type.shape, type.strides);
  return is_dense(type.shape, dense) ? dense : contiguous_strides(type.shape);
}

}  // namespace

bool lie_alike(const TensorType& a, const TensorType& b) {
  if (a.shape != b.shape) return false;
  for (size_t axis = 0; axis < a.shape.size(); ++axis) {
    if (a.shape[axis] != 1 && a.strides[axis] != b.strides[axis]) return false;
  }
  return true;
}

TensorType copied(const TensorType& type, const OperandCopies& copies) {
  const bool widens = copies.widens && is_16_bit_float(type.dtype);
  if (!widens && copies.layout == CopyLayout::as_it_lies) return type;
  return {widens ? DType::float32 : type.dtype, type.shape, strides_of_copy(type, copies.layout)};
}

bool takes_part(std::string_view op, size_t i, bool is_result) {
  if (op == "qlinear_conv" || op == "conv_integer") return is_result || i == 0;
  if (!op.starts_with("conv2d") && !op.starts_with("conv3d")) return true;
  if (op.ends_with("_grad_weight")) return !is_result;
  return is_result || i != 1;
}

std::string_view name(CopyLayout layout) {
  switch (layout) {
    case CopyLayout::channels_last: return "channels-last copies";
    case CopyLayout::row_major: return "row-major copies";
    case CopyLayout::as_it_lies: break;
  }
  return {};
}

}  // namespace engine
