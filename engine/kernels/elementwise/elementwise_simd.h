// SPDX-License-Identifier: Apache-2.0
// Inner loops of the elementwise ops, compiled for every vector width and chosen at run time
// (Highway).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/tensor/dtype.h"

namespace engine::cpu {

/// One stretch of neighbours. Inputs are contiguous or, where `repeated` has their bit, one element
/// for all.
struct RowArguments {
  const std::byte* in[4] = {};
  std::byte* out[2] = {};
  int64_t count = 0;
  uint32_t repeated = 0;
  const double* constants = nullptr;  ///< what the op's attributes say: see elementwise.cpp
  bool goes_on = false;  ///< more rows of this thread follow: non-temporal stores in flight need not end with this one
};
using RowFunction = void (*)(const RowArguments&);

/// The inner loop of `op` for f32 or f64; null for other ops and types. `streaming`: with
/// non-temporal stores, where the op has such a loop (null otherwise).
RowFunction find_row_function(std::string_view op, DType, bool streaming);

/// The same for mathematical functions, activations, their gradients and arithmetic beyond products
/// (functions_simd.cpp).
RowFunction find_function_row(std::string_view op, DType);

/// The same for operands of integers and bool, and for what turns numbers into bool or moves bits: comparisons, logic,
/// `where`, `copy` (whole_simd.cpp). `dtype` is that of the last input.
RowFunction find_whole_row(std::string_view op, DType dtype);

}  // namespace engine::cpu
