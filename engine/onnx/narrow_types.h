// SPDX-License-Identifier: Apache-2.0
// Types of weights in files that the engine does not compute in: each is held in a type that has all its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/tensor/tensor.h"

namespace engine::onnx {

struct NarrowType {
  int32_t data_type = 0;  ///< of TensorProto
  std::string_view name;
  int bits = 8;  ///< per element in the file, packed from the lowest bit on
  DType held = DType::int8;

  int64_t packed_bytes(int64_t elements) const { return elements / 8 * bits + (elements % 8 * bits + 7) / 8; }
};

/// Null for a type that the engine has, or that nothing of it holds.
const NarrowType* narrow_type(int32_t data_type);
/// The elements of `packed`, which has packed_bytes(to.elements()), as the held type's.
void widen(const NarrowType&, std::span<const std::byte> packed, const Tensor& to);

}  // namespace engine::onnx
