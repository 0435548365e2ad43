// SPDX-License-Identifier: Apache-2.0
// Data: a tensor's bytes as kernels are given them, and the lines of a tensor along one axis.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/cuda/index.h"
#include "engine/tensor/tensor.h"

namespace engine::cuda {

/// Offsets count elements; numbers.cuh reads and writes them.
struct Data {
  void* bytes = nullptr;
  DType dtype = DType::float32;
  /// What would be padding: with what the stack held there, a launch's arguments could look like an address.
  uint8_t zeros[sizeof(void*) - sizeof(DType)] = {};

  Data() = default;
  explicit Data(const Tensor& tensor) : bytes(tensor.data()), dtype(tensor.dtype()) {}
};

/// Strides (or a shape) less one axis.
inline Strides without_axis(const Strides& strides, size_t axis) {
  Strides rest = strides;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis));
  return rest;
}

/// Position p of a walk over these strides is row-major logical position p of `shape`, whatever order the operands lie
/// in: the first operand is the position itself.
template <int N>
std::optional<Walk<N + 1>> make_logical_walk(const Shape& shape, const std::array<Strides, N>& strides) {
  std::array<Strides, N + 1> all;
  all[0] = contiguous_strides(shape);
  for (size_t n = 0; n < N; ++n) all[n + 1] = strides[n];
  return make_walk<N + 1>(shape, all);
}

}  // namespace engine::cuda
