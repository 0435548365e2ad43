// SPDX-License-Identifier: Apache-2.0
// Seeded fills that depend on (seed, stream, position) only: the same on every device, thread count and layout.
#pragma once

#include <cstdint>

#include "engine/tensor/tensor.h"

namespace engine {

/// How a parameter or an input starts.
struct Fill {
  enum class Kind : uint8_t { zeros, ones, constant, uniform, normal, integers, arange } kind = Kind::zeros;
  double a = 0;  ///< constant: the value; uniform: low; normal: mean; integers: low
  double b = 0;  ///< uniform: high; normal: standard deviation; integers: one past the highest; arange: divisor (i / b)
};

/// Fills by logical row-major position with a counter-based generator; `stream` tells the tensors of a run apart.
void fill(const Tensor&, const Fill&, uint64_t seed, uint64_t stream);

}  // namespace engine
