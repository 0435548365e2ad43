// SPDX-License-Identifier: Apache-2.0
// One matrix product as our kernels make it, for descriptions of ops that hold some.
#pragma once

#include <utility>

#include "engine/kernels/core/describe_access.h"

namespace engine::access {

struct Matrix {
  uint64_t address = 0;
  int64_t row = 0, column = 0;  ///< bytes
  uint32_t tensor = 0;
  int64_t bytes = 0;  ///< of an element
  uint64_t at(int64_t i, int64_t j) const { return address + static_cast<uint64_t>(i * row + j * column); }
  void transpose() { std::swap(row, column); }
};

struct Product {
  Matrix a, b, c;
  const Operand* bias = nullptr;  ///< n neighbours
  int64_t m, n, k;
  int64_t vector_bytes;
  uint64_t workspace;
  uint32_t workspace_tensor;
  AccessSink& sink;
  bool accumulate = false;  ///< onto what c holds
};

/// By the loops of gemm_loops.h, or, `by_vector`, of its vector_times_matrix.
void describe_gemm(const Product&, bool by_vector);

}  // namespace engine::access
