// SPDX-License-Identifier: Apache-2.0
// Kinds in their order, then sizes.
#include "engine/tensor/promotion.h"

namespace engine {
namespace {

int kind_of(DType dtype) { return dtype == DType::boolean ? 0 : is_floating(dtype) ? 2 : 1; }

std::optional<DType> wider(DType a, DType b) {
  if (a == b) return a;
  if (kind_of(a) != kind_of(b)) return kind_of(a) > kind_of(b) ? a : b;
  if (size_bytes(a) != size_bytes(b)) return size_bytes(a) > size_bytes(b) ? a : b;
  return is_floating(a) ? std::optional(DType::float32) : std::nullopt;
}

}  // namespace

std::optional<DType> promoted(DType a, bool a_is_0d, DType b, bool b_is_0d) {
  if (a_is_0d == b_is_0d) return a_is_0d || a == b ? wider(a, b) : std::nullopt;
  const DType with_axes = a_is_0d ? b : a, scalar = a_is_0d ? a : b;
  return kind_of(scalar) > kind_of(with_axes) ? scalar : with_axes;
}

}  // namespace engine
