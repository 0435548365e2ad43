// SPDX-License-Identifier: Apache-2.0
// Softmax and its kin of one line, which is gathered first and laid out last where its elements have gaps: over memory
// that is plain (softmax.cpp) or, in a test, notes each access.
#pragma once

#include <array>

#include "engine/kernels/core/copy-inl.h"
#include "engine/kernels/core/loop_nest.h"
#include "engine/kernels/core/rows_simd.h"

namespace engine::cpu {

/// Operands of a line: its result, then those it is made of.
template <class T, class M = ScalarMemory>
struct SoftmaxParts {
  RowLoops<T> loops;
  std::array<int64_t, 3> steps;  ///< bytes between neighbours
  int64_t length;
  bool gradient, logarithmic;

  bool apart(size_t operand) const { return steps[operand] != kBytes && length > 1; }
  /// gathered: room for a line of each operand that lies apart.
  void line(const Addresses& at, const std::array<T*, 3>& gathered) const {
    T* out = apart(0) ? gathered[0] : reinterpret_cast<T*>(at[0]);
    const T* first = input(1, at, gathered);
    if (gradient)
      (logarithmic ? loops.log_softmax_gradient : loops.softmax_gradient)(first, input(2, at, gathered), length, out);
    else if (logarithmic) loops.log_softmax(first, length, out);
    else loops.softmax(first, length, out);
    if (apart(0)) copy_row_over<M>(reinterpret_cast<const std::byte*>(out), kBytes, at[0], steps[0], length, kBytes);
  }

 private:
  static constexpr int64_t kBytes = sizeof(T);
  const T* input(size_t operand, const Addresses& at, const std::array<T*, 3>& gathered) const {
    if (!apart(operand)) return reinterpret_cast<const T*>(at[operand]);
    copy_row_over<M>(at[operand], steps[operand], reinterpret_cast<std::byte*>(gathered[operand]), kBytes, length,
                     kBytes);
    return gathered[operand];
  }
};

}  // namespace engine::cpu
