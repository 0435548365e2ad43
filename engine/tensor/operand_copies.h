// SPDX-License-Identifier: Apache-2.0
// How operands are copied for kernels that need another layout or dtype. Used by the copies
// (engine/kernels/core/on_copies.cpp) and by their access description (engine/kernels/core/on_copies_access.cpp).
#pragma once

#include <compare>
#include <string_view>

#include "engine/tensor/tensor.h"

namespace engine {

inline bool is_16_bit_float(DType dtype) { return dtype == DType::bfloat16 || dtype == DType::float16; }

enum class CopyLayout : uint8_t {
  as_it_lies,     ///< or, where elements do not lie densely, densely in the order of the axes
  channels_last,  ///< images and volumes (rank 4 and 5): N, pixels, C in memory; other ranks row-major
  row_major,
};

struct OperandCopies {
  bool widens = false;  ///< 16-bit floats become f32
  CopyLayout layout = CopyLayout::as_it_lies;

  bool any() const { return widens || layout != CopyLayout::as_it_lies; }
  friend auto operator<=>(const OperandCopies&, const OperandCopies&) = default;
  friend bool operator==(const OperandCopies&, const OperandCopies&) = default;
};

/// Whether elements of the same index lie at the same place: strides of axes of extent 1 may differ.
bool lie_alike(const TensorType&, const TensorType&);

/// Dense type of a copy; the type itself where there is nothing to change.
TensorType copied(const TensorType&, const OperandCopies&);

/// Whether operand `i` of an op, or its result `i`, is copied: all are, but of convolutions the weights (operand 1),
/// which are packed anyway.
bool takes_part(std::string_view op, size_t i, bool is_result);

/// For people: "channels-last copies", "row-major copies"; empty: none.
std::string_view name(CopyLayout);

}  // namespace engine
