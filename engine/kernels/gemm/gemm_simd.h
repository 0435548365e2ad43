// SPDX-License-Identifier: Apache-2.0
// Own matrix products: a packed micro-kernel after Goto and van de Geijn (ACM TOMS 34(3), 2008) and a
// one-pass vector-matrix product, for every vector width (Highway), single-threaded.
#pragma once

#include <cstdint>

namespace engine::cpu {

/// Element (i, j) lies at data[i * row + j * column]; any strides, 0 and negative ones too.
template <class T>
struct GemmMatrix {
  const T* data = nullptr;
  int64_t row = 0, column = 0;

  GemmMatrix transposed() const { return {data, column, row}; }
  GemmMatrix from(int64_t i, int64_t j) const { return {data + i * row + j * column, row, column}; }
};

/// c[i, j] = sum_k a[i, k] b[k, j] (+ bias[j], or + what c held); a is m x k, b is k x n, c row-major with `c_row`
/// elements from row to row.
template <class T>
struct GemmProblem {
  GemmMatrix<T> a, b;
  const T* bias = nullptr;  ///< n neighbours, or null
  T* c = nullptr;
  int64_t c_row = 0;
  int64_t m = 0, n = 0, k = 0;
  bool accumulate = false;  ///< onto c; no bias then. multiply() only
};

template <class T>
struct GemmLoops {
  int64_t tile_rows = 0, tile_columns = 0;  ///< of c, that one call of the micro-kernel computes in registers
  /// Elements of scratch, 64-byte aligned, that multiply() needs.
  int64_t (*workspace_elements)(int64_t m, int64_t n, int64_t k) = nullptr;
  void (*multiply)(const GemmProblem<T>&, T* workspace) = nullptr;
  /// The same for m = 1, reading b once; b.row or b.column must be 1. Scratch: k elements.
  void (*vector_times_matrix)(const GemmProblem<T>&, T* workspace) = nullptr;
};

GemmLoops<float> gemm_loops_f32();
/// Null pointers on vector units without doubles.
GemmLoops<double> gemm_loops_f64();
template <class T>
GemmLoops<T> gemm_loops_of() {
  if constexpr (sizeof(T) == sizeof(float)) {
    return gemm_loops_f32();
  } else {
    return gemm_loops_f64();
  }
}

}  // namespace engine::cpu
